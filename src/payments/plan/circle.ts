/**
 * Payments to ourselves that leave by some of our channels and come back by others: circles. They move balance between our
 * channels.
 *
 * In a search, returning money ends at a made-up node, `CIRCLE_END`. Each peer through whose channel money may return
 * has a made-up channel to it, with the peer's own terms and the amount that we can receive:
 *
 *     us ──▶ peer A … network … peer B ──▶ CIRCLE_END      stands for      us ──▶ A … B ──▶ us
 *
 * A channel is used in one direction only: those that may carry money out are closed for returning money. The last hop
 * of each route is converted to the real one before anything is sent. The made-up channels are in a layer of the
 * payment's own.
 */
import type { Route, RouteHop } from '../../engine/question/route.ts';
import type { Layer } from '../../layers/layer.ts';
import type { LayerBook } from '../../layers/layer-book.ts';
import { type Msat, msat } from '../../model/msat.ts';
import type { NodeId } from '../../model/node-id.ts';
import type { OwnChannel } from '../../model/own-channel.ts';
import { directionFrom, type ShortChannelId, type ShortChannelIdDir } from '../../model/short-channel-id.ts';

/** One of our channels in a circle, and the maximum amount that may move over it. Undefined: whatever it can carry. */
export interface CircleChannel {
  readonly shortChannelId: ShortChannelId;
  readonly mostMsat?: Msat | undefined;
}

/** The channels by which money may leave, and by which it may return. No channel is in both. */
export interface Circle {
  readonly out: readonly CircleChannel[];
  readonly in: readonly CircleChannel[];
}

/** The node at which circles end in a search. It is not a valid key, so no real node can have this id. */
export const CIRCLE_END = `02${'00'.repeat(31)}01` as NodeId;

/**
 * Ids of made-up channels start here. No chain has channels of block 0, but callers may use the first ones for channels
 * in their own layers.
 */
const FIRST_MADE_UP = 0xfe_dcba_0000n;
/** The made-up channel for the circle's inbound channel with this index. */
const madeUpChannel = (index: number): ShortChannelId => (FIRST_MADE_UP + BigInt(index)) as ShortChannelId;
const indexOf = (id: ShortChannelId): number => Number(id - FIRST_MADE_UP);

/** The index in `Circle.in` of the channel by which this hop returns. Undefined for all hops but the last. */
export const inboundIndexOf = ({ nodeIdOut, shortChannelIdDir }: RouteHop): number | undefined =>
  nodeIdOut === CIRCLE_END ? indexOf(shortChannelIdDir.shortChannelId) : undefined;

const least = (a: bigint, b: bigint | undefined): Msat => msat(b !== undefined && b < a ? b : a);

/** Adds the ends of a circle to a layer. @param channels our channels in their current state */
export function openCircle(
  book: LayerBook,
  layer: Layer,
  ourId: NodeId,
  channels: readonly OwnChannel[],
  circle: Circle,
): void {
  const out = new Map(circle.out.map((one) => [one.shortChannelId, one]));
  for (const { shortChannelId, peerId } of channels) {
    if (shortChannelId === undefined) continue;
    const of = { shortChannelId, direction: directionFrom(ourId, peerId) };
    const leaving = out.get(shortChannelId);
    if (leaving === undefined) book.updateChannel(layer, of, { enabled: false });
    else if (leaving.mostMsat !== undefined) atMost(book, layer, of, leaving.mostMsat);
  }
  const byId = new Map(channels.map((channel) => [channel.shortChannelId, channel]));
  for (const [index, { shortChannelId, mostMsat }] of circle.in.entries()) {
    const channel = byId.get(shortChannelId);
    const { remotePolicy: policy } = channel ?? {};
    if (channel === undefined || policy === undefined || !channel.usable) continue;
    const { peerId, capacityMsat, receivableMsat, ourMaxInFlightMsat } = channel;
    const made = { shortChannelId: madeUpChannel(index), direction: directionFrom(peerId, CIRCLE_END) };
    book.createChannel(layer, peerId, CIRCLE_END, made.shortChannelId, capacityMsat);
    book.updateChannel(layer, made, {
      enabled: true,
      htlcMinimumMsat: policy.htlcMinimumMsat,
      htlcMaximumMsat: policy.htlcMaximumMsat,
      feeBaseMsat: policy.feeBaseMsat,
      feeProportionalMillionths: policy.feeProportionalMillionths,
      cltvExpiryDelta: policy.cltvExpiryDelta,
    });
    atMost(book, layer, made, least(least(receivableMsat, ourMaxInFlightMsat), mostMsat), true);
  }
}

/** Records that a direction carries this much, and no more. @param isExact whether it certainly carries that */
function atMost(book: LayerBook, layer: Layer, of: ShortChannelIdDir, mostMsat: Msat, isExact = false): void {
  book.informChannel(layer, of, msat(mostMsat + 1n), 'constrained');
  if (isExact && mostMsat > 0n) book.informChannel(layer, of, mostMsat, 'unconstrained');
}

/** Routes of a search with their real last hops. */
export function circled(routes: readonly Route[], { in: inbound }: Circle, ourId: NodeId): readonly Route[] {
  return routes.map((route) => ({ ...route, path: route.path.map((hop) => realHop(hop, inbound, ourId)) }));
}

function realHop(hop: RouteHop, inbound: Circle['in'], ourId: NodeId): RouteHop {
  const index = inboundIndexOf(hop);
  if (index === undefined) return hop;
  const { shortChannelId } = inbound[index]!;
  const direction = directionFrom(hop.nodeIdIn, ourId);
  return { ...hop, nodeIdOut: ourId, shortChannelIdDir: { shortChannelId, direction } };
}
