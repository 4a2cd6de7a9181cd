/**
 * Chooses where the change to another stack of layers starts, and keeps stacks for later.
 *
 * The change can start from the applied stack, from a stack kept before (shelves.ts), or from no layers. Its cost is
 * estimated by the cells of layers that stand in one of the two stacks only, plus the override records that are copied.
 * Switching between stacks that were kept costs a copy of their records and nothing else.
 *
 * Small layers are not kept, since applying them again costs little, and layers of single payments would soon make the
 * kept stack useless. A stack with channels that layers create is not kept either.
 */
import { Column, newColumn } from '../graph/column';
import { DIRECTION_BYTES, recordIn } from '../graph/direction';
import { NONE, nodeCount } from '../graph/graph';
import { createdChannels } from './created-channels';
import { GLOBAL_LAYER } from './effective';
import { listChanges, logOf } from './layer-log';
import { cellCountOf } from './layers';
import { overriddenAt, overriddenCount } from './overridden';
import { clearOverrides, recomputeChannel, recomputeLayer, restoreOverride } from './recompute';
import { recordOf, recordsChanged, recordsRestored, recordsVersion } from './scratch';
import { Shelf } from './shelf';
import {
  changesSince,
  giveUp,
  isKept,
  keyOfStack,
  leastCells,
  newestUsable,
  place,
  roomForShelf,
} from './shelves';
import {
  dropPlace,
  emptyStack,
  layerAt,
  marksOf,
  otherLayerAt,
  pushLayer,
  SOURCEFREE,
  setSourceFree,
  sourceFree,
  stackLength,
  timesApplied,
} from './stack';

/** What applying a cell costs, in copies of a record: two directions are computed. */
const CELL_COST: u32 = 12;

/** Puts the state in place from which the next stack, of `length` layers, is estimated to be reached most cheaply. */
export function startFromCheapest(length: u32): void {
  // Channels that layers create go away one by one, and a created source has no number that lasts.
  if (createdChannels !== 0 || (sourceFree !== NONE && sourceFree >= nodeCount)) return;
  let nextCells: u32 = 0;
  let key = NONE;
  let most: u32 = max<u32>(leastCells, 1);
  for (let i: u32 = 0; i < length; i++) {
    const layer = otherLayerAt(i);
    if (layer === SOURCEFREE) continue;
    const cells = cellCountOf(layer);
    nextCells += cells;
    marksOf(layer).compared = 1;
    if (cells < most) continue;
    key = layer;
    most = cells;
  }
  const fromApplied = CELL_COST * distance(null, nextCells);
  let least = overriddenCount + CELL_COST * nextCells;
  let best: Shelf | null = null;
  let shelf: Shelf | null = key === NONE ? null : newestUsable(key);
  while (shelf !== null) {
    const changed = changesSince(shelf) + distance(shelf, nextCells);
    const cost = overriddenCount + shelf.records + CELL_COST * changed;
    if (cost < least) {
      least = cost;
      best = shelf;
    }
    shelf = shelf.older;
  }
  for (let i: u32 = 0; i < length; i++) {
    const layer = otherLayerAt(i);
    if (layer !== SOURCEFREE) marksOf(layer).compared = 0;
  }
  if (fromApplied <= least) return;
  leave(best);
  if (best === null) enterEmpty();
  else enter(best);
}

/** Cells of layers that stand in the next stack or in another, but not in both. Null stands for the applied stack. */
function distance(shelf: Shelf | null, nextCells: u32): u32 {
  let inBoth: u32 = 0;
  let inOther: u32 = 0;
  // The first layer of a kept stack is that of global reservations, which always applies.
  const first: u32 = shelf === null ? 0 : 1;
  const end = shelf === null ? stackLength : shelf.layers;
  for (let i = first; i < end; i++) {
    const layer = shelf === null ? layerAt(i) : shelf.layer(i).layer;
    if (layer === SOURCEFREE) continue;
    const cells = cellCountOf(layer);
    if (marksOf(layer).compared !== 0) inBoth += cells;
    else inOther += cells;
  }
  // A layer may stand in a stack several times, so this is an estimate.
  return inOther + (nextCells > inBoth ? nextCells - inBoth : 0);
}

