/**
 * Layers applied to the graph.
 *
 * The instance keeps one stack of layers applied (stack.ts). Every direction that some layer of the stack speaks of
 * has an override record (scratch.ts); all others read the graph. An override is always recomputed from nothing
 * (effective.ts).
 *
 * Going from one stack to the next recomputes only what differing layers speak of: a query under the same
 * stack as before costs nothing, a changed record costs one direction, a layer put on top and taken off again
 * costs its own size, however large the layers below. (Layers common to both stacks must keep their relative
 * order; if they do not, everything is recomputed.)
 *
 * Overrides of the graph's arcs lie in a table in the order of the arcs, as the graph's records do: a search
 * walks through the arcs into a node, and finds neighbours in neighbouring cache lines either way. Those of
 * created channels have blocks (created.ts).
 */
import { allocatePages, freeBlock } from '../graph/arena';
import {
  createdInit,
  endOf,
  FLAG_LINKED,
  forgetCreated,
  presentNode,
  resolve,
  scidOf,
  settleExtra,
  vacateNode,
} from './created';
import { GLOBAL_LAYER, isDisabled, writeEffective } from './effective';
import {
  A_FLAGS,
  A_SLOT,
  ARC_BYTES,
  arcCount,
  arcOfSlot,
  attachRegion,
  baseRecord,
  findChannel,
  FLAG_ENABLED,
  graphScid,
  inEnabledEnd,
  nodeCount,
  NONE,
  outArcs,
  outStart,
} from '../graph/graph';
import {
  C_CREATED,
  cellKey,
  channelCell,
  firstChannelCell,
  firstNodeCell,
  layerClear,
  nextCell,
  reserveLayerSlots,
  takeOrphan,
} from './layers';
import { LINK_NEXT, linkIn, unlinkIn } from './links';
import { overrides, S_ENTRY, S_EXTRA_OUT, scratchReset, stateOf } from './scratch';
import {
  commonKeepOrder,
  ensureMarks,
  exchangeStacks,
  hasSourceFree,
  inputHasSourceFree,
  layerAt,
  markNew,
  markOld,
  marksOf,
  otherLayerAt,
  payableNode,
  sameStack,
  setPayableNode,
  setSourceFree,
  settleMarks,
  SOURCEFREE,
  sourceFree,
  STACK_LIMIT,
  stackInit,
  stackLength,
  timesApplied,
} from './stack';

/** Room for one override per arc of the graph; taken when the first is needed. */
let places: usize = 0;
let placeCapacity: u32 = 0;

export function overlayInit(): void {
  stackInit();
  createdInit();
  ensureLayerSlots(64);
}

/** Makes layer slots 0 … slots−1 usable. */
export function ensureLayerSlots(slots: u32): void {
  reserveLayerSlots(slots);
  ensureMarks(slots);
}

/** Attaches a published graph and applies the present stack to it. */
export function overlayAttach(region: usize): void {
  forgetCreated();
  setSourceFree(NONE);
  setPayableNode(NONE);
  attachRegion(region);
  scratchReset();
  recomputeLayer(GLOBAL_LAYER);
  for (let i: u32 = 0; i < stackLength; i++) {
    const layer = layerAt(i);
    if (layer != SOURCEFREE) recomputeLayer(layer);
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
    const node = presentNode(entry);
    if (node != NONE) store<u32>(stateOf(node) + S_ENTRY, 0);
    if (node != NONE && node >= nodeCount) {
      vacateNode(node);
      if (sourceFree == node) setSourceFree(NONE);
      if (payableNode == node) setPayableNode(NONE);
    }
    freeBlock(entry);
  }
}

/** Applies what depends on the payment's ends (node indexes, found under the applied stack). */
export function applyEnds(source: u32, destination: u32): void {
  const wanted = hasSourceFree() ? source : NONE;
  if (wanted != sourceFree) moveSourceFree(wanted);
  movePayable(isDisabled(destination) ? destination : NONE);
}

