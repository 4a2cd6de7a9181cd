/**
 * The applied stack of layers, bottom first, and what depends on the question's ends: the source whose fees
 * `auto.sourcefree` waives, and the destination that can be paid although a layer disables it.
 *
 * There are two stacks, which swap roles: the applied one, and the next one, which the host writes. A layer may be in a
 * stack several times. Its *marks* count how often, so that comparing two stacks takes time proportional to their
 * lengths.
 *
 * Invariant: outside of a comparison, `applied` counts a layer's places in the applied stack and `compared` is 0.
 */
import { takePages } from '../graph/arena';
import { Column, newColumn } from '../graph/column';
import { NONE } from '../graph/graph';

/** Stands for `auto.sourcefree` in a stack. */
export const SOURCEFREE: u32 = 0xffffffff;
/** Maximum number of layers in a stack. */
export const STACK_LIMIT: u32 = 16384;
const FIRST_SLOTS: u32 = 1024;

/** How many times a layer is in a stack. */
@unmanaged
export class LayerMarks {
  /** Occurrences in the applied stack. */
  applied: u32;
  /** During a comparison: occurrences in the other stack, or just 1 if there are any; NONE once the layer is done. */
  compared: u32;
}

/** The applied stack, the next one, and what depends on the ends of the question. */
@unmanaged
export class Stack {
  applied: Column<u32>;
  next: Column<u32>;
  /** Number of layers in the applied stack. */
  stackLength: u32;
  /** `LayerMarks` by layer slot; grows with the slots. */
  marks: usize;
  markSlots: u32;
  /** The source whose own fees and delays are waived, or NONE. */
  sourceFree: u32;
  /** The destination if a layer of the stack disables it, else NONE. */
  payableNode: u32;

  /** Call once for a new workspace: sets the fields of this class that do not start at zero. */
  begin(): void {
    this.sourceFree = NONE;
    this.payableNode = NONE;
  }
}

/** Initialises empty stacks. Called once per instance. */
export function stackInit(stack: Stack): void {
  stack.applied = newColumn<u32>(STACK_LIMIT);
  stack.next = newColumn<u32>(STACK_LIMIT);
}

/** Sets `sourceFree`. The caller recomputes the directions of the node. */
export function setSourceFree(stack: Stack, node: u32): void {
  stack.sourceFree = node;
}

/** Sets `payableNode`. The caller recomputes the directions of the node. */
export function setPayableNode(stack: Stack, node: u32): void {
  stack.payableNode = node;
}

/** Address where the host writes the next stack. The address changes, so call this before each write. */
export function nextStackInput(stack: Stack): Column<u32> {
  return stack.next;
}

/** The layer at a place of the applied stack. */
export function layerAt(stack: Stack, place: u32): u32 {
  return stack.applied[place];
}

/** Whether the applied stack has any layer besides `auto.sourcefree`. */
export function hasLayers(stack: Stack): bool {
  for (let i: u32 = 0; i < stack.stackLength; i++) if (stack.applied[i] !== SOURCEFREE) return true;
  return false;
}

/** The layer at a place of the next stack. */
export function otherLayerAt(stack: Stack, place: u32): u32 {
  return stack.next[place];
}

/** Makes room for the marks of layer slots 0 … slots − 1. */
export function ensureMarks(stack: Stack, slots: u32): void {
  if (slots <= stack.markSlots) return;
  let count: u32 = max<u32>(stack.markSlots, FIRST_SLOTS);
  while (count < slots) count <<= 1;
  const table = takePages((count as u64) * (offsetof<LayerMarks>() as u64));
  memory.copy(table, stack.marks, (stack.markSlots as usize) * offsetof<LayerMarks>());
  stack.marks = table;
  stack.markSlots = count;
}

/** A layer's marks. */
export function marksOf(stack: Stack, layer: u32): LayerMarks {
  assert(layer < stack.markSlots, 'layer slot was not reserved');
  return changetype<LayerMarks>(stack.marks + (layer as usize) * offsetof<LayerMarks>());
}

/** How many times a layer is in the applied stack. */
export function timesApplied(stack: Stack, layer: u32): u32 {
  return marksOf(stack, layer).applied;
}

/** Whether `auto.sourcefree` is in the applied stack. */
export function hasSourceFree(stack: Stack): bool {
  return isSourceFreeIn(stack.applied, stack.stackLength);
}

