/**
 * The queries for payments and their attempts in PostgreSQL. Queries that need several statements run them in one
 * read-only transaction, so that their results are of the same moment.
 */
import { decodeText, encodeText } from '../columns.ts';
import { firstOutlines, inPlaces, placeOf } from '../outlines.ts';
import type { PaymentRecord } from '../payment-record.ts';
import type {
  ListOrder,
  OutlineFilter,
  PaymentFilter,
  PaymentIndexes,
  SpentKey,
  StoredAttemptRow,
  StoredOutlineRow,
} from '../payment-repository.ts';
import { completeUpTo } from './commit-order.ts';
import type { PgRow, PgRows, PgStatement, PgValue, PostgresLine } from './line.ts';
import { attemptOf, paymentOf, STORED_ATTEMPT, STORED_PAYMENT } from './payment-rows.ts';
import { CREATED_PLACE } from './schema.ts';

const SPENT_KEYS = 'SELECT idempotency_key, payment_hash, status FROM spent_key';

const spentKeyOf = (row: PgRow): SpentKey => ({
  idempotencyKey: decodeText(row.idempotency_key as string)!,
  paymentHash: Uint8Array.from(row.payment_hash as Uint8Array),
  status: String(row.status),
});

const ONE_MOMENT: PgStatement = { sql: 'SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY' };

/** Queries payments on one connection. The methods are those of `PaymentRepository` and `SpentKeys`. */
export class PaymentQueries {
  readonly #questions: PostgresLine;

  constructor(questions: PostgresLine) {
    this.#questions = questions;
  }

