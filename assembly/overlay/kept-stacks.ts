/**
 * Caches applied stacks of layers, and picks the cheapest state from which to reach the next stack.
 *
 * The change can start from the applied stack, from a kept stack (shelves.ts), or from no layers. Its estimated cost
 * counts the cells in layers that only the start or only the next stack has, the changes of a kept stack's layers since
 * it was kept, and the override records to copy. Switching between kept stacks of unchanged layers computes no record:
 * the records are copied.
 *
 * Small layers are not kept: applying them again is cheap, and the layer of a single payment would soon make the kept
 * stack useless. Nor are created channels, which have no fixed place among the graph's: they are removed before the
 * stack is left, and created again after a kept stack is restored. No record of the graph's channels depends on them.
 */
import { Column, newColumn } from '../graph/column';
import { copyRecord, recordIn } from '../graph/direction';
import { NONE } from '../graph/graph';
import { Workspace } from '../workspace';
import { clearBurdens, refreshBurdens } from './burdens';
import { CreatedBlock } from './cells';
import { dropCreated } from './created-channels';
import { GLOBAL_LAYER } from './effective';
import { changeAt, LayerLogs, listChanges, logOf } from './layer-log';
import { cellCountOf, createdCountOf, firstCreated } from './layers';
import { overriddenAt } from './overridden';
import {
  clearOverrides,
  recomputeArcsOf,
  recomputeChannel,
  recomputeLayer,
  restoreOverride,
} from './recompute';
import { recordOf, recordsChanged, recordsRestored } from './scratch';
import { KeptLayer, Shelf } from './shelf';
import {
  changesSince,
  giveUp,
  hasRoom,
  isKept,
  keyOfStack,
  newestUsable,
  place,
  reuse,
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
  timesApplied,
} from './stack';

/** Cost of applying a cell, in units of copying one record. Applying a cell computes two directions. */
const CELL_COST: u32 = 12;

/** Switches to the state from which the next stack, of `length` layers, is estimated to be cheapest to reach. */
export function startFromCheapest(work: Workspace, length: u32): void {
  const stack = work.stack;
  const overridden = work.overridden;
  let nextCells: u32 = 0;
  let key = NONE;
  let most: u32 = max<u32>(work.shelves.leastCells, 1);
  for (let i: u32 = 0; i < length; i++) {
    const layer = otherLayerAt(stack, i);
    if (layer === SOURCEFREE) continue;
    const cells = cellCountOf(work.cells, layer);
    nextCells += cells;
    marksOf(stack, layer).compared = 1;
    if (cells < most) continue;
    key = layer;
    most = cells;
  }
  const fromApplied = CELL_COST * distance(work, null, nextCells);
  const leaving = overridden.overriddenCount + work.created.count;
  let least = leaving + CELL_COST * (nextCells + cellCountOf(work.cells, GLOBAL_LAYER));
  let best: Shelf | null = null;
  let shelf: Shelf | null = key === NONE ? null : newestUsable(work, key);
  while (shelf !== null) {
    const changed = changesSince(work.logs, shelf) + distance(work, shelf, nextCells);
    const cost = leaving + shelf.records + CELL_COST * (changed + createdIn(work, shelf));
    if (cost < least) {
      least = cost;
      best = shelf;
    }
    shelf = shelf.older;
  }
  for (let i: u32 = 0; i < length; i++) {
    const layer = otherLayerAt(stack, i);
    if (layer !== SOURCEFREE) marksOf(stack, layer).compared = 0;
  }
  if (fromApplied <= least) return;
  leave(work, best);
  if (best === null) enterEmpty(work);
  else enter(work, best);
}

/** Number of channels to create after the shelf is restored. */
function createdIn(work: Workspace, shelf: Shelf): u32 {
  let count: u32 = 0;
  for (let i: u32 = 1; i < shelf.layers; i++) {
    const layer = shelf.layer(i).layer;
    if (layer !== SOURCEFREE) count += createdCountOf(work.cells, layer);
  }
  return count;
}

/**
 * Number of cells of layers that are in the next stack or in this shelf, but not in both. A null shelf stands for the
 * applied stack.
 */
function distance(work: Workspace, shelf: Shelf | null, nextCells: u32): u32 {
  const stack = work.stack;
  let inBoth: u32 = 0;
  let inOther: u32 = 0;
  // The first layer of a kept stack holds the global reservations, which always apply.
  const first: u32 = shelf === null ? 0 : 1;
  const end = shelf === null ? stack.stackLength : shelf.layers;
  for (let i = first; i < end; i++) {
    const layer = shelf === null ? layerAt(stack, i) : shelf.layer(i).layer;
    if (layer === SOURCEFREE) continue;
    const cells = cellCountOf(work.cells, layer);
    if (marksOf(stack, layer).compared !== 0) inBoth += cells;
    else inOther += cells;
  }
  // A layer may be in a stack several times, so this is an estimate.
  return inOther + (nextCells > inBoth ? nextCells - inBoth : 0);
}

/**
 * Empties the applied stack, after keeping a copy if that is worthwhile. Never discards `next` to make room for the
 * copy.
 */
function leave(work: Workspace, next: Shelf | null): void {
  const stack = work.stack;
  // Only created channels leave a created node, so no other direction depends on this source.
  if (stack.sourceFree !== NONE && stack.sourceFree >= work.graph.nodeCount) setSourceFree(stack, NONE);
  const key = keyOfStack(work);
  const isWanted = key !== NONE && !isKept(work.logs, key, work.scratch.recordsVersion);
  if (isWanted) dropSmallLayers(work);
  dropCreated(work);
  if (isWanted) keep(work, key, next);
  clearOverrides(work);
  for (let i: u32 = 0; i < stack.stackLength; i++) {
    const layer = layerAt(stack, i);
    if (layer !== SOURCEFREE) clearBurdens(work, layer);
  }
  emptyStack(stack);
  setSourceFree(stack, NONE);
}

