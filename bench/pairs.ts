/**
 * The two ends of each measured payment, drawn from a seed.
 *
 * `feas`: any two nodes whose own directions can carry the amount. That is, the sums of htlc_maximum_msat out of the
 * source and into the destination are at least the amount. Each amount has new pairs. `big`: two nodes of at least 8
 * channels and 0.5 BTC. All amounts have the same pairs.
 */
import type { RouteQuery } from '../src/engine/question/route.ts';
import { seededRandom } from '../src/gossip/random.ts';
import { type ChannelGraph, POLICY_ENABLED } from '../src/model/channel-graph.ts';
import { msat, msatFromSat } from '../src/model/msat.ts';
import type { NodeId } from '../src/model/node-id.ts';

/** The amounts that are measured. */
export const AMOUNTS_SAT = [1_000, 100_000, 1_000_000, 10_000_000] as const;
/** The two ways to draw pairs, `feas` and `big`, as defined at the head of this file. */
export const PAIR_CLASSES = ['feas', 'big'] as const;
/** A way to draw pairs. */
export type PairClass = (typeof PAIR_CLASSES)[number];

/** The two ends of a payment. */
export interface Pair {
  readonly source: NodeId;
  readonly destination: NodeId;
}

const BIG_CHANNELS = 8;
const BIG_MSAT = 50_000_000_000n;
const SEED = 20_260_203;

/** For each node, the msat that its enabled directions carry out of it and into it, and its capacity. */
interface NodeSums {
  readonly out: BigUint64Array;
  readonly into: BigUint64Array;
  readonly capacity: BigUint64Array;
}

function nodeSums(graph: ChannelGraph): NodeSums {
  const column = () => new BigUint64Array(graph.nodeCount);
  const sums = { out: column(), into: column(), capacity: column() };
  const add = (to: BigUint64Array, node: number, amount: bigint) => {
    to[node] = to[node]! + amount;
  };
  for (let channel = 0; channel < graph.channelCount; channel++) {
    const ends = [graph.node1[channel]!, graph.node2[channel]!];
    for (const direction of [0, 1]) {
      const directionIndex = channel * 2 + direction;
      add(sums.capacity, ends[direction]!, graph.capacityMsat[channel]!);
      if ((graph.policyFlags[directionIndex]! & POLICY_ENABLED) === 0) continue;
      add(sums.out, ends[direction]!, graph.htlcMaximumMsat[directionIndex]!);
      add(sums.into, ends[1 - direction]!, graph.htlcMaximumMsat[directionIndex]!);
    }
  }
  return sums;
}

/**
 * Draws pairs of different nodes. @returns `count` pairs, the same for the same graph; none if no two nodes qualify.
 */
export function pairsOf(graph: ChannelGraph, cls: PairClass, amountSat: number, count: number): Pair[] {
  const sums = nodeSums(graph);
  const amount = BigInt(amountSat) * 1000n;
  const nodes = Array.from({ length: graph.nodeCount }, (_, node) => node);
  const isBig = (node: number) => graph.nodeDegree[node]! >= BIG_CHANNELS && sums.capacity[node]! >= BIG_MSAT;
  const sources = nodes.filter(cls === 'big' ? isBig : (node) => sums.out[node]! >= amount);
  const destinations = nodes.filter(cls === 'big' ? isBig : (node) => sums.into[node]! >= amount);
  if (!sources.some((source) => destinations.some((node) => node !== source))) return [];
  const random = seededRandom(SEED, cls === 'big' ? 0 : amountSat);
  const drawn = (from: readonly number[]) => from[Math.floor(random() * from.length)]!;
  const pairs: Pair[] = [];
  while (pairs.length < count) {
    const [source, destination] = [drawn(sources), drawn(destinations)];
    if (source === destination) continue;
    pairs.push({ source: graph.nodeId(source), destination: graph.nodeId(destination) });
  }
  return pairs;
}

/** The question for a pair: fees of at most 1 %, but at least 5 sat. The source's own fees do not count. */
export function queryFor(pair: Pair, amountSat: number, maxparts = 100): RouteQuery {
  const amountMsat = msatFromSat(amountSat);
  return {
    ...pair,
    amountMsat,
    layers: ['auto.sourcefree'],
    maxfeeMsat: msat(amountMsat / 100n > 5000n ? amountMsat / 100n : 5000n),
    finalCltv: 18,
    maxdelay: 2016,
    maxparts,
  };
}
