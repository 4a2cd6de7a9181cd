/**
 * Records in PostgreSQL, for all daemons of a fleet. Changes are queued for the next group commit, except replacements.
 */
import type { KeptRecord, RecordKind, RecordRepository } from '../record-repository.ts';
import { type PgCommitter, statement } from './committer.ts';
import type { PgRows, PostgresLine } from './line.ts';

const PAGE = 'SELECT id, body FROM kept_record WHERE kind = $1 AND id > $2 ORDER BY id LIMIT $3';
const ONE = 'SELECT id, body FROM kept_record WHERE kind = $1 AND id = $2';
const PUT = `
  INSERT INTO kept_record (kind, id, body) VALUES ($1, $2, $3)
  ON CONFLICT (kind, id) DO UPDATE SET body = excluded.body`;
const REPLACE = `
  UPDATE kept_record SET body = $4 WHERE kind = $1 AND id = $2 AND body = $3 RETURNING id`;
const REMOVE = 'DELETE FROM kept_record WHERE kind = $1 AND id = $2';

const recordOf = ({ id, body }: PgRows[number]): KeptRecord => ({ id: String(id), body: String(body) });

/** Stores records in a PostgreSQL database. */
export class PostgresRecordRepository implements RecordRepository {
  readonly #questions: PostgresLine;
  readonly #committer: PgCommitter;

  constructor(questions: PostgresLine, committer: PgCommitter) {
    this.#questions = questions;
    this.#committer = committer;
  }

  async records(kind: RecordKind, afterId = '', limit?: number): Promise<KeptRecord[]> {
    const parameters = [kind, afterId, limit === undefined ? null : BigInt(limit)];
    return (await this.#questions.ask(PAGE, parameters)).map(recordOf);
  }

  async record(kind: RecordKind, id: string): Promise<KeptRecord | undefined> {
    const [row] = await this.#questions.ask(ONE, [kind, id]);
    return row && recordOf(row);
  }

  putRecord(kind: RecordKind, { id, body }: KeptRecord): void {
    this.#committer.write(undefined, [statement(PUT, kind, id, body)]);
  }

  /** Written at once instead of with the next group commit, because another daemon may be replacing the record too. */
  async replaceRecord(kind: RecordKind, { id, body: before }: KeptRecord, body: string): Promise<boolean> {
    return (await this.#questions.ask(REPLACE, [kind, id, before, body])).length > 0;
  }

  removeRecord(kind: RecordKind, id: string): void {
    this.#committer.write(undefined, [statement(REMOVE, kind, id)]);
  }

  durable(): Promise<void> {
    return this.#committer.durable();
  }
}
