/** Draws from the distributions in scenarios, using uniform numbers in [0, 1). */

/** The smallest uniform number used in a logarithm, half of the spacing of 32-bit draws. */
const LEAST = 2 ** -33;
const MAX_POISSON_MEAN = 500;

/** Exponential with this mean. */
export const exponential = (uniform: number, mean: number): number => -mean * Math.log(1 - uniform);

/** Standard normal, from two uniform numbers (Box and Muller). */
export const normal = (first: number, second: number): number =>
  Math.sqrt(-2 * Math.log(Math.max(first, LEAST))) * Math.cos(2 * Math.PI * second);

/** Log-normal with this mean. `sigma` is the standard deviation of the logarithm. */
export const lognormal = (first: number, second: number, mean: number, sigma: number): number =>
  mean * Math.exp(sigma * normal(first, second) - (sigma * sigma) / 2);

/**
 * Poisson with this mean: the smallest k whose cumulative probability exceeds the uniform number. Beyond a mean of 500,
 * where e^-mean would vanish, a rounded normal distribution with the same mean and variance is used.
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

/** Pareto from `minimum` upwards, with density ~ x^(-alpha - 1). */
export const pareto = (uniform: number, minimum: number, alpha: number): number =>
  minimum * (1 - uniform) ** (-1 / alpha);

/** Draws indexes with probabilities proportional to weights, by binary search in their running sums. O(log n) each. */
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
