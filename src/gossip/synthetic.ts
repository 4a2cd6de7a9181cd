/**
 * Synthetic networks with the main network's shape. For N nodes, the numbers of channels, capacities, fees, delays,
 * HTLC limits and disabled directions follow the distributions of mainnet-shape.ts. The same seed and N give exactly
 * the same network.
 *
 * Node i has the key from node-keys.ts, so a simulated network can act as every node. Node 0 is the largest. Capacities
 * grow with the degree of the smaller of a channel's two nodes. As on the main network, many directions have their
 * node's usual fees, delay and minimum (the shares are `NODE_WIDE`); the others have individual values. All nodes stay
 * reachable in both directions, because only channels that are not needed for that are disabled.
 */
import { FEATURE, featuresOf, optional } from '../bolt/peer/features.ts';
import { type AnnouncedNode, ChannelGraph } from '../model/channel-graph.ts';
import type { Msat } from '../model/msat.ts';
import { NODE_ID_BYTES } from '../model/node-id.ts';
import { compareNodeIds } from '../model/node-table.ts';
import type { Direction } from '../model/short-channel-id.ts';
import * as shape from './mainnet-shape.ts';
import { snapshotNodeIds } from './node-keys.ts';
import { seededRandom } from './random.ts';
import { type Topology, wantedDegrees, wire } from './synthetic-topology.ts';

/** Default number of nodes of a synthetic network. */
export const DEFAULT_SYNTHETIC_NODES = 3000;

/** Minimum number of nodes. A channel needs two. */
export const MIN_SYNTHETIC_NODES = 2;

/** Maximum number of nodes, so that a typing error does not exhaust memory. */
export const MAX_SYNTHETIC_NODES = 1_000_000;

/** Size and seed of a synthetic network. The same options give the same network. */
export interface SyntheticOptions {
  /** Number of nodes. Default: 3000, which show the variety of the main network and take well under a second. */
  readonly nodeCount?: number;
  /** Seed, 64 bits. Default: 1. */
  readonly seed?: bigint | number;
}

/** Streams of random numbers, one per kind of choice, so that a change to one kind does not affect the others. */
const STREAM = { wiring: 1, capacity: 2, nodes: 3, policies: 4, disabled: 5, channelIds: 6 };

/** Channels are ranked by ln(degree of the smaller node) plus noise with this standard deviation. */
const CAPACITY_NOISE = 1.6;

const FIRST_BLOCK = 500_000;
const BLOCKS = 450_000;
/**
 * Transaction indexes per pass. The first pass over the blocks draws an index below this number for each channel. Each
 * further pass draws from the next range of this size, so channel ids stay unique.
 */
const TRANSACTIONS = 4096;

/**
 * Time of the newest update in UNIX seconds: 2026-02-03, the day of the snapshot. The other updates are up to two weeks
 * older.
 */
const NEWEST_UPDATE = 1_770_076_800;
const FORTNIGHT = 14 * 24 * 3600;

/** Generates a network. @throws RangeError if the number of nodes is out of bounds */
export function generateSyntheticGraph(options: SyntheticOptions = {}): ChannelGraph {
  const { nodeCount = DEFAULT_SYNTHETIC_NODES, seed = 1 } = options;
  if (
    !(Number.isInteger(nodeCount) && nodeCount >= MIN_SYNTHETIC_NODES && nodeCount <= MAX_SYNTHETIC_NODES)
  ) {
    throw new RangeError(`a synthetic network has ${MIN_SYNTHETIC_NODES} to ${MAX_SYNTHETIC_NODES} nodes`);
  }
  const topology = wire(wantedDegrees(nodeCount), seededRandom(seed, STREAM.wiring));
  const ids = snapshotNodeIds(nodeCount);
  const graph = new ChannelGraph(nodeCount, topology.first.length, true);
  for (let node = 0; node < nodeCount; node++) graph.internNode(ids, node * NODE_ID_BYTES);
  addChannels(graph, topology, ids, seed);
  addPolicies(graph, seed);
  for (let node = 0; node < nodeCount; node++) {
    graph.setAnnouncement(node, new SyntheticAnnouncement(node, graph.nodeIds));
  }
  return graph;
}

