/**
 * The name of a graph: a hash of everything in it that affects answers, in graph order. Equal hashes mean equal
 * answers, regardless of the machine and source. (Indexes decide between routes of equal cost, so the order matters.)
 * 50,000 channels are 4 MB, and hashing them takes about 5 ms.
 */
import { createHash } from 'node:crypto';
import type { ChannelGraph } from '../model/channel-graph.ts';
import { NODE_ID_BYTES } from '../model/node-id.ts';

/** SHA-256 of the graph, in hex. O(nodes + channels). */
export function graphHash(graph: ChannelGraph): string {
  const { nodeCount, channelCount } = graph;
  const hash = createHash('sha256');
  hash.update(`${nodeCount} ${channelCount}`);
  hash.update(graph.nodeIds.subarray(0, nodeCount * NODE_ID_BYTES));
  const add = (column: Uint8Array | Uint16Array | Uint32Array | BigUint64Array, length: number): void => {
    hash.update(new Uint8Array(column.buffer, column.byteOffset, length * column.BYTES_PER_ELEMENT));
  };
  for (const column of [graph.shortChannelIds, graph.capacityMsat, graph.node1, graph.node2]) {
    add(column, channelCount);
  }
  const { policyFlags, htlcMinimumMsat, htlcMaximumMsat, feeBaseMsat } = graph;
  const { feeProportionalMillionths, cltvExpiryDelta } = graph;
  for (const column of [policyFlags, htlcMinimumMsat, htlcMaximumMsat, feeBaseMsat])
    add(column, 2 * channelCount);
  for (const column of [feeProportionalMillionths, cltvExpiryDelta]) add(column, 2 * channelCount);
  return hash.digest('hex');
}