function dropSmallLayers(work: Workspace): void {
  const stack = work.stack;
  for (let i = stack.stackLength; i-- > 0; ) {
    const layer = layerAt(stack, i);
    if (layer !== SOURCEFREE && cellCountOf(work.cells, layer) < work.shelves.leastCells) dropLayer(work, i);
  }
}

/** Takes the layer at a place off the applied stack. */
function dropLayer(work: Workspace, place: u32): void {
  const stack = work.stack;
  const layer = layerAt(stack, place);
  dropPlace(stack, place);
  if (timesApplied(stack, layer) === 0) recomputeLayer(work, layer);
}

/**
 * Keeps the applied stack, in place of a kept stack of the same layers if it fits there. Never discards `next` to make
 * room.
 */
function keep(work: Workspace, key: u32, next: Shelf | null): void {
  const stack = work.stack;
  const records = work.overridden.overriddenCount;
  let shelf = keptBefore(work, key, next);
  if (shelf !== null && changesSince(work.logs, shelf) === 0) return;
  if (shelf !== null && hasRoom(shelf, records)) reuse(work, shelf);
  else {
    if (shelf !== null) giveUp(work, shelf);
    shelf = roomForShelf(work, stack.stackLength + 1, records, next);
    if (shelf === null) return;
    place(work, shelf, key);
  }
  fill(work, shelf);
}

/** The kept stack under `key`, other than `next`, with the layers of the applied stack; null if there is none. */
function keptBefore(work: Workspace, key: u32, next: Shelf | null): Shelf | null {
  let shelf = logOf(work.logs, key).shelves;
  while (shelf !== null && (shelf === next || !hasLayersOf(shelf, work))) shelf = shelf.older;
  return shelf;
}

function hasLayersOf(shelf: Shelf, work: Workspace): bool {
  const stack = work.stack;
  if (shelf.layers !== stack.stackLength + 1) return false;
  for (let i: u32 = 0; i < stack.stackLength; i++)
    if (shelf.layer(i + 1).layer !== layerAt(stack, i)) return false;
  return true;
}

/** Copies the applied stack and its records to the shelf. */
function fill(work: Workspace, shelf: Shelf): void {
  const stack = work.stack;
  const overridden = work.overridden;
  shelf.records = overridden.overriddenCount;
  shelf.sourceFree = stack.sourceFree;
  shelf.version = work.scratch.recordsVersion;
  shelf.filled = ++work.shelves.fillings;
  for (let i: u32 = 0; i < shelf.layers; i++) noteVersions(work.logs, shelf.layer(i));
  const table = shelf.table;
  for (let i: u32 = 0; i < overridden.overriddenCount; i++) {
    copyRecord(recordIn(table, i), recordOf(work, overriddenAt(overridden, i)));
  }
}

function noteVersions(logs: LayerLogs, kept: KeptLayer): void {
  if (kept.layer === SOURCEFREE) return;
  const log = logOf(logs, kept.layer);
  kept.version = log.version;
  kept.burdens = log.burdens;
}

/** Switches to the stack without layers. The caller has removed all overrides. */
function enterEmpty(work: Workspace): void {
  recordsChanged(work.scratch);
  recomputeLayer(work, GLOBAL_LAYER);
}

/**
 * Restores a kept stack, then applies the changes of its layers since it was kept. The caller has removed all
 * overrides.
 */
function enter(work: Workspace, shelf: Shelf): void {
  const stack = work.stack;
  recordsRestored(work.scratch, shelf.version);
  const table = shelf.table;
  for (let i: u32 = 0; i < shelf.records; i++) restoreOverride(work, recordIn(table, i));
  for (let i: u32 = 1; i < shelf.layers; i++) pushLayer(stack, shelf.layer(i).layer);
  setSourceFree(stack, shelf.sourceFree);
  for (let i: u32 = 0; i < shelf.layers; i++) {
    const kept = shelf.layer(i);
    if (kept.layer === SOURCEFREE) continue;
    followChanges(work, kept.layer, kept.version);
    if (logOf(work.logs, kept.layer).burdens !== kept.burdens) recordsChanged(work.scratch);
    refreshBurdens(work, kept.layer);
  }
  for (let i: u32 = 1; i < shelf.layers; i++) createChannels(work, shelf.layer(i).layer);
}

/** Creates the channels that a layer creates, under the applied stack. */
function createChannels(work: Workspace, layer: u32): void {
  if (layer === SOURCEFREE) return;
  let created: CreatedBlock | null = firstCreated(work.cells, layer);
  while (created !== null) {
    recomputeChannel(work, created.key);
    created = created.next;
  }
}

/** Changes of a layer since its stack was kept. */
@unmanaged
export class ChangedKeys {
  /** LoggedChange items, two words each. */
  changes: Column<u64>;
  room: u32;
}

/** Recomputes the channels and nodes that a layer changed since a version. */
function followChanges(work: Workspace, layer: u32, version: u32): void {
  const changed = work.changedKeys;
  const log = logOf(work.logs, layer);
  const count = log.version - version;
  if (count === 0) return;
  if (count > changed.room) {
    changed.room = count * 2;
    changed.changes = newColumn<u64>(changed.room * 2);
  }
  const changes = changetype<usize>(changed.changes);
  listChanges(log, count, changes);
  for (let i: u32 = 0; i < count; i++) {
    const change = changeAt(changes, i);
    if (change.isNode !== 0) recomputeArcsOf(work, change.key as u32, true, true);
    else recomputeChannel(work, change.key);
  }
}
