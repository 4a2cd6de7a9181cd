/** Retires a daemon that will not start again, over a connection to the database of its fleet. */
import { parsePostgresAddress } from '../store/postgres/address.ts';
import { retireDaemon } from '../store/postgres/daemon-run.ts';
import { KnownServer } from '../store/postgres/known-server.ts';
import { loadLibrary, PostgresLine } from '../store/postgres/line.ts';
import { requirePrepared } from '../store/postgres/prepare.ts';

/**
 * Retires a daemon (`daemon-run.ts`). The caller states that its process has ended.
 * @returns the number of attempts of its last run that have no outcome yet
 * @throws NotRetired, StoreError, FulguriteError storeFailed
 */
export async function retireLost(store: string, daemon: string): Promise<number> {
  const address = parsePostgresAddress(store);
  const line = new PostgresLine(await loadLibrary(), address, new KnownServer());
  try {
    await requirePrepared(line, address);
    return await retireDaemon(line, daemon);
  } finally {
    line.close();
  }
}
