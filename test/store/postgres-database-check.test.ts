/**
 * Changes that a running daemon notices in a shared database: silence, a changed schema, other daemons, and
 * their runes.
 */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { databaseStatus } from '../../src/fleet/status.ts';
import { realClock } from '../../src/model/clock.ts';
import { RuneBook } from '../../src/runes/rune-book.ts';
import { PostgresStore, type PostgresStoreOptions } from '../../src/store/postgres/postgres-store.ts';
import { describeNeeding } from '../needs.ts';
import { newPreparedDatabase, type PreparedDatabase, runAsOwner, storeUser } from './postgres-database.ts';
import { POSTGRES_PROGRAMS, type PostgresServer, startPostgres } from './postgres-server.ts';

/**
 * Maximum time of a query here, in milliseconds. A test that waits that long fails because of its own limit.
 */
const FOR_EVER_MS = 600_000;
const CHECK = { everyMs: 50, answerMs: 200 };

describeNeeding('postgres', POSTGRES_PROGRAMS !== undefined, 'the checks of a shared database', () => {
  let server: PostgresServer;
  let database: PreparedDatabase;
  const closers: (() => unknown)[] = [];
  beforeAll(async () => {
    server = await startPostgres();
    database = await newPreparedDatabase(server);
  });
  afterAll(async () => {
    for (const close of closers) close();
    await server?.stop();
  });

  async function open(daemon: string, options: PostgresStoreOptions = {}): Promise<PostgresStore> {
    const store = await PostgresStore.open(database.daemon, storeUser(daemon), {
      check: CHECK,
      retryMs: 50,
      ...options,
    });
    closers.push(() => store.close());
    return store;
  }

  const asOwner = (sql: string) => runAsOwner(server, database, sql);

  /** Whether the promise is rejected without waiting: within the turn in which it was created. */
  async function failsAtOnce(promise: Promise<unknown>): Promise<boolean> {
    let hasFailed = false;
    promise.catch(() => {
      hasFailed = true;
    });
    for (let turn = 0; turn < 50; turn++) await Promise.resolve();
    return hasFailed;
  }

  test('ends every wait for a frozen server, refuses queries at once meanwhile, and works again later', async () => {
    const store = await open('frozen', { questionMs: FOR_EVER_MS });
    await store.payments.payments({ limit: 1 });
    expect(store.problems()).toEqual({});
    server.freeze();
    await expect(store.payments.payments({ limit: 1 })).rejects.toMatchObject({ name: 'storeFailed' });
    expect(store.problems().database).toBeDefined();
    for (let n = 0; n < 20; n++) {
      expect(await failsAtOnce(store.payments.payments({ limit: 1 }))).toBe(true);
    }
    server.thaw();
    await vi.waitFor(() => expect(store.problems()).toEqual({}), 20_000);
    await vi.waitFor(() => store.payments.payments({ limit: 1 }), 20_000);
  });

  test('reports without waiting that the database is unusable if it has no connection left for us', async () => {
    const full = await startPostgres('max_connections=12', 'superuser_reserved_connections=2');
    closers.push(() => full.stop());
    const { daemon } = await newPreparedDatabase(full);
    const store = await PostgresStore.open(daemon, storeUser('a'), {
      check: CHECK,
      retryMs: 50,
      questionMs: FOR_EVER_MS,
    });
    closers.push(() => store.close());
    await store.payments.payments({ limit: 1 });
    // Other clients take every connection slot, and then our connections are terminated.
    const administrator = full.connect(full.url('postgres', 'postgres'));
    const others = Array.from({ length: 12 }, () => full.connect(daemon));
    await Promise.allSettled(others.map((one) => one`SELECT 1`));
    // A connection of ours may return before the others take its slot, so this is repeated.
    await vi.waitFor(async () => {
      await administrator`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'fulgurite'`;
      await Promise.allSettled(others.map((one) => one`SELECT 1`));
      expect(store.problems().database).toMatch(/connection|ECONNRESET/);
      await expect(store.payments.payments({ limit: 1 })).rejects.toMatchObject({ name: 'storeFailed' });
    }, 20_000);
    for (const one of others) await one.end({ timeout: 0 });
    await administrator.end();
    await vi.waitFor(() => expect(store.problems()).toEqual({}), 20_000);
  });

  test('reports that a different release changed the schema, and continues', async () => {
    const faults: string[] = [];
    const store = await open('older', { onFault: (message) => faults.push(message) });
    await asOwner('UPDATE fulgurite.schema_version SET version = version + 1');
    await vi.waitFor(
      () => expect(faults).toEqual([expect.stringContaining('upgrade this process too')]),
      20_000,
    );
    expect(store.figures().isSchemaOurs).toBe(false);
    expect(store.problems()).toEqual({});
    await asOwner('UPDATE fulgurite.schema_version SET version = version - 1');
    await vi.waitFor(() => expect(store.figures().isSchemaOurs).toBe(true), 20_000);
  });

  test('shows daemons without payments', async () => {
    await open('idle');
    const { daemons } = await databaseStatus(database.daemon);
    expect(daemons).toContainEqual({
      ...{ daemon: 'idle', node: '02aa', run: 1, payments: 0, attempts: 0, leftMs: undefined },
      version: expect.any(String),
      seenMsAgo: expect.any(Number),
    });
  });

  test('shares runes: one secret, distinct ids, and a blacklist that loses nothing', async () => {
    const stores = [await open('one'), await open('two')];
    const own = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)];
    const secrets = await Promise.all(stores.map(({ runes }, n) => runes.shared!.secret(own[n]!)));
    expect(secrets[0]).toEqual(secrets[1]);
    expect(own).toContainEqual(secrets[0]);
    const books = await Promise.all(
      stores.map(({ runes }, n) =>
        RuneBook.open({ secret: secrets[n]!, repository: runes, clock: realClock }),
      ),
    );
    const [a, b] = books as [RuneBook, RuneBook];
    await Promise.all(Array.from({ length: 20 }, (_, n) => books[n % 2]!.create([])));
    const names = Array.from({ length: 20 }, (_, n) => BigInt(n));
    for (const book of books) {
      await vi.waitFor(() => expect(book.list().map(({ uniqueId }) => uniqueId)).toEqual(names), 20_000);
    }
    const rune = await a.create([]);
    expect(() => b.check(rune, { method: 'getinfo', params: undefined })).not.toThrow();
    await Promise.all([
      a.setBlacklisted({ start: 20n, end: 20n }, true),
      b.setBlacklisted({ start: 5n, end: 6n }, true),
      a.setBlacklisted({ start: 9n, end: 9n }, true),
    ]);
    const blacklist = [
      { start: 5n, end: 6n },
      { start: 9n, end: 9n },
      { start: 20n, end: 20n },
    ];
    for (const book of books) await vi.waitFor(() => expect(book.blacklist).toEqual(blacklist), 20_000);
    expect(() => b.check(rune, { method: 'getinfo', params: undefined })).toThrow('Blacklisted rune');
  });
});
