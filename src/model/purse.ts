/** Several nodes of ours as one source of money, as routing needs them. */
import type { NodeId } from './node-id.ts';
import type { ShortChannelId } from './short-channel-id.ts';

/**
 * The node at which searches over several nodes begin. It is the same for every purse, so that daemons which share one
 * agree on the channels made for it. The point is on the curve with x = 1, and no one knows its key.
 */
export const PURSE_ID = `02${'1'.padStart(64, '0')}` as NodeId;

/** Node numbers are below this: they are the place of a transaction in a block (24 bits). */
const NUMBERS = 2 ** 24;

/**
 * A number for each of our nodes. It follows from the ids alone, so all daemons of a purse have the same ones. Of two nodes
 * whose ids end alike, the one with the higher id gets the next free number.
 */
export function nodeNumbers(nodeIds: readonly NodeId[]): ReadonlyMap<NodeId, number> {
  const numbers = new Map<NodeId, number>();
  const taken = new Set<number>();
  for (const nodeId of [...nodeIds].sort()) {
    let number = Number.parseInt(nodeId.slice(-6), 16);
    while (taken.has(number)) number = (number + 1) % NUMBERS;
    taken.add(number);
    numbers.set(nodeId, number);
  }
  return numbers;
}

/** What a purse knows of one of its nodes. */
export interface PurseMember {
  readonly nodeId: NodeId;
  /** Its number (`nodeNumbers`). The made channel has its id from it. */
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
