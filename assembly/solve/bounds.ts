/**
 * What a path still needs at least from the source to a node: blocks, hops, cost. The search under limits
 * (labels.ts) drops what cannot keep within a limit any more and looks at the most promising first.
 *
 *   delay, hops   over all enabled directions, whatever they carry: one pass serves all shares of a query; or only
 *                 over those that can carry a share, where the search is lost without
 *   cost          of the share asked for, at the present prices and loads. Amounts only grow towards the source
 *                 and prices never fall with the amount, so what the share itself costs is a lower bound
 *
 * Costs are settled outwards from the source like in A*, ordered by cost from the source plus cost left to the
 * destination, which a search at the same prices (search.ts) has just found: only nodes whose cheapest path is
 * at most `ceiling` are ever looked at.
 */
import { allocatePages } from '../graph/arena';
import { A_CLTV, A_FLAGS, A_HTLC_MAX, A_MAX, FLAG_ENABLED, nodeCount, outArcs, outStart } from '../graph/graph';
import { DIRECTION_STEPS, NODE_STEPS, spend } from './effort';
import { heapClear, heapLeastKey, heapPop, heapPush, heapSize } from './heap';
import { headOfArc } from '../overlay/created';
import { heapNodes, nodeRoom, recordOf, S_COST, S_EXTRA_OUT, S_STAMP, stateOf } from '../overlay/scratch';
import { leastStart, nextStamp, pollCancel, stepCost } from './search';

// Per node, 32 bytes.
const N_BYTES: u32 = 32;
const N_COST: usize = 0; // f64
const N_COST_STAMP: usize = 8;
/** Labels of the multi-label search: newest first, and their number. */
export const N_LABELS: usize = 12;
export const N_LABEL_STAMP: usize = 16;
export const N_LABEL_COUNT: usize = 20; // u16
const N_HOPS: usize = 22; // u16
const N_DELAY: usize = 24;
const N_STAMP: usize = 28;

export const UNBOUNDED: u32 = 0x7fffffff;

let table: usize = 0;
let tableNodes: u32 = 0;
/** Of the delays and hops; 0 when there are none yet. */
let stamp: u32 = 0;
/** What directions have to carry to count. */
let leastShare: i64 = 0;
/** Up to this delay nodes were reached. */
let delayReach: u32 = 0;
let hopsCounted: bool = false;

let costStamp: u32 = 0;
/** The search whose labels say what is left to the destination, and what is left at least where it made none. */
let searchStamp: u32 = 0;
let leftAtMost: f64 = 0.0;
/** Every node not settled yet has at least this cost, what is left to the destination included. */
let costReach: f64 = 0.0;
let share: i64 = 0;

// @ts-ignore: decorator
@inline
export function boundsOf(node: u32): usize {
  return table + (node as usize) * (N_BYTES as usize);
}

/** Forgets the bounds: the next query has another source, or other layers. */
export function forgetBounds(): void {
  stamp = 0;
}

/**
 * Makes delays from `source` known, as far as paths of at most `maxDelay` blocks lead, and with `countsHops` the hops:
 * without, they are taken for none, which says little but is true.
 */
export function boundsFrom(source: u32, maxDelay: u32, countsHops: bool): void {
  if (stamp != 0 && maxDelay <= delayReach && (hopsCounted || !countsHops)) return;
  makeBounds(source, maxDelay, countsHops, 0);
}

/**
 * As `boundsFrom`, without directions that cannot carry the share as things are: amounts only grow towards the source.
 * To be forgotten before anything else is asked.
 */
export function boundsForShare(source: u32, maxDelay: u32, countsHops: bool, share: i64): void {
  makeBounds(source, maxDelay, countsHops, share);
}

