/**
 * Folds the effect of one layer's records on the liquidity bounds of a channel direction into as few steps as possible.
 *
 * Bounds are a belief: the liquidity is uniformly distributed between min and max. So P(x), the probability that the
 * direction passes x msat, is 1 up to min, falls linearly, and is 0 from max (Pickhardt et al. 2021, arXiv:2103.08576).
 * For a channel of 1000 msat:
 *
 *   nothing known    minimum 400      maximum 700      both             then 300 sent
 *   (0, 1000)        (400, 1000)      (0, 700)         (400, 700)       (100, 400)
 *   1 |**            1 |*****         1 |*             1 |*****         1 |**
 *     |  **            |     **         | **             |     *          |  *
 *     |    ***         |       *        |   **           |                |
 *     |       **       |        **      |     **         |      *         |   *
 *   0 |         **   0 |          *   0 |       ****   0 |       ****   0 |    *******
 *     +-----------     +-----------     +-----------     +-----------     +-----------
 *      0   x   1000     0   x   1000     0   x   1000     0   x   1000     0   x   1000
 *
 * Records act on the bounds (min, max) one by one, in order of (timestamp, insertion):
 *   minimum c            min = max(min, c)
 *   maximum c            max = min(max, c)
 *   impression a, same direction      both lose a     (the amount has left this side)
 *   impression a, opposite direction  both gain a
 * After each record, both bounds are limited to [0, capacity], because a channel never passes more than its capacity.
 * Min and max do not depend on each other. Each record is a "clamped shift" of a bound x:
 *   x -> min(capacity, high, max(low, x + shift))
 *
 * Two consecutive shifts can be merged into one that is correct for every capacity, with one exception: the capacity
 * may cut off the gain of the first before the second subtracts. So a fold is a list of steps. Only a swing (a gain
 * followed by a loss) needs its own step, and a later, larger swing replaces earlier ones. A history of payments in one
 * direction, or of constraints, needs one step. A hundred thousand payments of random amounts in both directions need
 * about a dozen.
 *
 * The fold does not contain the capacity, because a layer cannot know it: it belongs to the graph, or to the first
 * layer of a query that creates the channel. Amounts saturate at 2^62 − 1 msat, more than twice the total supply of
 * bitcoin. So the sum of two amounts is at most 2^63 − 2, and fits in a signed 64-bit integer.
 */

/**
 * The kernel's maximum amount in msat, more than twice the total supply of bitcoin. Larger amounts count as this
 * amount.
 */
export const AMOUNT_CAP_MSAT = (1n << 62n) - 1n;

/** Limits an amount to the kernel's maximum, which has the same effect as any larger amount. */
export const capped = (amount: bigint): bigint => (amount > AMOUNT_CAP_MSAT ? AMOUNT_CAP_MSAT : amount);

/**
 * min' = min(capacity, minHigh, max(minLow, min + minShift)), and max' is computed likewise. All in msat. Shifts may be
 * negative.
 */
export interface BoundsStep {
  readonly minShift: bigint;
  readonly minLow: bigint;
  readonly minHigh: bigint;
  readonly maxShift: bigint;
  readonly maxLow: bigint;
  readonly maxHigh: bigint;
}

/** Steps in the order in which they apply. An empty list changes nothing. */
export type BoundsFold = readonly BoundsStep[];

/** What a direction can pass: certainly any amount up to `minMsat`, and certainly none above `maxMsat`. */
export interface Bounds {
  readonly minMsat: bigint;
  readonly maxMsat: bigint;
}

/** The kind of a record. `impression` is a successful payment, which moved liquidity. */
export type LiquidityKind = 'minimum' | 'maximum' | 'impression';

/** The fold of no records. It changes nothing. */
export const IDENTITY_FOLD: BoundsFold = Object.freeze([]);

/** The step that changes nothing. */
export const IDENTITY_STEP: BoundsStep = Object.freeze({
  minShift: 0n,
  minLow: 0n,
  minHigh: AMOUNT_CAP_MSAT,
  maxShift: 0n,
  maxLow: 0n,
  maxHigh: AMOUNT_CAP_MSAT,
});

const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b);
const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b);

/** Limits an amount to 0 … `AMOUNT_CAP_MSAT`. */
export const clampAmount = (amount: bigint): bigint => larger(0n, smaller(AMOUNT_CAP_MSAT, amount));
/**
 * The fold of a minimum and a maximum of this amount. Both bounds become the amount, unless a lower maximum or a higher
 * minimum is already known.
 */
export function exactly(amountMsat: bigint): BoundsFold {
  const amount = clampAmount(amountMsat);
  return [{ ...IDENTITY_STEP, minLow: amount, maxHigh: amount }];
}

