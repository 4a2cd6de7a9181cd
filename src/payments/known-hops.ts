/** What is known of each hop of a route when it is sent: facts of the shared layer, less what is on its way already. */
import type { RouteHop } from '../engine/route.ts';
import { boundsIn } from '../layers/beliefs.ts';
import type { Bounds } from '../layers/bounds-fold.ts';
import type { Layer } from '../layers/layer.ts';
import { GLOBAL_LAYER_ID, type LayerBook } from '../layers/layer-book.ts';
import type { ChannelGraph } from '../model/channel-graph.ts';
import type { ShortChannelIdDir } from '../model/short-channel-id.ts';
import type { KnownHop } from './odds-model.ts';

/** Bounds by the shared lessons, and the capacity; undefined for a channel that the graph does not have. */
function boundsOf(
  of: ShortChannelIdDir,
  graph: ChannelGraph,
  shared: Layer | undefined,
): { readonly bounds: Bounds; readonly capacityMsat: bigint | undefined } {
  if (shared !== undefined) return boundsIn(shared, of, graph);
  const channel = graph.channelIndex(of.shortChannelId);
  const capacityMsat = channel < 0 ? undefined : graph.capacityMsat[channel]!;
  return { bounds: { minMsat: 0n, maxMsat: capacityMsat ?? 0n }, capacityMsat };
}

/** The hops of a path that begins with an own channel, whose balance is known exactly. */
export function knownHops(
  path: readonly RouteHop[],
  graph: ChannelGraph,
  book: LayerBook,
  shared: Layer | undefined,
): KnownHop[] {
  return path.map(({ shortChannelIdDir: of, nodeIdOut: to, amountOutMsat }, index): KnownHop => {
    if (index === 0) return { to, isOwn: true, least: 1, most: 1, amount: 0 };
    const { bounds, capacityMsat } = boundsOf(of, graph, shared);
    const held = book.channelCell(GLOBAL_LAYER_ID, of.shortChannelId)?.reservedMsat[of.direction] ?? 0n;
    // A channel that only this payment knows, such as a route hint, has no capacity: its recipient vouches for it.
    if (capacityMsat === undefined) return { to, isOwn: false, least: 0, most: 1, amount: 0 };
    const share = (amountMsat: bigint): number =>
      Math.min(1, Math.max(0, Number(amountMsat) / Number(capacityMsat)));
    return {
      to,
      isOwn: false,
      least: share(bounds.minMsat - held),
      most: share(bounds.maxMsat - held),
      amount: share(amountOutMsat),
    };
  });
}
