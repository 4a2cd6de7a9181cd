/**
 * The arithmetic of routing: exact integer fees, −ln of a probability, keyed randomness.
 *
 * Amounts are i64 msat, at most `AMOUNT_LIMIT`: 2^62 − 1, more than twice the total supply of bitcoin. So the sum of
 * two amounts, or of an amount and its fee, is at most 2^63 − 2 and never overflows. Costs are f64 msat: they only rank
 * alternatives, and are never paid.
 *
 * Logarithm and exponential are polynomials. Those of `Math` need tables, and a table is static data, which every new
 * instance would write to the shared memory.
 */

/**
 * Maximum amount and capacity, msat; larger ones are refused or clamped. The host has the same limit (AMOUNT_CAP_MSAT).
 */
export const AMOUNT_LIMIT: i64 = (1 << 62) - 1;

const MILLION: i64 = 1000000;
/** Largest quotient amount/10^6 for which `quotient * ppm` stays below 2^62 for any 32-bit ppm. */
const SAFE_QUOTIENT: i64 = 1 << 30;

/**
 * `base + floor(amount * ppm / 10^6)` without a 128-bit product (BOLT 7, "HTLC Fees"):
 * with amount = q*10^6 + r the floor is q*ppm + floor(r*ppm / 10^6). Saturates at AMOUNT_LIMIT.
 */
export function feeMsat(amount: i64, base: u32, ppm: u32): i64 {
  const quotient = amount / MILLION;
  const remainder = amount - quotient * MILLION;
  if (quotient > SAFE_QUOTIENT && ppm !== 0 && quotient > AMOUNT_LIMIT / (ppm as i64)) return AMOUNT_LIMIT;
  const fee = (base as i64) + quotient * (ppm as i64) + (remainder * (ppm as i64)) / MILLION;
  return min<i64>(fee, AMOUNT_LIMIT);
}

/** Largest y with y + fee(y) ≤ total; 0 if not even the base fee fits. */
export function beforeFee(total: i64, base: u32, ppm: u32): i64 {
  if (total < (base as i64)) return 0;
  let y = min<i64>(total, (((total - (base as i64)) as f64) * (1e6 / (1e6 + (ppm as f64)))) as i64);
  // The estimate is off only by rounding; each correction at least halves the distance.
  for (let guard = 0; guard < 64; guard++) {
    const excess = y + feeMsat(y, base, ppm) - total;
    if (excess <= 0) break;
    y -= max<i64>(1, ((excess as f64) * (1e6 / (1e6 + (ppm as f64)))) as i64);
  }
  for (let guard = 0; guard < 64; guard++) {
    if (y + 1 + feeMsat(y + 1, base, ppm) > total) break;
    const slack = total - y - feeMsat(y, base, ppm);
    const step = max<i64>(1, ((slack as f64) * (1e6 / (1e6 + (ppm as f64)))) as i64);
    y = y + step + feeMsat(y + step, base, ppm) <= total ? y + step : y + 1;
  }
  return max<i64>(y, 0);
}

/** a − b, or 0 if that is negative. */
export function floorSub(a: i64, b: i64): i64 {
  return a > b ? a - b : 0;
}

/** a + b for values within ±AMOUNT_LIMIT, clamped to that range. */
export function clampedAdd(a: i64, b: i64): i64 {
  if (b > 0 && a >= AMOUNT_LIMIT - b) return AMOUNT_LIMIT;
  return max<i64>(-AMOUNT_LIMIT, a + b);
}

const LN2: f64 = 0.6931471805599453;
const SQRT_HALF_BITS: u64 = 0x3fe6a09e667f3bcd;

/**
 * −ln(1 − q) for 0 ≤ q < 1. A Taylor polynomial for q below 1/16 (where cancellation would hurt), else ln of the
 * mantissa by the atanh series 2(s + s³/3 + …), s = (f−1)/(f+1), |s| ≤ 0.172. Relative error below 1e-8 (checked by a
 * property test).
 */
export function negLogComplement(q: f64): f64 {
  if (q < 0.0625) {
    return q * (1.0 + q * (0.5 + q * (1.0 / 3.0 + q * (0.25 + q * (0.2 + q * (1.0 / 6.0 + q / 7.0))))));
  }
  return -ln(1.0 - q);
}

/** Natural logarithm of a positive normal number. */
export function ln(x: f64): f64 {
  const bits = reinterpret<u64>(x);
  // Choose the exponent so that the mantissa is in [sqrt(1/2), sqrt(2)).
  const exponent = ((bits - SQRT_HALF_BITS) as i64) >> 52;
  const f = reinterpret<f64>(bits - ((exponent << 52) as u64));
  const s = (f - 1.0) / (f + 1.0);
  const z = s * s;
  const series =
    1.0 +
    z * (1.0 / 3.0 + z * (0.2 + z * (1.0 / 7.0 + z * (1.0 / 9.0 + z * (1.0 / 11.0 + z * (1.0 / 13.0))))));
  return (exponent as f64) * LN2 + 2.0 * s * series;
}

/** e^x for |x| ≤ 8, computed as 2^k times a Taylor polynomial on [−ln2/2, ln2/2]; relative error below 1e-8. */
export function exp(x: f64): f64 {
  const k = nearest(x / LN2);
  const r = x - k * LN2;
  const series =
    1.0 +
    r *
      (1.0 +
        r * (0.5 + r * (1.0 / 6.0 + r * (1.0 / 24.0 + r * (1.0 / 120.0 + r * (1.0 / 720.0 + r / 5040.0))))));
  return series * reinterpret<f64>(((k as i64) + 1023) << 52);
}

/**
 * SplitMix64's finaliser (Steele, Lea, Flood 2014): a bijection in which every output bit depends on every input bit.
 */
export function mix64(x: u64): u64 {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

/** A pseudorandom number, uniform in [−1, 1), determined by a seed and a key. */
export function keyedUniform(seed: u64, key: u64): f64 {
  const bits = mix64(seed + mix64(key + 0x9e3779b97f4a7c15));
  return ((bits >> 11) as f64) * (2.0 / 9007199254740992.0) - 1.0;
}
