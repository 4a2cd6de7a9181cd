/**
 * Several daemons write, and a reader follows the lists from its last index. It must see every attempt once,
 * in index order, for any order of commits.
 *
 *   daemon a:  takes 5 ────────────────────── commits
 *   daemon b:         takes 6 ── commits
 *   reader:                          ▲ sees 6, continues at 7, and would miss 5
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type postgres from 'postgres';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { Journal, type StoredOutline } from '../../src/payments/books/journal.ts';
import { recordedPlace } from '../../src/store/outlines.ts';
import { PostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { preparePostgres } from '../../src/store/postgres/prepare.ts';
import { describeNeeding } from '../needs.ts';
import { randomFrom } from './layer-actions.ts';
import { attemptRow, paymentRow } from './payment-actions.ts';
import { newPreparedDatabase, type PreparedDatabase, storeUser } from './postgres-database.ts';
import { POSTGRES_PROGRAMS, type PostgresServer, sharedPostgres } from './postgres-server.ts';

const SEED = Number(process.env.FULGURITE_TEST_SEED ?? 26_112);

/** Ends a transaction without any effect. */
class RolledBack extends Error {}

/** A row whose unique columns depend only on its number. */
const rowOf = (n: number, status: string) => {
  const paymentHash = new Uint8Array(32);
  new DataView(paymentHash.buffer).setUint32(0, n);
  // An empty map in msgpack.
  const request = Uint8Array.of(0x80);
  return paymentRow(n, { id: `payment ${n}`, paymentHash, idempotencyKey: undefined, request, status });
};

