/**
 * Layers applied to the graph.
 *
 * The instance keeps one *stack* of layers applied. Every direction that some layer of the stack speaks of has
 * an override record (scratch.ts); all others read the graph. An override is always recomputed from nothing,
 * so its value never depends on how the stack came to be:
 *
 *   terms   gossip's, then per layer in order: a disabled end disables; `auto.sourcefree` clears fee and delay
 *           of what leaves the source; the layer's update overwrites field by field
 *   bounds  (0, capacity), then each layer's fold in order, then reservations subtracted from both
 *   bias    sum of channel biases, out-bias of the tail, in-bias of the head, clamped to ±100
 *
 * Going from one stack to the next recomputes only what differing layers speak of: a query under the same
 * stack as before costs nothing, a changed record costs one direction, a layer put on top and taken off again
 * costs its own size, however large the layers below. (Layers common to both stacks must keep their relative
 * order; if they do not, everything is recomputed.)
 *
 * Overrides of the graph's arcs lie in a table in the order of the arcs, as the graph's records do: a search
 * walks through the arcs into a node, and finds neighbours in neighbouring cache lines either way. Created
 * channels have blocks. They get numbers after the graph's own, nodes likewise.
 * Source of the rules: askrene, see the layer book's reference implementation, which a property test compares.
 */
import { allocateBlock, allocatePages, freeBlock } from './arena';
import {
  A_BASE,
  A_CLTV,
  A_FACTOR,
  A_FLAGS,
  A_HTLC_MAX,
  A_HTLC_MIN,
  A_INV_RANGE,
  A_MAX,
  A_MIN,
  A_PPM,
  A_SLOT,
  A_TAIL,
  ARC_BYTES,
  arcCount,
  arcOfSlot,
  attachRegion,
  baseRecord,
  channelCount,
  FLAG_DEAD_END,
  FLAG_ENABLED,
  FLAG_KNOWN,
  findChannel,
  findNode,
  graphCapacity,
  graphEnd,
  graphNodeId,
  graphScid,
  inEnabledEnd,
  inverseRange,
  NONE,
  nodeCount,
  outArcs,
  outStart,
} from './graph';
import {
  B_EXTRA_HTLC,
  B_MAX_HIGH,
  B_MAX_LOW,
  B_MAX_SHIFT,
  B_MIN_HIGH,
  B_MIN_LOW,
  B_MIN_SHIFT,
  B_RESERVED,
  C_BIAS,
  C_BOUNDS,
  C_CREATED,
  C_UPDATE,
  cellKey,
  channelCell,
  E_ID,
  E_NODE,
  E_STAMP,
  findEntry,
  firstChannelCell,
  firstNodeCell,
  hasNodeCells,
  K_CAPACITY,
  K_NODE1,
  K_NODE2,
  layerClear,
  MASK_BASE,
  MASK_CLTV,
  MASK_ENABLED,
  MASK_HTLC_MAX,
  MASK_HTLC_MIN,
  MASK_PPM,
  N_DISABLED,
  N_IN_BIAS,
  N_OUT_BIAS,
  nextCell,
  nodeCell,
  releaseEntry,
  reserveLayerSlots,
  retainEntry,
  takeOrphan,
  U_BASE,
  U_CLTV,
  U_ENABLED,
  U_HTLC_MAX,
  U_HTLC_MIN,
  U_MASK,
  U_PPM,
} from './layers';
import { AMOUNT_LIMIT, clampedAdd, exp, floorSub, mix64 } from './numbers';
import {
  ensureArcs,
  ensureNodes,
  overrides,
  recordOf,
  S_BYTES,
  S_ENTRY,
  S_EXTRA_IN,
  S_EXTRA_OUT,
  scratchReset,
  stateOf,
} from './scratch';

/** Stands in a stack for `auto.sourcefree`. */
export const SOURCEFREE: u32 = 0xffffffff;
const GLOBAL_LAYER: u32 = 0;
const STACK_LIMIT: u32 = 16384;
/** Override flag: the arc hangs in the lists of extra arcs. */
const FLAG_LINKED: u32 = 8;
/** Override flag: each HTLC after the first costs extra (own channels). */
export const FLAG_EXTRA_HTLC: u32 = 16;
/** A layer's base fee that does not fit 32 bits arrives as this. */
const BASE_BEYOND: u32 = 0xffffffff;
/** A bias of 100 makes a direction 30 times dearer or cheaper. */
const BIAS_SCALE: f64 = 3.4011973816621555 / 100.0;

// Created channel, 64 bytes.
const X_SCID: usize = 0;
const X_NODE1: usize = 8;
const X_NODE2: usize = 12;
const X_HASH_NEXT: usize = 16;
const X_INDEX: usize = 20;
const X_CAPACITY: usize = 32;
const X_ENTRY1: usize = 40;
const X_ENTRY2: usize = 44;
/** By direction: its links in the lists of what leaves its tail and of what enters its head. */
const X_OUT_LINKS: usize = 48;
const X_IN_LINKS: usize = 56;

