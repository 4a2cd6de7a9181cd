/**
 * The confidence interval of a share k of n (Wilson 1927, without continuity correction):
 *
 *     (k + z²/2 ± z √(k(n − k)/n + z²/4)) / (n + z²)
 */

/** The confidence limits of a share, each from 0 to 1. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** z for a 95 % interval. */
export const Z_95 = 1.959_963_985;
/** z for a 99.9 % interval. */
export const Z_999 = 3.290_526_731;

/** The Wilson interval of the share `hits` / `count`. If `count` is 0, the interval is 0 to 1. */
export function wilson(hits: number, count: number, z = Z_95): Interval {
  if (count === 0) return { low: 0, high: 1 };
  const middle = hits + (z * z) / 2;
  const half = z * Math.sqrt((hits * (count - hits)) / count + (z * z) / 4);
  const scale = count + z * z;
  return { low: Math.max(0, (middle - half) / scale), high: Math.min(1, (middle + half) / scale) };
}