describeNeeding('postgres', POSTGRES_PROGRAMS !== undefined, 'the order of commits', () => {
  let server: PostgresServer;
  let database: PreparedDatabase;
  let owner: postgres.Sql;
  const stores: PostgresStore[] = [];
  const open = async (daemon: string, place = database): Promise<PostgresStore> => {
    const store = await PostgresStore.open(place.daemon, storeUser(daemon));
    stores.push(store);
    return store;
  };

  beforeAll(async () => {
    server = await sharedPostgres();
    database = await newPreparedDatabase(server);
    owner = server.connect(database.owner);
  });
  afterEach(async () => {
    for (const store of stores.splice(0)) {
      await store.drain(5000);
      store.close();
    }
  });
  afterAll(() => owner?.end());

  /** Index and id of each attempt from the given index on, as in lists. */
  async function listed(journal: Journal, by: 'created' | 'updated', start: number) {
    const found: { readonly index: number; readonly id: number }[] = [];
    for await (const page of journal.outlines({ by, start })) {
      for (const { attempt } of page as Iterable<StoredOutline>) {
        const index =
          by === 'created' ? (attempt.createdOrder ?? attempt.createdIndex) : attempt.updatedIndex!;
        found.push({ index, id: attempt.createdIndex });
      }
    }
    return found;
  }

  /** Writes attempt `id` as a daemon does, within a transaction that the caller ends. */
  const insert = (sql: postgres.TransactionSql, payment: number, id: number) =>
    sql.unsafe(`INSERT INTO fulgurite.attempt (id, uid, payment, part_id, amount_msat, amount_sent_msat, probability_ppm,
      height, part_of_several, session_key, path, status, created_at)
      SELECT ${id}, 'other ' || ${id}, ${payment}, 1, 1, 1, 1, 1, 0, '', '', 'sent', 1`);

  /** Writes payment `id` as a daemon does, within a transaction that the caller ends. */
  const insertPayment = (sql: postgres.TransactionSql, id: number) =>
    sql.unsafe(`INSERT INTO fulgurite.payment (id, uid, payment_hash, group_id, total_msat, request, status, created_at,
      node, owner, fence, until)
      SELECT ${id}, 'other ' || ${id}, sha256('${id}'), 0, 1, '\\x80', 'complete', 1, '02aa', 'x', 1, now()`);

  test('makes a list wait for a lower number that a different daemon has taken but not committed', async () => {
    const store = await open('a');
    const journal = new Journal(store.payments);
    store.payments.put({}, rowOf(1, 'pending'), []);
    await store.payments.durable();
    let commit: () => void = () => undefined;
    const isHeld = new Promise<void>((resolve) => {
      commit = resolve;
    });
    let taken: () => void = () => undefined;
    const hasTaken = new Promise<void>((resolve) => {
      taken = resolve;
    });
    const slow = owner.begin(async (sql) => {
      await insert(sql, 1, 100);
      taken();
      await isHeld;
    });
    await hasTaken;
    store.payments.put({}, undefined, [attemptRow(1, 0)]);
    await store.payments.durable();
    let isShown = false;
    const list = listed(journal, 'created', 1).then((found) => {
      isShown = true;
      return found;
    });
    // Meanwhile, other requests are answered.
    expect(await store.payments.payments()).toHaveLength(1);
    expect(isShown).toBe(false);
    commit();
    await slow;
    const found = await list;
    expect(found.map(({ id }) => id)).toEqual([100, attemptRow(1, 0).createdIndex]);
    expect(await listed(journal, 'created', found.at(-1)!.index + 1)).toEqual([]);
  });

  test('ends the wait with an error if a transaction stays open', async () => {
    const store = await open('a');
    let over: () => void = () => undefined;
    let taken: () => void = () => undefined;
    const hasTaken = new Promise<void>((resolve) => {
      taken = resolve;
    });
    const held = owner.begin(async (sql) => {
      await insert(sql, 1, 101);
      taken();
      await new Promise<void>((resolve) => {
        over = resolve;
      });
      await sql.unsafe('SELECT 1 / 0');
    });
    held.catch(() => undefined);
    await hasTaken;
    await expect(store.payments.completeUpTo('created')).rejects.toMatchObject({
      name: 'storeFailed',
      data: { reason: 'a transaction of another daemon has been open for 5 s' },
    });
    over();
    await held.catch(() => undefined);
    expect(await store.payments.completeUpTo('created')).toBeGreaterThan(0);
  }, 20_000);

  test(`shows a reader every attempt once, and every outcome once, in order (seed ${SEED})`, async () => {
    const place = await newPreparedDatabase(server);
    const daemons = await Promise.all(['a', 'b', 'c'].map((daemon) => open(daemon, place)));
    const reading = await open('reader', place);
    const journal = new Journal(reading.payments);
    const administrator = server.connect(place.owner);
    const random = randomFrom(SEED);
    let isWriting = true;
    const seen = { created: [] as number[], updated: [] as number[], recorded: [] as number[] };
    const last = { created: 0, updated: 0, recorded: 0 };
    const read = async (by: 'created' | 'updated'): Promise<void> => {
      for (const { index, id } of await listed(journal, by, last[by] + 1)) {
        expect(index).toBeGreaterThan(last[by]);
        last[by] = index;
        seen[by].push(id);
      }
    };
    const readPayments = async (): Promise<void> => {
      const to = await reading.payments.completeUpTo('recorded');
      for (const { payment } of await reading.payments.recorded(last.recorded + 1, to, 1000)) {
        expect(recordedPlace(payment)).toBeGreaterThan(last.recorded);
        last.recorded = recordedPlace(payment);
        seen.recorded.push(payment.createdIndex);
      }
    };
    const readAll = () => Promise.all([read('created'), read('updated'), readPayments()]);
    const reader = (async () => {
      while (isWriting) await readAll();
    })();
    let payments = 0;
    const write = async (store: PostgresStore, steps: number): Promise<void> => {
      for (let step = 0; step < steps; step++) {
        const n = ++payments;
        const [first, second] = [0, 1].map((k) => attemptRow(n, k, { id: `attempt ${n}/${k}` }));
        store.payments.put({}, rowOf(n, 'pending'), random(2) === 0 ? [first!] : [second!, first!]);
        if (random(3) > 0) await store.payments.durable();
        const ended = { status: 'failed', updatedIndex: 1 } as const;
        store.payments.put({}, rowOf(n, 'failed'), [
          { ...first!, ...ended },
          { ...second!, ...ended },
        ]);
        if (random(3) > 0) await store.payments.durable();
      }
      await store.payments.durable();
    };
    // Payment 0, to which transactions add attempts that take a number early and commit late or never.
    daemons[0]!.payments.put({}, rowOf(0, 'pending'), []);
    await daemons[0]!.payments.durable();
    const dawdle = async (first: number): Promise<void> => {
      const slow = server.connect(place.owner);
      for (let id = first; id < first + 50; id++) {
        const held = slow.begin(async (sql) => {
          await insert(sql, 0, id);
          await insertPayment(sql, id);
          await sleep(random(20));
          if (random(4) === 0) throw new RolledBack();
        });
        await held.catch((error) => expect(error).toBeInstanceOf(RolledBack));
      }
      await slow.end();
    };
    await Promise.all([...daemons.map((store) => write(store, 150)), dawdle(10_001), dawdle(20_001)]);
    isWriting = false;
    await reader;
    await readAll();
    const rows = await administrator.unsafe('SELECT id FROM fulgurite.attempt ORDER BY id');
    const recorded = await administrator.unsafe('SELECT id FROM fulgurite.payment ORDER BY id');
    await administrator.end();
    const all = rows.map(({ id }) => Number(id));
    expect(all.filter((id) => id < 10_000)).toHaveLength(900);
    const ascending = (ids: readonly number[]): number[] => [...ids].sort((a, b) => a - b);
    expect(ascending(seen.created)).toEqual(all);
    expect(ascending(seen.updated)).toEqual(all.filter((id) => id < 10_000));
    expect(ascending(seen.recorded)).toEqual(recorded.map(({ id }) => Number(id)));
  });

  test('has a single gap of numbers if a different server answers', async () => {
    const place = await newPreparedDatabase(server);
    const paymentsOf = async (daemon: string) => (await open(daemon, place)).payments;
    const first = await paymentsOf('a');
    const before = await first.completeUpTo('created');
    const administrator = server.connect(place.owner);
    await administrator.unsafe(`UPDATE fulgurite.number_block SET server = 'x/00000001'`);
    await administrator.end();
    const second = await paymentsOf('b');
    const after = await second.completeUpTo('created');
    expect(after - before).toBeGreaterThanOrEqual(65_536);
    const third = await paymentsOf('c');
    expect(await third.completeUpTo('created')).toBe(after);
    const [a, b, c] = [first, second, third].map(({ numbers }) => numbers.next('payment'));
    expect([b! - a! >= 65_536, c! - b!]).toEqual([true, 1024]);
  });

  test('puts attempts of an earlier schema first, by their ids, and rebuilds an unfinished index', async () => {
    const place = await newPreparedDatabase(server);
    const store = await open('a', place);
    store.payments.put({}, rowOf(1, 'pending'), [attemptRow(1, 1), attemptRow(1, 0)]);
    await store.payments.durable();
    const administrator = server.connect(place.owner);
    await administrator.unsafe(`UPDATE fulgurite.attempt SET created_order = NULL;
      SELECT setval('fulgurite.attempt_created_order', 1000);
      DROP INDEX fulgurite.attempt_created_place`);
    await preparePostgres(place.owner);
    const [index] = await administrator.unsafe(
      `SELECT indisvalid FROM pg_index WHERE indexrelid = 'fulgurite.attempt_created_place'::regclass`,
    );
    await administrator.end();
    expect(index).toEqual({ indisvalid: true });
    store.payments.put({}, undefined, [attemptRow(1, 2)]);
    await store.payments.durable();
    const [a, b, c] = [0, 1, 2].map((k) => attemptRow(1, k).createdIndex);
    expect(await listed(new Journal(store.payments), 'created', 1)).toEqual([
      { index: a, id: a },
      { index: b, id: b },
      { index: expect.any(Number), id: c },
    ]);
  });
});
