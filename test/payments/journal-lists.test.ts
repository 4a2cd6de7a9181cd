/**
 * Lists over a long journal: each query of the store is small, and other work can run between two queries,
 * even if they find little.
 */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { Journal, type OutlineList } from '../../src/payments/books/journal.ts';
import type { PaymentRepository } from '../../src/store/payment-repository.ts';
import { Store } from '../../src/store/store.ts';
import { collected } from '../collected.ts';
import { temporaryDirectory } from '../rpc/support.ts';
import { attemptRow, paymentRow } from '../store/payment-actions.ts';

const directory = temporaryDirectory();
let store: Store;
beforeAll(() => {
  store = new Store(`${directory.path}/node.sqlite`);
});
afterAll(() => {
  store.close();
  directory.remove();
});

test('a list that finds nothing yields after each query, and each query is small', async () => {
  const spans: number[] = [];
  const repository = {
    lastIndexes: async () => ({ payment: 1, attempt: 10_000, updated: 0 }),
    unfinished: async () => [],
    async attempts(_by: string, _start: number, span: number) {
      spans.push(span);
      return [];
    },
  } as unknown as PaymentRepository;
  const journal = new Journal(repository);
  await journal.open();
  let turns = 0;
  let isDone = false;
  const count = (): void => {
    turns++;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  expect(await collected(journal.attempts({ by: 'created', paymentStatus: 'pending' }))).toEqual([]);
  isDone = true;
  expect(Math.max(...spans)).toBeLessThanOrEqual(100);
  expect(spans.reduce((sum, span) => sum + span)).toBeGreaterThanOrEqual(10_000);
  expect(turns).toBeGreaterThanOrEqual(spans.length);
});

test('a list of outlines shows every attempt once, in order, and skips omitted ones', async () => {
  const place = temporaryDirectory();
  const own = new Store(`${place.path}/node.sqlite`);
  const indexes = Array.from({ length: 3000 }, (_, n) => n + 1);
  // All attempts have the status sent, except 270 in a row, which exceed a page, and a single one much later.
  const isSettled = (index: number): boolean => (index > 800 && index <= 1070) || index === 2990;
  for (const index of indexes) {
    const attempt = {
      ...attemptRow(index, 0),
      id: String(index).padStart(32, '0'),
      createdIndex: index,
      status: isSettled(index) ? 'settled' : 'sent',
      updatedIndex: 3001 - index,
    };
    const row = {
      ...paymentRow(index),
      id: attempt.id,
      request: EMPTY_MAP,
      idempotencyKey: undefined,
      localRequestId: undefined,
    };
    own.payments.put({}, row, [attempt]);
    if (index % 500 === 0) await own.payments.durable();
  }
  const journal = new Journal(own.payments);
  const asked = vi.spyOn(own.database, 'rows');
  const shown = async (list: OutlineList): Promise<number[]> => {
    const found: number[] = [];
    for await (const page of journal.outlines(list)) {
      for (const { attempt } of page) found.push(attempt.createdIndex);
    }
    return found;
  };
  expect(await shown({ by: 'created' })).toEqual(indexes);
  expect(await shown({ by: 'updated', start: 3 })).toEqual(indexes.slice(0, -2).reverse());
  const settled = indexes.filter(isSettled);
  asked.mockClear();
  expect(await shown({ by: 'created', attemptStatus: 'settled' })).toEqual(settled);
  // Three queries for the last indexes, and one per thousand indexes and per full page.
  expect(asked.mock.calls.length).toBeLessThanOrEqual(3 + 3 + 2);
  expect(await shown({ by: 'created', paymentStatus: 'complete' })).toEqual([]);
  for (const { value } of asked.mock.results) expect(value.length).toBeLessThanOrEqual(100);
  own.close();
  place.remove();
});

/** An empty map in msgpack. */
const EMPTY_MAP = Uint8Array.of(0x80);

/** A journal with `count` payments without attempts. `asked` counts the page queries. */
function pagesOf(count: number, refuseAfter = Number.POSITIVE_INFINITY) {
  const counts = { asked: 0 };
  const repository = {
    async payments({ afterIndex = 0, limit = 0 }) {
      if (++counts.asked > refuseAfter) throw new Error('the disk is gone');
      const size = Math.max(0, Math.min(limit, count - afterIndex));
      return Array.from({ length: size }, (_, n) => ({
        payment: { ...paymentRow(afterIndex + n + 1), request: EMPTY_MAP, failure: undefined },
        attempts: [],
      }));
    },
  } as unknown as PaymentRepository;
  return { counts, journal: new Journal(repository) };
}

test('the store reads the next page while the caller uses the current one, and no page twice', async () => {
  const { counts, journal } = pagesOf(1000);
  const list = journal.payments();
  await list.next();
  expect(counts.asked).toBe(2);
  const indexes = (await collected(list)).map(({ createdIndex }) => createdIndex);
  expect(indexes).toEqual(Array.from({ length: 999 }, (_, n) => n + 2));
  // Pages of 50 for 1000 payments, plus one query that finds no more.
  expect(counts.asked).toBe(21);
});

test('a failure of the next page is thrown after the current page, or never if the list ends first', async () => {
  const refused: unknown[] = [];
  const note = (error: unknown): void => void refused.push(error);
  process.on('unhandledRejection', note);
  const { journal } = pagesOf(1000, 1);
  const list = journal.payments();
  await list.next();
  await list.return();
  await new Promise((resolve) => setImmediate(resolve));
  process.off('unhandledRejection', note);
  expect(refused).toEqual([]);
  let shown = 0;
  const all = async (): Promise<void> => {
    for await (const _payment of pagesOf(1000, 1).journal.payments()) shown++;
  };
  await expect(all()).rejects.toThrow('the disk is gone');
  expect(shown).toBe(50);
});

test('no query of a list or of the startup reads a whole table, and each is prepared once', async () => {
  store.payments.put({}, paymentRow(1), [attemptRow(1, 0, { updatedIndex: 1 })]);
  await store.payments.durable();
  const asked = vi.spyOn(store.database, 'rows');
  for (let repetition = 0; repetition < 2; repetition++) {
    await store.payments.lastIndexes();
    await store.payments.unfinished();
    await store.payments.attempts('created', 1, 50);
    await store.payments.attempts('updated', 1, 50, 'pending');
    await store.payments.outlines('created', 1, 50, 50);
    await store.payments.outlines('updated', 1, 50, 50, { paymentStatus: 'pending', attemptStatus: 'sent' });
    await store.payments.payments({ afterIndex: 0, limit: 50 });
    await store.payments.recorded(1, 100, 50);
    await store.payments.recordedBefore(100, 50);
    await store.payments.lastPlace?.();
  }
  const questions = asked.mock.calls.map(([sql]) => sql);
  asked.mockRestore();
  const different = new Set(questions);
  expect(different.size).toBe(questions.length / 2);
  for (const sql of different) {
    const unknowns = Array(sql.split('?').length - 1).fill(0);
    const plan = store.database
      .all(`EXPLAIN QUERY PLAN ${sql}`, ...unknowns)
      .map(({ detail }) => String(detail));
    // A page that an index has found may be scanned in full, and so may an index of few rows (pending, in
    // flight).
    const scans = plan.filter((step) => /^SCAN (payment|attempt|a)\b/.test(step) && !step.includes('INDEX'));
    expect(scans, sql).toEqual([]);
  }
});
