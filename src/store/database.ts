/**
 * The database: one SQLite file in write-ahead mode, held by this process alone.
 *
 * Durability   synchronous=FULL: a commit returns after the log is on disk (one fsync). So what was committed
 *              survives a kill and a power cut. An interrupted commit does not match the log's checksums, so the next
 *              opening discards it.
 * Schema       A list of migrations. `user_version` is the number of migrations applied. Each migration is one
 *              transaction, which also updates this number. `application_id` marks the file as ours.
 * Upgrades     An older database is copied before its first migration (upgrade-copy.ts).
 * Damage       Each page has a checksum in a separate file (page-sums.ts). All checkpoints go through `#copyLog`,
 *              which writes the checksums first.
 * Refusals     A newer schema, damage, another program's database and a second process are found on a read-only
 *              connection before anything is written. The file stays as it was.
 *
 * `iterateBig` and `rows` return all integers as bigint, because some exceed 2^53.
 */
import { closeSync, openSync, statSync } from 'node:fs';
import { backup, DatabaseSync, type StatementSyncInstance } from '@photostructure/sqlite';
import { type BatchOutcome, BatchWriter, type CommitCount, type Write } from './batch.ts';
import type { SqlColumns, SqlRow, SqlValue } from './sql-values.ts';
import { APPLICATION_ID, guarded, inspectDatabase } from './sqlite/database-file.ts';
import { PageSums } from './sqlite/page-sums.ts';
import { copyBeforeUpgrade, keepCopy } from './sqlite/upgrade-copy.ts';
import { logPages } from './sqlite/write-ahead-log.ts';

/** When this many pages (4 KiB each, 4 MB in total) are only in the log, the log is copied into the main file. */
const CHECKPOINT_PAGES = 1000;
/** Number of pages that a backup copies per step. Other work continues between steps. */
const BACKUP_PAGES = 256;

/**
 * Mode of a new database file. SQLite gives the log of the file the same mode. Only the owner may read them, because
 * they contain preimages, which are secrets.
 */
const OWNER_ONLY = 0o600;

/** SQL scripts. The one at index i upgrades the schema from version i to i + 1. Released scripts are never edited. */
export type Migrations = readonly string[];

/** The steps of a write, for crash tests. `committed` is reported after the commit, each other step before it runs. */
export type WriteStep = 'begin' | 'write' | 'commit' | 'committed';

/** Options for opening the database. */
export interface DatabaseOptions {
  /** For fault injection: may kill the process, or throw as a failing disk would. */
  readonly onStep?: (step: WriteStep) => void;
  /** Whether the caller has just examined the file with `inspectDatabase`, which is slow for long payment histories. */
  readonly isInspected?: boolean;
}

/** A finished upgrade. */
export interface Upgrade {
  /** Versions of the schema before and after the upgrade. */
  readonly from: number;
  readonly to: number;
  /** Path of the copy made before the upgrade. */
  readonly copy: string;
}

/** The open database file. Runs statements, and commits groups of writes. */
export class Database {
  readonly path: string;
  readonly #connection: InstanceType<typeof DatabaseSync>;
  readonly #sums: PageSums;
  /** Set when the log on disk differs from what was written. Nothing is written from then on. */
  #damage: string | undefined;
  readonly #statements = new Map<string, StatementSyncInstance>();
  /** Prepared statements that return their rows as arrays. */
  readonly #questions = new Map<string, StatementSyncInstance>();
  readonly #onStep: ((step: WriteStep) => void) | undefined;
  readonly #batches = new BatchWriter(this);
  #isFileHeld = false;
  /** The upgrade made when the file was opened. Undefined if the file was new, or already had this schema. */
  readonly upgrade: Upgrade | undefined;

  /**
   * Opens the file and upgrades its schema. Creates the file if it is missing, and the tables if the file is empty.
   * @throws StoreError
   */
  constructor(path: string, migrations: Migrations, options: DatabaseOptions = {}) {
    this.path = path;
    this.#onStep = options.onStep;
    guarded(path, () => closeSync(openSync(path, 'a', OWNER_ONLY)));
    if (statSync(path).size > 0 && !options.isInspected) inspectDatabase(path, migrations.length);
    this.#sums = guarded(path, () => new PageSums(path));
    try {
      this.#connection = guarded(path, () => new DatabaseSync(path));
    } catch (error) {
      this.#sums.close();
      throw error;
    }
    try {
      this.upgrade = guarded(path, () => {
        this.#configure();
        return this.#migrate(migrations);
      });
    } catch (error) {
      this.close();
      throw error;
    }
  }

