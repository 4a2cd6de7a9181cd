/** Timeouts and intervals for a node in another process, in milliseconds. */

/**
 * Timeouts and intervals. Every wait for the node has a time limit, except waits for events and for the outcome of an
 * HTLC.
 */
export interface NodeTiming {
  /** Timeout of an ordinary call. */
  readonly callMs: number;
  /**
   * Interval between two queries of the node's state (polls). They detect changes for which the node sends no event.
   */
  readonly pollMs: number;
  /** Interval between two queries while the node cannot pay. The node sends no event when it can pay again. */
  readonly troubledMs: number;
  /** A node that has not answered for this long counts as unreachable, until it answers again. */
  readonly silenceMs: number;
  /** Pause before the first attempt to reconnect. Later pauses grow, up to `lastRetryMs`. */
  readonly firstRetryMs: number;
  readonly lastRetryMs: number;
  /**
   * How long an HTLC waits for a restarting node before the HTLC is refused. With LND, also the maximum time for which
   * a failed HTLC that is still on a channel makes a report count as outdated.
   */
  readonly returnMs: number;
  /** How long a route search waits for a listing of our channels. */
  readonly refreshMs: number;
  /** How long a payment waits for the node's peers to reconnect, after our connection to the node has opened. */
  readonly peersMs: number;
  /** Once a new connection has been open for this long, the node executes no more requests of earlier connections. */
  readonly fenceMs: number;
  /** Changes of channels within this time are combined into one report. */
  readonly coalesceMs: number;
  /** Pause after the first check of an HTLC in an uncertain state. Later pauses grow, up to `lastDoubtMs`. */
  readonly firstDoubtMs: number;
  readonly lastDoubtMs: number;
}
