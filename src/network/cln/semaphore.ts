/** Limits the number of concurrent tasks. Further tasks wait for their turn. */
export class Semaphore {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  /** @param places maximum number of concurrent tasks. */
  constructor(places: number) {
    this.#free = places;
  }

  /** Runs the task once there is a free place. */
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
