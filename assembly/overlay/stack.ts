/**
 * The stack of layers applied, bottom first, and what else depends on the question: the source whose fees
 * `auto.sourcefree` lifts, and the destination that may be paid although a layer disables it.
 *
 * There are two stacks: the applied one, and the next one, which the host writes. They change places. A layer may stand
 * in a stack several times. Its *marks* count how often, so that two stacks are compared in time proportional to their
 * lengths.
 *
 * Invariant: outside of a comparison, `applied` counts a layer's places in the applied stack and `compared` is 0.
 */
import { takePages } from '../graph/arena';
import { Column, newColumn } from '../graph/column';
import { NONE } from '../graph/graph';

/** Stands in a stack for `auto.sourcefree`. */
export const SOURCEFREE: u32 = 0xffffffff;
/** Layers in a stack. */
export const STACK_LIMIT: u32 = 16384;
const FIRST_SLOTS: u32 = 1024;

/** How often a layer stands in a stack. */
@unmanaged
export class LayerMarks {
  /** In the applied stack. */
  applied: u32;
  /** In the stack that the applied one is compared with; NONE once the layer has been looked at. */
  compared: u32;
}

let stack: Column<u32> = changetype<Column<u32>>(0);
let nextStack: Column<u32> = changetype<Column<u32>>(0);
/** Layers in the applied stack. */
export let stackLength: u32 = 0;
/** By layer slot; grows with the slots. */
let marks: usize = 0;
let markSlots: u32 = 0;

/** The source whose own fees and delays are lifted; NONE where they are not. */
export let sourceFree: u32 = NONE;
/** The destination, where a layer of the stack disables it; else NONE. */
export let payableNode: u32 = NONE;

/** Prepares empty stacks; once per instance. */
export function stackInit(): void {
  stack = newColumn<u32>(STACK_LIMIT);
  nextStack = newColumn<u32>(STACK_LIMIT);
}

/** Sets `sourceFree`. The caller recomputes the directions of the node. */
export function setSourceFree(node: u32): void {
  sourceFree = node;
}

/** Sets `payableNode`. The caller recomputes the directions of the node. */
export function setPayableNode(node: u32): void {
  payableNode = node;
}

/** Address where the host writes the next stack. It changes: ask before each write. */
export function nextStackInput(): Column<u32> {
  return nextStack;
}

/** The layer at a place of the applied stack. */
export function layerAt(place: u32): u32 {
  return stack[place];
}

/** Whether a layer of the host's is applied, and not only what always applies or is automatic. */
export function hasLayers(): bool {
  for (let i: u32 = 0; i < stackLength; i++) if (stack[i] !== SOURCEFREE) return true;
  return false;
}

/** The layer at a place of the stack that is not applied. */
export function otherLayerAt(place: u32): u32 {
  return nextStack[place];
}

/** Makes room for the marks of layer slots 0 … slots − 1. */
export function ensureMarks(slots: u32): void {
  if (slots <= markSlots) return;
  let count: u32 = max<u32>(markSlots, FIRST_SLOTS);
  while (count < slots) count <<= 1;
  const table = takePages((count as u64) * (offsetof<LayerMarks>() as u64));
  memory.copy(table, marks, (markSlots as usize) * offsetof<LayerMarks>());
  marks = table;
  markSlots = count;
}

/** A layer's marks. */
export function marksOf(layer: u32): LayerMarks {
  assert(layer < markSlots, 'layer slot was not reserved');
  return changetype<LayerMarks>(marks + (layer as usize) * offsetof<LayerMarks>());
}

/** Times that a layer stands in the applied stack. */
export function timesApplied(layer: u32): u32 {
  return marksOf(layer).applied;
}

/** Whether `auto.sourcefree` stands in the applied stack. */
export function hasSourceFree(): bool {
  return isSourceFreeIn(stack, stackLength);
}

