/**
 * The database file as seen by repositories. The file is open either in this thread (local-file.ts), or in a separate
 * thread that waits for the disk while this thread continues (thread-file.ts).
 */
import { FulguriteError } from '../model/errors.ts';
import type { Upgrade } from './database.ts';
import type { SqlColumns, SqlRow, SqlValue } from './sql-values.ts';
import type { Belonging } from './sqlite/database-file.ts';
import type { BatchTarget } from './sqlite/group-committer.ts';

/** The error for queries to a closed file. */
export const closedError = (): FulguriteError =>
  new FulguriteError('storeFailed', 'The database is closed', { reason: 'closed' });

/** Milliseconds after which a check for damage is aborted. */
export const CHECK_MS = 300_000;

/**
 * One open database file: batched writes, queries, and operator functions. Queries after `close` fail with
 * FulguriteError storeFailed.
 */
export interface StoreFile extends BatchTarget {
  readonly path: string;
  /** Resolves when the file cannot be used any more because its thread ended. Nothing is written from then on. */
  readonly lost: Promise<Error>;
  /** Whether `lost` has resolved. Further writes would fail. */
  readonly isLost: boolean;
  /** The upgrade made when the file was opened, if any. */
  readonly upgrade: Upgrade | undefined;

  /** The rows of a query as arrays, with integers as bigint. Request a bounded number of rows. */
  rows(sql: string, ...parameters: SqlValue[]): Promise<readonly SqlColumns[]>;

  /** The rows of a query by column name, with integers as bigint. */
  records(sql: string, ...parameters: SqlValue[]): Promise<readonly SqlRow[]>;

  /** Like `records`, but this thread waits for the rows. Only for startup. */
  recordsNow(sql: string, ...parameters: SqlValue[]): readonly SqlRow[];

  /**
   * Records which data directory the database belongs to, first in the database and then in the mark file. From then
   * on, both record the number of every commit. After a crash between the two writes, the database has no counted
   * commits and there is no mark file; the next start then writes the mark.
   * @throws StoreError unavailable
   */
  settleIn(belonging: Belonging, markPath: string, hasSimulatedJournal: boolean): void;

  /** Records in the mark that the simulated network keeps a journal. @throws StoreError unavailable */
  noteSimulatedJournal(): void;

  /** Writes a consistent copy of the committed state to an existing empty file. Other work continues meanwhile. */
  backup(path: string): Promise<void>;

  /**
   * Checks the whole file for damage, in another process. Other work continues meanwhile.
   * @returns the first defect, or undefined if the file is intact.
   * @throws StoreError unavailable when it could not be checked
   */
  check(): Promise<string | undefined>;

  /** Closes the file, after writing everything given to `write`. */
  close(): void;
}
