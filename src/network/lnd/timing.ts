/** Timeouts and intervals for an LND node, in milliseconds. */

/** Limits on every wait for the node, except on an HTLC's lifetime. */
export interface LndTiming {
  /** For an ordinary answer, and for the whole graph. */
  readonly callMs: number;
  readonly graphMs: number;
  /** For the first response of a server that we connect to. */
  readonly greetMs: number;
  /** Between two queries of the node's state (pulses), also while it cannot pay. */
  readonly pulseMs: number;
  readonly troubledMs: number;
  /** A node that does not answer for this long counts as unreachable, until its next answer. */
  readonly silenceMs: number;
  /** First pause between attempts to connect. Pauses grow to the last. */
  readonly firstRetryMs: number;
  readonly lastRetryMs: number;
  /** How long an HTLC waits for a restarting node before it is refused. */
  readonly returnMs: number;
  /** How long a route search waits for a listing of our channels. */
  readonly refreshMs: number;
  /** How long a payment waits, after a new connection, for the peers of our channels to reconnect. */
  readonly peersMs: number;
  /** A live server has executed every request of an earlier connection within this time. */
  readonly fenceMs: number;
  /** Changes of channels within this time are combined into one report. */
  readonly coalesceMs: number;
  /** First pause between checks of an HTLC in an uncertain state. Pauses grow to the last. */
  readonly firstDoubtMs: number;
  readonly lastDoubtMs: number;
  /** How long a set of failed parts waits for another part before its payment is ended in LND. */
  readonly openSetMs: number;
  /** Changes of the graph within this time are published together. */
  readonly publishMs: number;
  /**
   * The whole graph is read again after this time, because its stream has no sequence numbers that would show a gap.
   */
  readonly graphAgainMs: number;
}

/** The daemon's times. Tests shorten them. */
export const DEFAULT_TIMING: LndTiming = {
  callMs: 30_000,
  graphMs: 120_000,
  greetMs: 10_000,
  pulseMs: 10_000,
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
