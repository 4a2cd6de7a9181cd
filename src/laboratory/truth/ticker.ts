/** Periodic tasks of a simulation, such as snapshots of all balances. */

/** A periodic task. */
export interface Tick {
  readonly everyUs: number;
  run(atUs: number): void;
}

/** Runs periodic tasks in order of time. Tasks with equal times run in the order in which they were given. */
export class Ticker {
  readonly #ticks: readonly Tick[];
  readonly #nextUs: number[];

  constructor(ticks: readonly Tick[]) {
    this.#ticks = ticks.filter(({ everyUs }) => everyUs > 0);
    this.#nextUs = this.#ticks.map(({ everyUs }) => everyUs);
  }

  /** Simulated time of the next tick. Infinity if there is none. */
  get nextUs(): number {
    return Math.min(...this.#nextUs);
  }

  /** Runs all ticks up to a simulated time, inclusive. */
  runUntil(nowUs: number): void {
    for (let atUs = this.nextUs; atUs <= nowUs; atUs = this.nextUs) {
      const index = this.#nextUs.indexOf(atUs);
      this.#nextUs[index]! += this.#ticks[index]!.everyUs;
      this.#ticks[index]!.run(atUs);
    }
  }
}
