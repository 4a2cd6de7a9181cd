/**
 * The connections in a synthetic network: a connected multigraph whose degrees follow those of the main network.
 *
 * Degrees are quantiles of the measured distribution at N evenly spaced probabilities. They are limited to the share of
 * the network that the largest node has on the main network, and degrees above 2 are scaled to fit the measured mean.
 * Then nodes join in descending order of degree. The first channel of each node goes to a random free channel end of an
 * earlier node. So a node is chosen in proportion to its free ends (preferential attachment), and all nodes are
 * connected. The remaining ends are paired at random. Channels of a node to itself are avoided, and parallel channels
 * between the same nodes are kept only as often as they occur on the main network.
 */
import { PairSet } from '../model/pair-set.ts';
import { DEGREE, MAX_DEGREE_SHARE, MEAN_CHANNELS_PER_NODE, smoothQuantile } from './mainnet-shape.ts';

/** The channels of a synthetic network: channel i connects the nodes `first[i]` and `second[i]`. */
export interface Topology {
  /** Ends of the channels, as node indexes. The first `nodeCount - 1` channels connect all nodes. */
  readonly first: Uint32Array;
  readonly second: Uint32Array;
}

/**
 * Degrees up to this value are not scaled. Most nodes have one or two channels, regardless of the size of the network.
 */
const UNSCALED_DEGREE = 2;
const BISECTION_STEPS = 40;
/** Number of other partners tried if a channel would lead back to its own node or be parallel to another channel. */
const PAIRING_TRIES = 16;
/** Probability of accepting a parallel channel, fitted to the measured share of parallel channels. */
const PARALLEL_ALLOWANCE = 0.5;

/** The wanted number of channels of each node, in descending order. */
export function wantedDegrees(nodeCount: number): Uint32Array {
  const most = Math.min(nodeCount - 1, Math.max(3, Math.floor(nodeCount * MAX_DEGREE_SHARE)));
  const measured = Uint32Array.from({ length: nodeCount }, (_, i) =>
    smoothQuantile(DEGREE, 1 - (i + 0.5) / nodeCount),
  );
  const factor = degreeFactor(measured, most);
  return measured.map((degree) => scaledDegree(degree, factor, most));
}

function scaledDegree(degree: number, factor: number, most: number): number {
  return Math.min(most, degree <= UNSCALED_DEGREE ? degree : Math.round(degree * factor));
}

/** The factor for degrees above `UNSCALED_DEGREE` that gives the measured mean degree, found by bisection. */
function degreeFactor(measured: Uint32Array, most: number): number {
  const wanted = 2 * MEAN_CHANNELS_PER_NODE * measured.length;
  const nodesOfDegree = new Map<number, number>();
  for (const degree of measured) nodesOfDegree.set(degree, (nodesOfDegree.get(degree) ?? 0) + 1);
  let [low, high] = [0.5, 64];
  for (let step = 0; step < BISECTION_STEPS; step++) {
    const middle = (low + high) / 2;
    let sum = 0;
    for (const [degree, nodes] of nodesOfDegree) sum += scaledDegree(degree, middle, most) * nodes;
    if (sum < wanted) low = middle;
    else high = middle;
  }
  return low;
}

/** Creates channels with these degrees. @param random returns uniform numbers in [0, 1) */
export function wire(degrees: Uint32Array, random: () => number): Topology {
  const nodeCount = degrees.length;
  const ends = degrees.reduce((sum, degree) => sum + degree, 0);
  const channels: Topology = { first: new Uint32Array(ends), second: new Uint32Array(ends) };
  const joined = new PairSet(nodeCount, ends / 2);
  let count = 0;
  const add = (a: number, b: number): void => {
    channels.first[count] = a;
    channels.second[count] = b;
    count++;
    joined.add(a, b);
  };

  const free = new Uint32Array(ends + 1);
  let freeCount = 0;
  for (let node = 0; node < nodeCount; node++) {
    if (node > 0) {
      const pick = Math.floor(random() * freeCount);
      // Free ends can run out only in tiny networks. Then the largest node gets one more channel.
      add(freeCount > 0 ? free[pick]! : 0, node);
      if (freeCount > 0) free[pick] = free[--freeCount]!;
    }
    for (let end = node > 0 ? 1 : 0; end < degrees[node]!; end++) free[freeCount++] = node;
  }

  const isJoined = (a: number, b: number) => joined.has(a, b);
  pairUp(free.subarray(0, freeCount), random, isJoined, add);
  return { first: channels.first.subarray(0, count), second: channels.second.subarray(0, count) };
}

/** Joins the remaining ends in pairs. The few ends for which no partner is found are left out. */
function pairUp(
  free: Uint32Array,
  random: () => number,
  isJoined: (a: number, b: number) => boolean,
  add: (a: number, b: number) => void,
): void {
  const swap = (i: number, j: number): void => {
    const kept = free[i]!;
    free[i] = free[j]!;
    free[j] = kept;
  };
  for (let i = free.length - 1; i > 0; i--) swap(i, Math.floor(random() * (i + 1)));
  for (let i = 0; i + 1 < free.length; i += 2) {
    const a = free[i]!;
    const parallelAllowed = random() < PARALLEL_ALLOWANCE;
    const refused = (b: number) => a === b || (!parallelAllowed && isJoined(a, b));
    for (let tries = 0; tries < PAIRING_TRIES && refused(free[i + 1]!); tries++) {
      swap(i + 1, i + 1 + Math.floor(random() * (free.length - i - 1)));
    }
    if (a !== free[i + 1]!) add(a, free[i + 1]!);
  }
}
