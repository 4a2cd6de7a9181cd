/**
 * The store of the node: its database, the group committer through which the repositories write, and the repositories.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database, DatabaseOptions } from './database.ts';
import type { LayerRepository } from './layer-repository.ts';
import type { OfferRepository } from './offer-repository.ts';
import type { PaymentRepository, SpentKeys } from './payment-repository.ts';
import type { RecordRepository } from './record-repository.ts';
import type { Belonging } from './sqlite/database-file.ts';
import { type CommitterOptions, GroupCommitter } from './sqlite/group-committer.ts';
import { LocalFile } from './sqlite/local-file.ts';
import { SqliteLayerRepository } from './sqlite/sqlite-layer-repository.ts';
import { SqliteOfferRepository } from './sqlite/sqlite-offer-repository.ts';
import { SqlitePaymentRepository } from './sqlite/sqlite-payment-repository.ts';
import { SqliteRecordRepository } from './sqlite/sqlite-record-repository.ts';
import { SqliteRuneRepository } from './sqlite/sqlite-rune-repository.ts';
import { ThreadFile } from './sqlite/thread-file.ts';
import type { StoreFile } from './store-file.ts';

/** Options for opening the database, and the callback for refused writes that nothing awaits. */
export type StoreOptions = DatabaseOptions &
  Pick<CommitterOptions, 'onRefused'> & {
    /**
     * Whether the database gets a separate thread, so that this thread never waits for the disk. With a separate
     * thread, `onStep` is not called.
     */
    readonly hasThread?: boolean;
    /** Work of this thread while a separate thread opens the file. */
    readonly meanwhile?: () => void;
  };

/** Milliseconds between two attempts to write the last changes to a disk that refuses them. */
const LAST_ATTEMPTS_MS = 250;

/** Owns the database and its repositories. Closing the store commits what is queued and closes the file. */
export class Store {
  readonly file: StoreFile;
  readonly committer: GroupCommitter;
  readonly layers: LayerRepository;
  readonly payments: PaymentRepository & SpentKeys;
  readonly offers: OfferRepository;
  readonly runes: SqliteRuneRepository;
  readonly records: RecordRepository;

  /**
   * Opens or creates the database file.
   * @throws StoreError when it is of a newer release, damaged, not ours, or in use. The file is then
   *   unchanged.
   */
  constructor(path: string, options: StoreOptions = {}) {
    const { hasThread = false, isInspected = false, meanwhile } = options;
    this.file = hasThread ? new ThreadFile(path, isInspected, meanwhile) : new LocalFile(path, options);
    this.committer = new GroupCommitter(this.file, options);
    this.layers = new SqliteLayerRepository(this.file, this.committer);
    this.payments = new SqlitePaymentRepository(this.file, this.committer);
    this.offers = new SqliteOfferRepository(this.file, this.committer);
    this.runes = new SqliteRuneRepository(this.file, this.committer);
    this.records = new SqliteRecordRepository(this.file, this.committer);
  }

  /**
   * The database that is open in this thread.
   * @throws Error if the database has a thread of its own
   */
  get database(): Database {
    if (this.file instanceof LocalFile) return this.file.database;
    throw new Error('the database is in another thread');
  }

  /** See `StoreFile`. @throws StoreError unavailable */
  settleIn(belonging: Belonging, markPath: string, hasSimulatedJournal: boolean): void {
    this.file.settleIn(belonging, markPath, hasSimulatedJournal);
  }

  /**
   * Writes the queue. If the disk fails, retries for at most `graceMs`.
   * @returns whether everything is on disk.
   */
  async drain(graceMs: number): Promise<boolean> {
    for (let leftMs = graceMs; ; leftMs -= LAST_ATTEMPTS_MS) {
      try {
        this.committer.flush();
        return true;
      } catch {
        if (leftMs <= 0 || this.file.isLost) return false;
      }
      await sleep(LAST_ATTEMPTS_MS);
    }
  }

  /** Commits the queue and closes the file. @throws FulguriteError storeFailed; the file is closed anyway. */
  close(): void {
    try {
      this.committer.flush();
    } finally {
      this.committer.close();
      this.file.close();
    }
  }
}
