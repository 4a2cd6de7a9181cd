/**
 * Layers applied to the graph.
 *
 * The instance keeps one stack of layers applied (stack.ts). Every direction that the stack changes has an override
 * record (scratch.ts); all others use the graph's records. An override is always computed from scratch (effective.ts).
 *
 * Going from one stack to the next recomputes only the directions in layers that differ. Applying the same stack again
 * costs nothing. So pushing or popping a layer recomputes only the directions in it. Changing a layer's cell recomputes
 * one channel or the channels of one node. If the layers common to both stacks change their order, everything is
 * recomputed.
 *
 * If the next stack shares little with the applied one, the change starts from a kept stack (kept-stacks.ts) or from no
 * layers, whichever has the lower estimated cost.
 */
import { freeBlock } from '../graph/arena';
import { Column, newColumn } from '../graph/column';
import { NONE } from '../graph/graph';
import { Region } from '../graph/region';
import { Workspace } from '../workspace';
import { refreshBurden } from './burdens';
import { Cell } from './cells';
import { createdInit, forgetCreated } from './created-channels';
import { presentNode, resolve, vacateNode } from './created-nodes';
import { GLOBAL_LAYER, isDisabled } from './effective';
import { NodeEntry, takeOrphan } from './entries';
import { startFromCheapest } from './kept-stacks';
import { ensureLogs, hasLogRoom, logAll, logBurden, logChannel, logNode, logOf } from './layer-log';
import { channelCellCount, firstChannelCell, firstNodeCell, layerClear, reserveLayerSlots } from './layers';
import { resetOverridden } from './overridden';
import {
  freeArcsOf,
  isOnlySourceFree,
  recomputeArcsOf,
  recomputeChannel,
  recomputeLayer,
  recomputeNode,
} from './recompute';
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
  SOURCEFREE,
  STACK_LIMIT,
  sameStack,
  setPayableNode,
  setSourceFree,
  settleMarks,
  stackInit,
  timesApplied,
} from './stack';

/** Initialises an empty overlay. Called once per instance. */
export function overlayInit(work: Workspace): void {
  stackInit(work.stack);
  createdInit(work.created);
  ensureLayerSlots(work, 64);
}

/** Makes layer slots 0 … slots − 1 usable. */
export function ensureLayerSlots(work: Workspace, slots: u32): void {
  reserveLayerSlots(work.cells, slots);
  ensureMarks(work.stack, slots);
  ensureLogs(work.logs, slots);
}

/** Attaches a published graph and applies the current stack to it. */
export function overlayAttach(work: Workspace, region: Region): void {
  const stack = work.stack;
  const scratch = work.scratch;
  termsChanged(scratch);
  recordsChanged(scratch);
  forgetShelves(work);
  forgetCreated(work);
  setSourceFree(stack, NONE);
  setPayableNode(stack, NONE);
  memory.copy(changetype<usize>(work.graph), changetype<usize>(region), offsetof<Region>());
  scratchReset(work);
  resetOverridden(work);
  recomputeLayer(work, GLOBAL_LAYER);
  for (let i: u32 = 0; i < stack.stackLength; i++) {
    const layer = layerAt(stack, i);
    if (layer !== SOURCEFREE) recomputeLayer(work, layer);
  }
}

/** Applies the next stack, of `length` layers (`nextStackInput`), at most STACK_LIMIT. */
export function applyStack(work: Workspace, length: u32): void {
  const stack = work.stack;
  termsChanged(work.scratch);
  assert(length <= STACK_LIMIT, 'the host keeps to the limit');
  freeOrphans(work);
  if (sameStack(stack, length)) return;
  movePayable(work, NONE);
  startFromCheapest(work, length);
  if (!sameStack(stack, length)) replaceStack(work, length);
}

/** Frees node ids that are no longer in any layer, and the numbers of nodes that existed only in layers. */
function freeOrphans(work: Workspace): void {
  const stack = work.stack;
  const entries = work.entries;
  for (let entry = takeOrphan(entries); entry !== null; entry = takeOrphan(entries)) {
    const node = presentNode(work.createdNodes, entry);
    if (node !== NONE) stateOf(work.scratch, node).entry = null;
    if (node !== NONE && node >= work.graph.nodeCount) {
      vacateNode(work, node);
      if (stack.sourceFree === node) setSourceFree(stack, NONE);
      if (stack.payableNode === node) setPayableNode(stack, NONE);
    }
    freeBlock<NodeEntry>(work.arena, entry);
  }
}

/** Applies the overrides that depend on the ends of the payment, given as node indexes under the applied stack. */
export function applyEnds(work: Workspace, source: u32, destination: u32): void {
  const stack = work.stack;
  const wanted = hasSourceFree(stack) ? source : NONE;
  if (wanted !== stack.sourceFree) {
    if (wanted < work.graph.nodeCount && isOnlySourceFree(work)) freeOnly(work, wanted);
    else moveSourceFree(work, wanted);
  }
  movePayable(work, isDisabled(work, destination) ? destination : NONE);
}

function replaceStack(work: Workspace, length: u32): void {
  const stack = work.stack;
  const source = inputHasSourceFree(stack, length) ? stack.sourceFree : NONE;
  const keepsOrder = commonKeepOrder(stack, length, false);
  const keepsFreedom = keepsOrder && commonKeepOrder(stack, length, true);
  const oldLength = exchangeStacks(stack, length);
  for (let i: u32 = 0; i < oldLength; i++) markOld(stack, otherLayerAt(stack, i));
  for (let i: u32 = 0; i < length; i++) markNew(stack, layerAt(stack, i));
  if (source !== stack.sourceFree || !keepsFreedom) moveSourceFree(work, source);
  for (let i: u32 = 0; i < oldLength; i++) recomputeIfDiffering(work, otherLayerAt(stack, i), keepsOrder);
  for (let i: u32 = 0; i < length; i++) recomputeIfDiffering(work, layerAt(stack, i), keepsOrder);
  for (let i: u32 = 0; i < oldLength; i++) settleMarks(stack, otherLayerAt(stack, i));
  for (let i: u32 = 0; i < length; i++) settleMarks(stack, layerAt(stack, i));
}

