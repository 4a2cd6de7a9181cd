/**
 * What follows a channel through a splice (BOLT 2, "Channel Splicing"): its funding output is replaced, so it gets another
 * short channel id and another capacity, while its nodes and its balances stay, but for what was added or taken out.
 *
 * Whose side the change is on is not known. With d = new capacity - old capacity, x a balance before and x' after:
 *
 *     d > 0:  x <= x' <= x + d     the minimum stays, the maximum grows by d
 *     d < 0:  x + d <= x' <= x     the minimum shrinks by -d, the maximum stays
 *
 * The records of the old id are folded to bounds first: they were clamped by the old capacity, and do not fold to the same
 * under another one.
 */
import type { Direction, ShortChannelId } from '../model/short-channel-id.ts';
import { applyFold } from './bounds-fold.ts';
import type { LayerMutation } from './entries.ts';
import type { Layer } from './layer.ts';

/** A channel that continues under another id. */
export interface Splice {
  readonly from: ShortChannelId;
  readonly to: ShortChannelId;
  readonly oldCapacityMsat: bigint;
  readonly newCapacityMsat: bigint;
}

const DIRECTIONS: readonly Direction[] = [0, 1];

/** The changes that make a layer say of the new id what it says of the old one. O(entries of the layer). */
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

/** At most a minimum and a maximum, with the time of the channel's newest record. */
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
