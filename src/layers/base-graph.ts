/** Adapts the channel graph to the interface that combine.ts reads. */
import type { ChannelGraph } from '../model/channel-graph.ts';
import type { Policy } from '../model/policy.ts';
import type { BaseGraph } from './combine.ts';

/** A view of the graph, which always shows the current state of the graph. */
export function baseGraphOf(graph: ChannelGraph): BaseGraph {
  const policyOf = (direction: number): Policy<bigint> | undefined => {
    const policy = graph.policy(direction);
    return policy && { ...policy, feeBaseMsat: BigInt(policy.feeBaseMsat) };
  };
  return {
    channel(shortChannelId) {
      const channel = graph.channelIndex(shortChannelId);
      if (channel < 0) return undefined;
      return {
        node1: graph.nodeId(graph.node1[channel]!),
        node2: graph.nodeId(graph.node2[channel]!),
        capacityMsat: graph.capacityMsat[channel]!,
        policies: [policyOf(2 * channel), policyOf(2 * channel + 1)],
      };
    },
  };
}
