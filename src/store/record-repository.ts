/**
 * Small records of features, such as quotes, undelivered notifications, and settings and balances of our nodes: a kind,
 * an id, and a JSON text that only the feature reads.
 *
 * A store promises the same as for the other repositories: changes are written in the order in which they are made,
 * each completely or not at all, and `durable` resolves once they are durable. The SQLite store writes all changes made
 * in one turn of the event loop together, including those of payments. The PostgreSQL store commits changes of payments
 * separately.
 */

/** The kinds of records. */
export const RECORD_KINDS = ['quote', 'webhook', 'notice', 'node', 'balance', 'splice', 'invoice'] as const;

/** The kind of a record. */
export type RecordKind = (typeof RECORD_KINDS)[number];

/** One record. */
export interface KeptRecord {
  /** Unique within its kind. */
  readonly id: string;
  /** JSON text. */
  readonly body: string;
}

/** The interface of a store of records. */
export interface RecordRepository {
  /** The records of a kind, ordered by id. `afterId` and `limit` restrict them to a page. */
  records(kind: RecordKind, afterId?: string, limit?: number): Promise<readonly KeptRecord[]>;

  /** One record. Undefined when there is none. */
  record(kind: RecordKind, id: string): Promise<KeptRecord | undefined>;

  /**
   * Stores a record, and replaces an earlier one with the same id. @throws FulguriteError storeFailed when the queue is
   * full
   */
  putRecord(kind: RecordKind, record: KeptRecord): void;

  /**
   * Replaces the body of a record, unless the record has changed since it was read. Resolves to whether it was
   * replaced, once that is durable. @throws FulguriteError storeFailed
   */
  replaceRecord(kind: RecordKind, read: KeptRecord, body: string): Promise<boolean>;

  /** Removes a record. Does nothing when there is none. @throws FulguriteError storeFailed when the queue is full */
  removeRecord(kind: RecordKind, id: string): void;

  /** Resolves once all changes so far are durable. @throws FulguriteError storeFailed */
  durable(): Promise<void>;
}
