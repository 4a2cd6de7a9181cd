/**
 * Runes in PostgreSQL. All daemons share one secret, and with it the unique ids and the blacklist. All of these are
 * stored under the id of the data directory that the secret came from. Changes are queued for the next group commit,
 * except those by methods of `SharedRunes`, which resolve once they are committed.
 */
import type { BlacklistRange, OutgoRow, RuneRepository, RuneRow, SharedRunes } from '../rune-repository.ts';
import { arrayText } from './arrays.ts';
import { type PgCommitter, statement } from './committer.ts';
import type { PgRows, PgStatement, PostgresLine } from './line.ts';
import { PostgresRefusal } from './refusal.ts';

const COUNT_ON = `
  INSERT INTO rune_counter AS c (directory, next_unique_id) VALUES ($1, $2)
  ON CONFLICT (directory) DO UPDATE SET next_unique_id = greatest(c.next_unique_id, excluded.next_unique_id)`;

const SKIP = `
  INSERT INTO rune_counter AS c (directory, next_unique_id) VALUES ($1, $2)
  ON CONFLICT (directory) DO UPDATE SET next_unique_id = c.next_unique_id + excluded.next_unique_id`;

/** A rune is written twice only if the answer to a commit was lost. */
const PUT_RUNE = `
  INSERT INTO rune (directory, unique_id, rune, last_used) VALUES ($1, $2, $3, $4)
  ON CONFLICT (directory, unique_id) DO UPDATE SET rune = excluded.rune`;

const PUT_BLACKLIST = `
  INSERT INTO rune_blacklist (directory, first_id, last_id)
  SELECT $1, * FROM unnest($2::bigint[], $3::bigint[])`;

const JOIN_BOOK = 'INSERT INTO rune_book (directory, secret) VALUES ($1, $2) ON CONFLICT DO NOTHING';

const TAKE_ID = `
  INSERT INTO rune_counter AS c (directory, next_unique_id) VALUES ($1, 1)
  ON CONFLICT (directory) DO UPDATE SET next_unique_id = c.next_unique_id + 1
  RETURNING next_unique_id - 1 AS id`;

/** Notifies all daemons that runes have changed. */
const CHANGED = statement('UPDATE rune_book SET version = version + 1');

/** Divides by zero, and so fails, if runes have changed since this version. */
const STILL = `
  UPDATE rune_book SET version = version + 1 / (CASE WHEN version = $1::bigint THEN 1 ELSE 0 END)`;
const DIVISION_BY_ZERO = '22012';

const PUT_OUTGO = `
  INSERT INTO rune_outgo (directory, unique_id, minute, msat) VALUES ($1, $2, $3, $4)
  ON CONFLICT (directory, unique_id, minute) DO UPDATE SET msat = excluded.msat`;
const OUTGO_ELSEWHERE =
  'SELECT msat FROM rune_outgo WHERE directory <> $1 AND unique_id = $2 AND minute >= $3';
const DROP_OUTGO = 'DELETE FROM rune_outgo WHERE directory = $1 AND unique_id = $2 AND minute = $3';

/** Stores the runes of all daemons in a PostgreSQL database. */
export class PostgresRuneRepository implements RuneRepository, SharedRunes {
  readonly shared: SharedRunes = this;
  /** Id of the data directory under which runes are stored. */
  #directory: string;
  /** Id of this daemon's data directory, under which it counts spending. */
  readonly #ownDirectory: string;
  readonly #questions: PostgresLine;
  readonly #committer: PgCommitter;

  readonly #onChange: (listener: () => void) => void;

  /**
   * @param directory id of the data directory of this daemon
   * @param onChange calls back when another daemon may have changed runes
   */
  constructor(
    directory: string,
    questions: PostgresLine,
    committer: PgCommitter,
    onChange: (listener: () => void) => void,
  ) {
    this.#directory = directory;
    this.#ownDirectory = directory;
    this.#questions = questions;
    this.#committer = committer;
    this.#onChange = onChange;
  }

