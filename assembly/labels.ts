/**
 * The path search when a limit binds: several labels per node.
 *
 * A cheaper way to reach a node can be the wrong one when it is slower or longer, so here a node keeps every
 * label that is not dominated in (cost, delay, hops), up to LABELS_PER_NODE, cheapest settled first
 * (multi-criteria Dijkstra, Martins 1984). The first label settled at the source within the limits is the
 * cheapest path within them, exact as long as no node ran out of places. Labels that cannot keep within the
 * limits any more, by the least delay and the fewest hops there are from the source, are never made: that
 * leaves a few thousand on real graphs. Bounded by LABEL_LIMIT labels in all.
 */
import { allocatePages } from './arena';
import {
  A_BASE,
  A_CLTV,
  A_FLAGS,
  A_PPM,
  A_TAIL,
  FLAG_ENABLED,
  inEnabledEnd,
  inStart,
  nodeCount,
  outArcs,
  outStart,
} from './graph';
import { heapClear, heapPop, heapPush, heapSize } from './heap';
import { AMOUNT_LIMIT, feeMsat } from './numbers';
import { headOfArc } from './overlay';
import {
  heapNodes,
  recordOf,
  S_ARC,
  S_BOUND_DELAY,
  S_BOUND_HOPS,
  S_BOUND_STAMP,
  S_COST,
  S_DELAY,
  S_EXTRA_IN,
  S_EXTRA_OUT,
  S_HOPS,
  S_LABEL_COUNT,
  S_LABELS,
  S_STAMP,
  stateOf,
} from './scratch';
import { admits, nextStamp, pollCancel, stepCost } from './search';

const LABEL_LIMIT: u32 = 1 << 17;
/** With `keepLarger`, whose paths hardly ever pay for a longer look. */
const LABEL_LIMIT_LARGER: u32 = 1 << 13;
const LABELS_PER_NODE: u32 = 24;

const LABEL_BYTES: u32 = 48;
const T_COST: usize = 0; // f64
const T_AMOUNT: usize = 8; // i64
const T_NODE: usize = 16;
const T_ARC: usize = 20;
const T_PARENT: usize = 24;
const T_DELAY: usize = 28;
const T_HOPS: usize = 32;
const T_NEXT: usize = 36;

let labels: usize = 0;
let labelCount: u32 = 0;
let heap: usize = 0;
let heapLength: u32 = 0;
let stamp: u32 = 0;
let boundStamp: u32 = 0;
let boundsReady: bool = false;
let labelLimit: u32 = LABEL_LIMIT;
let largerKept: bool = false;

// @ts-ignore: decorator
@inline
function labelAt(index: u32): usize {
  return labels + (index as usize) * (LABEL_BYTES as usize);
}

/**
 * As `search`, with both limits exact. The path found is left in S_ARC of the nodes along it.
 * With `keepLarger` a label that brings more msat to a node is not dominated by one that brings less: a dearer
 * way on can lift a small amount over an HTLC minimum upstream.
 */
export function searchLabels(
  source: u32,
  destination: u32,
  amount: i64,
  maxHops: u32,
  maxDelay: u32,
  keepLarger: bool,
): bool {
  largerKept = keepLarger;
  if (labels == 0) {
    labels = allocatePages((LABEL_LIMIT as u64) * (LABEL_BYTES as u64));
    heap = allocatePages((LABEL_LIMIT as u64) * 4);
    if (labels == 0 || heap == 0) unreachable();
  }
  if (!boundsReady) boundsFrom(source);
  const end = stateOf(destination);
  if (load<u32>(end + S_BOUND_STAMP) != boundStamp || (load<u16>(end + S_BOUND_HOPS) as u32) > maxHops) return false;
  if ((load<u16>(end + S_BOUND_DELAY) as u32) > maxDelay) return false;
  labelLimit = keepLarger ? LABEL_LIMIT_LARGER : LABEL_LIMIT;
  stamp = nextStamp();
  // Label 0 means none.
  labelCount = 1;
  heapLength = 0;
  addLabel(destination, 0, 0, 0.0, amount, 0, 0);
  while (heapLength > 0) {
    const index = pop();
    const label = labelAt(index);
    const node = load<u32>(label + T_NODE);
    if (node == source) {
      writePath(index);
      return true;
    }
    if ((index & 255) == 0 && pollCancel()) return false;
    if (load<u32>(label + T_HOPS) >= maxHops) continue;
    if (node < nodeCount) {
      const last = load<u32>(inEnabledEnd + ((node as usize) << 2));
      for (let arc = load<u32>(inStart + ((node as usize) << 2)); arc < last; arc++) relax(index, arc, source, maxHops, maxDelay);
    }
    let link = load<u32>(stateOf(node) + S_EXTRA_IN) as usize;
    while (link != 0) {
      relax(index, load<u32>(link), source, maxHops, maxDelay);
      link = load<u32>(link + 4);
    }
  }
  return false;
}