/**
 * Recomputes the directions of a layer if the two stacks contain it a different number of times, or if all must be
 * recomputed. Marks ensure that a layer that is in a stack several times is recomputed only once.
 */
function recomputeIfDiffering(work: Workspace, layer: u32, keepsOrder: bool): void {
  if (layer === SOURCEFREE) return;
  const at = marksOf(work.stack, layer);
  const was = at.compared;
  if (was === NONE) return;
  if (!keepsOrder || was !== at.applied) recomputeLayer(work, layer);
  at.compared = NONE;
}

function moveSourceFree(work: Workspace, source: u32): void {
  const stack = work.stack;
  const old = stack.sourceFree;
  termsChanged(work.scratch);
  setSourceFree(stack, source);
  if (old !== NONE) recomputeArcsOf(work, old, true, false);
  if (source !== NONE && source !== old) recomputeArcsOf(work, source, true, false);
}

/** As `moveSourceFree`, if nothing but `auto.sourcefree` changes any direction. */
function freeOnly(work: Workspace, source: u32): void {
  termsChanged(work.scratch);
  setSourceFree(work.stack, source);
  freeArcsOf(work, source);
}

function movePayable(work: Workspace, node: u32): void {
  const stack = work.stack;
  if (node === stack.payableNode) return;
  const old = stack.payableNode;
  termsChanged(work.scratch);
  setPayableNode(stack, node);
  if (old !== NONE) recomputeArcsOf(work, old, false, true);
  if (node !== NONE) recomputeArcsOf(work, node, false, true);
}

/** Call after a layer's cell of a channel changed. */
export function channelChanged(work: Workspace, layer: u32, shortChannelId: u64): void {
  termsChanged(work.scratch);
  logChannel(work, layer, shortChannelId);
  if (layer === GLOBAL_LAYER || timesApplied(work.stack, layer) !== 0) recomputeChannel(work, shortChannelId);
}

/**
 * Call after a layer's cell of a node changed.
 * @param changesTerms whether the change affects directions of the node, not just its burden
 */
export function nodeChanged(work: Workspace, layer: u32, entry: NodeEntry, changesTerms: bool): void {
  termsChanged(work.scratch);
  const node = resolve(work, entry, false);
  if (!changesTerms) {
    logBurden(work.logs, layer);
    if (node === NONE || timesApplied(work.stack, layer) === 0) return;
    recordsChanged(work.scratch);
    refreshBurden(work, node);
    return;
  }
  if (node < work.graph.nodeCount) logNode(work, layer, node);
  else logAll(work, layer);
  if (timesApplied(work.stack, layer) !== 0) recomputeNode(work, entry);
}

/** Removes all cells of a layer. If the layer is applied, its directions are recomputed. */
export function clearLayer(work: Workspace, layer: u32): void {
  const cells = work.cells;
  termsChanged(work.scratch);
  logClearing(work, layer);
  if (timesApplied(work.stack, layer) === 0 && layer !== GLOBAL_LAYER) {
    layerClear(work, layer);
    return;
  }
  // Copy the keys first: a cell cannot be read once it is freed.
  const channelsEnd = cellsFrom(firstChannelCell(cells, layer));
  const count = channelsEnd + cellsFrom(firstNodeCell(cells, layer));
  if (count === 0) return;
  const keys = roomForKeys(work.clearedKeys, count);
  listKeys(firstChannelCell(cells, layer), keys, 0);
  listKeys(firstNodeCell(cells, layer), keys, channelsEnd);
  layerClear(work, layer);
  for (let i: u32 = 0; i < count; i++) {
    if (i < channelsEnd) recomputeChannel(work, keys[i]);
    else recomputeNode(work, entryOf(keys[i]));
  }
}

/** Logs that a layer will lose all its cells. */
function logClearing(work: Workspace, layer: u32): void {
  const logs = work.logs;
  const cells = work.cells;
  if (
    logOf(logs, layer).kept === 0 ||
    firstNodeCell(cells, layer) !== null ||
    !hasLogRoom(logs, layer, channelCellCount(cells, layer))
  ) {
    logAll(work, layer);
    return;
  }
  let cell = firstChannelCell(cells, layer);
  while (cell !== null) {
    logChannel(work, layer, cell.key);
    cell = cell.next;
  }
}

function cellsFrom(first: Cell | null): u32 {
  let count: u32 = 0;
  let cell = first;
  while (cell !== null) {
    count++;
    cell = cell.next;
  }
  return count;
}

function listKeys(first: Cell | null, keys: Column<u64>, place: u32): void {
  let at = place;
  let cell = first;
  while (cell !== null) {
    keys[at++] = cell.key;
    cell = cell.next;
  }
}

/** Keys of the cells of a layer being cleared. */
@unmanaged
export class ClearedKeys {
  keys: Column<u64>;
  room: u32;
}

function roomForKeys(clearedKeys: ClearedKeys, count: u32): Column<u64> {
  if (count > clearedKeys.room) {
    clearedKeys.room = count * 2;
    clearedKeys.keys = newColumn<u64>(clearedKeys.room);
  }
  return clearedKeys.keys;
}

/** The entry of a node cell, whose key is the entry's address. */
function entryOf(key: u64): NodeEntry {
  return changetype<NodeEntry>(key as usize);
}
