/**
 * Cache of stacks that are likely to be applied again, such as those of several senders or of alternating queries.
 *
 * The *key* of a kept stack is its layer with the most cells. Kept stacks are in a ring of fixed size; new ones
 * replace the oldest. The applied stack never uses the records in the ring: restoring a kept stack copies them
 * (kept-stacks.ts).
 *
 * Invariants: kept stacks are in the ring in the order in which they were placed, without overlap; a layer's `kept`
 * is the number of live kept stacks that contain it; records in the ring belong to the attached graph.
 */
import { takePages } from '../graph/arena';
import { DIRECTION_BYTES } from '../graph/direction';
import { NONE } from '../graph/graph';
import { Workspace } from '../workspace';
import { GLOBAL_LAYER } from './effective';
import { dropLog, LayerLog, LayerLogs, logOf } from './layer-log';
import { cellCountOf } from './layers';
import { Shelf, shelfHead } from './shelf';
import { layerAt, SOURCEFREE } from './stack';

/** Default size of the ring in bytes. Pages take no physical memory until written. */
const DEFAULT_BYTES: u32 = 8 << 20;
const DEFAULT_LEAST_CELLS: u32 = 16;
/** Maximum number of kept stacks per key. */
const MAX_PER_KEY: u32 = 4;

/** The ring of kept stacks. */
@unmanaged
export class Shelves {
  /**
   * Minimum number of cells of a key. Stacks whose layers are all smaller are not kept: applying them again is cheap.
   */
  leastCells: u32;
  ring: usize;
  ringBytes: u32;
  /** Offset in the ring where the next stack is kept. */
  head: u32;
  oldest: Shelf | null;
  newest: Shelf | null;

  /** Call once for a new workspace: sets the fields of this class that do not start at zero. */
  begin(): void {
    this.leastCells = DEFAULT_LEAST_CELLS;
    this.ringBytes = DEFAULT_BYTES;
  }
}

/**
 * Sets the size of the cache and empties it.
 * @param bytes size of the ring in bytes
 * @param least see `Shelves.leastCells`
 */
export function reserveShelves(work: Workspace, bytes: u32, least: u32): void {
  const shelves = work.shelves;
  forgetShelves(work);
  if (bytes > shelves.ringBytes) shelves.ring = 0;
  shelves.ringBytes = bytes;
  shelves.leastCells = least;
}

/** Discards all kept stacks. */
export function forgetShelves(work: Workspace): void {
  const shelves = work.shelves;
  while (shelves.oldest !== null) forgetOldest(work);
  shelves.head = 0;
}

/** The layer with the most cells in the applied stack, or NONE if no layer is large enough to be kept. */
export function keyOfStack(work: Workspace): u32 {
  const stack = work.stack;
  let key = NONE;
  let most: u32 = max<u32>(work.shelves.leastCells, 1);
  for (let i: u32 = 0; i < stack.stackLength; i++) {
    const layer = layerAt(stack, i);
    const cells: u32 = layer === SOURCEFREE ? 0 : cellCountOf(work.cells, layer);
    if (cells < most) continue;
    key = layer;
    most = cells;
  }
  return key;
}

/**
 * Extra room for records in a kept stack, so that it can grow in place: the number of records shifted right by this.
 */
const RESERVE_SHIFT: u32 = 1;

/** Whether this many records fit into a kept stack's memory. */
export function hasRoom(shelf: Shelf, records: u32): bool {
  return (shelfHead(shelf.layers) as u32) + records * (DIRECTION_BYTES as u32) <= shelf.bytes;
}

/**
 * Makes a kept stack the newest under its key, and drops the logs that no other kept stack needs. The caller will
 * overwrite it.
 */
export function reuse(work: Workspace, shelf: Shelf): void {
  const logs = work.logs;
  const log = logOf(logs, shelf.key);
  unlink(log, shelf);
  shelf.older = log.shelves;
  log.shelves = shelf;
  for (let i: u32 = 0; i < shelf.layers; i++) {
    const layer = shelf.layer(i).layer;
    if (layer === SOURCEFREE) continue;
    const ofLayer = logOf(logs, layer);
    // No other kept stack needs this layer's log.
    if (ofLayer.kept === 1) dropLog(work.arena, ofLayer);
  }
}

/**
 * Makes room in the ring for the applied stack, which has `layers` layers including global reservations, and for this
 * many records. Discards the kept stacks that occupy this room. The caller then calls `place` and fills it. Returns
 * null if the stack would take too much of the ring or overwrite `spared`.
 */
export function roomForShelf(work: Workspace, layers: u32, records: u32, spared: Shelf | null): Shelf | null {
  const shelves = work.shelves;
  const room = records + (records >> RESERVE_SHIFT);
  const bytes = (shelfHead(layers) as u32) + room * (DIRECTION_BYTES as u32);
  if (bytes > shelves.ringBytes >> 2) return null;
  if (shelves.ring === 0) shelves.ring = takePages(shelves.ringBytes);
  const wraps = shelves.head + bytes > shelves.ringBytes;
  if (spared !== null) {
    const at = placeOf(shelves, spared);
    if (wraps ? at >= shelves.head || at < bytes : at >= shelves.head && at < shelves.head + bytes)
      return null;
  }
  if (wraps) {
    forgetWithin(work, shelves.head, shelves.ringBytes);
    shelves.head = 0;
  }
  forgetWithin(work, shelves.head, shelves.head + bytes);
  const shelf = changetype<Shelf>(shelves.ring + shelves.head);
  shelf.bytes = bytes;
  shelf.layers = layers;
  shelf.newer = null;
  shelf.previous = shelves.newest;
  shelf.layer(0).layer = GLOBAL_LAYER;
  for (let i: u32 = 1; i < layers; i++) shelf.layer(i).layer = layerAt(work.stack, i - 1);
  return shelf;
}

