/** Watches of true channel balances, compared with amounts recomputed after every change. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { generateSyntheticGraph } from '../../src/gossip/synthetic.ts';
import { TrueChannels } from '../../src/laboratory/truth/true-channels.ts';

const graph = generateSyntheticGraph({ nodeCount: 8, seed: 1 });
const DIRECTIONS = 2 * graph.channelCount;
const AMOUNT_MSAT = 5_000n;

const freshChannels = (): TrueChannels =>
  new TrueChannels(
    graph,
    BigInt64Array.from(graph.capacityMsat.subarray(0, graph.channelCount), (capacity) => capacity / 2n),
    {
      slots: new Uint16Array(DIRECTIONS).fill(3),
      maxInFlightMsat: new BigUint64Array(DIRECTIONS).fill(2n * AMOUNT_MSAT + 1n),
      reserveMsat: new BigUint64Array(DIRECTIONS),
    },
  );

const tailOf = (direction: number): number =>
  ((direction & 1) === 0 ? graph.node1 : graph.node2)[direction >>> 1]!;

const step = fc.record({
  kind: fc.constantFrom('hold', 'release', 'settle', 'rebalance'),
  direction: fc.nat(DIRECTIONS - 1),
});

test('a node sees each change of an amount that it can spend', () => {
  let changes = 0;
  fc.assert(
    fc.property(fc.array(step, { minLength: 10, maxLength: 60 }), (steps) => {
      const channels = freshChannels();
      const flying = new Map<number, number>();
      const watches = Array.from({ length: graph.nodeCount }, (_, node) => channels.watchSpendable(node));
      const amounts = () =>
        Array.from({ length: DIRECTIONS }, (_, direction) => channels.spendableMsat(direction));
      let before = amounts();
      for (const { kind, direction } of steps) {
        const inFlight = flying.get(direction) ?? 0;
        const revisions = watches.map(({ revision }) => revision);
        if (kind === 'rebalance') channels.rebalance(direction >>> 1);
        else if (kind === 'hold') {
          if (channels.refusal(direction, AMOUNT_MSAT) !== undefined) continue;
          channels.hold(direction, AMOUNT_MSAT);
          flying.set(direction, inFlight + 1);
        } else if (inFlight > 0) {
          channels[kind as 'release' | 'settle'](direction, AMOUNT_MSAT);
          flying.set(direction, inFlight - 1);
        }
        const after = amounts();
        for (const [changed, amountMsat] of after.entries()) {
          if (amountMsat === before[changed]) continue;
          changes++;
          const node = tailOf(changed);
          expect(watches[node]!.changed.has(changed)).toBe(true);
          expect(watches[node]!.revision).toBeGreaterThan(revisions[node]!);
        }
        before = after;
      }
      for (const [node, { changed }] of watches.entries())
        for (const direction of changed) expect(tailOf(direction)).toBe(node);
    }),
  );
  expect(changes).toBeGreaterThan(100);
});

test('a removed watch sees nothing, while a second watch of the same node still does', () => {
  const channels = freshChannels();
  const [removed, kept] = [channels.watchSpendable(tailOf(0)), channels.watchSpendable(tailOf(0))];
  channels.unwatchSpendable(tailOf(0), removed);
  channels.hold(0, AMOUNT_MSAT);
  expect([...removed.changed, removed.revision]).toEqual([0]);
  expect([...kept.changed, kept.revision]).toEqual([0, 1]);
});
