/**
 * Layers applied to the graph.
 *
 * The instance keeps one stack of layers applied (stack.ts). Every direction that some layer of the stack speaks of has
 * an override record (scratch.ts); all others read the graph. An override is always computed from nothing
 * (effective.ts).
 *
 * Going from one stack to the next recomputes only the directions that differing layers mention. A question under the
 * same stack as before costs nothing. A changed record costs one channel or the channels of one node. A layer put on
 * top and taken off again costs its own size, however large the layers below. Layers common to both stacks must keep
 * their order. Where they do not, everything is recomputed.
 *
 * Overrides of the graph's arcs lie in a table in the order of the arcs, as the graph's records do. A search walks
 * through the arcs into a node, so it finds neighbours in neighbouring cache lines in both tables. Overrides of created
 * channels have blocks of their own (created-channels.ts).
 *
 * Invariants: a direction has an override exactly where the stack changes it; an arc that layers enable hangs in the
 * list of what enters its head (links.ts) exactly where the graph's own list of usable arcs does not have it.
 */
import { freeBlock, takePages } from '../graph/arena';
import { Column, newColumn } from '../graph/column';
import { DIRECTION_BYTES, DirectionRecord, FLAG_LINKED, isEnabled, recordIn } from '../graph/direction';
import {
  arcCount,
  arcOfDirection,
  attachRegion,
  baseRecord,
  findChannel,
  graphShortChannelId,
  inEnabledEnd,
  NONE,
  nodeCount,
  outArcs,
  outStart,
} from '../graph/graph';
import { Region } from '../graph/region';
import { Cell, ChannelCell, CreatedBlock } from './cells';
import { createdInit, endOf, forgetCreated, settleCreated, shortChannelIdOf } from './created-channels';
import { presentNode, resolve, vacateNode } from './created-nodes';
import { GLOBAL_LAYER, isDisabled, writeEffective } from './effective';
import { NodeEntry, takeOrphan } from './entries';
import { channelCell, firstChannelCell, firstNodeCell, layerClear, reserveLayerSlots } from './layers';
import { linkIn, unlinkIn } from './links';
import { overrides, recordsChanged, scratchReset, stateOf, termsChanged } from './scratch';
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
  SOURCEFREE,
  STACK_LIMIT,
  sameStack,
  setPayableNode,
  setSourceFree,
  settleMarks,
  sourceFree,
  stackInit,
  stackLength,
  timesApplied,
} from './stack';

/** A table with room for one override for each arc of the graph; taken when the first is needed. */
let places: usize = 0;
let placeCapacity: u32 = 0;

/** Prepares an empty overlay; once per instance. */
export function overlayInit(): void {
  stackInit();
  createdInit();
  ensureLayerSlots(64);
}

/** Makes layer slots 0 … slots − 1 usable. */
export function ensureLayerSlots(slots: u32): void {
  reserveLayerSlots(slots);
  ensureMarks(slots);
}

/** Attaches a published graph and applies the present stack to it. */
export function overlayAttach(region: Region): void {
  termsChanged();
  recordsChanged();
  forgetCreated();
  setSourceFree(NONE);
  setPayableNode(NONE);
  attachRegion(region);
  scratchReset();
  recomputeLayer(GLOBAL_LAYER);
  for (let i: u32 = 0; i < stackLength; i++) {
    const layer = layerAt(i);
    if (layer !== SOURCEFREE) recomputeLayer(layer);
  }
}

/** Applies the next stack, of `length` layers (`nextStackInput`), at most STACK_LIMIT. */
export function applyStack(length: u32): void {
  termsChanged();
  assert(length <= STACK_LIMIT, 'the host keeps to the limit');
  freeOrphans();
  if (!sameStack(length)) replaceStack(length);
}

/** Frees the ids that no layer mentions any more, and the numbers of nodes that existed only by such ids. */
function freeOrphans(): void {
  for (let entry = takeOrphan(); entry !== null; entry = takeOrphan()) {
    const node = presentNode(entry);
    if (node !== NONE) stateOf(node).entry = null;
    if (node !== NONE && node >= nodeCount) {
      vacateNode(node);
      if (sourceFree === node) setSourceFree(NONE);
      if (payableNode === node) setPayableNode(NONE);
    }
    freeBlock<NodeEntry>(entry);
  }
}

/** Applies what depends on the payment's ends (node indexes, found under the applied stack). */
export function applyEnds(source: u32, destination: u32): void {
  const wanted = hasSourceFree() ? source : NONE;
  if (wanted !== sourceFree) moveSourceFree(wanted);
  movePayable(isDisabled(destination) ? destination : NONE);
}

