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
