/**
 * The parts of a request that only this daemon knows: layers of single payments and others that are not shared, with
 * their reservations. A solver adds them to the shared layers for one search. Global reservations and automatic layers
 * are already on the solver (shared-reservations.ts, published-layers.ts).
 */
import { encode, type LayerChange, packCell } from '../engine/question/messages.ts';
import type { ChannelCell } from '../layers/cell.ts';
import { ChannelHistory } from '../layers/channel-history.ts';
import { type LayerBook, nameOfAutomatic } from '../layers/layer-book.ts';
import type { LiquidityLesson } from '../layers/layer-replica.ts';
import { LiquidityRecords } from '../layers/liquidity-records.ts';
import { SOURCEFREE } from '../layers/resolved-layers.ts';
import type { ShortChannelId } from '../model/short-channel-id.ts';
import { type LayerRef, SOURCEFREE_REF } from './bus-messages.ts';
import type { SharedLayers } from './shared-layers.ts';

/** Maximum number of cells sent with a request. If there are more, a local search is cheaper. */
const MAX_CELLS = 4_000;

/** Ids of layers included in a request count down from here. */
const FIRST_OWN = -2;

/** The layers of a request: references to them, and the changes that create the layers included in the request. */
export interface OwnLayers {
  readonly refs: readonly LayerRef[];
  readonly own: Uint8Array | undefined;
  /** Whether `refs` contains automatic layers. */
  readonly hasAutomatic: boolean;
}

/** Packs the parts of these layers that a request must include. Undefined if there are more than `MAX_CELLS` cells. */
export function ownLayers(
  { book, pendingLessons }: SharedLayers,
  layerIds: readonly number[],
): OwnLayers | undefined {
  const along = new CellsAlong();
  const refs: LayerRef[] = [];
  let hasAutomatic = false;
  const numbers = new Map<number, number>();
  const numberOf = (layerId: number, fill: (number: number) => void): number => {
    const known = numbers.get(layerId);
    if (known !== undefined) return known;
    const number = FIRST_OWN - numbers.size;
    numbers.set(layerId, number);
    fill(number);
    return number;
  };
  for (const layerId of layerIds) {
    if (layerId === SOURCEFREE) {
      refs.push(SOURCEFREE_REF);
      continue;
    }
    if (nameOfAutomatic(layerId) !== undefined) {
      refs.push(layerId);
      hasAutomatic = true;
      continue;
    }
    const name = book.layerNameById(layerId);
    const lessons = name === undefined ? undefined : pendingLessons(name);
    if (name === undefined || lessons === undefined) {
      refs.push(numberOf(layerId, (number) => along.addLayer(book, layerId, number)));
      continue;
    }
    refs.push(name);
    // Layers apply one after another, so the newest lessons can be in a separate layer after this one.
    if (lessons.length > 0) refs.push(numberOf(layerId, (number) => along.addLessons(lessons, number)));
  }
  if (along.isTooMuch) return undefined;
  return { refs, hasAutomatic, own: along.changes.length === 0 ? undefined : encode(along.changes) };
}

/** Cells sent with a request. */
class CellsAlong {
  readonly changes: LayerChange[] = [];

  get isTooMuch(): boolean {
    return this.changes.length > MAX_CELLS;
  }

  /** Adds a whole layer, unless the maximum is exceeded. */
  addLayer(book: LayerBook, from: number, to: number): void {
    const { channelIds, nodeIds } = book.cells(from);
    for (const shortChannelId of channelIds) {
      if (this.isTooMuch) return;
      const cell = book.channelCell(from, shortChannelId);
      if (cell !== undefined) this.changes.push(['channel', to, shortChannelId, packCell(cell)]);
    }
    for (const nodeId of nodeIds) {
      if (this.isTooMuch) return;
      this.changes.push(['node', to, nodeId, book.nodeCell(from, nodeId) ?? null]);
    }
  }

  addLessons(lessons: readonly LiquidityLesson[], to: number): void {
    const histories = new Map<ShortChannelId, ChannelHistory>();
    const records = new LiquidityRecords();
    for (const lesson of lessons) {
      const history = histories.get(lesson.shortChannelId) ?? new ChannelHistory();
      history.append(records, records.push(lesson));
      histories.set(lesson.shortChannelId, history);
    }
    for (const [shortChannelId, history] of histories) {
      const cell: ChannelCell = {
        ...{ updates: [undefined, undefined], bias: [0, 0], reservedMsat: [0n, 0n] },
        bounds: history.folds(records),
      };
      this.changes.push(['channel', to, shortChannelId, packCell(cell)]);
    }
  }
}