function replaceStack(length: u32): void {
  const source = inputHasSourceFree(length) ? sourceFree : NONE;
  const keepsOrder = commonKeepOrder(length, false);
  const keepsFreedom = keepsOrder && commonKeepOrder(length, true);
  const oldLength = exchangeStacks(length);
  for (let i: u32 = 0; i < oldLength; i++) markOld(otherLayerAt(i));
  for (let i: u32 = 0; i < length; i++) markNew(layerAt(i));
  if (source !== sourceFree || !keepsFreedom) moveSourceFree(source);
  for (let i: u32 = 0; i < oldLength; i++) recomputeIfDiffering(otherLayerAt(i), keepsOrder);
  for (let i: u32 = 0; i < length; i++) recomputeIfDiffering(layerAt(i), keepsOrder);
  for (let i: u32 = 0; i < oldLength; i++) settleMarks(otherLayerAt(i));
  for (let i: u32 = 0; i < length; i++) settleMarks(layerAt(i));
}

/**
 * Recomputes what a layer mentions if the two stacks have it a different number of times, or if all must be recomputed.
 * The marks note that the layer was looked at, so that a layer with several places is recomputed once.
 */
function recomputeIfDiffering(layer: u32, keepsOrder: bool): void {
  if (layer === SOURCEFREE) return;
  const at = marksOf(layer);
  const was = at.compared;
  if (was === NONE) return;
  if (!keepsOrder || was !== at.applied) recomputeLayer(layer);
  at.compared = NONE;
}

function moveSourceFree(source: u32): void {
  const old = sourceFree;
  termsChanged();
  setSourceFree(source);
  if (old !== NONE) recomputeArcsOf(old, true, false);
  if (source !== NONE && source !== old) recomputeArcsOf(source, true, false);
}

function movePayable(node: u32): void {
  if (node === payableNode) return;
  const old = payableNode;
  termsChanged();
  setPayableNode(node);
  if (old !== NONE) recomputeArcsOf(old, false, true);
  if (node !== NONE) recomputeArcsOf(node, false, true);
}

/** To be called after a layer's cell of a channel changed. */
export function channelChanged(layer: u32, shortChannelId: u64): void {
  termsChanged();
  if (layer === GLOBAL_LAYER || timesApplied(layer) !== 0) recomputeChannel(shortChannelId);
}

/** To be called after a layer's cell of a node changed. */
export function nodeChanged(layer: u32, entry: NodeEntry): void {
  termsChanged();
  if (timesApplied(layer) !== 0) recomputeNode(entry);
}

/** Removes all that a layer says. If the layer was applied, the directions that it mentioned are recomputed. */
export function clearLayer(layer: u32): void {
  termsChanged();
  if (timesApplied(layer) === 0 && layer !== GLOBAL_LAYER) {
    layerClear(layer);
    return;
  }
  // Copy the keys first: a cell cannot be read once it is freed.
  const channelsEnd = cellsFrom(firstChannelCell(layer));
  const count = channelsEnd + cellsFrom(firstNodeCell(layer));
  if (count === 0) return;
  const keys = roomForKeys(count);
  listKeys(firstChannelCell(layer), keys, 0);
  listKeys(firstNodeCell(layer), keys, channelsEnd);
  layerClear(layer);
  for (let i: u32 = 0; i < count; i++) {
    if (i < channelsEnd) recomputeChannel(keys[i]);
    else recomputeNode(entryOf(keys[i]));
  }
}

/** Number of cells in a list, from this one on. */
function cellsFrom(first: Cell | null): u32 {
  let count: u32 = 0;
  let cell = first;
  while (cell !== null) {
    count++;
    cell = cell.next;
  }
  return count;
}

/** Writes the keys of a list of cells to `keys`, from `place` on. */
function listKeys(first: Cell | null, keys: Column<u64>, place: u32): void {
  let at = place;
  let cell = first;
  while (cell !== null) {
    keys[at++] = cell.key;
    cell = cell.next;
  }
}

let keyColumn: Column<u64> = changetype<Column<u64>>(0);
let keyCapacity: u32 = 0;

function roomForKeys(count: u32): Column<u64> {
  if (count > keyCapacity) {
    keyCapacity = count * 2;
    keyColumn = newColumn<u64>(keyCapacity);
  }
  return keyColumn;
}

