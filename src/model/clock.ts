/** The time of day, and timers: real ones in the daemon, virtual ones in simulations and tests. */

/** A source of time and timers, which simulations and tests can replace with a virtual one. */
export interface Clock {
  /** UNIX milliseconds. */
  nowMs(): number;
  /** Calls back once, after `ms`. The returned function cancels it. */
  after(ms: number, action: () => void): () => void;
}

/** Maximum duration of a timer in Node: 2^31 - 1 ms, or 24.8 days. A longer timer would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** The machine's clock. Timers longer than Node's maximum are shortened to it. */
export const realClock: Clock = {
  nowMs: () => Date.now(),
  after(ms, action) {
    const timer = setTimeout(action, Math.min(ms, MAX_TIMER_MS));
    return () => clearTimeout(timer);
  },
};

/** The time of a clock in whole UNIX seconds, as used in BOLT 12. */
export function secondsOf(clock: Clock): bigint {
  return BigInt(Math.floor(clock.nowMs() / 1000));
}
