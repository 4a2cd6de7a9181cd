/**
 * What is known about each hop of a route before it is sent: bounds from layers, and the amounts already in flight.
 */
import type { RouteHop } from '../../engine/question/route.ts';
import { applyFold, type Bounds } from '../../layers/bounds-fold.ts';
import { directionKey } from '../../layers/cell.ts';
import { directionClass } from '../../layers/direction-class.ts';
import type { Layer } from '../../layers/layer.ts';
import type { LayerBook } from '../../layers/layer-book.ts';
import type { ChannelGraph } from '../../model/channel-graph.ts';
import { forwardingFeeMsat } from '../../model/policy.ts';
import type { ShortChannelIdDir } from '../../model/short-channel-id.ts';
import type { KnownHop } from '../learn/odds-model.ts';

/**
 * The bounds of a direction after applying the layers in order, the net amount that records moved out of the direction,
 * and the UNIX seconds of the channel's newest record, 0 if there is none. `capacityMsat` is undefined for a channel
 * outside the graph.
 */
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
    const fold = layer.bounds(shortChannelId)?.[direction];
    if (fold !== undefined) bounds = applyFold(fold, bounds, capacityMsat);
    latest = Math.max(latest, layer.latestRecord(shortChannelId) ?? 0);
    movedMsat += layer.movedMsat(shortChannelId, direction);
  }
  return { bounds, capacityMsat, movedMsat, latest };
}

/** Mean number of channels of the nodes between which half-lives were measured. */
const USUAL_CHANNELS = 16;
const [MIN_TRAFFIC, MAX_TRAFFIC] = [0.25, 4];

/**
 * How fast a channel's bounds fade, as a multiple of the usual speed. It is proportional to the likely traffic of the
 * channel, estimated as the geometric mean of its two nodes' channel counts, and limited to ¼ … 4.
 */
export function likelyTraffic(graph: ChannelGraph, channel: number): number {
  const [one, two] = [graph.nodeDegree[graph.node1[channel]!]!, graph.nodeDegree[graph.node2[channel]!]!];
  return Math.min(MAX_TRAFFIC, Math.max(MIN_TRAFFIC, Math.sqrt(one * two) / USUAL_CHANNELS));
}

/** Like `knownHops`, but with layers given by name. Missing layers are ignored. */
export function hopsUnder(
  path: readonly RouteHop[],
  graph: ChannelGraph,
  book: LayerBook,
  names: readonly string[],
): KnownHop[] {
  const layers = names.map((name) => book.layer(name)).filter((layer) => layer !== undefined);
  return knownHops(path, graph, book, layers);
}

/** The values of a hop whose channel is our own, or is not in the graph. */
const UNSEEN = { ofClass: 0, ageS: 0 } as const;

/** What is known about the hops of a path. The first hop is a channel of our own, whose balance is known exactly. */
export function knownHops(
  path: readonly RouteHop[],
  graph: ChannelGraph,
  book: LayerBook,
  layers: readonly Layer[],
): KnownHop[] {
  const hops: KnownHop[] = [];
  for (const routeHop of path) {
    if (hops.length > 0) hops.push(knownHop(routeHop, graph, book, layers));
    else hops.push({ to: routeHop.nodeIdOut, isOwn: true, least: 1, most: 1, amount: 0, ...UNSEEN });
  }
  return hops;
}

/** What is known about a hop over a channel of others. */
function knownHop(
  routeHop: RouteHop,
  graph: ChannelGraph,
  book: LayerBook,
  layers: readonly Layer[],
): KnownHop {
  const { shortChannelIdDir: of, nodeIdOut: to, amountOutMsat } = routeHop;
  const { bounds, capacityMsat, movedMsat, latest } = boundsOf(of, graph, layers);
  // The capacity of a channel that only this payment knows, such as one from a route hint, is unknown. We trust the
  // recipient that it suffices.
  if (capacityMsat === undefined) return { to, isOwn: false, least: 0, most: 1, amount: 0, ...UNSEEN };
  const channel = graph.channelIndex(of.shortChannelId);
  const ageS = latest === 0 ? 0 : Math.max(0, book.now() - latest);
  return {
    to,
    isOwn: false,
    least: share(bounds.minMsat, capacityMsat),
    most: share(bounds.maxMsat, capacityMsat),
    // HTLCs in flight may still be refused, so they do not count as moved: the balance must suffice for all of them.
    amount: share(amountOutMsat + book.reservedMsat(of), capacityMsat),
    moved: Number(movedMsat) / Number(capacityMsat),
    direction: reliesOnGossip(routeHop, graph, channel)
      ? directionKey(of.shortChannelId, of.direction)
      : undefined,
    ofClass: directionClass(graph, channel, of.direction),
    ageS: ageS * likelyTraffic(graph, channel),
  };
}

/** An amount as a share of a capacity, 0 … 1. */
const share = (amountMsat: bigint, capacityMsat: bigint): number =>
  Math.min(1, Math.max(0, Number(amountMsat) / Number(capacityMsat)));

/**
 * Whether a hop pays no more than the gossiped terms require. It pays more, for example, if an earlier failure of the
 * same payment reported newer terms.
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
