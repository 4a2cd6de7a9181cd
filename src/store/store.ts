/**
 * The node's store: its database, the group committer all writes go through, and the repositories.
 */
import { Database, type DatabaseOptions } from './database.ts';
import { GroupCommitter } from './group-committer.ts';
import { LayerRepository } from './layer-repository.ts';
import { OfferRepository } from './offer-repository.ts';
import { PaymentRepository } from './payment-repository.ts';
import { SCHEMA } from './schema.ts';

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
  constructor(path: string, options: DatabaseOptions = {}) {
    this.database = new Database(path, SCHEMA, options);
    this.committer = new GroupCommitter(this.database);
    this.layers = new LayerRepository(this.database, this.committer);
    this.payments = new PaymentRepository(this.database, this.committer);
    this.offers = new OfferRepository(this.database, this.committer);
  }

  /** Commits what is queued and closes the file. @throws FulguriteError storeFailed; the file is closed. */
  close(): void {
    try {
      this.committer.flush();
    } finally {
      this.database.close();
    }
  }
}
