/** A clock that a test moves. Timers fire in the order of their times. */
import type { Clock } from '../../src/model/clock.ts';

export class ManualClock implements Clock {
  #nowMs: number;
  readonly #timers = new Set<{ readonly atMs: number; readonly action: () => void }>();

  constructor(nowMs = 0) {
    this.#nowMs = nowMs;
  }

  /** Number of active timers. */
  get timers(): number {
    return this.#timers.size;
  }

  nowMs(): number {
    return this.#nowMs;
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
