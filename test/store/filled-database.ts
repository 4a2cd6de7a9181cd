/**
 * A server whose database has a long history of payments. FULGURITE_TEST_FILLED names a directory that keeps
 * such databases for later runs, by their number of payments: the first run fills one, and the others start
 * with a copy.
 */

import { execFile } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { fillPayments } from './many-payments.ts';
import { attemptRow, paymentRow } from './payment-actions.ts';
import { newPreparedDatabase, type PreparedDatabase, preparedDatabase } from './postgres-database.ts';
import { type PostgresServer, startPostgresIn, startPostgresOn } from './postgres-server.ts';

const run = promisify(execFile);

/** The contents of the filled database, and the location of its files. */
export interface FilledOptions {
  readonly payments: number;
  /** The id of the Lightning node that made the payments. */
  readonly node: string;
  /** Directory in which the server's directory is created. */
  readonly parent: string;
  /** Settings of the server, as `name=value`. */
  readonly settings?: readonly string[];
}

/** Starts the server. The caller must stop it. */
export async function startFilled({
  payments,
  node,
  parent,
  settings = [],
}: FilledOptions): Promise<{ readonly server: PostgresServer; readonly database: PreparedDatabase }> {
  const kept = process.env.FULGURITE_TEST_FILLED;
  const data = kept === undefined ? undefined : join(kept, `${payments}-${node}`);
  if (data !== undefined && existsSync(data)) {
    const server = await startPostgresOn(data, parent, ...settings);
    return { server, database: preparedDatabase(server, 'test_1') };
  }
  const server = await startPostgresIn(parent, ...settings);
  const database = await newPreparedDatabase(server);
  await fill(server, database, { payments, node });
  // A killed server replays its log since the last checkpoint.
  const administrator = server.connect(server.url('postgres', 'postgres'));
  await administrator`CHECKPOINT`.finally(() => administrator.end());
  if (data !== undefined) {
    await server.kill('SIGINT');
    mkdirSync(kept!, { recursive: true });
    await run('cp', ['-a', join(server.directory, 'data'), data]);
    await server.start();
  }
  return { server, database };
}

async function fill(
  server: PostgresServer,
  database: PreparedDatabase,
  { payments, node }: { readonly payments: number; readonly node: string },
): Promise<void> {
  const user = { daemon: 'history', ownNode: node, payingNode: node, network: 'simulated', chain: 'regtest' };
  const store = await PostgresStore.open(database.daemon, user);
  const template = store.payments.numbers.next('payment');
  const attempt = attemptRow(template, 0, { status: 'settled', updatedIndex: 1 });
  store.payments.put({}, paymentRow(template, { status: 'complete' }), [attempt]);
  await store.payments.durable();
  store.close();
  const owner = server.connect(database.owner);
  try {
    await fillPayments(owner, { payments, template });
    await owner`DELETE FROM payment WHERE id = ${template}`;
  } finally {
    await owner.end();
  }
}
