/**
 * Carries a channel's entries over a splice (BOLT 2, "Channel Splicing"). The funding output is replaced, so the short
 * channel id and the capacity change. The nodes stay, and so do the balances except for the amount added or removed.
 *
 * It is unknown on which side the balance changed. With d = new capacity - old capacity, x a balance before and x'
 * after:
 *
 *     d > 0:  x <= x' <= x + d     the minimum stays, the maximum grows by d
 *     d < 0:  x + d <= x' <= x     the minimum shrinks by -d, the maximum stays
 *
 * The records of the old id are folded to bounds first, because they were clamped by the old capacity and would fold
 * differently with the new one.
 */
import type { Direction, ShortChannelId } from '../model/short-channel-id.ts';
import { applyFold } from './bounds-fold.ts';
import type { LayerMutation } from './entries.ts';
import type { Layer } from './layer.ts';

/** A channel that continues with a different id. */
export interface Splice {
  readonly from: ShortChannelId;
  readonly to: ShortChannelId;
  readonly oldCapacityMsat: bigint;
  readonly newCapacityMsat: bigint;
}

const DIRECTIONS: readonly Direction[] = [0, 1];

/** The changes that copy a layer's entries for the old id to the new id. O(entries of the layer). */
export function splicedEntries(layer: Layer, splice: Splice): LayerMutation[] {
  const { from, to } = splice;
  const mutations: LayerMutation[] = DIRECTIONS.flatMap((direction) =>
    carriedBounds(layer, direction, splice),
  );
  for (const { shortChannelId, direction, update } of layer.channelUpdates) {
    if (shortChannelId !== from) continue;
    mutations.push({ type: 'updateChannel', shortChannelId: to, direction, update });
  }
  for (const bias of layer.biases) {
    if (bias.shortChannelId === from) mutations.push({ type: 'biasChannel', ...bias, shortChannelId: to });
  }
  return mutations;
}

/** The bounds known after the splice: at most a minimum and a maximum, with the time of the newest record. */
function carriedBounds(
  layer: Layer,
  direction: Direction,
  { from, to, oldCapacityMsat, newCapacityMsat }: Splice,
): LayerMutation[] {
  const fold = layer.channelCell(from)?.bounds[direction] ?? [];
  if (fold.length === 0) return [];
  const before = applyFold(fold, { minMsat: 0n, maxMsat: oldCapacityMsat }, oldCapacityMsat);
  const change = newCapacityMsat - oldCapacityMsat;
  const minimum = change < 0n ? before.minMsat + change : before.minMsat;
  const maximum = change > 0n ? before.maxMsat + change : before.maxMsat;
  let timestamp = 0;
  for (const record of layer.records) {
    if (record.shortChannelId === from) timestamp = Math.max(timestamp, record.timestamp);
  }
  const about = { type: 'inform', shortChannelId: to, direction, timestamp } as const;
  return [
    ...(minimum > 0n ? [{ ...about, kind: 'minimum', amountMsat: minimum } as const] : []),
    ...(maximum < newCapacityMsat ? [{ ...about, kind: 'maximum', amountMsat: maximum } as const] : []),
  ];
}
