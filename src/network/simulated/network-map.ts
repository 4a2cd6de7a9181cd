/**
 * The input of a simulated network: the public graph as plain columns, without methods, so that it can be passed to a
 * worker thread unchanged. The columns of `networkMapOf` are in shared memory, so passing the map copies nothing. The
 * columns are read-only.
 */
import { FEATURE, hasFeature } from '../../bolt/peer/features.ts';
import { snapshotNodeIds } from '../../gossip/node-keys.ts';
import type { ChannelGraph, Column } from '../../model/channel-graph.ts';
import { NODE_ID_BYTES, type NodeId, nodeIdFromBytes } from '../../model/node-id.ts';

/** Bit of `nodeFeatures`: set if the node has an announcement. Otherwise the bits below are not set either. */
export const ANNOUNCED = 1;

/** Set if the node announces keysend. */
export const ANNOUNCED_KEYSEND = 2;

/** Set if the node announces payments in several parts. */
export const ANNOUNCED_MULTI_PART = 4;

/** Set if the node announces attribution data. */
export const ANNOUNCED_ATTRIBUTION = 8;

/** Columns by node, by channel, and by direction index (2 * channel + direction). */
export interface NetworkMap {
  readonly nodeCount: number;
  /** Node ids of 33 bytes each, concatenated. */
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

/**
 * The current graph.
 * @param isFixed whether the graph never changes. Then columns that are already in shared memory are not copied
 */
export function networkMapOf(graph: ChannelGraph, isFixed = false): NetworkMap {
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
  const shared = <T extends Column>(column: T, length: number): T =>
    isFixed && column.buffer instanceof SharedArrayBuffer
      ? (column.subarray(0, length) as T)
      : sharedCopy(column, length);
  return {
    nodeCount,
    nodeIds: shared(graph.nodeIds, nodeCount * NODE_ID_BYTES),
    nodeFeatures: sharedCopy(nodeFeatures, nodeCount),
    channelCount,
    shortChannelIds: shared(graph.shortChannelIds, channelCount),
    capacityMsat: shared(graph.capacityMsat, channelCount),
    node1: shared(graph.node1, channelCount),
    node2: shared(graph.node2, channelCount),
    policyFlags: shared(graph.policyFlags, directionCount),
    htlcMinimumMsat: shared(graph.htlcMinimumMsat, directionCount),
    htlcMaximumMsat: shared(graph.htlcMaximumMsat, directionCount),
    feeBaseMsat: shared(graph.feeBaseMsat, directionCount),
    feeProportionalMillionths: shared(graph.feeProportionalMillionths, directionCount),
    cltvExpiryDelta: shared(graph.cltvExpiryDelta, directionCount),
    policyTimestamp: shared(graph.policyTimestamp, directionCount),
  };
}

/**
 * The map with additional nodes without channels. Their keys follow the same rule as those of the other nodes
 * (node-keys.ts).
 * @returns the new map, and the ids of the added nodes
 */
export function withAddedNodes(map: NetworkMap, count: number): { map: NetworkMap; added: NodeId[] } {
  if (count === 0) return { map, added: [] };
  const nodeCount = map.nodeCount + count;
  const ids = snapshotNodeIds(nodeCount).subarray(map.nodeCount * NODE_ID_BYTES, nodeCount * NODE_ID_BYTES);
  const nodeIds = new Uint8Array(new SharedArrayBuffer(nodeCount * NODE_ID_BYTES));
  nodeIds.set(map.nodeIds);
  nodeIds.set(ids, map.nodeCount * NODE_ID_BYTES);
  const nodeFeatures = new Uint8Array(new SharedArrayBuffer(nodeCount));
  nodeFeatures.set(map.nodeFeatures);
  const added = Array.from({ length: count }, (_, at) =>
    nodeIdFromBytes(ids.subarray(at * NODE_ID_BYTES, (at + 1) * NODE_ID_BYTES)),
  );
  return { map: { ...map, nodeCount, nodeIds, nodeFeatures }, added };
}

/** A copy of the first `length` values, in shared memory. */
function sharedCopy<T extends Column>(column: T, length: number): T {
  const buffer = new SharedArrayBuffer(length * column.BYTES_PER_ELEMENT);
  const copy = new (column.constructor as new (buffer: SharedArrayBuffer) => T)(buffer);
  copy.set(column.subarray(0, length) as never);
  return copy;
}

/** The minimum height that fits the graph: the block of its youngest channel. */
export function youngestBlock(map: NetworkMap): number {
  const { buffer, byteOffset, length } = map.shortChannelIds;
  // The upper word of an id begins with the block.
  const words = new Uint32Array(buffer, byteOffset, 2 * length);
  let youngest = 0;
  for (let upper = 1; upper < words.length; upper += 2) youngest = Math.max(youngest, words[upper]!);
  return youngest >>> 8;
}
