/** Several nodes of ours as one source of money, as routing needs them. */
import type { NodeId } from './node-id.ts';
import type { ShortChannelId } from './short-channel-id.ts';

/** What a purse knows of one of its nodes. */
export interface PurseMember {
  readonly nodeId: NodeId;
  /** Number among all nodes that the purse ever had. The made channel has its id from it. */
  readonly number: number;
  /** What the node may spend now: 0 while it may not pay. */
  readonly spendableMsat: bigint;
  /** Largest single part. */
  readonly largestPartMsat: bigint;
  /** Cost of spending from this node beside the others, in parts per million of the amount; never negative. */
  readonly pricePpm: number;
}

/** A channel of one of our nodes. */
export interface PurseChannel {
  readonly ownNodeId: NodeId;
  readonly peerId: NodeId;
  readonly shortChannelId: ShortChannelId;
}
