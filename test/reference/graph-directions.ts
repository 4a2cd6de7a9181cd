/**
 * The directions of a channel graph one by one, for the referee, with bounds 0 and the capacity, as without
 * layers.
 */
import { type ChannelGraph, POLICY_ENABLED, POLICY_KNOWN } from '../../src/model/channel-graph.ts';
import { type Direction, parseShortChannelIdDir } from '../../src/model/short-channel-id.ts';
import type { DirectionLookup, PlainDirection } from './direction.ts';

function plainDirection(
  graph: ChannelGraph,
  channel: number,
  direction: Direction,
  name: string,
): PlainDirection {
  const directionIndex = channel * 2 + direction;
  const ends = [graph.node1[channel]!, graph.node2[channel]!];
  return {
    name,
    source: graph.nodeId(ends[direction]!),
    destination: graph.nodeId(ends[1 - direction]!),
    enabled: (graph.policyFlags[directionIndex]! & POLICY_ENABLED) !== 0,
    htlcMinimumMsat: graph.htlcMinimumMsat[directionIndex]!,
    htlcMaximumMsat: graph.htlcMaximumMsat[directionIndex]!,
    feeBaseMsat: BigInt(graph.feeBaseMsat[directionIndex]!),
    feeProportionalMillionths: BigInt(graph.feeProportionalMillionths[directionIndex]!),
    cltvExpiryDelta: graph.cltvExpiryDelta[directionIndex]!,
    minimumMsat: 0n,
    maximumMsat: graph.capacityMsat[channel]!,
  };
}

/** Looks up directions in the current graph at the time of each call. */
export function directionsOf(graph: ChannelGraph): DirectionLookup {
  return (name) => {
    const dir = parseShortChannelIdDir(name);
    const channel = dir === undefined ? -1 : graph.channelIndex(dir.shortChannelId);
    if (dir === undefined || channel === -1) return undefined;
    const known = graph.policyFlags[channel * 2 + dir.direction]! & POLICY_KNOWN;
    return known === 0 ? undefined : plainDirection(graph, channel, dir.direction, name);
  };
}
