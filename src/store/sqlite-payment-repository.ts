/**
 * Payments and their attempts in the SQLite database. Every change is queued for the next group commit.
 * Questions are answered at once. The interface is asynchronous only for the sake of other stores.
 */
import { decodeText, decodeU64, encodeText, encodeU64 } from './columns.ts';
import type { Database, SqlRow, SqlValue } from './database.ts';
import type { GroupCommitter, Write } from './group-committer.ts';
import type {
  AttemptRow,
  PaymentFilter,
  PaymentIndexes,
  PaymentRecord,
  PaymentRepository,
  PaymentRow,
  StoredAttemptRow,
} from './payment-repository.ts';

const orNull = <T extends SqlValue>(value: T | undefined): SqlValue => value ?? null;

const PUT_PAYMENT = `
  INSERT INTO payment (id, uid, payment_hash, preimage, group_id, payment_secret, total_msat, request,
    idempotency_key, local_request_id, status, failure, created_at, completed_at)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (id) DO UPDATE SET preimage = excluded.preimage, total_msat = excluded.total_msat, status = excluded.status,
    failure = excluded.failure, completed_at = excluded.completed_at`;

const PUT_ATTEMPT = `
  INSERT INTO attempt (id, uid, payment, part_id, amount_msat, amount_sent_msat, probability_ppm, height,
    part_of_several, session_key, path, status, failure, learned, created_at, completed_at, updated_index)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (id) DO UPDATE SET status = excluded.status, failure = excluded.failure,
    learned = excluded.learned, completed_at = excluded.completed_at, updated_index = excluded.updated_index`;

/** Keeps payments in the SQLite database of the data directory. */
export class SqlitePaymentRepository implements PaymentRepository {
  readonly #database: Database;
  readonly #committer: GroupCommitter;

  constructor(database: Database, committer: GroupCommitter) {
    this.#database = database;
    this.#committer = committer;
  }

  async lastIndexes(): Promise<PaymentIndexes> {
    const highest = (column: string, table: string): number =>
      Number(this.#database.all(`SELECT max(${column}) AS highest FROM ${table}`)[0]?.highest ?? 0);
    return {
      payment: highest('id', 'payment'),
      attempt: highest('id', 'attempt'),
      updated: highest('updated_index', 'attempt'),
    };
  }

  /** Queues rows as they are now, in one transaction: new rows, or new states of old ones. */
  put(owner: object, payment: PaymentRow | undefined, attempts: readonly AttemptRow[]): void {
    const writes = attempts.map(attemptWrite);
    this.#committer.writeFor(owner, ...(payment === undefined ? writes : [paymentWrite(payment), ...writes]));
  }

  /** Queues the removal of attempts, or of the whole payment when `attemptIndexes` is undefined. */
  remove(paymentIndex: number, attemptIndexes: readonly number[] | undefined): void {
    if (attemptIndexes === undefined) {
      this.#committer.write({ sql: 'DELETE FROM payment WHERE id = ?', parameters: [paymentIndex] });
      return;
    }
    const sql = 'DELETE FROM attempt WHERE id = ?';
    this.#committer.write(...attemptIndexes.map((index) => ({ sql, parameters: [index] })));
  }

  /**
   * Resolves when everything that was put is on disk. @throws FulguriteError storeFailed; see
   * `GroupCommitter`.
   */
  durable(owner?: object): Promise<void> {
    return this.#committer.durable(owner);
  }

  /** Calls back when everything that was put is on disk, or refused by the database. */
  whenWritten(callback: () => void): void {
    this.#committer.whenWritten(callback);
  }

  async payments(filter: PaymentFilter = {}): Promise<PaymentRecord[]> {
    const conditions: string[] = [];
    const values: SqlValue[] = [];
    const where = (condition: string, value: SqlValue | undefined): void => {
      if (value === undefined || value === null) return;
      conditions.push(condition);
      values.push(value);
    };
    where('payment_hash = ?', filter.paymentHash);
    where('local_request_id = ?', filter.localRequestId);
    where('idempotency_key = ?', encodeText(filter.idempotencyKey));
    where('status = ?', filter.status);
    where('id > ?', filter.afterIndex);
    const clause = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
    const sql = `SELECT * FROM payment ${clause} ORDER BY id LIMIT ?`;
    return this.#records(sql, ...values, filter.limit ?? -1);
  }

  async unfinished(): Promise<PaymentRecord[]> {
    const sql = `SELECT * FROM payment WHERE status = 'pending'
      OR id IN (SELECT payment FROM attempt WHERE status = 'sent') ORDER BY id`;
    return this.#records(sql);
  }

  async attempts(by: 'created' | 'updated', start: number, limit: number): Promise<StoredAttemptRow[]> {
    const column = by === 'created' ? 'id' : 'updated_index';
    const sql = `SELECT * FROM attempt WHERE ${column} >= ? ORDER BY ${column} LIMIT ?`;
    const records = new Map<number, PaymentRecord>();
    return [...this.#database.iterateBig(sql, start, limit)].map((row) => {
      const attempt = attemptOf(row);
      const { paymentIndex } = attempt;
      const record =
        records.get(paymentIndex) ?? this.#records('SELECT * FROM payment WHERE id = ?', paymentIndex)[0]!;
      records.set(paymentIndex, record);
      return { attempt, record };
    });
  }

