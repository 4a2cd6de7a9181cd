/**
 * Prices, and the cost of crossing one direction.
 *
 * Sending x msat across a direction costs, in msat,
 *
 *   c(x) = f · ( w · fee(x) + R · (−ln P(x)) + D · x · d )  +  V · max(s, v)  +  B · d + H
 *
 * | symbol | what it is | unit | name |
 * |---|---|---|---|
 * | w | weight of fees; above 1 while a fee cap binds (answer.ts) | msat/msat | `feeWeight` |
 * | R | price of the risk that the attempt fails | msat/nat | `riskPrice` |
 * | D | interest while the amount may be locked | msat/(msat · block) | `delayRate` |
 * | d | delay of the direction | blocks | `cltvExpiryDelta` |
 * | s | what the part delivers in the end | msat | `delivered` |
 * | P(x) | 1 for x ≤ m, else 1 − (x − m) / (M + 1 − m); learned if the request has `auto.learned` (odds.ts) | – | `minMsat`, `maxMsat` |
 * | f | bias of layers, and noise | – | `Crossing.factor` |
 * | V, v | price of a negative bias, see below | msat/msat, msat | `Crossing.avoidance`, `AVOIDANCE_LEAST_MSAT` |
 * | B, H | prices of the limits on delay and hops while they bind (limits.ts) | msat/block, msat/hop | `blockPrice`, `hopPrice` |
 *
 * P assumes that the liquidity is uniformly distributed between its known bounds (Pickhardt et al. 2021,
 * arXiv:2103.08576). No factor applies to B and H: they stand for limits, and biases do not change limits. If only fees
 * are priced (`exactFees`), c(x) = fee(x) + B · d + H, without factor and bias.
 *
 * A factor alone is a weak bias. It multiplies only the cost of the direction itself, which is often 0: a last hop
 * without a fee stays the cheapest at any factor. So a negative bias also has a price in msat. With o = 30^(−bias/100)
 * − 1,
 *
 *   V = 0.001 · o + 0.0001 · o⁴        bias      −1      −5     −10     −20     −50     −100
 *                                      ppm       35     185     408   1,064  44,660  70.8 million
 *
 * The linear term is for small biases: from −1 on, a bias has the same effect as in Core Lightning. The other term
 * makes −100 a last resort, since it costs 71 times the amount. v gives tiny amounts a price that base fees do not
 * outweigh. V applies to the delivered amount, not to x: otherwise a bias that no route can avoid would make fees after
 * it count more.
 *
 * Noise randomises routes: f = bias · (1 + s · u), u uniform in [−1, 1) and keyed by (seed, direction), so that a seed
 * determines the answer and each direction has the same u in all searches of a question. s < 1 keeps costs positive.
 *
 * Invariant: c(x) ≥ 0 and, except for rounding, c never decreases with x. Dijkstra's algorithm relies on the first,
 * lower bounds (bounds.ts) on the second.
 */
import { Column } from '../../graph/column';
import { DirectionRecord } from '../../graph/direction';
import { feeMsat, keyedUniform, negLogComplement } from '../../graph/numbers';
import { shortChannelIdOf } from '../../overlay/created-channels';
import { LEAST_BIAS_FACTOR } from '../../overlay/effective';
import { hasLayers } from '../../overlay/stack';
import { Question } from '../../record';
import { Workspace } from '../../workspace';
import { learnedRisk } from './odds';

/** The prices of searches. */
@unmanaged
export class Prices {
  /** w: weight of fees. */
  feeWeight: f64;
  /** R: price of risk, msat per nat. */
  riskPrice: f64;
  /** D: price of delay, msat per msat and block. */
  delayRate: f64;
  /** Price of each part after the first, msat. */
  furtherPart: f64;
  /** B: price of the limit on delay, msat per block. */
  blockPrice: f64;
  /** H: price of the limit on hops, msat per channel. */
  hopPrice: f64;
  /** Whether only fees are priced. They are then exact to the msat, which takes longer. */
  exactFees: bool;
  /** s, the half-width of the noise; 0 means no noise. */
  noiseSpread: f64;
  noiseSeed: u64;
  /** Incremented when the noise changes. Results computed with it are valid while this is unchanged. */
  noiseVersion: u32;
  /** Whether the current question uses learned odds (odds.ts). */
  areOddsLearned: bool;
  /** Incremented when the odds change. Results computed with them are valid while this is unchanged. */
  oddsVersion: u32;
  /** Burdens, then S of each class, then R of each class; null until the host requests the address. */
  oddsTable: Column<f32>;
  /** Hulls of lanes, and the number of lanes for which there is room. */
  hulls: usize;
  hullRoom: u32;

