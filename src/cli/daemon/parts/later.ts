/** A part of the daemon that is opened after those that refer to it. */
export class Later<T> {
  #part: { readonly value: T } | undefined;

  /** Gives the part, once it is open, to those that refer to it. */
  open(value: T): T {
    this.#part = { value };
    return value;
  }

  /** The part. @throws Error while it is not open, which is a fault of the program */
  get value(): T {
    if (this.#part === undefined) throw new Error('a part of the daemon was used before it was open');
    return this.#part.value;
  }
}
