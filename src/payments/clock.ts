/** Time as payments see it: real in the daemon, virtual in simulations. */
export interface Clock {
  /** UNIX milliseconds. */
  nowMs(): number;
  /** Calls back once after `ms`; returns a function that calls it off. */
  after(ms: number, callback: () => void): () => void;
}

export const REAL_CLOCK: Clock = {
  nowMs: () => Date.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};

/** The waits of one payment, which can all be ended at once and then leave nothing on the clock. */
export class Pauses {
  readonly #clock: Clock;
  readonly #ends = new Set<() => void>();
  #isEnded = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** Resolves after `ms`, or when all are ended. */
  wait(ms: number): Promise<void> {
    if (this.#isEnded) return Promise.resolve();
    return new Promise((resolve) => {
      const end = (): void => {
        callOff();
        this.#ends.delete(end);
        resolve();
      };
      const callOff = this.#clock.after(ms, end);
      this.#ends.add(end);
    });
  }

  end(): void {
    this.#isEnded = true;
    for (const end of this.#ends) end();
  }
}
