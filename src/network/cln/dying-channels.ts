/**
 * Our own channels whose funding is spent. Other nodes may use such a channel for some more blocks, since the spend may
 * be a splice, and they cannot know its new channel yet. The two nodes of the channel know what the spend is, so they
 * do not use the old channel. Core Lightning's askrene does the same.
 */
import type { ChannelGraph } from '../../model/channel-graph.ts';
import type { NodeId } from '../../model/node-id.ts';
import type { Direction } from '../../model/short-channel-id.ts';

const DIRECTIONS: readonly Direction[] = [0, 1];

/** Disables both directions of the dying channels of a node. A later channel_update enables them again. */
export function disableDying(graph: ChannelGraph, nodeId: NodeId): void {
  const node = graph.nodeIndex(nodeId);
  if (node < 0) return;
  for (const shortChannelId of graph.dyingChannels) {
    const channel = graph.channelIndex(shortChannelId);
    if (graph.node1[channel] !== node && graph.node2[channel] !== node) continue;
    for (const direction of DIRECTIONS) {
      const policy = graph.policy(channel * 2 + direction);
      if (policy?.enabled === true) graph.setPolicy(channel, direction, { ...policy, enabled: false });
    }
  }
}
