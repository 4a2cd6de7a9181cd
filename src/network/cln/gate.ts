/** Lets a bounded number of tasks run at once. The others wait for their turn. */
export class Gate {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  /** @param places maximum number of tasks that run at once. */
  constructor(places: number) {
    this.#free = places;
  }

  /** Runs the task when there is a place for it. */
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