/** Limits a shift to ± `AMOUNT_CAP_MSAT`. With any larger shift, every amount would also end at `high` or `low`. */
const clampShift = (shift: bigint): bigint => larger(-AMOUNT_CAP_MSAT, smaller(AMOUNT_CAP_MSAT, shift));

/** The effect of one record. Undefined if it does not affect this direction. */
function stepOf(kind: LiquidityKind, amount: bigint, sameDirection: boolean): BoundsStep | undefined {
  if (kind === 'impression') {
    const shift = sameDirection ? -amount : amount;
    return { ...IDENTITY_STEP, minShift: shift, maxShift: shift };
  }
  if (!sameDirection) return undefined;
  return kind === 'minimum' ? { ...IDENTITY_STEP, minLow: amount } : { ...IDENTITY_STEP, maxHigh: amount };
}

/**
 * Whether two shifts of a bound can be merged into one that is correct for every capacity.
 *
 * If the second shift adds, limiting the bound to the capacity after it is the same as doing so after each shift. If
 * the second shift subtracts, the first must not raise the bound above the capacity, which it could do by adding, or by
 * a `low` above the capacity. Even with such a `low`, the two can be merged if the second shift reduces every bound to
 * its own `low`.
 */
const isOneShift = (firstShift: bigint, firstLow: bigint, shift: bigint, low: bigint): boolean =>
  shift >= 0n || (firstShift <= 0n && firstLow + shift <= low);

const isOneStep = (first: BoundsStep, second: BoundsStep): boolean =>
  isOneShift(first.minShift, first.minLow, second.minShift, second.minLow) &&
  isOneShift(first.maxShift, first.maxLow, second.maxShift, second.maxLow);

/** Merges the two steps into one. Only correct if `isOneStep` is true. */
function merged(first: BoundsStep, second: BoundsStep): BoundsStep {
  const { minShift, minLow, minHigh, maxShift, maxLow, maxHigh } = second;
  return {
    minShift: clampShift(first.minShift + minShift),
    minLow: smaller(minHigh, larger(minLow, first.minLow + minShift)),
    minHigh: smaller(minHigh, larger(minLow, first.minHigh + minShift)),
    maxShift: clampShift(first.maxShift + maxShift),
    maxLow: smaller(maxHigh, larger(maxLow, first.maxLow + maxShift)),
    maxHigh: smaller(maxHigh, larger(maxLow, first.maxHigh + maxShift)),
  };
}

/**
 * Adds one newer record to the steps. O(1) on average, since merging removes steps.
 * @param sameDirection whether the record is about the folded direction. A minimum or maximum of the opposite
 *   direction does not affect this one.
 */
export function addRecord(
  steps: BoundsStep[],
  kind: LiquidityKind,
  amountMsat: bigint,
  sameDirection: boolean,
): void {
  const step = stepOf(kind, clampAmount(amountMsat), sameDirection);
  if (step !== undefined) addStep(steps, step);
}

/**
 * Like `addRecord`, but if the record shows that more than the maximum passed, the maximum was wrong, and is dropped:
 * the direction had at least this amount, and perhaps all of its capacity.
 */
export function addRevisingRecord(
  steps: BoundsStep[],
  kind: LiquidityKind,
  amountMsat: bigint,
  sameDirection: boolean,
): void {
  const passed = sameDirection && kind !== 'maximum';
  const unlimited = { minMsat: 0n, maxMsat: AMOUNT_CAP_MSAT };
  if (passed && applyFold(steps, unlimited, AMOUNT_CAP_MSAT).maxMsat < clampAmount(amountMsat)) {
    addStep(steps, { ...IDENTITY_STEP, maxLow: AMOUNT_CAP_MSAT });
  }
  addRecord(steps, kind, amountMsat, sameDirection);
}

function addStep(steps: BoundsStep[], step: BoundsStep): void {
  let last = step;
  for (let before = steps.at(-1); before !== undefined && isOneStep(before, last); before = steps.at(-1)) {
    last = merged(before, last);
    steps.pop();
  }
  steps.push(last);
}

/** Applies the fold of a layer to the bounds of a channel with this capacity. All bounds lie within [0, 2^62). */
export function applyFold(fold: BoundsFold, before: Bounds, capacityMsat: bigint): Bounds {
  let { minMsat, maxMsat } = before;
  for (const { minShift, minLow, minHigh, maxShift, maxLow, maxHigh } of fold) {
    minMsat = smaller(capacityMsat, smaller(minHigh, larger(minLow, minMsat + minShift)));
    maxMsat = smaller(capacityMsat, smaller(maxHigh, larger(maxLow, maxMsat + maxShift)));
  }
  return { minMsat, maxMsat };
}
