/** Timeouts and intervals for a node in another process, in milliseconds. */

/** Limits on every wait for the node, except on an HTLC's lifetime. */
export interface NodeTiming {
  /** For an ordinary answer. */
  readonly callMs: number;
  /** Between two queries of the node's state (pulses), for changes without an event. */
  readonly pulseMs: number;
  /** Between two queries while the node cannot pay. It does not report by itself when it can again. */
  readonly troubledMs: number;
  /** A node that does not answer for this long counts as unreachable, until its next answer. */
  readonly silenceMs: number;
  /** Pause after the first failed attempt to connect. Later pauses grow up to the last. */
  readonly firstRetryMs: number;
  readonly lastRetryMs: number;
  /** How long a payment's HTLC waits for a restarting node before it is refused. */
  readonly returnMs: number;
  /** How long a route search waits for a listing of our channels. */
  readonly refreshMs: number;
  /** How long a payment waits, after a new connection to the node, for its peers to reconnect. */
  readonly peersMs: number;
  /** Requests of a lost connection are executed within this time after a new connection opens. */
  readonly fenceMs: number;
  /** Changes of channels within this time are combined into one report. */
  readonly coalesceMs: number;
  /** Pause after the first check of an HTLC in an uncertain state. Later pauses grow up to the last. */
  readonly firstDoubtMs: number;
  readonly lastDoubtMs: number;
}
