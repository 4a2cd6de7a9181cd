/**
 * Probabilities as exact fractions of bigints, so that a check of `floor(10^6 * P)` has no error of its own.
 *
 * A direction with known bounds m <= M passes x with probability 1 for x <= m, 0 for x > M, and 1 - (x - m) /
 * (M - m) in between. When several parts share a direction, each part is conditional on the earlier ones
 * (both bounds are lowered by what they took). The product of these is the same formula, on the sum.
 */
import type { PlainDirection } from './direction.ts';

export interface Fraction {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

export const ONE: Fraction = { numerator: 1n, denominator: 1n };
export const ZERO: Fraction = { numerator: 0n, denominator: 1n };

export function times(a: Fraction, b: Fraction): Fraction {
  return { numerator: a.numerator * b.numerator, denominator: a.denominator * b.denominator };
}

/** Negative, zero or positive if `a` is below, equal to or above `b`. */
export function compareFractions(a: Fraction, b: Fraction): number {
  const left = a.numerator * b.denominator;
  const right = b.numerator * a.denominator;
  return left < right ? -1 : left > right ? 1 : 0;
}

/** The fraction in parts per million, rounded down. */
export function floorPpm(a: Fraction): number {
  return Number((a.numerator * 1_000_000n) / a.denominator);
}

/** Probability that `direction` passes `amount` in total. */
export function passProbability(direction: PlainDirection, amount: bigint): Fraction {
  const { minimumMsat, maximumMsat } = direction;
  if (amount <= minimumMsat) return ONE;
  if (amount > maximumMsat) return ZERO;
  return { numerator: maximumMsat - amount, denominator: maximumMsat - minimumMsat };
}

/** -ln of the fraction; infinite for 0. */
export function nats(a: Fraction): number {
  if (a.numerator === 0n) return Number.POSITIVE_INFINITY;
  // Both sides are shifted equally until they fit into a double. log1p keeps the digits of fractions close to
  // 1.
  const shift = BigInt(Math.max(0, a.denominator.toString(2).length - 1000));
  const gap = Number((a.denominator - a.numerator) >> shift) / Number(a.denominator >> shift);
  return gap < 0.5
    ? -Math.log1p(-gap)
    : -Math.log(Number(a.numerator >> shift) / Number(a.denominator >> shift));
}
