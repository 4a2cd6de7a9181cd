/**
 * A lower bound of the objective: how far an answer can be from the best. Used for strained answers and for
 * those whose search was cut short.
 *
 * The objective F is convex in what crosses the directions once base fees and the price of parts are left out (they
 * only add). A convex function lies above its tangent, so for every other answer z and the present loads y
 *
 *   F(z) ≥ F(y) + ∇F(y)·(z − y) ≥ F(y) − ∇F(y)·y + amount · (length of the shortest path at the prices ∇F(y))
 *
 * which is the bound of Frank and Wolfe (1956). Constant prices drop out of F(y) − ∇F(y)·y. What remains are the
 * tangents of the risks at zero (`tangentAtZero` in objective.ts). Limits of the question and HTLC limits are left out
 * as well: an answer that keeps them can only cost more. Fees are rounded down, by less than 1 msat at each hop of each
 * part, so that much is subtracted.
 *
 * Invariant: the bound is at most what the answer itself costs (asserted in solve.ts). Work: one search, whatever the
 * effort. Failure mode: where loads are far from the best, the bound is true but weak.
 */
import { DirectionRecord, isEnabled } from '../../graph/direction';
import { inEnabledEnd, inStart, nodeCount, outArcs, outStart } from '../../graph/graph';
import { recordOf, stateOf } from '../../overlay/scratch';
import { applyLoads } from '../flow/lanes';
import { partAt, partCount } from '../flow/parts';
import { tangentAtZero } from '../improve/objective';
import { heapClear, heapPop, heapPush, heapSize } from '../path/heap';
import { nextStamp } from '../path/search';
import { Crossing, delayRate, feeWeight, partPrice, riskPrice } from '../question/prices';
import { MAX_HOPS } from '../question/sizes';

/** Relative error of sums of prices, with room to spare. */
const ROUNDING: f64 = 1e-9;

/**
 * The lower bound of F for answers of at most `maxParts` parts, msat, at the present prices and loads. It subtracts
 * what rounding of fees can save: less than 1 msat at each hop of each part.
 */
export function lowerBound(source: u32, destination: u32, amount: i64, maxParts: u32): f64 {
  applyLoads();
  // Each further part may save what rounding takes off its fees, but has a price of its own.
  const each = feeWeight * (MAX_HOPS as f64);
  const rounding = each + max<f64>(0.0, each - partPrice()) * ((maxParts - 1) as f64);
  return max<f64>(0.0, tangentAtZero() + (amount as f64) * shortest(source, destination) - rounding);
}

/** The least price per msat of a way from source to destination, at the present loads; 0 where there is no way. */
function shortest(source: u32, destination: u32): f64 {
  const stamp = nextStamp();
  // No way that the answer uses can be cheaper than the cheapest. What costs more, the first channel included, is left out.
  const most = leastOfParts() * (1.0 + ROUNDING);
  const inner = most - leastLeaving(source);
  stateOf(destination).cost = 0.0;
  stateOf(destination).stamp = stamp;
  heapPush(0.0, destination);
  while (heapSize > 0) {
    const node = heapPop();
    const price = stateOf(node).cost;
    if (node === source) {
      heapClear();
      return price;
    }
    if (node < nodeCount) {
      const last = inEnabledEnd[node];
      for (let arc = inStart[node]; arc < last; arc++) relax(arc, price, stamp, source, most, inner);
    }
    let link = stateOf(node).extraIn;
    while (link !== null) {
      relax(link.arc, price, stamp, source, most, inner);
      link = link.next;
    }
  }
  return 0.0;
}

function relax(arc: u32, price: f64, stamp: u32, source: u32, most: f64, inner: f64): void {
  const record = recordOf(arc);
  if (!isEnabled(record)) return;
  const total = price + slope(record);
  const tail = record.tail;
  if (total > (tail === source ? most : inner)) return;
  const state = stateOf(tail);
  if (state.stamp === stamp && state.cost <= total) return;
  state.cost = total;
  state.stamp = stamp;
  heapPush(total, tail);
}

/** The least price per msat of the ways of the present parts. */
function leastOfParts(): f64 {
  let least: f64 = Infinity;
  for (let i: u32 = 0; i < partCount; i++) {
    const part = partAt(i);
    let price: f64 = 0.0;
    for (let k = part.hopCount; k-- > 0; ) price += slope(recordOf(part.hop(k).arc));
    least = min<f64>(least, price);
  }
  return least;
}

/** The least price per msat of a channel of the source; 0, which is always true, where layers create channels there. */
function leastLeaving(source: u32): f64 {
  if (source >= nodeCount || stateOf(source).extraOut !== null) return 0.0;
  let least: f64 = Infinity;
  const end = outStart.after(source);
  for (let k = outStart[source]; k < end; k++) {
    const record = recordOf(outArcs[k]);
    if (isEnabled(record)) least = min<f64>(least, slope(record));
  }
  return least;
}

/** Price of one more msat across the direction. The loads have been taken off its bounds already. */
function slope(record: DirectionRecord): f64 {
  const flat =
    feeWeight * (record.feeProportionalMillionths as f64) * 1e-6 +
    delayRate * (record.cltvExpiryDelta as f64);
  const left = (record.maxMsat as f64) + 1.0;
  const price = record.minMsat > 0 ? flat : flat + riskPrice / max<f64>(left, 1.0);
  return Crossing.factor(record) * price + Crossing.avoidance(record);
}
