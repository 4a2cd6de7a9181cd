/**
 * The database file as repositories see it. It is open in this thread (local-file.ts), or in a thread of its own, which
 * waits for the disk while this one continues (thread-file.ts).
 */
import { FulguriteError } from '../model/errors.ts';
import type { Upgrade } from './database.ts';
import type { SqlColumns, SqlRow, SqlValue } from './sql-values.ts';
import type { Belonging } from './sqlite/database-file.ts';
import type { BatchDesk } from './sqlite/group-committer.ts';

/** The error of queries to a closed file. */
export const closedError = (): FulguriteError =>
  new FulguriteError('storeFailed', 'The database is closed', { reason: 'closed' });

/** Milliseconds after which the search for damage is given up. */
export const CHECK_MS = 300_000;

/**
 * One open database file: writes in batches, questions, and what an operator asks of it. Questions after `close` are
 * answered with FulguriteError storeFailed.
 */
export interface StoreFile extends BatchDesk {
  readonly path: string;
  /** Resolves when the file cannot be used any more because its thread ended. Nothing is written then. */
  readonly lost: Promise<Error>;
  /** Whether that has happened. To write again is vain then. */
  readonly isLost: boolean;
  /** The upgrade that opening it made. */
  readonly upgrade: Upgrade | undefined;

  /** The rows of a query as arrays, with integers as bigint. Ask for a bounded number of rows. */
  rows(sql: string, ...parameters: SqlValue[]): Promise<readonly SqlColumns[]>;

  /** The rows of a query by names of columns, with integers as bigint. */
  records(sql: string, ...parameters: SqlValue[]): Promise<readonly SqlRow[]>;

  /** The same before anything else happens: this thread waits. Only for the start. */
  recordsNow(sql: string, ...parameters: SqlValue[]): readonly SqlRow[];

  /**
   * Writes to which data directory the database belongs, into the database first and then into the mark beside it.
   * From now on every commit is counted in both places. A crash between the two writes leaves a database without
   * counted commits and without a mark. The next start completes it.
   * @throws StoreError unavailable
   */
  settleIn(belonging: Belonging, markPath: string, hasSimulatedJournal: boolean): void;

  /** Notes in the mark that the simulated network keeps a journal. @throws StoreError unavailable */
  noteSimulatedJournal(): void;

  /** Writes a consistent copy of what is committed to an existing empty file. Other work continues meanwhile. */
  backup(path: string): Promise<void>;

  /**
   * Looks for damage in the whole file, in another process. Other work continues meanwhile.
   * @returns the first defect, or undefined when the file is whole.
   * @throws StoreError unavailable when it could not be checked
   */
  check(): Promise<string | undefined>;

  /** Closes the file. What was given to `write` is written before. */
  close(): void;
}
