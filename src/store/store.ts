/**
 * The store of the node: its database, the group committer through which all writes go, and the repositories.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Database, type DatabaseOptions } from './database.ts';
import type { Belonging } from './database-file.ts';
import { MarkFile } from './directory-mark.ts';
import { type CommitterOptions, GroupCommitter } from './group-committer.ts';
import type { LayerRepository } from './layer-repository.ts';
import type { OfferRepository } from './offer-repository.ts';
import type { PaymentRepository } from './payment-repository.ts';
import type { RuneRepository } from './rune-repository.ts';
import { SCHEMA } from './schema.ts';
import { SqliteLayerRepository } from './sqlite-layer-repository.ts';
import { SqliteOfferRepository } from './sqlite-offer-repository.ts';
import { SqlitePaymentRepository } from './sqlite-payment-repository.ts';
import { SqliteRuneRepository } from './sqlite-rune-repository.ts';

/** How to open the database, and whom to tell when it refuses writes that nobody waits for. */
export type StoreOptions = DatabaseOptions & Pick<CommitterOptions, 'onRefused'>;

/**
 * Milliseconds after a commit for which its changes are only in the write-ahead log. At 300 payments a second,
 * one checkpoint a second costs 0.005 ms of processor time for each payment, of about 6 ms in all threads, and
 * stops the main thread for some 13 ms a second (2 cores, ext4). So it is not worth doing less often.
 */
const CHECKPOINT_AFTER_MS = 1000;

/** Milliseconds between two attempts to write the last changes to a disk that refuses them. */
const LAST_ATTEMPTS_MS = 250;

const SETTLE = `
  INSERT INTO data_directory (id, directory_id, node_id, network, chain, last_commit) VALUES (1, ?, ?, ?, ?, 0)
  ON CONFLICT (id) DO UPDATE SET directory_id = excluded.directory_id, node_id = excluded.node_id,
    network = excluded.network, chain = excluded.chain`;

/** Owns the database and its repositories. Closing the store commits what is queued and closes the file. */
export class Store {
  readonly database: Database;
  readonly committer: GroupCommitter;
  readonly layers: LayerRepository;
  readonly payments: PaymentRepository;
  readonly offers: OfferRepository;
  readonly runes: RuneRepository;
  #mark: MarkFile | undefined;
  #checkpoint: NodeJS.Timeout | undefined;

  /**
   * Opens or creates the database file.
   * @throws StoreError when it is of a newer release, damaged, not ours, or in use. The file is then
   *   untouched.
   */
  constructor(path: string, options: StoreOptions = {}) {
    this.database = new Database(path, SCHEMA, options);
    this.committer = new GroupCommitter(this.database, options);
    this.layers = new SqliteLayerRepository(this.database, this.committer);
    this.payments = new SqlitePaymentRepository(this.database, this.committer);
    this.offers = new SqliteOfferRepository(this.database, this.committer);
    this.runes = new SqliteRuneRepository(this.database, this.committer);
  }

  /**
   * Writes to which data directory the database belongs, into the database first and then into the mark beside it.
   * From now on every commit is counted in both places. A crash between the two writes leaves a database without
   * counted commits and without a mark. The next start completes it.
   * @throws StoreError unavailable
   */
  settleIn(belonging: Belonging, markPath: string, hasSimulatedJournal: boolean): MarkFile {
    const { directoryId, nodeId, network, chain } = belonging;
    this.database.transaction(() => this.database.run(SETTLE, directoryId, nodeId, network, chain));
    const lastCommit = Number(this.database.all('SELECT last_commit FROM data_directory')[0]!.last_commit);
    // If the log alone is lost later, the main file must at least know which directory it belongs to.
    this.database.checkpoint();
    const mark = new MarkFile(markPath, { ...belonging, lastCommit, hasSimulatedJournal });
    this.#mark = mark;
    this.committer.countCommits({
      from: lastCommit,
      note: (commit) => ({ sql: 'UPDATE data_directory SET last_commit = ?', parameters: [commit] }),
      onCommitted: (commit) => {
        mark.setLastCommit(commit);
        this.#checkpoint ??= setTimeout(() => this.#checkpointNow(), CHECKPOINT_AFTER_MS).unref();
      },
    });
    return mark;
  }

  #checkpointNow(): void {
    this.#checkpoint = undefined;
    this.database.checkpoint();
    this.#mark?.sync();
  }

  /**
   * Writes what is queued. When the disk refuses, tries again and again for at most `graceMs`.
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

  /**
   * Commits what is queued and closes the file. @throws FulguriteError storeFailed; the file is closed all
   * the same.
   */
  close(): void {
    try {
      this.committer.flush();
    } finally {
      this.committer.close();
      clearTimeout(this.#checkpoint);
      this.database.close();
      this.#mark?.close();
    }
  }
}
