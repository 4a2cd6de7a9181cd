/** Time as offers need it: what it is, and being woken. Tests put a clock of their own in its place. */

export interface Clock {
  /** UNIX milliseconds. */
  nowMs(): number;
  /** Calls back once, after `ms`; the returned function prevents it. */
  after(ms: number, action: () => void): () => void;
}

export const realClock: Clock = {
  nowMs: () => Date.now(),
  after(ms, action) {
    const timer = setTimeout(action, ms);
    return () => clearTimeout(timer);
  },
};

/** The clock in whole seconds, as BOLT 12 counts. */
export function secondsOf(clock: Clock): bigint {
  return BigInt(Math.floor(clock.nowMs() / 1000));
}
