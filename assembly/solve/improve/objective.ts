/**
 * Cost of an answer, and marginal cost of one more msat.
 *
 * A set of parts, each with a path and the amount x at each hop, that cross lanes with loads y, costs
 *
 *   F = Σ over hops   f · ( w · fee(x) + D · x · d ) + V · max(s, v)
 *     + Σ over lanes  f · R · (−ln P(y))
 *     + S · (parts − 1)
 *
 * | symbol | what it is | unit | where |
 * |---|---|---|---|
 * | x | amount that crosses a hop | msat | `Hop.amountMsat` |
 * | s | what the part delivers | msat | `Part.amountMsat` |
 * | y | load of a lane (lanes.ts) | msat | `Lane.loadMsat` |
 * | fee(x) | base + ⌊x · p / 10⁶⌋, exact | msat | `feeMsat` in graph/numbers.ts |
 * | p | proportional fee | millionths | `Lane.feeProportionalMillionths` |
 * | d | delay of the direction | blocks | `Lane.cltvExpiryDelta` |
 * | m, M | known minimum and maximum of what the direction passes | msat | `Lane.minMsat`, `maxMsat` |
 * | P(y) | 1 for y ≤ m, else 1 − (y − m) / (M + 1 − m) | – | `negLogComplement` |
 * | f | multiplier from biases and noise; 1 if only fees are priced | – | `Lane.factor` |
 * | V, v | price of a negative bias (prices.ts); 0 if only fees are priced | msat/msat, msat | `Lane.avoidance` |
 * | w | weight of fees, 1 unless a fee cap binds (answer.ts) | msat/msat | `feeWeight` |
 * | R | price of risk | msat/nat | `riskPrice` |
 * | D | price of delay | msat/(msat · block) | `delayRate` |
 * | S | price of each part after the first | msat | `partPrice` |
 *
 * With learned odds (odds.ts) the risk of a lane comes from them, and F' uses the slope of its convex hull.
 *
 * For one part F is what `search` minimises, except that a search ignores the rounding of fees. F is convex in the
 * loads, because fees and delay are linear, and the second derivative of the risk's price is R / (M + 1 − y)². Base
 * fees, v and S are the exception: they jump when a part is added or removed. Apart from them it is the separable
 * convex min-cost flow of Pickhardt and Richter (2021, arXiv:2107.05322), without splitting into linear pieces; for the
 * theory see Ahuja, Magnanti and Orlin, Network Flows (1993), chapter 14.
 *
 * The price of one more msat, the basis of balancing and bounds, is the derivative
 *
 *   F'(y) = f · ( w · p · 10⁻⁶ + D · d + R / (M + 1 − y) )      the last term only for y ≥ m
 *
 * plus V for each msat that a part delivers (`Bias.slope`). It jumps at y = m and grows without bound towards M + 1;
 * the + 1 keeps it finite when a direction must pass its exact maximum. Everything here is floating point and only
 * ranks alternatives: amounts and fees are integers elsewhere. Work: one step per hop and per lane.
 */
import { inverseRange } from '../../graph/direction';
import { feeMsat, negLogComplement } from '../../graph/numbers';
import { hasLayers } from '../../overlay/stack';
import { Workspace } from '../../workspace';
import { hullOf, Lane, laneAt, takenOf } from '../flow/lanes';
import { Part, PartSets, partAt } from '../flow/parts';
import { hullSlope, laneOdds } from '../question/odds';
import { avoidanceCost, Prices, partPrice } from '../question/prices';

/**
 * Minimum relative decrease of the objective, without what comes from biases, for an answer to count as better
 * (`worthwhile`).
 */
const WORTHWHILE: f64 = 2e-3;

/** f of the lane. Biases and noise do not apply if only fees are priced (prices.ts). */
function factorOf(prices: Prices, lane: Lane): f64 {
  return prices.exactFees ? 1.0 : lane.factor;
}

/**
 * Costs of negative biases. These are methods because TypeScript does not allow the decorator `@inline` on functions.
 */
export class Bias {
  /** Whether biases apply. They do not if only fees are priced. */
  @inline
  static counts(work: Workspace): bool {
    return !work.prices.exactFees && hasLayers(work.stack);
  }

  /** The sum of V over the hops of a part, msat per msat delivered; 0 if biases do not apply. */
  @inline
  static slope(work: Workspace, part: Part): f64 {
    return Bias.counts(work) ? avoidanceAlong(part) : 0.0;
  }

  /** Contribution of biases to F: the sum of V · max(s, v), msat. */
  @inline
  static cost(work: Workspace): f64 {
    return Bias.counts(work) ? avoidanceOfParts(work.parts) : 0.0;
  }
}

