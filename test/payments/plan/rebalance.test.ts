/** Which channels give and receive money, and how much of it a plan moves, with numbers computed by hand. */
import { describe, expect, test } from 'vitest';
import type { Route } from '../../../src/engine/question/route.ts';
import { msat } from '../../../src/model/msat.ts';
import type { NodeId } from '../../../src/model/node-id.ts';
import type { OwnChannel } from '../../../src/model/own-channel.ts';
import type { ShortChannelId } from '../../../src/model/short-channel-id.ts';
import {
  feeLimitPpm,
  type PlanCircle,
  planRebalance,
  type RebalanceLimits,
  surpluses,
} from '../../../src/payments/plan/rebalance.ts';

const [A, B] = [1n, 2n] as ShortChannelId[];
const US = `02${'11'.repeat(32)}` as NodeId;

const channel = (id: ShortChannelId | undefined, spendable: number, receivable: number): OwnChannel =>
  ({
    ...{ shortChannelId: id, usable: true },
    ...{ spendableMsat: msat(spendable), receivableMsat: msat(receivable) },
  }) as OwnChannel;

/** The channels that give and receive, with their amounts. */
function shares(channels: OwnChannel[], wanted: Parameters<typeof surpluses>[1], least: number) {
  const { circle, wantedMsat } = surpluses(channels, wanted, msat(least));
  const list = (of: typeof circle.out) =>
    of.map(({ shortChannelId, mostMsat }) => [shortChannelId, mostMsat]);
  return { out: list(circle.out), in: list(circle.in), wantedMsat };
}

describe('surpluses', () => {
  const channels = [channel(A, 600, 400), channel(B, 300, 700)];
  const wanted = [
    { shortChannelId: A!, sharePpm: 500_000 },
    { shortChannelId: B!, sharePpm: 400_000 },
  ];

  test('a difference as large as the minimum counts, a smaller one does not', () => {
    // A has 600 and wants 500 of 1000; B has 300 and wants 400.
    expect(shares(channels, wanted, 100)).toEqual({ out: [[A, 100n]], in: [[B, 100n]], wantedMsat: 100n });
    expect(shares(channels, wanted, 101)).toEqual({ out: [], in: [], wantedMsat: 0n });
  });

  test('without wanted shares, all usable channels get the same one', () => {
    const unusable = { ...channel(3n as ShortChannelId, 1000, 0), usable: false };
    // 900 of 2000 are 45 %.
    expect(shares([...channels, unusable, channel(undefined, 1000, 0)], undefined, 1)).toEqual({
      ...{ out: [[A, 150n]], in: [[B, 150n]], wantedMsat: 150n },
    });
  });

  test('what moves is the lesser of what channels give and what others lack', () => {
    const lessGiven = [{ ...wanted[0]!, sharePpm: 570_000 }, wanted[1]!];
    const lessLacking = [wanted[0]!, { ...wanted[1]!, sharePpm: 320_000 }];
    expect(shares(channels, lessGiven, 1).wantedMsat).toBe(30n);
    expect(shares(channels, lessLacking, 1).wantedMsat).toBe(20n);
    expect(shares(channels, [wanted[0]!], 1)).toEqual({ out: [[A, 100n]], in: [], wantedMsat: 0n });
  });
});

const route = (amount: bigint, fee: bigint): Route =>
  ({
    amountMsat: msat(amount),
    path: [
      { shortChannelIdDir: { shortChannelId: A, direction: 0 }, amountOutMsat: msat(amount + fee) },
      { shortChannelIdDir: { shortChannelId: B, direction: 1 }, amountOutMsat: msat(amount) },
    ],
  }) as unknown as Route;