/** Whether `auto.sourcefree` stands in the next stack. */
export function inputHasSourceFree(length: u32): bool {
  return isSourceFreeIn(nextStack, length);
}

function isSourceFreeIn(layers: Column<u32>, length: u32): bool {
  for (let i: u32 = 0; i < length; i++) if (layers[i] === SOURCEFREE) return true;
  return false;
}

/** Whether the next stack, of `length` layers, is the applied one. */
export function sameStack(length: u32): bool {
  if (length !== stackLength) return false;
  for (let i: u32 = 0; i < length; i++) if (stack[i] !== nextStack[i]) return false;
  return true;
}

/** Applies no layer. The caller clears the overrides. */
export function emptyStack(): void {
  for (let i: u32 = 0; i < stackLength; i++) {
    const layer = stack[i];
    if (layer !== SOURCEFREE) marksOf(layer).applied -= 1;
  }
  stackLength = 0;
}

/** Puts a layer on top of the applied stack. The caller puts its overrides in place. */
export function pushLayer(layer: u32): void {
  stack[stackLength++] = layer;
  markNew(layer);
}

/** Takes the layer at a place out of the applied stack. The caller recomputes what it mentions. */
export function dropPlace(place: u32): void {
  const layer = stack[place];
  if (layer !== SOURCEFREE) marksOf(layer).applied -= 1;
  stackLength--;
  for (let i = place; i < stackLength; i++) stack[i] = stack[i + 1];
}

/** Exchanges the applied stack and the next one. Returns the length of the stack applied before. */
export function exchangeStacks(length: u32): u32 {
  const old = stack;
  const oldLength = stackLength;
  stack = nextStack;
  nextStack = old;
  stackLength = length;
  return oldLength;
}

/** Counts a place of the stack that is no longer applied. */
export function markOld(layer: u32): void {
  if (layer === SOURCEFREE) return;
  const at = marksOf(layer);
  if (!ASC_NO_ASSERT) assert(at.applied > 0, 'a layer leaves a stack that it does not stand in');
  at.applied -= 1;
  at.compared += 1;
}

/** Counts a place of the stack that is applied now. */
export function markNew(layer: u32): void {
  if (layer !== SOURCEFREE) marksOf(layer).applied += 1;
}

/** Ends the comparison for a layer. */
export function settleMarks(layer: u32): void {
  if (layer !== SOURCEFREE) marksOf(layer).compared = 0;
}

/**
 * Whether the layers that stand in both stacks stand in the same order in both; with `freedom`, also the places of
 * `auto.sourcefree` among them.
 */
export function commonKeepOrder(length: u32, freedom: bool): bool {
  for (let i: u32 = 0; i < length; i++) {
    const layer = nextStack[i];
    if (layer !== SOURCEFREE) marksOf(layer).compared = 1;
  }
  let at: u32 = 0;
  let isOrdered = true;
  for (let i: u32 = 0; i < stackLength && isOrdered; i++) {
    const layer = stack[i];
    if (!isCompared(layer, freedom)) continue;
    while (at < length && !isCompared(nextStack[at], freedom)) at++;
    isOrdered = at < length && nextStack[at] === layer;
    at++;
  }
  while (isOrdered && at < length) isOrdered = !isCompared(nextStack[at++], freedom);
  for (let i: u32 = 0; i < length; i++) settleMarks(nextStack[i]);
  return isOrdered;
}

/** While `commonKeepOrder` runs: whether the layer stands in both stacks. */
function isCompared(layer: u32, freedom: bool): bool {
  if (layer === SOURCEFREE) return freedom;
  const at = marksOf(layer);
  return at.applied !== 0 && at.compared !== 0;
}

/** Whether this is the layer's first place in the stack. Reservations of a layer count once. */
export function firstTime(place: u32): bool {
  const layer = stack[place];
  if (marksOf(layer).applied === 1) return true;
  for (let i: u32 = 0; i < place; i++) if (stack[i] === layer) return false;
  return true;
}
