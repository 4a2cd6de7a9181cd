/** A reference to a part of the daemon that is opened after the parts that refer to it. */
export class Later<T> {
  #part: { readonly value: T } | undefined;

  /** Provides the opened part to the parts that refer to it. */
  open(value: T): T {
    this.#part = { value };
    return value;
  }

  /**
   * The part.
   * @throws Error if the part is not open yet, which is a programming error
   */
  get value(): T {
    if (this.#part === undefined) throw new Error('a part of the daemon was used before it was open');
    return this.#part.value;
  }
}