  async lastIndexes(): Promise<PaymentIndexes> {
    const [row] = await this.#questions.ask(`SELECT (SELECT max(id) FROM payment) AS payment,
      (SELECT max(id) FROM attempt) AS attempt, (SELECT max(updated_index) FROM attempt) AS updated`);
    const { payment, attempt, updated } = row!;
    return { payment: Number(payment), attempt: Number(attempt), updated: Number(updated) };
  }

  completeUpTo(order: ListOrder): Promise<number> {
    return completeUpTo(this.#questions, order);
  }

  async spentKey(idempotencyKey: string): Promise<SpentKey | undefined> {
    const sql = `${SPENT_KEYS} WHERE idempotency_key = $1`;
    const [row] = await this.#questions.ask(sql, [encodeText(idempotencyKey)]);
    return row && spentKeyOf(row);
  }

  async spentKeys(after: string | undefined, limit: number): Promise<SpentKey[]> {
    const sql = `${SPENT_KEYS}
      WHERE $1::text IS NULL OR idempotency_key COLLATE "C" > $1 ORDER BY idempotency_key COLLATE "C" LIMIT $2`;
    return (await this.#questions.ask(sql, [encodeText(after), limit])).map(spentKeyOf);
  }

  async payments(filter: PaymentFilter = {}): Promise<PaymentRecord[]> {
    const values: PgValue[] = [];
    const conditions = ['true'];
    const where = (condition: string, value: PgValue | undefined): void => {
      if (value === undefined || value === null) return;
      values.push(value);
      conditions.push(`${condition} $${values.length}`);
    };
    where('payment_hash =', filter.paymentHash);
    where('local_request_id =', filter.localRequestId);
    where('idempotency_key =', encodeText(filter.idempotencyKey));
    // A literal lets every plan use the partial index, including generic plans.
    if (filter.status === 'pending') conditions.push(`status = 'pending'`);
    else where('status =', filter.status);
    where('id >', filter.afterIndex);
    const limit = filter.limit === undefined ? '' : `LIMIT ${Math.trunc(filter.limit)}`;
    return this.records(`WHERE ${conditions.join(' AND ')} ORDER BY id ${limit}`, values);
  }

  async recorded(from: number, to: number, limit: number): Promise<PaymentRecord[]> {
    const clause = `WHERE ${CREATED_PLACE} BETWEEN $1 AND $2 ORDER BY ${CREATED_PLACE} LIMIT $3`;
    return inPlaces(await this.records(clause, [from, to, limit]));
  }

  async recordedBefore(to: number, count: number): Promise<number> {
    const places = `SELECT ${CREATED_PLACE} AS place FROM payment WHERE ${CREATED_PLACE} <= $1
      ORDER BY ${CREATED_PLACE} DESC LIMIT $2`;
    const [row] = await this.#questions.ask(`SELECT min(place) AS first FROM (${places}) AS places`, [
      to,
      count,
    ]);
    return Number(row!.first ?? 1);
  }

  async attempts(
    by: 'created' | 'updated',
    start: number,
    span: number,
    paymentStatus?: string,
  ): Promise<StoredAttemptRow[]> {
    const column = by === 'created' ? CREATED_PLACE : 'updated_index';
    const isAsked = `${column} BETWEEN $1 AND $2`;
    const values = [start, start + span - 1];
    const ofState = 'SELECT id FROM payment WHERE status = $3';
    const payments = `SELECT payment FROM attempt WHERE ${isAsked}`;
    const found = paymentStatus === undefined ? payments : `${payments} AND payment IN (${ofState})`;
    const parameters = paymentStatus === undefined ? values : [...values, paymentStatus];
    const [, rows, attempts] = await this.#questions.transaction([
      ONE_MOMENT,
      { sql: `SELECT ${STORED_PAYMENT} FROM payment WHERE id IN (${found}) ORDER BY id`, parameters },
      {
        sql: `SELECT ${STORED_ATTEMPT}, coalesce(${isAsked}, false) AS is_asked FROM attempt
          WHERE payment IN (${found}) ORDER BY id`,
        parameters,
      },
    ]);
    const records = new Map(recordsOf(rows!, attempts!).map((one) => [one.payment.createdIndex, one]));
    return attempts!
      .filter(({ is_asked }) => is_asked === true)
      .map(attemptOf)
      .map((attempt) => ({ attempt, record: records.get(attempt.paymentIndex)! }))
      .sort((one, other) => placeOf(one.attempt, by)! - placeOf(other.attempt, by)!);
  }

  async outlines(
    by: 'created' | 'updated',
    start: number,
    span: number,
    limit: number,
    filter: OutlineFilter = {},
  ): Promise<StoredOutlineRow[]> {
    const column = by === 'created' ? CREATED_PLACE : 'updated_index';
    const parameters: PgValue[] = [start, start + span - 1];
    const conditions = [`${column} BETWEEN $1 AND $2`];
    const where = (status: string | undefined, condition: (place: string) => string): void => {
      if (status === undefined) return;
      parameters.push(status);
      conditions.push(condition(`$${parameters.length}`));
    };
    if (filter.paymentStatus === 'pending') {
      conditions.push(`payment = ANY (ARRAY(SELECT id FROM payment WHERE status = 'pending'))`);
    } else {
      where(filter.paymentStatus, (place) => `payment IN (SELECT id FROM payment WHERE status = ${place})`);
    }
    if (filter.attemptStatus === 'sent') conditions.push(`status = 'sent'`);
    else where(filter.attemptStatus, (place) => `status = ${place}`);
    const found = `SELECT payment FROM attempt WHERE ${conditions.join(' AND ')} ORDER BY ${column} LIMIT ${Math.trunc(limit)}`;
    const ids = `SELECT payment FROM (${found}) AS found`;
    const [, payments, attempts] = await this.#questions.transaction([
      ONE_MOMENT,
      { sql: `SELECT ${STORED_PAYMENT} FROM payment WHERE id IN (${ids}) ORDER BY id`, parameters },
      { sql: `SELECT ${STORED_ATTEMPT} FROM attempt WHERE payment IN (${ids}) ORDER BY id`, parameters },
    ]);
    const outlines = recordsOf(payments!, attempts!).map(({ payment, attempts }) => ({
      ...payment,
      attempts,
    }));
    return firstOutlines(outlines, by, start, span, limit, filter);
  }

  /** The payments that an SQL clause selects, with all their attempts. */
  async records(clause: string, values: readonly PgValue[]): Promise<PaymentRecord[]> {
    const [, payments, attempts] = await this.#questions.transaction([
      ONE_MOMENT,
      { sql: `SELECT ${STORED_PAYMENT} FROM payment ${clause}`, parameters: values },
      {
        sql: `SELECT ${STORED_ATTEMPT} FROM attempt WHERE payment IN (SELECT id FROM payment ${clause}) ORDER BY id`,
        parameters: values,
      },
    ]);
    return recordsOf(payments!, attempts!);
  }
}

function recordsOf(payments: PgRows, attempts: PgRows): PaymentRecord[] {
  const byPayment = new Map<number, PgRow[]>();
  for (const row of attempts) {
    const index = Number(row.payment);
    const known = byPayment.get(index);
    if (known === undefined) byPayment.set(index, [row]);
    else known.push(row);
  }
  return payments.map(paymentOf).map((payment) => ({
    payment,
    attempts: (byPayment.get(payment.createdIndex) ?? []).map(attemptOf),
  }));
}
