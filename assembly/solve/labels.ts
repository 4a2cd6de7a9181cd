/**
 * The path search when a limit binds: several labels per node.
 *
 * A cheaper way to reach a node can be the wrong one when it is slower or longer, so here a node keeps every
 * label that is not dominated in (cost, delay, hops), up to LABELS_PER_NODE (multi-criteria search, Martins
 * 1984). Labels that cannot keep within the limits any more are never made, and the others are settled in the
 * order of cost so far plus the least that is left (bounds.ts), both with the limits priced (limits.ts). A path's
 * cost without those prices is at least the priced one less what they make of the limits themselves: so the best
 * path found so far is a ceiling for all labels, and the search ends where none is left below it. The cheapest
 * path within the limits. Where a node ran out of places or the search out of labels or steps, and what was not
 * looked at could have been cheaper than the path found, the search says that it left something undone (effort.ts).
 */
import { allocatePages } from '../graph/arena';
import {
  beginCosts,
  boundsFrom,
  boundsOf,
  canKeep,
  endCosts,
  leastCost,
  leastDelay,
  N_LABEL_COUNT,
  N_LABEL_STAMP,
  N_LABELS,
  settleCosts,
} from './bounds';
import { DIRECTION_STEPS, leaveUndone, NODE_STEPS, spend } from './effort';
import { A_BASE, A_CLTV, A_PPM, A_TAIL, inEnabledEnd, inStart, nodeCount } from '../graph/graph';
import { AMOUNT_LIMIT, feeMsat } from '../graph/numbers';
import { recordOf, S_ARC, S_COST, S_DELAY, S_EXTRA_IN, S_HOPS, S_STAMP, stateOf } from '../overlay/scratch';
import { admits, blockPrice, countSettled, hopPrice, nextStamp, pollCancel, stepCost } from './search';

const LABEL_LIMIT: u32 = 1 << 17;
const LABELS_PER_NODE: u32 = 24;
/** With `keepLarger`, whose paths hardly ever pay for a longer look. */
const STEP_LIMIT_LARGER: u32 = 1 << 16;
/** Of paths that cost the same the faster one is looked at first; msat per block, far below what anybody counts. */
const TIE_RATE: f64 = 1e-6;

const LABEL_BYTES: u32 = 48;
const T_COST: usize = 0; // f64
const T_AMOUNT: usize = 8; // i64
const T_NODE: usize = 16;
const T_ARC: usize = 20;
const T_PARENT: usize = 24;
const T_DELAY: usize = 28;
const T_HOPS: usize = 32;
const T_NEXT: usize = 36;
/** What the heap orders by. */
const T_KEY: usize = 40; // f64

let labels: usize = 0;
let labelCount: u32 = 0;
let heap: usize = 0;
let heapLength: u32 = 0;
let stamp: u32 = 0;
let largerKept: bool = false;
let ceiling: f64 = Infinity;
/** What the prices of limits make of the limits themselves. */
let allowed: f64 = 0.0;
/** Whether `leastCost` says what is left to the source. */
let areCostsKnown: bool = false;
let steps: u32 = 0;
let stepLimit: u32 = 0;
/** Least key of the labels that found no place. */
let leastDropped: f64 = Infinity;
/** Whether the last search left undone what could have been cheaper than what it found. */
export let wasStopped: bool = false;

// @ts-ignore: decorator
@inline
function labelAt(index: u32): usize {
  return labels + (index as usize) * (LABEL_BYTES as usize);
}

/**
 * The cheapest path within both limits that costs less than `limit`, right after a search at the present prices
 * of limits found one beyond them: `allowance` is what those prices make of the limits themselves. The path
 * found is left in S_ARC of the nodes along it.
 */
export function searchPriced(
  source: u32,
  destination: u32,
  amount: i64,
  maxHops: u32,
  maxDelay: u32,
  limit: f64,
  allowance: f64,
  steps: u32,
): bool {
  const state = stateOf(source);
  beginCosts(source, amount, load<u32>(state + S_STAMP), load<f64>(state + S_COST));
  prepareLabels(limit, allowance, steps);
  settleCosts(ceiling);
  areCostsKnown = true;
  const found = settleLabels(source, destination, amount, maxHops, maxDelay);
  endCosts();
  return found;
}

/** As `searchPriced`, without any price or bound of cost. */
export function searchLabels(
  source: u32,
  destination: u32,
  amount: i64,
  maxHops: u32,
  maxDelay: u32,
  limit: f64,
  steps: u32,
): bool {
  prepareLabels(limit, 0.0, steps);
  return settleLabels(source, destination, amount, maxHops, maxDelay);
}

