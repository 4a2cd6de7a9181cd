/** Scores of predicted odds, with numbers that can be checked by hand or are from the literature. */
import { describe, expect, test } from 'vitest';
import {
  baselinesFor,
  beforeCorrection,
  binned,
  byAge,
  byAmount,
  groupOf,
  isOff,
  type Outcome,
  verdictOn,
} from '../../../src/explorer/pictures/calibration.ts';
import { seededRandom } from '../../../src/gossip/random.ts';
import { wilson } from '../../../src/model/share-interval.ts';

const outcome = (predicted: number, arrived: boolean, more: Partial<Outcome> = {}): Outcome => ({
  predicted,
  arrived,
  amountMsat: 1_000_000,
  time: 0,
  ...more,
});

describe('the Wilson interval', () => {
  // Newcombe 1998, "Two-sided confidence intervals for the single proportion", table I, method 3 (score).
  test.each([
    [81, 263, 0.2553, 0.3662],
    [15, 148, 0.0624, 0.1605],
    [0, 20, 0, 0.1611],
    [1, 29, 0.0061, 0.1718],
  ])('of %i in %i', (hits, count, low, high) => {
    const interval = wilson(hits, count);
    expect(interval.low).toBeCloseTo(low, 4);
    expect(interval.high).toBeCloseTo(high, 4);
  });

  test('of no attempts is the whole range', () => expect(wilson(0, 0)).toEqual({ low: 0, high: 1 }));

  test('contains the share, and narrows with the count', () => {
    for (const count of [1, 7, 50, 1000]) {
      for (let hits = 0; hits <= count; hits += Math.ceil(count / 7)) {
        const { low, high } = wilson(hits, count);
        expect(low).toBeLessThanOrEqual(hits / count);
        expect(high).toBeGreaterThanOrEqual(hits / count);
        expect(high - low).toBeGreaterThan(
          wilson(hits * 4, count * 4).high - wilson(hits * 4, count * 4).low,
        );
      }
    }
  });
});

test('scores of four attempts, by hand', () => {
  // (0.8 − 1)² + (0.8 − 1)² + (0.8 − 0)² + (0.2 − 0)² = 0.04 + 0.04 + 0.64 + 0.04 = 0.76, over four: 0.19
  const group = groupOf([outcome(0.8, true), outcome(0.8, true), outcome(0.8, false), outcome(0.2, false)]);
  expect(group).toMatchObject({ count: 4, arrived: 2, share: 0.5 });
  expect(group.meanPredicted).toBeCloseTo(0.65, 12);
  expect(group.brier).toBeCloseTo(0.19, 12);
  // −ln 0.8 three times and −ln 0.2 once: (3 · 0.22314 + 1.60944) / 4
  expect(group.logLoss).toBeCloseTo((3 * 0.223_143_551 + 1.609_437_912) / 4, 8);
});

test('a wrong prediction of 0 or 1 has a large but finite log loss', () => {
  const { logLoss } = groupOf([outcome(0, true)]);
  expect(logLoss).toBeCloseTo(Math.log(2e6), 6);
});

test('baselines', () => {
  expect(baselinesFor(0.5)).toEqual({
    mean: { brier: 0.25, logLoss: Math.LN2 },
    coin: { brier: 0.25, logLoss: Math.LN2 },
  });
  expect(baselinesFor(0.9).mean.brier).toBeCloseTo(0.09, 12);
  expect(baselinesFor(1).mean).toEqual({ brier: 0, logLoss: 0 });
  // A predictor that always states the mean scores exactly the baseline.
  const all = Array.from({ length: 10 }, (_, index) => outcome(0.3, index < 3));
  const group = groupOf(all);
  expect(group.brier).toBeCloseTo(baselinesFor(group.share).mean.brier, 12);
  expect(group.logLoss).toBeCloseTo(baselinesFor(group.share).mean.logLoss, 12);
});

