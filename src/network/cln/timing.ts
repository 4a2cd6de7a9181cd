/** How long things may take between us and a Core Lightning node; milliseconds. */

/** Every wait for the node but the life of an HTLC. */
export interface ClnTiming {
  /** For an ordinary answer. */
  readonly callMs: number;
  /** Between two looks at the node's state, for what it has no event for. */
  readonly pulseMs: number;
  /** Without an answer for so long, the node counts as away; its answer brings it back. */
  readonly silenceMs: number;
  /** Between attempts to connect: at first, and at most. */
  readonly firstRetryMs: number;
  readonly lastRetryMs: number;
  /** How long a payment's HTLC waits for a node that is restarting before it is refused, and a question for an answer. */
  readonly returnMs: number;
  readonly questionMs: number;
  /** A lost connection's requests are carried out within this time after a new one stands. */
  readonly fenceMs: number;
  /** Changes of channels within this time make one report. */
  readonly coalesceMs: number;
  /** Between looks at an HTLC that nothing certain is known of: at first, and at most. */
  readonly firstDoubtMs: number;
  readonly lastDoubtMs: number;
}

/** What the daemon uses; tests shorten it. */
export const DEFAULT_TIMING: ClnTiming = {
  callMs: 30_000,
  pulseMs: 30_000,
  silenceMs: 10_000,
  firstRetryMs: 100,
  lastRetryMs: 5_000,
  returnMs: 5_000,
  questionMs: 30_000,
  fenceMs: 1_000,
  coalesceMs: 50,
  firstDoubtMs: 1_000,
  lastDoubtMs: 60_000,
};