// Link of a list of arcs at a node (scratch.ts).
const LINK_ARC: usize = 0;
const LINK_NEXT: usize = 4;
const LINK_PREVIOUS: usize = 8;
const VACANT_END: u32 = 0x7fffffff;

let stack: usize = 0;
let stackLength: u32 = 0;
let stackInput: usize = 0;
/** Marks per layer slot while two stacks are compared; grows with the slots. */
let marks: usize = 0;
let markSlots: u32 = 0;

let sourceFree: u32 = NONE;
let payableNode: u32 = NONE;
let topology: u32 = 0;

/** As many buckets as places in the table. */
let extraBuckets: usize = 0;
let extraTable: usize = 0;
let extraCapacity: u32 = 0;
let extraChannels: u32 = 0;
let extraFree: u32 = NONE;
export let extraLinks: u32 = 0;
let extraNodeTable: usize = 0;
let extraNodeCapacity: u32 = 0;
let extraNodes: u32 = 0;
let extraNodeFree: u32 = NONE;
/** Room for one override per arc of the graph; taken when the first is needed. */
let places: usize = 0;
let placeCapacity: u32 = 0;
/** Beside it: the link of an arc that hangs in the list of extra arcs into its head. */
let placeLinks: usize = 0;

export function overlayInit(): void {
  stack = allocatePages(STACK_LIMIT * 4);
  stackInput = allocatePages(STACK_LIMIT * 4);
  if (stack == 0 || stackInput == 0) unreachable();
  growExtraTable();
  ensureLayerSlots(64);
}

/** Where the host writes the next stack (it moves: ask before each write). */
export function nextStackInput(): usize {
  return stackInput;
}

/** Places taken by nodes that the graph does not have, vacant ones included. */
export function extraNodeCount(): u32 {
  return extraNodes;
}

/** Makes layer slots 0 … slots−1 usable. */
export function ensureLayerSlots(slots: u32): void {
  reserveLayerSlots(slots);
  if (slots <= markSlots) return;
  let capacity: u32 = max<u32>(markSlots, 1024);
  while (capacity < slots) capacity <<= 1;
  const table = allocatePages((capacity as u64) * 8);
  if (table == 0) unreachable();
  memory.copy(table, marks, markSlots * 8);
  marks = table;
  markSlots = capacity;
}

/** Times a layer stands in the applied stack. */
// @ts-ignore: decorator
@inline
function appliedAt(layer: u32): usize {
  return marks + ((layer as usize) << 3);
}

/** Attaches a published graph and applies the present stack to it. */
export function overlayAttach(region: usize): void {
  for (let arc = arcCount; arc < arcCount + 2 * extraChannels; arc++) {
    freeBlock(load<u32>(overrides + ((arc as usize) << 2)));
  }
  for (let node: u32 = 0; node < nodeCount + extraNodes; node++) {
    freeList(stateOf(node) + S_EXTRA_IN);
    freeList(stateOf(node) + S_EXTRA_OUT);
  }
  for (let k: u32 = 0; k < extraChannels; k++) {
    const extra = load<u32>(extraTable + ((k as usize) << 2));
    if ((extra & 1) == 0) freeExtra(extra);
  }
  memory.fill(extraBuckets, 0, extraCapacity << 2);
  extraChannels = 0;
  extraFree = NONE;
  extraNodes = 0;
  extraNodeFree = NONE;
  extraLinks = 0;
  sourceFree = NONE;
  payableNode = NONE;
  topology++;
  attachRegion(region);
  scratchReset();
  recomputeLayer(GLOBAL_LAYER);
  for (let i: u32 = 0; i < stackLength; i++) {
    const layer = load<u32>(stack + ((i as usize) << 2));
    if (layer != SOURCEFREE) recomputeLayer(layer);
  }
}

function freeList(head: usize): void {
  let link = load<u32>(head) as usize;
  while (link != 0) {
    const next = load<u32>(link + LINK_NEXT) as usize;
    freeBlock(link);
    link = next;
  }
}

/** Applies the stack of `length` entries at `stackInput`. False when it is longer than STACK_LIMIT. */
export function applyStack(length: u32): bool {
  if (length > STACK_LIMIT) return false;
  freeOrphans();
  if (!sameStack(length)) replaceStack(length);
  return true;
}

/** Frees the ids that no layer mentions any more, and the numbers of nodes that existed by them alone. */
function freeOrphans(): void {
  for (let entry = takeOrphan(); entry != 0; entry = takeOrphan()) {
    const node = load<u32>(entry + E_STAMP) == topology ? load<u32>(entry + E_NODE) : NONE;
    if (node != NONE) store<u32>(stateOf(node) + S_ENTRY, 0);
    if (node != NONE && node >= nodeCount) vacateNode(node);
    freeBlock(entry);
  }
}