  async secret(own: Uint8Array): Promise<Uint8Array> {
    await this.#questions.ask(JOIN_BOOK, [this.#directory, own]);
    const [row] = await this.#questions.ask('SELECT directory, secret FROM rune_book');
    this.#directory = String(row!.directory);
    return new Uint8Array(row!.secret as Buffer);
  }

  async takeUniqueId(): Promise<bigint> {
    const [row] = await this.#ask(TAKE_ID);
    return row!.id as bigint;
  }

  async version(): Promise<bigint> {
    const [row] = await this.#questions.ask('SELECT version FROM rune_book');
    return row!.version as bigint;
  }

  async replaceBlacklist(ranges: readonly BlacklistRange[], version: bigint): Promise<boolean> {
    try {
      await this.#questions.transaction([
        { sql: STILL, parameters: [version] },
        ...this.#blacklistStatements(ranges),
      ]);
      return true;
    } catch (error) {
      if (error instanceof PostgresRefusal && error.state === DIVISION_BY_ZERO) return false;
      throw error;
    }
  }

  async outgoElsewhere(uniqueId: bigint, sinceMinute: number): Promise<bigint> {
    const parameters = [this.#ownDirectory, uniqueId, BigInt(sinceMinute)];
    const rows = await this.#questions.ask(OUTGO_ELSEWHERE, parameters);
    return rows.reduce((sum, { msat }) => sum + BigInt(msat as string), 0n);
  }

  onChange(listener: () => void): void {
    this.#onChange(listener);
  }

  #blacklistStatements(ranges: readonly BlacklistRange[]): readonly PgStatement[] {
    const [starts, ends] = [ranges.map(({ start }) => start), ranges.map(({ end }) => end)];
    return [
      { sql: 'DELETE FROM rune_blacklist WHERE directory = $1', parameters: [this.#directory] },
      { sql: PUT_BLACKLIST, parameters: [this.#directory, arrayText(starts), arrayText(ends)] },
    ];
  }

  async runes(): Promise<RuneRow[]> {
    const rows = await this.#ask(
      'SELECT unique_id, rune, last_used FROM rune WHERE directory = $1 ORDER BY unique_id',
    );
    return rows.map(({ unique_id, rune, last_used }) => ({
      uniqueId: unique_id as bigint,
      text: rune as string,
      lastUsedNs: last_used === null ? undefined : (last_used as bigint),
    }));
  }

  async blacklist(): Promise<BlacklistRange[]> {
    const rows = await this.#ask(
      'SELECT first_id, last_id FROM rune_blacklist WHERE directory = $1 ORDER BY first_id',
    );
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
      CHANGED,
    ]);
  }

  putLastUsed(uniqueId: bigint, lastUsedNs: bigint): void {
    const sql = 'UPDATE rune SET last_used = $3 WHERE directory = $1 AND unique_id = $2';
    this.#committer.write(undefined, [statement(sql, this.#directory, uniqueId, lastUsedNs)]);
  }

  putBlacklist(ranges: readonly BlacklistRange[]): void {
    const writes = this.#blacklistStatements(ranges).map(({ sql, parameters = [] }) =>
      statement(sql, ...parameters),
    );
    this.#committer.write(undefined, [...writes, CHANGED]);
  }

  async outgo(): Promise<OutgoRow[]> {
    const sql = 'SELECT unique_id, minute, msat FROM rune_outgo WHERE directory = $1';
    const rows = await this.#questions.ask(sql, [this.#ownDirectory]);
    return rows.map(({ unique_id, minute, msat }) => ({
      uniqueId: unique_id as bigint,
      minute: Number(minute),
      msat: BigInt(msat as string),
    }));
  }

  putOutgo({ uniqueId, minute, msat }: OutgoRow): void {
    const change =
      msat === 0n
        ? statement(DROP_OUTGO, this.#ownDirectory, uniqueId, BigInt(minute))
        : statement(PUT_OUTGO, this.#ownDirectory, uniqueId, BigInt(minute), String(msat));
    this.#committer.write(undefined, [change]);
  }

  skipUniqueIds(count: bigint): void {
    this.#committer.write(undefined, [statement(SKIP, this.#directory, count)]);
  }

  durable(): Promise<void> {
    return this.#committer.durable();
  }
}
