/**
 * Group commit over a network: the writes of many callers in one transaction, while the next ones are collected.
 *
 * A write is a statement with its values, or a row for a sink, which combines many rows into one statement. All writes
 * made during a commit go into the next one, in one round trip. A connection that writes 50 rows at a time writes ten
 * times as many rows per second as one that writes them individually.
 *
 * If a commit fails because the database is unreachable, its waiters get `storeFailed`, and the writes stay in order
 * for the next attempt. The commit may have succeeded, with only its answer lost, so every write must be idempotent: a
 * row replaces the previous one, and a removal may find nothing.
 *
 * If the database refuses a write, the groups are committed one by one, so that only refused ones fail. Their owners
 * are notified by `durable`.
 */
import { type Deferred, deferred } from '../../model/deferred.ts';
import { FulguriteError } from '../../model/errors.ts';
import type { PgRows, PgStatement, PgValue, PostgresLine } from './line.ts';
import { PostgresRefusal } from './refusal.ts';

/** Combines many rows into few statements. */
export interface RowSink<R> {
  /** Adds a row. Only one of several rows with the same key is kept, usually the latest. */
  add(row: R): void;
  /** Removes all added rows, and returns the statement that writes them. Undefined if there are none. */
  take(): PgStatement | undefined;
  /**
   * The error for a row that was not written, according to the answer to the statement. Undefined if the row was
   * written.
   */
  objection(answer: PgRows, row: R): FulguriteError | undefined;
}

/** One change: a statement, or a row for the sink. */
export type PgWrite =
  | { readonly kind: 'statement'; readonly statement: PgStatement }
  | { readonly kind: 'row'; readonly row: unknown };

/** A statement as a write. */
export const statement = (sql: string, ...parameters: PgValue[]): PgWrite => ({
  kind: 'statement',
  statement: { sql, parameters },
});

/** Writes that are committed together or not at all. */
interface PgGroup {
  readonly owner: object | undefined;
  readonly writes: readonly PgWrite[];
  /** Converts the database's error to the error for the owner. */
  readonly explain: ((error: PostgresRefusal) => FulguriteError) | undefined;
}

/** Limits, timing and callbacks. */
export interface PgCommitterOptions {
  /** Maximum number of queued writes. Default 100,000. */
  readonly maxQueued?: number;
  /** Milliseconds until a failed commit is attempted again. Default 1000. */
  readonly retryMs?: number;
  /** Called for every group that the database refused. */
  readonly onRefused?: (error: FulguriteError) => void;
  /** For fault injection: called before each commit; it may throw. */
  readonly onCommit?: () => void;
}

const MAX_QUEUED = 100_000;
const RETRY_MS = 1000;

/** A future or running commit. */
class Batch {
  readonly groups: PgGroup[] = [];
  readonly callbacks: (() => void)[] = [];
  done: Deferred | undefined;

  /** Whether the commit has neither groups nor waiting callers. */
  get isEmpty(): boolean {
    return this.groups.length + this.callbacks.length === 0 && this.done === undefined;
  }
}

/** Collects writes and commits them together. */
export class PgCommitter {
  readonly #line: PostgresLine;
  readonly #sink: RowSink<unknown> | undefined;
  readonly #maxQueued: number;
  readonly #retryMs: number;
  readonly #onRefused: (error: FulguriteError) => void;
  readonly #onStep: () => void;
  #next = new Batch();
  #running: Promise<void> | undefined;
  #queued = 0;
  #scheduled: NodeJS.Immediate | undefined;
  #retry: NodeJS.Timeout | undefined;
  #isClosed = false;
  readonly #refused = new WeakMap<object, FulguriteError>();
  /** The last refusal of a group without owner. */
  #lastRefusal: { readonly error: FulguriteError } | undefined;
  #onCommit: ((ms: number) => void) | undefined;

  /** @param sink takes the rows of writes of kind `row`. */
  constructor(line: PostgresLine, options: PgCommitterOptions = {}, sink?: RowSink<unknown>) {
    this.#line = line;
    this.#sink = sink;
    this.#maxQueued = options.maxQueued ?? MAX_QUEUED;
    this.#retryMs = options.retryMs ?? RETRY_MS;
    this.#onRefused = options.onRefused ?? (() => undefined);
    this.#onStep = options.onCommit ?? (() => undefined);
  }

  /** Number of writes that are not committed yet. */
  get queued(): number {
    return this.#queued;
  }

  /** Reports how long each commit takes, from now on. */
  timeCommits(listener: (ms: number) => void): void {
    this.#onCommit = listener;
  }

  /**
   * Queues writes that belong together.
   * @param owner whose `durable` rejects after a refusal.
   * @throws FulguriteError storeFailed when the queue is full; then these writes are not queued.
   */
  write(
    owner: object | undefined,
    writes: readonly PgWrite[],
    explain?: (error: PostgresRefusal) => FulguriteError,
  ): void {
    if (this.#queued + writes.length > this.#maxQueued) {
      const reason = `${this.#queued} changes wait for the database`;
      throw new FulguriteError('storeFailed', `The change cannot be queued: ${reason}`, { reason });
    }
    this.#next.groups.push({ owner, writes, explain });
    this.#queued += writes.length;
    this.#schedule();
  }

