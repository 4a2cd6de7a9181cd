/** Several of our nodes as one source of money, with what routing needs. */
import type { NodeId } from './node-id.ts';
import type { ShortChannelId } from './short-channel-id.ts';

/**
 * The node at which searches over several nodes begin. It is the same for every purse, so that daemons sharing one
 * agree on its channels. The point is on the curve with x = 1, and its private key is unknown.
 */
export const PURSE_ID = `02${'1'.padStart(64, '0')}` as NodeId;

/** Limit for node numbers: they are used as the transaction index in a block (24 bits). */
const NUMBERS = 2 ** 24;

/**
 * A number for each of our nodes. It depends only on the ids, so all daemons of a purse compute the same numbers. If
 * two ids end alike, the node with the higher id gets the next free number.
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

/** A node of a purse. */
export interface PurseMember {
  readonly nodeId: NodeId;
  /** Its number (`nodeNumbers`), from which the artificial channel gets its id. */
  readonly number: number;
  /** The amount the node can spend now: 0 while it may not pay. */
  readonly spendableMsat: bigint;
  /** Largest single part. */
  readonly largestPartMsat: bigint;
  /** Additional cost of spending from this node, in parts per million of the amount; never negative. */
  readonly pricePpm: number;
}

/** A channel of one of our nodes. */
export interface PurseChannel {
  readonly ownNodeId: NodeId;
  readonly peerId: NodeId;
  readonly shortChannelId: ShortChannelId;
}
