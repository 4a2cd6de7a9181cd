/**
 * Opens the issuers of a simulated network, in the process or thread of the network. Their state is stored next to the
 * state of the network, so recurring offers continue after a restart, as with real issuers.
 */
import { existsSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CHAIN_HASHES } from '../bolt/invoice/bolt12-offer.ts';
import type { NetworkMap } from '../network/simulated/index.ts';
import type { OfferRepository } from '../store/offer-repository.ts';
import { Store } from '../store/store.ts';
import { StoreError } from '../store/store-error.ts';
import { type IssuersMemory, messageGraphOf, SimulatedIssuers } from './issuers.ts';

const STORE_FILE = 'simulated-issuers.sqlite3';

/**
 * Opens the issuers, with their stored state if the network keeps a journal. With `recover`, a damaged state is renamed
 * and the issuers begin without one. @throws StoreError when the state cannot be used
 */
export async function openIssuers(
  map: NetworkMap,
  journalPath: string | undefined,
  recover = false,
): Promise<SimulatedIssuers> {
  const path = journalPath === undefined ? undefined : join(dirname(journalPath), STORE_FILE);
  const memory =
    path === undefined ? undefined : await openMemory(path).catch((error) => renamed(path, error, recover));
  return new SimulatedIssuers(messageGraphOf(map), {
    chainHash: CHAIN_HASHES.bitcoin,
    ...(memory && { memory }),
  });
}

/**
 * The issuers' state in a database. A new database is created once the caller has had its turn, because that takes many
 * writes to the disk, for which a start would wait.
 * @throws StoreError when the database cannot be used
 */
async function openMemory(path: string): Promise<IssuersMemory> {
  let store = existsSync(path) ? new Store(path) : undefined;
  process.once('exit', () => store?.close());
  const repository = (): OfferRepository => {
    store ??= new Store(path);
    return store.offers;
  };
  if (store === undefined) {
    setImmediate(repository);
    return { repository, invoices: [], cancelled: [] };
  }
  const { offers } = store;
  return { repository, invoices: await offers.invoices(), cancelled: await offers.cancelledPeriods() };
}

/**
 * Opens a new database in place of a damaged one, if the operator asked for that.
 * @throws StoreError when the database is damaged and `recover` is false; `error` when it has another problem
 */
async function renamed(path: string, error: unknown, recover: boolean): Promise<IssuersMemory> {
  if (!(error instanceof StoreError) || error.problem !== 'corrupt') throw error;
  if (!recover) {
    const remedy = "restore the file, or start with --recover, which resets the issuers' state";
    throw new StoreError('corrupt', path, `is damaged: ${remedy}`, error);
  }
  for (const file of [path, `${path}-wal`]) {
    if (existsSync(file)) renameSync(file, `${file}.bad`);
  }
  return openMemory(path);
}
