/**
 * Route hints: channels that only the recipient knows. They are added to the payment's private layer, where the search
 * compares them with all other channels.
 *
 * Only the last `MAX_HINT_HOPS` hops of a hint are used. A first hop that leaves our own node is dropped, because we
 * know our own channels better. Hints that contain a channel from a node to itself are ignored, and so are hints that
 * contradict the graph about the two nodes of a public channel.
 *
 * A hint does not contain the capacity of a channel. We assume `ASSUMED_CAPACITY` times the maximum that this payment
 * can send across it: the amount with its shadow, plus the fees of the later channels of the hint. So no payment fails
 * because of an assumed capacity, however large these fees are. Whether they are acceptable is decided by the fee
 * limit.
 */
import type { Layer } from '../../layers/layer.ts';
import type { LayerBook } from '../../layers/layer-book.ts';
import type { ChannelGraph } from '../../model/channel-graph.ts';
import { type Msat, msat } from '../../model/msat.ts';
import type { NodeId } from '../../model/node-id.ts';
import { forwardingFeeMsat } from '../../model/policy.ts';
import { directionFrom, type ShortChannelId } from '../../model/short-channel-id.ts';
import type { HintHop, Payment } from '../payment.ts';
import { MAX_PAYABLE_MSAT } from './limits.ts';

const MAX_HINT_HOPS = 10;
/**
 * Capacity assumed for a hint's channel, as a multiple of the maximum amount; Core Lightning's xpay assumes the same.
 * The recipient chose this channel for this invoice, so it almost certainly carries the amount: in the uniform model
 * with probability 0.99.
 */
const ASSUMED_CAPACITY = 100n;

/** A channel of a hint with its two nodes, and the maximum amount that the payment can send across it. */
interface HintChannel {
  readonly hop: HintHop;
  readonly next: NodeId;
  readonly mostMsat: bigint;
}

/**
 * Adds the channels of the request's hints to `layer`, which is created only if there are any.
 * @param maxparts maximum number of concurrent parts of the payment, each of which pays every base fee
 */
export function useRouteHints(
  book: LayerBook,
  graph: ChannelGraph,
  layer: () => Layer,
  { request, totalMsat }: Payment,
  maxparts: number,
  isOurs: (nodeId: NodeId) => boolean,
): void {
  const usable = request.routeHints
    .map((hint) => hint.slice(-MAX_HINT_HOPS).filter(({ nodeId }, at) => at > 0 || !isOurs(nodeId)))
    .map((hops) => channelsOf(hops, request.destination, totalMsat, BigInt(maxparts)))
    .filter((hint) => hint.every(({ hop, next }) => hop.nodeId !== next && fitsGraph(graph, hop, next)))
    .flat();
  const capacities = assumedCapacities(usable);
  for (const { hop, next } of usable) {
    addHop(book, graph, layer(), hop, next, capacities.get(hop.shortChannelId)!);
  }
}

/**
 * The channels of one hint. Amounts are computed backwards from the recipient, because each hop must also carry the
 * fees of the later ones.
 */
function channelsOf(
  hops: readonly HintHop[],
  destination: NodeId,
  totalMsat: bigint,
  maxparts: bigint,
): HintChannel[] {
  let mostMsat = totalMsat;
  let next = destination;
  return hops.toReversed().map((hop) => {
    const channel = { hop, next, mostMsat };
    mostMsat += forwardingFeeMsat({ ...hop, feeBaseMsat: maxparts * hop.feeBaseMsat }, mostMsat);
    next = hop.nodeId;
    return channel;
  });
}

/** The capacity assumed for each channel. If a channel is in several hints, the largest assumption counts. */
function assumedCapacities(channels: readonly HintChannel[]): Map<ShortChannelId, Msat> {
  const capacities = new Map<ShortChannelId, Msat>();
  for (const { hop, mostMsat } of channels) {
    const wanted = mostMsat * ASSUMED_CAPACITY;
    const capacityMsat = wanted < MAX_PAYABLE_MSAT ? msat(wanted) : MAX_PAYABLE_MSAT;
    const known = capacities.get(hop.shortChannelId);
    if (known === undefined || known < capacityMsat) capacities.set(hop.shortChannelId, capacityMsat);
  }
  return capacities;
}

function addHop(
  book: LayerBook,
  graph: ChannelGraph,
  layer: Layer,
  hop: HintHop,
  next: NodeId,
  capacityMsat: Msat,
): void {
  const { nodeId, shortChannelId, feeBaseMsat, feeProportionalMillionths, cltvExpiryDelta } = hop;
  const isPublic = graph.channelIndex(shortChannelId) >= 0;
  if (!isPublic) {
    const made = layer.createdChannel(shortChannelId);
    const [node1, node2] = nodeId < next ? [nodeId, next] : [next, nodeId];
    if (made !== undefined && (made.node1 !== node1 || made.node2 !== node2)) return;
    if (made === undefined) book.createChannel(layer, nodeId, next, shortChannelId, capacityMsat);
  }
  const direction = directionFrom(nodeId, next);
  const terms = { feeBaseMsat, feeProportionalMillionths, cltvExpiryDelta, enabled: true };
  const limits = isPublic ? {} : { htlcMinimumMsat: msat(0n), htlcMaximumMsat: capacityMsat };
  book.updateChannel(layer, { shortChannelId, direction }, { ...terms, ...limits });
}

/**
 * Whether the hint agrees with the graph: a public channel with this id, if there is one, must connect these two nodes.
 */
function fitsGraph(graph: ChannelGraph, { nodeId, shortChannelId }: HintHop, next: NodeId): boolean {
  const channel = graph.channelIndex(shortChannelId);
  if (channel < 0) return true;
  const ends = [graph.nodeId(graph.node1[channel]!), graph.nodeId(graph.node2[channel]!)];
  return ends.includes(nodeId) && ends.includes(next);
}
