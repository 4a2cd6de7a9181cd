/**
 * Encrypted connections to a real PostgreSQL: the requirements of each `sslmode`, and whether the process
 * survives a server that is killed, frozen or cut off.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeCertificate } from '../../src/http/certificate.ts';
import { parsePostgresAddress } from '../../src/store/postgres/address.ts';
import { KnownServer } from '../../src/store/postgres/known-server.ts';
import { loadLibrary, PostgresLine } from '../../src/store/postgres/line.ts';
import { PostgresStore, type PostgresStoreOptions } from '../../src/store/postgres/postgres-store.ts';
import { describeNeeding } from '../needs.ts';
import { CutLink } from './cut-link.ts';
import { attemptRow, paymentRow } from './payment-actions.ts';
import { newPreparedDatabase, type PreparedDatabase, storeUser } from './postgres-database.ts';
import { POSTGRES_PROGRAMS, type PostgresServer, startPostgres } from './postgres-server.ts';

const MAIN = fileURLToPath(new URL('../../bin/fulgurite.mjs', import.meta.url));
const run = promisify(execFile);

describeNeeding('postgres', POSTGRES_PROGRAMS !== undefined, 'encrypted connections to PostgreSQL', () => {
  const directory = mkdtempSync(join(tmpdir(), 'fulgurite-tls-'));
  const [ours, another] = [join(directory, 'ours.pem'), join(directory, 'another.pem')];
  let server: PostgresServer;
  let plainServer: PostgresServer;
  let database: PreparedDatabase;
  const closers: (() => unknown)[] = [];
  const uncaught: unknown[] = [];
  const note = (error: unknown) => uncaught.push(error);

  beforeAll(async () => {
    process.on('uncaughtException', note);
    const [made, other] = [await makeCertificate(['localhost']), await makeCertificate(['localhost'])];
    writeFileSync(ours, made.ca);
    writeFileSync(another, other.ca);
    [server, plainServer] = await Promise.all([startPostgres(), startPostgres()]);
    await server.encrypt(made.cert, made.key);
    database = await newPreparedDatabase(server);
  });
  afterAll(async () => {
    for (const close of closers) await close();
    await Promise.all([server?.stop(), plainServer?.stop()]);
    rmSync(directory, { recursive: true });
    process.off('uncaughtException', note);
  });

  /** The address with the given options, host and port. */
  function at(
    options: string,
    { host = 'localhost', port = server.port, of = database.daemon } = {},
  ): string {
    const url = new URL(of);
    return `${url.protocol}//${url.username}@${host}:${port}${url.pathname}?${options}`;
  }

  /** Whether the server reports an encrypted connection, or the reason why there is none. */
  async function encrypted(address: string): Promise<unknown> {
    const line = new PostgresLine(await loadLibrary(), parsePostgresAddress(address), new KnownServer());
    try {
      const [row] = await line.ask('SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()');
      return row!.ssl;
    } catch (error) {
      return (error as { data: { reason: string } }).data.reason;
    } finally {
      line.close();
    }
  }

  test('meet the requirements of each sslmode', async () => {
    const results: Record<string, unknown> = {};
    for (const [name, address] of Object.entries({
      disable: at('sslmode=disable'),
      require: at('sslmode=require'),
      'require and our authority': at(`sslmode=require&sslrootcert=${ours}`),
      'require and another authority': at(`sslmode=require&sslrootcert=${another}`),
      'verify-ca': at(`sslmode=verify-ca&sslrootcert=${ours}`),
      'verify-ca by another name': at(`sslmode=verify-ca&sslrootcert=${ours}`, { host: '127.0.0.1' }),
      'verify-ca, another authority': at(`sslmode=verify-ca&sslrootcert=${another}`),
      'verify-ca, public authorities': at('sslmode=verify-ca'),
      'verify-full': at(`sslmode=verify-full&sslrootcert=${ours}`),
      'verify-full by another name': at(`sslmode=verify-full&sslrootcert=${ours}`, { host: '127.0.0.1' }),
      'a server without certificate': at('sslmode=require', { port: plainServer.port }),
      'no file': at('sslmode=verify-ca&sslrootcert=/nowhere.pem'),
    })) {
      results[name] = await encrypted(address);
    }
    expect(results).toEqual({
      disable: false,
      require: true,
      'require and our authority': true,
      'require and another authority': expect.stringMatching(/certificate/),
      'verify-ca': true,
      'verify-ca by another name': true,
      'verify-ca, another authority': expect.stringMatching(/certificate/),
      'verify-ca, public authorities': expect.stringMatching(/certificate/),
      'verify-full': true,
      'verify-full by another name': expect.stringMatching(/127\.0\.0\.1/),
      'a server without certificate': 'the server localhost does not encrypt connections',
      'no file': expect.stringMatching(/ENOENT.*nowhere\.pem/),
    });
  });

  test('go to the first host of a list that accepts changes', async () => {
    const [role, database_] = [new URL(database.daemon).username, new URL(database.daemon).pathname];
    const list = `postgres://${role}@localhost:1,localhost:${server.port}${database_}?sslmode=require`;
    const known = new KnownServer();
    const line = new PostgresLine(await loadLibrary(), parsePostgresAddress(list), known);
    closers.push(() => line.close());
    expect(await line.ask('SELECT 1 AS n')).toMatchObject([{ n: 1 }]);
    expect(known.host).toBe(1);
  });

  test.each([
    ['killed', { end: () => server.kill('SIGQUIT'), mend: () => server.start() }],
    ['frozen', { end: () => server.freeze(), mend: () => server.thaw() }],
  ])('survive a server that is %s, and write the queue later', async (_what, { end, mend }) => {
    const store = await open({ questionMs: 400, retryMs: 50 }, at(`sslmode=verify-full&sslrootcert=${ours}`));
    await outage(store, end, mend);
  });

  test('survive a cut link', async () => {
    const link = await CutLink.to(server.port);
    closers.push(() => link.close());
    const address = at(`sslmode=verify-full&sslrootcert=${ours}`, { port: link.port });
    const store = await open({ questionMs: 400, retryMs: 50 }, address);
    await outage(
      store,
      () => link.cut(),
      () => link.mend(),
    );
  });

  async function open(options: PostgresStoreOptions, address: string): Promise<PostgresStore> {
    const store = await PostgresStore.open(address, storeUser('a'), options);
    closers.push(() => store.close());
    return store;
  }

  /** Ends the server, and brings it back. Writes in between must be refused at first, and must exist afterwards. */
  async function outage(store: PostgresStore, end: () => unknown, mend: () => unknown): Promise<void> {
    const index = store.payments.numbers.next('payment');
    store.payments.put({}, paymentRow(index), [attemptRow(index, 0)]);
    await store.payments.durable();
    await end();
    store.payments.put({}, paymentRow(index, { status: 'complete' }), []);
    await expect(store.payments.durable()).rejects.toMatchObject({ name: 'storeFailed' });
    await expect(store.payments.payments()).rejects.toMatchObject({ name: 'storeFailed' });
    await mend();
    await expect.poll(() => store.drain(0), { timeout: 20_000 }).toBe(true);
    const found = () => store.payments.payments({ afterIndex: index - 1, limit: 1 });
    await expect.poll(found, { timeout: 20_000 }).toMatchObject([{ payment: { status: 'complete' } }]);
    store.close();
    expect(uncaught).toEqual([]);
  }

  test('let `store prepare` report its work, and end with its own exit code', async () => {
    const options = `sslmode=verify-full&sslrootcert=${ours}`;
    const command = async (...args: string[]) => (await run(process.execPath, [MAIN, ...args])).stdout;
    expect(await command('store', 'prepare', at(options, { of: database.owner }))).toContain('already');
  });
});
