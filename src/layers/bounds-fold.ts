/**
 * What one layer's records about a channel direction do to its liquidity bounds, folded into constant size.
 *
 * Records act on the bounds (min, max) one after the other, in order of (timestamp, insertion):
 *   minimum c            min = max(min, c)
 *   maximum c            max = min(max, c)
 *   impression a, same direction      both lose a, not below 0     (the amount has left this side)
 *   impression a, opposite direction  both gain a, not above the cap
 * Min and max never look at each other, and each step is a "clamped shift" x -> min(high, max(low, x + shift)).
 * Clamped shifts are closed under composition, so any history is six numbers: applying a layer costs the
 * same whether it holds one record about the channel or a hundred thousand. Amounts saturate at 2^62 msat,
 * twice all the bitcoin there will ever be, so that sums of two fit a signed 64-bit integer.
 */

export const AMOUNT_CAP_MSAT = 1n << 62n;

/** min' = min(minHigh, max(minLow, min + minShift)), max' likewise. All in msat; shifts may be negative. */
export interface BoundsFold {
  readonly minShift: bigint;
  readonly minLow: bigint;
  readonly minHigh: bigint;
  readonly maxShift: bigint;
  readonly maxLow: bigint;
  readonly maxHigh: bigint;
}

/** What a direction is known to be able to pass: surely up to `minMsat`, surely nothing above `maxMsat`. */
export interface Bounds {
  readonly minMsat: bigint;
  readonly maxMsat: bigint;
}

/** A record's kind: a known minimum, a known maximum, or a payment that went through and moved liquidity. */
export type LiquidityKind = 'minimum' | 'maximum' | 'impression';

/** The fold of no records: changes nothing. */
export const IDENTITY_FOLD: BoundsFold = Object.freeze({
  minShift: 0n,
  minLow: 0n,
  minHigh: AMOUNT_CAP_MSAT,
  maxShift: 0n,
  maxLow: 0n,
  maxHigh: AMOUNT_CAP_MSAT,
});

/** Whether a fold changes nothing. */
export function isIdentity(fold: BoundsFold): boolean {
  return (
    fold === IDENTITY_FOLD ||
    (fold.minShift === 0n &&
      fold.maxShift === 0n &&
      fold.minLow === 0n &&
      fold.maxLow === 0n &&
      fold.minHigh === IDENTITY_FOLD.minHigh &&
      fold.maxHigh === IDENTITY_FOLD.maxHigh)
  );
}

const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b);
const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b);

/** Into [0, cap]. */
export const clampAmount = (amount: bigint): bigint => larger(0n, smaller(AMOUNT_CAP_MSAT, amount));
/** A shift beyond the cap behaves as one of the cap: every amount lands on `high` or `low` either way. */
const clampShift = (shift: bigint): bigint => larger(-AMOUNT_CAP_MSAT, smaller(AMOUNT_CAP_MSAT, shift));

function shiftBoth(fold: BoundsFold, by: bigint): BoundsFold {
  return {
    minShift: clampShift(fold.minShift + by),
    minLow: clampAmount(fold.minLow + by),
    minHigh: clampAmount(fold.minHigh + by),
    maxShift: clampShift(fold.maxShift + by),
    maxLow: clampAmount(fold.maxLow + by),
    maxHigh: clampAmount(fold.maxHigh + by),
  };
}

/**
 * The fold with one more, newest record.
 * @param sameDirection whether the record is about the direction being folded; a minimum or maximum of the
 *   opposite direction says nothing about this one.
 */
export function foldRecord(
  fold: BoundsFold,
  kind: LiquidityKind,
  amountMsat: bigint,
  sameDirection: boolean,
): BoundsFold {
  const amount = clampAmount(amountMsat);
  if (kind === 'impression') return shiftBoth(fold, sameDirection ? -amount : amount);
  if (!sameDirection) return fold;
  if (kind === 'minimum') {
    return { ...fold, minLow: larger(fold.minLow, amount), minHigh: larger(fold.minHigh, amount) };
  }
  return { ...fold, maxLow: smaller(fold.maxLow, amount), maxHigh: smaller(fold.maxHigh, amount) };
}

/** The bounds after a layer, given those before it (both within [0, 2^62]). */
export function applyFold(fold: BoundsFold, before: Bounds): Bounds {
  return {
    minMsat: smaller(fold.minHigh, larger(fold.minLow, before.minMsat + fold.minShift)),
    maxMsat: smaller(fold.maxHigh, larger(fold.maxLow, before.maxMsat + fold.maxShift)),
  };
}
