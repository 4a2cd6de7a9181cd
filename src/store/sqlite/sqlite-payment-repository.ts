/**
 * Payments and their attempts in the SQLite database. Every change is queued for the next group commit. Queries see
 * every batch given to the database before them.
 */

import { FulguriteError } from '../../model/errors.ts';
import { decodeText, encodeText } from '../columns.ts';
import { firstOutlines, inPlaces } from '../outlines.ts';
import type { AttemptRow, PaymentRecord, PaymentRow } from '../payment-record.ts';
import type {
  OutlineFilter,
  PaymentFilter,
  PaymentIndexes,
  PaymentRepository,
  SpentKey,
  SpentKeys,
  StoredAttemptRow,
  StoredOutlineRow,
} from '../payment-repository.ts';
import type { SqlRow, SqlValue } from '../sql-values.ts';
import type { StoreFile } from '../store-file.ts';
import type { GroupCommitter } from './group-committer.ts';
import {
  attemptWrite,
  outlinesOf,
  paymentWrite,
  recordsOf,
  withAttempts,
  withOutlines,
} from './payment-rows.ts';

const SPEND_KEY = `
  INSERT OR IGNORE INTO spent_key (idempotency_key, payment_hash, status)
  SELECT idempotency_key, payment_hash, status FROM payment WHERE id = ? AND idempotency_key IS NOT NULL`;

const SPENT_KEYS = 'SELECT idempotency_key, payment_hash, status FROM spent_key';

const spentKeyOf = (row: SqlRow): SpentKey => ({
  idempotencyKey: decodeText(row.idempotency_key)!,
  paymentHash: row.payment_hash as Uint8Array,
  status: String(row.status),
});

/** The place of a payment in recording order. The database index is on exactly this expression. */
const PLACE = 'coalesce(created_order, id)';

const KEEP_LAST_PLACE = `
  INSERT INTO last_place (only_row, place) SELECT 1, coalesce(max(${PLACE}), 0) FROM payment WHERE true
  ON CONFLICT (only_row) DO UPDATE SET place = max(place, excluded.place)`;

const UNFINISHED = `
  SELECT * FROM payment WHERE id IN (
    SELECT id FROM payment WHERE status = 'pending' UNION SELECT payment FROM attempt WHERE status = 'sent')`;

/** A query for the payments of the attempts whose index, or number of the latest change, is in a range. */
function paymentsOfAttempts(by: 'created' | 'updated', hasStatus: boolean): string {
  const column = by === 'created' ? 'id' : 'updated_index';
  const ids = `SELECT payment FROM attempt WHERE ${column} BETWEEN ? AND ?`;
  return `SELECT * FROM payment WHERE id IN (${ids})${hasStatus ? ' AND status = ?' : ''}`;
}

/**
 * A query for the payments of the first matching attempts whose index, or number of the latest change, is in a range,
 * reduced to the columns that lists show.
 */
function outlinesOfAttempts(by: 'created' | 'updated', filter: OutlineFilter): string {
  const column = by === 'created' ? 'id' : 'updated_index';
  const isPending = filter.paymentStatus === 'pending';
  const isSent = filter.attemptStatus === 'sent';
  // Attempts in progress have partial indexes, which SQLite uses only if the condition is a literal. The plus sign
  // keeps SQLite from searching the range of numbers instead, which may be the whole table.
  const place = isPending || isSent ? `+${column}` : column;
  const conditions = [`${place} BETWEEN ? AND ?`];
  if (isPending) conditions.push("payment IN (SELECT id FROM payment WHERE status = 'pending')");
  else if (filter.paymentStatus !== undefined) {
    conditions.push('(SELECT status FROM payment WHERE id = attempt.payment) = ?');
  }
  if (isSent) conditions.push("status = 'sent'");
  else if (filter.attemptStatus !== undefined) conditions.push('status = ?');
  const ids = `SELECT payment FROM attempt WHERE ${conditions.join(' AND ')} ORDER BY ${column} LIMIT ?`;
  return withOutlines(`SELECT * FROM payment WHERE id IN (${ids})`);
}

/**
 * A query for the ids of payments with a given value in a column, looked up twice: by each of the column's two database
 * indexes.
 */