/** Plans to move 1000 msat over routes that carry at most `carries`. @returns also the searches: amount, fee limit */
async function planned(
  carries: bigint,
  fee: bigint | ((amount: bigint) => bigint),
  more: Partial<RebalanceLimits>,
) {
  const feeOf = (amount: bigint): bigint => (typeof fee === 'bigint' ? fee : fee(amount));
  const searches: [bigint, bigint][] = [];
  const plan: PlanCircle<string> = async ({ amountMsat, maxfeeMsat }) => {
    searches.push([amountMsat, maxfeeMsat]);
    return amountMsat <= carries
      ? { routes: [route(amountMsat, feeOf(amountMsat))] }
      : { obstacle: `for ${amountMsat}` };
  };
  const wanted = { circle: { out: [], in: [] }, wantedMsat: msat(1000n) };
  const limits = {
    ...{ maxfeeMsat: msat(8n), maxfeePpm: 10_000, mostMsat: undefined, leastMsat: msat(1n) },
    ...more,
  };
  const terms = { retryForS: 1, seed: 1n, layers: [], label: undefined };
  const { moves, tooCostly, obstacle } = await planRebalance(US, wanted, limits, terms, plan);
  const amounts = (list: typeof moves) => list.map(({ amountMsat, feeMsat }) => [amountMsat, feeMsat]);
  return { moves: amounts(moves), tooCostly: amounts(tooCostly), obstacle, searches };
}

describe('a plan', () => {
  test('moves the whole amount if it has routes, with the lower of the two fee limits', async () => {
    expect(await planned(1000n, 8n, {})).toEqual({
      ...{ moves: [[1000n, 8n]], tooCostly: [], obstacle: undefined, searches: [[1000n, 8n]] },
    });
    // 10,000 ppm of 500
    expect((await planned(1000n, 1n, { mostMsat: msat(500n) })).searches).toEqual([[500n, 5n]]);
    expect((await planned(1000n, 1n, { mostMsat: msat(2000n) })).searches).toEqual([[1000n, 8n]]);
  });

  test('otherwise approaches the largest amount that has routes in seven steps', async () => {
    const { moves, obstacle, searches } = await planned(300n, 0n, {});
    expect(searches.map(([amount]) => amount)).toEqual([1000n, 500n, 250n, 375n, 312n, 281n, 296n, 304n]);
    expect([moves, obstacle]).toEqual([[[296n, 0n]], 'for 1000']);
  });

  test('searches no amount below the minimum', async () => {
    const { moves, searches } = await planned(0n, 0n, { leastMsat: msat(250n) });
    expect([moves, searches.map(([amount]) => amount)]).toEqual([[], [1000n, 500n, 250n]]);
    expect((await planned(1000n, 0n, { leastMsat: msat(1001n) })).searches).toEqual([]);
    expect((await planned(1000n, 0n, { leastMsat: msat(1000n) })).searches).toHaveLength(1);
  });

  test('leaves out a move that costs more than its limit, but not one that costs as much', async () => {
    const limits = { maxfeePpm: 8_000, maxfeeMsat: msat(100n) };
    expect((await planned(1000n, 8n, limits)).moves).toEqual([[1000n, 8n]]);
    expect(await planned(1000n, 9n, limits)).toMatchObject({ moves: [], tooCostly: [[1000n, 9n]] });
    expect((await planned(1000n, 8n, { ...limits, worthPpm: () => 7_000 })).moves).toEqual([]);
  });

  test('moves as much as possible, even if a larger amount has routes that cost too much', async () => {
    const fee = (amount: bigint): bigint => (amount > 500n ? 100n : 1n);
    const { moves, tooCostly } = await planned(900n, fee, {});
    expect([moves, tooCostly]).toEqual([[[500n, 1n]], []]);
  });

  test('pays at most the general limit, even for a channel that is worth more', () => {
    const worth = (worthPpm: number) => feeLimitPpm({ maxfeePpm: 100, worthPpm: () => worthPpm }, A!);
    expect([worth(99), worth(101), feeLimitPpm({ maxfeePpm: 100 }, A!)]).toEqual([99, 100, 100]);
  });
});
