/** What is known about each hop of a route when it is sent: facts from layers, minus what is already in flight. */
import type { RouteHop } from '../../engine/question/route.ts';
import { applyFold, type Bounds } from '../../layers/bounds-fold.ts';
import { directionKey } from '../../layers/cell.ts';
import { directionClass } from '../../layers/direction-class.ts';
import type { Layer } from '../../layers/layer.ts';
import { GLOBAL_LAYER_ID, type LayerBook } from '../../layers/layer-book.ts';
import type { ChannelGraph } from '../../model/channel-graph.ts';
import { forwardingFeeMsat } from '../../model/policy.ts';
import type { ShortChannelIdDir } from '../../model/short-channel-id.ts';
import type { KnownHop } from '../learn/odds-model.ts';

/** Bounds after applying the layers in order, and the capacity; undefined for a channel outside the graph. */
function boundsOf(
  { shortChannelId, direction }: ShortChannelIdDir,
  graph: ChannelGraph,
  layers: readonly Layer[],
): {
  readonly bounds: Bounds;
  readonly capacityMsat?: bigint;
  readonly movedMsat: bigint;
  readonly latest: number;
} {
  const channel = graph.channelIndex(shortChannelId);
  if (channel < 0) return { bounds: { minMsat: 0n, maxMsat: 0n }, movedMsat: 0n, latest: 0 };
  const capacityMsat = graph.capacityMsat[channel]!;
  let bounds: Bounds = { minMsat: 0n, maxMsat: capacityMsat };
  let latest = 0;
  let movedMsat = 0n;
  for (const layer of layers) {
    const fold = layer.channelCell(shortChannelId)?.bounds[direction];
    if (fold !== undefined) bounds = applyFold(fold, bounds, capacityMsat);
    latest = Math.max(latest, layer.latestRecord(shortChannelId) ?? 0);
    movedMsat += layer.movedMsat(shortChannelId, direction);
  }
  return { bounds, capacityMsat, movedMsat, latest };
}

/** Half-lives were measured between nodes with this many channels. */
const USUAL_CHANNELS = 16;
const [LEAST_TRAFFIC, MOST_TRAFFIC] = [0.25, 4];

/**
 * How fast a channel's bounds fade relative to others: proportional to its likely traffic, estimated from the channel
 * counts of its two nodes (geometric mean).
 */
export function likelyTraffic(graph: ChannelGraph, channel: number): number {
  const [one, two] = [graph.nodeDegree[graph.node1[channel]!]!, graph.nodeDegree[graph.node2[channel]!]!];
  return Math.min(MOST_TRAFFIC, Math.max(LEAST_TRAFFIC, Math.sqrt(one * two) / USUAL_CHANNELS));
}

/** The same under layers by name. Missing layers are ignored. */
export function hopsUnder(
  path: readonly RouteHop[],
  graph: ChannelGraph,
  book: LayerBook,
  names: readonly string[],
): KnownHop[] {
  const layers = names.map((name) => book.layer(name)).filter((layer) => layer !== undefined);
  return knownHops(path, graph, book, layers);
}

/** A hop unknown to gossip. */
const UNSEEN = { ofClass: 0, ageS: 0 } as const;

/** The hops of a path that starts with an own channel, whose balance is known exactly. */
export function knownHops(
  path: readonly RouteHop[],
  graph: ChannelGraph,
  book: LayerBook,
  layers: readonly Layer[],
): KnownHop[] {
  return path.map((routeHop, index): KnownHop => {
    const { shortChannelIdDir: of, nodeIdOut: to, amountOutMsat } = routeHop;
    if (index === 0) return { to, isOwn: true, least: 1, most: 1, amount: 0, ...UNSEEN };
    const { bounds, capacityMsat, movedMsat, latest } = boundsOf(of, graph, layers);
    const held = book.channelCell(GLOBAL_LAYER_ID, of.shortChannelId)?.reservedMsat[of.direction] ?? 0n;
    // A channel that only this payment knows, such as a route hint, has no known capacity: its recipient vouches for
    // it.
    if (capacityMsat === undefined) return { to, isOwn: false, least: 0, most: 1, amount: 0, ...UNSEEN };
    const channel = graph.channelIndex(of.shortChannelId);
    const ageS = latest === 0 ? 0 : Math.max(0, book.now() - latest);
    const share = (amountMsat: bigint): number =>
      Math.min(1, Math.max(0, Number(amountMsat) / Number(capacityMsat)));
    return {
      to,
      isOwn: false,
      least: share(bounds.minMsat - held),
      most: share(bounds.maxMsat - held),
      amount: share(amountOutMsat),
      moved: Number(movedMsat + held) / Number(capacityMsat),
      direction: reliesOnGossip(routeHop, graph, channel)
        ? directionKey(of.shortChannelId, of.direction)
        : undefined,
      ofClass: directionClass(graph, channel, of.direction),
      ageS: ageS * likelyTraffic(graph, channel),
    };
  });
}

/**
 * Whether a hop pays no more than gossip requires. If it pays more, an earlier failure of the same payment reported
 * newer terms.
 */
function reliesOnGossip(
  { amountInMsat, amountOutMsat, shortChannelIdDir }: RouteHop,
  graph: ChannelGraph,
  channel: number,
): boolean {
  const direction = 2 * channel + shortChannelIdDir.direction;
  const terms = {
    feeBaseMsat: graph.feeBaseMsat[direction]!,
    feeProportionalMillionths: graph.feeProportionalMillionths[direction]!,
  };
  return amountInMsat - amountOutMsat <= forwardingFeeMsat(terms, amountOutMsat);
}
