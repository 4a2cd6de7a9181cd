/** Runes in the SQLite database. Every change is queued for the next group commit. */
import type { Write } from '../batch.ts';
import type { BlacklistRange, OutgoRow, RuneRepository, RuneRow } from '../rune-repository.ts';
import type { SqlRow } from '../sql-values.ts';
import type { StoreFile } from '../store-file.ts';
import type { GroupCommitter } from './group-committer.ts';

/** Tables of runes. Times are UNIX nanoseconds. The counter is one row. */
export const RUNES = `
  CREATE TABLE rune (
    unique_id INTEGER PRIMARY KEY,
    rune TEXT NOT NULL,
    last_used INTEGER
  ) STRICT;

  CREATE TABLE rune_blacklist (
    first_id INTEGER PRIMARY KEY,
    last_id INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE rune_counter (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    next_unique_id INTEGER NOT NULL
  ) STRICT;
  INSERT INTO rune_counter (id, next_unique_id) VALUES (1, 0);
`;

/**
 * The amounts counted as spent with each rune, by minute. They are text, because the sum of a minute may exceed 64
 * bits.
 */
export const RUNE_OUTGO = `
  CREATE TABLE rune_outgo (
    unique_id INTEGER NOT NULL,
    minute INTEGER NOT NULL,
    msat TEXT NOT NULL,
    PRIMARY KEY (unique_id, minute)
  ) STRICT;
`;

const PUT_RUNE = 'INSERT INTO rune (unique_id, rune, last_used) VALUES (?, ?, ?)';
const COUNT_ON = 'UPDATE rune_counter SET next_unique_id = max(next_unique_id, ?)';

const BLACKLIST = 'SELECT * FROM rune_blacklist ORDER BY first_id';
const NEXT_UNIQUE_ID = 'SELECT next_unique_id FROM rune_counter';

const rangeOf = ({ first_id, last_id }: SqlRow): BlacklistRange => ({
  start: first_id as bigint,
  end: last_id as bigint,
});

/** Stores runes in the SQLite database of the data directory. */
export class SqliteRuneRepository implements RuneRepository {
  readonly #file: StoreFile;
  readonly #committer: GroupCommitter;

  constructor(file: StoreFile, committer: GroupCommitter) {
    this.#file = file;
    this.#committer = committer;
  }

  async runes(): Promise<RuneRow[]> {
    const rows = await this.#file.records('SELECT * FROM rune ORDER BY unique_id');
    return rows.map(({ unique_id, rune, last_used }) => ({
      uniqueId: unique_id as bigint,
      text: rune as string,
      lastUsedNs: last_used === null ? undefined : (last_used as bigint),
    }));
  }

  async blacklist(): Promise<BlacklistRange[]> {
    return (await this.#file.records(BLACKLIST)).map(rangeOf);
  }

  async nextUniqueId(): Promise<bigint> {
    const [row] = await this.#file.records(NEXT_UNIQUE_ID);
    return row!.next_unique_id as bigint;
  }

  putRune({ uniqueId, text, lastUsedNs }: RuneRow): void {
    this.#committer.write(
      { sql: PUT_RUNE, parameters: [uniqueId, text, lastUsedNs ?? null] },
      { sql: COUNT_ON, parameters: [uniqueId + 1n] },
    );
  }

  putLastUsed(uniqueId: bigint, lastUsedNs: bigint): void {
    const sql = 'UPDATE rune SET last_used = ? WHERE unique_id = ?';
    this.#committer.write({ sql, parameters: [lastUsedNs, uniqueId] });
  }

  putBlacklist(ranges: readonly BlacklistRange[]): void {
    const sql = 'INSERT INTO rune_blacklist (first_id, last_id) VALUES (?, ?)';
    const rows: Write[] = ranges.map(({ start, end }) => ({ sql, parameters: [start, end] }));
    this.#committer.write({ sql: 'DELETE FROM rune_blacklist', parameters: [] }, ...rows);
  }

  async outgo(): Promise<OutgoRow[]> {
    const rows = await this.#file.records('SELECT * FROM rune_outgo');
    return rows.map(({ unique_id, minute, msat }) => ({
      uniqueId: unique_id as bigint,
      minute: Number(minute),
      msat: BigInt(msat as string),
    }));
  }

  putOutgo({ uniqueId, minute, msat }: OutgoRow): void {
    const sql =
      msat === 0n
        ? 'DELETE FROM rune_outgo WHERE unique_id = ? AND minute = ?'
        : 'INSERT OR REPLACE INTO rune_outgo (unique_id, minute, msat) VALUES (?, ?, ?)';
    const parameters = msat === 0n ? [uniqueId, minute] : [uniqueId, minute, String(msat)];
    this.#committer.write({ sql, parameters });
  }

  skipUniqueIds(count: bigint): void {
    const sql = 'UPDATE rune_counter SET next_unique_id = next_unique_id + ?';
    this.#committer.write({ sql, parameters: [count] });
  }

  /**
   * Blacklists every unique id that was used or skipped so far. For startup only. The change is queued like any other.
   * @returns the previous blacklist, and the range that is blacklisted now
   */
  blacklistAll(): { readonly before: readonly BlacklistRange[]; readonly range: BlacklistRange } {
    const before = this.#file.recordsNow(BLACKLIST).map(rangeOf);
    const [counter] = this.#file.recordsNow(NEXT_UNIQUE_ID);
    const range = { start: 0n, end: (counter!.next_unique_id as bigint) - 1n };
    this.putBlacklist([range]);
    return { before, range };
  }

  durable(): Promise<void> {
    return this.#committer.durable();
  }
}