function prepareLabels(limit: f64, allowance: f64, steps: u32): void {
  largerKept = false;
  areCostsKnown = false;
  stepLimit = steps;
  allowed = allowance;
  ceiling = limit + allowance;
}

/**
 * A path within both limits that costs less than `limit`, where the amount is below an HTLC minimum: a dearer way on
 * can lift it over. A label that brings more msat to a node is not dominated by one that brings less.
 */
export function searchLifted(
  source: u32,
  destination: u32,
  amount: i64,
  maxHops: u32,
  maxDelay: u32,
  limit: f64,
): bool {
  wasStopped = false;
  boundsFrom(source, maxDelay, false);
  if (!canKeep(destination, 0, 0, maxDelay, maxHops)) return false;
  prepareLabels(limit, 0.0, STEP_LIMIT_LARGER);
  largerKept = true;
  return settleLabels(source, destination, amount, maxHops, maxDelay);
}

function settleLabels(source: u32, destination: u32, amount: i64, maxHops: u32, maxDelay: u32): bool {
  if (labels == 0) {
    labels = allocatePages((LABEL_LIMIT as u64) * (LABEL_BYTES as u64));
    heap = allocatePages((LABEL_LIMIT as u64) * 4);
    if (labels == 0 || heap == 0) unreachable();
  }
  stamp = nextStamp();
  steps = 0;
  leastDropped = Infinity;
  let best: u32 = 0;
  // Label 0 means none.
  labelCount = 1;
  heapLength = 0;
  addLabel(destination, 0, 0, 0.0, 0.0, amount, 0, 0);
  for (let settled: u32 = 1; heapLength > 0 && steps < stepLimit; settled++) {
    const index = pop();
    const label = labelAt(index);
    const node = load<u32>(label + T_NODE);
    if (load<f64>(label + T_KEY) >= ceiling) break;
    if (node == source) {
      // At these prices the least, but a later one can be cheaper without them.
      const own = load<f64>(label + T_COST) - limitCost(label);
      if (own + allowed < ceiling) {
        best = index;
        ceiling = own + allowed;
      }
      continue;
    }
    if ((settled & 255) == 0 && pollCancel()) break;
    if (load<u32>(label + T_HOPS) < maxHops) settle(index, node, source, maxHops, maxDelay);
  }
  countSettled(labelCount);
  wasStopped = leastDropped < ceiling || (heapLength > 0 && keyAt(0) < ceiling);
  if (wasStopped) leaveUndone();
  if (best != 0) writePath(best);
  return best != 0;
}

/** What the prices of limits add to the label's cost. */
// @ts-ignore: decorator
@inline
function limitCost(label: usize): f64 {
  return blockPrice * (load<u32>(label + T_DELAY) as f64) + hopPrice * (load<u32>(label + T_HOPS) as f64);
}

function settle(index: u32, node: u32, source: u32, maxHops: u32, maxDelay: u32): void {
  if (node < nodeCount) {
    const first = load<u32>(inStart + ((node as usize) << 2));
    const last = load<u32>(inEnabledEnd + ((node as usize) << 2));
    steps += last - first;
    spend(2 * DIRECTION_STEPS * (last - first) + NODE_STEPS);
    for (let arc = first; arc < last; arc++) relax(index, arc, source, maxHops, maxDelay);
  }
  let link = load<u32>(stateOf(node) + S_EXTRA_IN) as usize;
  while (link != 0) {
    steps++;
    relax(index, load<u32>(link), source, maxHops, maxDelay);
    link = load<u32>(link + 4);
  }
}

function relax(parent: u32, arc: u32, source: u32, maxHops: u32, maxDelay: u32): void {
  const label = labelAt(parent);
  const reach = load<i64>(label + T_AMOUNT);
  const record = recordOf(arc);
  if (!admits(record, reach, source)) return;
  const tail = load<u32>(record + A_TAIL);
  const delay = load<u32>(label + T_DELAY) + (load<u16>(record + A_CLTV) as u32);
  const hops = load<u32>(label + T_HOPS) + 1;
  if (!canKeep(tail, delay, hops, maxDelay, maxHops)) return;
  const cost = load<f64>(label + T_COST) + stepCost(record, reach);
  const total = areCostsKnown ? cost + leastCost(tail) : cost;
  if (total >= ceiling) return;
  const amount = reach + feeMsat(reach, load<u32>(record + A_BASE), load<u32>(record + A_PPM));
  if (amount >= AMOUNT_LIMIT) return;
  // Going in circles also brings more.
  if (largerKept && passes(parent, tail)) return;
  const key = total + TIE_RATE * ((delay + leastDelay(tail)) as f64);
  const own = cost - blockPrice * (delay as f64) - hopPrice * (hops as f64);
  if (dominated(tail, own, amount, delay, hops)) return;
  if (hasPlace(tail)) addLabel(tail, arc, parent, cost, key, amount, delay, hops);
  else leastDropped = min<f64>(leastDropped, key);
}

