/**
 * What a simulated network is built from: the public graph as plain columns, without methods, so that it can
 * be handed to a worker thread as it is.
 */
import { FEATURE, hasFeature } from '../../bolt/features.ts';
import type { ChannelGraph } from '../../model/channel-graph.ts';
import { NODE_ID_BYTES } from '../../model/node-id.ts';

/** Bits of `nodeFeatures`. A node without an announcement has none of them. */
export const ANNOUNCED = 1;

/** This bit says that the node announces keysend. */
export const ANNOUNCED_KEYSEND = 2;

/** This bit says that the node announces payments of several parts. */
export const ANNOUNCED_MULTI_PART = 4;

/** This bit says that the node announces attribution data. */
export const ANNOUNCED_ATTRIBUTION = 8;

/** Columns by node, by channel, and by direction index (2 * channel + direction). */
export interface NetworkMap {
  readonly nodeCount: number;
  /** Node ids of 33 bytes each, one after the other. */
  readonly nodeIds: Uint8Array;
  readonly nodeFeatures: Uint8Array;
  readonly channelCount: number;
  readonly shortChannelIds: BigUint64Array;
  readonly capacityMsat: BigUint64Array;
  readonly node1: Uint32Array;
  readonly node2: Uint32Array;
  /** The flags `POLICY_KNOWN` and `POLICY_ENABLED` of the graph. */
  readonly policyFlags: Uint8Array;
  readonly htlcMinimumMsat: BigUint64Array;
  readonly htlcMaximumMsat: BigUint64Array;
  readonly feeBaseMsat: Uint32Array;
  readonly feeProportionalMillionths: Uint32Array;
  readonly cltvExpiryDelta: Uint16Array;
  readonly policyTimestamp: Uint32Array;
}

/** A copy of the graph as it is now. */
export function networkMapOf(graph: ChannelGraph): NetworkMap {
  const { nodeCount, channelCount } = graph;
  const nodeFeatures = new Uint8Array(nodeCount);
  for (const [node, { features }] of graph.announcements) {
    nodeFeatures[node] =
      ANNOUNCED |
      (hasFeature(features, FEATURE.keysend) ? ANNOUNCED_KEYSEND : 0) |
      (hasFeature(features, FEATURE.basic_mpp) ? ANNOUNCED_MULTI_PART : 0) |
      (hasFeature(features, FEATURE.option_attribution_data) ? ANNOUNCED_ATTRIBUTION : 0);
  }
  const directionCount = 2 * channelCount;
  return {
    nodeCount,
    nodeIds: graph.nodeIds.slice(0, nodeCount * NODE_ID_BYTES),
    nodeFeatures,
    channelCount,
    shortChannelIds: graph.shortChannelIds.slice(0, channelCount),
    capacityMsat: graph.capacityMsat.slice(0, channelCount),
    node1: graph.node1.slice(0, channelCount),
    node2: graph.node2.slice(0, channelCount),
    policyFlags: graph.policyFlags.slice(0, directionCount),
    htlcMinimumMsat: graph.htlcMinimumMsat.slice(0, directionCount),
    htlcMaximumMsat: graph.htlcMaximumMsat.slice(0, directionCount),
    feeBaseMsat: graph.feeBaseMsat.slice(0, directionCount),
    feeProportionalMillionths: graph.feeProportionalMillionths.slice(0, directionCount),
    cltvExpiryDelta: graph.cltvExpiryDelta.slice(0, directionCount),
    policyTimestamp: graph.policyTimestamp.slice(0, directionCount),
  };
}

/** The lowest height that fits the graph: the block of its youngest channel. */
export function youngestBlock(map: NetworkMap): number {
  let youngest = 0n;
  for (const scid of map.shortChannelIds) if (scid > youngest) youngest = scid;
  return Number(youngest >> 40n);
}
