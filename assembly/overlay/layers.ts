/**
 * What every layer says, as this instance knows it: a cell per (layer, channel) and per (layer, node).
 *
 * The host sends absolute cells, so setting one twice is harmless. A layer's history of constraints and
 * impressions arrives folded per direction, because nearly all records compose to closed forms. What is left is
 * a chain of steps, hardly ever more than one or two:
 *
 *   min' = min(capacity, minHigh, max(minLow, min + minShift))
 *   max' = min(capacity, maxHigh, max(maxLow, max + maxShift))
 *
 * and applying a layer costs the same whether it holds one record of a channel or a thousand.
 *
 * All cells live in 64-byte blocks, chained in a hash table by (layer, key) and in a list per layer. Layers
 * are dense slots chosen by the host; slot 0 is the layer of global reservations, which always applies.
 *
 * Node ids that layers mention are kept once each, as *entries*, counted by what refers to them: node cells,
 * created channels, and applied channels of the overlay. One that nobody refers to any more waits as an orphan
 * until the overlay has a moment in which nothing holds its address (`takeOrphan`), and is freed: private
 * layers of payments come and go for years.
 */
import { allocateBlock, allocatePages, freeBlock } from '../graph/arena';
import { nodeIdHash, sameNodeId } from '../graph/graph';
import { mix64 } from '../graph/numbers';

// Channel cell (64 bytes). The first fields are shared with node cells.
const C_KEY: usize = 0; // u64: scid, or the node entry's address
const C_LAYER: usize = 8;
const C_HASH_NEXT: usize = 12;
const C_NEXT: usize = 16;
const C_PREVIOUS: usize = 20;
const C_KIND: usize = 24;
export const C_CREATED: usize = 28; // block, 0 if the layer does not create the channel
export const C_UPDATE: usize = 32; // two blocks, by direction
export const C_BOUNDS: usize = 40; // two chains of steps, by direction
export const C_BIAS: usize = 48; // two i32
export const C_HELD: usize = 56; // two blocks, by direction
// Node cell.
export const N_DISABLED: usize = 28;
export const N_IN_BIAS: usize = 32;
export const N_OUT_BIAS: usize = 36;

const KIND_CHANNEL: u32 = 1;
const KIND_NODE: u32 = 2;

// Update block.
export const U_MASK: usize = 0;
export const U_ENABLED: usize = 4;
export const U_HTLC_MIN: usize = 8;
export const U_HTLC_MAX: usize = 16;
export const U_BASE: usize = 24;
export const U_PPM: usize = 28;
export const U_CLTV: usize = 32;
export const MASK_ENABLED: u32 = 1;
export const MASK_HTLC_MIN: u32 = 2;
export const MASK_HTLC_MAX: u32 = 4;
export const MASK_BASE: u32 = 8;
export const MASK_PPM: u32 = 16;
export const MASK_CLTV: u32 = 32;

// Step of bounds: what it does to the minimum, what to the maximum, and the next step (u32, 0 after the last).
export const B_MIN: usize = 0;
export const B_MAX: usize = 24;
export const B_NEXT: usize = 48;
// What a step does to one bound, i64 each.
export const T_SHIFT: usize = 0;
export const T_LOW: usize = 8;
export const T_HIGH: usize = 16;

// Held block, i64 each.
export const H_RESERVED: usize = 0;
/** What each HTLC after the first takes off the bounds (own channels: commitment fees). */
export const H_EXTRA_HTLC: usize = 8;

// Created-channel block.
export const K_CAPACITY: usize = 0; // i64
export const K_NODE1: usize = 8; // node entries
export const K_NODE2: usize = 12;

// Node entry: a node some layer mentions.
export const E_ID: usize = 0; // 33 bytes
const E_HASH_NEXT: usize = 36;
/** Index in the attached graph or among the extra nodes; meaningful when E_STAMP is the current topology. */
export const E_NODE: usize = 40;
export const E_STAMP: usize = 44;
const E_REFERENCES: usize = 48;
const E_ORPHAN_NEXT: usize = 52;
/** Whether it waits among the orphans. */
const E_WAITS: usize = 56;