const TWO_INDEXES = (column: string): string =>
  [1, 2]
    .map((which) => {
      const index = `payment_${column}${which === 1 ? '' : '_again'}`;
      return `SELECT * FROM (SELECT ${which}, id FROM payment INDEXED BY ${index}
        WHERE ${column} = ? AND id > ? ORDER BY id LIMIT ?)`;
    })
    .join(' UNION ALL ');

/**
 * @throws FulguriteError storeFailed when two look-ups for the same payments differ, which means that a page is
 * damaged.
 */
function requireEqual(first: readonly number[], second: readonly number[]): void {
  if (first.length === second.length && first.every((id, index) => id === second[index])) return;
  const reason = 'the database is damaged: two indexes contain different payments';
  throw new FulguriteError('storeFailed', `The look-up is refused: ${reason}`, { reason });
}

/** Stores payments in the SQLite database of the data directory. */
export class SqlitePaymentRepository implements PaymentRepository, SpentKeys {
  readonly #file: StoreFile;
  readonly #committer: GroupCommitter;

  constructor(file: StoreFile, committer: GroupCommitter) {
    this.#file = file;
    this.#committer = committer;
  }

  async lastIndexes(): Promise<PaymentIndexes> {
    const highest = async (sql: string): Promise<number> => Number((await this.#file.rows(sql))[0]![0] ?? 0);
    const [payment, attempt, updated] = await Promise.all([
      highest('SELECT max(id) FROM payment'),
      highest('SELECT max(id) FROM attempt'),
      // The partial index has this condition. Without the condition, the whole table would be read.
      highest('SELECT max(updated_index) FROM attempt WHERE updated_index IS NOT NULL'),
    ]);
    return { payment, attempt, updated };
  }

  async lastPlace(): Promise<number> {
    const [row] = await this.#file.rows(`SELECT max(coalesce((SELECT max(${PLACE}) FROM payment), 0),
      coalesce((SELECT place FROM last_place), 0))`);
    return Number(row![0]);
  }

  put(owner: object, payment: PaymentRow | undefined, attempts: readonly AttemptRow[]): void {
    const writes = attempts.map(attemptWrite);
    this.#committer.writeFor(owner, ...(payment === undefined ? writes : [paymentWrite(payment), ...writes]));
  }

  remove(paymentIndex: number, attemptIndexes: readonly number[] | undefined): void {
    if (attemptIndexes === undefined) {
      this.#committer.write(
        { sql: KEEP_LAST_PLACE, parameters: [] },
        { sql: SPEND_KEY, parameters: [paymentIndex] },
        { sql: 'DELETE FROM payment WHERE id = ?', parameters: [paymentIndex] },
      );
      return;
    }
    const sql = 'DELETE FROM attempt WHERE id = ?';
    this.#committer.write(...attemptIndexes.map((index) => ({ sql, parameters: [index] })));
  }

  freeKey(paymentIndex: number): void {
    const sql = `UPDATE payment SET idempotency_key = NULL WHERE id = ? AND status = 'failed'`;
    this.#committer.write({ sql, parameters: [paymentIndex] });
  }

  async spentKey(idempotencyKey: string): Promise<SpentKey | undefined> {
    const sql = `${SPENT_KEYS} WHERE idempotency_key = ?`;
    const [row] = await this.#file.records(sql, encodeText(idempotencyKey));
    return row && spentKeyOf(row);
  }

  async spentKeys(after: string | undefined, limit: number): Promise<SpentKey[]> {
    const sql = `${SPENT_KEYS} WHERE ?1 IS NULL OR idempotency_key > ?1 ORDER BY idempotency_key LIMIT ?2`;
    return (await this.#file.records(sql, encodeText(after), limit)).map(spentKeyOf);
  }

  putSpentKey({ idempotencyKey, paymentHash, status }: SpentKey): void {
    const sql = 'INSERT OR IGNORE INTO spent_key (idempotency_key, payment_hash, status) VALUES (?, ?, ?)';
    this.#committer.write({ sql, parameters: [encodeText(idempotencyKey), paymentHash, status] });
  }

  durable(owner?: object): Promise<void> {
    return this.#committer.durable(owner);
  }

  whenWritten(callback: () => void): void {
    this.#committer.whenWritten(callback);
  }

  async payments(filter: PaymentFilter = {}): Promise<PaymentRecord[]> {
    const ids = await this.#idsByTwoIndexes(filter);
    if (ids?.length === 0) return [];
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
    const found = `SELECT * FROM payment ${clause} ORDER BY id LIMIT ?`;
    const records = recordsOf(await this.#file.rows(withAttempts(found), ...values, filter.limit ?? -1));
    const keys = [filter.paymentHash, filter.localRequestId, filter.idempotencyKey];
    // The look-up was by one key, so only without other conditions does it find the same payments.
    if (
      ids !== undefined &&
      filter.status === undefined &&
      keys.filter((key) => key !== undefined).length === 1
    ) {
      requireEqual(
        ids,
        records.map(({ payment }) => payment.createdIndex),
      );
    }
    return records;
  }

  async recorded(from: number, to: number, limit: number): Promise<PaymentRecord[]> {
    const found = `SELECT * FROM payment WHERE ${PLACE} BETWEEN ? AND ? ORDER BY ${PLACE} LIMIT ?`;
    return inPlaces(recordsOf(await this.#file.rows(withAttempts(found), from, to, limit)));
  }

  async recordedBefore(to: number, count: number): Promise<number> {
    const places = `SELECT ${PLACE} AS place FROM payment WHERE ${PLACE} <= ? ORDER BY ${PLACE} DESC LIMIT ?`;
    const [row] = await this.#file.rows(`SELECT min(place) FROM (${places})`, to, count);
    return Number(row![0] ?? 1);
  }

  /**
   * The numbers of the payments with the given value, looked up in two indexes of the database. Undefined if no value
   * is given.
   * @throws FulguriteError storeFailed when the two look-ups differ
   */
  async #idsByTwoIndexes({
    paymentHash,
    localRequestId,
    idempotencyKey,
    afterIndex = 0,
    limit = -1,
  }: PaymentFilter): Promise<number[] | undefined> {
    const looksFor: readonly (readonly [column: string, value: SqlValue | undefined])[] = [
      ['idempotency_key', encodeText(idempotencyKey)],
      ['payment_hash', paymentHash],
      ['local_request_id', localRequestId],
    ];
    const [column, value] = looksFor.find(([, one]) => one !== undefined && one !== null) ?? [];
    if (column === undefined || value === undefined) return undefined;
    const parameters = [value, afterIndex, limit];
    const rows = await this.#file.rows(TWO_INDEXES(column), ...parameters, ...parameters);
    const [first, second] = [1n, 2n].map((which) =>
      rows.filter((row) => row[0] === which).map((row) => Number(row[1])),
    );
    requireEqual(first!, second!);
    return first;
  }

  async unfinished(): Promise<PaymentRecord[]> {
    return recordsOf(await this.#file.rows(withAttempts(UNFINISHED)));
  }

  async attempts(
    by: 'created' | 'updated',
    start: number,
    span: number,
    paymentStatus?: string,
  ): Promise<StoredAttemptRow[]> {
    const values = [start, start + span - 1, ...(paymentStatus === undefined ? [] : [paymentStatus])];
    const sql = withAttempts(paymentsOfAttempts(by, paymentStatus !== undefined));
    const records = recordsOf(await this.#file.rows(sql, ...values));
    const key = by === 'created' ? 'createdIndex' : 'updatedIndex';
    const isAsked = (index: number | undefined) =>
      index !== undefined && index >= start && index < start + span;
    return records
      .flatMap((record) => record.attempts.map((attempt) => ({ attempt, record })))
      .filter(({ attempt }) => isAsked(attempt[key]))
      .sort((one, other) => one.attempt[key]! - other.attempt[key]!);
  }

  async outlines(
    by: 'created' | 'updated',
    start: number,
    span: number,
    limit: number,
    filter: OutlineFilter = {},
  ): Promise<StoredOutlineRow[]> {
    // The states of attempts and payments in progress must be literals, because SQLite uses the partial indexes only
    // for literals.
    const { paymentStatus, attemptStatus } = filter;
    const states = [
      ...(paymentStatus === undefined || paymentStatus === 'pending' ? [] : [paymentStatus]),
      ...(attemptStatus === undefined || attemptStatus === 'sent' ? [] : [attemptStatus]),
    ];
    const values = [start, start + span - 1, ...states, limit];
    const payments = outlinesOf(await this.#file.rows(outlinesOfAttempts(by, filter), ...values));
    return firstOutlines(payments, by, start, span, limit, filter);
  }
}
