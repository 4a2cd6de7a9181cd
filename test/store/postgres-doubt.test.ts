/** Doubt after a failover and numbers of payments, with a stand-in for the database. */
import { expect, test } from 'vitest';
import { PostgresDoubt } from '../../src/store/postgres/doubt.ts';
import type { KnownServer } from '../../src/store/postgres/known-server.ts';
import type { PostgresLine } from '../../src/store/postgres/line.ts';
import { NumberBlocks } from '../../src/store/postgres/number-blocks.ts';

test('a daemon that ran during a failover matches its node even if another daemon has already done so', async () => {
  const server = { timeline: 1 } as KnownServer;
  let name = 'system/00000001';
  const line = {
    ask: async (sql: string) => {
      if (sql.includes('string_agg')) return [{ server: name, nodes: null }];
      return sql.includes('secret') ? [{ secret: 's' }] : [];
    },
    transaction: async () => [],
  } as unknown as PostgresLine;
  const doubt = await PostgresDoubt.open({ line, server, node: '02aa' });
  expect([doubt.isOpen, doubt.isMatched, doubt.waitsFor]).toEqual([false, true, []]);
  name = 'system/00000002';
  Object.assign(server, { timeline: 2 });
  await doubt.refresh();
  expect([doubt.isOpen, doubt.isMatched, doubt.waitsFor]).toEqual([true, false, ['02aa']]);
  await doubt.match([]);
  await doubt.refresh();
  expect([doubt.isOpen, doubt.isMatched, doubt.waitsFor]).toEqual([false, true, []]);
});

test('a daemon uses each number of its blocks once, and no other numbers', async () => {
  const BLOCK = 1024;
  let blocks = 0;
  const line = {
    ask: async (sql: string) => (sql.includes('AS first') ? [{ first: 10_000 * blocks++ }] : []),
  } as unknown as PostgresLine;
  const numbers = await NumberBlocks.open(line);
  const used: number[] = [];
  for (let n = 0; n < 3 * BLOCK; n++) {
    used.push(numbers.next('payment'));
    await Promise.resolve();
  }
  // The first blocks of the three kinds are taken first.
  const firsts = [0, 30_000, 40_000];
  expect(used).toEqual(firsts.flatMap((first) => Array.from({ length: BLOCK }, (_, n) => first + n)));
});
