/**
 * The network that most tests use: our node and a line of three. All channels have a million sat. Our whole channel
 * is on our side; the others are evenly divided.
 *
 *     we ---- A ---- B ---- C           fees 1000 msat + 100 ppm, delay 40 blocks, in both directions
 */
import { curve } from '../../../src/bolt/crypto/curve.ts';
import { snapshotNodePrivateKey } from '../../../src/gossip/node-keys.ts';
import { ChannelGraph } from '../../../src/model/channel-graph.ts';
import { type Msat, msat, msatFromSat } from '../../../src/model/msat.ts';
import { type NodeId, nodeIdFromBytes } from '../../../src/model/node-id.ts';
import { type ShortChannelId, shortChannelId } from '../../../src/model/short-channel-id.ts';
import { networkMapOf, Simulation, type SimulationOptions } from '../../../src/network/simulated/index.ts';
import { TestPort } from './htlc-client.ts';
import type { RouteHop } from './payer.ts';

export const CAPACITY = msatFromSat(1_000_000);
export const START_HEIGHT = 800_000;
export const OWN_ID = nodeIdFromBytes(curve.publicKey(new Uint8Array(32).fill(9)));
export const NODES = [0, 1, 2].map((i) => nodeIdFromBytes(curve.publicKey(snapshotNodePrivateKey(i))));
export const [A, B, C] = NODES as [NodeId, NodeId, NodeId];
export const AB = shortChannelId(700_000, 1, 0);
export const BC = shortChannelId(700_000, 2, 0);

export const POLICY = {
  enabled: true,
  htlcMinimumMsat: msat(1000),
  htlcMaximumMsat: CAPACITY,
  feeBaseMsat: 1000,
  feeProportionalMillionths: 100,
  cltvExpiryDelta: 40,
};

/** The direction of a channel in which `from` sends. */
export function directionFrom(from: NodeId, to: NodeId): 0 | 1 {
  return from < to ? 0 : 1;
}

export const A_TO_B = { shortChannelId: AB, direction: directionFrom(A, B) };
export const B_TO_C = { shortChannelId: BC, direction: directionFrom(B, C) };

export function lineGraph(): ChannelGraph {
  const graph = new ChannelGraph();
  for (const id of NODES) graph.internNode(new Uint8Array(Buffer.from(id, 'hex')));
  for (const [scid, a, b] of [
    [AB, 0, 1],
    [BC, 1, 2],
  ] as const) {
    const [low, high] = directionFrom(NODES[a] as NodeId, NODES[b] as NodeId) === 0 ? [a, b] : [b, a];
    const channel = graph.addChannel(scid, low, high, CAPACITY);
    graph.setPolicy(channel, 0, POLICY);
    graph.setPolicy(channel, 1, POLICY);
  }
  return graph;
}

export interface Line {
  readonly simulation: Simulation;
  readonly port: TestPort;
  /** Our channel to A. */
  readonly ours: ShortChannelId;
}

/** The line without a port, and the id of our channel to A. */
export function lineSimulation(options: Partial<SimulationOptions> = {}): Omit<Line, 'port'> {
  const simulation = new Simulation(networkMapOf(lineGraph()), {
    ownNodeId: OWN_ID,
    startHeight: START_HEIGHT,
    ownChannels: [{ peerId: A, capacityMsat: CAPACITY, localMsat: CAPACITY }],
    ...options,
  });
  simulation.setBalance({ shortChannelId: AB, direction: 0 }, CAPACITY / 2n);
  simulation.setBalance({ shortChannelId: BC, direction: 0 }, CAPACITY / 2n);
  const ours = simulation.ownChannels().channels[0]?.shortChannelId as ShortChannelId;
  return { simulation, ours };
}

export function line(options: Partial<SimulationOptions> = {}): Line {
  const { simulation, ours } = lineSimulation(options);
  return { simulation, port: new TestPort(simulation), ours };
}

/** The fee of any direction of the line for an amount. */
export function fee(amount: bigint): bigint {
  return 1000n + (amount * 100n) / 1_000_000n;
}

/** The route to A, B or C with exact fees and delays. The last HTLC expires `finalDelta` blocks from now. */
export function routeTo(
  { ours, simulation }: Line,
  target: NodeId,
  amount: Msat | bigint,
  finalDelta = 42,
): RouteHop[] {
  const scids = [ours, AB, BC].slice(0, NODES.indexOf(target) + 1);
  const route: RouteHop[] = [];
  let [amountMsat, cltvExpiry] = [BigInt(amount), simulation.height + finalDelta];
  for (let hop = scids.length - 1; hop >= 0; hop--) {
    route.unshift({
      nodeId: NODES[hop] as NodeId,
      shortChannelId: scids[hop] as ShortChannelId,
      amountMsat,
      cltvExpiry,
    });
    amountMsat += fee(amountMsat);
    cltvExpiry += 40;
  }
  return route;
}
