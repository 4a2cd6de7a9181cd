/**
 * Finds what layers contain about some directions and nodes. If a request has different results with two lists of
 * layers, these entries may be the cause.
 */
import type { NodeId } from '../model/node-id.ts';
import { formatShortChannelIdDir, type ShortChannelIdDir } from '../model/short-channel-id.ts';
import { AUTOMATIC } from './automatic.ts';
import type { ChannelBiasEntry, ChannelUpdateEntry, CreatedChannelEntry, NodeBiasEntry } from './entries.ts';
import type { LayerBook } from './layer-book.ts';
import type { LiquidityRecord } from './liquidity-records.ts';
import type { Reservation } from './reservations.ts';

/** The directions (by their text form) and nodes whose entries are listed. */
export interface Places {
  readonly directions: ReadonlyMap<string, ShortChannelIdDir>;
  readonly nodes: ReadonlySet<string>;
}

/** One entry of a layer, by its kind. */
export type LayerEntry =
  | { readonly kind: 'sourceFree'; readonly node: string }
  | { readonly kind: 'localChannel'; readonly of: ShortChannelIdDir }
  | { readonly kind: 'disabledNode'; readonly node: NodeId }
  | { readonly kind: 'nodeBias'; readonly entry: NodeBiasEntry }
  | { readonly kind: 'createdChannel'; readonly entry: CreatedChannelEntry }
  | { readonly kind: 'channelUpdate'; readonly entry: ChannelUpdateEntry }
  | { readonly kind: 'bias'; readonly entry: ChannelBiasEntry }
  | { readonly kind: 'impression' | 'constraint'; readonly entry: LiquidityRecord }
  | { readonly kind: 'reservation'; readonly entry: Reservation };

/**
 * Names of the layers that one list contains more often than the other. If only the order differs, returns all layers.
 */
export function differingLayers(before: readonly string[], after: readonly string[]): Set<string> {
  const count = (list: readonly string[], name: string) => list.filter((each) => each === name).length;
  const all = [...new Set([...before, ...after])];
  const unequal = all.filter((name) => count(before, name) !== count(after, name));
  const isReordered = unequal.length === 0 && String(before) !== String(after);
  return new Set(isReordered ? all : unequal);
}

/**
 * The entries of a layer, or an automatic layer, about the given places. Empty if the layer does not exist, and for
 * `auto.learned`. O(records of the layer).
 * @param source source of the route request, to which `auto.sourcefree` applies
 */
export function entriesAt(name: string, places: Places, source: string, book: LayerBook): LayerEntry[] {
  const { directions } = places;
  if (name === AUTOMATIC.sourcefree.name) return [{ kind: 'sourceFree', node: source }];
  if (name === AUTOMATIC.localchans.name || name === AUTOMATIC.purse.name) {
    const layerId = book.layerIdByName(name)!;
    return [...directions.values()]
      .filter(({ shortChannelId }) => book.channelCell(layerId, shortChannelId))
      .map((of) => ({ kind: 'localChannel', of }));
  }
  const layer = book.layer(name);
  if (layer === undefined) return [];
  const channels = new Set([...directions.values()].map((each) => each.shortChannelId));
  return [
    ...ofNodes(layer, places),
    ...ofChannels(layer, channels),
    ...ofDirections(layer, directions),
    ...ofLiquidity(layer, channels, directions),
    ...[...book.reservations(layer)]
      .filter(({ shortChannelIdDir }) => directions.has(formatShortChannelIdDir(shortChannelIdDir)))
      .map((entry) => ({ kind: 'reservation', entry }) as const),
  ];
}

type KnownLayer = NonNullable<ReturnType<LayerBook['layer']>>;

function* ofNodes(layer: KnownLayer, { nodes }: Places): Generator<LayerEntry> {
  for (const node of new Set(layer.disabledNodes)) if (nodes.has(node)) yield { kind: 'disabledNode', node };
  for (const entry of layer.nodeBiases) if (nodes.has(entry.node)) yield { kind: 'nodeBias', entry };
}

function* ofChannels(layer: KnownLayer, channels: ReadonlySet<bigint>): Generator<LayerEntry> {
  for (const shortChannelId of channels as ReadonlySet<ShortChannelIdDir['shortChannelId']>) {
    const entry = layer.createdChannel(shortChannelId);
    if (entry !== undefined) yield { kind: 'createdChannel', entry };
  }
}

function* ofDirections(layer: KnownLayer, directions: Places['directions']): Generator<LayerEntry> {
  for (const { shortChannelId, direction } of directions.values()) {
    const update = layer.channelUpdate(shortChannelId, direction);
    if (update !== undefined) yield { kind: 'channelUpdate', entry: update };
    const bias = layer.channelBias(shortChannelId, direction);
    if (bias !== undefined) yield { kind: 'bias', entry: bias };
  }
}

/** Records of a direction, and impressions of the opposite direction, because they move liquidity here too. */
function* ofLiquidity(
  layer: KnownLayer,
  channels: ReadonlySet<bigint>,
  directions: Places['directions'],
): Generator<LayerEntry> {
  for (const entry of layer.records) {
    if (!channels.has(entry.shortChannelId)) continue;
    if (entry.kind === 'impression') yield { kind: 'impression', entry };
    else if (directions.has(formatShortChannelIdDir(entry))) yield { kind: 'constraint', entry };
  }
}
