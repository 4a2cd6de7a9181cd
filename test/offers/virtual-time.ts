/**
 * A clock for fetches that runs together with a simulation's clock. The earlier of the next timer and the
 * next event comes first.
 */

import type { Clock } from '../../src/model/clock.ts';
import type { Simulation } from '../../src/network/simulated/index.ts';

interface Timer {
  readonly atMs: number;
  readonly action: () => void;
}

export class VirtualTime implements Clock {
  readonly #simulation: Simulation;
  readonly #timers = new Set<Timer>();

  constructor(simulation: Simulation) {
    this.#simulation = simulation;
  }

  nowMs(): number {
    return this.#simulation.nowMs;
  }

  monotonicMs(): number {
    return this.#simulation.nowMs;
  }

  after(ms: number, action: () => void): () => void {
    const timer = { atMs: this.nowMs() + ms, action };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  /** Lets time pass until the promise has settled, and settles in the same way. */
  async run<T>(promise: Promise<T>): Promise<T> {
    let isOver = false;
    const end = (): void => {
      isOver = true;
    };
    promise.then(end, end);
    while (!isOver) {
      // All effects of the last event happen before time advances.
      await new Promise((resolve) => setImmediate(resolve));
      if (!isOver) this.#next();
    }
    return promise;
  }

  #next(): void {
    const first = [...this.#timers].sort((a, b) => a.atMs - b.atMs)[0];
    if (first !== undefined && first.atMs <= this.#simulation.nextEventAtMs) {
      this.#simulation.advanceTo(first.atMs);
      this.#timers.delete(first);
      first.action();
    } else this.#simulation.step();
  }
}