/** Whether the label's path goes through the node. */
function passes(index: u32, node: u32): bool {
  for (let at = index; at != 0; at = load<u32>(labelAt(at) + T_PARENT)) {
    if (load<u32>(labelAt(at) + T_NODE) == node) return true;
  }
  return false;
}

function dominated(node: u32, cost: f64, amount: i64, delay: u32, hops: u32): bool {
  const at = boundsOf(node);
  if (load<u32>(at + N_LABEL_STAMP) != stamp) return false;
  let index = load<u32>(at + N_LABELS);
  while (index != 0) {
    const other = labelAt(index);
    if (
      load<f64>(other + T_COST) - limitCost(other) <= cost &&
      load<u32>(other + T_DELAY) <= delay &&
      load<u32>(other + T_HOPS) <= hops &&
      (!largerKept || load<i64>(other + T_AMOUNT) >= amount)
    ) {
      return true;
    }
    index = load<u32>(other + T_NEXT);
  }
  return false;
}

/** Whether there is a place for one more label, and for one at the node. */
function hasPlace(node: u32): bool {
  const at = boundsOf(node);
  const isNew = load<u32>(at + N_LABEL_STAMP) != stamp;
  return labelCount < LABEL_LIMIT && (isNew || (load<u16>(at + N_LABEL_COUNT) as u32) < LABELS_PER_NODE);
}

function addLabel(
  node: u32,
  arc: u32,
  parent: u32,
  cost: f64,
  key: f64,
  amount: i64,
  delay: u32,
  hops: u32,
): void {
  assert(labelCount < LABEL_LIMIT, 'a label has a place');
  const at = boundsOf(node);
  if (load<u32>(at + N_LABEL_STAMP) != stamp) {
    store<u32>(at + N_LABEL_STAMP, stamp);
    store<u32>(at + N_LABELS, 0);
    store<u16>(at + N_LABEL_COUNT, 0);
  }
  const index = labelCount++;
  const label = labelAt(index);
  store<f64>(label + T_COST, cost);
  store<f64>(label + T_KEY, key);
  store<i64>(label + T_AMOUNT, amount);
  store<u32>(label + T_NODE, node);
  store<u32>(label + T_ARC, arc);
  store<u32>(label + T_PARENT, parent);
  store<u32>(label + T_DELAY, delay);
  store<u32>(label + T_HOPS, hops);
  store<u32>(label + T_NEXT, load<u32>(at + N_LABELS));
  store<u32>(at + N_LABELS, index);
  store<u16>(at + N_LABEL_COUNT, load<u16>(at + N_LABEL_COUNT) + 1);
  push(index, key);
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
function keyAt(place: u32): f64 {
  return load<f64>(labelAt(load<u32>(heap + ((place as usize) << 2))) + T_KEY);
}

function push(index: u32, key: f64): void {
  let place = heapLength++;
  while (place > 0) {
    const parent = (place - 1) >> 1;
    if (keyAt(parent) <= key) break;
    store<u32>(heap + ((place as usize) << 2), load<u32>(heap + ((parent as usize) << 2)));
    place = parent;
  }
  store<u32>(heap + ((place as usize) << 2), index);
}

function pop(): u32 {
  const top = load<u32>(heap);
  const index = load<u32>(heap + ((--heapLength as usize) << 2));
  const key = load<f64>(labelAt(index) + T_KEY);
  let place: u32 = 0;
  for (;;) {
    let child = place * 2 + 1;
    if (child >= heapLength) break;
    if (child + 1 < heapLength && keyAt(child + 1) < keyAt(child)) child++;
    if (keyAt(child) >= key) break;
    store<u32>(heap + ((place as usize) << 2), load<u32>(heap + ((child as usize) << 2)));
    place = child;
  }
  store<u32>(heap + ((place as usize) << 2), index);
  return top;
}
