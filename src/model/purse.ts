/** A purse: several of our nodes that pay together, with the facts that routing needs. */
import type { NodeId } from './node-id.ts';
import type { ShortChannelId } from './short-channel-id.ts';

/**
 * The artificial node at which searches over several nodes begin. It is the same for every purse, so that daemons
 * sharing a purse agree on its channels. It is a point of the curve, with x = 1 and even y. Its private key is unknown.
 */
export const PURSE_ID = `02${'1'.padStart(64, '0')}` as NodeId;

/** Node numbers are below this limit, because they serve as transaction indexes in short channel ids (24 bits). */
const NUMBERS = 2 ** 24;

/**
 * A number for each of our nodes. It depends only on the ids, so all daemons of a purse compute the same numbers. If
 * two ids have the same last 24 bits, the node with the higher id gets the next free number.
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
  /** The node's number (`nodeNumbers`), from which the id of its artificial channel is made. */
  readonly number: number;
  /** The amount that the node can spend now. 0 while it may not pay. */
  readonly spendableMsat: bigint;
  /** Maximum amount of a single part. */
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
