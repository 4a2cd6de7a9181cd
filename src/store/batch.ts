/**
 * One batch of writes: groups of statements that are committed in one transaction, each completely or not at all.
 *
 * A group fails alone if the database refuses one of its statements or values, for example because of a constraint. Any
 * other error is attributed to the disk, and nothing of the batch is written.
 */
import type { SqlValue } from './sql-values.ts';

/** One statement and its values, to be run in the next transaction. */
export interface Write {
  readonly sql: string;
  readonly parameters: readonly SqlValue[];
}

/** A group refused by the database: its place in the batch, and the reason. */
export interface RefusedGroup {
  readonly group: number;
  readonly reason: string;
}

/** The result of a batch. */
export type BatchOutcome =
  | { readonly kind: 'written'; readonly refused: readonly RefusedGroup[]; readonly ms: number }
  /** The disk failed. Nothing was written. */
  | { readonly kind: 'failed'; readonly reason: string };

/** Counts commits. Each commit stores its number in the database, and calls back once it is on disk. */
export interface CommitCount {
  /** Number of the last commit before counting begins. */
  readonly from: number;
  /** Makes the write that stores a commit's number in the database, as part of that commit. */
  readonly note: (commit: number) => Write;
  /** Called with the number of a commit that is on disk. */
  readonly onCommitted: (commit: number) => void;
}

/** The functions of a database in this thread that batches need. */
export interface WritableDatabase {
  /** Runs statements in one transaction, all or none. */
  transaction(body: () => void): void;
  /** Runs statements within a transaction. If they fail, only these statements are undone. */
  savepoint(body: () => void): void;
  run(sql: string, ...parameters: SqlValue[]): void;
}

/** Writes batches to a database in this thread. */
export class BatchWriter {
  readonly #database: WritableDatabase;
  #count: CommitCount | undefined;

  constructor(database: WritableDatabase) {
    this.#database = database;
  }

  /** Counts every commit from now on. */
  countCommits(count: CommitCount): void {
    this.#count = count;
  }

  write(groups: readonly (readonly Write[])[]): BatchOutcome {
    const beganMs = performance.now();
    const count = this.#count && { ...this.#count, from: this.#count.from + 1 };
    const number = count === undefined ? [] : [count.note(count.from)];
    let refused: readonly RefusedGroup[];
    try {
      refused = this.#transact(groups, number);
    } catch (error) {
      return { kind: 'failed', reason: reasonOf(error) };
    }
    this.#count = count;
    count?.onCommitted(count.from);
    return { kind: 'written', refused, ms: performance.now() - beganMs };
  }

  #transact(groups: readonly (readonly Write[])[], number: readonly Write[]): readonly RefusedGroup[] {
    try {
      this.#database.transaction(() => {
        for (const writes of groups) this.#run(writes);
        this.#run(number);
      });
      return [];
    } catch (error) {
      if (!isRefusal(error)) throw error;
      return this.#oneByOne(groups, number);
    }
  }

  #run(writes: readonly Write[]): void {
    for (const { sql, parameters } of writes) this.#database.run(sql, ...parameters);
  }

  /** Commits in one transaction with a savepoint per group, so that a refused group fails alone. */
  #oneByOne(groups: readonly (readonly Write[])[], number: readonly Write[]): readonly RefusedGroup[] {
    let refused: RefusedGroup[] = [];
    this.#database.transaction(() => {
      refused = [];
      for (const [group, writes] of groups.entries()) {
        try {
          this.#database.savepoint(() => this.#run(writes));
        } catch (error) {
          if (!isRefusal(error)) throw error;
          refused.push({ group, reason: reasonOf(error) });
        }
      }
      this.#run(number);
    });
    return refused;
  }
}

/**
 * Primary result codes of SQLite (sqlite.org/rescode.html) for faults of the statement or its values: error, too big,
 * constraint, mismatch, range. All other codes count as faults of the disk.
 */
const REFUSALS: ReadonlySet<number> = new Set([1, 18, 19, 20, 25]);

function isRefusal(error: unknown): boolean {
  // Node.js throws these errors for values that cannot be bound to a statement, before SQLite runs the statement.
  if (error instanceof TypeError || error instanceof RangeError) return true;
  return REFUSALS.has(Number((error as { errcode?: number }).errcode ?? 0) & 0xff);
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