/** Gives the number of a created node back. No channel is left at it: that would hold on to its entry. */
function vacateNode(node: u32): void {
  assert(load<u32>(stateOf(node) + S_EXTRA_OUT) == 0, 'a node with channels is vacated');
  memory.fill(stateOf(node), 0, S_BYTES);
  if (sourceFree == node) sourceFree = NONE;
  if (payableNode == node) payableNode = NONE;
  extraNodeFree = markVacant(extraNodeTable, node - nodeCount, extraNodeFree);
}

/**
 * Marks a table's place as vacant and returns it as head of the list of vacant places. It holds the next one,
 * told from an address by bit 0 (addresses are multiples of 64).
 */
function markVacant(table: usize, index: u32, head: u32): u32 {
  store<u32>(table + ((index as usize) << 2), ((head == NONE ? VACANT_END : head) << 1) | 1);
  return index;
}

/** The vacant place after this one; NONE at last. */
function vacantAfter(table: usize, index: u32): u32 {
  const next = load<u32>(table + ((index as usize) << 2)) >> 1;
  return next == VACANT_END ? NONE : next;
}

/** Applies what depends on the payment's ends (node indexes, found under the applied stack). */
export function applyEnds(source: u32, destination: u32): void {
  const wanted = sourceFreePosition(stack, stackLength) != NONE ? source : NONE;
  if (wanted != sourceFree) moveSourceFree(wanted);
  movePayable(isDisabled(destination) ? destination : NONE);
}

function sourceFreePosition(entries: usize, length: u32): u32 {
  for (let i: u32 = 0; i < length; i++) if (load<u32>(entries + ((i as usize) << 2)) == SOURCEFREE) return i;
  return NONE;
}

function sameStack(length: u32): bool {
  if (length != stackLength) return false;
  for (let i: usize = 0; i < (length as usize) << 2; i += 4) {
    if (load<u32>(stack + i) != load<u32>(stackInput + i)) return false;
  }
  return true;
}

function replaceStack(length: u32): void {
  const source = sourceFreePosition(stackInput, length) != NONE ? sourceFree : NONE;
  const keepsOrder = commonKeepOrder(length, false);
  const keepsFreedom = keepsOrder && commonKeepOrder(length, true);
  const oldStack = stack;
  const oldLength = stackLength;
  stack = stackInput;
  stackInput = oldStack;
  stackLength = length;
  // Second word of a layer's marks: how often it stood in the old stack; first word: in the new one.
  for (let i: u32 = 0; i < oldLength; i++) markOld(load<u32>(oldStack + ((i as usize) << 2)));
  for (let i: u32 = 0; i < length; i++) markNew(load<u32>(stack + ((i as usize) << 2)));
  if (source != sourceFree || !keepsFreedom) moveSourceFree(source);
  for (let i: u32 = 0; i < oldLength; i++) recomputeIfDiffering(load<u32>(oldStack + ((i as usize) << 2)), keepsOrder);
  for (let i: u32 = 0; i < length; i++) recomputeIfDiffering(load<u32>(stack + ((i as usize) << 2)), keepsOrder);
  for (let i: u32 = 0; i < oldLength; i++) settleMarks(load<u32>(oldStack + ((i as usize) << 2)));
  for (let i: u32 = 0; i < length; i++) settleMarks(load<u32>(stack + ((i as usize) << 2)));
}

function markOld(layer: u32): void {
  if (layer == SOURCEFREE) return;
  const at = appliedAt(layer);
  store<u32>(at, load<u32>(at) - 1);
  store<u32>(at + 4, load<u32>(at + 4) + 1);
}

function markNew(layer: u32): void {
  if (layer != SOURCEFREE) store<u32>(appliedAt(layer), load<u32>(appliedAt(layer)) + 1);
}

/** Clears the comparison word, so that a layer that stands several times is recomputed once only. */
function recomputeIfDiffering(layer: u32, keepsOrder: bool): void {
  if (layer == SOURCEFREE) return;
  const at = appliedAt(layer);
  const was = load<u32>(at + 4);
  if (was == NONE) return;
  if (!keepsOrder || was != load<u32>(at)) recomputeLayer(layer);
  store<u32>(at + 4, NONE);
}

function settleMarks(layer: u32): void {
  if (layer != SOURCEFREE) store<u32>(appliedAt(layer) + 4, 0);
}

/**
 * Whether the layers standing in both stacks stand in the same order in both; with `freedom`, also the places
 * of `auto.sourcefree` among them.
 */
function commonKeepOrder(length: u32, freedom: bool): bool {
  for (let i: u32 = 0; i < length; i++) {
    const layer = load<u32>(stackInput + ((i as usize) << 2));
    if (layer != SOURCEFREE) store<u32>(appliedAt(layer) + 4, 1);
  }
  let at: u32 = 0;
  let ordered = true;
  for (let i: u32 = 0; i < stackLength && ordered; i++) {
    const layer = load<u32>(stack + ((i as usize) << 2));
    if (!isCompared(layer, freedom)) continue;
    while (at < length && !isCompared(load<u32>(stackInput + ((at as usize) << 2)), freedom)) at++;
    ordered = at < length && load<u32>(stackInput + ((at as usize) << 2)) == layer;
    at++;
  }
  while (ordered && at < length) ordered = !isCompared(load<u32>(stackInput + ((at++ as usize) << 2)), freedom);
  for (let i: u32 = 0; i < length; i++) settleMarks(load<u32>(stackInput + ((i as usize) << 2)));
  return ordered;
}

