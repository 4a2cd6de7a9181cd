/**
 * Group commit: the writes of many callers in one transaction.
 *
 * A write is data: a statement and its values. It is queued when it is made, and committed with all others of the same
 * turn of the event loop. Callers that must not answer before their writes are on disk await `durable()`. One commit
 * costs one fsync, however many writes share it. The database may be in a separate thread; one commit is then in
 * progress at a time, and later writes go into the next one.
 *
 * If the disk refuses a commit (because it is full), its waiters get `storeFailed`. The writes stay queued in order for
 * the next attempt, so no write is ever committed before an earlier one. The next attempt comes with the next write, or
 * after a pause. The queue is bounded. Beyond `maxQueued`, a write commits at once, and throws if that fails.
 *
 * The database itself refuses a write that breaks a constraint, and would refuse it again at every attempt. Only the
 * group of that write then fails. `durable` informs the group's owner, and `onRefused` is called. All other writes
 * are committed.
 */
import { FulguriteError } from '../../model/errors.ts';
import type { BatchOutcome, Write } from '../batch.ts';

/** The destination of batches. */
export interface BatchTarget {
  /**
   * Writes groups in one transaction. Calls back, immediately or later, when they are on disk or the disk has refused
   * them.
   */
  write(groups: readonly (readonly Write[])[], done: (outcome: BatchOutcome) => void): void;
  /** Waits until every given batch has called back, blocking the event loop. */
  settle(): void;
}

/** Limits and timing of the queue, and the callback for refusals. */
export interface CommitterOptions {
  /** Maximum number of queued writes. Default 100,000 of about 100 bytes each, for slow disks. */
  readonly maxQueued?: number;
  /** Milliseconds until a failed commit is attempted again, if no write comes sooner. Default 1000. */
  readonly retryMs?: number;
  /** Called for every group that the database refused, because possibly no caller awaits the group. */
  readonly onRefused?: (error: FulguriteError) => void;
}

/** Called after each commit, with its duration in milliseconds. */
export type CommitListener = (ms: number) => void;

/** Writes that are committed together, or not at all. */
interface Group {
  readonly owner: object | undefined;
  readonly writes: readonly Write[];
}

/** A caller that awaits everything up to a group, by its number. */
interface Waiter {
  readonly upTo: number;
  readonly resolve: () => void;
  readonly reject: (error: FulguriteError) => void;
}

const MAX_QUEUED = 100_000;
const RETRY_MS = 1000;

/** Collects writes and commits them together, so that many changes cost one wait for the disk. */
export class GroupCommitter {
  readonly #target: BatchTarget;
  readonly #maxQueued: number;
  readonly #retryMs: number;
  readonly #onRefused: (error: FulguriteError) => void;
  /** Groups that are not in a running commit. */
  #groups: Group[] = [];
  /** Number of uncommitted writes, including those in a running commit. */
  #queued = 0;
  /** Number of the last group that was queued. */
  #lastGroup = 0;
  #isCommitting = false;
  /** The reason why the last attempt to commit failed. Undefined when it succeeded. */
  #failure: FulguriteError | undefined;
  /** The callers that wait, in order of arrival. */
  #waiters: Waiter[] = [];
  #callbacks: { readonly upTo: number; readonly call: () => void }[] = [];
  #scheduled: NodeJS.Immediate | undefined;
  #retry: NodeJS.Timeout | undefined;
  #isClosed = false;
  /** Owners of groups that the database refused. */
  readonly #refused = new WeakMap<object, FulguriteError>();
  /** Number of finished commits. */
  #commits = 0;
  #onCommit: CommitListener | undefined;
  /** The last commit in which a group without owner was refused. */
  #lastRefusal: { readonly commit: number; readonly error: FulguriteError } | undefined;

  constructor(target: BatchTarget, options: CommitterOptions = {}) {
    this.#target = target;
    this.#maxQueued = options.maxQueued ?? MAX_QUEUED;
    this.#retryMs = options.retryMs ?? RETRY_MS;
    this.#onRefused = options.onRefused ?? (() => undefined);
  }

  /** Reports how long each commit takes, from now on. */
  timeCommits(listener: CommitListener): void {
    this.#onCommit = listener;
  }

  get queued(): number {
    return this.#queued;
  }

  /**
   * Queues writes that belong together, as a separate group.
   * @throws FulguriteError storeFailed when the queue is full and cannot be committed; then these writes are
   *   not queued.
   */
  write(...writes: readonly Write[]): void {
    this.#queue(undefined, writes);
  }

  /**
   * Like `write`. If the database refuses the group, `durable(owner)` throws from then on, but `durable()` does not.
   */
  writeFor(owner: object, ...writes: readonly Write[]): void {
    this.#queue(owner, writes);
  }