  get schemaVersion(): number {
    return Number(this.all('PRAGMA user_version')[0]?.user_version);
  }

  /** The rows of a query, with integers as numbers. */
  all(sql: string, ...parameters: SqlValue[]): SqlRow[] {
    return this.#statement(sql).all(...parameters) as SqlRow[];
  }

  /** The rows of a query one by one, with integers as bigint. Finish or abandon the iteration before writing. */
  *iterateBig(sql: string, ...parameters: SqlValue[]): Generator<SqlRow, void> {
    const statement = this.#connection.prepare(sql);
    statement.setReadBigInts(true);
    for (const row of statement.iterate(...parameters)) yield row as SqlRow;
  }

  /**
   * The rows of a query as arrays in column order, with integers as bigint. The statement is prepared once. Request a
   * bounded number of rows, since all of them are read at once.
   */
  rows(sql: string, ...parameters: SqlValue[]): SqlColumns[] {
    let statement = this.#questions.get(sql);
    if (statement === undefined) {
      statement = this.#connection.prepare(sql);
      statement.setReadBigInts(true);
      statement.setReturnArrays(true);
      this.#questions.set(sql, statement);
    }
    return statement.all(...parameters) as unknown as SqlColumns[];
  }

  /** Runs one statement that writes. Call this only inside `transaction`. */
  run(sql: string, ...parameters: SqlValue[]): void {
    this.#onStep?.('write');
    this.#statement(sql).run(...parameters);
  }