function makeBounds(source: u32, maxDelay: u32, countsHops: bool, share: i64): void {
  const nodes = nodeRoom();
  if (nodes > tableNodes) {
    table = allocatePages((nodes as u64) * (N_BYTES as u64));
    if (table == 0) unreachable();
    tableNodes = nodes;
    stamp = 0;
  }
  stamp = nextStamp();
  leastShare = share;
  delayReach = maxDelay;
  hopsCounted = countsHops || maxDelay == UNBOUNDED;
  if (maxDelay == UNBOUNDED) countHops(source, true);
  else {
    countDelays(source, maxDelay);
    if (countsHops) countHops(source, false);
  }
}

/** Whether a path through the node can keep the limits that has so many blocks and hops from there on. */
// @ts-ignore: decorator
@inline
export function canKeep(node: u32, delay: u32, hops: u32, maxDelay: u32, maxHops: u32): bool {
  const at = boundsOf(node);
  return (
    load<u32>(at + N_STAMP) == stamp &&
    delay + load<u32>(at + N_DELAY) <= maxDelay &&
    hops + (load<u16>(at + N_HOPS) as u32) <= maxHops
  );
}

/** Least delay from the source; for nodes that `canKeep` says yes to. */
export function leastDelay(node: u32): u32 {
  return load<u32>(boundsOf(node) + N_DELAY);
}

function carries(record: usize, amount: i64): bool {
  const isEnabled = ((load<u16>(record + A_FLAGS) as u32) & FLAG_ENABLED) != 0;
  return isEnabled && amount <= load<i64>(record + A_HTLC_MAX) && amount <= load<i64>(record + A_MAX);
}

/** Breadth-first; with `anyDelay` it marks nodes as reached, else it keeps to those that `countDelays` has. */
function countHops(source: u32, anyDelay: bool): void {
  const counting = anyDelay ? stamp : nextStamp();
  let first: u32 = 0;
  let last = visit(source, 0, 0, counting, anyDelay);
  while (first < last) {
    const node = load<u32>(heapNodes + ((first++ as usize) << 2));
    const hops = min<u32>((load<u16>(boundsOf(node) + N_HOPS) as u32) + 1, 0xffff);
    for (let more = firstLeaving(node); more; more = nextLeaving()) {
      const arc = leavingArc();
      if (carries(recordOf(arc), leastShare)) last = visit(headOfArc(arc), hops, last, counting, anyDelay);
    }
  }
}

function visit(node: u32, hops: u32, last: u32, counting: u32, anyDelay: bool): u32 {
  const at = boundsOf(node);
  if (anyDelay) {
    if (load<u32>(at + N_STAMP) == stamp) return last;
    store<u32>(at + N_STAMP, stamp);
    store<u32>(at + N_DELAY, 0);
  } else {
    if (load<u32>(at + N_STAMP) != stamp || load<u32>(at + N_COST_STAMP) == counting) return last;
    store<u32>(at + N_COST_STAMP, counting);
  }
  store<u16>(at + N_HOPS, hops as u16);
  store<u32>(heapNodes + ((last as usize) << 2), node);
  return last + 1;
}

/** Dijkstra's algorithm over blocks. */
function countDelays(source: u32, maxDelay: u32): void {
  store<u32>(boundsOf(source) + N_STAMP, stamp);
  store<u32>(boundsOf(source) + N_DELAY, 0);
  store<u16>(boundsOf(source) + N_HOPS, 0);
  heapPush(0.0, source);
  while (heapSize > 0) {
    const node = heapPop();
    const delay = load<u32>(boundsOf(node) + N_DELAY);
    for (let more = firstLeaving(node); more; more = nextLeaving()) {
      const record = recordOf(leavingArc());
      const total = delay + (load<u16>(record + A_CLTV) as u32);
      if (total > maxDelay || !carries(record, leastShare)) continue;
      const head = headOfArc(leavingArc());
      const at = boundsOf(head);
      if (load<u32>(at + N_STAMP) == stamp && load<u32>(at + N_DELAY) <= total) continue;
      store<u32>(at + N_STAMP, stamp);
      store<u32>(at + N_DELAY, total);
      store<u16>(at + N_HOPS, 0);
      heapPush(total as f64, head);
    }
  }
}

