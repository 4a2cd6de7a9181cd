/**
 * Confidence intervals compared with known values: quantiles of Student's t from published tables, and an M/M/1
 * queue, whose mean waiting time has a closed form.
 */
import { expect, test } from 'vitest';
import { exponential, lognormal, pareto, WeightedChoice } from '../../src/laboratory/distributions.ts';
import { batchMeans, gini, quantileOf, studentQuantile } from '../../src/laboratory/results/statistics.ts';
import { Draws } from '../../src/model/draws.ts';

test.each([
  [1, 12.7062],
  [2, 4.3027],
  [5, 2.5706],
  [9, 2.2622],
  [29, 2.0452],
  [120, 1.9799],
])(
  'the 97.5 %% quantile of Student’s t with %i degrees of freedom (NIST/SEMATECH 1.3.6.7.2)',
  (freedom, quantile) => {
    expect(studentQuantile(freedom, 0.975)).toBeCloseTo(quantile, 4);
  },
);

/** Mean time in the queue of an M/M/1 queue with arrival rate 0.5 and service rate 1: ρ / (μ − λ) = 1 (Lindley). */
function meanWaits(draws: Draws, batches: number, perBatch: number): number[] {
  let wait = 0;
  let count = 0;
  const warmUp = 200;
  const next = (): number => {
    const service = exponential(draws.uniform(1, count), 1);
    const gap = exponential(draws.uniform(2, count++), 2);
    wait = Math.max(0, wait + service - gap);
    return wait;
  };
  for (let customer = 0; customer < warmUp; customer++) next();
  return Array.from({ length: batches }, () => {
    let sum = 0;
    for (let customer = 0; customer < perBatch; customer++) sum += next();
    return sum / perBatch;
  });
}

test('95 % intervals of an M/M/1 queue contain the true mean in 93 to 97 of 100 repetitions', () => {
  const repetitions = 1000;
  let covered = 0;
  for (let repetition = 0; repetition < repetitions; repetition++) {
    const { low, high } = batchMeans(meanWaits(new Draws(repetition), 30, 600));
    if (low <= 1 && 1 <= high) covered++;
  }
  const share = covered / repetitions;
  expect(share).toBeGreaterThan(0.93);
  expect(share).toBeLessThan(0.97);
});

test('distributions have the requested means', () => {
  const draws = new Draws(5);
  const count = 200_000;
  const mean = (draw: (index: number) => number): number => {
    let sum = 0;
    for (let index = 0; index < count; index++) sum += draw(index);
    return sum / count;
  };
  expect(mean((index) => exponential(draws.uniform(1, index), 3))).toBeCloseTo(3, 1);
  expect(mean((index) => lognormal(draws.uniform(1, index), draws.uniform(2, index), 3, 0.7))).toBeCloseTo(
    3,
    1,
  );
  // Mean of a Pareto distribution: minimum · α / (α − 1).
  expect(mean((index) => pareto(draws.uniform(1, index), 1, 3))).toBeCloseTo(1.5, 1);
  const choice = new WeightedChoice([1, 0, 3]);
  const counts = [0, 0, 0];
  for (let index = 0; index < count; index++) counts[choice.draw(draws.uniform(3, index))]!++;
  expect(counts[1]).toBe(0);
  expect(counts[2]! / count).toBeCloseTo(0.75, 2);
});

test('quantiles and Gini coefficients of small sets match values computed by hand', () => {
  expect(quantileOf([1, 2, 3, 4], 0.5)).toBe(2);
  expect(quantileOf([1, 2, 3, 4], 0.95)).toBe(4);
  expect(quantileOf([], 0.5)).toBeNaN();
  expect(gini([1, 1, 1, 1])).toBeCloseTo(0, 12);
  expect(gini([0, 0, 0, 1])).toBeCloseTo(0.75, 12);
  expect(gini([0, 0])).toBe(0);
});
