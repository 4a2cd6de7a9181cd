/**
 * The database file open in this thread: the database, the mark of its data directory, and the checkpoints. Queries are
 * answered immediately, and a batch is on disk when `write` returns.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { BatchOutcome, Write } from '../batch.ts';
import { compiledModule } from '../compiled-module.ts';
import { Database, type DatabaseOptions, type Upgrade } from '../database.ts';
import { MarkFile } from '../directory-mark.ts';
import { SCHEMA } from '../schema.ts';
import type { SqlColumns, SqlRow, SqlValue } from '../sql-values.ts';
import { StoreError } from '../store-error.ts';
import { CHECK_MS, closedError, type StoreFile } from '../store-file.ts';
import { type Belonging, guarded } from './database-file.ts';

/**
 * Milliseconds from a commit to the checkpoint that copies it from the write-ahead log. At 300 payments per second, one
 * checkpoint per second takes about 13 ms, and costs 0.005 ms of processor time per payment, of 6 ms in all threads (2
 * cores, ext4). So a longer interval would gain little.
 */
const CHECKPOINT_AFTER_MS = 1000;

const SETTLE = `
  INSERT INTO data_directory (id, directory_id, node_id, network, chain, last_commit) VALUES (1, ?, ?, ?, ?, 0)
  ON CONFLICT (id) DO UPDATE SET directory_id = excluded.directory_id, node_id = excluded.node_id,
    network = excluded.network, chain = excluded.chain`;

/** Owns the database and the mark beside it. */
export class LocalFile implements StoreFile {
  /** Never resolves, because this thread ends only with the process. */
  readonly lost = new Promise<never>(() => undefined);
  readonly isLost = false;
  readonly database: Database;
  #mark: MarkFile | undefined;
  #checkpoint: NodeJS.Timeout | undefined;
  #checker: ChildProcess | undefined;
  #isClosed = false;

  /**
   * Opens or creates the database file.
   * @throws StoreError when it is of a newer release, damaged, not ours, or in use. The file is then
   *   unchanged.
   */
  constructor(path: string, options: DatabaseOptions = {}) {
    this.database = new Database(path, SCHEMA, options);
  }

  get path(): string {
    return this.database.path;
  }

  get upgrade(): Upgrade | undefined {
    return this.database.upgrade;
  }

  write(groups: readonly (readonly Write[])[], done: (outcome: BatchOutcome) => void): void {
    this.database.write(groups, done);
  }

  settle(): void {
    this.database.settle();
  }

  async rows(sql: string, ...parameters: SqlValue[]): Promise<readonly SqlColumns[]> {
    if (this.#isClosed) throw closedError();
    return this.database.rows(sql, ...parameters);
  }

  async records(sql: string, ...parameters: SqlValue[]): Promise<readonly SqlRow[]> {
    return this.recordsNow(sql, ...parameters);
  }

  recordsNow(sql: string, ...parameters: SqlValue[]): readonly SqlRow[] {
    if (this.#isClosed) throw closedError();
    return [...this.database.iterateBig(sql, ...parameters)];
  }

  settleIn(belonging: Belonging, markPath: string, hasSimulatedJournal: boolean): void {
    const { directoryId, nodeId, network, chain } = belonging;
    guarded(this.path, () =>
      this.database.transaction(() => this.database.run(SETTLE, directoryId, nodeId, network, chain)),
    );
    const lastCommit = Number(this.database.all('SELECT last_commit FROM data_directory')[0]!.last_commit);
    // Even if the log is lost later, the main file must record which directory it belongs to.
    this.database.checkpoint();
    const mark = new MarkFile(markPath, { ...belonging, lastCommit, hasSimulatedJournal });
    this.#mark = mark;
    this.database.countCommits({
      from: lastCommit,
      note: (commit) => ({ sql: 'UPDATE data_directory SET last_commit = ?', parameters: [commit] }),
      onCommitted: (commit) => {
        mark.setLastCommit(commit);
        this.#checkpoint ??= setTimeout(() => this.#checkpointNow(), CHECKPOINT_AFTER_MS).unref();
      },
    });
  }

  noteSimulatedJournal(): void {
    guarded(this.path, () => this.#mark!.setHasSimulatedJournal());
  }

  #checkpointNow(): void {
    this.#checkpoint = undefined;
    this.database.checkpoint();
    this.#mark?.sync();
  }

  backup(path: string): Promise<void> {
    return this.database.backup(path);
  }

  /**
   * While the file is checked, nothing is copied into it from the log. So the file stays unchanged, and the process
   * that checks it needs no locks.
   */
  async check(): Promise<string | undefined> {
    if (!this.database.holdFile())
      throw unchecked(this.path, 'the write-ahead log cannot be copied into the database');
    try {
      return await this.#defect();
    } finally {
      if (this.#checker !== undefined) this.database.letGo();
      this.#checker = undefined;
    }
  }

  #defect(): Promise<string | undefined> {
    const program = fileURLToPath(compiledModule('check-process'));
    const checker = spawn(process.execPath, [program, this.path], { stdio: ['ignore', 'pipe', 'ignore'] });
    this.#checker = checker;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => checker.kill('SIGKILL'), CHECK_MS).unref();
      let said = '';
      checker.stdout.on('data', (text: Buffer) => {
        said += text;
      });
      checker.once('error', (error) => reject(unchecked(this.path, error.message)));
      checker.once('close', (code) => {
        clearTimeout(timer);
        if (code === null) reject(unchecked(this.path, 'the check was stopped'));
        else if (code !== 0) reject(unchecked(this.path, `the check failed with exit code ${code}`));
        else resolve((JSON.parse(said) as { readonly defect: string | null }).defect ?? undefined);
      });
    });
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#checkpoint);
    this.#checker?.kill('SIGKILL');
    this.#checker = undefined;
    this.database.close();
    this.#mark?.close();
  }
}

const unchecked = (path: string, why: string): StoreError =>
  new StoreError('unavailable', path, `was not checked for damage: ${why}`);
