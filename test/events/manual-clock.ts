/** A clock that a test moves. Timers fire in the order of their times. */
import type { Clock } from '../../src/model/clock.ts';

export class ManualClock implements Clock {
  /** Monotonic time. */
  #nowMs = 0;
  /** The time of day at monotonic time 0. */
  #originMs: number;
  readonly #timers = new Set<{ readonly atMs: number; readonly action: () => void }>();

  constructor(nowMs = 0) {
    this.#originMs = nowMs;
  }

  /** Number of active timers. */
  get timers(): number {
    return this.#timers.size;
  }

  nowMs(): number {
    return this.#originMs + this.#nowMs;
  }

  monotonicMs(): number {
    return this.#nowMs;
  }

  /** Sets the time of day ahead, or back if `ms` is negative. No time passes. */
  setClock(ms: number): void {
    this.#originMs += ms;
  }

  after(ms: number, action: () => void): () => void {
    const timer = { atMs: this.#nowMs + ms, action };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  /** Lets this many milliseconds pass. */
  pass(ms: number): void {
    const endMs = this.#nowMs + ms;
    for (;;) {
      const [next] = [...this.#timers].filter(({ atMs }) => atMs <= endMs).sort((a, b) => a.atMs - b.atMs);
      if (next === undefined) break;
      this.#timers.delete(next);
      this.#nowMs = next.atMs;
      next.action();
    }
    this.#nowMs = endMs;
  }
}
