/**
 * Balances of our nodes over time: sampled by the test's clock, kept in a store, and read back by a second
 * run.
 */
import { expect, test } from 'vitest';
import type { NodeId } from '../../../src/model/node-id.ts';
import type { OwnNode, OwnNodes } from '../../../src/network/several/index.ts';
import { BalanceHistory, KEPT_DAYS, thinned } from '../../../src/payments/books/balance-history.ts';
import { ManualClock } from '../../events/manual-clock.ts';
import { RecordDisk } from '../../store/record-disk.ts';

const FIVE_MINUTES_MS = 300_000;
const DAY_MS = 86_400_000;
const ID = `02${'11'.repeat(32)}` as NodeId;
const OTHER = `02${'22'.repeat(32)}` as NodeId;

interface Fake {
  nodeId: NodeId;
  spendableMsat: bigint;
  receivableMsat: bigint;
  problem: string | undefined;
}

function world(repository = new RecordDisk(), nowMs = 10 * DAY_MS) {
  const clock = new ManualClock(nowMs);
  const node: Fake = { nodeId: ID, spendableMsat: 5n, receivableMsat: 7n, problem: undefined };
  const other: Fake = { ...node, nodeId: OTHER };
  const nodes = { list: [node, other] as unknown as OwnNode[] } as unknown as OwnNodes;
  const log = { unusual: () => undefined };
  const history = new BalanceHistory({ repository, nodes, clock, log });
  const pass = async (ms: number): Promise<void> => {
    clock.pass(ms);
    for (let turn = 0; turn < 20; turn++) await new Promise((done) => setImmediate(done));
  };
  return { repository, clock, node, other, history, pass };
}

test('a sample is taken every five minutes, which a later run finds, and none while the node is away', async () => {
  const { repository, node, history, pass, clock } = world();
  await history.start();
  node.spendableMsat = 4n;
  await pass(FIVE_MINUTES_MS);
  node.problem = 'it is away';
  await pass(FIVE_MINUTES_MS);
  node.problem = undefined;
  node.spendableMsat = 2n ** 62n;
  await pass(FIVE_MINUTES_MS);
  history.close();
  await pass(10 * FIVE_MINUTES_MS);
  const later = world(repository, clock.nowMs());
  await later.history.start();
  later.history.close();
  const begin = (10 * DAY_MS) / 1000;
  const told = await later.history.since(ID, begin);
  expect(told.map(({ atS, spendableMsat }) => [atS - begin, spendableMsat])).toEqual([
    [0, 5n],
    [300, 4n],
    [900, 2n ** 62n],
    [900 + 3000, 5n],
  ]);
  expect(await later.history.since(ID, begin + 301)).toEqual(told.slice(2));
  expect((await later.history.since(OTHER, 0)).length).toBe(5);
});

test('samples older than thirty days are dropped', async () => {
  const { repository, history, pass } = world();
  await history.start();
  for (let day = 0; day < KEPT_DAYS + 5; day++) await pass(DAY_MS);
  history.close();
  expect(repository.kept.size).toBe(2 * (KEPT_DAYS + 1));
  expect((await history.since(ID, 0)).length).toBeLessThanOrEqual(KEPT_DAYS + 2);
});

test('long histories are thinned, but keep the first and last samples', () => {
  const samples = Array.from({ length: 1000 }, (_, atS) => ({ atS, spendableMsat: 1n, receivableMsat: 1n }));
  const few = thinned(samples, 100);
  expect(few).toHaveLength(100);
  expect([few[0]!.atS, few.at(-1)!.atS]).toEqual([0, 999]);
  expect(thinned(samples, 1000)).toEqual(samples);
});