/**
 * Begins the costs of `amount` from `source`, right after a search for it (stamp `found`) that ended at the source
 * with a path of cost `cheapest`. The heap belongs to them until `endCosts`.
 */
export function beginCosts(source: u32, amount: i64, found: u32, cheapest: f64): void {
  costStamp = nextStamp();
  searchStamp = found;
  // It ended when nothing was left below the cheapest path but for the first channel.
  leftAtMost = max<f64>(cheapest - leastStart, 0.0);
  share = amount;
  costReach = 0.0;
  store<f64>(boundsOf(source) + N_COST, 0.0);
  store<u32>(boundsOf(source) + N_COST_STAMP, costStamp);
  heapPush(cheapest, source);
}

export function endCosts(): void {
  heapClear();
}

/** Settles all nodes with a path that costs at most `ceiling`. */
export function settleCosts(ceiling: f64): void {
  let settled: u32 = 0;
  while (heapSize > 0 && heapLeastKey() <= ceiling) {
    if ((++settled & 255) == 0 && pollCancel()) return;
    const node = heapPop();
    const cost = load<f64>(boundsOf(node) + N_COST);
    for (let more = firstLeaving(node); more; more = nextLeaving()) relax(leavingArc(), cost);
  }
  costReach = heapSize > 0 ? ceiling : Infinity;
}

// @ts-ignore: decorator
@inline
function relax(arc: u32, cost: f64): void {
  const record = recordOf(arc);
  if (!carries(record, share)) return;
  const head = headOfArc(arc);
  const at = boundsOf(head);
  if (load<u32>(at + N_STAMP) != stamp) return;
  const total = cost + stepCost(record, share);
  if (load<u32>(at + N_COST_STAMP) == costStamp && load<f64>(at + N_COST) <= total) return;
  store<f64>(at + N_COST, total);
  store<u32>(at + N_COST_STAMP, costStamp);
  heapPush(total + costLeft(head), head);
}

/** What the search without limits says is left from the node to the destination. */
// @ts-ignore: decorator
@inline
function costLeft(node: u32): f64 {
  const state = stateOf(node);
  return load<u32>(state + S_STAMP) == searchStamp ? min<f64>(load<f64>(state + S_COST), leftAtMost) : leftAtMost;
}

/** Least cost from the source to the node; exact where settled, else what it must be at least. */
export function leastCost(node: u32): f64 {
  const at = boundsOf(node);
  const unsettled = costReach - costLeft(node);
  return load<u32>(at + N_COST_STAMP) == costStamp ? min<f64>(load<f64>(at + N_COST), unsettled) : unsettled;
}

// Iteration over the arcs that leave a node: first the graph's, then created ones.
let leavingAt: u32 = 0;
let leavingEnd: u32 = 0;
let leavingLink: usize = 0;

function firstLeaving(node: u32): bool {
  leavingAt = 0;
  leavingEnd = 0;
  if (node < nodeCount) {
    leavingAt = load<u32>(outStart + ((node as usize) << 2));
    leavingEnd = load<u32>(outStart + ((node as usize) << 2) + 4);
    spend(2 * DIRECTION_STEPS * (leavingEnd - leavingAt) + NODE_STEPS);
  }
  leavingLink = load<u32>(stateOf(node) + S_EXTRA_OUT);
  return leavingAt < leavingEnd || leavingLink != 0;
}

function nextLeaving(): bool {
  if (leavingAt < leavingEnd) leavingAt++;
  else leavingLink = load<u32>(leavingLink + 4);
  return leavingAt < leavingEnd || leavingLink != 0;
}

function leavingArc(): u32 {
  return leavingAt < leavingEnd ? load<u32>(outArcs + ((leavingAt as usize) << 2)) : load<u32>(leavingLink);
}
