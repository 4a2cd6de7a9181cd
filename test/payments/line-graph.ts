/**
 * Three nodes in a row behind one of our channels, as in the recorded conversations:
 *
 *     us ──5,000,000 sat── L2 ──104x1x0, 1,000,000 sat── L3 ──105x1x0, 1,000,000 sat── L4
 *
 * Every direction asks for 1 msat + 10 ppm and 6 blocks. L2 has 590,000 sat towards L3.
 */
import { curve } from '../../src/bolt/crypto/curve.ts';
import { snapshotNodePrivateKey } from '../../src/gossip/node-keys.ts';
import { ChannelGraph } from '../../src/model/channel-graph.ts';
import { msatFromSat } from '../../src/model/msat.ts';
import { type NodeId, nodeIdFromBytes, nodeIdToBytes } from '../../src/model/node-id.ts';
import { type ShortChannelId, shortChannelId } from '../../src/model/short-channel-id.ts';
import { type NodeOptions, SimulatedNode } from './simulation/simulated-node.ts';

const NODES = [0, 1, 2].map((index) => nodeIdFromBytes(curve.publicKey(snapshotNodePrivateKey(index))));
export const [L2, L3, L4] = NODES as [NodeId, NodeId, NodeId];
export const L2_L3 = shortChannelId(104, 1, 0);
export const L3_L4 = shortChannelId(105, 1, 0);
const CAPACITY = msatFromSat(1_000_000);
export const TERMS = {
  enabled: true,
  htlcMinimumMsat: 0n,
  htlcMaximumMsat: 990_000_000n,
  feeBaseMsat: 1,
  feeProportionalMillionths: 10,
  cltvExpiryDelta: 6,
};

export function lineGraph(): ChannelGraph {
  const graph = new ChannelGraph();
  const index = new Map(NODES.map((id) => [id, graph.internNode(nodeIdToBytes(id))]));
  const connect = (a: NodeId, b: NodeId, scid: ShortChannelId): void => {
    const [node1, node2] = a < b ? [a, b] : [b, a];
    const channel = graph.addChannel(scid, index.get(node1)!, index.get(node2)!, CAPACITY);
    for (const direction of [0, 1] as const) graph.setPolicy(channel, direction, TERMS as never);
  };
  connect(L2, L3, L2_L3);
  connect(L3, L4, L3_L4);
  return graph;
}

/** The direction of a channel in which `from` is the source. */
export const leaving = (from: NodeId, to: NodeId, of: ShortChannelId) => ({
  shortChannelId: of,
  direction: from < to ? (0 as const) : (1 as const),
});

export function lineNode(options: NodeOptions = {}): SimulatedNode {
  const capacityMsat = msatFromSat(5_000_000);
  const node = new SimulatedNode({
    graph: lineGraph(),
    ...options,
    simulation: {
      ownChannels: [{ peerId: L2, capacityMsat, localMsat: msatFromSat(4_990_000) }],
      startHeight: 1_000,
      ...options.simulation,
    },
  });
  node.simulation.setBalance({ shortChannelId: L2_L3, direction: 0 }, towards(L2, L3, 590_000n));
  node.simulation.setBalance({ shortChannelId: L3_L4, direction: 0 }, towards(L3, L4, 500_000n));
  return node;
}

/** The balance of the source of direction 0, given the balance of `from` towards `to`. */
function towards(from: NodeId, to: NodeId, sat: bigint): bigint {
  const amount = msatFromSat(sat);
  return from < to ? amount : CAPACITY - amount;
}