  #queue(owner: object | undefined, writes: readonly Write[]): void {
    if (this.#queued + writes.length > this.#maxQueued) this.flush();
    this.#groups.push({ owner, writes });
    this.#lastGroup++;
    this.#queued += writes.length;
    this.#schedule();
  }

  /**
   * Resolves when everything written so far is on disk, immediately if nothing is queued.
   * @throws FulguriteError storeFailed when the disk fails. With an owner, also when a group of this owner
   *   was ever refused. Without an owner, also when a group without owner was refused during the wait.
   */
  async durable(owner?: object): Promise<void> {
    const before = this.#commits;
    if (this.#queued > 0) {
      await new Promise<void>((resolve, reject) => {
        this.#waiters.push({ upTo: this.#lastGroup, resolve, reject });
        this.#schedule();
      });
    }
    if (owner === undefined && this.#lastRefusal !== undefined && this.#lastRefusal.commit > before) {
      throw this.#lastRefusal.error;
    }
    const refused = owner && this.#refused.get(owner);
    if (refused !== undefined) throw refused;
  }

  /**
   * Calls back directly after the commit with which everything written so far is on disk or refused. If nothing is
   * queued, calls back immediately.
   */
  whenWritten(callback: () => void): void {
    if (this.#queued === 0) callback();
    else this.#callbacks.push({ upTo: this.#lastGroup, call: callback });
  }

  /** Commits now, and waits for it. @throws FulguriteError storeFailed; then the writes stay queued. */
  flush(): void {
    this.#cancel();
    if (this.#isCommitting) this.#target.settle();
    this.#cancel();
    this.#failure = undefined;
    this.#commit();
    if (this.#isCommitting) this.#target.settle();
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Cancels all further attempts to commit. Queued writes are lost. */
  close(): void {
    this.#isClosed = true;
    this.#cancel();
  }

  #schedule(): void {
    if (this.#isClosed || this.#isCommitting) return;
    this.#scheduled ??= setImmediate(() => this.#commit());
  }

  #cancel(): void {
    clearImmediate(this.#scheduled);
    clearTimeout(this.#retry);
    this.#scheduled = undefined;
    this.#retry = undefined;
  }

  /** Starts committing the queue. The target calls back immediately, or when its thread is done. */
  #commit(): void {
    this.#cancel();
    const groups = this.#groups;
    if (this.#isCommitting || groups.length === 0) return;
    const upTo = this.#lastGroup;
    this.#groups = [];
    this.#isCommitting = true;
    this.#target.write(
      groups.map(({ writes }) => writes),
      (outcome) => {
        this.#isCommitting = false;
        if (outcome.kind === 'failed') this.#failed(groups, upTo, outcome.reason);
        else this.#written(groups, upTo, outcome);
        if (this.#waiters.length > 0 || (this.#groups.length > 0 && this.#failure === undefined)) {
          this.#schedule();
        }
      },
    );
  }

  #failed(groups: readonly Group[], upTo: number, reason: string): void {
    this.#groups = [...groups, ...this.#groups];
    const failure = storeFailed(reason);
    this.#failure = failure;
    if (!this.#isClosed) this.#retry = setTimeout(() => this.#commit(), this.#retryMs).unref();
    for (const { reject } of this.#leaving(upTo)) reject(failure);
  }

  #written(
    groups: readonly Group[],
    upTo: number,
    { refused, ms }: BatchOutcome & { kind: 'written' },
  ): void {
    this.#failure = undefined;
    this.#commits++;
    for (const { writes } of groups) this.#queued -= writes.length;
    for (const { group, reason } of refused) this.#refuse(groups[group]!.owner, refusedWrite(reason));
    this.#onCommit?.(ms);
    const isLater = this.#callbacks.findIndex((callback) => callback.upTo > upTo);
    const due = this.#callbacks.splice(0, isLater < 0 ? this.#callbacks.length : isLater);
    for (const { call } of due) call();
    for (const { resolve } of this.#leaving(upTo)) resolve();
  }

  #refuse(owner: object | undefined, failure: FulguriteError): void {
    if (owner === undefined) this.#lastRefusal = { commit: this.#commits, error: failure };
    else this.#refused.set(owner, failure);
    this.#onRefused(failure);
  }

  /** Removes and returns the waiters that await nothing after this group. */
  #leaving(upTo: number): Waiter[] {
    const isLater = this.#waiters.findIndex((waiter) => waiter.upTo > upTo);
    return this.#waiters.splice(0, isLater < 0 ? this.#waiters.length : isLater);
  }
}

function storeFailed(reason: string): FulguriteError {
  return new FulguriteError('storeFailed', `The change is not on disk yet: ${reason}`, { reason });
}

function refusedWrite(reason: string): FulguriteError {
  return new FulguriteError('storeFailed', `The database refuses the change: ${reason}`, { reason });
}
