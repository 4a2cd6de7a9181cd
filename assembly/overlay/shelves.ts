/**
 * Cache of stacks that are likely to be applied again, such as those of several senders or of alternating queries.
 *
 * The *key* of a kept stack is its layer with the most cells. Kept stacks share a memory of fixed size. A new one is
 * placed at the lowest address where it fits, so that a stack that is kept again and again as it grows uses little
 * memory; if there is no gap, the least recently filled ones are discarded. The applied stack never uses the records in
 * this memory: restoring a kept stack copies them (kept-stacks.ts).
 *
 * Invariants: kept stacks are listed by address and do not overlap; a layer's `kept` is the number of kept stacks that
 * contain it; kept records belong to the attached graph.
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

/** Default size of the memory in bytes. Pages take no physical memory until written. */
const DEFAULT_BYTES: u32 = 8 << 20;
const DEFAULT_LEAST_CELLS: u32 = 16;
/** Maximum number of kept stacks per key. */
const MAX_PER_KEY: u32 = 4;
/** Maximum number of kept stacks. Finding a gap takes time proportional to their number. */
const MAX_KEPT: u32 = 256;

/** All kept stacks. */
@unmanaged
export class Shelves {
  /**
   * Minimum number of cells of a key. Stacks whose layers are all smaller are not kept: applying them again is cheap.
   */
  leastCells: u32;
  /** Address of the memory; 0 until a stack is kept. */
  memory: usize;
  bytes: u32;
  /** The kept stack at the lowest address. */
  lowest: Shelf | null;
  count: u32;
  /** How many times a kept stack was filled. */
  fillings: u32;

  /** Call once for a new workspace: sets the fields of this class that do not start at zero. */
  begin(): void {
    this.leastCells = DEFAULT_LEAST_CELLS;
    this.bytes = DEFAULT_BYTES;
  }
}

/**
 * Sets the size of the cache and empties it.
 * @param bytes size of the memory in bytes
 * @param least see `Shelves.leastCells`
 */
export function reserveShelves(work: Workspace, bytes: u32, least: u32): void {
  const shelves = work.shelves;
  forgetShelves(work);
  if (bytes > shelves.bytes) shelves.memory = 0;
  shelves.bytes = bytes;
  shelves.leastCells = least;
}

/** Discards all kept stacks. */
export function forgetShelves(work: Workspace): void {
  const shelves = work.shelves;
  while (shelves.lowest !== null) giveUp(work, changetype<Shelf>(shelves.lowest));
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
 * Makes room for the applied stack, which has `layers` layers including global reservations, and for this many records.
 * Discards other kept stacks if necessary, but not `spared`. The caller then calls `place` and fills it. Returns null if
 * the stack would take too much of the memory.
 */
export function roomForShelf(work: Workspace, layers: u32, records: u32, spared: Shelf | null): Shelf | null {
  const shelves = work.shelves;
  const room = records + (records >> RESERVE_SHIFT);
  const bytes = (shelfHead(layers) as u32) + room * (DIRECTION_BYTES as u32);
  if (bytes > shelves.bytes >> 2) return null;
  if (shelves.memory === 0) shelves.memory = takePages(shelves.bytes);
  let at = shelves.count < MAX_KEPT ? lowestGap(shelves, bytes) : NONE;
  while (at === NONE) {
    // Even around `spared`, there is a gap of more than a quarter of the memory.
    giveUp(work, leastRecentlyFilled(shelves, spared));
    at = lowestGap(shelves, bytes);
  }
  const shelf = changetype<Shelf>(shelves.memory + at);
  shelf.bytes = bytes;
  shelf.layers = layers;
  shelf.layer(0).layer = GLOBAL_LAYER;
  for (let i: u32 = 1; i < layers; i++) shelf.layer(i).layer = layerAt(work.stack, i - 1);
  return shelf;
}

/** Lowest offset at which this many bytes are free, or NONE. */
function lowestGap(shelves: Shelves, bytes: u32): u32 {
  let at: u32 = 0;
  let shelf = shelves.lowest;
  while (shelf !== null && offsetIn(shelves, shelf) - at < bytes) {
    at = offsetIn(shelves, shelf) + shelf.bytes;
    shelf = shelf.above;
  }
  return at + bytes <= shelves.bytes ? at : NONE;
}

/** The kept stack that was filled least recently, other than `spared`. There must be one. */
function leastRecentlyFilled(shelves: Shelves, spared: Shelf | null): Shelf {
  let oldest: Shelf | null = null;
  let shelf = shelves.lowest;
  while (shelf !== null) {
    if (shelf !== spared && (oldest === null || shelf.filled < oldest.filled)) oldest = shelf;
    shelf = shelf.above;
  }
  return changetype<Shelf>(oldest);
}

/** Adds a stack, for which there is room, under `key`. */
export function place(work: Workspace, shelf: Shelf, key: u32): void {
  const shelves = work.shelves;
  const logs = work.logs;
  let below: Shelf | null = null;
  let above = shelves.lowest;
  while (above !== null && changetype<usize>(above) < changetype<usize>(shelf)) {
    below = above;
    above = above.above;
  }
  shelf.below = below;
  shelf.above = above;
  if (below === null) shelves.lowest = shelf;
  else below.above = shelf;
  if (above !== null) above.below = shelf;
  shelves.count += 1;
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

/** Discards a kept stack. */
export function giveUp(work: Workspace, shelf: Shelf): void {
  const shelves = work.shelves;
  const logs = work.logs;
  unlink(logOf(logs, shelf.key), shelf);
  const below = shelf.below;
  const above = shelf.above;
  if (below === null) shelves.lowest = above;
  else below.above = above;
  if (above !== null) above.below = below;
  shelves.count -= 1;
  for (let i: u32 = 0; i < shelf.layers; i++) {
    const layer = shelf.layer(i).layer;
    if (layer === SOURCEFREE) continue;
    const ofLayer = logOf(logs, layer);
    assert(ofLayer.kept > 0, 'a kept stack counts for each of its layers');
    ofLayer.kept -= 1;
    if (ofLayer.kept === 0) dropLog(work.arena, ofLayer);
  }
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

/** Offset of a stack in the memory. */
function offsetIn(shelves: Shelves, shelf: Shelf): u32 {
  return (changetype<usize>(shelf) - shelves.memory) as u32;
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