/** While `commonKeepOrder` runs: in the applied stack and in the next one. */
function isCompared(layer: u32, freedom: bool): bool {
  if (layer == SOURCEFREE) return freedom;
  return load<u32>(appliedAt(layer)) != 0 && load<u32>(appliedAt(layer) + 4) != 0;
}

function moveSourceFree(source: u32): void {
  const old = sourceFree;
  sourceFree = source;
  if (old != NONE) recomputeArcsOf(old, true, false);
  if (source != NONE && source != old) recomputeArcsOf(source, true, false);
}

function movePayable(node: u32): void {
  if (node == payableNode) return;
  const old = payableNode;
  payableNode = node;
  if (old != NONE) recomputeArcsOf(old, false, true);
  if (node != NONE) recomputeArcsOf(node, false, true);
}

/** Whether some applied layer disables the node. */
function isDisabled(node: u32): bool {
  if (load<u32>(stateOf(node) + S_ENTRY) == 0) return false;
  for (let i: u32 = 0; i < stackLength; i++) {
    const layer = load<u32>(stack + ((i as usize) << 2));
    if (layer != SOURCEFREE && layerDisablesNode(layer, node)) return true;
  }
  return false;
}

/** Whether a layer disables a node. */
export function layerDisablesNode(layer: u32, node: u32): bool {
  const entry = load<u32>(stateOf(node) + S_ENTRY) as usize;
  if (entry == 0 || !hasNodeCells(layer)) return false;
  const cell = nodeCell(layer, entry);
  return cell != 0 && load<u32>(cell + N_DISABLED) != 0;
}

/** To be called after a layer's cell of a channel changed. */
export function channelChanged(layer: u32, scid: u64): void {
  if (layer == GLOBAL_LAYER || load<u32>(appliedAt(layer)) != 0) recomputeChannel(scid);
}

/** To be called after a layer's cell of a node changed. */
export function nodeChanged(layer: u32, entry: usize): void {
  if (load<u32>(appliedAt(layer)) != 0) recomputeNode(entry);
}

/** Forgets a layer; directions it spoke of are recomputed if it was applied. */
export function clearLayer(layer: u32): void {
  if (load<u32>(appliedAt(layer)) == 0 && layer != GLOBAL_LAYER) {
    layerClear(layer);
    return;
  }
  // Take the keys down first: a cell cannot be read once it is gone.
  let count: u32 = 0;
  for (let cell = firstChannelCell(layer); cell != 0; cell = nextCell(cell)) count++;
  const channelsEnd = count;
  for (let cell = firstNodeCell(layer); cell != 0; cell = nextCell(cell)) count++;
  if (count == 0) return;
  const keys = scratchKeys(count);
  let at = keys;
  for (let cell = firstChannelCell(layer); cell != 0; cell = nextCell(cell), at += 8) store<u64>(at, cellKey(cell));
  for (let cell = firstNodeCell(layer); cell != 0; cell = nextCell(cell), at += 8) store<u64>(at, cellKey(cell));
  layerClear(layer);
  for (let i: u32 = 0; i < count; i++) {
    const key = load<u64>(keys + ((i as usize) << 3));
    if (i < channelsEnd) recomputeChannel(key);
    else recomputeNode(key as usize);
  }
}

let keyTable: usize = 0;
let keyCapacity: u32 = 0;

function scratchKeys(count: u32): usize {
  if (count > keyCapacity) {
    keyCapacity = count * 2;
    keyTable = allocatePages((keyCapacity as u64) * 8);
    if (keyTable == 0) unreachable();
  }
  return keyTable;
}

function recomputeLayer(layer: u32): void {
  for (let cell = firstChannelCell(layer); cell != 0; cell = nextCell(cell)) recomputeChannel(cellKey(cell));
  for (let cell = firstNodeCell(layer); cell != 0; cell = nextCell(cell)) recomputeNode(cellKey(cell) as usize);
}

function recomputeNode(entry: usize): void {
  const node = resolve(entry, false);
  if (node != NONE) recomputeArcsOf(node, true, true);
}