/** Keeps the applied stack if that is worth it, and takes it away. `next` is not given up for it. */
function leave(next: Shelf | null): void {
  const key = keyOfStack();
  if (key !== NONE && !isKept(key, recordsVersion)) {
    dropSmallLayers();
    keep(key, next);
  }
  clearOverrides();
  emptyStack();
  setSourceFree(NONE);
}

/** Takes small layers off the applied stack. */
function dropSmallLayers(): void {
  for (let i = stackLength; i-- > 0; ) {
    const layer = layerAt(i);
    if (layer === SOURCEFREE || cellCountOf(layer) >= leastCells) continue;
    dropPlace(i);
    if (timesApplied(layer) === 0) recomputeLayer(layer);
  }
}

/** Keeps the applied stack. It takes the place of one of the same layers. */
function keep(key: u32, next: Shelf | null): void {
  if (createdChannels !== 0) return;
  const shelf = roomForShelf(stackLength + 1, overriddenCount, next);
  if (shelf === null) return;
  shelf.sourceFree = sourceFree;
  shelf.version = recordsVersion;
  noteLayer(shelf, 0, GLOBAL_LAYER);
  for (let i: u32 = 0; i < stackLength; i++) noteLayer(shelf, i + 1, layerAt(i));
  const table = shelf.table;
  for (let i: u32 = 0; i < overriddenCount; i++) {
    const record = recordOf(overriddenAt(i));
    memory.copy(changetype<usize>(recordIn(table, i)), changetype<usize>(record), DIRECTION_BYTES);
  }
  let other = logOf(key).shelves;
  while (other !== null) {
    const older = other.older;
    if (other !== next && sameLayers(other, shelf)) giveUp(other);
    other = older;
  }
  place(shelf, key);
}

function noteLayer(shelf: Shelf, at: u32, layer: u32): void {
  const kept = shelf.layer(at);
  kept.layer = layer;
  kept.version = layer === SOURCEFREE ? 0 : logOf(layer).version;
}

function sameLayers(a: Shelf, b: Shelf): bool {
  if (a.layers !== b.layers) return false;
  for (let i: u32 = 0; i < a.layers; i++) if (a.layer(i).layer !== b.layer(i).layer) return false;
  return true;
}

/** Applies no layers, where no override is left. */
function enterEmpty(): void {
  recordsChanged();
  recomputeLayer(GLOBAL_LAYER);
}

/** Puts a kept stack in place, where no override is left, and follows what its layers changed since. */
function enter(shelf: Shelf): void {
  recordsRestored(shelf.version);
  const table = shelf.table;
  for (let i: u32 = 0; i < shelf.records; i++) restoreOverride(recordIn(table, i));
  for (let i: u32 = 1; i < shelf.layers; i++) pushLayer(shelf.layer(i).layer);
  setSourceFree(shelf.sourceFree);
  for (let i: u32 = 0; i < shelf.layers; i++) {
    const kept = shelf.layer(i);
    if (kept.layer !== SOURCEFREE) followChanges(kept.layer, kept.version);
  }
}

let keyColumn: Column<u64> = changetype<Column<u64>>(0);
let keyRoom: u32 = 0;

/** Recomputes the channels that a layer changed since a version. */
function followChanges(layer: u32, version: u32): void {
  const log = logOf(layer);
  const count = log.version - version;
  if (count === 0) return;
  if (count > keyRoom) {
    keyRoom = count * 2;
    keyColumn = newColumn<u64>(keyRoom);
  }
  listChanges(log, count, changetype<usize>(keyColumn));
  for (let i: u32 = 0; i < count; i++) recomputeChannel(keyColumn[i]);
}
