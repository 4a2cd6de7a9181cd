/**
 * The lowest price of any path between the ends, by a search from both ends.
 *
 * Prices bound fees from below (refute.ts). Only the price is wanted, not the path, so Dijkstra's algorithm runs from
 * both ends and ends as soon as no other path can be cheaper than the cheapest one found:
 *
 *   B(v) = lowest price from v to the destination,  A(v) = lowest price from the source to v
 *   price of a path through v ≥ A(v) + B(v),  price of any path not yet found ≥ next A + next B
 *
 * Rates are charged on the fees of later hops as well, so they compound: (1 + A) · (1 + B) − 1 instead of A + B.
 *
 * Each step continues at the end whose next node has fewer directions. On real graphs this visits a small part of what
 * a search from one end visits, because hubs are scanned last, and many directions charge no base fee at all: as soon as
 * two sides without fees meet, nothing can be cheaper.
 *
 * A direction counts if one part can cross it: of at least its HTLC minimum, and of at most its maximum and what any
 * part can carry there. With `isQuickOnly`, it must also be on some path within the limits on delay and hops
 * (`isQuick`).
 *
 * Labels: `stamp` and `cost` of a node's state contain B, `aheadStamp` and `aheadCost` contain A. Work: each side scans
 * each direction at most once.
 */
import { DirectionRecord, FLAG_DEAD_END, isEnabled } from '../../graph/direction';
import { feeMsat } from '../../graph/numbers';
import { headOfArc } from '../../overlay/created-channels';
import { directionsFrom, directionsInto, leavingEnd } from '../../overlay/links';
import { recordOf, recordOut, stateOf } from '../../overlay/scratch';
import { Question } from '../../record';
import { Workspace } from '../../workspace';
import { equalShare } from '../flow/ends';
import { ownQueue } from '../path/ahead';
import { heapClear, heapLeastKey, heapPop, heapPush } from '../path/heap';
import { Queue } from '../path/queue';
import { nextStamp } from '../path/search';
import { DIRECTION_STEPS, effortSpent, NODE_STEPS, spend } from '../question/effort';
import { carriesPart } from './one-part';
import { isQuick } from './quick';

/** What is priced, per msat delivered: rates alone. */
export const RATES: u32 = 0;
/** What is priced, per part: base fees minus 1 msat each. */
export const BASES: u32 = 1;
/** What is priced, per part: whole base fees. */
export const WHOLE_BASES: u32 = 2;
/** What is priced: the fees of an equal share of the amount. */
export const LARGEST_PART: u32 = 3;
/** What is priced: base fees minus 1 msat each, plus the whole amount at the rates. */
export const WHOLE_AMOUNT: u32 = 4;

/** The state of a search. */
@unmanaged
export class PriceSearch {
  priced: u32;
  /** Whether only directions on some path within the limits on delay and hops count. */
  isQuickOnly: bool;
  /** Maximum amount that leaves the source: the amount plus maximum fees, msat. */
  sent: i64;
  /** An equal share of the amount, msat. */
  share: i64;
  /** The whole amount, msat. */
  amount: f64;
  stamp: u32;
  /** Prices above this are not wanted. */
  limit: f64;
  /** The lowest price of the paths found so far; Infinity while there is none. */
  meeting: f64;
  /** Nodes that the source's side has yet to settle. The destination's side uses the heap. */
  queue: Queue;
}

/**
 * The lowest price of a path, or Infinity if it is above `limit`. Loads must be released.
 * @param priced RATES, BASES, WHOLE_BASES or LARGEST_PART
 * @param sent maximum amount that leaves the source, msat
 * @param isQuickOnly whether the limits on delay and hops count (`countDelaysLeft` must have been called)
 * @param end the number of steps spent since the instance was created at which the search gives up, and returns 0
 */
export function leastPrice(
  question: Question,
  work: Workspace,
  priced: u32,
  sent: i64,
  isQuickOnly: bool,
  limit: f64,
  end: f64 = Infinity,
): f64 {
  const search = work.priceSearch;
  const heap = work.heap;
  search.priced = priced;
  search.isQuickOnly = isQuickOnly;
  search.sent = sent;
  search.share = equalShare(question);
  search.amount = question.amountMsat as f64;
  search.limit = limit;
  search.stamp = nextStamp(work.search);
  search.meeting = Infinity;
  search.queue = ownQueue(work);
  const queue = search.queue;
  let isOver = false;
  reachBehind(work, question.destination, 0.0);
  reachAhead(work, question.source, 0.0);
  while (heap.size > 0 && queue.size > 0) {
    const least = through(search, queue.leastKey(), heapLeastKey(heap));
    if (least >= search.meeting || least > limit) break;
    isOver = effortSpent(work.effort) >= end;
    if (isOver) break;
    const node = queue.first();
    if (directionsInto(work, heap.nodes[0]) <= directionsFrom(work, node)) {
      expandBehind(question, work, heapPop(work));
      continue;
    }
    const isStale = stateOf(work.scratch, node).aheadCost < queue.leastKey();
    queue.pop();
    if (!isStale) expandAhead(question, work, node);
  }
  heapClear(work);
  if (isOver) return 0.0;
  return search.meeting <= limit ? search.meeting : Infinity;
}