/** Whether `auto.sourcefree` is in the next stack. */
export function inputHasSourceFree(stack: Stack, length: u32): bool {
  return isSourceFreeIn(stack.next, length);
}

function isSourceFreeIn(layers: Column<u32>, length: u32): bool {
  for (let i: u32 = 0; i < length; i++) if (layers[i] === SOURCEFREE) return true;
  return false;
}

/** Whether the next stack, of `length` layers, is the applied one. */
export function sameStack(stack: Stack, length: u32): bool {
  if (length !== stack.stackLength) return false;
  for (let i: u32 = 0; i < length; i++) if (stack.applied[i] !== stack.next[i]) return false;
  return true;
}

/** Empties the applied stack. The caller clears the overrides. */
export function emptyStack(stack: Stack): void {
  for (let i: u32 = 0; i < stack.stackLength; i++) {
    const layer = stack.applied[i];
    if (layer !== SOURCEFREE) marksOf(stack, layer).applied -= 1;
  }
  stack.stackLength = 0;
}

/** Pushes a layer onto the applied stack. The caller installs its overrides. */
export function pushLayer(stack: Stack, layer: u32): void {
  stack.applied[stack.stackLength++] = layer;
  markNew(stack, layer);
}

/** Removes the layer at a place of the applied stack. The caller recomputes its directions. */
export function dropPlace(stack: Stack, place: u32): void {
  const layer = stack.applied[place];
  if (layer !== SOURCEFREE) marksOf(stack, layer).applied -= 1;
  stack.stackLength--;
  for (let i = place; i < stack.stackLength; i++) stack.applied[i] = stack.applied[i + 1];
}

/** Swaps the applied stack and the next one. Returns the previous length. */
export function exchangeStacks(stack: Stack, length: u32): u32 {
  const old = stack.applied;
  const oldLength = stack.stackLength;
  stack.applied = stack.next;
  stack.next = old;
  stack.stackLength = length;
  return oldLength;
}

/** Moves one occurrence of a layer from `applied` to `compared`: the layer is in the previous stack. */
export function markOld(stack: Stack, layer: u32): void {
  if (layer === SOURCEFREE) return;
  const at = marksOf(stack, layer);
  if (!ASC_NO_ASSERT) assert(at.applied > 0, 'a layer leaves a stack that does not contain it');
  at.applied -= 1;
  at.compared += 1;
}

/** Counts one occurrence of a layer in the new applied stack. */
export function markNew(stack: Stack, layer: u32): void {
  if (layer !== SOURCEFREE) marksOf(stack, layer).applied += 1;
}

/** Ends the comparison for a layer. */
export function settleMarks(stack: Stack, layer: u32): void {
  if (layer !== SOURCEFREE) marksOf(stack, layer).compared = 0;
}

/**
 * Whether the layers common to both stacks have the same order in both. With `freedom`, `auto.sourcefree` counts as one
 * of them.
 */
export function commonKeepOrder(stack: Stack, length: u32, freedom: bool): bool {
  for (let i: u32 = 0; i < length; i++) {
    const layer = stack.next[i];
    if (layer !== SOURCEFREE) marksOf(stack, layer).compared = 1;
  }
  let at: u32 = 0;
  let isOrdered = true;
  for (let i: u32 = 0; i < stack.stackLength && isOrdered; i++) {
    const layer = stack.applied[i];
    if (!isCompared(stack, layer, freedom)) continue;
    while (at < length && !isCompared(stack, stack.next[at], freedom)) at++;
    isOrdered = at < length && stack.next[at] === layer;
    at++;
  }
  while (isOrdered && at < length) isOrdered = !isCompared(stack, stack.next[at++], freedom);
  for (let i: u32 = 0; i < length; i++) settleMarks(stack, stack.next[i]);
  return isOrdered;
}

/** For `commonKeepOrder`: whether the layer is in both stacks; for `auto.sourcefree`, `freedom`. */
function isCompared(stack: Stack, layer: u32, freedom: bool): bool {
  if (layer === SOURCEFREE) return freedom;
  const at = marksOf(stack, layer);
  return at.applied !== 0 && at.compared !== 0;
}

/** Whether this is the layer's first place in the stack. A layer's reservations count once. */
export function firstTime(stack: Stack, place: u32): bool {
  const layer = stack.applied[place];
  if (marksOf(stack, layer).applied === 1) return true;
  for (let i: u32 = 0; i < place; i++) if (stack.applied[i] === layer) return false;
  return true;
}