function addChannels(graph: ChannelGraph, topology: Topology, ids: Uint8Array, seed: bigint | number): void {
  const capacities = drawCapacities(topology, graph.nodeCount, seededRandom(seed, STREAM.capacity));
  const random = seededRandom(seed, STREAM.channelIds);
  for (let channel = 0; channel < topology.first.length; channel++) {
    const [a, b] = [topology.first[channel]!, topology.second[channel]!];
    const ascending = compareNodeIds(ids, a * NODE_ID_BYTES, ids, b * NODE_ID_BYTES) < 0;
    const block = FIRST_BLOCK + (channel % BLOCKS);
    const transaction = Math.floor(channel / BLOCKS) * TRANSACTIONS + Math.floor(random() * TRANSACTIONS);
    const scid = (BigInt(block) << 40n) | (BigInt(transaction) << 16n) | BigInt(Math.floor(random() * 2));
    graph.addChannel(scid, ascending ? a : b, ascending ? b : a, BigInt(capacities[channel]!) * 1000n);
  }
}

/**
 * Draws capacities in sat from the measured quantiles, and assigns them by the degree of each channel's smaller node,
 * with noise.
 */
function drawCapacities(topology: Topology, nodeCount: number, random: () => number): Float64Array {
  const { first, second } = topology;
  const degree = new Uint32Array(nodeCount);
  for (let channel = 0; channel < first.length; channel++) {
    degree[first[channel]!]!++;
    degree[second[channel]!]!++;
  }
  const score = Float64Array.from(first, (a, channel) => {
    // The distribution of the sum of three uniform numbers is close enough to a normal distribution.
    const noise = (random() + random() + random() - 1.5) * 2;
    return Math.log(Math.min(degree[a]!, degree[second[channel]!]!)) + CAPACITY_NOISE * noise;
  });
  const order = Uint32Array.from(first, (_, channel) => channel).sort((a, b) => score[a]! - score[b]!);
  const capacities = new Float64Array(first.length);
  for (let rank = 0; rank < order.length; rank++) {
    capacities[order[rank]!] = shape.smoothQuantile(shape.CAPACITY_SAT, (rank + 0.5) / order.length);
  }
  return capacities;
}

/** For each node, the probabilities that select its usual values from the quantile tables. */
interface NodeHabits {
  readonly feeBase: Float64Array;
  readonly proportional: Float64Array;
  readonly delta: Float64Array;
  readonly htlcMinimum: Float64Array;
}

/**
 * Draws the habits of the nodes. Node i gets the fractional part of start + i · step, where step is irrational and
 * start is random. Even the first few of these numbers are evenly distributed over [0, 1), so the few large nodes,
 * which come first, do not bias the whole network.
 */
function drawHabits(nodeCount: number, random: () => number): NodeHabits {
  const sequence = (step: number): Float64Array => {
    const start = random();
    return Float64Array.from({ length: nodeCount }, (_, node) => (start + node * step) % 1);
  };
  return {
    feeBase: sequence(Math.SQRT2 - 1),
    proportional: sequence((Math.sqrt(5) - 1) / 2),
    delta: sequence(Math.sqrt(3) - 1),
    htlcMinimum: sequence(Math.sqrt(7) - 2),
  };
}

function addPolicies(graph: ChannelGraph, seed: bigint | number): void {
  const habits = drawHabits(graph.nodeCount, seededRandom(seed, STREAM.nodes));
  const random = seededRandom(seed, STREAM.policies);
  const disabled = drawDisabled(graph, seededRandom(seed, STREAM.disabled));
  for (let channel = 0; channel < graph.channelCount; channel++) {
    for (const direction of [0, 1] as const) {
      const node = (direction === 0 ? graph.node1 : graph.node2)[channel]!;
      addPolicy(graph, channel, direction, node, habits, random, disabled[channel * 2 + direction] === 0);
    }
  }
}