function relax(parent: u32, arc: u32, source: u32, maxHops: u32, maxDelay: u32): void {
  const label = labelAt(parent);
  const reach = load<i64>(label + T_AMOUNT);
  const record = recordOf(arc);
  if (!admits(record, reach, source)) return;
  const tail = load<u32>(record + A_TAIL);
  const delay = load<u32>(label + T_DELAY) + (load<u16>(record + A_CLTV) as u32);
  const hops = load<u32>(label + T_HOPS) + 1;
  const tailState = stateOf(tail);
  if (load<u32>(tailState + S_BOUND_STAMP) != boundStamp) return;
  if (delay + (load<u16>(tailState + S_BOUND_DELAY) as u32) > maxDelay) return;
  if (hops + (load<u16>(tailState + S_BOUND_HOPS) as u32) > maxHops) return;
  const amount = reach + feeMsat(reach, load<u32>(record + A_BASE), load<u32>(record + A_PPM));
  if (amount >= AMOUNT_LIMIT) return;
  const cost = load<f64>(label + T_COST) + stepCost(record, reach);
  // Going in circles also brings more.
  if (largerKept && passes(parent, tail)) return;
  if (!dominated(tail, cost, amount, delay, hops)) addLabel(tail, arc, parent, cost, amount, delay, hops);
}

/** Forgets the bounds: the next query has another source, or other layers. */
export function forgetBounds(): void {
  boundsReady = false;
}

/**
 * Least delay and fewest hops from the source to every node, over all enabled directions whatever they carry:
 * one pass serves all shares of a query.
 */
function boundsFrom(source: u32): void {
  boundStamp = nextStamp();
  countHops(source);
  countDelays(source);
  boundsReady = true;
}

function usable(arc: u32): bool {
  return ((load<u16>(recordOf(arc) + A_FLAGS) as u32) & FLAG_ENABLED) != 0;
}

function countHops(source: u32): void {
  let first: u32 = 0;
  let last: u32 = 1;
  store<u32>(stateOf(source) + S_BOUND_STAMP, boundStamp);
  store<u16>(stateOf(source) + S_BOUND_HOPS, 0);
  store<u32>(heapNodes, source);
  while (first < last) {
    const node = load<u32>(heapNodes + ((first++ as usize) << 2));
    const hops = (load<u16>(stateOf(node) + S_BOUND_HOPS) as u32) + 1;
    for (let k = firstLeaving(node); k != 0; k = nextLeaving()) {
      const arc = leavingArc();
      if (!usable(arc)) continue;
      const state = stateOf(headOfArc(arc));
      if (load<u32>(state + S_BOUND_STAMP) == boundStamp) continue;
      store<u32>(state + S_BOUND_STAMP, boundStamp);
      store<u16>(state + S_BOUND_HOPS, min<u32>(hops, 0xffff) as u16);
      store<u32>(heapNodes + ((last++ as usize) << 2), headOfArc(arc));
    }
  }
}

function countDelays(source: u32): void {
  const searching = nextStamp();
  store<u32>(stateOf(source) + S_STAMP, searching);
  store<f64>(stateOf(source) + S_COST, 0.0);
  heapPush(0.0, source);
  while (heapSize > 0) {
    const node = heapPop();
    const delay = load<f64>(stateOf(node) + S_COST);
    store<u16>(stateOf(node) + S_BOUND_DELAY, min<f64>(delay, 65535.0) as u16);
    for (let k = firstLeaving(node); k != 0; k = nextLeaving()) {
      const arc = leavingArc();
      if (!usable(arc)) continue;
      const head = headOfArc(arc);
      const state = stateOf(head);
      const total = delay + (load<u16>(recordOf(arc) + A_CLTV) as f64);
      if (load<u32>(state + S_STAMP) == searching && load<f64>(state + S_COST) <= total) continue;
      store<u32>(state + S_STAMP, searching);
      store<f64>(state + S_COST, total);
      heapPush(total, head);
    }
  }
  heapClear();
}

// Iteration over the arcs that leave a node: first the graph's, then created ones.
let leavingAt: u32 = 0;
let leavingEnd: u32 = 0;
let leavingLink: usize = 0;

function firstLeaving(node: u32): u32 {
  leavingAt = 0;
  leavingEnd = 0;
  if (node < nodeCount) {
    leavingAt = load<u32>(outStart + ((node as usize) << 2));
    leavingEnd = load<u32>(outStart + ((node as usize) << 2) + 4);
  }
  leavingLink = load<u32>(stateOf(node) + S_EXTRA_OUT);
  return leavingAt < leavingEnd || leavingLink != 0 ? 1 : 0;
}

