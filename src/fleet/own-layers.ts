/**
 * What comes with a request because only this daemon knows it: layers that are not shared, with their reservations, and
 * its own channels. A solver lays it over the shared layers for one search. Reservations that count for everyone are on
 * the solver already (shared-reservations.ts).
 */
import { encode, type LayerChange, packCell } from '../engine/messages.ts';
import { LOCAL_CHANNELS_LAYER_ID } from '../layers/layer-book.ts';
import { SOURCEFREE } from '../layers/resolved-layers.ts';
import { type LayerRef, SOURCEFREE_REF } from './bus-messages.ts';
import type { SharedLayers } from './shared-layers.ts';

/** Most cells that go along with a request. With more of them the search is cheaper at home. */
const MOST_CELLS = 4_000;

/** Ids of layers that come with a request go down from here. */
const FIRST_OWN = -2;

/** Layers for a request: how it names them, and the changes that make those that come along. */
export interface OwnLayers {
  readonly refs: readonly LayerRef[];
  readonly own: Uint8Array | undefined;
}

/** Packs what must come along with these layers. Undefined when that is too much. */
export function ownLayers(
  { book, isShared }: SharedLayers,
  layerIds: readonly number[],
): OwnLayers | undefined {
  const changes: LayerChange[] = [];
  const add = (from: number, to: number): boolean => {
    const { channelIds, nodeIds } = book.cells(from);
    for (const shortChannelId of channelIds) {
      if (changes.length >= MOST_CELLS) return false;
      const cell = book.channelCell(from, shortChannelId);
      if (cell !== undefined) changes.push(['channel', to, shortChannelId, packCell(cell)]);
    }
    for (const nodeId of nodeIds) {
      if (changes.length >= MOST_CELLS) return false;
      changes.push(['node', to, nodeId, book.nodeCell(from, nodeId) ?? null]);
    }
    return true;
  };
  const refs: LayerRef[] = [];
  const numbers = new Map<number, number>();
  for (const layerId of layerIds) {
    if (layerId === SOURCEFREE) {
      refs.push(SOURCEFREE_REF);
      continue;
    }
    const name = layerId === LOCAL_CHANNELS_LAYER_ID ? undefined : book.layerNameById(layerId);
    if (name !== undefined && isShared(name)) {
      refs.push(name);
      continue;
    }
    const known = numbers.get(layerId);
    const number = known ?? FIRST_OWN - numbers.size;
    if (known === undefined && !add(layerId, number)) return undefined;
    numbers.set(layerId, number);
    refs.push(number);
  }
  return { refs, own: changes.length === 0 ? undefined : encode(changes) };
}
