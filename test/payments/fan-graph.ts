/**
 * A recipient that accepts parts, behind three of our peers:
 *
 *          ┌── A ── 500,000 sat ──┐
 *     us ──┼── B ── 500,000 sat ──┼── R          each of our channels has 500,000 sat
 *          └── C ── 500,000 sat ──┘
 */
import { curve } from '../../src/bolt/crypto/curve.ts';
import { FEATURE, featuresOf } from '../../src/bolt/peer/features.ts';
import { snapshotNodePrivateKey } from '../../src/gossip/node-keys.ts';
import { ChannelGraph } from '../../src/model/channel-graph.ts';
import { msatFromSat } from '../../src/model/msat.ts';
import { type NodeId, nodeIdFromBytes, nodeIdToBytes } from '../../src/model/node-id.ts';
import { shortChannelId } from '../../src/model/short-channel-id.ts';
import { TERMS } from './line-graph.ts';
import { SimulatedNode } from './simulation/simulated-node.ts';

const NODES = [0, 1, 2, 3].map((index) => nodeIdFromBytes(curve.publicKey(snapshotNodePrivateKey(index))));
export const [A, B, C, R] = NODES as [NodeId, NodeId, NodeId, NodeId];
const CAPACITY = msatFromSat(1_000_000);
const HALF = msatFromSat(500_000);
const channelOf = (peer: NodeId) => shortChannelId(200 + NODES.indexOf(peer), 1, 0);

function fanGraph(): ChannelGraph {
  const graph = new ChannelGraph();
  const index = new Map(NODES.map((id) => [id, graph.internNode(nodeIdToBytes(id))]));
  for (const peer of [A, B, C]) {
    const [node1, node2] = peer < R ? [peer, R] : [R, peer];
    const channel = graph.addChannel(channelOf(peer), index.get(node1)!, index.get(node2)!, CAPACITY);
    for (const direction of [0, 1] as const) graph.setPolicy(channel, direction, TERMS as never);
  }
  graph.setAnnouncement(index.get(R)!, {
    timestamp: 1,
    alias: new Uint8Array(32),
    color: new Uint8Array(3),
    features: featuresOf([FEATURE.var_onion_optin, FEATURE.payment_secret, FEATURE.basic_mpp]),
    addresses: new Uint8Array(0),
  });
  return graph;
}

/** Sets the balance of a peer towards the recipient. */
export function setTowardsR(node: SimulatedNode, peer: NodeId, sat: bigint): void {
  const amountMsat = msatFromSat(sat);
  const ofFirst = peer < R ? amountMsat : CAPACITY - amountMsat;
  node.simulation.setBalance({ shortChannelId: channelOf(peer), direction: 0 }, ofFirst);
}

/** Our node, with three peers in front of the recipient. */
export function fanNode(): SimulatedNode {
  const node = new SimulatedNode({
    graph: fanGraph(),
    simulation: {
      ownChannels: [A, B, C].map((peerId) => ({ peerId, capacityMsat: CAPACITY, localMsat: HALF })),
      startHeight: 1_000,
    },
  });
  for (const peer of [A, B, C]) setTowardsR(node, peer, 500_000n);
  node.simulation.setTrait(R, 'takesKeysend', true);
  return node;
}