function addPolicy(
  graph: ChannelGraph,
  channel: number,
  direction: Direction,
  node: number,
  habits: NodeHabits,
  random: () => number,
  enabled: boolean,
): void {
  const draw = (habit: Float64Array, share: number): number => {
    const [chance, own] = [random(), random()];
    return chance < share ? habit[node]! : own;
  };
  const { NODE_WIDE } = shape;
  const base = draw(habits.feeBase, NODE_WIDE.feeBase);
  const proportional = draw(habits.proportional, NODE_WIDE.proportional);
  const delta = draw(habits.delta, NODE_WIDE.delta);
  const minimum = draw(habits.htlcMinimum, NODE_WIDE.htlcMinimum);
  const permyriad = BigInt(shape.stepQuantile(shape.HTLC_MAXIMUM_PERMYRIAD, random()));
  const htlcMaximumMsat = (graph.capacityMsat[channel]! * permyriad) / 10_000n;
  const htlcMinimumMsat = BigInt(shape.stepQuantile(shape.HTLC_MINIMUM_MSAT, minimum));
  graph.setPolicy(channel, direction, {
    enabled,
    htlcMinimumMsat: (htlcMinimumMsat < htlcMaximumMsat ? htlcMinimumMsat : htlcMaximumMsat) as Msat,
    htlcMaximumMsat: htlcMaximumMsat as Msat,
    feeBaseMsat: shape.stepQuantile(shape.FEE_BASE_MSAT, base),
    feeProportionalMillionths: shape.smoothQuantile(shape.FEE_PROPORTIONAL_MILLIONTHS, proportional),
    cltvExpiryDelta: shape.stepQuantile(shape.CLTV_EXPIRY_DELTA, delta),
    timestamp: NEWEST_UPDATE - Math.floor(random() * FORTNIGHT),
  });
}

/** For each direction, 1 if it is disabled. The channels that connect all nodes come first and stay enabled. */
function drawDisabled(graph: ChannelGraph, random: () => number): Uint8Array {
  const disabled = new Uint8Array(graph.channelCount * 2);
  const connecting = graph.nodeCount - 1;
  const others = graph.channelCount - connecting;
  if (others === 0) return disabled;
  const both = (shape.BOTH_DISABLED_SHARE * graph.channelCount) / others;
  const one = (shape.ONE_DISABLED_SHARE * graph.channelCount) / others;
  for (let channel = connecting; channel < graph.channelCount; channel++) {
    const chance = random();
    const direction = random() < 0.5 ? 0 : 1;
    if (chance < both) disabled.fill(1, channel * 2, channel * 2 + 2);
    else if (chance < both + one) disabled[channel * 2 + direction] = 1;
  }
  return disabled;
}

/** The features that a synthetic node announces (BOLT 9), including keysend. */
const FEATURES = featuresOf([
  FEATURE.var_onion_optin,
  FEATURE.payment_secret,
  optional(FEATURE.basic_mpp),
  optional(FEATURE.option_route_blinding),
  optional(FEATURE.option_onion_messages),
  optional(FEATURE.keysend),
]);

const NO_ADDRESSES = new Uint8Array(0);

/** The announcement of a synthetic node. Its fields are generated on access, since most are never read. */
class SyntheticAnnouncement implements AnnouncedNode {
  private readonly node: number;
  private readonly ids: Uint8Array;

  constructor(node: number, ids: Uint8Array) {
    this.node = node;
    this.ids = ids;
  }

  get timestamp(): number {
    return NEWEST_UPDATE;
  }

  get features(): Uint8Array {
    return FEATURES;
  }

  get addresses(): Uint8Array {
    return NO_ADDRESSES;
  }

  get alias(): Uint8Array {
    const alias = new Uint8Array(32);
    new TextEncoder().encodeInto(`synthetic-${this.node}`, alias);
    return alias;
  }

  get color(): Uint8Array {
    const start = this.node * NODE_ID_BYTES + 1;
    return this.ids.slice(start, start + 3);
  }
}