let cellBuckets: usize = 0;
let cellMask: u32 = 0;
let cellCount: u32 = 0;
let entryBuckets: usize = 0;
const ENTRY_MASK: u32 = 0x3fff;
let orphans: usize = 0;

// Per layer slot: first channel cell, first node cell, number of node cells.
const L_BYTES: u32 = 16;
let layerTable: usize = 0;
let layerSlots: u32 = 0;

function tableOf(entries: u32): usize {
  const table = allocatePages((entries as u64) * 4);
  if (table == 0) unreachable();
  return table;
}

/** Prepares the empty store; once per instance. */
export function layersInit(): void {
  cellMask = 0x3fff;
  cellBuckets = tableOf(cellMask + 1);
  entryBuckets = tableOf(ENTRY_MASK + 1);
  reserveLayerSlots(64);
}

/** Makes layer slots 0 … slots−1 usable. */
export function reserveLayerSlots(slots: u32): void {
  if (slots <= layerSlots) return;
  let capacity: u32 = max<u32>(layerSlots, 1024);
  while (capacity < slots) capacity <<= 1;
  const table = allocatePages((capacity as u64) * (L_BYTES as u64));
  if (table == 0) unreachable();
  memory.copy(table, layerTable, layerSlots * L_BYTES);
  layerTable = table;
  layerSlots = capacity;
}

// @ts-ignore: decorator
@inline
function layerAt(layer: u32): usize {
  assert(layer < layerSlots, 'layer slot was not reserved');
  return layerTable + (layer as usize) * (L_BYTES as usize);
}

// @ts-ignore: decorator
@inline
function cellHash(layer: u32, key: u64): u32 {
  return mix64(key + (layer as u64) * 0x9e3779b97f4a7c15) as u32;
}

function findCell(layer: u32, key: u64, kind: u32): usize {
  let cell = load<u32>(cellBuckets + ((cellHash(layer, key) & cellMask) << 2)) as usize;
  while (cell != 0) {
    if (load<u64>(cell) == key && load<u32>(cell + C_LAYER) == layer && load<u32>(cell + C_KIND) == kind) return cell;
    cell = load<u32>(cell + C_HASH_NEXT);
  }
  return 0;
}

function addCell(layer: u32, key: u64, kind: u32): usize {
  if (cellCount > cellMask) growBuckets();
  const cell = allocateBlock();
  store<u64>(cell + C_KEY, key);
  store<u32>(cell + C_LAYER, layer);
  store<u32>(cell + C_KIND, kind);
  const bucket = cellBuckets + ((cellHash(layer, key) & cellMask) << 2);
  store<u32>(cell + C_HASH_NEXT, load<u32>(bucket));
  store<u32>(bucket, cell as u32);
  const head = layerAt(layer) + (kind == KIND_NODE ? 4 : 0);
  const first = load<u32>(head) as usize;
  store<u32>(cell + C_NEXT, first as u32);
  if (first != 0) store<u32>(first + C_PREVIOUS, cell as u32);
  store<u32>(head, cell as u32);
  if (kind == KIND_NODE) store<u32>(layerAt(layer) + 8, load<u32>(layerAt(layer) + 8) + 1);
  cellCount++;
  return cell;
}

function growBuckets(): void {
  const oldMask = cellMask;
  const old = cellBuckets;
  cellMask = cellMask * 2 + 1;
  cellBuckets = tableOf(cellMask + 1);
  for (let i: u32 = 0; i <= oldMask; i++) {
    let cell = load<u32>(old + (i << 2)) as usize;
    while (cell != 0) {
      const next = load<u32>(cell + C_HASH_NEXT) as usize;
      const bucket = cellBuckets + ((cellHash(load<u32>(cell + C_LAYER), load<u64>(cell)) & cellMask) << 2);
      store<u32>(cell + C_HASH_NEXT, load<u32>(bucket));
      store<u32>(bucket, cell as u32);
      cell = next;
    }
  }
}

