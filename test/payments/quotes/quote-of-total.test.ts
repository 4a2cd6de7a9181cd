/** The amount whose quote fits a total: tested with random fees, and against brute force for small totals. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { quoteOfTotal } from '../../../src/payments/quotes/quote-of-total.ts';

/** Fee limits of a route: base fee and rate, or undefined above the amount that it carries. */
interface Fees {
  readonly base: bigint;
  readonly ppm: bigint;
  readonly carries: bigint;
}

const limitOf = ({ base, ppm }: Fees, amount: bigint): bigint => base + (amount * ppm) / 1_000_000n;

async function quoted(totalMsat: bigint, fees: Fees, firstMsat = totalMsat) {
  let quotes = 0;
  const found = await quoteOfTotal({
    totalMsat,
    firstMsat,
    quoteAt: async (amount) => {
      quotes++;
      return amount > fees.carries ? undefined : { maxfeeMsat: limitOf(fees, amount) };
    },
  });
  return { found, quotes };
}

describe('the amount whose quote fits a total', () => {
  test('1,000,000 msat at 1,000 msat and 1 %: 989,108 + 10,891', async () => {
    const { found, quotes } = await quoted(1_000_000n, { base: 1_000n, ppm: 10_000n, carries: 10n ** 9n });
    expect(found!.amountMsat + found!.quote.maxfeeMsat).toBeLessThanOrEqual(1_000_000n);
    expect(found!.amountMsat).toBeGreaterThanOrEqual(989_098n);
    expect(found!.amountMsat).toBeLessThanOrEqual(989_109n);
    expect(quotes).toBeLessThanOrEqual(4);
  });

  test('never exceeds the total, and leaves hardly any of it unused', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          total: fc.bigInt(1_000n, 10n ** 12n),
          base: fc.bigInt(0n, 5_000n),
          ppm: fc.bigInt(0n, 50_000n),
        }),
        async ({ total, base, ppm }) => {
          const fees = { base, ppm, carries: total };
          const { found } = await quoted(total, fees);
          if (found === undefined) {
            expect(limitOf(fees, 1n) + 1n).toBeGreaterThan(total / 2n);
            return;
          }
          const usedMsat = found.amountMsat + found.quote.maxfeeMsat;
          expect(usedMsat).toBeLessThanOrEqual(total);
          if (base < total / 10n) expect(total - usedMsat).toBeLessThanOrEqual(total / 100_000n + 1n);
        },
      ),
      { numRuns: 300 },
    );
  });

  test('is the part that the routes can carry if they cannot carry everything', async () => {
    const { found } = await quoted(1_000_000n, { base: 10n, ppm: 100n, carries: 400_000n });
    expect(found!.amountMsat).toBeLessThanOrEqual(400_000n);
    expect(found!.amountMsat).toBeGreaterThan(350_000n);
  });

  test('is undefined if fees alone exceed the total', async () => {
    const { found, quotes } = await quoted(500n, { base: 501n, ppm: 0n, carries: 500n });
    expect(found).toBeUndefined();
    expect(quotes).toBeLessThanOrEqual(6);
  });
});