/** The entry of a node's cell, whose key is the entry's address. */
function entryOf(key: u64): NodeEntry {
  return changetype<NodeEntry>(key as usize);
}

function recomputeLayer(layer: u32): void {
  let cell = firstChannelCell(layer);
  while (cell !== null) {
    recomputeChannel(cell.key);
    cell = cell.next;
  }
  cell = firstNodeCell(layer);
  while (cell !== null) {
    recomputeNode(entryOf(cell.key));
    cell = cell.next;
  }
}

function recomputeNode(entry: NodeEntry): void {
  const node = resolve(entry, false);
  if (node !== NONE) recomputeArcsOf(node, true, true);
}

/** Recomputes the directions that leave a node, those that enter it, or both. */
function recomputeArcsOf(node: u32, leaving: bool, entering: bool): void {
  recordsChanged();
  if (node < nodeCount) {
    const end = outStart.after(node);
    for (let k = outStart[node]; k < end; k++) {
      const directionIndex = baseRecord(outArcs[k]).directionIndex;
      const shortChannelId = graphShortChannelId(directionIndex >> 1);
      if (leaving) recomputeDirection(directionIndex, shortChannelId);
      if (entering) recomputeDirection(directionIndex ^ 1, shortChannelId);
    }
  }
  // Both directions of a created channel have the same ends, so `extraOut` also finds the directions that enter.
  let link = stateOf(node).extraOut;
  while (link !== null) {
    const directionIndex = link.arc;
    const shortChannelId = shortChannelIdOf(directionIndex >> 1);
    if (leaving) recomputeDirection(directionIndex, shortChannelId);
    if (entering) recomputeDirection(directionIndex ^ 1, shortChannelId);
    link = link.next;
  }
}

function recomputeChannel(shortChannelId: u64): void {
  recordsChanged();
  let channel = findChannel(shortChannelId);
  if (channel === NONE) {
    channel = settleCreated(shortChannelId, creatorOf(shortChannelId));
    if (channel === NONE) return;
  }
  recomputeDirection(channel * 2, shortChannelId);
  recomputeDirection(channel * 2 + 1, shortChannelId);
}

/** The created block of the first layer that creates the channel; null where no layer does. */
function creatorOf(shortChannelId: u64): CreatedBlock | null {
  for (let i: u32 = 0; i < stackLength; i++) {
    const layer = layerAt(i);
    const cell: ChannelCell | null = layer === SOURCEFREE ? null : channelCell(layer, shortChannelId);
    if (cell !== null && cell.created !== null) return cell.created;
  }
  return null;
}

/** Recomputes the override of one direction. Removes it where layers leave the direction as gossip has it. */
function recomputeDirection(directionIndex: u32, shortChannelId: u64): void {
  const isCreated = directionIndex >= arcCount;
  const arc = isCreated ? directionIndex : arcOfDirection(directionIndex);
  const record = overrideOf(arc);
  const wasLinked = ((record.flags as u32) & FLAG_LINKED) !== 0;
  const head = endOf(directionIndex >> 1, (directionIndex & 1) ^ 1);
  writeEffective(record, directionIndex, arc, shortChannelId, head);
  const isListed = !isCreated && arc < inEnabledEnd[head];
  const isLinked = isEnabled(record) && !isListed;
  if (isLinked !== wasLinked) {
    if (isLinked) linkIn(arc, head);
    else unlinkIn(arc, head);
  }
  if (isLinked) record.flags |= FLAG_LINKED as u16;
  else if (!isCreated && sameRecord(record, baseRecord(arc))) overrides[arc] = null;
}

/** The override of an arc; a new one is marked as not linked. Created channels have theirs from the start. */
function overrideOf(arc: u32): DirectionRecord {
  const known = overrides[arc];
  if (known !== null) return known;
  if (arcCount > placeCapacity) {
    placeCapacity = arcCount + (arcCount >> 3);
    places = takePages((placeCapacity as u64) * (DIRECTION_BYTES as u64));
  }
  assert(arc < arcCount, 'a created channel has its overrides from the start');
  const record = recordIn(places, arc);
  record.flags = 0;
  overrides[arc] = record;
  return record;
}

function sameRecord(a: DirectionRecord, b: DirectionRecord): bool {
  const wordsOfA = changetype<Column<u64>>(a);
  const wordsOfB = changetype<Column<u64>>(b);
  for (let i: u32 = 0; i < (DIRECTION_BYTES as u32) >> 3; i++) if (wordsOfA[i] !== wordsOfB[i]) return false;
  return true;
}
