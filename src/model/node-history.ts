/** What a node's own payments and forwards showed of the network, apart from those that we made through it. */
import type { Msat } from './msat.ts';
import type { NodeId } from './node-id.ts';
import type { Direction, ShortChannelId } from './short-channel-id.ts';

/** A direction did not carry an amount: it carries no more than `maximumMsat`. UNIX seconds. */
export interface SeenLimit {
  readonly shortChannelId: ShortChannelId;
  readonly direction: Direction;
  readonly maximumMsat: Msat;
  readonly timestamp: number;
}

/** Whether a node answered, and when, UNIX seconds. */
export interface SeenAnswer {
  readonly node: NodeId;
  readonly hasAnswered: boolean;
  readonly timestamp: number;
}

/** All of it, in no particular order. */
export interface NodeHistory {
  readonly limits: readonly SeenLimit[];
  readonly answers: readonly SeenAnswer[];
  /** What the node's `xpay` learned: the records of its layer, as askrene stores them. Empty where there is none. */
  readonly xpayRecords: Uint8Array;
}