function removeCell(cell: usize): void {
  const layer = load<u32>(cell + C_LAYER);
  const kind = load<u32>(cell + C_KIND);
  const bucket = cellBuckets + ((cellHash(layer, load<u64>(cell)) & cellMask) << 2);
  let link = bucket;
  while ((load<u32>(link) as usize) != cell) link = (load<u32>(link) as usize) + C_HASH_NEXT;
  store<u32>(link, load<u32>(cell + C_HASH_NEXT));
  const previous = load<u32>(cell + C_PREVIOUS) as usize;
  const next = load<u32>(cell + C_NEXT);
  if (previous != 0) store<u32>(previous + C_NEXT, next);
  else store<u32>(layerAt(layer) + (kind == KIND_NODE ? 4 : 0), next);
  if (next != 0) store<u32>((next as usize) + C_PREVIOUS, previous as u32);
  if (kind == KIND_NODE) {
    store<u32>(layerAt(layer) + 8, load<u32>(layerAt(layer) + 8) - 1);
    releaseEntry(load<u64>(cell) as usize);
  } else freeParts(cell);
  cellCount--;
  freeBlock(cell);
}

function freeParts(cell: usize): void {
  const created = load<u32>(cell + C_CREATED) as usize;
  if (created != 0) {
    releaseEntry(load<u32>(created + K_NODE1));
    releaseEntry(load<u32>(created + K_NODE2));
    freeBlock(created);
  }
  for (let d: usize = 0; d < 8; d += 4) {
    freeBlock(load<u32>(cell + C_UPDATE + d));
    freeBlock(load<u32>(cell + C_HELD + d));
    let step = load<u32>(cell + C_BOUNDS + d) as usize;
    while (step != 0) {
      const next = load<u32>(step + B_NEXT) as usize;
      freeBlock(step);
      step = next;
    }
  }
}

/** The cell of a channel in a layer, emptied and ready to be filled; the host calls the `cell…` setters next. */
export function channelCellReset(layer: u32, scid: u64): usize {
  const cell = findCell(layer, scid, KIND_CHANNEL);
  if (cell == 0) return addCell(layer, scid, KIND_CHANNEL);
  freeParts(cell);
  memory.fill(cell + C_CREATED, 0, 64 - C_CREATED);
  return cell;
}

export function channelCellRemove(layer: u32, scid: u64): void {
  const cell = findCell(layer, scid, KIND_CHANNEL);
  if (cell != 0) removeCell(cell);
}

/** Makes the layer create the channel, between the nodes of two entries. The cell must not create it yet. */
export function cellCreate(cell: usize, node1: usize, node2: usize, capacity: i64): void {
  const created = part(cell + C_CREATED);
  store<i64>(created + K_CAPACITY, capacity);
  store<u32>(created + K_NODE1, node1 as u32);
  store<u32>(created + K_NODE2, node2 as u32);
  retainEntry(node1);
  retainEntry(node2);
}

/** Zeroed part blocks of a cell, made on first use; the host writes their fields through memory. */
export function cellUpdate(cell: usize, direction: u32): usize {
  return part(cell + C_UPDATE + ((direction as usize) << 2));
}

export function cellHeld(cell: usize, direction: u32): usize {
  return part(cell + C_HELD + ((direction as usize) << 2));
}

/** A new zeroed step of a cell's bounds, before those it has. */
export function cellBounds(cell: usize, direction: u32): usize {
  const first = cell + C_BOUNDS + ((direction as usize) << 2);
  const step = allocateBlock();
  store<u32>(step + B_NEXT, load<u32>(first));
  store<u32>(first, step as u32);
  return step;
}

/** Address of a cell's two biases (i32 by direction). */
export function cellBias(cell: usize): usize {
  return cell + C_BIAS;
}

function part(at: usize): usize {
  const known = load<u32>(at) as usize;
  if (known != 0) return known;
  const block = allocateBlock();
  store<u32>(at, block as u32);
  return block;
}

/** The entry of a node id, or 0 when no layer ever mentioned it. */
export function findEntry(id: usize): usize {
  let entry = load<u32>(entryBuckets + ((nodeIdHash(id) & ENTRY_MASK) << 2)) as usize;
  while (entry != 0 && !sameNodeId(entry + E_ID, id)) entry = load<u32>(entry + E_HASH_NEXT);
  return entry;
}

