/**
 * Route hints: channels that only the recipient knows of, put into the payment's private layer, where the
 * search weighs them against everything else.
 *
 * Of a longer hint the last `MAX_HINT_HOPS` count. A first hop that is ourselves is left out: our channels we
 * know better. A hint whose channel is public under other ends is ignored, as is one that loops.
 */
import type { Layer } from '../layers/layer.ts';
import type { LayerBook } from '../layers/layer-book.ts';
import type { ChannelGraph } from '../model/channel-graph.ts';
import { msat } from '../model/msat.ts';
import type { NodeId } from '../model/node-id.ts';
import { MOST_PAYABLE_MSAT } from './budget.ts';
import type { HintHop, PaymentRequest } from './payment.ts';

const MAX_HINT_HOPS = 10;
/** A hint says nothing of the channel's size: it is taken to hold this many times the amount. */
const ASSUMED_CAPACITY = 2n;

export function useRouteHints(
  book: LayerBook,
  graph: ChannelGraph,
  layer: () => Layer,
  request: PaymentRequest,
  ourId: NodeId,
): void {
  const wanted = request.amountMsat * ASSUMED_CAPACITY;
  const capacityMsat = wanted < MOST_PAYABLE_MSAT ? msat(wanted) : MOST_PAYABLE_MSAT;
  for (const hint of request.routeHints) {
    const hops = hint.slice(-MAX_HINT_HOPS).filter(({ nodeId }, at) => at > 0 || nodeId !== ourId);
    const ends = hops.map((hop, at) => ({ hop, next: hops[at + 1]?.nodeId ?? request.destination }));
    if (ends.some(({ hop, next }) => hop.nodeId === next || !fitsGraph(graph, hop, next))) continue;
    for (const { hop, next } of ends) addHop(book, graph, layer(), hop, next, capacityMsat);
  }
}

function addHop(
  book: LayerBook,
  graph: ChannelGraph,
  layer: Layer,
  hop: HintHop,
  next: NodeId,
  capacityMsat: ReturnType<typeof msat>,
): void {
  const { nodeId, shortChannelId, feeBaseMsat, feeProportionalMillionths, cltvExpiryDelta } = hop;
  const isPublic = graph.channelIndex(shortChannelId) >= 0;
  if (!isPublic) {
    const made = layer.createdChannel(shortChannelId);
    const [node1, node2] = nodeId < next ? [nodeId, next] : [next, nodeId];
    if (made !== undefined && (made.node1 !== node1 || made.node2 !== node2)) return;
    if (made === undefined) book.createChannel(layer, nodeId, next, shortChannelId, capacityMsat);
  }
  const direction = nodeId < next ? 0 : 1;
  const terms = { feeBaseMsat, feeProportionalMillionths, cltvExpiryDelta, enabled: true };
  const limits = isPublic ? {} : { htlcMinimumMsat: msat(0n), htlcMaximumMsat: capacityMsat };
  book.updateChannel(layer, { shortChannelId, direction }, { ...terms, ...limits });
}

/** Whether a public channel of that id, if there is one, connects these nodes. */
function fitsGraph(graph: ChannelGraph, { nodeId, shortChannelId }: HintHop, next: NodeId): boolean {
  const channel = graph.channelIndex(shortChannelId);
  if (channel < 0) return true;
  const ends = [graph.nodeId(graph.node1[channel]!), graph.nodeId(graph.node2[channel]!)];
  return ends.includes(nodeId) && ends.includes(next);
}
