/** Retiring a daemon in PostgreSQL, and what a process of an ended run can still do. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { databaseStatus } from '../../src/fleet/status.ts';
import { LeaseLost } from '../../src/store/payment-leases.ts';
import { parsePostgresAddress } from '../../src/store/postgres/address.ts';
import { retireDaemon } from '../../src/store/postgres/daemon-run.ts';
import { KnownServer } from '../../src/store/postgres/known-server.ts';
import { loadLibrary, PostgresLine } from '../../src/store/postgres/line.ts';
import { PostgresStore, type PostgresStoreOptions } from '../../src/store/postgres/postgres-store.ts';
import { describeNeeding } from '../needs.ts';
import { attemptRow, paymentRow } from './payment-actions.ts';
import { newPreparedDatabase, type PreparedDatabase, runAsOwner, storeUser } from './postgres-database.ts';
import { POSTGRES_PROGRAMS, type PostgresServer, startPostgres } from './postgres-server.ts';

describeNeeding('postgres', POSTGRES_PROGRAMS !== undefined, 'a run of a daemon in PostgreSQL', () => {
  let server: PostgresServer;
  let database: PreparedDatabase;
  const stores: PostgresStore[] = [];
  beforeAll(async () => {
    server = await startPostgres();
    database = await newPreparedDatabase(server);
  });
  afterAll(async () => {
    for (const store of stores) store.close();
    await server?.stop();
  });

  async function open(daemon: string, options: PostgresStoreOptions = {}): Promise<PostgresStore> {
    const store = await PostgresStore.open(database.daemon, storeUser(daemon), options);
    stores.push(store);
    return store;
  }

  const asOwner = (sql: string) => runAsOwner(server, database, sql);

  test('a lost daemon is retired only if it is silent and has no lease; then it writes and claims nothing', async () => {
    const line = new PostgresLine(
      await loadLibrary(),
      parsePostgresAddress(database.daemon),
      new KnownServer(),
    );
    const retire = () => retireDaemon(line, 'lost');
    await expect(retire()).rejects.toMatchObject({ reason: 'unknown' });
    // It renews its lease only every few minutes, so it seems to be silent.
    const lost = await open('lost', { leaseMs: 1_000_000 });
    const owner = {};
    const index = lost.payments.numbers.next('payment');
    const next = index + 10;
    const [first, second, third] = [attemptRow(index, 0), attemptRow(index, 1), attemptRow(next, 0)];
    lost.payments.put(owner, paymentRow(index), [first]);
    await lost.payments.durable(owner);
    await expect(retire()).rejects.toMatchObject({ reason: 'running' });
    await asOwner(`UPDATE fulgurite.payment SET until = clock_timestamp() WHERE id = ${index}`);
    await expect(retire()).rejects.toThrow(/may be running: it was last seen \d s ago/);
    await asOwner(
      `UPDATE fulgurite.daemon SET seen_at = seen_at - interval '2 minutes' WHERE daemon = 'lost'`,
    );
    const other = await open('finder');
    expect(await other.payments.hasRecorderEnded(first.createdIndex)).toBe(false);
    await asOwner(
      `UPDATE fulgurite.payment SET until = clock_timestamp() + interval '1 h' WHERE id = ${index}`,
    );
    await expect(retire()).rejects.toMatchObject({ reason: 'running' });
    await asOwner(`UPDATE fulgurite.payment SET until = clock_timestamp() WHERE id = ${index}`);
    const statusOf = async () =>
      (await databaseStatus(database.daemon)).daemons.find(({ daemon }) => daemon === 'lost');
    expect(await statusOf()).toMatchObject({ run: 1, attempts: 1 });
    expect(await retire()).toBe(1);
    expect(await other.payments.hasRecorderEnded(first.createdIndex)).toBe(true);
    expect(await statusOf()).toMatchObject({ run: 2, attempts: 0 });
    // The process was only paused, and wakes up.
    for (const [payment, attempt] of [
      [undefined, second],
      [paymentRow(next), third],
    ] as const) {
      const put = {};
      lost.payments.put(put, payment, [attempt]);
      await expect(lost.payments.durable(put)).rejects.toBeInstanceOf(LeaseLost);
    }
    const ids = [second, third].map(({ createdIndex }) => createdIndex);
    expect(await asOwner(`SELECT id FROM fulgurite.attempt WHERE id IN (${ids})`)).toMatchObject({
      length: 0,
    });
    expect(await lost.payments.claim(1_000)).toEqual([]);
    lost.close();
    // It can start again.
    const again = await open('lost');
    again.payments.put(owner, paymentRow(next), [third]);
    await again.payments.durable(owner);
    await expect(retire()).rejects.toMatchObject({ reason: 'running' });
    line.close();
  });

  test('a daemon that is retired during a commit writes nothing, and its leases are never confirmed again', async () => {
    const store = await open('retired', { leaseMs: 400 });
    const owner = {};
    const index = store.payments.numbers.next('payment');
    const administrator = server.connect(database.owner);
    await administrator.begin(async (sql) => {
      await sql`UPDATE fulgurite.daemon SET run = run + 1 WHERE daemon = 'retired'`;
      store.payments.put(owner, paymentRow(index), [attemptRow(index, 0)]);
      const waits = () => sql`SELECT FROM pg_locks WHERE NOT granted`;
      await expect.poll(waits).not.toHaveLength(0);
    });
    await administrator.end();
    await expect(store.payments.durable(owner)).rejects.toBeInstanceOf(LeaseLost);
    expect(await store.retired).toMatchObject({ problem: 'retired' });
    await expect.poll(() => store.problems().leases).toBeDefined();
  });

  test('while the machine was suspended, the last confirmation of the leases became older', async () => {
    const { payments } = await open('suspended');
    expect(payments.confirmedMsAgo).toBeLessThan(60_000);
    const wakingMs = Date.now() + 3_600_000;
    vi.spyOn(Date, 'now').mockReturnValue(wakingMs);
    expect(payments.confirmedMsAgo).toBeGreaterThan(3_500_000);
    vi.spyOn(Date, 'now').mockReturnValue(0);
    expect(payments.confirmedMsAgo).toBeGreaterThanOrEqual(0);
    vi.restoreAllMocks();
  });

  test('a run that a failover lost is recorded again, and continues', async () => {
    const store = await open('after-failover', { leaseMs: 400 });
    const owner = {};
    for (const loss of ['UPDATE fulgurite.daemon SET run = run - 1', 'DELETE FROM fulgurite.daemon']) {
      await asOwner(`${loss} WHERE daemon = 'after-failover'`);
      const index = store.payments.numbers.next('payment');
      store.payments.put(owner, paymentRow(index), []);
      await store.payments.durable(owner);
      const run = () => asOwner(`SELECT run FROM fulgurite.daemon WHERE daemon = 'after-failover'`);
      await expect.poll(run).toMatchObject([{ run: '1' }]);
    }
    expect(store.problems()).toEqual({});
  });
});
