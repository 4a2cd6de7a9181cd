/** Lets a bounded number of tasks run at once; the others wait their turn. */
export class Gate {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  /** @param places tasks that may run at once. */
  constructor(places: number) {
    this.#free = places;
  }

  /** Runs the task when there is a place. */
  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await task();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free++;
      else next();
    }
  }
}