/** Recomputes the directions leaving and/or entering a node. */
function recomputeArcsOf(node: u32, leaving: bool, entering: bool): void {
  if (node < nodeCount) {
    const end = load<u32>(outStart + ((node as usize) << 2) + 4);
    for (let k = load<u32>(outStart + ((node as usize) << 2)); k < end; k++) {
      const slot = load<u32>(baseRecord(load<u32>(outArcs + ((k as usize) << 2))) + A_SLOT);
      if (leaving) recomputeSlot(slot, graphScid(slot >> 1));
      if (entering) recomputeSlot(slot ^ 1, graphScid(slot >> 1));
    }
  }
  // Both directions of a created channel have the same ends: the list of what leaves finds what enters.
  let link = load<u32>(stateOf(node) + S_EXTRA_OUT) as usize;
  while (link != 0) {
    const slot = load<u32>(link);
    const scid = scidOf(slot >> 1);
    if (leaving) recomputeSlot(slot, scid);
    if (entering) recomputeSlot(slot ^ 1, scid);
    link = load<u32>(link + LINK_NEXT);
  }
}

function recomputeChannel(scid: u64): void {
  let channel = findChannel(scid);
  if (channel == NONE) {
    channel = settleExtra(scid);
    if (channel == NONE) return;
  }
  recomputeSlot(channel * 2, scid);
  recomputeSlot(channel * 2 + 1, scid);
}

/** Creates, moves or removes the extra channel as the first creator in the stack says. Its number, or NONE. */
function settleExtra(scid: u64): u32 {
  let created: usize = 0;
  for (let i: u32 = 0; i < stackLength && created == 0; i++) {
    const layer = load<u32>(stack + ((i as usize) << 2));
    if (layer == SOURCEFREE) continue;
    const cell = channelCell(layer, scid);
    if (cell != 0) created = load<u32>(cell + C_CREATED);
  }
  let extra = findExtra(scid);
  if (created == 0) {
    if (extra != 0) dropExtra(extra);
    return NONE;
  }
  const node1 = resolve(load<u32>(created + K_NODE1), true);
  const node2 = resolve(load<u32>(created + K_NODE2), true);
  const capacity = min<i64>(load<i64>(created + K_CAPACITY), AMOUNT_LIMIT);
  if (extra != 0 && (load<u32>(extra + X_NODE1) != node1 || load<u32>(extra + X_NODE2) != node2)) {
    dropExtra(extra);
    extra = 0;
  }
  if (extra == 0) extra = addExtra(scid, node1, node2, created);
  store<i64>(extra + X_CAPACITY, capacity);
  return channelCount + load<u32>(extra + X_INDEX);
}

function findExtra(scid: u64): usize {
  let extra = load<u32>(extraBucket(scid)) as usize;
  while (extra != 0 && load<u64>(extra + X_SCID) != scid) extra = load<u32>(extra + X_HASH_NEXT);
  return extra;
}

function extraBucket(scid: u64): usize {
  return extraBuckets + (((mix64(scid) as u32) & (extraCapacity - 1)) << 2);
}

function addExtra(scid: u64, node1: u32, node2: u32, created: usize): usize {
  const extra = allocateBlock();
  let index = extraChannels;
  if (extraFree != NONE) {
    index = extraFree;
    extraFree = vacantAfter(extraTable, index);
  } else {
    extraChannels++;
    if (index >= extraCapacity) growExtraTable();
    ensureArcs(arcCount + 2 * extraChannels);
  }
  store<u32>(extraTable + ((index as usize) << 2), extra as u32);
  store<u64>(extra + X_SCID, scid);
  store<u32>(extra + X_NODE1, node1);
  store<u32>(extra + X_NODE2, node2);
  store<u32>(extra + X_INDEX, index);
  for (let at: usize = 0; at < 8; at += 4) {
    const entry = load<u32>(created + K_NODE1 + at);
    store<u32>(extra + X_ENTRY1 + at, entry);
    retainEntry(entry);
  }
  const bucket = extraBucket(scid);
  store<u32>(extra + X_HASH_NEXT, load<u32>(bucket));
  store<u32>(bucket, extra as u32);
  for (let d: u32 = 0; d < 2; d++) {
    const arc = 2 * (channelCount + index) + d;
    store<u32>(overrides + ((arc as usize) << 2), allocateBlock() as u32);
    const link = pushLink(stateOf(d == 0 ? node1 : node2) + S_EXTRA_OUT, arc);
    store<u32>(extra + X_OUT_LINKS + (d << 2), link as u32);
  }
  return extra;
}

function growExtraTable(): void {
  const before = extraCapacity;
  const capacity = max<u32>(before * 2, 1024);
  const table = allocatePages((capacity as u64) * 8);
  if (table == 0) unreachable();
  memory.copy(table, extraTable, before << 2);
  extraTable = table;
  extraBuckets = table + ((capacity as usize) << 2);
  extraCapacity = capacity;
  for (let k: u32 = 0; k < before; k++) {
    const extra = load<u32>(extraTable + ((k as usize) << 2)) as usize;
    if (extra & 1) continue;
    const bucket = extraBucket(load<u64>(extra + X_SCID));
    store<u32>(extra + X_HASH_NEXT, load<u32>(bucket));
    store<u32>(bucket, extra as u32);
  }
}

function freeExtra(extra: usize): void {
  releaseEntry(load<u32>(extra + X_ENTRY1));
  releaseEntry(load<u32>(extra + X_ENTRY2));
  freeBlock(extra);
}