function avoidanceAlong(part: Part): f64 {
  let price: f64 = 0.0;
  for (let k = part.hopCount; k-- > 0; ) price += part.hop(k).lane.avoidance;
  return price;
}

function avoidanceOfParts(parts: PartSets): f64 {
  let total: f64 = 0.0;
  for (let i: u32 = 0; i < parts.count; i++)
    total += avoidanceCost(avoidanceAlong(partAt(parts, i)), partAt(parts, i).amountMsat);
  return total;
}

/** F of all parts at their current amounts, msat; loads must be fresh. */
export function objective(work: Workspace): f64 {
  const parts = work.parts;
  const prices = work.prices;
  const lanes = work.lanes;
  let total: f64 = parts.count > 1 ? partPrice(prices) * ((parts.count - 1) as f64) : 0.0;
  if (Bias.counts(work)) total += avoidanceOfParts(parts);
  for (let i: u32 = 0; i < parts.count; i++) {
    const part = partAt(parts, i);
    for (let k = part.hopCount; k-- > 0; ) {
      const hop = part.hop(k);
      const lane = hop.lane;
      const amount = hop.amountMsat;
      const fee = feeMsat(amount, lane.feeBaseMsat, lane.feeProportionalMillionths) as f64;
      const delay = (amount as f64) * (lane.cltvExpiryDelta as f64);
      total += factorOf(prices, lane) * (prices.feeWeight * fee + prices.delayRate * delay);
    }
  }
  for (let i: u32 = 0; i < lanes.count; i++) {
    const lane = laneAt(lanes, i);
    total += factorOf(prices, lane) * prices.riskPrice * laneRisk(work, lane);
  }
  return total;
}

/**
 * The objective below which a change is worthwhile: `before` minus a share of what does not come from biases. A bias
 * that no answer can avoid is a large constant, which would make every improvement look small.
 */
export function worthwhile(work: Workspace, before: f64): f64 {
  const fixed = Bias.cost(work);
  return (before - fixed) * (1.0 - WORTHWHILE) + fixed;
}

/** −ln of the probability that the lane passes its load. */
function laneRisk(work: Workspace, lane: Lane): f64 {
  return riskAt(work, lane, lane.loadMsat);
}

/** −ln of the probability that the lane passes `load` msat. */
function riskAt(work: Workspace, lane: Lane, load: i64): f64 {
  if (work.prices.areOddsLearned)
    return laneOdds(work, lane.flags, lane.directionIndex, lane.minMsat, lane.maxMsat, load);
  const over = load - lane.minMsat;
  if (over <= 0) return 0.0;
  return negLogComplement((over as f64) * inverseRange(lane.minMsat, lane.maxMsat));
}

/** Sum over lanes of −ln P(y), without prices and factors. */
export function totalRisk(work: Workspace): f64 {
  const lanes = work.lanes;
  let risk: f64 = 0.0;
  for (let i: u32 = 0; i < lanes.count; i++) risk += laneRisk(work, laneAt(lanes, i));
  return risk;
}

/** F' of the lane, msat per msat, after adding `shift` msat to its load. */
export function laneSlope(work: Workspace, lane: Lane, shift: f64): f64 {
  const prices = work.prices;
  const flat =
    prices.feeWeight * (lane.feeProportionalMillionths as f64) * 1e-6 +
    prices.delayRate * (lane.cltvExpiryDelta as f64);
  const loaded = (lane.loadMsat as f64) + shift;
  if (prices.areOddsLearned)
    return factorOf(prices, lane) * (flat + prices.riskPrice * hullSlope(hullOf(work, lane), loaded));
  if (loaded < (lane.minMsat as f64)) return factorOf(prices, lane) * flat;
  const left = (lane.maxMsat as f64) + 1.0 - loaded;
  return factorOf(prices, lane) * (flat + prices.riskPrice / max<f64>(left, 1.0));
}

/**
 * Extends the tangent of each lane's risk at its current load back to load 0, and returns the priced sum of the values
 * there, msat. The sum is at most 0. Learned risk is not counted.
 */
export function tangentAtZero(work: Workspace): f64 {
  const lanes = work.lanes;
  const prices = work.prices;
  if (prices.areOddsLearned) return 0.0;
  let total: f64 = 0.0;
  for (let i: u32 = 0; i < lanes.count; i++) {
    const lane = laneAt(lanes, i);
    const taken = takenOf(lane);
    if (taken < lane.minMsat) continue;
    const slope = 1.0 / max<f64>(((lane.maxMsat - taken) as f64) + 1.0, 1.0);
    total += factorOf(prices, lane) * prices.riskPrice * (riskAt(work, lane, taken) - slope * (taken as f64));
  }
  return total;
}
