/** How the parts of a rebalancing share the fee limit, and how a part is moved in pieces. */
import { expect, test } from 'vitest';
import { msat } from '../../../src/model/msat.ts';
import type { PlannedMove } from '../../../src/payments/plan/rebalance.ts';
import { carryOut, type Moved } from '../../../src/payments/send/rebalance-run.ts';

const move = (amount: number, fee: number): PlannedMove =>
  ({ amountMsat: msat(amount), feeMsat: msat(fee) }) as PlannedMove;

/** Carries out a plan. @returns the amount and the fee limit of each payment, in the order of sending */
async function sent(
  moves: readonly PlannedMove[],
  { maxfee = 1_000_000, ppm = 1_000_000, least = 10 },
  outcome: (index: number, amountMsat: bigint) => Moved,
): Promise<[bigint, bigint][]> {
  const payments: [bigint, bigint][] = [];
  const limits = { maxfeeMsat: msat(maxfee), maxfeePpm: ppm, mostMsat: undefined, leastMsat: msat(least) };
  await carryOut(moves, limits, async ({ amountMsat }, maxfeeMsat) => {
    payments.push([amountMsat, maxfeeMsat]);
    return outcome(payments.length - 1, amountMsat);
  });
  return payments;
}

const all = (feeMsat: bigint) => (_: number, amountMsat: bigint) => ({ amountMsat, feeMsat });

test('a payment may cost its share of the amount', async () => {
  // 2,000 ppm of 10,000 and of 5,000
  expect(await sent([move(10_000, 0), move(5_000, 0)], { ppm: 2_000 }, all(0n))).toEqual([
    [10_000n, 20n],
    [5_000n, 10n],
  ]);
});

test('a part leaves the planned fees of the parts that have not started, and no part takes what others hold', async () => {
  // Of 30, the first part leaves 10 for the second, which gets what is left: 10. The third has a planned fee of 0.
  expect(await sent([move(1_000, 10), move(1_000, 10), move(1_000, 0)], { maxfee: 30 }, all(1n))).toEqual([
    [1_000n, 20n],
    [1_000n, 10n],
    [1_000n, 0n],
  ]);
  expect(await sent([move(1_000, 10), move(1_000, 50)], { maxfee: 30 }, all(1n))).toEqual([
    [1_000n, 0n],
    [1_000n, 30n],
  ]);
});

test('a fifth part gets what the first one did not spend, unless its outcome is unknown', async () => {
  const five = Array.from({ length: 5 }, () => move(1_000, 0));
  const limitOfFifth = async (first: Moved): Promise<bigint> => {
    const payments = await sent(five, { maxfee: 100 }, (index) =>
      index === 0 ? first : { amountMsat: 1_000n, feeMsat: 0n },
    );
    expect(payments.slice(0, 4).map(([, limit]) => limit)).toEqual([100n, 0n, 0n, 0n]);
    return payments[4]![1];
  };
  expect(await limitOfFifth({ amountMsat: 1_000n, feeMsat: 30n })).toBe(70n);
  // It may still cost up to its limit.
  expect(await limitOfFifth({ amountMsat: 0n, feeMsat: 0n, isOpen: true })).toBe(0n);
});

test('after a failure, a part is moved in pieces, the last of which is what remains', async () => {
  const amounts = async (amount: number, most: bigint, least: number): Promise<bigint[]> => {
    const payments = await sent([move(amount, 0)], { least }, (_, amountMsat) => ({
      ...{ amountMsat: amountMsat <= most ? amountMsat : 0n, feeMsat: 0n },
    }));
    return payments.map(([amountMsat]) => amountMsat);
  };
  expect(await amounts(1_000, 1_000n, 10)).toEqual([1_000n]);
  expect(await amounts(1_000, 300n, 10)).toEqual([1_000n, 500n, 250n, 250n, 250n, 250n]);
  expect(await amounts(901, 500n, 1)).toEqual([901n, 450n, 450n, 1n]);
  expect(await amounts(901, 500n, 2)).toEqual([901n, 450n, 450n]);
  // No part gets more than eight payments, and no payment is smaller than the minimum.
  expect(await amounts(1_000, 0n, 1)).toEqual([1_000n, 500n, 250n, 125n, 62n, 31n, 15n, 7n]);
  expect(await amounts(1_000, 0n, 125)).toEqual([1_000n, 500n, 250n, 125n]);
});
