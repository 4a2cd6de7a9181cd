/**
 * The effect of one layer's records on the liquidity bounds of a channel direction, folded into as few steps as
 * possible.
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
 * After each record both bounds are kept within [0, capacity], because a channel never passes more than its capacity.
 * Min and max are independent. Each record is a "clamped shift" of a bound x:
 *   x -> min(capacity, high, max(low, x + shift))
 *
 * Two shifts in a row can be written as one for every capacity, with one exception: the capacity may cut off the gain
 * of the first before the second subtracts. So a fold is a list of steps. Only swings (a gain and then a loss) need
 * their own step, and a later, larger swing replaces earlier ones. A history of payments in one direction, or of
 * constraints, is one step. A hundred thousand payments of random amounts in both directions are about a dozen.
 *
 * The fold does not contain the capacity, because a layer cannot know it: it belongs to the graph, or to the first
 * layer of a query that creates the channel. Amounts saturate at 2^62 − 1 msat, twice the total supply of bitcoin. So
 * the sum of two amounts is at most 2^63 − 2, and fits a signed 64-bit integer.
 */

/** The kernel's limit in msat, twice the total supply of bitcoin. Larger amounts count as this one. */
export const AMOUNT_CAP_MSAT = (1n << 62n) - 1n;

/** An amount as the kernel takes it: amounts above the limit behave like the limit. */
export const capped = (amount: bigint): bigint => (amount > AMOUNT_CAP_MSAT ? AMOUNT_CAP_MSAT : amount);

/** min' = min(capacity, minHigh, max(minLow, min + minShift)), and max' likewise. In msat. Shifts may be negative. */
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

/** What a direction can pass: certainly up to `minMsat`, and certainly nothing above `maxMsat`. */
export interface Bounds {
  readonly minMsat: bigint;
  readonly maxMsat: bigint;
}

/** The kind of a record: a known minimum, a known maximum, or a successful payment that moved liquidity. */
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

/** Keeps an amount within [0, cap]. */
export const clampAmount = (amount: bigint): bigint => larger(0n, smaller(AMOUNT_CAP_MSAT, amount));
/** Sets both bounds to the amount, regardless of earlier knowledge. */
export function exactly(amountMsat: bigint): BoundsFold {
  const amount = clampAmount(amountMsat);
  return [{ ...IDENTITY_STEP, minLow: amount, maxHigh: amount }];
}

/** Keeps a shift within the cap. A larger one would have the same effect: every amount ends at `high` or `low`. */
const clampShift = (shift: bigint): bigint => larger(-AMOUNT_CAP_MSAT, smaller(AMOUNT_CAP_MSAT, shift));

/** The effect of one record. Undefined when it does not affect this direction. */
function stepOf(kind: LiquidityKind, amount: bigint, sameDirection: boolean): BoundsStep | undefined {
  if (kind === 'impression') {
    const shift = sameDirection ? -amount : amount;
    return { ...IDENTITY_STEP, minShift: shift, maxShift: shift };
  }
  if (!sameDirection) return undefined;
  return kind === 'minimum' ? { ...IDENTITY_STEP, minLow: amount } : { ...IDENTITY_STEP, maxHigh: amount };
}

/**
 * Whether two shifts of a bound can be written as one, for every capacity.
 *
 * If the second shift adds, one cut at the capacity after it equals a cut after each. If the second subtracts, the
 * first must not raise the bound above the capacity. It can do so in two ways: by adding, or by a `low` above the
 * capacity. With such a `low` the two are still one shift if the second leaves nothing above its own `low`.
 */
const isOneShift = (firstShift: bigint, firstLow: bigint, shift: bigint, low: bigint): boolean =>
  shift >= 0n || (firstShift <= 0n && firstLow + shift <= low);

const isOneStep = (first: BoundsStep, second: BoundsStep): boolean =>
  isOneShift(first.minShift, first.minLow, second.minShift, second.minLow) &&
  isOneShift(first.maxShift, first.maxLow, second.maxShift, second.maxLow);

/** Merges the two steps into one. Only valid if `isOneStep` holds. */
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
 * Adds one newer record to the steps. O(1) on average, since merged steps disappear.
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
 * Adds a record as `addRecord` does. But where more passed than the maximum, the maximum was wrong, so it no longer counts:
 * the direction had that amount, and perhaps all of its capacity.
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

/** The bounds after a layer, from those before it and the channel's capacity. All lie within [0, 2^62). */
export function applyFold(fold: BoundsFold, before: Bounds, capacityMsat: bigint): Bounds {
  let { minMsat, maxMsat } = before;
  for (const { minShift, minLow, minHigh, maxShift, maxLow, maxHigh } of fold) {
    minMsat = smaller(capacityMsat, smaller(minHigh, larger(minLow, minMsat + minShift)));
    maxMsat = smaller(capacityMsat, smaller(maxHigh, larger(maxLow, maxMsat + maxShift)));
  }
  return { minMsat, maxMsat };
}
