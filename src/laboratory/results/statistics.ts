/**
 * Means with confidence intervals by batch means (Law, "Simulation Modeling and Analysis", section 9.5): payments are
 * cut by start time into batches. The means of batches are nearly independent, so the interval is
 *
 *     mean ± t(n − 1, 0.975) · s / √n
 *
 * where s is the standard deviation of the n batch means. Values within the same batch may depend on each other.
 */

/** A mean and the ends of its 95 % confidence interval. NaN if there are too few data. */
export interface Estimate {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
}

const UNKNOWN: Estimate = { mean: Number.NaN, low: Number.NaN, high: Number.NaN };

/** The mean of batch means with its confidence interval. Batches without values are left out. */
export function batchMeans(means: readonly number[]): Estimate {
  const present = means.filter((mean) => Number.isFinite(mean));
  const n = present.length;
  if (n === 0) return UNKNOWN;
  const mean = present.reduce((sum, each) => sum + each, 0) / n;
  if (n === 1) return { mean, low: Number.NaN, high: Number.NaN };
  const variance = present.reduce((sum, each) => sum + (each - mean) ** 2, 0) / (n - 1);
  const half = studentQuantile(n - 1, 0.975) * Math.sqrt(variance / n);
  return { mean, low: mean - half, high: mean + half };
}

/**
 * The quantile `p` > 0.5 of Student's t distribution with `freedom` degrees of freedom. Found by bisection of the
 * distribution function, to a relative precision of 1e-12.
 */
export function studentQuantile(freedom: number, p: number): number {
  let [low, high] = [0, 1];
  while (studentDistribution(freedom, high) < p) high *= 2;
  for (let step = 0; step < 200 && high - low > 1e-12 * high; step++) {
    const middle = (low + high) / 2;
    if (studentDistribution(freedom, middle) < p) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** P(T ≤ t) for t ≥ 0: 1 − I(ν/(ν+t²); ν/2, 1/2) / 2 (Abramowitz and Stegun 26.7.1). */
function studentDistribution(freedom: number, t: number): number {
  return 1 - incompleteBeta(freedom / (freedom + t * t), freedom / 2, 0.5) / 2;
}

/** The regularised incomplete beta function, by its continued fraction (Abramowitz and Stegun 26.5.8). */
function incompleteBeta(x: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  if (x > (a + 1) / (a + b + 2)) return 1 - incompleteBeta(1 - x, b, a);
  const front =
    Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log(1 - x)) / a;
  const tiny = 1e-300;
  let [c, d] = [1, 1 - ((a + b) * x) / (a + 1)];
  d = 1 / (Math.abs(d) < tiny ? tiny : d);
  let fraction = d;
  for (let m = 1; m <= 500; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    let change = 1;
    for (const term of [even, odd]) {
      d = 1 + term * d;
      c = 1 + term / c;
      d = 1 / (Math.abs(d) < tiny ? tiny : d);
      if (Math.abs(c) < tiny) c = tiny;
      change = c * d;
      fraction *= change;
    }
    if (Math.abs(change - 1) < 1e-15) break;
  }
  return front * fraction;
}

const LANCZOS = [
  676.5203681218851, -1259.1392167224028, 771.3234287776531, -176.6150291621406, 12.507343278686905,
  -0.13857109526572012, 9.984369578019572e-6, 1.5056327351493116e-7,
];

/** ln Γ(x) for x > 0, by Lanczos' approximation with g = 7. */
function logGamma(x: number): number {
  if (x < 0.5) return Math.log(Math.PI / Math.sin(Math.PI * x)) - logGamma(1 - x);
  const t = x + 6.5;
  const sum = LANCZOS.reduce(
    (total, coefficient, index) => total + coefficient / (x + index),
    0.9999999999998099,
  );
  return 0.5 * Math.log(2 * Math.PI) + (x - 0.5) * Math.log(t) - t + Math.log(sum);
}

/** The quantile of sorted values at this share, by nearest rank. NaN if there are no values. */
export function quantileOf(sorted: ArrayLike<number>, share: number): number {
  if (sorted.length === 0) return Number.NaN;
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1))]!;
}

/**
 * Gini coefficient of values that are not negative: 0 if all are equal, near 1 if one value is almost the whole sum.
 */
export function gini(values: ArrayLike<number>): number {
  const sorted = Float64Array.from(values).sort();
  let [sum, weighted] = [0, 0];
  for (let index = 0; index < sorted.length; index++) {
    sum += sorted[index]!;
    weighted += (index + 1) * sorted[index]!;
  }
  const n = sorted.length;
  return sum === 0 ? 0 : (2 * weighted) / (n * sum) - (n + 1) / n;
}
