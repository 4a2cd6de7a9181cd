/** `fulgurite store`: preparing a database, and moving a data directory into it. */
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { readStoreLocation } from '../../../src/cli/daemon/open-store.ts';
import { STORE_FILE } from '../../../src/cli/files/data-directory.ts';
import { moveIntoDatabase } from '../../../src/cli/fleet/move-store.ts';
import { runStoreCommand } from '../../../src/cli/fleet/store-command.ts';
import { PostgresStore } from '../../../src/store/postgres/postgres-store.ts';
import { POSTGRES_SCHEMA } from '../../../src/store/postgres/schema.ts';
import { Store } from '../../../src/store/store.ts';
import { describeNeeding } from '../../needs.ts';
import { MEMORY, temporaryDirectory } from '../../rpc/support.ts';
import { act as actOnLayers, clockedBook, randomFrom, snapshot } from '../../store/layer-actions.ts';
import { act as actOnOffers } from '../../store/offer-actions.ts';
import { act as actOnPayments, snapshot as paymentSnapshot } from '../../store/payment-actions.ts';
import { newPreparedDatabase, type PreparedDatabase } from '../../store/postgres-database.ts';
import { POSTGRES_PROGRAMS, type PostgresServer, sharedPostgres } from '../../store/postgres-server.ts';

const BELONGING = { directoryId: 'a1', nodeId: '02aa', network: 'cln:03bb', chain: 'regtest' };
const USER = { daemon: 'a1', ownNode: '02aa', payingNode: '03bb', network: 'cln', chain: 'regtest' };

/** Idempotency keys of deleted payments. Their order differs between languages. */
const SPENT = ['b', 'B', 'a', 'é', '\ud800'];

describeNeeding('postgres', POSTGRES_PROGRAMS !== undefined, 'moving a data directory', () => {
  const root = temporaryDirectory(MEMORY);
  let server: PostgresServer;
  let database: PreparedDatabase;
  let count = 0;
  beforeAll(async () => {
    server = await sharedPostgres();
  });
  beforeEach(async () => {
    database = await newPreparedDatabase(server);
  });
  afterAll(() => root.remove());

  /** A data directory after random work, and its content. */
  async function directory() {
    const path = join(root.path, `d${++count}`);
    mkdirSync(path);
    const store = new Store(join(path, STORE_FILE));
    store.settleIn(BELONGING, join(path, 'directory-mark'), false);
    const { book, at } = clockedBook();
    await store.layers.attach(book);
    const random = randomFrom(3);
    for (let step = 0; step < 200; step++) {
      actOnLayers(book, at, step, random);
      actOnOffers(store.offers, step, random);
      actOnPayments(store.payments, step, random);
    }
    store.layers.noteImport('far \ud800', 'begun');
    store.runes.putRune({ uniqueId: 7n, text: 'a rune', lastUsedNs: 1_800_000_000_123_456_789n });
    store.runes.skipUniqueIds(1000n);
    store.runes.putBlacklist([{ start: 1n, end: 5n }]);
    for (const idempotencyKey of SPENT)
      store.payments.putSpentKey({ idempotencyKey, paymentHash: new Uint8Array(32), status: 'complete' });
    await store.drain(0);
    const said = { layers: snapshot(book), payments: await paymentSnapshot(store.payments) };
    store.close();
    return { path, said };
  }

  test('everything is there afterwards, and the directory records where', async () => {
    const { path, said } = await directory();
    const told = await runStoreCommand(['migrate', path, database.owner]);
    expect(told).toMatch(/ 6 payments, sha256 [0-9a-f]{64}\n/);
    expect(told).toMatch(/ \d+ keys of deleted payments, sha256 [0-9a-f]{64}\n/);
    expect(readStoreLocation(path)).toMatchObject({ store: expect.stringContaining('127.0.0.1') });

    const store = await PostgresStore.open(database.daemon, USER);
    const { book } = clockedBook();
    await store.layers.attach(book);
    expect(snapshot(book)).toBe(said.layers);
    expect(await paymentSnapshot(store.payments)).toBe(said.payments);
    for (const key of SPENT) expect(await store.payments.spentKey(key)).toMatchObject({ status: 'complete' });
    expect(store.layers.imported('far \ud800')).toBe('begun');
    expect(await store.runes.nextUniqueId()).toBe(1008n);
    expect(store.payments.numbers.next('attempt')).toBeGreaterThan(
      (await store.payments.lastIndexes()).attempt,
    );
    store.close();
    await expect(moveIntoDatabase(path, database.owner)).rejects.toThrow('already been moved to');
  });

  test('is refused while a daemon runs, into a database in use, and without a database in the directory', async () => {
    const { path } = await directory();
    const daemon = new Store(join(path, STORE_FILE));
    await expect(moveIntoDatabase(path, database.owner)).rejects.toThrow('stop its daemon first');
    daemon.close();
    await expect(moveIntoDatabase(join(root.path, 'none'), database.owner)).rejects.toThrow(
      'has no database',
    );
    await moveIntoDatabase(path, database.owner);
    const other = await directory();
    await expect(moveIntoDatabase(other.path, database.owner)).rejects.toThrow(
      'already contains a migrated data directory',
    );
    expect(existsSync(join(other.path, 'store-elsewhere'))).toBe(false);
  });

  test('can be repeated after an interruption; until then no daemon uses the database', async () => {
    const { path, said } = await directory();
    const store = await PostgresStore.open(database.daemon, USER);
    store.runes.putRune({ uniqueId: 99n, text: 'of the first try', lastUsedNs: undefined });
    await store.runes.durable();
    store.close();
    const owner = server.connect(database.owner);
    await owner`INSERT INTO fulgurite.migration VALUES ('a1', false)`;
    await owner.end();
    await expect(PostgresStore.open(database.daemon, USER)).rejects.toMatchObject({ problem: 'unprepared' });
    await moveIntoDatabase(path, database.owner);
    const after = await PostgresStore.open(database.daemon, USER);
    expect(await paymentSnapshot(after.payments)).toBe(said.payments);
    expect((await after.runes.runes()).map(({ uniqueId }) => uniqueId)).toEqual([7n]);
    after.close();
  });

  test('preparing a database twice is harmless', async () => {
    const url = await server.newDatabase();
    const name = new URL(url).username;
    const version = POSTGRES_SCHEMA.length;
    const first = await runStoreCommand(['prepare', url]);
    const [, id] = /; id of the fleet: ([0-9a-f]{16})\n/.exec(first)!;
    expect(first).toContain(
      `the database was upgraded from schema 0 to ${version}; id of the fleet: ${id}\n`,
    );
    expect(await runStoreCommand(['prepare'], { FULGURITE_STORE: url })).toContain('already');
    const told = await runStoreCommand(['prepare', url, '--daemon-role', name]);
    expect(told).toContain(
      `the database already has schema ${version}; rights: ${name}; id of the fleet: ${id}\n`,
    );
    const owner = server.connect(url);
    const [setting] = await owner`SHOW data_checksums`;
    await owner.end();
    const checksums = setting!.data_checksums;
    expect(told.includes('data_checksums is off')).toBe(checksums === 'off');
    await expect(runStoreCommand(['prepare'])).rejects.toThrow('one address');
    await expect(runStoreCommand(['prepare', 'mysql://x@y/z'])).rejects.toThrow(
      'postgres://ROLE@HOST/DATABASE',
    );
    await expect(runStoreCommand(['melt'])).rejects.toThrow('prepare or migrate');
  });
});
