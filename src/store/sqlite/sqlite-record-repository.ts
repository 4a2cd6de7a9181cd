/** Records in the SQLite database. Every change is queued for the next group commit. */

import type { KeptRecord, RecordKind, RecordRepository } from '../record-repository.ts';
import type { SqlRow } from '../sql-values.ts';
import type { StoreFile } from '../store-file.ts';
import type { GroupCommitter } from './group-committer.ts';

/** The table of records. */
export const KEPT_RECORDS = `
  CREATE TABLE kept_record (
    kind TEXT NOT NULL,
    id TEXT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (kind, id)
  ) STRICT;
`;

const PAGE = 'SELECT id, body FROM kept_record WHERE kind = ? AND id > ? ORDER BY id LIMIT ?';
const ONE = 'SELECT id, body FROM kept_record WHERE kind = ? AND id = ?';
const PUT = 'INSERT OR REPLACE INTO kept_record (kind, id, body) VALUES (?, ?, ?)';
const REPLACE = 'UPDATE kept_record SET body = ? WHERE kind = ? AND id = ? AND body = ?';
const REMOVE = 'DELETE FROM kept_record WHERE kind = ? AND id = ?';

const recordOf = ({ id, body }: SqlRow): KeptRecord => ({ id: id as string, body: body as string });

/** Stores records in the SQLite database of the data directory. */
export class SqliteRecordRepository implements RecordRepository {
  readonly #file: StoreFile;
  readonly #committer: GroupCommitter;

  constructor(file: StoreFile, committer: GroupCommitter) {
    this.#file = file;
    this.#committer = committer;
  }

  async records(kind: RecordKind, afterId = '', limit = -1): Promise<KeptRecord[]> {
    return (await this.#file.records(PAGE, kind, afterId, limit)).map(recordOf);
  }

  async record(kind: RecordKind, id: string): Promise<KeptRecord | undefined> {
    const [row] = await this.#file.records(ONE, kind, id);
    return row && recordOf(row);
  }

  putRecord(kind: RecordKind, { id, body }: KeptRecord): void {
    this.#committer.write({ sql: PUT, parameters: [kind, id, body] });
  }

  async replaceRecord(kind: RecordKind, { id, body: before }: KeptRecord, body: string): Promise<boolean> {
    this.#committer.write({ sql: REPLACE, parameters: [body, kind, id, before] });
    await this.#committer.durable();
    return (await this.record(kind, id))?.body === body;
  }

  removeRecord(kind: RecordKind, id: string): void {
    this.#committer.write({ sql: REMOVE, parameters: [kind, id] });
  }

  durable(): Promise<void> {
    return this.#committer.durable();
  }
}
