/**
 * A transaction pooler between daemon and database is refused with a reason, in both possible setups: the
 * pooler refuses session settings, or ignores them. Uses a real PgBouncer if one is installed (Debian:
 * pgbouncer).
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { PostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { describeNeeding } from '../needs.ts';
import { newPreparedDatabase, type PreparedDatabase } from './postgres-database.ts';
import { freePort, POSTGRES_PROGRAMS, sharedPostgres } from './postgres-server.ts';

const PGBOUNCER = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer'].find((path) => existsSync(path));
const USER = { daemon: 'a', ownNode: 'a', payingNode: 'a', network: 'simulated', chain: 'regtest' };
const IGNORED =
  'search_path,statement_timeout,lock_timeout,idle_in_transaction_session_timeout,tcp_user_timeout,' +
  'tcp_keepalives_idle,tcp_keepalives_interval,tcp_keepalives_count';

const isThere = POSTGRES_PROGRAMS !== undefined && PGBOUNCER !== undefined;

describeNeeding('postgres', isThere, 'a transaction pooler', () => {
  let database: PreparedDatabase;
  let pooler: ChildProcess | undefined;
  let directory: string;

  beforeAll(async () => {
    database = await newPreparedDatabase(await sharedPostgres());
  });
  afterEach(() => {
    pooler?.kill('SIGKILL');
    rmSync(directory, { recursive: true, force: true });
  });

  /** The address of the database through a new pooler. */
  async function throughPooler(extra: string): Promise<string> {
    directory = mkdtempSync(join(tmpdir(), 'fulgurite-pooler-'));
    const url = new URL(database.daemon);
    const port = await freePort();
    const file = join(directory, 'pooler.ini');
    writeFileSync(join(directory, 'users'), `"${url.username}" ""\n`);
    const settings = [
      'listen_addr = 127.0.0.1',
      `listen_port = ${port}`,
      'unix_socket_dir =',
      'auth_type = trust',
    ];
    writeFileSync(
      file,
      `[databases]\n* = host=127.0.0.1 port=${url.port}\n[pgbouncer]\n${settings.join('\n')}\n` +
        `auth_file = ${join(directory, 'users')}\npool_mode = transaction\n${extra}\n`,
    );
    // PgBouncer refuses to run as root.
    const asOther = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
    for (const path of [directory, file, join(directory, 'users')]) chmodSync(path, 0o755);
    pooler = spawn(PGBOUNCER!, [file], { stdio: 'ignore', ...asOther });
    await expect
      .poll(
        () =>
          new Promise((resolve) => {
            const socket = connect(port, '127.0.0.1', () => resolve(true));
            socket.on('error', () => resolve(false));
            socket.on('connect', () => socket.destroy());
          }),
        { timeout: 30_000 },
      )
      .toBe(true);
    url.port = String(port);
    return url.href;
  }

  test.each([
    ['refuses settings of sessions', ''],
    ['ignores them', `ignore_startup_parameters = ${IGNORED}`],
  ])('that %s', async (_, extra) => {
    const address = await throughPooler(extra);
    await expect(PostgresStore.open(address, USER)).rejects.toThrow(
      /behind a connection pooler.*PgBouncer is not supported/,
    );
  });
});
