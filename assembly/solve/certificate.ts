/**
 * How far from the best an answer can be at most: a lower bound of the objective, for answers whose search was cut short.
 *
 * The objective F is convex in what crosses the directions, base fees and parts left aside (they only add). A convex
 * function lies above its tangent, so for every other answer z and the present loads y
 *
 *   F(z) ≥ F(y) + ∇F(y)·(z − y) ≥ F(y) − ∇F(y)·y + amount · (length of the shortest path at the prices ∇F(y))
 *
 * which is the bound of Frank and Wolfe (1956). Prices that are constant drop out of F(y) − ∇F(y)·y. Limits and
 * HTLC limits are left aside as well: an answer that keeps them can only cost more. One search, whatever the effort.
 */
import { A_CLTV, A_FLAGS, A_MAX, A_MIN, A_PPM, FLAG_ENABLED, inEnabledEnd, inStart, nodeCount, A_TAIL } from '../graph/graph';
import { heapClear, heapPop, heapPush, heapSize } from './heap';
import { applyLoads, MAX_HOPS, tangentAtZero } from './parts';
import { recordOf, S_COST, S_EXTRA_IN, S_STAMP, stateOf } from '../overlay/scratch';
import { delayRate, factorOf, feeWeight, nextStamp, riskPrice } from './search';

/** Fees are rounded down, by less than 1 msat at each hop of each part. */
export function lowerBound(source: u32, destination: u32, amount: i64, maxParts: u32): f64 {
  applyLoads();
  const rounding = feeWeight * ((MAX_HOPS * maxParts) as f64);
  return max<f64>(0.0, tangentAtZero() + (amount as f64) * shortest(source, destination) - rounding);
}

/** Least price per msat of a way from source to destination, at the present loads; 0 where there is none. */
function shortest(source: u32, destination: u32): f64 {
  const stamp = nextStamp();
  store<f64>(stateOf(destination) + S_COST, 0.0);
  store<u32>(stateOf(destination) + S_STAMP, stamp);
  heapPush(0.0, destination);
  while (heapSize > 0) {
    const node = heapPop();
    const price = load<f64>(stateOf(node) + S_COST);
    if (node == source) {
      heapClear();
      return price;
    }
    if (node < nodeCount) {
      const last = load<u32>(inEnabledEnd + ((node as usize) << 2));
      for (let arc = load<u32>(inStart + ((node as usize) << 2)); arc < last; arc++) relax(arc, price, stamp);
    }
    for (let link = load<u32>(stateOf(node) + S_EXTRA_IN) as usize; link != 0; link = load<u32>(link + 4)) {
      relax(load<u32>(link), price, stamp);
    }
  }
  return 0.0;
}

function relax(arc: u32, price: f64, stamp: u32): void {
  const record = recordOf(arc);
  if (((load<u16>(record + A_FLAGS) as u32) & FLAG_ENABLED) == 0) return;
  const total = price + slope(record);
  const tail = load<u32>(record + A_TAIL);
  const state = stateOf(tail);
  if (load<u32>(state + S_STAMP) == stamp && load<f64>(state + S_COST) <= total) return;
  store<f64>(state + S_COST, total);
  store<u32>(state + S_STAMP, stamp);
  heapPush(total, tail);
}

/** Price of one more msat across the direction, whose bounds are less what crosses it already. */
function slope(record: usize): f64 {
  const flat = feeWeight * (load<u32>(record + A_PPM) as f64) * 1e-6 + delayRate * (load<u16>(record + A_CLTV) as f64);
  const left = (load<i64>(record + A_MAX) as f64) + 1.0;
  return factorOf(record) * (load<i64>(record + A_MIN) > 0 ? flat : flat + riskPrice / max<f64>(left, 1.0));
}
