/** What is known about the hops of a route while other amounts are in flight on them. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LayerBook } from '../../../src/layers/layer-book.ts';
import { msat } from '../../../src/model/msat.ts';
import type { ShortChannelId } from '../../../src/model/short-channel-id.ts';
import { passingChance } from '../../../src/payments/learn/balance-prior.ts';
import { knownHops } from '../../../src/payments/plan/known-hops.ts';
import { nodeNamed, tinyGraph } from '../../reference/tiny-graph.ts';

const CAPACITY_SAT = 1_000_000;
const sat = (amount: number) => msat(1000n * BigInt(amount));

function subject() {
  const { graph } = tinyGraph(['A-B', 'B-C']);
  const book = new LayerBook(() => 1_000_000);
  const hop = (channel: number, to: string, amountMsat = sat(0)) => ({
    shortChannelIdDir: {
      shortChannelId: graph.shortChannelIds[channel]! as ShortChannelId,
      direction: 0 as const,
    },
    nodeIdIn: nodeNamed(channel === 0 ? 'A' : 'B'),
    nodeIdOut: nodeNamed(to),
    amountInMsat: amountMsat,
    amountOutMsat: amountMsat,
    cltvIn: 0,
    cltvOut: 0,
  });
  /** What is known about B-C when this amount is about to cross it. */
  const known = (amount: number) => {
    const path = [hop(0, 'B', sat(amount)), hop(1, 'C', sat(amount))];
    return knownHops(path, graph, book, [book.layer('x') ?? book.createLayer('x', false)])[1]!;
  };
  const of = hop(1, 'C').shortChannelIdDir;
  const hold = (amount: number): void =>
    book.reserve([{ shortChannelIdDir: of, amountMsat: sat(amount) }], 'other');
  const inform = (amount: number, kind: 'unconstrained' | 'constrained' | 'succeeded'): void =>
    void book.informChannel(book.layer('x') ?? book.createLayer('x', false), of, sat(amount), kind);
  return { known, hold, inform };
}

const ONE_SIDED = { kind: 'onesided', share: 0.9 } as const;

test('an amount in flight is no evidence of balance: the chance is that of both amounts together', () => {
  const amounts = fc.integer({ min: 1, max: 400_000 });
  fc.assert(
    fc.property(amounts, amounts, (held, amount) => {
      const alone = subject();
      const beside = subject();
      beside.hold(held);
      const chance = passingChance(ONE_SIDED, beside.known(amount));
      expect(chance).toBeCloseTo(passingChance(ONE_SIDED, alone.known(held + amount)), 9);
      expect(chance).toBeLessThan(0.55);
    }),
  );
});

test('an amount that has settled is evidence, and bounds apply to what is in flight as well', () => {
  const { known, hold, inform } = subject();
  inform(100_000, 'unconstrained');
  inform(100_000, 'succeeded');
  expect(passingChance(ONE_SIDED, known(100_000))).toBeGreaterThan(0.95);
  expect(known(100_000).moved).toBeCloseTo(100_000 / CAPACITY_SAT, 9);
  inform(50_000, 'unconstrained');
  inform(200_001, 'constrained');
  expect(passingChance(ONE_SIDED, known(50_000))).toBe(1);
  hold(20_000);
  expect(passingChance(ONE_SIDED, known(30_000))).toBe(1);
  expect(passingChance(ONE_SIDED, known(30_001))).toBeLessThan(1);
  expect(passingChance(ONE_SIDED, known(180_001))).toBe(0);
});
