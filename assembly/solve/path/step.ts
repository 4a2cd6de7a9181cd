/**
 * One step of a search from the destination back to the source: across one direction, from its head to its tail.
 *
 * A direction that cannot carry the amount at its head may hide a path: one whose label is costlier, but whose amount
 * fits. `hide` and `hideLarge` record the minimum cost of such paths (`leastHidden` of search.ts).
 */
import { DirectionRecord, FLAG_DEAD_END, FLAG_ENABLED } from '../../graph/direction';
import { AMOUNT_LIMIT, feeMsat } from '../../graph/numbers';
import { recordOf, stateOf } from '../../overlay/scratch';
import { Workspace } from '../../workspace';
import { Crossing } from '../question/prices';
import { leastAhead, meetAhead } from './ahead';
import { isNear, leastTo } from './ends';
import { heapPush } from './heap';

/**
 * Records that a direction cannot carry the `reach` msat of a label of cost `cost`. A path whose amount the direction
 * can carry costs at least as much up to here. To reach an HTLC minimum it also pays fees for the difference between
 * minimum and share. `left` is a lower bound of the cost from the source to the direction's tail. All costs are msat at
 * the current prices.
 *
 * If only fees are priced, the cheapest label also has the smallest amount. Limit prices can change that; then
 * limits.ts searches again.
 */
export function hide(work: Workspace, record: DirectionRecord, reach: i64, cost: f64, left: f64): void {
  const search = work.search;
  let passing = search.share;
  let reached = cost;
  if (reach < record.htlcMinimumMsat) {
    passing = record.htlcMinimumMsat;
    search.leastMinimumMet = min<i64>(search.leastMinimumMet, passing);
    reached = max<f64>(cost, search.liftPrice * ((passing - search.share) as f64));
  } else {
    search.maximumMet = true;
    if (work.prices.exactFees) return;
  }
  if (reached + left >= search.leastHidden) return;
  search.leastHidden = min<f64>(
    search.leastHidden,
    reached + Crossing.cost(work, record, passing, search.share) + left,
  );
}

/**
 * Records that a node needs more than can leave the source. A path through the node with a smaller amount costs at least
 * `least` msat.
 */
function hideLarge(work: Workspace, least: f64): void {
  const search = work.search;
  search.maximumMet = true;
  if (!work.prices.exactFees) search.leastHidden = min<f64>(search.leastHidden, least);
}

/** A direction can carry the amount at its head. */
export const ADMITTED: u32 = 0;
/** A direction cannot carry the amount at its head. */
export const REFUSED: u32 = 1;
/** A direction cannot carry the amount at its head, but could carry a larger or a smaller one. */
export const OTHER_AMOUNT: u32 = 2;

/**
 * One step of a search, across one direction. These are methods because TypeScript does not allow the decorator
 * `@inline` on functions.
 */
export class Step {
  /**
   * Whether a direction can carry the amount at its head on a path from the source: ADMITTED, REFUSED, or OTHER_AMOUNT
   * if a different amount could cross. It must be enabled, and the amount must be within its HTLC limits and known
   * maximum. A tail with a single neighbour is a dead end unless a layer gave it another channel.
   */
  @inline
  static admits(work: Workspace, record: DirectionRecord, reach: i64, source: u32): u32 {
    const flags = record.flags as u32;
    if ((flags & FLAG_ENABLED) === 0) return REFUSED;
    const most = min<i64>(record.htlcMaximumMsat, record.maxMsat);
    if (work.search.share > most) return REFUSED;
    if ((flags & FLAG_DEAD_END) !== 0) {
      const tail = record.tail;
      if (tail !== source && (work.links.extraLinks === 0 || stateOf(work.scratch, tail).extraIn === null))
        return REFUSED;
    }
    if (reach >= record.htlcMinimumMsat && reach <= most) return ADMITTED;
    return record.htlcMinimumMsat <= most ? OTHER_AMOUNT : REFUSED;
  }

  /**
   * Labels the tail of an arc if the path through it is the cheapest so far. Returns whether the tail was labelled
   * and has incoming arcs that layers create or enable.
   */
  @inline
  static relax(
    work: Workspace,
    arc: u32,
    source: u32,
    reach: i64,
    cost: f64,
    delay: u32,
    hops: u32,
    maxDelay: u32,
  ): bool {
    const search = work.search;
    const ahead = work.ahead;
    const record = recordOf(work, arc);
    const admission = Step.admits(work, record, reach, source);
    if (admission !== ADMITTED) {
      if (admission !== REFUSED) hide(work, record, reach, cost, leastTo(work, record.tail, source));
      return false;
    }
    const tail = record.tail;
    const state = stateOf(work.scratch, tail);
    const known = state.stamp === search.stamp ? state.cost : search.bound;
    if (known <= cost + Crossing.leastCost(work.prices, record, reach)) return false;
    const total = cost + Crossing.cost(work, record, reach, search.share);
    assert(total >= cost, 'no direction has a negative cost');
    if (!ASC_NO_ASSERT)
      assert(
        total >= cost + Crossing.leastCost(work.prices, record, reach),
        'the lower bound of a cost holds',
      );
    if (known <= total) return false;
    let key = total;
    if (tail !== source) {
      if (search.isGuided) {
        key += leastAhead(ahead, tail, search.horizon);
        if (search.bound <= key) return false;
      } else if (search.innerBound <= total && !isNear(work, tail, source)) return false;
    }
    const blocks = delay + (record.cltvExpiryDelta as u32);
    if (blocks > maxDelay) return false;
    const amount = reach + feeMsat(reach, record.feeBaseMsat, record.feeProportionalMillionths);
    if (amount >= AMOUNT_LIMIT) return false;
    if (amount > search.mostLeaving && tail !== source) {
      hideLarge(work, total + leastTo(work, tail, source));
      return false;
    }
    state.cost = total;
    state.amountMsat = amount;
    state.stamp = search.stamp;
    state.arc = arc;
    state.delay = blocks;
    state.hops = hops as u16;
    state.blocksRead = 0;
    if (tail === source) {
      search.bound = total;
      search.innerBound = total - search.leastStart;
    }
    if (!search.isGuided) meetAhead(ahead, tail, total);
    heapPush(work, key, tail);
    return state.extraIn !== null;
  }
}
