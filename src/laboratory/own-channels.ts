/**
 * The channels of a simulated node as the node itself sees them: with its own balances, and the gossiped policies of
 * both sides.
 */
import type { ChannelGraph } from '../model/channel-graph.ts';
import { msat } from '../model/msat.ts';
import type { OwnChannel } from '../model/own-channel.ts';
import type { PolicyTerms } from '../model/policy.ts';
import type { ShortChannelId } from '../model/short-channel-id.ts';
import type { NodeIds } from './route-hops.ts';
import type { TrueChannels } from './truth/true-channels.ts';

/**
 * @param isUsable returns whether a direction is usable: enabled, with its peer online. Default: all directions are
 *   usable
 */
export function ownChannelsOf(
  channels: TrueChannels,
  ids: NodeIds,
  node: number,
  isUsable: (direction: number) => boolean = () => true,
): OwnChannel[] {
  const { graph } = channels;
  return Array.from(graph.channelsOf(node), (channel): OwnChannel => {
    const isFirst = graph.node1[channel] === node;
    const leaving = 2 * channel + (isFirst ? 0 : 1);
    const capacityMsat = msat(graph.capacityMsat[channel]!);
    return {
      peerId: ids.of(isFirst ? graph.node2[channel]! : graph.node1[channel]!),
      shortChannelId: graph.shortChannelIds[channel]! as ShortChannelId,
      capacityMsat,
      spendableMsat: msat(channels.spendableMsat(leaving)),
      receivableMsat: msat(channels.spendableMsat(leaving ^ 1)),
      theirMaxInFlightMsat: capacityMsat,
      ourMaxInFlightMsat: capacityMsat,
      usable: isUsable(leaving),
      localPolicy: policyOf(graph, leaving),
      remotePolicy: policyOf(graph, leaving ^ 1),
      openedByUs: isFirst,
      feeratePerKw: 0,
    };
  });
}

function policyOf(graph: ChannelGraph, direction: number): PolicyTerms {
  return {
    htlcMinimumMsat: msat(graph.htlcMinimumMsat[direction]!),
    htlcMaximumMsat: msat(graph.htlcMaximumMsat[direction]!),
    cltvExpiryDelta: graph.cltvExpiryDelta[direction]!,
    feeBaseMsat: msat(BigInt(graph.feeBaseMsat[direction]!)),
    feeProportionalMillionths: graph.feeProportionalMillionths[direction]!,
  };
}
