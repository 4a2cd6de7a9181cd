/**
 * Merges several graphs. A channel is included if any of them has it. Of several policies of a direction, or several
 * announcements of a node, the newest counts (BOLT 7, `timestamp`).
 */
import { ChannelGraph } from '../channel-graph.ts';
import { NODE_ID_BYTES } from '../node-id.ts';
import type { Direction } from '../short-channel-id.ts';

const DIRECTIONS: readonly Direction[] = [0, 1];

/**
 * A new graph that merges these, in linear time. If timestamps are equal, the graph that comes first in the list
 * counts, except for inbound discounts.
 */
export function mergedGraph(graphs: readonly ChannelGraph[]): ChannelGraph {
  const merged = new ChannelGraph(
    Math.max(1, ...graphs.map(({ nodeCount }) => nodeCount)),
    Math.max(1, ...graphs.map(({ channelCount }) => channelCount)),
  );
  for (const graph of graphs) add(merged, graph);
  return merged;
}

function add(merged: ChannelGraph, graph: ChannelGraph): void {
  const indexes = new Int32Array(graph.nodeCount).fill(-1);
  const nodeOf = (index: number): number => {
    if (indexes[index]! < 0) indexes[index] = merged.internNode(graph.nodeIds, index * NODE_ID_BYTES);
    return indexes[index]!;
  };
  for (let index = 0; index < graph.channelCount; index++) {
    const scid = graph.shortChannelIds[index]!;
    let channel = merged.channelIndex(scid);
    if (channel < 0) {
      const [node1, node2] = [nodeOf(graph.node1[index]!), nodeOf(graph.node2[index]!)];
      const features = graph.channelFeatures.get(index);
      channel = merged.addChannel(scid, node1, node2, graph.capacityMsat[index]!, features);
    }
    for (const direction of DIRECTIONS) {
      const policy = graph.policy(2 * index + direction);
      if (policy === undefined) continue;
      const known = merged.policy(2 * channel + direction);
      const discount = graph.inboundDiscount(scid, direction);
      if (known === undefined || policy.timestamp > known.timestamp) {
        merged.setPolicy(channel, direction, policy);
        merged.setInboundDiscount(channel, direction, discount);
      } else if (discount !== undefined && policy.timestamp === known.timestamp) {
        // Only some graphs contain inbound discounts, so equal timestamps do not mean equal discounts.
        merged.setInboundDiscount(channel, direction, discount);
      }
    }
  }
  for (const scid of graph.dyingChannels) merged.setDying(merged.channelIndex(scid), graph.spentHeight(scid));
  for (const [index, announcement] of graph.announcements) {
    const node = nodeOf(index);
    const known = merged.announcements.get(node);
    if (known === undefined || announcement.timestamp > known.timestamp)
      merged.setAnnouncement(node, announcement);
  }
}
