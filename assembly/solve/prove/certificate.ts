/**
 * A lower bound of the objective, which shows how far an answer can be from the best. Used for strained answers, for
 * those that HTLC maximums force into several parts, and for searches that were cut short.
 *
 * The objective F is convex in what crosses the directions once base fees and the price of parts are left out (they can
 * only add to it). A convex function lies above its tangent, so for every other answer z and the present loads y
 *
 *   F(z) ≥ F(y) + ∇F(y)·(z − y) ≥ F(y) − ∇F(y)·y + amount · (length of the shortest path at the prices ∇F(y))
 *
 * which is the bound of Frank and Wolfe (1956). Constant prices cancel in F(y) − ∇F(y)·y. What remains are the tangents
 * of the risks at zero (`tangentAtZero` in objective.ts). Limits of the question and HTLC limits are ignored as well:
 * they only make answers costlier. Fees are rounded down, by less than 1 msat at each hop of each part, so that much is
 * subtracted.
 *
 * Invariant: the bound is at most what the answer itself costs (asserted in solve.ts). Work: one search, regardless of
 * the effort. Failure mode: if loads are far from the best, the bound is valid but weak.
 */
import { DirectionRecord, isEnabled } from '../../graph/direction';
import { headOfArc } from '../../overlay/created-channels';
import { leavingEnd } from '../../overlay/links';
import { recordOf, recordOut, stateOf } from '../../overlay/scratch';
import { Question } from '../../record';
import { Workspace } from '../../workspace';
import { applyLoads } from '../flow/lanes';
import { partAt } from '../flow/parts';
import { tangentAtZero } from '../improve/objective';
import { ownQueue } from '../path/ahead';
import { heapClear, heapLeastKey, heapPop, heapPush } from '../path/heap';
import { Queue } from '../path/queue';
import { nextStamp } from '../path/search';
import { Crossing, partPrice } from '../question/prices';
import { MAX_HOPS } from '../question/sizes';

/**
 * The lower bound of F for answers of at most `maxparts` parts, msat, at the current prices and loads. It subtracts
 * what rounding of fees can save: less than 1 msat at each hop of each part.
 */
export function lowerBound(question: Question, work: Workspace): f64 {
  const prices = work.prices;
  applyLoads(work);
  // Each further part can save by rounding, but costs the part price.
  const each = prices.feeWeight * (MAX_HOPS as f64);
  const rounding = each + max<f64>(0.0, each - partPrice(prices)) * ((question.maxparts - 1) as f64);
  return max<f64>(
    0.0,
    tangentAtZero(work) +
      (question.amountMsat as f64) * shortest(work, question.source, question.destination) -
      rounding,
  );
}

/**
 * Minimum price per msat of a path from source to destination, at the current loads: Dijkstra's algorithm from both
 * ends. The cheapest path costs at most as much as those of the answer, so labels that cost more are skipped.
 */
function shortest(work: Workspace, source: u32, destination: u32): f64 {
  const heap = work.heap;
  const stamp = nextStamp(work.search);
  const queue = ownQueue(work);
  let least = leastOfParts(work);
  labelAhead(work, source, 0.0, stamp);
  queue.push(0.0, source);
  labelBack(work, destination, 0.0, stamp);
  heapPush(work, 0.0, destination);
  while (heap.size > 0 && queue.size > 0 && heapLeastKey(heap) + queue.leastKey() < least)
    least = heap.size < queue.size ? settleBack(work, stamp, least) : settleAhead(work, queue, stamp, least);
  heapClear(work);
  return least;
}

/** Settles the next node of the destination's side. Returns the cost of the cheapest path known. */
function settleBack(work: Workspace, stamp: u32, known: f64): f64 {
  const graph = work.graph;
  const node = heapPop(work);
  const price = stateOf(work.scratch, node).cost;
  let least = known;
  if (node < graph.nodeCount) {
    const last = graph.inEnabledEnd[node];
    for (let arc = graph.inStart[node]; arc < last; arc++)
      least = relaxBack(work, recordOf(work, arc), price, stamp, least);
  }
  let link = stateOf(work.scratch, node).extraIn;
  while (link !== null) {
    least = relaxBack(work, recordOf(work, link.arc), price, stamp, least);
    link = link.next;
  }
  return least;
}

