/**
 * The node's store: its database, the group committer all writes go through, and the repositories.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Database, type DatabaseOptions } from './database.ts';
import { type CommitterOptions, GroupCommitter } from './group-committer.ts';
import { LayerRepository } from './layer-repository.ts';
import { OfferRepository } from './offer-repository.ts';
import { PaymentRepository } from './payment-repository.ts';
import { SCHEMA } from './schema.ts';

export type StoreOptions = DatabaseOptions & Pick<CommitterOptions, 'onRefused'>;

/** Between two attempts to write the last changes to a disk that refuses them. */
const LAST_ATTEMPTS_MS = 250;

export class Store {
  readonly database: Database;
  readonly committer: GroupCommitter;
  readonly layers: LayerRepository;
  readonly payments: PaymentRepository;
  readonly offers: OfferRepository;

  /**
   * Opens or creates the database file.
   * @throws StoreError when it is of a newer release, damaged, not ours, or in use; it is then untouched.
   */
  constructor(path: string, options: StoreOptions = {}) {
    this.database = new Database(path, SCHEMA, options);
    this.committer = new GroupCommitter(this.database, options);
    this.layers = new LayerRepository(this.database, this.committer);
    this.payments = new PaymentRepository(this.database, this.committer);
    this.offers = new OfferRepository(this.database, this.committer);
  }

  /**
   * Writes what is queued; asks a disk that refuses it again and again, for at most `graceMs`.
   * @returns whether everything is on disk.
   */
  async drain(graceMs: number): Promise<boolean> {
    for (let leftMs = graceMs; ; leftMs -= LAST_ATTEMPTS_MS) {
      try {
        this.committer.flush();
        return true;
      } catch {
        if (leftMs <= 0) return false;
      }
      await sleep(LAST_ATTEMPTS_MS);
    }
  }

  /** Commits what is queued and closes the file. @throws FulguriteError storeFailed; the file is closed. */
  close(): void {
    try {
      this.committer.flush();
    } finally {
      this.committer.close();
      this.database.close();
    }
  }
}