/** Adds a stack to the ring under `key`. */
export function place(work: Workspace, shelf: Shelf, key: u32): void {
  const shelves = work.shelves;
  const logs = work.logs;
  shelves.head += shelf.bytes;
  const before = shelves.newest;
  if (before === null) shelves.oldest = shelf;
  else before.newer = shelf;
  shelves.newest = shelf;
  shelf.key = key;
  const log = logOf(logs, key);
  shelf.older = log.shelves;
  log.shelves = shelf;
  for (let i: u32 = 0; i < shelf.layers; i++) {
    const layer = shelf.layer(i).layer;
    if (layer !== SOURCEFREE) logOf(logs, layer).kept += 1;
  }
}

/** The newest stack under a key, after discarding stale and surplus ones. */
export function newestUsable(work: Workspace, key: u32): Shelf | null {
  const logs = work.logs;
  const log = logOf(logs, key);
  let count: u32 = 0;
  let shelf = log.shelves;
  while (shelf !== null) {
    const older = shelf.older;
    if (count === MAX_PER_KEY || changesSince(logs, shelf) === NONE) giveUp(work, shelf);
    else count++;
    shelf = older;
  }
  return log.shelves;
}

/** Whether the records of this version are kept under a key. */
export function isKept(logs: LayerLogs, key: u32, version: u32): bool {
  let shelf = logOf(logs, key).shelves;
  while (shelf !== null && shelf.version !== version) shelf = shelf.older;
  return shelf !== null;
}

/**
 * Discards a kept stack. Its memory is free at once if it was placed last; otherwise it stays occupied until the ring
 * reaches it.
 */
export function giveUp(work: Workspace, shelf: Shelf): void {
  const logs = work.logs;
  const log = logOf(logs, shelf.key);
  unlink(log, shelf);
  shelf.key = NONE;
  for (let i: u32 = 0; i < shelf.layers; i++) {
    const layer = shelf.layer(i).layer;
    if (layer === SOURCEFREE) continue;
    const ofLayer = logOf(logs, layer);
    assert(ofLayer.kept > 0, 'a kept stack counts for each of its layers');
    ofLayer.kept -= 1;
    if (ofLayer.kept === 0) dropLog(work.arena, ofLayer);
  }
  freeNewest(work.shelves);
}

/**
 * Frees the memory of discarded stacks that were placed last. So a stack that is kept again and again, as it grows,
 * does not use a new part of the ring each time.
 */
function freeNewest(shelves: Shelves): void {
  let newest = shelves.newest;
  while (newest !== null && newest.key === NONE) {
    shelves.head = placeOf(shelves, newest);
    newest = newest.previous;
  }
  shelves.newest = newest;
  if (newest !== null) {
    newest.newer = null;
    return;
  }
  shelves.oldest = null;
  shelves.head = 0;
}

/** Removes a stack from the list of its key. */
function unlink(log: LayerLog, shelf: Shelf): void {
  if (log.shelves === shelf) {
    log.shelves = shelf.older;
    return;
  }
  let newer = changetype<Shelf>(log.shelves);
  while (newer.older !== shelf) newer = changetype<Shelf>(newer.older);
  newer.older = shelf.older;
}

function forgetOldest(work: Workspace): void {
  const shelves = work.shelves;
  const shelf = changetype<Shelf>(shelves.oldest);
  if (shelf.key !== NONE) giveUp(work, shelf);
  // If no other stack is left, `freeNewest` has already removed it.
  if (shelves.oldest === null) return;
  const next = changetype<Shelf>(shelf.newer);
  next.previous = null;
  shelves.oldest = next;
}

/** Offset of a stack in the ring. */
function placeOf(shelves: Shelves, shelf: Shelf): u32 {
  return (changetype<usize>(shelf) - shelves.ring) as u32;
}

/** Discards the stacks that begin within a range of the ring. They are the oldest ones. */
function forgetWithin(work: Workspace, from: u32, to: u32): void {
  const shelves = work.shelves;
  while (shelves.oldest !== null) {
    const at = placeOf(shelves, changetype<Shelf>(shelves.oldest));
    if (at < from || at >= to) return;
    forgetOldest(work);
  }
}

/** Number of changes that the layers of a stack had since it was kept; NONE if the stack is stale. */
export function changesSince(logs: LayerLogs, shelf: Shelf): u32 {
  let changes: u32 = 0;
  for (let i: u32 = 0; i < shelf.layers; i++) {
    const kept = shelf.layer(i);
    if (kept.layer === SOURCEFREE) continue;
    const log = logOf(logs, kept.layer);
    if (log.floor > kept.version) return NONE;
    changes += log.version - kept.version;
  }
  return changes;
}
