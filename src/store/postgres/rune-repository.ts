/**
 * Runes in PostgreSQL. Each data directory has a secret of its own, so it has its own names and its own blacklist.
 * Every change is queued for the next group commit.
 */
import type { BlacklistRange, RuneRepository, RuneRow } from '../rune-repository.ts';
import { arrayText } from './arrays.ts';
import { type PgCommitter, statement } from './committer.ts';
import type { PgRows, PostgresLine } from './line.ts';

const COUNT_ON = `
  INSERT INTO rune_counter AS c (directory, next_unique_id) VALUES ($1, $2)
  ON CONFLICT (directory) DO UPDATE SET next_unique_id = greatest(c.next_unique_id, excluded.next_unique_id)`;

const SKIP = `
  INSERT INTO rune_counter AS c (directory, next_unique_id) VALUES ($1, $2)
  ON CONFLICT (directory) DO UPDATE SET next_unique_id = c.next_unique_id + excluded.next_unique_id`;

/** A rune is written twice only when the answer to a commit was lost. */
const PUT_RUNE = `
  INSERT INTO rune (directory, unique_id, rune, last_used) VALUES ($1, $2, $3, $4)
  ON CONFLICT (directory, unique_id) DO UPDATE SET rune = excluded.rune`;

const PUT_BLACKLIST = `
  INSERT INTO rune_blacklist (directory, first_id, last_id)
  SELECT $1, * FROM unnest($2::bigint[], $3::bigint[])`;

/** Keeps the runes of one data directory in a PostgreSQL database. */
export class PostgresRuneRepository implements RuneRepository {
  readonly #directory: string;
  readonly #questions: PostgresLine;
  readonly #committer: PgCommitter;

  /** @param directory id of the data directory whose secret makes the runes. */
  constructor(directory: string, questions: PostgresLine, committer: PgCommitter) {
    this.#directory = directory;
    this.#questions = questions;
    this.#committer = committer;
  }

  async runes(): Promise<RuneRow[]> {
    const rows = await this.#ask('SELECT * FROM rune WHERE directory = $1 ORDER BY unique_id');
    return rows.map(({ unique_id, rune, last_used }) => ({
      uniqueId: unique_id as bigint,
      text: rune as string,
      lastUsedNs: last_used === null ? undefined : (last_used as bigint),
    }));
  }

  async blacklist(): Promise<BlacklistRange[]> {
    const rows = await this.#ask('SELECT * FROM rune_blacklist WHERE directory = $1 ORDER BY first_id');
    return rows.map(({ first_id, last_id }) => ({ start: first_id as bigint, end: last_id as bigint }));
  }

  async nextUniqueId(): Promise<bigint> {
    const [row] = await this.#ask('SELECT next_unique_id FROM rune_counter WHERE directory = $1');
    return (row?.next_unique_id as bigint | undefined) ?? 0n;
  }

  #ask(sql: string): Promise<PgRows> {
    return this.#questions.ask(sql, [this.#directory]);
  }

  putRune({ uniqueId, text, lastUsedNs }: RuneRow): void {
    this.#committer.write(undefined, [
      statement(PUT_RUNE, this.#directory, uniqueId, text, lastUsedNs ?? null),
      statement(COUNT_ON, this.#directory, uniqueId + 1n),
    ]);
  }

  putLastUsed(uniqueId: bigint, lastUsedNs: bigint): void {
    const sql = 'UPDATE rune SET last_used = $3 WHERE directory = $1 AND unique_id = $2';
    this.#committer.write(undefined, [statement(sql, this.#directory, uniqueId, lastUsedNs)]);
  }

  putBlacklist(ranges: readonly BlacklistRange[]): void {
    const [starts, ends] = [ranges.map(({ start }) => start), ranges.map(({ end }) => end)];
    this.#committer.write(undefined, [
      statement('DELETE FROM rune_blacklist WHERE directory = $1', this.#directory),
      statement(PUT_BLACKLIST, this.#directory, arrayText(starts), arrayText(ends)),
    ]);
  }

  skipUniqueIds(count: bigint): void {
    this.#committer.write(undefined, [statement(SKIP, this.#directory, count)]);
  }

  durable(): Promise<void> {
    return this.#committer.durable();
  }
}
