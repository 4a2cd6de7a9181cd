/**
 * Contents of all layers: one cell (cells.ts) per (layer, channel) and per (layer, node).
 *
 * Cells are in a hash table by (layer, key), and each is in one of its layer's two lists. The host numbers layers by
 * dense slots; slot 0 holds global reservations, which always apply.
 *
 * Invariants: a layer has at most one cell of a channel or node; every cell is in the table and in its layer's list; a
 * node cell or created block holds a reference to its entry (entries.ts). The table doubles when it has as many cells
 * as places. Finding, adding and removing a cell take constant time on average.
 */
import { Arena, allocateBlock, freeBlock, takePages } from '../graph/arena';
import { Column, newColumn } from '../graph/column';
import { mix64 } from '../graph/numbers';
import { Workspace } from '../workspace';
import {
  BoundsStep,
  Cell,
  ChannelCell,
  CreatedBlock,
  DirectionCell,
  HeldBlock,
  KIND_CHANNEL,
  KIND_NODE,
  NodeCell,
  UpdateBlock,
} from './cells';
import { NodeEntry, releaseEntry, retainEntry } from './entries';

@unmanaged
class LayerSlot {
  channelCells: Cell | null;
  nodeCells: Cell | null;
  nodeCellCount: u32;
  channelCellCount: u32;
  /** The channels that the layer creates, and their number. */
  created: CreatedBlock | null;
  createdCount: u32;
}

const FIRST_SLOTS: u32 = 1024;

/** The cells of all layers. */
@unmanaged
export class CellTable {
  buckets: Column<Cell | null>;
  bucketMask: u32;
  cellCount: u32;
  slotTable: usize;
  slotCount: u32;
}

/** Initialises the empty table. Called once per instance. */
export function layersInit(cells: CellTable): void {
  cells.bucketMask = 0x3fff;
  cells.buckets = newColumn<Cell | null>(cells.bucketMask + 1);
  reserveLayerSlots(cells, 64);
}

/** Makes layer slots 0 … slots − 1 usable. */
export function reserveLayerSlots(cells: CellTable, slots: u32): void {
  if (slots <= cells.slotCount) return;
  let count: u32 = max<u32>(cells.slotCount, FIRST_SLOTS);
  while (count < slots) count <<= 1;
  const table = takePages((count as u64) * (offsetof<LayerSlot>() as u64));
  memory.copy(table, cells.slotTable, (cells.slotCount as usize) * offsetof<LayerSlot>());
  cells.slotTable = table;
  cells.slotCount = count;
}

function slotOf(cells: CellTable, layer: u32): LayerSlot {
  assert(layer < cells.slotCount, 'layer slot was not reserved');
  return changetype<LayerSlot>(cells.slotTable + (layer as usize) * offsetof<LayerSlot>());
}

function placeOf(cells: CellTable, layer: u32, key: u64): u32 {
  return (mix64(key + (layer as u64) * 0x9e3779b97f4a7c15) as u32) & cells.bucketMask;
}

function findCell(cells: CellTable, layer: u32, key: u64, kind: u32): Cell | null {
  let cell = cells.buckets[placeOf(cells, layer, key)];
  while (cell !== null && (cell.key !== key || cell.layer !== layer || cell.kind !== kind))
    cell = cell.hashNext;
  return cell;
}

function addCell(work: Workspace, layer: u32, key: u64, kind: u32): Cell {
  const cells = work.cells;
  if (!ASC_NO_ASSERT)
    assert(findCell(cells, layer, key, kind) === null, 'a layer has one cell of a channel or node');
  if (cells.cellCount > cells.bucketMask) growBuckets(cells);
  const cell = allocateBlock<Cell>(work.arena);
  cell.key = key;
  cell.layer = layer;
  cell.kind = kind;
  chain(cells, cell);
  const slot = slotOf(cells, layer);
  const first = kind === KIND_NODE ? slot.nodeCells : slot.channelCells;
  cell.next = first;
  if (first !== null) first.previous = cell;
  setFirst(slot, kind, cell);
  if (kind === KIND_NODE) slot.nodeCellCount += 1;
  else slot.channelCellCount += 1;
  cells.cellCount++;
  return cell;
}

function chain(cells: CellTable, cell: Cell): void {
  const place = placeOf(cells, cell.layer, cell.key);
  cell.hashNext = cells.buckets[place];
  cells.buckets[place] = cell;
}

