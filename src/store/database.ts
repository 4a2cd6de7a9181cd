/**
 * The database: one SQLite file in write-ahead mode, held by this process alone.
 *
 * Durability   synchronous=FULL: a commit returns after the log is on disk (one fsync), so what was committed
 *              survives a kill as well as a power cut. A commit that was cut short is discarded on the next
 *              open, by the checksums of the log's frames.
 * Schema       a list of migrations; `user_version` counts those applied, each in a transaction of its own
 *              together with its number. `application_id` marks the file as ours.
 * Refusals     a newer schema, damage, another program's database or a second process are found on a
 *              read-only connection before anything is written, and the file stays as it was.
 *
 * Integers above 2^53 come back as bigint where a column is read with `allBig`.
 */
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { DatabaseSync, type StatementSyncInstance } from '@photostructure/sqlite';
import { StoreError } from './store-error.ts';

export type SqlValue = null | number | bigint | string | Uint8Array;
export type SqlRow = Readonly<Record<string, SqlValue>>;

/** "Fulg" in ASCII. */
const APPLICATION_ID = 0x46756c67;
/** The log is copied into the main file whenever it has this many pages (of 4 KiB): 16 MiB. */
const CHECKPOINT_PAGES = 4096;

/** A new file's mode, which SQLite gives its log too: preimages are money. */
const OWNER_ONLY = 0o600;

/** SQL that takes the schema from version i to i + 1, i being its index. Never edited once released. */
export type Migrations = readonly string[];

/** The points between which a crash can fall; called before the step (`committed`: after it). */
export type WriteStep = 'begin' | 'write' | 'commit' | 'committed';

export interface DatabaseOptions {
  /** For fault injection: may kill the process, or throw as a failing disk would. */
  readonly onStep?: (step: WriteStep) => void;
}

export class Database {
  readonly path: string;
  readonly #connection: InstanceType<typeof DatabaseSync>;
  readonly #statements = new Map<string, StatementSyncInstance>();
  readonly #onStep: ((step: WriteStep) => void) | undefined;

  /**
   * Opens the file, creating it when there is none or an empty one, and brings its schema up to date.
   * @throws StoreError
   */
  constructor(path: string, migrations: Migrations, options: DatabaseOptions = {}) {
    this.path = path;
    this.#onStep = options.onStep;
    guarded(path, () => closeSync(openSync(path, 'a', OWNER_ONLY)));
    if (statSync(path).size > 0) inspect(path, migrations.length);
    this.#connection = guarded(path, () => new DatabaseSync(path));
    try {
      guarded(path, () => {
        this.#configure();
        this.#migrate(migrations);
      });
    } catch (error) {
      this.close();
      throw error;
    }
  }

  get schemaVersion(): number {
    return Number(this.all('PRAGMA user_version')[0]?.user_version);
  }

  /** Rows of a query; integers as numbers. */
  all(sql: string, ...parameters: SqlValue[]): SqlRow[] {
    return this.#statement(sql).all(...parameters) as SqlRow[];
  }

  /** Rows of a query one by one, integers as bigint. Finish or abandon the iteration before writing. */
  *iterateBig(sql: string, ...parameters: SqlValue[]): Generator<SqlRow, void> {
    const statement = this.#connection.prepare(sql);
    statement.setReadBigInts(true);
    for (const row of statement.iterate(...parameters)) yield row as SqlRow;
  }

  /** Runs one writing statement; inside `transaction` only, so that it counts as one step. */
  run(sql: string, ...parameters: SqlValue[]): void {
    this.#onStep?.('write');
    this.#statement(sql).run(...parameters);
  }