function dropExtra(extra: usize): void {
  const index = load<u32>(extra + X_INDEX);
  for (let d: u32 = 0; d < 2; d++) {
    const arc = 2 * (channelCount + index) + d;
    const record = load<u32>(overrides + ((arc as usize) << 2)) as usize;
    if ((load<u16>(record + A_FLAGS) as u32) & FLAG_LINKED) unlink(arc, load<u32>(extra + X_NODE1 + ((d ^ 1) << 2)));
    removeLink(stateOf(load<u32>(extra + X_NODE1 + (d << 2))) + S_EXTRA_OUT, load<u32>(extra + X_OUT_LINKS + (d << 2)));
    freeBlock(record);
    store<u32>(overrides + ((arc as usize) << 2), 0);
  }
  let link = extraBucket(load<u64>(extra + X_SCID));
  while ((load<u32>(link) as usize) != extra) link = (load<u32>(link) as usize) + X_HASH_NEXT;
  store<u32>(link, load<u32>(extra + X_HASH_NEXT));
  extraFree = markVacant(extraTable, index, extraFree);
  freeExtra(extra);
}

/** The index of a mentioned node; with `create`, one that is not in the graph gets a number after it. */
export function resolve(entry: usize, create: bool): u32 {
  if (load<u32>(entry + E_STAMP) == topology) {
    const known = load<u32>(entry + E_NODE);
    if (known != NONE || !create) return known;
  }
  let node = findNode(entry + E_ID);
  if (node == NONE && create) {
    let index = extraNodes;
    if (extraNodeFree != NONE) {
      index = extraNodeFree;
      extraNodeFree = vacantAfter(extraNodeTable, index);
    } else {
      if (extraNodes >= extraNodeCapacity) growExtraNodes();
      extraNodes++;
      ensureNodes(nodeCount + extraNodes);
    }
    store<u32>(extraNodeTable + ((index as usize) << 2), entry as u32);
    node = nodeCount + index;
  }
  if (node != NONE) store<u32>(stateOf(node) + S_ENTRY, entry as u32);
  store<u32>(entry + E_STAMP, topology);
  store<u32>(entry + E_NODE, node);
  return node;
}

function growExtraNodes(): void {
  const capacity = max<u32>(extraNodeCapacity * 2, 1024);
  const table = allocatePages((capacity as u64) * 4);
  if (table == 0) unreachable();
  memory.copy(table, extraNodeTable, extraNodeCapacity << 2);
  extraNodeTable = table;
  extraNodeCapacity = capacity;
}

/** Recomputes one direction's override; removes it when layers leave the direction as gossip has it. */
function recomputeSlot(slot: u32, scid: u64): void {
  const extra = slot >= arcCount;
  const arc = extra ? slot : arcOfSlot(slot);
  const at = overrides + ((arc as usize) << 2);
  let record = load<u32>(at) as usize;
  if (record == 0) {
    record = placeOf(arc);
    store<u32>(at, record as u32);
  }
  const wasLinked = ((load<u16>(record + A_FLAGS) as u32) & FLAG_LINKED) != 0;
  const head = endOf(slot >> 1, (slot & 1) ^ 1);
  writeEffective(record, slot, arc, scid, head);
  const enabled = ((load<u16>(record + A_FLAGS) as u32) & FLAG_ENABLED) != 0;
  const listed = !extra && arc < load<u32>(inEnabledEnd + ((head as usize) << 2));
  const linked = enabled && !listed;
  if (linked != wasLinked) {
    if (linked) {
      store<u32>(inLinkAt(arc), pushLink(stateOf(head) + S_EXTRA_IN, arc) as u32);
      extraLinks++;
    } else unlink(arc, head);
  }
  if (linked) store<u16>(record + A_FLAGS, load<u16>(record + A_FLAGS) | (FLAG_LINKED as u16));
  else if (!extra && sameRecord(record, baseRecord(arc))) store<u32>(at, 0);
}

/** Where the override of a graph's arc lies, marked as new: not linked. Created channels bring their own blocks. */
function placeOf(arc: u32): usize {
  if (arcCount > placeCapacity) {
    placeCapacity = arcCount + (arcCount >> 3);
    places = allocatePages((placeCapacity as u64) * (ARC_BYTES as u64));
    placeLinks = allocatePages((placeCapacity as u64) * 4);
    if (places == 0 || placeLinks == 0) unreachable();
  }
  const place = places + (arc as usize) * (ARC_BYTES as usize);
  store<u16>(place + A_FLAGS, 0);
  return place;
}

function sameRecord(a: usize, b: usize): bool {
  for (let i: usize = 0; i < (ARC_BYTES as usize); i += 8) if (load<u64>(a + i) != load<u64>(b + i)) return false;
  return true;
}

/** Where the arc's link in the list of extra arcs into its head is noted. */
function inLinkAt(arc: u32): usize {
  if (arc < arcCount) return placeLinks + ((arc as usize) << 2);
  return extraOf(arc >> 1) + X_IN_LINKS + ((arc & 1) << 2);
}

