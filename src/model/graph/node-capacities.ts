/**
 * The capacity of each node, which is the sum over its channels. These are floating-point weights for draws and ranks,
 * not amounts.
 */
import type { ChannelGraph } from '../channel-graph.ts';

/** The members of the graph that are read. */
type Capacities = Pick<ChannelGraph, 'nodeCount' | 'channelCount' | 'node1' | 'node2' | 'capacityMsat'>;

/** The capacity of each node by its index, in msat. */
export function nodeCapacities(graph: Capacities): Float64Array {
  const sums = new Float64Array(graph.nodeCount);
  for (let channel = 0; channel < graph.channelCount; channel++) {
    const capacity = Number(graph.capacityMsat[channel]!);
    sums[graph.node1[channel]!]! += capacity;
    sums[graph.node2[channel]!]! += capacity;
  }
  return sums;
}

/** The nodes with the largest capacity. Ties go to the smaller index. */
export function largestNodes(graph: Capacities, count: number): Set<number> {
  const sums = nodeCapacities(graph);
  const order = [...sums.keys()].sort((a, b) => sums[b]! - sums[a]! || a - b);
  return new Set(order.slice(0, count));
}
