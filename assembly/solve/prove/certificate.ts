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
import { recordOf, stateOf } from '../../overlay/scratch';
import { Question } from '../../record';
import { Workspace } from '../../workspace';
import { applyLoads } from '../flow/lanes';
import { partAt } from '../flow/parts';
import { tangentAtZero } from '../improve/objective';
import { heapClear, heapPop, heapPush } from '../path/heap';
import { nextStamp } from '../path/search';
import { Crossing, partPrice } from '../question/prices';
import { MAX_HOPS } from '../question/sizes';

/** Relative error of sums of prices, with a safety margin. */
const ROUNDING: f64 = 1e-9;

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

/** Minimum price per msat of a path from source to destination, at the current loads; 0 if there is no path. */
function shortest(work: Workspace, source: u32, destination: u32): f64 {
  const graph = work.graph;
  const scratch = work.scratch;
  const stamp = nextStamp(work.search);
  // The cheapest path costs at most as much as the answer's paths. Labels that cost more than that, together with the
  // first channel, are skipped.
  const most = leastOfParts(work) * (1.0 + ROUNDING);
  const inner = most - leastLeaving(work, source);
  stateOf(scratch, destination).cost = 0.0;
  stateOf(scratch, destination).stamp = stamp;
  heapPush(work, 0.0, destination);
  while (work.heap.size > 0) {
    const node = heapPop(work);
    const price = stateOf(scratch, node).cost;
    if (node === source) {
      heapClear(work);
      return price;
    }
    if (node < graph.nodeCount) {
      const last = graph.inEnabledEnd[node];
      for (let arc = graph.inStart[node]; arc < last; arc++)
        relax(work, arc, price, stamp, source, most, inner);
    }
    let link = stateOf(scratch, node).extraIn;
    while (link !== null) {
      relax(work, link.arc, price, stamp, source, most, inner);
      link = link.next;
    }
  }
  return 0.0;
}

function relax(work: Workspace, arc: u32, price: f64, stamp: u32, source: u32, most: f64, inner: f64): void {
  const record = recordOf(work, arc);
  if (!isEnabled(record)) return;
  const total = price + slope(work, record);
  const tail = record.tail;
  if (total > (tail === source ? most : inner)) return;
  const state = stateOf(work.scratch, tail);
  if (state.stamp === stamp && state.cost <= total) return;
  state.cost = total;
  state.stamp = stamp;
  heapPush(work, total, tail);
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

/** Minimum price per msat of a channel of the source; 0, which is always valid, if layers create channels there. */
function leastLeaving(work: Workspace, source: u32): f64 {
  const graph = work.graph;
  if (source >= graph.nodeCount || stateOf(work.scratch, source).extraOut !== null) return 0.0;
  let least: f64 = Infinity;
  const end = graph.outStart.after(source);
  for (let k = graph.outStart[source]; k < end; k++) {
    const record = recordOf(work, graph.outArcs[k]);
    if (isEnabled(record)) least = min<f64>(least, slope(work, record));
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