function unlink(arc: u32, head: u32): void {
  removeLink(stateOf(head) + S_EXTRA_IN, load<u32>(inLinkAt(arc)));
  extraLinks--;
}

function pushLink(head: usize, arc: u32): usize {
  const link = allocateBlock();
  const next = load<u32>(head) as usize;
  store<u32>(link + LINK_ARC, arc);
  store<u32>(link + LINK_NEXT, next as u32);
  if (next != 0) store<u32>(next + LINK_PREVIOUS, link as u32);
  store<u32>(head, link as u32);
  return link;
}

function removeLink(head: usize, link: usize): void {
  const next = load<u32>(link + LINK_NEXT) as usize;
  const previous = load<u32>(link + LINK_PREVIOUS) as usize;
  store<u32>(previous == 0 ? head : previous + LINK_NEXT, next as u32);
  if (next != 0) store<u32>(next + LINK_PREVIOUS, previous as u32);
  freeBlock(link);
}

/** Computes the direction from gossip and all applied layers into `record`. */
function writeEffective(record: usize, slot: u32, arc: u32, scid: u64, head: u32): void {
  const tail = endOf(slot >> 1, slot & 1);
  const direction = slot & 1;
  if (slot < arcCount) memory.copy(record, baseRecord(arc), ARC_BYTES);
  else {
    memory.fill(record, 0, ARC_BYTES);
    store<u32>(record + A_TAIL, tail);
    store<u32>(record + A_SLOT, slot);
  }
  let low: i64 = 0;
  let high = capacityOf(slot >> 1);
  let reserved = reservedIn(GLOBAL_LAYER, scid, direction);
  let bias: i32 = 0;
  // What a layer says of a channel's terms before any layer creates the channel is lost.
  let exists = slot < arcCount;
  const tailEntry = load<u32>(stateOf(tail) + S_ENTRY) as usize;
  const headEntry = load<u32>(stateOf(head) + S_ENTRY) as usize;
  for (let i: u32 = 0; i < stackLength; i++) {
    const layer = load<u32>(stack + ((i as usize) << 2));
    if (layer == SOURCEFREE) {
      if (tail == sourceFree) clearFee(record);
      continue;
    }
    if (hasNodeCells(layer)) bias += applyNodes(record, layer, tailEntry, headEntry, head);
    const cell = channelCell(layer, scid);
    if (cell == 0) continue;
    exists = exists || load<u32>(cell + C_CREATED) != 0;
    const update = load<u32>(cell + C_UPDATE + (direction << 2)) as usize;
    if (update != 0 && exists) applyUpdate(record, update);
    bias += load<i32>(cell + C_BIAS + (direction << 2));
    const bounds = load<u32>(cell + C_BOUNDS + (direction << 2)) as usize;
    if (bounds == 0) continue;
    low = min<i64>(
      load<i64>(bounds + B_MIN_HIGH),
      max<i64>(load<i64>(bounds + B_MIN_LOW), clampedAdd(low, load<i64>(bounds + B_MIN_SHIFT))),
    );
    high = min<i64>(
      load<i64>(bounds + B_MAX_HIGH),
      max<i64>(load<i64>(bounds + B_MAX_LOW), clampedAdd(high, load<i64>(bounds + B_MAX_SHIFT))),
    );
    if (load<i64>(bounds + B_EXTRA_HTLC) != 0) {
      store<u16>(record + A_FLAGS, load<u16>(record + A_FLAGS) | (FLAG_EXTRA_HTLC as u16));
    }
    if (firstTime(i)) reserved = clampedAdd(reserved, load<i64>(bounds + B_RESERVED));
  }
  low = floorSub(low, reserved);
  high = floorSub(high, reserved);
  store<i64>(record + A_MIN, low);
  store<i64>(record + A_MAX, high);
  store<f64>(record + A_INV_RANGE, inverseRange(low, high));
  // A base fee the record cannot hold makes the direction useless rather than cheap.
  if (load<u32>(record + A_BASE) == BASE_BEYOND) disable(record);
  bias = max<i32>(-100, min<i32>(100, bias));
  store<f32>(record + A_FACTOR, bias == 0 ? 1.0 : (exp(-BIAS_SCALE * (bias as f64)) as f32));
}

/** Whether the layer at this place of the stack does not stand earlier in it: reservations count once. */
function firstTime(place: u32): bool {
  const layer = load<u32>(stack + ((place as usize) << 2));
  if (load<u32>(appliedAt(layer)) == 1) return true;
  for (let i: u32 = 0; i < place; i++) if (load<u32>(stack + ((i as usize) << 2)) == layer) return false;
  return true;
}

function reservedIn(layer: u32, scid: u64, direction: u32): i64 {
  const cell = channelCell(layer, scid);
  if (cell == 0) return 0;
  const bounds = load<u32>(cell + C_BOUNDS + (direction << 2)) as usize;
  return bounds == 0 ? 0 : load<i64>(bounds + B_RESERVED);
}

