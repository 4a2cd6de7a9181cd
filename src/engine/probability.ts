/**
 * Success probabilities, exact to the last part per million.
 *
 * Uniform model: a direction known to pass `min` and certainly nothing above `max` passes x msat with
 * probability 1 for x ≤ min, 0 for x > max, else 1 − (x − min) / (max − min). Products are kept as fixed
 * point numbers of 192 fractional bits; floating point would turn 0.45 into 449,999 ppm.
 */
const BITS = 192n;
const ONE = 1n << BITS;
/** Every factor loses less than 2^-192; thousands of factors lose less than this. */
const ROUNDING = 1n << 92n;

export const CERTAIN = ONE;

/** `probability` times that of one direction passing `amountMsat`. */
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

/** Parts per million, rounded down. */
export function toPpm(probability: bigint): number {
  return Number(((probability === 0n ? 0n : probability + ROUNDING) * 1_000_000n) >> BITS);
}
