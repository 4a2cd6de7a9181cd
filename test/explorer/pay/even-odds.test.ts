/** The largest amount with even odds, against a channel whose odds are known; and the axes of the plot of answers. */
import { expect, test } from 'vitest';
import { largestEvenAmount } from '../../../src/explorer/pay/even-odds.ts';
import { scaleOf } from '../../../src/explorer/pictures/front.ts';

test.each([10n, 999n, 4_321n, 1_000_000n, 20_000_000n])(
  'a channel of %i sat with evenly spread balances has even odds at its half',
  async (capacity) => {
    let asked = 0;
    // Uniform: the odds of an amount are the share of balances that carry it.
    const found = await largestEvenAmount(capacity * 1000n, async (msat) => {
      asked++;
      return Number(((capacity * 1000n - msat) * 1_000_000n) / (capacity * 1000n));
    });
    const half = Number(capacity) / 2;
    expect(Number(found) / 1000).toBeLessThanOrEqual(half);
    // Two significant digits are left of the amount, and a hundredth of the range.
    expect(Number(found) / 1000).toBeGreaterThanOrEqual(half * 0.88 - 1);
    expect(asked).toBeLessThanOrEqual(16);
  },
);

test('where not even one sat has such odds, there is none', async () => {
  expect(await largestEvenAmount(5_000_000n, async () => undefined)).toBeUndefined();
  expect(await largestEvenAmount(5_000_000n, async () => 499_999)).toBeUndefined();
});

test('the plot shows its points from one side to the other', () => {
  const fees = scaleOf([61_000, 63_000]);
  expect([fees.at(61_000) < 0.2, fees.at(63_000) > 0.8]).toEqual([true, true]);
  const odds = scaleOf([940_000, 1_000_000], 1e6);
  expect([odds.high, odds.at(1e6), odds.at(940_000) < 0.2]).toEqual([1e6, 1, true]);
  expect(scaleOf([0, 10]).low).toBe(0);
  expect(scaleOf([7]).at(7)).toBeGreaterThan(0);
});