test('each attempt is in one bin of odds, one of amounts and one of ages', () => {
  const all = [0, 0.05, 0.1, 0.95, 1].map((predicted, index) =>
    outcome(predicted, true, { amountMsat: 10 ** (index * 3), time: 1_000_000 - 10 ** (index + 1) }),
  );
  expect(binned(all).map(({ count }) => count)).toEqual([2, 1, 0, 0, 0, 0, 0, 0, 0, 2]);
  expect(byAmount(all).map(({ name, count }) => [name, count])).toEqual([
    ['below 1 000 sat', 2],
    ['1 000 to 10 000 sat', 1],
    ['10 000 to 100 000 sat', 0],
    ['100 000 to 1 M sat', 0],
    ['1 M sat and more', 2],
  ]);
  // 10, 100, 1,000, 10,000 and 100,000 seconds ago.
  expect(byAge(all, 1_000_000).map(({ count }) => count)).toEqual([2, 1, 1, 1, 0]);
});

describe('the verdict', () => {
  /** Attempts with odds from 5 % to 95 %, of which `truth(p)` arrive. */
  function drawn(seed: number, count: number, truth: (predicted: number) => number): Outcome[] {
    const random = seededRandom(seed, 0);
    return Array.from({ length: count }, () => {
      const predicted = 0.05 + 0.9 * random();
      return outcome(predicted, random() < truth(predicted));
    });
  }

  test('true odds are called plausible with at least 97 of 100 seeds', () => {
    let wrong = 0;
    for (let seed = 1; seed <= 100; seed++) {
      if (verdictOn(drawn(seed, 600, (p) => p)).kind !== 'plausible') wrong++;
    }
    expect(wrong).toBeLessThanOrEqual(3);
  });

  test('odds that are too high, or too low, are found', () => {
    for (let seed = 1; seed <= 20; seed++) {
      expect(verdictOn(drawn(seed, 600, (p) => p * 0.6)).kind).toBe('tooHigh');
      expect(verdictOn(drawn(seed, 600, (p) => 1 - (1 - p) * 0.6)).kind).toBe('tooLow');
    }
  });

  test('a group is marked only if the verdict applies to it', () => {
    for (let seed = 1; seed <= 200; seed++) {
      const outcomes = drawn(seed, 600, (p) => p);
      const marked = [...binned(outcomes), groupOf(outcomes)].some(isOff);
      expect([seed, marked]).toEqual([seed, verdictOn(outcomes).kind !== 'plausible']);
    }
    // 2,000 attempts of which 98 % arrived: the predicted 99 % is outside the 95 % interval, but by too
    // little to matter.
    const surely = Array.from({ length: 2000 }, (_, at) => outcome(0.99, at % 50 !== 0));
    const group = groupOf(surely);
    expect(group.meanPredicted > group.interval.high).toBe(true);
    expect(isOff(group)).toBe(false);
  });

  test('a few attempts allow no verdict', () => {
    expect(verdictOn(drawn(1, 49, () => 0))).toEqual({ kind: 'tooFew', needed: 50 });
    expect(verdictOn(drawn(1, 50, () => 0)).kind).toBe('tooHigh');
  });

  test('a harmless gap is not reported', () => {
    const all = Array.from({ length: 100_000 }, (_, index) => outcome(0.99, index % 1000 < 980));
    expect(verdictOn(all).kind).toBe('plausible');
  });
});

test('odds before the correction are judged by the attempts that have them', () => {
  const [learned, other] = [outcome(0.9, true, { uncorrected: 0.6 }), outcome(0.5, false)];
  const before = groupOf(beforeCorrection([learned, other]));
  // (0.6 − 1)² and −ln 0.6.
  expect(before).toMatchObject({ count: 1, arrived: 1, meanPredicted: 0.6 });
  expect(before.brier).toBeCloseTo(0.16, 12);
  expect(before.logLoss).toBeCloseTo(0.5108, 4);
});
