/**
 * The stack of layers applied, bottom first, and what else depends on the query: the source whose fees
 * `auto.sourcefree` lifts, the destination that may be paid though a layer disables it.
 *
 * A layer may stand in a stack several times. Its *marks* say how often: word 0 in the applied stack, word 1 in the
 * one it is compared with while one replaces the other; outside of a replacement word 1 is 0.
 */
import { allocatePages } from '../graph/arena';
import { NONE } from '../graph/graph';

/** Stands in a stack for `auto.sourcefree`. */
export const SOURCEFREE: u32 = 0xffffffff;
export const STACK_LIMIT: u32 = 16384;

let stack: usize = 0;
export let stackLength: u32 = 0;
let stackInput: usize = 0;
/** Marks per layer slot; grows with the slots. */
let marks: usize = 0;
let markSlots: u32 = 0;

/** The node whose fees and delays do not count; NONE without. */
export let sourceFree: u32 = NONE;
/** The destination, where a layer of the stack disables it; else NONE. */
export let payableNode: u32 = NONE;

export function stackInit(): void {
  stack = allocatePages(STACK_LIMIT * 4);
  stackInput = allocatePages(STACK_LIMIT * 4);
  if (stack == 0 || stackInput == 0) unreachable();
}

export function setSourceFree(node: u32): void {
  sourceFree = node;
}

export function setPayableNode(node: u32): void {
  payableNode = node;
}

/** Where the host writes the next stack (it moves: ask before each write). */
export function nextStackInput(): usize {
  return stackInput;
}

/** The layer at a place of the applied stack. */
// @ts-ignore: decorator
@inline
export function layerAt(place: u32): u32 {
  return load<u32>(stack + ((place as usize) << 2));
}

/** Makes room for the marks of layer slots 0 … slots−1. */
export function ensureMarks(slots: u32): void {
  if (slots <= markSlots) return;
  let capacity: u32 = max<u32>(markSlots, 1024);
  while (capacity < slots) capacity <<= 1;
  const table = allocatePages((capacity as u64) * 8);
  if (table == 0) unreachable();
  memory.copy(table, marks, markSlots * 8);
  marks = table;
  markSlots = capacity;
}

/** Where a layer's marks are. */
// @ts-ignore: decorator
@inline
export function marksOf(layer: u32): usize {
  assert(layer < markSlots, 'layer slot was not reserved');
  return marks + ((layer as usize) << 3);
}

/** Times a layer stands in the applied stack. */
export function timesApplied(layer: u32): u32 {
  return load<u32>(marksOf(layer));
}

/** Whether `auto.sourcefree` stands in the applied stack. */
export function hasSourceFree(): bool {
  return sourceFreePosition(stack, stackLength) != NONE;
}

/** Whether it stands in the next one. */
export function inputHasSourceFree(length: u32): bool {
  return sourceFreePosition(stackInput, length) != NONE;
}

function sourceFreePosition(entries: usize, length: u32): u32 {
  for (let i: u32 = 0; i < length; i++) if (load<u32>(entries + ((i as usize) << 2)) == SOURCEFREE) return i;
  return NONE;
}

export function sameStack(length: u32): bool {
  if (length != stackLength) return false;
  for (let i: usize = 0; i < (length as usize) << 2; i += 4) {
    if (load<u32>(stack + i) != load<u32>(stackInput + i)) return false;
  }
  return true;
}

/** Makes the next stack the applied one, and the applied one the next; returns how long that was. */
export function exchangeStacks(length: u32): u32 {
  const old = stack;
  const oldLength = stackLength;
  stack = stackInput;
  stackInput = old;
  stackLength = length;
  return oldLength;
}

/** The layer at a place of the stack that is not applied. */
export function otherLayerAt(place: u32): u32 {
  return load<u32>(stackInput + ((place as usize) << 2));
}

export function markOld(layer: u32): void {
  if (layer == SOURCEFREE) return;
  const at = marksOf(layer);
  store<u32>(at, load<u32>(at) - 1);
  store<u32>(at + 4, load<u32>(at + 4) + 1);
}

export function markNew(layer: u32): void {
  if (layer != SOURCEFREE) store<u32>(marksOf(layer), load<u32>(marksOf(layer)) + 1);
}

export function settleMarks(layer: u32): void {
  if (layer != SOURCEFREE) store<u32>(marksOf(layer) + 4, 0);
}

/**
 * Whether the layers standing in both stacks stand in the same order in both; with `freedom`, also the places
 * of `auto.sourcefree` among them.
 */
export function commonKeepOrder(length: u32, freedom: bool): bool {
  for (let i: u32 = 0; i < length; i++) {
    const layer = load<u32>(stackInput + ((i as usize) << 2));
    if (layer != SOURCEFREE) store<u32>(marksOf(layer) + 4, 1);
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
  return load<u32>(marksOf(layer)) != 0 && load<u32>(marksOf(layer) + 4) != 0;
}

/** Whether the layer at this place of the stack does not stand earlier in it: reservations count once. */
export function firstTime(place: u32): bool {
  const layer = load<u32>(stack + ((place as usize) << 2));
  if (load<u32>(marksOf(layer)) == 1) return true;
  for (let i: u32 = 0; i < place; i++) if (load<u32>(stack + ((i as usize) << 2)) == layer) return false;
  return true;
}
