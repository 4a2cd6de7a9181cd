/**
 * Moves the rows of a data directory into a PostgreSQL database. The directory keeps its keys and its SQLite file, and
 * gets a file that names the database.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { LayerBook } from '../../layers/layer-book.ts';
import { decodeText, decodeU64 } from '../../store/columns.ts';
import type { CountedRows, MovedStore } from '../../store/moved-rows.ts';
import type { SeriesRow } from '../../store/offer-repository.ts';
import { moveInto } from '../../store/postgres/move.ts';
import { SCHEMA } from '../../store/schema.ts';
import { inspectDatabase } from '../../store/sqlite/database-file.ts';
import { Store } from '../../store/store.ts';
import { StoreError } from '../../store/store-error.ts';
import { readStoreLocation, writeStoreLocation } from '../daemon/open-store.ts';
import { DataDirectoryError, DirectoryInUse, STORE_FILE } from '../files/data-directory.ts';

/**
 * Moves all rows and verifies the copies.
 * @returns the kinds of rows moved, with their counts and hashes
 * @throws DataDirectoryError when there is nothing to move, when a daemon uses the directory, or when its rows were
 *   already moved; StoreError
 */
export async function moveIntoDatabase(directory: string, address: string): Promise<readonly CountedRows[]> {
  const path = join(directory, STORE_FILE);
  if (!existsSync(path)) throw new DataDirectoryError(`${directory} has no database ${STORE_FILE}`);
  const before = readStoreLocation(directory);
  if (before !== undefined)
    throw new DataDirectoryError(`${directory} has already been moved to ${before.store}`);
  const store = openUnused(directory, path);
  try {
    const { belonging } = store;
    const { directoryId, nodeId, network, chain } = belonging;
    const [name, behind] = network.split(':') as [string, string | undefined];
    const user = {
      daemon: directoryId,
      ownNode: nodeId,
      payingNode: behind ?? nodeId,
      network: name,
      chain,
    };
    const book = new LayerBook();
    await store.local.layers.attach(book);
    const { counts, databaseId, place } = await moveInto(address, user, await movedOf(store.local), book);
    writeStoreLocation(directory, { store: place, database: databaseId });
    return counts;
  } finally {
    store.local.close();
  }
}

function openUnused(directory: string, path: string) {
  try {
    const { belonging } = inspectDatabase(path, SCHEMA.length);
    if (belonging === undefined) throw new DataDirectoryError(`${directory} has never been used by a daemon`);
    return { belonging, local: new Store(path) };
  } catch (error) {
    if (!(error instanceof StoreError && error.problem === 'locked')) throw error;
    throw new DirectoryInUse(`${directory} is in use: stop its daemon first`);
  }
}

async function movedOf(store: Store): Promise<MovedStore> {
  const names = await store.file.rows('SELECT name FROM imported_layer ORDER BY name');
  return {
    payments: store.payments,
    offers: store.offers,
    runes: store.runes,
    records: store.records,
    layers: store.layers,
    importedNames: names.map(([name]) => decodeText(name)!),
    series: async () => {
      const rows = await store.file.rows('SELECT offer_id, label, start, basetime, counter FROM series');
      return rows.map(
        ([offerId, label, start, basetime, counter]): SeriesRow => ({
          offerId: new Uint8Array(offerId as Uint8Array),
          label: decodeText(label)!,
          start: start === null ? undefined : Number(start),
          basetime: decodeU64(basetime),
          counter: Number(counter),
        }),
      );
    },
  };
}