function unchain(cells: CellTable, cell: Cell): void {
  const place = placeOf(cells, cell.layer, cell.key);
  let before: Cell | null = null;
  let at = cells.buckets[place];
  while (at !== null && at !== cell) {
    before = at;
    at = at.hashNext;
  }
  assert(at === cell, 'a cell is in the table');
  if (before === null) cells.buckets[place] = cell.hashNext;
  else before.hashNext = cell.hashNext;
}

function setFirst(slot: LayerSlot, kind: u32, cell: Cell | null): void {
  if (kind === KIND_NODE) slot.nodeCells = cell;
  else slot.channelCells = cell;
}

function growBuckets(cells: CellTable): void {
  const oldMask = cells.bucketMask;
  const old = cells.buckets;
  cells.bucketMask = cells.bucketMask * 2 + 1;
  cells.buckets = newColumn<Cell | null>(cells.bucketMask + 1);
  for (let place: u32 = 0; place <= oldMask; place++) {
    let cell = old[place];
    while (cell !== null) {
      const next = cell.hashNext;
      chain(cells, cell);
      cell = next;
    }
  }
}

function removeCell(work: Workspace, cell: Cell): void {
  const cells = work.cells;
  const slot = slotOf(cells, cell.layer);
  unchain(cells, cell);
  const previous = cell.previous;
  const next = cell.next;
  if (previous !== null) previous.next = next;
  else setFirst(slot, cell.kind, next);
  if (next !== null) next.previous = previous;
  if (cell.kind === KIND_NODE) {
    slot.nodeCellCount -= 1;
    releaseEntry(work.entries, changetype<NodeEntry>(cell.key as usize));
  } else {
    slot.channelCellCount -= 1;
    freeBlocksOf(work, changetype<ChannelCell>(cell));
  }
  cells.cellCount--;
  freeBlock<Cell>(work.arena, cell);
}

function freeBlocksOf(work: Workspace, cell: ChannelCell): void {
  const entries = work.entries;
  const arena = work.arena;
  const created = cell.created;
  if (created !== null) {
    unlistCreated(slotOf(work.cells, cell.layer), created);
    releaseEntry(entries, created.node1);
    releaseEntry(entries, created.node2);
    freeBlock<CreatedBlock>(arena, created);
  }
  for (let direction: u32 = 0; direction < 2; direction++) {
    const side = cell.side(direction);
    freeBlock<UpdateBlock>(arena, side.update);
    freeBlock<HeldBlock>(arena, side.held);
    let step = side.bounds;
    while (step !== null) {
      const next = step.next;
      freeBlock<BoundsStep>(arena, step);
      step = next;
    }
  }
}

/**
 * Empties a layer's cell of a channel and returns it; creates it if missing. The host then fills it (`cellCreate`,
 * `cellSide`, …).
 */
export function channelCellReset(work: Workspace, layer: u32, shortChannelId: u64): ChannelCell {
  const known = channelCell(work.cells, layer, shortChannelId);
  if (known === null) return changetype<ChannelCell>(addCell(work, layer, shortChannelId, KIND_CHANNEL));
  freeBlocksOf(work, known);
  known.created = null;
  memory.fill(changetype<usize>(known.side(0)), 0, 2 * offsetof<DirectionCell>());
  return known;
}

/** Removes a layer's cell of a channel, if there is one. */
export function channelCellRemove(work: Workspace, layer: u32, shortChannelId: u64): void {
  const cell = channelCell(work.cells, layer, shortChannelId);
  if (cell !== null) removeCell(work, cell);
}

/** Records in a cell that the layer creates the channel between the nodes of two entries. The capacity is in msat. */
export function cellCreate(
  work: Workspace,
  cell: ChannelCell,
  node1: NodeEntry,
  node2: NodeEntry,
  capacity: i64,
): void {
  if (!ASC_NO_ASSERT) assert(cell.created === null, 'a cell creates its channel once');
  const created = allocateBlock<CreatedBlock>(work.arena);
  cell.created = created;
  listCreated(slotOf(work.cells, cell.layer), created);
  created.key = cell.key;
  created.capacityMsat = capacity;
  created.node1 = node1;
  created.node2 = node2;
  retainEntry(node1);
  retainEntry(node2);
}

function listCreated(slot: LayerSlot, created: CreatedBlock): void {
  const first = slot.created;
  created.next = first;
  if (first !== null) first.previous = created;
  slot.created = created;
  slot.createdCount += 1;
}

function unlistCreated(slot: LayerSlot, created: CreatedBlock): void {
  const next = created.next;
  const previous = created.previous;
  if (previous === null) slot.created = next;
  else previous.next = next;
  if (next !== null) next.previous = previous;
  slot.createdCount -= 1;
}

