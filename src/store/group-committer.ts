/**
 * Group commit: many writers, one transaction.
 *
 * A write is data (a statement and its values), queued when it is made and committed with all others of the
 * same turn of the event loop. Whoever must not answer before its writes are safe awaits `durable()`. One
 * commit costs one fsync however many writes share it.
 *
 * When a commit fails (a full disk), those who await it are told with `storeFailed`; the writes stay queued
 * in order and go into the next attempt, so the disk never misses one in the middle. The queue is bounded:
 * beyond `maxQueued` a write commits at once, and throws when that fails.
 */
import { type Deferred, deferred } from '../model/deferred.ts';
import { FulguriteError } from '../model/errors.ts';
import type { Database, SqlValue } from './database.ts';

export interface Write {
  readonly sql: string;
  readonly parameters: readonly SqlValue[];
}

/** 100,000 writes of about 100 bytes each: as much as a slow disk may fall behind. */
const MAX_QUEUED = 100_000;

export class GroupCommitter {
  readonly #database: Database;
  readonly #maxQueued: number;
  #queue: Write[] = [];
  /** Everyone who awaits the next commit. */
  #next: Deferred | undefined;
  #scheduled: NodeJS.Immediate | undefined;

  constructor(database: Database, maxQueued = MAX_QUEUED) {
    this.#database = database;
    this.#maxQueued = maxQueued;
  }

  /** Writes not yet committed. */
  get queued(): number {
    return this.#queue.length;
  }

  /**
   * Queues writes that belong together: they are committed in one transaction, all or none.
   * @throws FulguriteError storeFailed when the queue is full and cannot be committed; nothing is queued.
   */
  write(...writes: readonly Write[]): void {
    if (this.#queue.length + writes.length > this.#maxQueued) this.flush();
    this.#queue.push(...writes);
    this.#scheduled ??= setImmediate(() => this.#commitQuietly());
  }

  /**
   * Resolves when everything written so far is on disk; at once when there is nothing to wait for.
   * Rejects with FulguriteError storeFailed.
   */
  durable(): Promise<void> {
    if (this.#queue.length === 0) return Promise.resolve();
    this.#next ??= deferred();
    this.#scheduled ??= setImmediate(() => this.#commitQuietly());
    return this.#next.promise;
  }

  /** Commits now. @throws FulguriteError storeFailed; the writes stay queued. */
  flush(): void {
    if (this.#scheduled !== undefined) clearImmediate(this.#scheduled);
    this.#scheduled = undefined;
    const waiting = this.#next;
    this.#next = undefined;
    try {
      this.#commit();
      waiting?.resolve();
    } catch (error) {
      const failure = storeFailed(error);
      waiting?.reject(failure);
      throw failure;
    }
  }

  /** For a commit nobody called for: those who wait learn of a failure through their promise. */
  #commitQuietly(): void {
    try {
      this.flush();
    } catch (error) {
      if (!(error instanceof FulguriteError)) throw error;
    }
  }

  #commit(): void {
    const writes = this.#queue;
    if (writes.length === 0) return;
    this.#database.transaction(() => {
      for (const { sql, parameters } of writes) this.#database.run(sql, ...parameters);
    });
    this.#queue = [];
  }
}

function storeFailed(error: unknown): FulguriteError {
  const reason = error instanceof Error ? error.message : String(error);
  return new FulguriteError('storeFailed', `The change is not on disk yet: ${reason}`, { reason });
}
