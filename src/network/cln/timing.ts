/** Timeouts and intervals for a Core Lightning node, in milliseconds. */
import type { NodeTiming } from '../node-timing.ts';

/** Times for a Core Lightning node, in milliseconds. */
export interface ClnTiming extends NodeTiming {
  /** How long a query of an HTLC's state waits for a restarting node. */
  readonly questionMs: number;
}

/** The daemon's times. Tests shorten them. */
export const DEFAULT_TIMING: ClnTiming = {
  callMs: 30_000,
  pollMs: 30_000,
  troubledMs: 500,
  silenceMs: 10_000,
  firstRetryMs: 100,
  lastRetryMs: 5_000,
  returnMs: 5_000,
  questionMs: 30_000,
  refreshMs: 1_000,
  peersMs: 10_000,
  fenceMs: 1_000,
  coalesceMs: 50,
  firstDoubtMs: 1_000,
  lastDoubtMs: 15_000,
};
