/**
 * Finds the senders that are consistent with what a forwarding node sees: the nodes from which a path leads to the node
 * before the observer. All directions of the path must be able to carry the amount, and the path may need no more
 * blocks than a payment may lock (BOLT 4 recommends 2016). The sender's own first direction needs no blocks.
 *
 * The minimum blocks that an HTLC must have left at each node are computed from the observer backwards, by relaxing
 * directions until nothing improves: O(E) in practice.
 */
import type { PassableGraph } from './passable.ts';
import type { Sighting } from './sighting.ts';

/** Maximum number of blocks for which a payment may lock funds. */
const MAX_BLOCKS = 2016;
/** Fees before the observer are assumed to be at most this share of the amount, plus FEE_BASE_MSAT. */
const FEE_SHARE = 0.05;
const FEE_BASE_MSAT = 50_000;

/**
 * @returns the indexes of all nodes that could be the sender, in ascending order; the node before the observer is
 *   always among them
 */
export function possibleSenders(passable: PassableGraph, sighting: Sighting): number[] {
  const { graph } = passable;
  const least = Number(sighting.incomingMsat);
  const most = Math.ceil(least * (1 + FEE_SHARE)) + FEE_BASE_MSAT;
  const previous = passable.tail(sighting.incoming);
  const closed = [passable.head(sighting.incoming), passable.head(sighting.outgoing)];
  const arriving = new Map([[previous, sighting.incomingBlocks + graph.cltvExpiryDelta[sighting.incoming]!]]);
  const senders = new Set([previous]);
  const queue = [previous];
  for (let at = 0; at < queue.length; at++) {
    const node = queue[at]!;
    const blocks = arriving.get(node)!;
    if (blocks > MAX_BLOCKS) continue;
    for (const channel of graph.channelsOf(node)) {
      const direction = passable.leaving(channel, node) ^ 1;
      const tail = passable.tail(direction);
      if (closed.includes(tail) || !passable.passes(direction, least, most)) continue;
      senders.add(tail);
      const further = blocks + graph.cltvExpiryDelta[direction]!;
      if (further >= (arriving.get(tail) ?? Number.POSITIVE_INFINITY)) continue;
      arriving.set(tail, further);
      queue.push(tail);
    }
  }
  return [...senders].sort((a, b) => a - b);
}