function nextLeaving(): u32 {
  if (leavingAt < leavingEnd) leavingAt++;
  else leavingLink = load<u32>(leavingLink + 4);
  return leavingAt < leavingEnd || leavingLink != 0 ? 1 : 0;
}

function leavingArc(): u32 {
  return leavingAt < leavingEnd ? load<u32>(outArcs + ((leavingAt as usize) << 2)) : load<u32>(leavingLink);
}

/** Whether the label's path goes through the node. */
function passes(index: u32, node: u32): bool {
  for (let at = index; at != 0; at = load<u32>(labelAt(at) + T_PARENT)) {
    if (load<u32>(labelAt(at) + T_NODE) == node) return true;
  }
  return false;
}

function dominated(node: u32, cost: f64, amount: i64, delay: u32, hops: u32): bool {
  const state = stateOf(node);
  if (load<u32>(state + S_STAMP) != stamp) return false;
  let index = load<u32>(state + S_LABELS);
  while (index != 0) {
    const other = labelAt(index);
    if (
      load<f64>(other + T_COST) <= cost &&
      load<u32>(other + T_DELAY) <= delay &&
      load<u32>(other + T_HOPS) <= hops &&
      (!largerKept || load<i64>(other + T_AMOUNT) >= amount)
    ) {
      return true;
    }
    index = load<u32>(other + T_NEXT);
  }
  return load<u32>(state + S_LABEL_COUNT) >= LABELS_PER_NODE;
}

function addLabel(node: u32, arc: u32, parent: u32, cost: f64, amount: i64, delay: u32, hops: u32): void {
  if (labelCount >= labelLimit) return;
  const state = stateOf(node);
  if (load<u32>(state + S_STAMP) != stamp) {
    store<u32>(state + S_STAMP, stamp);
    store<u32>(state + S_LABELS, 0);
    store<u32>(state + S_LABEL_COUNT, 0);
  }
  const index = labelCount++;
  const label = labelAt(index);
  store<f64>(label + T_COST, cost);
  store<i64>(label + T_AMOUNT, amount);
  store<u32>(label + T_NODE, node);
  store<u32>(label + T_ARC, arc);
  store<u32>(label + T_PARENT, parent);
  store<u32>(label + T_DELAY, delay);
  store<u32>(label + T_HOPS, hops);
  store<u32>(label + T_NEXT, load<u32>(state + S_LABELS));
  store<u32>(state + S_LABELS, index);
  store<u32>(state + S_LABEL_COUNT, load<u32>(state + S_LABEL_COUNT) + 1);
  push(index);
}

/** Leaves the path where callers of `search` look for it. */
function writePath(last: u32): void {
  let index = last;
  const end = labelAt(last);
  store<u32>(stateOf(load<u32>(end + T_NODE)) + S_DELAY, load<u32>(end + T_DELAY));
  store<u32>(stateOf(load<u32>(end + T_NODE)) + S_HOPS, load<u32>(end + T_HOPS));
  for (let hops = load<u32>(end + T_HOPS); hops > 0; hops--) {
    const label = labelAt(index);
    store<u32>(stateOf(load<u32>(label + T_NODE)) + S_ARC, load<u32>(label + T_ARC));
    index = load<u32>(label + T_PARENT);
  }
}

// @ts-ignore: decorator
@inline
function costAt(place: u32): f64 {
  return load<f64>(labelAt(load<u32>(heap + ((place as usize) << 2))) + T_COST);
}

function push(index: u32): void {
  const cost = load<f64>(labelAt(index) + T_COST);
  let place = heapLength++;
  while (place > 0) {
    const parent = (place - 1) >> 1;
    if (costAt(parent) <= cost) break;
    store<u32>(heap + ((place as usize) << 2), load<u32>(heap + ((parent as usize) << 2)));
    place = parent;
  }
  store<u32>(heap + ((place as usize) << 2), index);
}

function pop(): u32 {
  const top = load<u32>(heap);
  const index = load<u32>(heap + ((--heapLength as usize) << 2));
  const cost = load<f64>(labelAt(index) + T_COST);
  let place: u32 = 0;
  for (;;) {
    let child = place * 2 + 1;
    if (child >= heapLength) break;
    if (child + 1 < heapLength && costAt(child + 1) < costAt(child)) child++;
    if (costAt(child) >= cost) break;
    store<u32>(heap + ((place as usize) << 2), load<u32>(heap + ((child as usize) << 2)));
    place = child;
  }
  store<u32>(heap + ((place as usize) << 2), index);
  return top;
}
