/**
 * Group commit: the writes of many callers in one transaction.
 *
 * A write is data: a statement and its values. It is queued when it is made, and committed with all others of
 * the same turn of the event loop. Whoever must not answer before its writes are safe awaits `durable()`. One
 * commit costs one fsync, however many writes share it.
 *
 * When the disk refuses a commit (because it is full), those who await it get `storeFailed`. The writes stay
 * queued in order and go into the next attempt, so none is ever missing in the middle. The next attempt comes
 * with the next write, or after a pause. The queue is bounded. Beyond `maxQueued`, a write commits at once,
 * and throws if that fails.
 *
 * The database itself refuses a write that breaks a constraint, and would refuse it again at every attempt. Then
 * only the group of that write fails. The owner of the group is told by `durable`, and `onRefused` is called. All
 * other writes are committed.
 */
import { type Deferred, deferred } from '../model/deferred.ts';
import { FulguriteError } from '../model/errors.ts';
import type { Database, SqlValue } from './database.ts';

/** One statement and its values, to be run in the next transaction. */
export interface Write {
  readonly sql: string;
  readonly parameters: readonly SqlValue[];
}

/** Bounds and timing of the queue, and whom to tell of a refusal. */
export interface CommitterOptions {
  /** Most writes that wait. Default 100,000 of about 100 bytes each, for a disk that is slow. */
  readonly maxQueued?: number;
  /** Milliseconds between two attempts to commit while nothing is written. Default 1000. */
  readonly retryMs?: number;
  /** Called for every group that the database refused, since nobody may be waiting for it. */
  readonly onRefused?: (error: FulguriteError) => void;
}

/** Is told how many milliseconds each commit took. */
export type CommitListener = (ms: number) => void;

/** How commits are counted: the number is noted in the database by each commit, and told after it. */
export interface CommitCount {
  /** The number of the last commit. */
  readonly from: number;
  /** Makes the write that notes a number in the database, within the commit that it counts. */
  readonly note: (commit: number) => Write;
  /** Called when the commit of that number is on disk. */
  readonly onCommitted: (commit: number) => void;
}

/** Writes that are committed together, or not at all. */
interface Group {
  readonly owner: object | undefined;
  readonly writes: readonly Write[];
}

const MAX_QUEUED = 100_000;
const RETRY_MS = 1000;

/** Collects writes and commits them together, so that many changes cost one wait for the disk. */
export class GroupCommitter {
  readonly #database: Database;
  readonly #maxQueued: number;
  readonly #retryMs: number;
  readonly #onRefused: (error: FulguriteError) => void;
  #groups: Group[] = [];
  #queued = 0;
  /** Settled for everyone who awaits the next commit. */
  #next: Deferred | undefined;
  /** Called at the next commit. */
  #callbacks: (() => void)[] = [];
  #scheduled: NodeJS.Immediate | undefined;
  #retry: NodeJS.Timeout | undefined;
  /** Owners of groups that the database refused. */
  readonly #refused = new WeakMap<object, FulguriteError>();
  #commits = 0;
  #count: CommitCount | undefined;
  #onCommit: CommitListener | undefined;
  /** The last commit in which a group without owner was refused. */
  #lastRefusal: { readonly commit: number; readonly error: FulguriteError } | undefined;

  constructor(database: Database, options: CommitterOptions = {}) {
    this.#database = database;
    this.#maxQueued = options.maxQueued ?? MAX_QUEUED;
    this.#retryMs = options.retryMs ?? RETRY_MS;
    this.#onRefused = options.onRefused ?? (() => undefined);
  }

  /** Counts every commit from now on. */
  countCommits(count: CommitCount): void {
    this.#count = count;
  }

  /** Tells how long each commit takes, from now on. */
  timeCommits(listener: CommitListener): void {
    this.#onCommit = listener;
  }

  /** Number of writes that are not committed yet. */
  get queued(): number {
    return this.#queued;
  }

  /**
   * Queues writes that belong together, as a group of its own.
   * @throws FulguriteError storeFailed when the queue is full and cannot be committed; then nothing is
   *   queued.
   */
  write(...writes: readonly Write[]): void {
    this.#queue(undefined, writes);
  }

  /** As `write`. If the database refuses the group, `durable(owner)` throws from then on, and `durable()` does not. */
  writeFor(owner: object, ...writes: readonly Write[]): void {
    this.#queue(owner, writes);
  }

  #queue(owner: object | undefined, writes: readonly Write[]): void {
    if (this.#queued + writes.length > this.#maxQueued) this.flush();
    this.#groups.push({ owner, writes });
    this.#queued += writes.length;
    this.#scheduled ??= setImmediate(() => this.#commitQuietly());
  }

