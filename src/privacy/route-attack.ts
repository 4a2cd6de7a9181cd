/**
 * The second step of the attack of arXiv 2107.10070: the observer assumes that senders take the cheapest route, and
 * keeps only the recipients and senders whose cheapest route crosses exactly the two channels that it saw.
 *
 *     sender … ──▶ previous ──incoming──▶ observer ──outgoing──▶ next … ──▶ recipient
 *
 * Each part of a cheapest route is a cheapest route itself. So in the tree of cheapest routes from the previous node, a
 * recipient must lie beyond both channels. In the tree of cheapest routes to a recipient, a sender must lie before
 * both. Fees are computed for the amount that the observer saw.
 */
import { CheapestTree } from './cheapest-tree.ts';
import type { PassableGraph } from './passable.ts';
import type { Sighting } from './sighting.ts';

/** Maximum number of recipients for which senders are computed. Each recipient needs its own tree. */
const MAX_RECIPIENTS = 8;

/**
 * Candidate recipients whose cheapest route from the previous node crosses both channels and matches the remaining
 * blocks.
 */
export function routedRecipients(
  passable: PassableGraph,
  sighting: Sighting,
  possible: readonly number[],
  finals: readonly number[],
): number[] {
  const { incoming, outgoing } = sighting;
  const tree = new CheapestTree(passable, passable.tail(incoming), 'source', sighting.outgoingMsat);
  const [observer, next] = [passable.head(incoming), passable.head(outgoing)];
  if (tree.link[observer] !== incoming || tree.link[next] !== outgoing) return [];
  const isBeyond = new Uint8Array(passable.graph.nodeCount);
  isBeyond[next] = 1;
  for (const node of tree.order) {
    const parent = tree.parent(node);
    if (parent >= 0 && isBeyond[parent] === 1) isBeyond[node] = 1;
  }
  const left = (node: number): number => sighting.outgoingBlocks - (tree.blocks[node]! - tree.blocks[next]!);
  return possible.filter((node) => isBeyond[node] === 1 && finals.includes(left(node)));
}

/**
 * Nodes whose cheapest route to one of the first `MAX_RECIPIENTS` recipients crosses both channels, in ascending order.
 */
export function routedSenders(
  passable: PassableGraph,
  sighting: Sighting,
  recipients: readonly number[],
): number[] {
  const { incoming, outgoing } = sighting;
  const [previous, observer] = [passable.tail(incoming), passable.head(incoming)];
  const senders = new Set<number>();
  for (const recipient of recipients.slice(0, MAX_RECIPIENTS)) {
    const tree = new CheapestTree(passable, recipient, 'destination', sighting.incomingMsat);
    if (tree.link[previous] !== incoming || tree.link[observer] !== outgoing) continue;
    const isBefore = new Uint8Array(passable.graph.nodeCount);
    isBefore[previous] = 1;
    for (const node of tree.order) {
      const parent = tree.parent(node);
      if (parent >= 0 && isBefore[parent] === 1) isBefore[node] = 1;
      if (isBefore[node] === 1) senders.add(node);
    }
  }
  return [...senders].sort((a, b) => a - b);
}