  #records(sql: string, ...values: SqlValue[]): PaymentRecord[] {
    const payments = [...this.#database.iterateBig(sql, ...values)].map(paymentOf);
    return payments.map((payment) => ({ payment, attempts: this.#attemptsOf(payment.createdIndex) }));
  }

  #attemptsOf(paymentIndex: number): AttemptRow[] {
    const sql = 'SELECT * FROM attempt WHERE payment = ? ORDER BY id';
    return [...this.#database.iterateBig(sql, paymentIndex)].map(attemptOf);
  }
}

const paymentWrite = (row: PaymentRow): Write => ({
  sql: PUT_PAYMENT,
  parameters: [
    row.createdIndex,
    row.id,
    row.paymentHash,
    orNull(row.preimage),
    encodeU64(row.groupId),
    orNull(row.paymentSecret),
    encodeU64(row.totalMsat),
    row.request,
    encodeText(row.idempotencyKey),
    orNull(row.localRequestId),
    row.status,
    orNull(row.failure),
    row.createdAtMs,
    orNull(row.completedAtMs),
  ],
});

const attemptWrite = (row: AttemptRow): Write => ({
  sql: PUT_ATTEMPT,
  parameters: [
    row.createdIndex,
    row.id,
    row.paymentIndex,
    row.partId,
    encodeU64(row.amountMsat),
    encodeU64(row.amountSentMsat),
    row.probabilityPpm,
    row.height,
    Number(row.partOfSeveral),
    row.sessionKey,
    row.path,
    row.status,
    orNull(row.failure),
    orNull(row.learned),
    row.createdAtMs,
    orNull(row.completedAtMs),
    orNull(row.updatedIndex),
  ],
});

const numberOrNothing = (value: SqlValue | undefined): number | undefined =>
  value === null || value === undefined ? undefined : Number(value);
const bytesOrNothing = (value: SqlValue | undefined): Uint8Array | undefined =>
  value === null || value === undefined ? undefined : (value as Uint8Array);

const paymentOf = (row: SqlRow): PaymentRow => ({
  id: row.uid as string,
  createdIndex: Number(row.id),
  paymentHash: row.payment_hash as Uint8Array,
  preimage: bytesOrNothing(row.preimage),
  groupId: decodeU64(row.group_id),
  paymentSecret: bytesOrNothing(row.payment_secret),
  totalMsat: decodeU64(row.total_msat),
  request: row.request as Uint8Array,
  idempotencyKey: decodeText(row.idempotency_key),
  localRequestId: bytesOrNothing(row.local_request_id),
  status: row.status as string,
  failure: bytesOrNothing(row.failure),
  createdAtMs: Number(row.created_at),
  completedAtMs: numberOrNothing(row.completed_at),
});

const attemptOf = (row: SqlRow): AttemptRow => ({
  id: row.uid as string,
  createdIndex: Number(row.id),
  paymentIndex: Number(row.payment),
  partId: Number(row.part_id),
  amountMsat: decodeU64(row.amount_msat),
  amountSentMsat: decodeU64(row.amount_sent_msat),
  probabilityPpm: Number(row.probability_ppm),
  height: Number(row.height),
  partOfSeveral: row.part_of_several === 1n,
  sessionKey: row.session_key as Uint8Array,
  path: row.path as Uint8Array,
  status: row.status as string,
  failure: bytesOrNothing(row.failure),
  learned: bytesOrNothing(row.learned),
  createdAtMs: Number(row.created_at),
  completedAtMs: numberOrNothing(row.completed_at),
  updatedIndex: numberOrNothing(row.updated_index),
});