  /** Call once for a new workspace: sets the fields of this class that do not start at zero. */
  begin(): void {
    this.feeWeight = 1.0;
  }
}

/** v: a negative bias is priced as if at least this amount were delivered, msat (1,000 sat). */
const AVOIDANCE_LEAST_MSAT: i64 = 1_000_000;
/** Factors of the two terms of V, msat per msat. */
const AVOIDANCE_LINEAR: f64 = 1e-3;
const AVOIDANCE_STEEP: f64 = 1e-4;

/** Sets w, R and D, and ends the pricing of fees alone. */
export function setPrices(prices: Prices, fee: f64, risk: f64, delay: f64): void {
  prices.feeWeight = fee;
  prices.riskPrice = risk;
  prices.delayRate = delay;
  prices.exactFees = false;
}

/** Sets the prices of the question, with the given weight of fees. */
export function weighFees(question: Question, prices: Prices, feeWeight: f64): void {
  setPrices(prices, feeWeight, question.riskPrice, question.delayRate);
}

/** Sets all prices and the noise of the question. */
export function priceAsAsked(question: Question, prices: Prices): void {
  weighFees(question, prices, question.feeWeight);
  setPartPrice(prices, question.partPrice);
  setNoise(prices, question.noiseSeed, question.noiseSpread);
}

/** Prices only fees, exact to the msat. */
export function priceFeesOnly(prices: Prices): void {
  setPrices(prices, 1.0, 0.0, 0.0);
  prices.exactFees = true;
}

/** Sets w, and whether only fees are priced. */
export function setFeeWeight(prices: Prices, fee: f64, isExact: bool): void {
  prices.feeWeight = fee;
  prices.exactFees = isExact;
}

/** Sets the price of each part after the first, msat. */
export function setPartPrice(prices: Prices, msat: f64): void {
  prices.furtherPart = msat;
}

/** Sets the price of parts to 0 until `setPartPrice`. Returns their previous price, msat. */
export function freeParts(prices: Prices): f64 {
  const price = prices.furtherPart;
  prices.furtherPart = 0.0;
  return price;
}

/** Current price of each part after the first, msat; 0 if only fees are priced. */
export function partPrice(prices: Prices): f64 {
  return prices.exactFees ? 0.0 : prices.furtherPart;
}

/** Sets B and H. */
export function setLimitPrices(prices: Prices, perBlock: f64, perHop: f64): void {
  assert(perBlock >= 0.0 && perHop >= 0.0, 'a limit has no negative price');
  prices.blockPrice = perBlock;
  prices.hopPrice = perHop;
}

/** Sets the seed of the noise and s; with s = 0 there is no noise. */
function setNoise(prices: Prices, seed: u64, spread: f64): void {
  assert(spread >= 0.0 && spread < 1.0, 'noise keeps costs positive');
  if (seed !== prices.noiseSeed || spread !== prices.noiseSpread) prices.noiseVersion++;
  prices.noiseSeed = seed;
  prices.noiseSpread = spread;
}

/** Whether costs have noise. */
export function isNoisy(prices: Prices): bool {
  return prices.noiseSpread !== 0.0;
}

function noise(work: Workspace, directionIndex: u32): f64 {
  const prices = work.prices;
  const key = shortChannelIdOf(work, directionIndex >> 1) * 2 + (directionIndex & 1);
  return 1.0 + prices.noiseSpread * keyedUniform(prices.noiseSeed, key);
}