/** A cell's data about one direction. The host writes the bias. */
export function cellSide(cell: ChannelCell, direction: u32): DirectionCell {
  return cell.side(direction);
}

/** The update of a direction, created if missing. The host writes its fields. */
export function cellUpdate(arena: Arena, cell: ChannelCell, direction: u32): UpdateBlock {
  const side = cell.side(direction);
  const known = side.update;
  if (known !== null) return known;
  const update = allocateBlock<UpdateBlock>(arena);
  side.update = update;
  return update;
}

/** The reservation of a direction, created if missing. The host writes its fields. */
export function cellHeld(arena: Arena, cell: ChannelCell, direction: u32): HeldBlock {
  const side = cell.side(direction);
  const known = side.held;
  if (known !== null) return known;
  const held = allocateBlock<HeldBlock>(arena);
  side.held = held;
  return held;
}

/** Inserts a step before the existing steps of a direction's bounds, and returns it. The host writes its fields. */
export function cellBounds(arena: Arena, cell: ChannelCell, direction: u32): BoundsStep {
  const side = cell.side(direction);
  const step = allocateBlock<BoundsStep>(arena);
  step.next = side.bounds;
  side.bounds = step;
  return step;
}

/**
 * Sets a layer's cell of a node, or removes it if all values are defaults.
 * @returns whether the change affects directions of the node, not just its burden
 */
export function nodeCellSet(
  work: Workspace,
  layer: u32,
  entry: NodeEntry,
  disabled: bool,
  inBias: i32,
  outBias: i32,
  burden: u32,
): bool {
  let cell = nodeCell(work.cells, layer, entry);
  const changedTerms = cell !== null && cell.changesTerms;
  if (!disabled && inBias === 0 && outBias === 0 && burden === 0) {
    if (cell !== null) removeCell(work, cell);
    return changedTerms;
  }
  if (cell === null) {
    cell = changetype<NodeCell>(addCell(work, layer, changetype<usize>(entry) as u64, KIND_NODE));
    retainEntry(entry);
  }
  cell.disabled = disabled;
  cell.inBias = inBias;
  cell.outBias = outBias;
  cell.burden = min<u32>(burden, 31);
  return changedTerms || cell.changesTerms;
}

/** Removes all cells of a layer. The layer's slot can then be reused. */
export function layerClear(work: Workspace, layer: u32): void {
  const cells = work.cells;
  for (
    let cell: Cell | null = firstChannelCell(cells, layer);
    cell !== null;
    cell = firstChannelCell(cells, layer)
  )
    removeCell(work, cell);
  for (let cell: Cell | null = firstNodeCell(cells, layer); cell !== null; cell = firstNodeCell(cells, layer))
    removeCell(work, cell);
}

/** A layer's cell of a channel, or null. */
export function channelCell(cells: CellTable, layer: u32, shortChannelId: u64): ChannelCell | null {
  return changetype<ChannelCell | null>(findCell(cells, layer, shortChannelId, KIND_CHANNEL));
}

/** A layer's cell of a node, or null. */
export function nodeCell(cells: CellTable, layer: u32, entry: NodeEntry): NodeCell | null {
  return changetype<NodeCell | null>(findCell(cells, layer, changetype<usize>(entry) as u64, KIND_NODE));
}

/** First channel cell of a layer; `next` leads to the others. */
export function firstChannelCell(cells: CellTable, layer: u32): Cell | null {
  return slotOf(cells, layer).channelCells;
}

/** First node cell of a layer; `next` leads to the others. */
export function firstNodeCell(cells: CellTable, layer: u32): Cell | null {
  return slotOf(cells, layer).nodeCells;
}

/** Whether a layer has node cells. */
export function hasNodeCells(cells: CellTable, layer: u32): bool {
  return slotOf(cells, layer).nodeCellCount !== 0;
}

/** First channel that a layer creates; `next` leads to the others. */
export function firstCreated(cells: CellTable, layer: u32): CreatedBlock | null {
  return slotOf(cells, layer).created;
}

/** Number of channels that a layer creates. */
export function createdCountOf(cells: CellTable, layer: u32): u32 {
  return slotOf(cells, layer).createdCount;
}

/** Number of a layer's channel cells. */
export function channelCellCount(cells: CellTable, layer: u32): u32 {
  return slotOf(cells, layer).channelCellCount;
}

/** Number of a layer's cells. */
export function cellCountOf(cells: CellTable, layer: u32): u32 {
  const slot = slotOf(cells, layer);
  return slot.channelCellCount + slot.nodeCellCount;
}

/** Number of cells of all layers together. */
export function cellsUsed(cells: CellTable): u32 {
  return cells.cellCount;
}
