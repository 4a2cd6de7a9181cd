/**
 * Lists what a layer's records show about each channel direction: the resulting bounds, and their age.
 *
 * A direction is listed if a record names it. A payment that moved money also affects the bounds of the opposite
 * direction, but does not name it.
 */
import type { ChannelGraph } from '../model/channel-graph.ts';
import type { ShortChannelIdDir } from '../model/short-channel-id.ts';
import { AMOUNT_CAP_MSAT, applyFold, type Bounds, IDENTITY_FOLD } from './bounds-fold.ts';
import { directionKey } from './cell.ts';
import type { Layer } from './layer.ts';
import type { LiquidityRecord } from './liquidity-records.ts';

/** The belief about one direction. */
export interface Belief {
  readonly of: ShortChannelIdDir;
  /** Undefined if the channel is neither in the graph nor in the layer. */
  readonly capacityMsat: bigint | undefined;
  readonly bounds: Bounds;
  /** Number of records that name the direction. */
  readonly records: number;
  /** UNIX seconds of the newest record. */
  readonly newest: number;
}

/** The capacity of a direction, and its bounds according to the records of one layer. */
export function boundsIn(
  layer: Layer,
  { shortChannelId, direction }: ShortChannelIdDir,
  graph: ChannelGraph,
): { readonly bounds: Bounds; readonly capacityMsat: bigint | undefined } {
  const channel = graph.channelIndex(shortChannelId);
  const known =
    channel < 0 ? layer.createdChannel(shortChannelId)?.capacityMsat : graph.capacityMsat[channel]!;
  const capacityMsat = known ?? AMOUNT_CAP_MSAT;
  const fold = layer.channelCell(shortChannelId)?.bounds[direction] ?? IDENTITY_FOLD;
  return {
    bounds: applyFold(fold, { minMsat: 0n, maxMsat: capacityMsat }, capacityMsat),
    capacityMsat: known,
  };
}

/** The beliefs of a layer, in the order in which their directions were first named. O(records). */
export function beliefsOf(layer: Layer, graph: ChannelGraph): Belief[] {
  const named = new Map<bigint, { of: ShortChannelIdDir; records: number; newest: number }>();
  for (const { shortChannelId, direction, timestamp } of layer.records) {
    const key = directionKey(shortChannelId, direction);
    const known = named.get(key);
    if (known === undefined)
      named.set(key, { of: { shortChannelId, direction }, records: 1, newest: timestamp });
    else {
      known.records++;
      known.newest = Math.max(known.newest, timestamp);
    }
  }
  return [...named.values()].map((one) => ({ ...one, ...boundsIn(layer, one.of, graph) }));
}

/** The records of a layer for both directions of a channel, oldest first. O(records). */
export function recordsAbout(layer: Layer, { shortChannelId }: ShortChannelIdDir): LiquidityRecord[] {
  return [...layer.records]
    .filter((record) => record.shortChannelId === shortChannelId)
    .sort((a, b) => a.timestamp - b.timestamp);
}
