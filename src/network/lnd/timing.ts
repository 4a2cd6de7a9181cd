/** Timeouts and intervals for an LND node, in milliseconds. */
import type { NodeTiming } from '../node-timing.ts';

/** Times for an LND node, in milliseconds. */
export interface LndTiming extends NodeTiming {
  /** Timeout for reading the whole graph. */
  readonly graphMs: number;
  /** How long we wait, when connecting, for the server to report that it is fully available. */
  readonly greetMs: number;
  /** How long a set of failed parts waits for another part before its payment is ended in LND. */
  readonly openSetMs: number;
  /** Changes of the graph within this time are published together. */
  readonly publishMs: number;
  /**
   * After this time, the whole graph is read again, because a gap in the stream of changes would go unnoticed: the
   * stream has no sequence numbers.
   */
  readonly graphAgainMs: number;
}

/** The daemon's times. Tests shorten them. */
export const DEFAULT_TIMING: LndTiming = {
  callMs: 30_000,
  graphMs: 120_000,
  greetMs: 10_000,
  pollMs: 10_000,
  troubledMs: 500,
  silenceMs: 10_000,
  firstRetryMs: 200,
  lastRetryMs: 5_000,
  returnMs: 5_000,
  refreshMs: 1_000,
  peersMs: 10_000,
  fenceMs: 5_000,
  coalesceMs: 100,
  firstDoubtMs: 1_000,
  lastDoubtMs: 15_000,
  openSetMs: 5_000,
  publishMs: 1_000,
  graphAgainMs: 24 * 60 * 60 * 1000,
};
