/**
 * Circles: payments to ourselves that leave over some of our channels and return over others. They move balance between
 * our channels.
 *
 * In a search, circles end at a made-up node, `CIRCLE_END`. For each channel over which money may return, its peer has
 * a made-up channel to this node, with the peer's own terms and the amount that we can receive over the real channel:
 *
 *     us ──▶ peer A … network … peer B ──▶ CIRCLE_END      represents      us ──▶ A … B ──▶ us
 *
 * Each channel is used in one direction only: a channel over which money may leave is closed for returning money.
 * Before anything is sent, the last hop of each route is replaced by the real one. The made-up channels are in the
 * private layer of the payment.
 */
import type { Route, RouteHop } from '../../engine/question/route.ts';
import type { Layer } from '../../layers/layer.ts';
import type { LayerBook } from '../../layers/layer-book.ts';
import { type Msat, msat } from '../../model/msat.ts';
import type { NodeId } from '../../model/node-id.ts';
import type { OwnChannel } from '../../model/own-channel.ts';
import { directionFrom, type ShortChannelId, type ShortChannelIdDir } from '../../model/short-channel-id.ts';

/**
 * One of our channels in a circle. `mostMsat` is the maximum amount that may move over it; undefined if only the
 * channel itself limits the amount.
 */
export interface CircleChannel {
  readonly shortChannelId: ShortChannelId;
  readonly mostMsat?: Msat | undefined;
}

/** The channels over which money may leave (`out`) and return (`in`). No channel is in both lists. */
export interface Circle {
  readonly out: readonly CircleChannel[];
  readonly in: readonly CircleChannel[];
}

/** The node at which circles end in a search: the curve point with x = 1 and even y, whose private key is unknown. */
export const CIRCLE_END = `02${'00'.repeat(31)}01` as NodeId;

/**
 * First id of made-up channels. These ids refer to block 0, which contains no channels on any chain. They do not start
 * at the first id of block 0, because callers may use low ids for channels in their own layers.
 */
const FIRST_MADE_UP = 0xfe_dcba_0000n;
/** Id of the made-up channel that represents `Circle.in[index]`. */
const madeUpChannel = (index: number): ShortChannelId => (FIRST_MADE_UP + BigInt(index)) as ShortChannelId;
const indexOf = (id: ShortChannelId): number => Number(id - FIRST_MADE_UP);

/** The index in `Circle.in` of the channel over which this hop returns money. Undefined for all hops but the last. */
export const inboundIndexOf = ({ nodeIdOut, shortChannelIdDir }: RouteHop): number | undefined =>
  nodeIdOut === CIRCLE_END ? indexOf(shortChannelIdDir.shortChannelId) : undefined;

const least = (a: bigint, b: bigint | undefined): Msat => msat(b !== undefined && b < a ? b : a);

/**
 * Adds the made-up channels of a circle to a layer, limits its outbound channels, and closes all our other channels for
 * outbound money.
 * @param channels our channels in their current state
 */
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

/** Records that a direction carries at most this amount. @param isExact whether it certainly carries this amount */
function atMost(book: LayerBook, layer: Layer, of: ShortChannelIdDir, mostMsat: Msat, isExact = false): void {
  book.informChannel(layer, of, msat(mostMsat + 1n), 'constrained');
  if (isExact && mostMsat > 0n) book.informChannel(layer, of, mostMsat, 'unconstrained');
}

/** The routes, with their made-up last hops replaced by the real ones. */
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
