/**
 * Knowledge about the network from a node's own payments and forwards, excluding payments that we made through the
 * node.
 */
import type { Msat } from './msat.ts';
import type { NodeId } from './node-id.ts';
import type { Direction, ShortChannelId } from './short-channel-id.ts';

/** A direction failed to carry an amount, so it carries at most `maximumMsat`. The timestamp is in UNIX seconds. */
export interface SeenLimit {
  readonly shortChannelId: ShortChannelId;
  readonly direction: Direction;
  readonly maximumMsat: Msat;
  readonly timestamp: number;
}

/** Whether a node answered, and the time of that observation in UNIX seconds. */
export interface SeenAnswer {
  readonly node: NodeId;
  readonly hasAnswered: boolean;
  readonly timestamp: number;
}

/** The complete history, in no particular order. */
export interface NodeHistory {
  readonly limits: readonly SeenLimit[];
  readonly answers: readonly SeenAnswer[];
  /** The records of the node's layer `xpay`, as askrene stores them. Empty if there are none. */
  readonly xpayRecords: Uint8Array;
}
