/** The waits of one payment or other task. They can all be ended at once, which also cancels their timers. */
import type { Clock } from '../../model/clock.ts';

/** Pause between two checks of a condition, in milliseconds. */
const LOOK_MS = 250;

/** Waits that end individually, or all at once with `end`. */
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

  /**
   * Resolves after `ms` milliseconds, or earlier when `event` resolves or all waits are ended. `event` must not reject.
   */
  wait(ms: number, event?: Promise<void>): Promise<void> {
    if (this.#isEnded) return Promise.resolve();
    return new Promise((resolve) => {
      const end = (): void => {
        callOff();
        this.#ends.delete(end);
        resolve();
      };
      const callOff = this.#clock.after(ms, end);
      this.#ends.add(end);
      void event?.then(end);
    });
  }

  /**
   * Checks a condition repeatedly. Resolves once it holds, or when the time is over or all waits are ended.
   * @param endsAtMs end of the wait, in milliseconds of the monotonic clock
   * @returns whether the condition holds
   */
  async until(holds: () => boolean, endsAtMs: number): Promise<boolean> {
    while (!holds()) {
      const leftMs = endsAtMs - this.#clock.monotonicMs();
      if (leftMs <= 0 || this.#isEnded) return false;
      await this.wait(Math.min(LOOK_MS, leftMs));
    }
    return true;
  }

  end(): void {
    this.#isEnded = true;
    for (const end of this.#ends) end();
  }
}