  /**
   * All of `work`'s writes, durable when this returns, or none of them.
   * @throws whatever `work` or the disk throws; then nothing was written.
   */
  transaction(work: () => void): void {
    this.#onStep?.('begin');
    this.#connection.exec('BEGIN IMMEDIATE');
    try {
      work();
      this.#onStep?.('commit');
      this.#connection.exec('COMMIT');
    } catch (error) {
      // A failed commit (a full disk) may or may not have ended the transaction already.
      if (this.#connection.isTransaction) this.#connection.exec('ROLLBACK');
      throw error;
    }
    this.#onStep?.('committed');
  }

  /** Within a transaction: all of `work`'s writes or none of them. @throws whatever `work` throws */
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

  /** Moves the log into the main file, so that a stopped node's database is one file, and lets go of it. */
  close(): void {
    this.#statements.clear();
    try {
      // Prepared statements keep a closed connection, and its lock, until they are garbage collected; without
      // a log and with normal locking there is no lock to keep. The reading takes the new mode into effect.
      this.#connection.exec(`
        PRAGMA journal_mode=DELETE;
        PRAGMA locking_mode=NORMAL;
        SELECT count(*) FROM sqlite_schema;`);
    } catch {
      // Another process has the file, or the disk is gone: the log stays and is read at the next start.
    } finally {
      this.#connection.close();
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
    // Exclusive first: the log then needs no shared memory, and a second process is locked out for good.
    this.#connection.exec(`
      PRAGMA locking_mode=EXCLUSIVE;
      PRAGMA journal_mode=WAL;
      PRAGMA synchronous=FULL;
      PRAGMA foreign_keys=ON;
      PRAGMA wal_autocheckpoint=${CHECKPOINT_PAGES};`);
  }

  #migrate(migrations: Migrations): void {
    for (let version = this.schemaVersion; version < migrations.length; version++) {
      this.transaction(() => {
        this.#onStep?.('write');
        this.#connection.exec(migrations[version]!);
        this.#connection.exec(`PRAGMA application_id=${APPLICATION_ID}`);
        this.#connection.exec(`PRAGMA user_version=${version + 1}`);
      });
    }
  }
}

/** Reads a file's marks and checks its structure without writing. @throws StoreError when it is not for us. */
function inspect(path: string, known: number): void {
  const { applicationId, version, tables, verdict } = guarded(path, () => readWholeMarks(path));
  // A crash before the first migration leaves a database without a mark and without a table.
  if (applicationId !== APPLICATION_ID && tables > 0) {
    throw new StoreError('foreign', path, 'is the database of another program');
  }
  if (version > known) {
    const message = `has schema ${version}, newer than ${known}, the newest this release knows; upgrade`;
    throw new StoreError('newer-schema', path, message);
  }
  if (verdict !== 'ok') throw new StoreError('corrupt', path, `is damaged: ${verdict}`);
}

/** SQLITE_READONLY_ROLLBACK: a transaction that a crash interrupted must be undone before anything can be read. */
const MUST_ROLL_BACK = 776;
/** Where a database file has its application id (sqlite.org/fileformat.html, 1.3). */
const APPLICATION_ID_AT = 68;

/**
 * A crash while the file was being made, before it had a write-ahead log, leaves a rollback journal, and SQLite
 * reads nothing until it is played back. Files that bear another program's mark are left to that program.
 */
function readWholeMarks(path: string): Marks {
  try {
    return readMarks(path);
  } catch (error) {
    if ((error as { errcode?: number }).errcode !== MUST_ROLL_BACK || !mayBeOurs(path)) throw error;
    const connection = new DatabaseSync(path);
    try {
      connection.exec('SELECT count(*) FROM sqlite_schema');
    } finally {
      connection.close();
    }
    return readMarks(path);
  }
}

function mayBeOurs(path: string): boolean {
  const mark = Buffer.alloc(4);
  const file = openSync(path, 'r');
  try {
    readSync(file, mark, 0, mark.length, APPLICATION_ID_AT);
  } finally {
    closeSync(file);
  }
  return [0, APPLICATION_ID].includes(mark.readUInt32BE());
}

interface Marks {
  readonly applicationId: number;
  readonly version: number;
  readonly tables: number;
  /** `ok`, or the first defect found. */
  readonly verdict: string;
}

/**
 * Values leave through a function of ours called from SQL, because a prepared statement would keep the
 * connection, and with it the file's lock, until it is garbage collected.
 */
function readMarks(path: string): Marks {
  const connection = new DatabaseSync(path, { readOnly: true });
  const marks: unknown[] = [];
  try {
    connection.function('mark', (value: unknown) => {
      marks.push(value);
      return null;
    });
    connection.exec(`
      SELECT mark(application_id) FROM pragma_application_id;
      SELECT mark(user_version) FROM pragma_user_version;
      SELECT mark(count(*)) FROM sqlite_schema;
      SELECT mark(quick_check) FROM pragma_quick_check LIMIT 1;`);
  } finally {
    connection.close();
  }
  const [applicationId, version, tables, verdict] = marks;
  return {
    applicationId: Number(applicationId),
    version: Number(version),
    tables: Number(tables),
    verdict: firstDefect(String(verdict)),
  };
}

/** The check's report has a line for each database before the lines of its defects. */
function firstDefect(report: string): string {
  return report.split('\n').find((line) => !line.startsWith('***')) ?? report;
}

/** Primary result codes of SQLite (sqlite.org/rescode.html) that say what is wrong with a file. */
const PROBLEMS: Readonly<Record<number, readonly [StoreError['problem'], string]>> = {
  5: ['locked', 'is in use by another process'],
  6: ['locked', 'is in use by another process'],
  11: ['corrupt', 'is damaged'],
  26: ['corrupt', 'is not a database, or is damaged'],
};

function guarded<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof StoreError) throw error;
    const code = Number((error as { errcode?: number }).errcode ?? 0) & 0xff;
    const [problem, message] = PROBLEMS[code] ?? (['unavailable', 'cannot be opened'] as const);
    const detail = error instanceof Error ? error.message : String(error);
    throw new StoreError(problem, path, `${message} (${detail})`, error);
  }
}