  /** @throws the refusal of this owner's writes, if there was one. */
  requireNotRefused(owner: object): void {
    const refused = this.#refused.get(owner);
    if (refused !== undefined) throw refused;
  }

  /**
   * Resolves once everything written so far is committed.
   * @throws FulguriteError storeFailed when the database fails, or when it refused a group of this owner; without
   *   an owner, when it refused a group without owner during the wait.
   */
  async durable(owner?: object): Promise<void> {
    const before = this.#lastRefusal;
    if (this.#queued > 0) {
      // The commit in progress precedes the next batch. If it fails, its writes are queued again at the start of that
      // batch.
      this.#next.done ??= deferred();
      this.#schedule();
      await this.#next.done.promise;
    }
    if (owner !== undefined) this.requireNotRefused(owner);
    else if (this.#lastRefusal !== undefined && this.#lastRefusal !== before) throw this.#lastRefusal.error;
  }

  /**
   * Calls back once everything written so far is committed or refused. If nothing is queued, calls back immediately.
   */
  whenWritten(callback: () => void): void {
    if (this.#queued === 0) callback();
    else this.#next.callbacks.push(callback);
  }

  /** Drops the queue, and stops. */
  close(): void {
    this.#isClosed = true;
    clearImmediate(this.#scheduled);
    clearTimeout(this.#retry);
  }

  #schedule(): void {
    if (this.#isClosed || this.#running !== undefined) return;
    this.#scheduled ??= setImmediate(() => {
      this.#scheduled = undefined;
      clearTimeout(this.#retry);
      this.#running = this.#commitAll().finally(() => {
        this.#running = undefined;
      });
    });
  }

  /** Commits until the queue is empty, or an attempt fails. */
  async #commitAll(): Promise<void> {
    while (!this.#next.isEmpty) {
      const batch = this.#next;
      this.#next = new Batch();
      try {
        await this.#commit(batch);
      } catch (error) {
        this.#putBack(batch);
        batch.done?.reject(error as Error);
        this.#retry = setTimeout(() => this.#schedule(), this.#retryMs).unref();
        // Callers that wait for later changes get the error too, because they depend on the same database.
        const waiting = this.#next.done;
        this.#next.done = undefined;
        waiting?.reject(error as Error);
        return;
      }
      batch.done?.resolve();
    }
  }

  #putBack(batch: Batch): void {
    this.#next.groups.unshift(...batch.groups);
    this.#next.callbacks.unshift(...batch.callbacks);
  }

  async #commit(batch: Batch): Promise<void> {
    const beganMs = performance.now();
    if (batch.groups.length > 0) {
      this.#onStep();
      try {
        await this.#run(batch.groups);
      } catch (error) {
        if (!(error instanceof PostgresRefusal)) throw error;
        await this.#oneByOne(batch);
      }
    }
    this.#queued -= batch.groups.reduce((sum, { writes }) => sum + writes.length, 0);
    this.#onCommit?.(performance.now() - beganMs);
    for (const callback of batch.callbacks) callback();
  }

  /** Committed groups are removed from the batch, so that only the rest is repeated if the database fails halfway. */
  async #oneByOne(batch: Batch): Promise<void> {
    for (let group = batch.groups[0]; group !== undefined; group = batch.groups[0]) {
      try {
        await this.#run([group]);
      } catch (error) {
        if (!(error instanceof PostgresRefusal)) throw error;
        this.#refuse(group, group.explain?.(error) ?? refusedWrite(error));
      }
      batch.groups.shift();
      this.#queued -= group.writes.length;
    }
  }

  async #run(groups: readonly PgGroup[]): Promise<void> {
    const statements: PgStatement[] = [];
    /** The rows passed to the sink, each with the index of the statement that contains it. */
    const rows: { readonly group: PgGroup; readonly row: unknown; readonly at: number }[] = [];
    const flush = (): void => {
      const taken = this.#sink?.take();
      if (taken !== undefined) statements.push(taken);
    };
    for (const group of groups) {
      for (const write of group.writes) {
        if (write.kind === 'statement') {
          flush();
          statements.push(write.statement);
        } else {
          this.#sink!.add(write.row);
          rows.push({ group, row: write.row, at: statements.length });
        }
      }
    }
    flush();
    const [only] = statements;
    const answers =
      statements.length === 1
        ? [await this.#line.ask(only!.sql, only!.parameters)]
        : await this.#line.transaction(statements);
    for (const { group, row, at } of rows) {
      const objection = this.#sink!.objection(answers[at]!, row);
      if (objection !== undefined) this.#refuse(group, objection);
    }
  }

  #refuse({ owner }: PgGroup, error: FulguriteError): void {
    if (owner === undefined) this.#lastRefusal = { error };
    else this.#refused.set(owner, error);
    this.#onRefused(error);
  }
}

/** The error for a change that the database will never accept. */
export function refusedWrite({ message }: PostgresRefusal): FulguriteError {
  return new FulguriteError('storeFailed', `The database refuses the change: ${message}`, {
    reason: message,
  });
}
