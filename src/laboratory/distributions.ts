/** Draws from the distributions in scenarios, using uniform numbers in [0, 1). */

/** The smallest number whose logarithm is taken: half of the distance between two 32-bit draws. */
const MIN_UNIFORM = 2 ** -33;
const MAX_POISSON_MEAN = 500;

/** An exponentially distributed number with this mean. */
export const exponential = (uniform: number, mean: number): number => -mean * Math.log(1 - uniform);

/** A standard normal number, made from two uniform numbers (Box and Muller). */
export const normal = (first: number, second: number): number =>
  Math.sqrt(-2 * Math.log(Math.max(first, MIN_UNIFORM))) * Math.cos(2 * Math.PI * second);

/** A log-normal number with this mean. `sigma` is the standard deviation of the logarithm. */
export const lognormal = (first: number, second: number, mean: number, sigma: number): number =>
  mean * Math.exp(sigma * normal(first, second) - (sigma * sigma) / 2);

/**
 * A Poisson-distributed number with this mean: the smallest k whose cumulative probability exceeds the uniform number.
 * For means above about 740, e^-mean would be too small for a floating-point number. So above 500, a rounded normal
 * number with the same mean and variance is returned instead.
 */
export function poisson(uniform: number, mean: number): number {
  if (mean > MAX_POISSON_MEAN) {
    const second = (uniform * 0x1_0000) % 1;
    return Math.max(0, Math.round(mean + Math.sqrt(mean) * normal(uniform, second)));
  }
  let [count, term] = [0, Math.exp(-mean)];
  for (let left = uniform - term; left >= 0 && term > 0; left -= term) term *= mean / ++count;
  return count;
}

/** A Pareto-distributed number of at least `minimum`, with density ~ x^(-alpha - 1). */
export const pareto = (uniform: number, minimum: number, alpha: number): number =>
  minimum * (1 - uniform) ** (-1 / alpha);

/**
 * Draws indexes with probabilities proportional to weights, by binary search in the running sums of the weights. Each
 * draw takes O(log n).
 */
export class WeightedChoice {
  readonly #sums: Float64Array;

  /** @param weights not negative, and not all 0 */
  constructor(weights: ArrayLike<number>) {
    this.#sums = new Float64Array(weights.length);
    let sum = 0;
    for (let index = 0; index < weights.length; index++) {
      sum += weights[index]!;
      this.#sums[index] = sum;
    }
    if (!(sum > 0)) throw new RangeError('all weights are 0');
  }

  draw(uniform: number): number {
    const sums = this.#sums;
    const target = uniform * sums[sums.length - 1]!;
    let [low, high] = [0, sums.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sums[middle]! > target) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
