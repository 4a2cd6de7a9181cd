/**
 * The time of day, durations and timers: real ones in the daemon, virtual ones in simulations and tests.
 *
 * Store and show the time of day, but measure durations with the monotonic clock: the time of day jumps when the clock of
 * the system is set, and a wait measured by it would end early or late.
 */

/** A source of time and timers, which simulations and tests can replace with a virtual one. */
export interface Clock {
  /** UNIX milliseconds. */
  nowMs(): number;
  /**
   * Whole milliseconds by a clock that is never set. Only differences have a meaning. The clock stands still while the
   * machine is suspended.
   */
  monotonicMs(): number;
  /** Calls back once, after `ms`. The returned function cancels it. */
  after(ms: number, action: () => void): () => void;
}

/** Maximum duration of a timer in Node: 2^31 - 1 ms, or 24.8 days. A longer timer would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** The machine's clock. Timers longer than Node's maximum are shortened to it. */
export const realClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => Math.floor(performance.now()),
  after(ms, action) {
    const timer = setTimeout(action, Math.min(ms, MAX_TIMER_MS));
    return () => clearTimeout(timer);
  },
};

/**
 * Milliseconds by a clock that is never set and that all threads of the machine share. `performance.now()` counts from
 * the start of its thread instead.
 */
export function machineMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return 1000 * seconds + nanoseconds / 1e6;
}

/** A moment by both clocks: the UNIX time to store and show, and the monotonic time to measure from. In milliseconds. */
export interface Moment {
  readonly unixMs: number;
  readonly monotonicMs: number;
}

/** The present moment. */
export const momentOf = (clock: Pick<Clock, 'nowMs' | 'monotonicMs'>): Moment => ({
  unixMs: clock.nowMs(),
  monotonicMs: clock.monotonicMs(),
});

/**
 * The monotonic time of a stored UNIX time, such as one from an earlier process. A time in the future counts as the
 * present, because the clock was set back since.
 */
export const monotonicTimeOf = (clock: Pick<Clock, 'nowMs' | 'monotonicMs'>, unixMs: number): number =>
  clock.monotonicMs() - Math.max(0, clock.nowMs() - unixMs);

/** The time of a clock in whole UNIX seconds, as used in BOLT 12. */
export function secondsOf(clock: Clock): bigint {
  return BigInt(Math.floor(clock.nowMs() / 1000));
}
