/** How long things may take between us and an LND node, in milliseconds. */

/** Bounds on every wait for the node, except the life of an HTLC. */
export interface LndTiming {
  /** For an ordinary answer, and for the whole graph. */
  readonly callMs: number;
  readonly graphMs: number;
  /** For the first sign of life of a server that we connect to. */
  readonly greetMs: number;
  /** Between two looks at the node's state (pulses), and between two while it cannot pay. */
  readonly pulseMs: number;
  readonly troubledMs: number;
  /** A node without an answer for this long counts as away. Its next answer ends that. */
  readonly silenceMs: number;
  /** First pause between attempts to connect. Pauses grow to the last. */
  readonly firstRetryMs: number;
  readonly lastRetryMs: number;
  /** How long an HTLC waits for a node that is restarting before it is refused. */
  readonly returnMs: number;
  /** How long a search for routes waits for a look at our channels. */
  readonly refreshMs: number;
  /** After a connection stands, how long a payment waits for the peers of our channels to come back. */
  readonly peersMs: number;
  /** A server that lives has carried out every request of an earlier connection within this time. */
  readonly fenceMs: number;
  /** Changes of channels within this time make one report. */
  readonly coalesceMs: number;
  /** First pause between looks at an HTLC whose state is uncertain. Pauses grow to the last. */
  readonly firstDoubtMs: number;
  readonly lastDoubtMs: number;
  /** How long a set of failed parts waits for another part before its payment is ended in LND. */
  readonly openSetMs: number;
  /** Changes of the graph within this time are published together. */
  readonly publishMs: number;
  /** The whole graph is read again after this time, because its stream has no numbers that would show a gap. */
  readonly graphAgainMs: number;
}

/** The times that the daemon uses. Tests shorten them. */
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