/** Labels the tail of a direction whose head was settled at `price`. Returns as `settleBack`. */
function relaxBack(work: Workspace, record: DirectionRecord, price: f64, stamp: u32, least: f64): f64 {
  if (!isEnabled(record)) return least;
  const total = price + slope(work, record);
  if (total >= least) return least;
  const tail = record.tail;
  const state = stateOf(work.scratch, tail);
  if (state.stamp === stamp && state.cost <= total) return least;
  labelBack(work, tail, total, stamp);
  heapPush(work, total, tail);
  return state.aheadStamp === stamp ? min<f64>(least, total + state.aheadCost) : least;
}

function labelBack(work: Workspace, node: u32, cost: f64, stamp: u32): void {
  const state = stateOf(work.scratch, node);
  state.cost = cost;
  state.stamp = stamp;
}

/** Settles the next node of the source's side. Returns as `settleBack`. */
function settleAhead(work: Workspace, queue: Queue, stamp: u32, known: f64): f64 {
  const graph = work.graph;
  const node = queue.first();
  const price = queue.leastKey();
  let least = known;
  queue.pop();
  if (stateOf(work.scratch, node).aheadCost < price) return least;
  if (node < graph.nodeCount) {
    const last = leavingEnd(work, node);
    for (let k = graph.outStart[node]; k < last; k++)
      least = relaxAhead(work, recordOut(work, k), graph.outHeads[k], queue, price, stamp, least);
  }
  let link = stateOf(work.scratch, node).extraOut;
  while (link !== null) {
    const head = headOfArc(work, link.arc);
    least = relaxAhead(work, recordOf(work, link.arc), head, queue, price, stamp, least);
    link = link.next;
  }
  return least;
}

/** Labels the head of a direction whose tail was settled at `price`. Returns as `settleBack`. */
function relaxAhead(
  work: Workspace,
  record: DirectionRecord,
  head: u32,
  queue: Queue,
  price: f64,
  stamp: u32,
  least: f64,
): f64 {
  if (!isEnabled(record)) return least;
  const total = price + slope(work, record);
  const state = stateOf(work.scratch, head);
  if (total >= least || (state.aheadStamp === stamp && state.aheadCost <= total)) return least;
  labelAhead(work, head, total, stamp);
  queue.push(total, head);
  return state.stamp === stamp ? min<f64>(least, total + state.cost) : least;
}

function labelAhead(work: Workspace, node: u32, cost: f64, stamp: u32): void {
  const state = stateOf(work.scratch, node);
  state.aheadCost = cost;
  state.aheadStamp = stamp;
}

/** Minimum price per msat of the current parts' paths. */
function leastOfParts(work: Workspace): f64 {
  const parts = work.parts;
  let least: f64 = Infinity;
  for (let i: u32 = 0; i < parts.count; i++) {
    const part = partAt(parts, i);
    let price: f64 = 0.0;
    for (let k = part.hopCount; k-- > 0; ) price += slope(work, recordOf(work, part.hop(k).arc));
    least = min<f64>(least, price);
  }
  return least;
}

/** Price of one more msat across the direction. Its bounds already exclude the loads. */
function slope(work: Workspace, record: DirectionRecord): f64 {
  const prices = work.prices;
  const flat =
    prices.feeWeight * (record.feeProportionalMillionths as f64) * 1e-6 +
    prices.delayRate * (record.cltvExpiryDelta as f64);
  const left = (record.maxMsat as f64) + 1.0;
  const price =
    prices.areOddsLearned || record.minMsat > 0 ? flat : flat + prices.riskPrice / max<f64>(left, 1.0);
  return Crossing.factor(work, record) * price + Crossing.avoidance(record);
}
