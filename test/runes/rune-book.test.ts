/** The rune book: what it promises about the disk, the last use of runes, and the blacklist. */
import { randomBytes } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Clock } from '../../src/model/clock.ts';
import { deferred } from '../../src/model/deferred.ts';
import { parseAlternative } from '../../src/runes/restriction.ts';
import { RuneBook } from '../../src/runes/rune-book.ts';
import type { RuneRepository } from '../../src/store/rune-repository.ts';

const NOW_MS = 1_800_000_000_000;
const NS_PER_MS = 1_000_000n;
const clock = { nowMs: () => NOW_MS, after: () => () => undefined } as unknown as Clock;

const openBook = (more: Partial<RuneRepository> = {}): Promise<RuneBook> =>
  RuneBook.open({
    clock,
    secret: randomBytes(16),
    repository: {
      runes: async () => [],
      blacklist: async () => [],
      nextUniqueId: async () => 0n,
      outgo: async () => [],
      putOutgo: () => undefined,
      putRune: () => undefined,
      putLastUsed: () => undefined,
      putBlacklist: () => undefined,
      skipUniqueIds: () => undefined,
      durable: async () => undefined,
      ...more,
    },
  });

test('a new rune, a changed blacklist and counted spending are confirmed once they are on disk', async () => {
  let disk = deferred();
  const book = await openBook({ durable: () => disk.promise });
  const isDone = (change: Promise<unknown>): Promise<boolean> =>
    Promise.race([change.then(() => true), nextTurn(false)]);
  const rune = book.create([[parseAlternative('outgoday<1000msat')!]]);
  expect(await isDone(rune)).toBe(false);
  disk.resolve();
  const made = await rune;
  disk = deferred();
  const payment = {
    ...{ method: 'keysend', params: undefined },
    outgo: () => ({ kind: 'integer', integer: 1n }) as const,
  };
  const changes = [book.check(made, payment)!.durable, book.setBlacklisted({ start: 5n, end: 5n }, true)];
  expect(await Promise.all(changes.map(isDone))).toEqual([false, false]);
  disk.resolve();
  await Promise.all(changes);
});

test('the last use of a rune is stored at the latest when the book is closed', async () => {
  const stored: [bigint, bigint][] = [];
  const book = await openBook({ putLastUsed: (...use) => stored.push(use) });
  const rune = await book.create([]);
  book.check(rune, { method: 'getinfo', params: undefined });
  expect(stored).toEqual([]);
  book.close();
  expect(stored).toEqual([[0n, BigInt(NOW_MS) * NS_PER_MS]]);
});

test('ranges of the blacklist are joined when they touch, and divided when a part is removed', async () => {
  const book = await openBook();
  await book.setBlacklisted({ start: 4n, end: 6n }, true);
  await book.setBlacklisted({ start: 7n, end: 9n }, true);
  expect(book.blacklist).toEqual([{ start: 4n, end: 9n }]);
  await book.setBlacklisted({ start: 6n, end: 7n }, false);
  expect(book.blacklist).toEqual([
    { start: 4n, end: 5n },
    { start: 8n, end: 9n },
  ]);
});

test('the blacklist has at most 10,000 ranges', async () => {
  const full = Array.from({ length: 10_000 }, (_, index) => ({
    start: BigInt(2 * index),
    end: BigInt(2 * index),
  }));
  const book = await openBook({ blacklist: async () => full });
  const more = book.setBlacklisted({ start: 30_000n, end: 30_000n }, true);
  await expect(more).rejects.toMatchObject({ name: 'invalidParams' });
  expect(book.blacklist).toBe(full);
});
