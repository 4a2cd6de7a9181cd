/**
 * The largest amount with even odds, checked with a channel whose odds are known; and the axes of the plot of
 * answers.
 */
import { expect, test } from 'vitest';
import { largestEvenAmount } from '../../../src/explorer/pay/even-odds.ts';
import { scaleOf } from '../../../src/explorer/pictures/front.ts';

test.each([10n, 999n, 4_321n, 1_000_000n, 20_000_000n])(
  'a channel of %i sat with uniformly distributed balances has even odds at half of it',
  async (capacity) => {
    let asked = 0;
    // Uniform: the odds of an amount are the share of balances that carry it.
    const found = await largestEvenAmount(capacity * 1000n, async (msat) => {
      asked++;
      return Number(((capacity * 1000n - msat) * 1_000_000n) / (capacity * 1000n));
    });
    const half = Number(capacity) / 2;
    expect(Number(found) / 1000).toBeLessThanOrEqual(half);
    // The amount is rounded to two significant digits, and within a hundredth of the range.
    expect(Number(found) / 1000).toBeGreaterThanOrEqual(half * 0.88 - 1);
    expect(asked).toBeLessThanOrEqual(16);
  },
);

test('there is no such amount if not even one sat has such odds', async () => {
  expect(await largestEvenAmount(5_000_000n, async () => undefined)).toBeUndefined();
  expect(await largestEvenAmount(5_000_000n, async () => 499_999)).toBeUndefined();
});

test('the plot shows its points across its full width', () => {
  const fees = scaleOf([61_000, 63_000]);
  expect([fees.at(61_000) < 0.2, fees.at(63_000) > 0.8]).toEqual([true, true]);
  const odds = scaleOf([940_000, 1_000_000], 1e6);
  expect([odds.high, odds.at(1e6), odds.at(940_000) < 0.2]).toEqual([1e6, 1, true]);
  expect(scaleOf([0, 10]).low).toBe(0);
  expect(scaleOf([7]).at(7)).toBeGreaterThan(0);
});
