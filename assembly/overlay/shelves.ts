/**
 * Stacks that were applied before and are likely to return: those of several senders, or of queries that alternate.
 *
 * A kept stack is found by its *key*, the layer with the most cells. It lies in a ring of fixed size. Each kept stack
 * takes the place of the oldest ones. The applied stack is never in the ring: putting a kept one in place copies its
 * records (overlay.ts).
 *
 * Invariants: kept stacks lie in the ring in the order in which they were kept, without overlap; a layer's `kept`
 * counts the live ones that contain it; records in the ring belong to the attached graph.
 */
import { takePages } from '../graph/arena';
import { DIRECTION_BYTES } from '../graph/direction';
import { NONE } from '../graph/graph';
import { dropLog, logOf } from './layer-log';
import { cellCountOf } from './layers';
import { Shelf, shelfHead } from './shelf';
import { layerAt, SOURCEFREE, stackLength } from './stack';

/** Bytes of the ring where the host does not choose. Pages take no memory until they are written. */
const DEFAULT_BYTES: u32 = 8 << 20;
/** Layers with fewer cells are not kept: applying them again costs little. */
const DEFAULT_LEAST_CELLS: u32 = 16;
/** Maximum stacks that are found by one layer. */
const MAX_PER_KEY: u32 = 4;

/** Layers with fewer cells are not kept. */
export let leastCells: u32 = DEFAULT_LEAST_CELLS;
let ring: usize = 0;
let ringBytes: u32 = DEFAULT_BYTES;
/** Where the next stack is kept, relative to the ring. */
let head: u32 = 0;
let oldest: Shelf | null = null;
let newest: Shelf | null = null;

/**
 * Chooses how much is kept; what was kept is given up.
 * @param bytes size of the ring
 * @param least minimum cells of a layer that is kept
 */
export function reserveShelves(bytes: u32, least: u32): void {
  forgetShelves();
  if (bytes > ringBytes) ring = 0;
  ringBytes = bytes;
  leastCells = least;
}

/** Gives up all kept stacks: another graph is about to be attached. */
export function forgetShelves(): void {
  while (oldest !== null) forgetOldest();
  head = 0;
}

/** The layer with the most cells in the applied stack, or NONE where no layer is large enough to be kept. */
export function keyOfStack(): u32 {
  let key = NONE;
  let most: u32 = max<u32>(leastCells, 1);
  for (let i: u32 = 0; i < stackLength; i++) {
    const layer = layerAt(i);
    const cells: u32 = layer === SOURCEFREE ? 0 : cellCountOf(layer);
    if (cells < most) continue;
    key = layer;
    most = cells;
  }
  return key;
}

/**
 * Room for a stack of `layers` layers and so many records. The caller fills it and calls `place`. Null where it would
 * take too much of the ring, or the place of `spared`.
 */
export function roomForShelf(layers: u32, records: u32, spared: Shelf | null): Shelf | null {
  const bytes = (shelfHead(layers) as u32) + records * (DIRECTION_BYTES as u32);
  if (bytes > ringBytes >> 2) return null;
  if (ring === 0) ring = takePages(ringBytes);
  const wraps = head + bytes > ringBytes;
  if (spared !== null) {
    const at = placeOf(spared);
    if (wraps ? at >= head || at < bytes : at >= head && at < head + bytes) return null;
  }
  if (wraps) {
    forgetWithin(head, ringBytes);
    head = 0;
  }
  forgetWithin(head, head + bytes);
  const shelf = changetype<Shelf>(ring + head);
  shelf.bytes = bytes;
  shelf.layers = layers;
  shelf.records = records;
  shelf.newer = null;
  return shelf;
}

/** Adds a filled stack to those that are found by `key`. */
export function place(shelf: Shelf, key: u32): void {
  head += shelf.bytes;
  const before = newest;
  if (before === null) oldest = shelf;
  else before.newer = shelf;
  newest = shelf;
  shelf.key = key;
  const log = logOf(key);
  shelf.older = log.shelves;
  log.shelves = shelf;
  for (let i: u32 = 0; i < shelf.layers; i++) {
    const layer = shelf.layer(i).layer;
    if (layer !== SOURCEFREE) logOf(layer).kept += 1;
  }
}

/** The newest stack that is found by a layer, after stale and supernumerary ones were given up. */
export function newestUsable(key: u32): Shelf | null {
  const log = logOf(key);
  let count: u32 = 0;
  let shelf = log.shelves;
  while (shelf !== null) {
    const older = shelf.older;
    if (count === MAX_PER_KEY || changesSince(shelf) === NONE) giveUp(shelf);
    else count++;
    shelf = older;
  }
  return log.shelves;
}

/** Whether the records of this version are kept under a key. */
export function isKept(key: u32, version: u32): bool {
  let shelf = logOf(key).shelves;
  while (shelf !== null && shelf.version !== version) shelf = shelf.older;
  return shelf !== null;
}

/** Takes a kept stack out of those that can be found. Its place stays taken until its turn in the ring. */
export function giveUp(shelf: Shelf): void {
  const log = logOf(shelf.key);
  if (log.shelves === shelf) log.shelves = shelf.older;
  else {
    let newer = changetype<Shelf>(log.shelves);
    while (newer.older !== shelf) newer = changetype<Shelf>(newer.older);
    newer.older = shelf.older;
  }
  shelf.key = NONE;
  for (let i: u32 = 0; i < shelf.layers; i++) {
    const layer = shelf.layer(i).layer;
    if (layer === SOURCEFREE) continue;
    const ofLayer = logOf(layer);
    assert(ofLayer.kept > 0, 'a kept stack counts for each of its layers');
    ofLayer.kept -= 1;
    if (ofLayer.kept === 0) dropLog(ofLayer);
  }
}

function forgetOldest(): void {
  const shelf = changetype<Shelf>(oldest);
  if (shelf.key !== NONE) giveUp(shelf);
  oldest = shelf.newer;
  if (oldest === null) newest = null;
}

/** Where a stack lies in the ring. */
function placeOf(shelf: Shelf): u32 {
  return (changetype<usize>(shelf) - ring) as u32;
}

/** Gives up the stacks that begin within a stretch of the ring. They are the oldest ones. */
function forgetWithin(from: u32, to: u32): void {
  while (oldest !== null) {
    const at = placeOf(changetype<Shelf>(oldest));
    if (at < from || at >= to) return;
    forgetOldest();
  }
}

/** Changes of its layers since a stack was kept; NONE where it is stale. */
export function changesSince(shelf: Shelf): u32 {
  let changes: u32 = 0;
  for (let i: u32 = 0; i < shelf.layers; i++) {
    const kept = shelf.layer(i);
    if (kept.layer === SOURCEFREE) continue;
    const log = logOf(kept.layer);
    if (log.floor > kept.version) return NONE;
    changes += log.version - kept.version;
  }
  return changes;
}