/** Lower bound of the factor f of all directions. If only fees are priced, no factor applies. */
export function leastFactor(work: Workspace): f64 {
  const prices = work.prices;
  if (prices.exactFees) return 1.0;
  return (hasLayers(work.stack) ? LEAST_BIAS_FACTOR : 1.0) * (1.0 - prices.noiseSpread);
}

/**
 * Cost that a negative bias of price V adds to a direction, msat, if the part delivers `delivered` msat; 0 if it
 * delivers nothing.
 */
export function avoidanceCost(price: f64, delivered: i64): f64 {
  if (delivered === 0) return 0.0;
  return price * (max<i64>(delivered, AVOIDANCE_LEAST_MSAT) as f64);
}

/**
 * Applies bias and noise to the cost `plain` of a direction, msat. Few directions have either, so this is not inlined.
 */
function biased(work: Workspace, record: DirectionRecord, plain: f64, delivered: i64): f64 {
  const cost = Crossing.factor(work, record) * plain;
  return record.factor > 1.0 ? cost + avoidanceCost(Crossing.avoidance(record), delivered) : cost;
}

/**
 * Cost of crossing a direction. These are methods because TypeScript does not allow the decorator `@inline` on
 * functions.
 */
export class Crossing {
  /** f: the direction's bias, with noise if the search is randomised. */
  @inline
  static factor(work: Workspace, record: DirectionRecord): f64 {
    const factor = record.factor as f64;
    return work.prices.noiseSpread === 0.0 ? factor : factor * noise(work, record.directionIndex);
  }

  /**
   * c(x), msat, when `amount` msat cross and `delivered` msat arrive. The fee is floating point and includes the
   * factor, unless only fees are priced.
   */
  @inline
  static cost(work: Workspace, record: DirectionRecord, amount: i64, delivered: i64): f64 {
    const prices = work.prices;
    const x = amount as f64;
    const blocks = record.cltvExpiryDelta as f64;
    const limits = prices.blockPrice * blocks + prices.hopPrice;
    if (prices.exactFees)
      return (feeMsat(amount, record.feeBaseMsat, record.feeProportionalMillionths) as f64) + limits;
    const fee = (record.feeBaseMsat as f64) + x * (record.feeProportionalMillionths as f64) * 1e-6;
    const low = record.minMsat;
    const risk = prices.areOddsLearned
      ? learnedRisk(work, record, amount)
      : amount > low
        ? negLogComplement(((amount - low) as f64) * record.inverseRange)
        : 0.0;
    const plain = prices.feeWeight * fee + prices.riskPrice * risk + prices.delayRate * (x * blocks);
    if (record.factor === 1.0 && prices.noiseSpread === 0.0) return plain + limits;
    return biased(work, record, plain, delivered) + limits;
  }

  /**
   * A lower bound of `cost`, msat, that needs no logarithm: −ln(1 − q) is at least q. 0 where bias, noise, learned odds
   * or exact fees apply.
   */
  @inline
  static leastCost(prices: Prices, record: DirectionRecord, amount: i64): f64 {
    if (prices.exactFees || prices.areOddsLearned || prices.noiseSpread !== 0.0 || record.factor !== 1.0)
      return 0.0;
    const x = amount as f64;
    const blocks = record.cltvExpiryDelta as f64;
    const fee = (record.feeBaseMsat as f64) + x * (record.feeProportionalMillionths as f64) * 1e-6;
    const risk = max<f64>(((amount - record.minMsat) as f64) * record.inverseRange, 0.0);
    const plain = prices.feeWeight * fee + prices.riskPrice * risk + prices.delayRate * (x * blocks);
    return plain + (prices.blockPrice * blocks + prices.hopPrice);
  }

  /** V: the price of a negative bias, msat per msat delivered; 0 without a negative bias. */
  @inline
  static avoidance(record: DirectionRecord): f64 {
    const over = max<f64>((record.factor as f64) - 1.0, 0.0);
    const square = over * over;
    return AVOIDANCE_LINEAR * over + AVOIDANCE_STEEP * (square * square);
  }
}