  /**
   * Resolves when everything written so far is on disk, or at once when nothing waits.
   * @throws FulguriteError storeFailed when the disk fails. With an owner, also when a group of this owner
   *   was ever refused. Without an owner, also when a group without owner was refused during the wait.
   */
  async durable(owner?: object): Promise<void> {
    const before = this.#commits;
    if (this.#queued > 0) {
      this.#next ??= deferred();
      this.#scheduled ??= setImmediate(() => this.#commitQuietly());
      await this.#next.promise;
    }
    if (owner === undefined && this.#lastRefusal !== undefined && this.#lastRefusal.commit > before) {
      throw this.#lastRefusal.error;
    }
    const refused = owner && this.#refused.get(owner);
    if (refused !== undefined) throw refused;
  }

  /**
   * Calls back when everything written so far is on disk or refused, directly after that commit. Calls back at
   * once when nothing is queued.
   */
  whenWritten(callback: () => void): void {
    if (this.#queued === 0) callback();
    else this.#callbacks.push(callback);
  }

  /** Commits now. @throws FulguriteError storeFailed; then the writes stay queued. */
  flush(): void {
    clearImmediate(this.#scheduled);
    clearTimeout(this.#retry);
    this.#scheduled = undefined;
    this.#retry = undefined;
    const waiting = this.#next;
    this.#next = undefined;
    try {
      this.#commit();
      waiting?.resolve();
    } catch (error) {
      const failure = storeFailed(error);
      this.#retry = setTimeout(() => this.#commitQuietly(), this.#retryMs).unref();
      waiting?.reject(failure);
      throw failure;
    }
  }

  /** Cancels the next attempts to commit. What is still queued is not written any more. */
  close(): void {
    clearImmediate(this.#scheduled);
    clearTimeout(this.#retry);
  }

  /** Commits at its own time. Does not throw when the disk fails: `durable` rejects for its callers instead. */
  #commitQuietly(): void {
    try {
      this.flush();
    } catch (error) {
      if (!(error instanceof FulguriteError)) throw error;
    }
  }

  #commit(): void {
    if (this.#queued === 0) return;
    const beganMs = performance.now();
    this.#commits++;
    const count = this.#count && { ...this.#count, from: this.#count.from + 1 };
    const number = count === undefined ? [] : [count.note(count.from)];
    try {
      this.#database.transaction(() => {
        for (const { writes } of this.#groups) this.#run(writes);
        this.#run(number);
      });
    } catch (error) {
      if (!isRefusal(error)) throw error;
      this.#commitOneByOne(number);
    }
    this.#onCommit?.(performance.now() - beganMs);
    this.#groups = [];
    this.#queued = 0;
    this.#count = count;
    count?.onCommitted(count.from);
    for (const callback of this.#callbacks.splice(0)) callback();
  }

  #run(writes: readonly Write[]): void {
    for (const { sql, parameters } of writes) this.#database.run(sql, ...parameters);
  }

  /** Commits in one transaction with a savepoint per group, so that a group that is refused fails alone. */
  #commitOneByOne(number: readonly Write[]): void {
    const refused = new Map<Group, unknown>();
    this.#database.transaction(() => {
      refused.clear();
      for (const group of this.#groups) {
        try {
          this.#database.savepoint(() => this.#run(group.writes));
        } catch (error) {
          if (!isRefusal(error)) throw error;
          refused.set(group, error);
        }
      }
      this.#run(number);
    });
    for (const [{ owner }, error] of refused) {
      const failure = refusedWrite(error);
      if (owner === undefined) this.#lastRefusal = { commit: this.#commits, error: failure };
      else this.#refused.set(owner, failure);
      this.#onRefused(failure);
    }
  }
}

/**
 * Primary result codes of SQLite (sqlite.org/rescode.html) that blame the statement or its values: error, too
 * big, constraint, mismatch, range. All others blame the disk.
 */
const REFUSALS: ReadonlySet<number> = new Set([1, 18, 19, 20, 25]);

function isRefusal(error: unknown): boolean {
  // A value that cannot be bound never reaches SQLite.
  if (error instanceof TypeError || error instanceof RangeError) return true;
  return REFUSALS.has(Number((error as { errcode?: number }).errcode ?? 0) & 0xff);
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

function storeFailed(error: unknown): FulguriteError {
  const reason = reasonOf(error);
  return new FulguriteError('storeFailed', `The change is not on disk yet: ${reason}`, { reason });
}

function refusedWrite(error: unknown): FulguriteError {
  const reason = reasonOf(error);
  return new FulguriteError('storeFailed', `The database refuses the change: ${reason}`, { reason });
}
