/**
 * Success probabilities, exact to the last part per million.
 *
 * In the uniform model, a direction can certainly carry `min` and never more than `max`. It can carry x msat with
 * probability 1 for x ≤ min, 0 for x > max, and 1 − (x − min) / (max − min) in between. Products are fixed point
 * numbers with 192 fractional bits, because floating point would turn 0.45 into 449,999 ppm.
 */
const BITS = 192n;
const ONE = 1n << BITS;
/** Rounding loses less than 2^-192 per factor. The loss of thousands of factors together is less than this number. */
const ROUNDING = 1n << 92n;

/** Probability 1 in this representation. */
export const CERTAIN = ONE;

/** `probability` times the probability that one direction can carry `amountMsat`. */
export function timesDirection(
  probability: bigint,
  amountMsat: bigint,
  minMsat: bigint,
  maxMsat: bigint,
): bigint {
  if (amountMsat <= minMsat) return probability;
  if (amountMsat > maxMsat) return 0n;
  return (probability * (maxMsat - amountMsat)) / (maxMsat - minMsat);
}

/** The probability in parts per million, rounded down. */
export function toPpm(probability: bigint): number {
  return Number(((probability === 0n ? 0n : probability + ROUNDING) * 1_000_000n) >> BITS);
}