/** The entry of a node id, made on first mention. */
export function nodeEntry(id: usize): usize {
  const known = findEntry(id);
  if (known != 0) return known;
  const bucket = entryBuckets + ((nodeIdHash(id) & ENTRY_MASK) << 2);
  const entry = allocateBlock();
  memory.copy(entry + E_ID, id, 33);
  store<u32>(entry + E_HASH_NEXT, load<u32>(bucket));
  store<u32>(bucket, entry as u32);
  orphan(entry);
  return entry;
}

export function retainEntry(entry: usize): void {
  store<u32>(entry + E_REFERENCES, load<u32>(entry + E_REFERENCES) + 1);
}

export function releaseEntry(entry: usize): void {
  const references = load<u32>(entry + E_REFERENCES);
  assert(references > 0, 'an entry is released more often than retained');
  store<u32>(entry + E_REFERENCES, references - 1);
  if (references == 1) orphan(entry);
}

/** Puts an entry that nothing refers to among the orphans; it may find a user before they are looked at. */
function orphan(entry: usize): void {
  if (load<u32>(entry + E_WAITS)) return;
  store<u32>(entry + E_WAITS, 1);
  store<u32>(entry + E_ORPHAN_NEXT, orphans as u32);
  orphans = entry;
}

/** The next entry that nothing refers to, no longer findable; the caller frees its block. 0 at last. */
export function takeOrphan(): usize {
  while (orphans != 0) {
    const entry = orphans;
    orphans = load<u32>(entry + E_ORPHAN_NEXT);
    store<u32>(entry + E_WAITS, 0);
    if (load<u32>(entry + E_REFERENCES) != 0) continue;
    let link = entryBuckets + ((nodeIdHash(entry + E_ID) & ENTRY_MASK) << 2);
    while ((load<u32>(link) as usize) != entry) link = (load<u32>(link) as usize) + E_HASH_NEXT;
    store<u32>(link, load<u32>(entry + E_HASH_NEXT));
    return entry;
  }
  return 0;
}

/** Sets or, when it says nothing any more, removes a layer's cell of a node. */
export function nodeCellSet(layer: u32, entry: usize, disabled: bool, inBias: i32, outBias: i32): void {
  let cell = findCell(layer, entry as u64, KIND_NODE);
  if (!disabled && inBias == 0 && outBias == 0) {
    if (cell != 0) removeCell(cell);
    return;
  }
  if (cell == 0) {
    cell = addCell(layer, entry as u64, KIND_NODE);
    retainEntry(entry);
  }
  store<u32>(cell + N_DISABLED, disabled ? 1 : 0);
  store<i32>(cell + N_IN_BIAS, inBias);
  store<i32>(cell + N_OUT_BIAS, outBias);
}

/** Removes everything a layer says. The slot may then be given to another layer. */
export function layerClear(layer: u32): void {
  let cell = firstChannelCell(layer);
  while (cell != 0) {
    const next = nextCell(cell);
    removeCell(cell);
    cell = next;
  }
  cell = firstNodeCell(layer);
  while (cell != 0) {
    const next = nextCell(cell);
    removeCell(cell);
    cell = next;
  }
}

export function channelCell(layer: u32, scid: u64): usize {
  return findCell(layer, scid, KIND_CHANNEL);
}

export function nodeCell(layer: u32, entry: usize): usize {
  return findCell(layer, entry as u64, KIND_NODE);
}

export function firstChannelCell(layer: u32): usize {
  return load<u32>(layerAt(layer));
}

export function firstNodeCell(layer: u32): usize {
  return load<u32>(layerAt(layer) + 4);
}

export function hasNodeCells(layer: u32): bool {
  return load<u32>(layerAt(layer) + 8) != 0;
}

export function nextCell(cell: usize): usize {
  return load<u32>(cell + C_NEXT);
}

export function cellKey(cell: usize): u64 {
  return load<u64>(cell + C_KEY);
}

/** Cells of all layers together. */
export function cellsUsed(): u32 {
  return cellCount;
}
