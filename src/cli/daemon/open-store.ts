/**
 * Opens the node's storage: the SQLite file of the data directory, or, with `--store`, a PostgreSQL database that
 * several daemons share. The PostgreSQL code is loaded only if needed.
 *
 * With `--store` the data directory still has the keys and its mark, and its SQLite file still locks it. From the first
 * such start on, a file in the directory names the database. A start without that database is refused, because the
 * daemon would not know earlier payments and could repeat them.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDisowned } from '../../payments/send/takeover.ts';
import type { LayerRepository } from '../../store/layer-repository.ts';
import type { OfferRepository } from '../../store/offer-repository.ts';
import { LeaseLost } from '../../store/payment-leases.ts';
import type { PaymentRepository } from '../../store/payment-repository.ts';
import type { PostgresStore, StoreUser } from '../../store/postgres/postgres-store.ts';
import type { RecordRepository } from '../../store/record-repository.ts';
import type { RuneRepository } from '../../store/rune-repository.ts';
import type { Store } from '../../store/store.ts';
import { DataDirectoryError } from '../files/data-directory.ts';
import { writeWhole } from '../files/whole-file.ts';

/** Name of the file that names the database. */
export const STORE_LOCATION_FILE = 'store-elsewhere';

/** The database that contains the rows of a data directory. */
export interface StoreLocation {
  /** The address of the database, without role and password. */
  readonly store: string;
  /** The random id of the database, chosen when it was first used. */
  readonly database: string;
}

/** The repositories of the node, wherever they are stored. */
export interface NodeStore {
  readonly layers: LayerRepository;
  readonly payments: PaymentRepository;
  readonly offers: OfferRepository;
  readonly runes: RuneRepository;
  readonly records: RecordRepository;
  /** The shared database. Undefined when everything is in the data directory. */
  readonly shared: PostgresStore | undefined;
  /** Number of changes that are not yet on disk. */
  readonly queued: number;
  /** Sets the listener that is called with the duration of each commit, in milliseconds. */
  timeCommits(listener: (ms: number) => void): void;
  /** Writes queued changes, and retries for at most `graceMs`. @returns whether all of them are on disk */
  drain(graceMs: number): Promise<boolean>;
  /** @throws Error when queued writes are lost */
  close(): void;
}

/** What the caller wants to open. */
export interface NodeStoreOptions {
  /** The value of `--store`. */
  readonly address: string | undefined;
  readonly dataDirectory: string;
  readonly user: StoreUser;
  readonly onFault: (message: string) => void;
  /** Called for each change that the database refused because the payment now belongs to another daemon. */
  readonly onFenced: () => void;
}

/**
 * Opens the store.
 * @param local the open SQLite file of the data directory
 * @throws DataDirectoryError when the rows of this directory are elsewhere or must first be moved; StoreError
 */
export async function openNodeStore(options: NodeStoreOptions, local: Store): Promise<NodeStore> {
  const { address, dataDirectory, user, onFault, onFenced } = options;
  const elsewhere = readStoreLocation(dataDirectory);
  if (address === undefined) {
    if (elsewhere === undefined) return inDirectory(local);
    throw new DataDirectoryError(
      `${dataDirectory}: the payments are in the database ${elsewhere.store}: start the daemon with that address as --store`,
    );
  }
  if (elsewhere === undefined) await requireUnused(dataDirectory, local);
  const { PostgresStore } = await import('../../store/postgres/postgres-store.ts');
  const shared = await PostgresStore.open(address, user, {
    onRefused(error) {
      if (error instanceof LeaseLost) onFenced();
      // A disowned payment gave way to another payment, whose outcome answers the request. This is not a fault.
      else if (!isDisowned(error)) onFault(error.message);
    },
    onFault,
  });
  try {
    if (elsewhere !== undefined && elsewhere.database !== shared.databaseId) {
      throw new DataDirectoryError(
        `${dataDirectory}: the payments are in another database, ${elsewhere.store}; give that address as --store`,
      );
    }
    if (elsewhere === undefined) {
      writeStoreLocation(dataDirectory, { store: shared.place, database: shared.databaseId });
    }
  } catch (error) {
    shared.close();
    throw error;
  }
  return inDatabase(shared);
}

const inDirectory = (store: Store): NodeStore => ({
  layers: store.layers,
  payments: store.payments,
  offers: store.offers,
  runes: store.runes,
  records: store.records,
  shared: undefined,
  get queued() {
    return store.committer.queued;
  },
  timeCommits: (listener) => store.committer.timeCommits(listener),
  drain: (graceMs) => store.drain(graceMs),
  close: () => store.close(),
});

const inDatabase = (shared: PostgresStore): NodeStore => ({
  layers: shared.layers,
  payments: shared.payments,
  offers: shared.offers,
  runes: shared.runes,
  records: shared.records,
  shared,
  get queued() {
    return shared.queued;
  },
  timeCommits: (listener) => shared.timeCommits(listener),
  drain: (graceMs) => shared.drain(graceMs),
  close() {
    const { queued } = shared;
    shared.close();
    if (queued > 0) throw new Error('the database accepts no more changes');
  },
});

/**
 * Refuses a directory that has payments, offers, runes or layers in its own database, because the shared one lacks
 * them.
 */
async function requireUnused(directory: string, local: Store): Promise<void> {
  const [payments, offers, requests, runes] = await Promise.all([
    local.payments.payments({ limit: 1 }),
    local.offers.offers(),
    local.offers.invoiceRequests(),
    local.runes.runes(),
  ]);
  const layers = await local.file.rows('SELECT id FROM layer LIMIT 1');
  const found = [payments, offers, requests, runes, layers].some(({ length }) => length > 0);
  if (!found) return;
  throw new DataDirectoryError(
    `${directory} has payments, offers, runes or layers in its own database: move them with ` +
      '`fulgurite store migrate` first, or use another --data-dir',
  );
}

/**
 * The database that contains the rows of a directory. Undefined when they are in the directory itself. @throws
 * DataDirectoryError
 */
export function readStoreLocation(directory: string): StoreLocation | undefined {
  const path = join(directory, STORE_LOCATION_FILE);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new DataDirectoryError(`${path}: ${(error as Error).message}`);
  }
  try {
    const { store, database } = JSON.parse(text) as Partial<StoreLocation>;
    if (typeof store === 'string' && typeof database === 'string') return { store, database };
  } catch {
    // The error is thrown at the end of the function.
  }
  throw new DataDirectoryError(`${path} does not name a database`);
}

/** Records that the rows of a directory are in this database from now on. */
export function writeStoreLocation(directory: string, elsewhere: StoreLocation): void {
  writeWhole(join(directory, STORE_LOCATION_FILE), `${JSON.stringify(elsewhere)}\n`);
}