function clearFee(record: usize): void {
  store<u32>(record + A_BASE, 0);
  store<u32>(record + A_PPM, 0);
  store<u16>(record + A_CLTV, 0);
}

/** A disabled end disables, unless it is the payment's own destination. Returns the ends' biases. */
function applyNodes(record: usize, layer: u32, tailEntry: usize, headEntry: usize, head: u32): i32 {
  let bias: i32 = 0;
  let disabled = false;
  const tailCell: usize = tailEntry != 0 ? nodeCell(layer, tailEntry) : 0;
  if (tailCell != 0) {
    disabled = load<u32>(tailCell + N_DISABLED) != 0;
    bias += load<i32>(tailCell + N_OUT_BIAS);
  }
  const headCell: usize = headEntry != 0 ? nodeCell(layer, headEntry) : 0;
  if (headCell != 0) {
    disabled = disabled || (load<u32>(headCell + N_DISABLED) != 0 && head != payableNode);
    bias += load<i32>(headCell + N_IN_BIAS);
  }
  if (disabled) disable(record);
  return bias;
}

function disable(record: usize): void {
  store<u16>(record + A_FLAGS, load<u16>(record + A_FLAGS) & ~(FLAG_ENABLED as u16));
}

/** What each HTLC after the first costs the direction's bounds: the last applied layer that says so. */
export function extraHtlcCost(slot: u32): i64 {
  const scid = scidOf(slot >> 1);
  for (let i = stackLength; i-- > 0; ) {
    const layer = load<u32>(stack + ((i as usize) << 2));
    const cell: usize = layer == SOURCEFREE ? 0 : channelCell(layer, scid);
    const bounds: usize = cell == 0 ? 0 : load<u32>(cell + C_BOUNDS + ((slot & 1) << 2));
    if (bounds != 0 && load<i64>(bounds + B_EXTRA_HTLC) != 0) return load<i64>(bounds + B_EXTRA_HTLC);
  }
  return 0;
}

function applyUpdate(record: usize, update: usize): void {
  const mask = load<u32>(update + U_MASK);
  let flags = (load<u16>(record + A_FLAGS) as u32) | FLAG_KNOWN;
  if (mask & MASK_ENABLED) flags = load<u32>(update + U_ENABLED) ? flags | FLAG_ENABLED : flags & ~FLAG_ENABLED;
  store<u16>(record + A_FLAGS, flags as u16);
  if (mask & MASK_HTLC_MIN) store<i64>(record + A_HTLC_MIN, load<i64>(update + U_HTLC_MIN));
  if (mask & MASK_HTLC_MAX) store<i64>(record + A_HTLC_MAX, load<i64>(update + U_HTLC_MAX));
  if (mask & MASK_BASE) store<u32>(record + A_BASE, load<u32>(update + U_BASE));
  if (mask & MASK_PPM) store<u32>(record + A_PPM, load<u32>(update + U_PPM));
  if (mask & MASK_CLTV) store<u16>(record + A_CLTV, load<u16>(update + U_CLTV));
}

function extraOf(channel: u32): usize {
  return load<u32>(extraTable + ((channel - channelCount) as usize << 2));
}

/** End `end` (0 or 1) of a channel, of the graph or created. */
export function endOf(channel: u32, end: u32): u32 {
  return channel < channelCount ? graphEnd(channel, end) : load<u32>(extraOf(channel) + X_NODE1 + (end << 2));
}

/** The node an arc leads to. */
export function headOfArc(arc: u32): u32 {
  const slot = load<u32>(recordOf(arc) + A_SLOT);
  return endOf(slot >> 1, (slot & 1) ^ 1);
}

export function capacityOf(channel: u32): i64 {
  return channel < channelCount ? graphCapacity(channel) : load<i64>(extraOf(channel) + X_CAPACITY);
}

export function scidOf(channel: u32): u64 {
  return channel < channelCount ? graphScid(channel) : load<u64>(extraOf(channel) + X_SCID);
}

/** Address of the 33 id bytes of a node, of the graph or created. */
export function nodeIdOf(node: u32): usize {
  if (node < nodeCount) return graphNodeId(node);
  return (load<u32>(extraNodeTable + ((node - nodeCount) as usize << 2)) as usize) + E_ID;
}

/** Index of the node with these 33 id bytes that has a channel, gossiped or made by an applied layer; or NONE. */
export function nodeById(id: usize): u32 {
  let node = findNode(id);
  if (node == NONE) {
    const entry = findEntry(id);
    if (entry == 0) return NONE;
    node = resolve(entry, false);
    if (node == NONE) return NONE;
  } else if (load<u32>(outStart + ((node as usize) << 2)) != load<u32>(outStart + ((node as usize) << 2) + 4)) return node;
  return load<u32>(stateOf(node) + S_EXTRA_OUT) != 0 ? node : NONE;
}