function replaceStack(length: u32): void {
  const source = inputHasSourceFree(length) ? sourceFree : NONE;
  const keepsOrder = commonKeepOrder(length, false);
  const keepsFreedom = keepsOrder && commonKeepOrder(length, true);
  const oldLength = exchangeStacks(length);
  // Second word of a layer's marks: how often it stood in the old stack; first word: in the new one.
  for (let i: u32 = 0; i < oldLength; i++) markOld(otherLayerAt(i));
  for (let i: u32 = 0; i < length; i++) markNew(layerAt(i));
  if (source != sourceFree || !keepsFreedom) moveSourceFree(source);
  for (let i: u32 = 0; i < oldLength; i++) recomputeIfDiffering(otherLayerAt(i), keepsOrder);
  for (let i: u32 = 0; i < length; i++) recomputeIfDiffering(layerAt(i), keepsOrder);
  for (let i: u32 = 0; i < oldLength; i++) settleMarks(otherLayerAt(i));
  for (let i: u32 = 0; i < length; i++) settleMarks(layerAt(i));
}

/** Clears the comparison word, so that a layer that stands several times is recomputed once only. */
function recomputeIfDiffering(layer: u32, keepsOrder: bool): void {
  if (layer == SOURCEFREE) return;
  const at = marksOf(layer);
  const was = load<u32>(at + 4);
  if (was == NONE) return;
  if (!keepsOrder || was != load<u32>(at)) recomputeLayer(layer);
  store<u32>(at + 4, NONE);
}

function moveSourceFree(source: u32): void {
  const old = sourceFree;
  setSourceFree(source);
  if (old != NONE) recomputeArcsOf(old, true, false);
  if (source != NONE && source != old) recomputeArcsOf(source, true, false);
}

function movePayable(node: u32): void {
  if (node == payableNode) return;
  const old = payableNode;
  setPayableNode(node);
  if (old != NONE) recomputeArcsOf(old, false, true);
  if (node != NONE) recomputeArcsOf(node, false, true);
}

/** To be called after a layer's cell of a channel changed. */
export function channelChanged(layer: u32, scid: u64): void {
  if (layer == GLOBAL_LAYER || timesApplied(layer) != 0) recomputeChannel(scid);
}

/** To be called after a layer's cell of a node changed. */
export function nodeChanged(layer: u32, entry: usize): void {
  if (timesApplied(layer) != 0) recomputeNode(entry);
}

/** Forgets a layer; directions it spoke of are recomputed if it was applied. */
export function clearLayer(layer: u32): void {
  if (timesApplied(layer) == 0 && layer != GLOBAL_LAYER) {
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
    channel = settleExtra(scid, creatorOf(scid));
    if (channel == NONE) return;
  }
  recomputeSlot(channel * 2, scid);
  recomputeSlot(channel * 2 + 1, scid);
}

/** The created block of the first layer that creates a channel; 0 without. */
function creatorOf(scid: u64): usize {
  let created: usize = 0;
  for (let i: u32 = 0; i < stackLength && created == 0; i++) {
    const layer = layerAt(i);
    const cell: usize = layer == SOURCEFREE ? 0 : channelCell(layer, scid);
    if (cell != 0) created = load<u32>(cell + C_CREATED);
  }
  return created;
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
    if (linked) linkIn(arc, head);
    else unlinkIn(arc, head);
  }
  if (linked) store<u16>(record + A_FLAGS, load<u16>(record + A_FLAGS) | (FLAG_LINKED as u16));
  else if (!extra && sameRecord(record, baseRecord(arc))) store<u32>(at, 0);
}

/** Where the override of a graph's arc lies, marked as new: not linked. Created channels bring their own blocks. */
function placeOf(arc: u32): usize {
  if (arcCount > placeCapacity) {
    placeCapacity = arcCount + (arcCount >> 3);
    places = allocatePages((placeCapacity as u64) * (ARC_BYTES as u64));
    if (places == 0) unreachable();
  }
  const place = places + (arc as usize) * (ARC_BYTES as usize);
  store<u16>(place + A_FLAGS, 0);
  return place;
}

function sameRecord(a: usize, b: usize): bool {
  for (let i: usize = 0; i < (ARC_BYTES as usize); i += 8) if (load<u64>(a + i) != load<u64>(b + i)) return false;
  return true;
}