/** The price of a path, from its prices on both sides of a node. */
function through(search: PriceSearch, ahead: f64, behind: f64): f64 {
  return search.priced === RATES ? ahead + behind + ahead * behind : ahead + behind;
}

/** Lowest price of crossing the direction. */
function priceOf(search: PriceSearch, record: DirectionRecord): f64 {
  const priced = search.priced;
  const base = record.feeBaseMsat as f64;
  if (priced === RATES) return (record.feeProportionalMillionths as f64) * 1e-6;
  if (priced === BASES) return max<f64>(base - 1.0, 0.0);
  if (priced === WHOLE_BASES) return base;
  if (priced === WHOLE_AMOUNT)
    return max<f64>(base - 1.0, 0.0) + search.amount * (record.feeProportionalMillionths as f64) * 1e-6;
  return feeMsat(search.share, record.feeBaseMsat, record.feeProportionalMillionths) as f64;
}

/** Whether one part can cross the direction. */
function isUsable(question: Question, work: Workspace, record: DirectionRecord, head: u32): bool {
  const search = work.priceSearch;
  if (!isEnabled(record) || !carriesPart(question, search.sent, record, head)) return false;
  return !search.isQuickOnly || isQuick(question, work, record, head);
}

function expandBehind(question: Question, work: Workspace, node: u32): void {
  const graph = work.graph;
  const state = stateOf(work.scratch, node);
  const before = state.cost;
  spend(work.effort, DIRECTION_STEPS * directionsInto(work, node) + NODE_STEPS);
  if (node < graph.nodeCount) {
    const end = graph.inEnabledEnd[node];
    for (let arc = graph.inStart[node]; arc < end; arc++) crossBehind(question, work, arc, node, before);
  }
  let link = state.extraIn;
  while (link !== null) {
    crossBehind(question, work, link.arc, node, before);
    link = link.next;
  }
}

function crossBehind(question: Question, work: Workspace, arc: u32, head: u32, before: f64): void {
  const search = work.priceSearch;
  const record = recordOf(work, arc);
  const state = stateOf(work.scratch, record.tail);
  if (state.stamp === search.stamp && state.cost <= before) return;
  const price = through(search, priceOf(search, record), before);
  if (state.stamp === search.stamp && state.cost <= price) return;
  if (price > search.limit || price >= search.meeting) return;
  const isDeadEnd = ((record.flags as u32) & FLAG_DEAD_END) !== 0 && state.extraIn === null;
  if (isDeadEnd && record.tail !== question.source) return;
  if (isUsable(question, work, record, head)) reachBehind(work, record.tail, price);
}

/** Labels a node from the destination's side. */
function reachBehind(work: Workspace, node: u32, price: f64): void {
  const search = work.priceSearch;
  const state = stateOf(work.scratch, node);
  state.stamp = search.stamp;
  state.cost = price;
  if (state.aheadStamp === search.stamp) meet(search, state.aheadCost, price);
  heapPush(work, price, node);
}

function expandAhead(question: Question, work: Workspace, node: u32): void {
  const graph = work.graph;
  const state = stateOf(work.scratch, node);
  const before = state.aheadCost;
  spend(work.effort, DIRECTION_STEPS * directionsFrom(work, node) + NODE_STEPS);
  if (node < graph.nodeCount) {
    const end = leavingEnd(work, node);
    for (let k = graph.outStart[node]; k < end; k++) {
      const head = graph.outHeads[k];
      // This check avoids reading most records.
      if (mayReachAhead(work, head, before)) crossAhead(question, work, recordOut(work, k), head, before);
    }
  }
  let link = state.extraOut;
  while (link !== null) {
    const head = headOfArc(work, link.arc);
    if (mayReachAhead(work, head, before)) crossAhead(question, work, recordOf(work, link.arc), head, before);
    link = link.next;
  }
}

/** Whether an arc from a node with this price can improve the label of its head. */
function mayReachAhead(work: Workspace, head: u32, price: f64): bool {
  const state = stateOf(work.scratch, head);
  return state.aheadStamp !== work.priceSearch.stamp || state.aheadCost > price;
}

function crossAhead(
  question: Question,
  work: Workspace,
  record: DirectionRecord,
  head: u32,
  before: f64,
): void {
  const search = work.priceSearch;
  const price = through(search, before, priceOf(search, record));
  if (price > search.limit || price >= search.meeting || !mayReachAhead(work, head, price)) return;
  if (isUsable(question, work, record, head)) reachAhead(work, head, price);
}

/** Labels a node from the source's side. */
function reachAhead(work: Workspace, node: u32, price: f64): void {
  const search = work.priceSearch;
  const state = stateOf(work.scratch, node);
  state.aheadStamp = search.stamp;
  state.aheadCost = price;
  if (state.stamp === search.stamp) meet(search, price, state.cost);
  search.queue.push(price, node);
}

/** Records that both sides have labelled a node. */
function meet(search: PriceSearch, ahead: f64, behind: f64): void {
  search.meeting = min<f64>(search.meeting, through(search, ahead, behind));
}
