/** Periodic tasks of a simulation, such as snapshots of all balances. */

/** One of them. */
export interface Tick {
  readonly everyUs: number;
  run(atUs: number): void;
}

/** Runs ticks in order of time, and at the same time in the order they were given. */
export class Ticker {
  readonly #ticks: readonly Tick[];
  readonly #nextUs: number[];

  constructor(ticks: readonly Tick[]) {
    this.#ticks = ticks.filter(({ everyUs }) => everyUs > 0);
    this.#nextUs = this.#ticks.map(({ everyUs }) => everyUs);
  }

  /** Time of the next tick. Infinite if there is none. */
  get nextUs(): number {
    return Math.min(...this.#nextUs);
  }

  /** Runs every tick up to a time, inclusive. */
  runUntil(nowUs: number): void {
    for (let atUs = this.nextUs; atUs <= nowUs; atUs = this.nextUs) {
      const index = this.#nextUs.indexOf(atUs);
      this.#nextUs[index]! += this.#ticks[index]!.everyUs;
      this.#ticks[index]!.run(atUs);
    }
  }
}
