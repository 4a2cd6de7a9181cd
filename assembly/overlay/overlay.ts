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
 * Where the next stack shares little with the applied one, the change starts from another state: a stack kept from
 * before (kept-stacks.ts), or no layers at all, whichever is estimated to cost least.
 */
import { freeBlock } from '../graph/arena';
import { Column, newColumn } from '../graph/column';
import { attachRegion, NONE, nodeCount } from '../graph/graph';
import { Region } from '../graph/region';
import { Cell } from './cells';
import { createdInit, forgetCreated } from './created-channels';
import { presentNode, vacateNode } from './created-nodes';
import { GLOBAL_LAYER, isDisabled } from './effective';
import { NodeEntry, takeOrphan } from './entries';
import { startFromCheapest } from './kept-stacks';
import { ensureLogs, hasLogRoom, logAll, logChannel, logOf } from './layer-log';
import { channelCellCount, firstChannelCell, firstNodeCell, layerClear, reserveLayerSlots } from './layers';
import { forgetOverridden } from './overridden';
import { recomputeArcsOf, recomputeChannel, recomputeLayer, recomputeNode } from './recompute';
import { recordsChanged, scratchReset, stateOf, termsChanged } from './scratch';
import { forgetShelves } from './shelves';
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
  ensureLogs(slots);
}

/** Attaches a published graph and applies the present stack to it. */
export function overlayAttach(region: Region): void {
  termsChanged();
  recordsChanged();
  forgetShelves();
  forgetCreated();
  setSourceFree(NONE);
  setPayableNode(NONE);
  attachRegion(region);
  scratchReset();
  forgetOverridden();
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
  if (sameStack(length)) return;
  movePayable(NONE);
  startFromCheapest(length);
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
  logChannel(layer, shortChannelId);
  if (layer === GLOBAL_LAYER || timesApplied(layer) !== 0) recomputeChannel(shortChannelId);
}

/** To be called after a layer's cell of a node changed. */
export function nodeChanged(layer: u32, entry: NodeEntry): void {
  termsChanged();
  logAll(layer);
  if (timesApplied(layer) !== 0) recomputeNode(entry);
}

/** Removes all that a layer says. If the layer was applied, the directions that it mentioned are recomputed. */
export function clearLayer(layer: u32): void {
  termsChanged();
  logClearing(layer);
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

/** Logs that a layer is about to lose all its cells. */
function logClearing(layer: u32): void {
  if (
    logOf(layer).kept === 0 ||
    firstNodeCell(layer) !== null ||
    !hasLogRoom(layer, channelCellCount(layer))
  ) {
    logAll(layer);
    return;
  }
  let cell = firstChannelCell(layer);
  while (cell !== null) {
    logChannel(layer, cell.key);
    cell = cell.next;
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
