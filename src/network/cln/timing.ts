/** How long things may take between us and a Core Lightning node, in milliseconds. */

/** Bounds on every wait for the node, except the life of an HTLC. */
export interface ClnTiming {
  /** For an ordinary answer. */
  readonly callMs: number;
  /** Between two looks at the node's state (pulses), for what it has no event for. */
  readonly pulseMs: number;
  /** Between two looks while the node cannot pay. It never reports on its own that it can again. */
  readonly troubledMs: number;
  /** A node without an answer for this long counts as away. Its next answer ends that. */
  readonly silenceMs: number;
  /** First pause between attempts to connect. Pauses grow to the last. */
  readonly firstRetryMs: number;
  readonly lastRetryMs: number;
  /**
   * How long the HTLC of a payment waits for a node that is restarting before it is refused; and how long a
   * question waits for its answer.
   */
  readonly returnMs: number;
  readonly questionMs: number;
  /** How long a search for routes waits for a look at our channels. */
  readonly refreshMs: number;
  /** After a connection to the node stands, how long a payment waits for the peers of its channels to come back. */
  readonly peersMs: number;
  /** After a new connection stands, requests of a lost one are carried out within this time. */
  readonly fenceMs: number;
  /** Changes of channels within this time make one report. */
  readonly coalesceMs: number;
  /** First pause between looks at an HTLC whose state is uncertain. Pauses grow to the last. */
  readonly firstDoubtMs: number;
  readonly lastDoubtMs: number;
}

/** The times that the daemon uses. Tests shorten them. */
export const DEFAULT_TIMING: ClnTiming = {
  callMs: 30_000,
  pulseMs: 30_000,
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