  /**
   * Runs all writes of `work`, or none of them. They are durable when this returns.
   * @throws the error of `work` or of the disk; then nothing was written.
   */
  transaction(work: () => void): void {
    if (this.#damage !== undefined) throw new Error(this.#damage);
    this.#onStep?.('begin');
    this.#connection.exec('BEGIN IMMEDIATE');
    try {
      work();
      this.#onStep?.('commit');
      this.#connection.exec('COMMIT');
    } catch (error) {
      // A failed commit (as on a full disk) may or may not have ended the transaction.
      if (this.#connection.isTransaction) this.#connection.exec('ROLLBACK');
      throw error;
    }
    this.#committed();
  }

  /** Copies the log if it is long. Throws nothing, because the transaction is on disk whether or not this succeeds. */
  #committed(): void {
    try {
      this.#onStep?.('committed');
      const { log, checkpointed } = this.#logState();
      if (log - checkpointed >= CHECKPOINT_PAGES) this.checkpoint();
    } catch {
      // The content stays in the log until the next checkpoint.
    }
  }

  /** Runs all writes of `work` within a transaction, or none of them. @throws the error of `work`. */
  savepoint(work: () => void): void {
    this.#connection.exec('SAVEPOINT part');
    try {
      work();
    } catch (error) {
      // A full disk may have ended the whole transaction already.
      if (this.#connection.isTransaction) this.#connection.exec('ROLLBACK TO part; RELEASE part');
      throw error;
    }
    this.#connection.exec('RELEASE part');
  }

  /** Writes a batch immediately. */
  write(groups: readonly (readonly Write[])[], done: (outcome: BatchOutcome) => void): void {
    done(this.#batches.write(groups));
  }

  /** Does nothing, because every batch has been written by the time `write` returns. */
  settle(): void {}

  /** Counts every batch from now on. */
  countCommits(count: CommitCount): void {
    this.#batches.countCommits(count);
  }

  /**
   * Copies the content of the log to the main file, so that little is lost if only the log is lost. If the disk fails,
   * the content stays in the log and is as safe as before.
   */
  checkpoint(): void {
    if (!this.#isFileHeld) this.#copyLog();
  }

  /**
   * Copies everything to the main file, which then stays unchanged until `letGo`. Meanwhile the log grows.
   * @returns false if not everything could be copied; the file may then still change
   */
  holdFile(): boolean {
    this.#isFileHeld = this.#copyLog();
    return this.#isFileHeld;
  }

  /** Allows changes to the main file again. */
  letGo(): void {
    this.#isFileHeld = false;
  }

  /** @returns whether the main file now contains everything that is in the log */
  #copyLog(): boolean {
    if (this.#damage !== undefined) return false;
    try {
      const { log, checkpointed } = this.#logState();
      if (log === checkpointed) return true;
      const { frames, sums } = logPages(`${this.path}-wal`);
      if (frames !== log) {
        this.#damage = `the write-ahead log is damaged: only ${frames} of its ${log} frames are intact`;
        return false;
      }
      this.#sums.note(sums);
      const [state] = this.all('PRAGMA wal_checkpoint(PASSIVE)');
      return state?.busy === 0 && state.log === state.checkpointed;
    } catch {
      // The content stays in the log until the next checkpoint.
      return false;
    }
  }

  /** Number of frames in the log, and how many of them are also in the main file. */
  #logState(): { readonly log: number; readonly checkpointed: number } {
    const [state] = this.all('PRAGMA wal_checkpoint(NOOP)');
    return { log: Number(state!.log), checkpointed: Number(state!.checkpointed) };
  }

  #rebuildSums(): void {
    if (!this.#copyLog()) throw new Error('the write-ahead log cannot be copied into the database');
    this.#sums.rebuild();
  }

  /** Writes a consistent copy of the committed state to an existing empty file. Other work continues meanwhile. */
  async backup(path: string): Promise<void> {
    await backup(this.#connection, path, { rate: BACKUP_PAGES });
  }

  /** Closes the database, after moving the log into the main file, so that a stopped node has one database file. */
  close(): void {
    this.#statements.clear();
    this.#questions.clear();
    this.#copyLog();
    try {
      // Prepared statements keep a closed connection and its file lock until they are garbage collected. So the lock is
      // released first: without a log and with normal locking, an idle connection holds none. A read makes the locking
      // mode take effect.
      this.#connection.exec(`
        PRAGMA journal_mode=DELETE;
        PRAGMA locking_mode=NORMAL;
        SELECT count(*) FROM sqlite_schema;`);
    } catch {
      // Another process has locked the file, or the disk is gone. The log stays, and the next start reads it.
    } finally {
      this.#connection.close();
      this.#sums.close();
    }
  }

  #statement(sql: string): StatementSyncInstance {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#connection.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  #configure(): void {
    // Exclusive mode is set before the log is opened, so that the log needs no shared memory, and a second process
    // stays locked out.
    this.#connection.exec(`
      PRAGMA locking_mode=EXCLUSIVE;
      PRAGMA journal_mode=WAL;
      PRAGMA synchronous=FULL;
      PRAGMA foreign_keys=ON;
      PRAGMA wal_autocheckpoint=0;`);
  }

  #migrate(migrations: Migrations): Upgrade | undefined {
    const from = this.schemaVersion;
    const to = migrations.length;
    if (from > 0 && from < to) {
      copyBeforeUpgrade(this.path, (file) => {
        this.#connection.exec(`VACUUM INTO '${file.replaceAll("'", "''")}'`);
      });
    }
    // An older release, which does not maintain checksums, may have changed the file. The checksums must be right before
    // the upgrade, because a start with the new schema refuses pages that differ from them.
    if (from < to || !this.#sums.isThere) this.#rebuildSums();
    const steps = Array.from({ length: to - from }, (_, index) => from + index);
    // A new file gets its schema in one transaction. An old file is upgraded in one transaction per migration.
    for (const versions of from === 0 ? [steps] : steps.map((version) => [version])) {
      this.transaction(() => {
        for (const version of versions) {
          this.#onStep?.('write');
          this.#connection.exec(migrations[version]!);
        }
        this.#connection.exec(`PRAGMA application_id=${APPLICATION_ID}`);
        this.#connection.exec(`PRAGMA user_version=${versions.at(-1)! + 1}`);
      });
    }
    const copy = keepCopy(this.path, to);
    return copy === undefined ? undefined : { from, to, copy };
  }
}
