/**
 * Converts beliefs about pairs of nodes to entries of a layer, and back.
 *
 * | of a pair | one channel between the two | several |
 * |---|---|---|
 * | passed a | it passes at least a | no information: it may have been any of them |
 * | failed b > 0 | it passes less than b | each of them passes less than b |
 * | fails regardless of the amount | a bias, which makes it a last resort | the same for each |
 *
 * When converted back, a pair passes the largest minimum of its channels. It fails for amounts above their largest
 * maximum, if each channel has a maximum below its capacity.
 */
import type { ChannelGraph } from '../model/channel-graph.ts';
import { msat } from '../model/msat.ts';
import type { NodeId } from '../model/node-id.ts';
import type { PairBelief, PairResult } from '../model/pair-belief.ts';
import type { Direction, ShortChannelId } from '../model/short-channel-id.ts';
import { beliefsOf } from './beliefs.ts';
import type { LayerMutation, OfDirection } from './entries.ts';
import type { Layer } from './layer.ts';
import type { LayerBook } from './layer-book.ts';

/** Name of the layer for what the node behind us learned from its own payments. */
export const PAIR_LAYER = 'missioncontrol';

/** Bias of a direction that fails regardless of the amount. It makes the direction a last resort. */
const LAST_RESORT = -100;
/** A time, in seconds, later than every record's. */
const END_OF_TIME = 1n << 60n;

/** The result of importing beliefs into a layer. */
export interface TakenBeliefs {
  /** Number of pairs whose results were used. */
  readonly pairs: number;
  /** Number of pairs of nodes without a channel between them in the graph. */
  readonly unknownPairs: number;
  /** Number of pairs whose results are too old, or cannot be assigned to a single channel. */
  readonly uselessPairs: number;
  readonly constraints: number;
  readonly biases: number;
}

/**
 * Replaces the constraints and biases of the layer `missioncontrol` with these beliefs.
 * @param since time in UNIX seconds; older results are ignored
 */
export function takePairBeliefs(
  book: LayerBook,
  beliefs: readonly PairBelief[],
  graph: ChannelGraph,
  since: number,
): TakenBeliefs {
  const layer = book.layer(PAIR_LAYER) ?? book.createLayer(PAIR_LAYER, false);
  book.age(layer, END_OF_TIME);
  const counts = { pairs: 0, unknownPairs: 0, uselessPairs: 0, constraints: 0, biases: 0 };
  for (const belief of beliefs) {
    const channels = directionsBetween(graph, belief.from, belief.to);
    const entries = channels.flatMap((of) => entriesOf(of, belief, channels.length === 1, since));
    for (const entry of entries) {
      book.adopt(layer, entry);
      counts[entry.type === 'inform' ? 'constraints' : 'biases']++;
    }
    if (channels.length === 0) counts.unknownPairs++;
    else if (entries.length === 0) counts.uselessPairs++;
    else counts.pairs++;
  }
  return counts;
}

function entriesOf(
  of: OfDirection,
  { passed, failed }: PairBelief,
  isOnly: boolean,
  since: number,
): LayerMutation[] {
  const isRecent = (result: PairResult | undefined): result is PairResult =>
    result !== undefined && result.timestamp >= since;
  const entries: LayerMutation[] = [];
  if (isOnly && isRecent(passed) && passed.amountMsat > 0n) {
    entries.push({ type: 'inform', kind: 'minimum', ...of, ...passed });
  }
  if (!isRecent(failed)) return entries;
  const { amountMsat, timestamp } = failed;
  if (amountMsat > 0n) {
    return [...entries, { type: 'inform', kind: 'maximum', ...of, amountMsat: amountMsat - 1n, timestamp }];
  }
  return [...entries, { type: 'biasChannel', ...of, bias: LAST_RESORT, description: undefined, timestamp }];
}

/** The directions from one node to another, one per channel. */
function directionsBetween(graph: ChannelGraph, from: NodeId, to: NodeId): OfDirection[] {
  const [source, destination] = [graph.nodeIndex(from), graph.nodeIndex(to)];
  if (source < 0 || destination < 0) return [];
  const directions: OfDirection[] = [];
  for (const channel of graph.channelsOf(source)) {
    const [one, other] = [graph.node1[channel]!, graph.node2[channel]!];
    const direction: Direction = one === source ? 0 : 1;
    if ((direction === 0 ? other : one) !== destination) continue;
    directions.push({
      shortChannelId: graph.shortChannelIds[channel] as unknown as ShortChannelId,
      direction,
    });
  }
  return directions;
}

interface PairBounds {
  readonly from: NodeId;
  readonly to: NodeId;
  readonly channels: number;
  /** Number of channels with a maximum below their capacity. */
  bounded: number;
  largestMinMsat: bigint;
  largestMaxMsat: bigint;
  newest: number;
}

/**
 * Converts a layer's records to beliefs about pairs of nodes, newest first. Pairs about which the records show
 * nothing are left out.
 */
export function pairBeliefsOf(layer: Layer, graph: ChannelGraph): PairBelief[] {
  const pairs = new Map<string, PairBounds>();
  for (const { of, bounds, capacityMsat, newest } of beliefsOf(layer, graph)) {
    const channel = graph.channelIndex(of.shortChannelId);
    if (channel < 0 || capacityMsat === undefined) continue;
    const ends = [graph.nodeId(graph.node1[channel]!), graph.nodeId(graph.node2[channel]!)] as const;
    const [from, to] = [ends[of.direction], ends[of.direction === 0 ? 1 : 0]];
    const key = `${from}${to}`;
    const pair = pairs.get(key) ?? {
      ...{ from, to, channels: directionsBetween(graph, from, to).length },
      ...{ bounded: 0, largestMinMsat: 0n, largestMaxMsat: 0n, newest: 0 },
    };
    pairs.set(key, pair);
    if (bounds.maxMsat < capacityMsat) pair.bounded++;
    if (bounds.minMsat > pair.largestMinMsat) pair.largestMinMsat = bounds.minMsat;
    if (bounds.maxMsat > pair.largestMaxMsat) pair.largestMaxMsat = bounds.maxMsat;
    pair.newest = Math.max(pair.newest, newest);
  }
  return [...pairs.values()]
    .sort((a, b) => b.newest - a.newest)
    .map(beliefOf)
    .filter(({ failed, passed }) => failed !== undefined || passed !== undefined);
}

function beliefOf({ from, to, channels, bounded, ...pair }: PairBounds): PairBelief {
  const { largestMinMsat, largestMaxMsat, newest: timestamp } = pair;
  const isBounded = bounded === channels && largestMaxMsat >= largestMinMsat;
  return {
    from,
    to,
    ...(isBounded && { failed: { amountMsat: msat(largestMaxMsat + 1n), timestamp } }),
    ...(largestMinMsat > 0n && { passed: { amountMsat: msat(largestMinMsat), timestamp } }),
  };
}
