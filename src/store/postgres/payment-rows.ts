/**
 * Conversion of payment and attempt rows to PostgreSQL and back.
 *
 * One statement writes the rows of many puts. Each payment's rows include its fence. All rows of a payment that another
 * daemon has claimed are left out, and the answer names the payment. Rewriting a row changes only the columns that can
 * change.
 */
import { attemptValues } from '../attempt-values.ts';
import { decodeText, decodeU64, encodeText, encodeU64 } from '../columns.ts';
import { LeaseLost } from '../payment-leases.ts';
import type { AttemptRow, PaymentRow } from '../payment-record.ts';
import { columnTexts } from './arrays.ts';
import type { RowSink } from './committer.ts';
import type { PgRow, PgRows, PgStatement, PgValue } from './line.ts';
import { nextInOrder } from './schema.ts';

/** The owner of the payments. */
export interface PaymentOwner {
  /** Id of this daemon, the same in each run. */
  readonly daemon: string;
  /** Number of this run of the daemon. */
  readonly run: number;
  /** The Lightning node whose channels carry our payments. */
  readonly node: string;
  readonly leaseMs: number;
}

/** The changes of one `put`. */
export interface PaymentPut {
  readonly paymentIndex: number;
  readonly fence: number;
  readonly payment: PaymentRow | undefined;
  readonly attempts: readonly AttemptRow[];
}

const PAYMENT_COLUMNS = [
  ['id', 'bigint'],
  ['uid', 'text'],
  ['payment_hash', 'bytea'],
  ['preimage', 'bytea'],
  ['group_id', 'bigint'],
  ['payment_secret', 'bytea'],
  ['total_msat', 'bigint'],
  ['request', 'bytea'],
  ['idempotency_key', 'text'],
  ['local_request_id', 'bytea'],
  ['single_use_request_id', 'bytea'],
  ['status', 'text'],
  ['failure', 'bytea'],
  ['created_at', 'bigint'],
  ['completed_at', 'bigint'],
  ['created_order', 'bigint'],
  ['fence', 'bigint'],
] as const;

const ATTEMPT_COLUMNS = [
  ['id', 'bigint'],
  ['uid', 'text'],
  ['payment', 'bigint'],
  ['part_id', 'bigint'],
  ['amount_msat', 'bigint'],
  ['amount_sent_msat', 'bigint'],
  ['probability_ppm', 'bigint'],
  ['height', 'bigint'],
  ['part_of_several', 'bigint'],
  ['session_key', 'bytea'],
  ['path', 'bytea'],
  ['status', 'text'],
  ['failure', 'bytea'],
  ['learned', 'bytea'],
  ['created_at', 'bigint'],
  ['completed_at', 'bigint'],
  ['updated_index', 'bigint'],
  ['own_node', 'text'],
  ['uncorrected_ppm', 'bigint'],
  ['fence', 'bigint'],
] as const;

type Columns = readonly (readonly [name: string, type: string])[];

const names = (columns: Columns): string => columns.map(([name]) => name).join(', ');

/** `unnest` of the columns, with parameters from `$first` on. */
function unnested(columns: Columns, first: number): string {
  const arrays = columns.map(([, type], index) => `$${first + index}::${type}[]`);
  return `SELECT * FROM unnest(${arrays.join(', ')}) AS r(${names(columns)})`;
}

/**
 * The columns to write for a new payment. Its place is not among them, because the database assigns the place, except
 * when payments are moved from another store.
 */
const OWN_PAYMENT = PAYMENT_COLUMNS.filter(([name]) => name !== 'created_order');
const OWN_ATTEMPT = ATTEMPT_COLUMNS.slice(0, -1);
/** The database assigns change numbers in commit order. A row only indicates whether there was a change. */
const IN_ORDER = names(OWN_ATTEMPT).replace(
  'updated_index',
  `CASE WHEN updated_index IS NOT NULL THEN ${nextInOrder('attempt_updated_order')} END`,
);
/** The rewritten row of an ended attempt keeps its change number. */
const UPDATED_ONCE = `CASE WHEN attempt.status = 'sent' THEN excluded.updated_index
        ELSE coalesce(attempt.updated_index, excluded.updated_index) END`;
/** Number of parameters before the arrays: node, owner, lease duration in milliseconds, and run of the owner. */
const BEFORE = 4;
const IS_LAST_RUN = 'NOT EXISTS (SELECT FROM me WHERE run > $4::bigint)';

/**
 * Nothing is written if a later run of this daemon has begun. Until the commit, the lock on the daemon's row keeps such a
 * run from beginning (`daemon-run.ts`). A failover may have lost the row.
 *
 * `held` are the payments that we still own: those just written, and others whose row is locked until the commit.
 * Without the lock, a claim could come in between. An attempt of a nonexistent payment is let through, so that the
 * foreign key refuses it.
 *
 * A statement on an abandoned connection may still reach the server, long after its repetition and later statements,
 * because the system keeps sending what was written to a socket. So a row that has an outcome never loses it. A number
 * lost in a failover may be assigned again, so the id must match too. `over` are our payments that already have an
 * outcome when such a late statement arrives.
 */
const put = (isNumbered: boolean): string => `
  WITH me AS (SELECT run FROM daemon WHERE daemon = $2 FOR SHARE),
  pr AS (${unnested(PAYMENT_COLUMNS, BEFORE + 1)}),
  ar AS (${unnested(ATTEMPT_COLUMNS, BEFORE + 1 + PAYMENT_COLUMNS.length)}),
  p AS (
    INSERT INTO payment AS t (${names(isNumbered ? PAYMENT_COLUMNS : OWN_PAYMENT)}, node, owner, until)
    SELECT ${names(isNumbered ? PAYMENT_COLUMNS : OWN_PAYMENT)}, $1, $2, clock_timestamp() + $3::bigint * interval '1 millisecond' FROM pr
    WHERE ${IS_LAST_RUN}
    ON CONFLICT (id) DO UPDATE SET preimage = excluded.preimage, total_msat = excluded.total_msat,
      status = excluded.status, failure = excluded.failure, completed_at = excluded.completed_at,
      until = excluded.until
    WHERE t.owner = excluded.owner AND t.fence = excluded.fence AND t.uid = excluded.uid
      AND (t.status = 'pending' OR excluded.status <> 'pending')
    RETURNING t.id
  ),
  over AS (
    SELECT t.id FROM pr JOIN payment t ON t.id = pr.id
    WHERE t.owner = $2 AND t.fence = pr.fence AND t.uid = pr.uid AND t.status <> 'pending' AND pr.status = 'pending'
      AND ${IS_LAST_RUN}
  ),
  alone AS (
    SELECT payment, max(fence) AS fence FROM ar
    WHERE NOT EXISTS (SELECT 1 FROM pr WHERE pr.id = ar.payment) GROUP BY payment
  ),
  others AS (
    SELECT t.id FROM alone JOIN payment t ON t.id = alone.payment
    WHERE t.owner = $2 AND t.fence = alone.fence AND ${IS_LAST_RUN}
    FOR NO KEY UPDATE OF t
  ),
  missing AS (
    SELECT payment FROM alone WHERE NOT EXISTS (SELECT 1 FROM payment t WHERE t.id = alone.payment)
      AND ${IS_LAST_RUN}
  ),
  held AS (SELECT id FROM p UNION ALL SELECT id FROM over UNION ALL SELECT id FROM others),
  a AS (
    INSERT INTO attempt (${names(OWN_ATTEMPT)}${isNumbered ? ', created_order' : ''}, daemon, run)
    SELECT ${isNumbered ? `${names(OWN_ATTEMPT)}, NULL` : IN_ORDER}, $2, $4::bigint FROM ar
    WHERE payment IN (SELECT id FROM held UNION ALL SELECT payment FROM missing)
    ON CONFLICT (id) DO UPDATE SET status = excluded.status, failure = excluded.failure,
      learned = excluded.learned, completed_at = excluded.completed_at,
      updated_index = ${isNumbered ? 'excluded.updated_index' : UPDATED_ONCE}
    WHERE attempt.status = 'sent' OR excluded.status <> 'sent'
  )
  SELECT id FROM (SELECT id FROM pr UNION SELECT payment FROM alone) AS all_of_them
  WHERE NOT EXISTS (SELECT 1 FROM held WHERE held.id = all_of_them.id)`;
const PUT_IN_ORDER = put(false);
const PUT_NUMBERED = put(true);

/**
 * The condition for payments without an outcome, and those with an attempt in flight. Each half of the UNION uses one
 * partial index; a single condition with OR would read the whole table. The array makes the planner fetch these rows by
 * primary key, regardless of its statistics.
 */
export const UNFINISHED = `id = ANY (ARRAY(
  SELECT id FROM payment WHERE status = 'pending' UNION SELECT payment FROM attempt WHERE status = 'sent'))`;
interface Fenced<R> {
  readonly row: R;
  readonly fence: number;
}

/**
 * Adds a row, or replaces its earlier version, because a statement can contain a row only once. An outcome is never
 * replaced by an earlier state.
 */
function place<R extends PaymentRow | AttemptRow>(
  rows: Map<number, Fenced<R>>,
  put: Fenced<R>,
  open: 'pending' | 'sent',
): void {
  const { createdIndex, status } = put.row;
  const before = rows.get(createdIndex)?.row.status ?? open;
  if (before === open || status !== open) rows.set(createdIndex, put);
}

/** Collects puts into one statement. */
export class PaymentSink implements RowSink<PaymentPut> {
  readonly #owner: PaymentOwner;
  readonly #sql: string;
  #payments = new Map<number, Fenced<PaymentRow>>();
  #attempts = new Map<number, Fenced<AttemptRow>>();

  /**
   * @param isNumbered whether rows keep their numbers, because they are moved from another store. Otherwise, they get
   *   new numbers in commit order.
   */
  constructor(owner: PaymentOwner, isNumbered: boolean) {
    this.#owner = owner;
    this.#sql = isNumbered ? PUT_NUMBERED : PUT_IN_ORDER;
  }

  add({ payment, attempts, fence }: PaymentPut): void {
    if (payment !== undefined) place(this.#payments, { row: payment, fence }, 'pending');
    for (const row of attempts) place(this.#attempts, { row, fence }, 'sent');
  }

  take(): PgStatement | undefined {
    if (this.#payments.size + this.#attempts.size === 0) return undefined;
    const parameters = [
      this.#owner.node,
      this.#owner.daemon,
      this.#owner.leaseMs,
      this.#owner.run,
      ...columnTexts(
        [...this.#payments.values()].map(({ row, fence }) => [...paymentValues(row), fence]),
        PAYMENT_COLUMNS.length,
      ),
      ...columnTexts(
        [...this.#attempts.values()].map(({ row, fence }) => [...attemptValues(row), fence]),
        ATTEMPT_COLUMNS.length,
      ),
    ];
    this.#payments = new Map();
    this.#attempts = new Map();
    return { sql: this.#sql, parameters };
  }

  objection(answer: PgRows, { paymentIndex }: PaymentPut): LeaseLost | undefined {
    const isLost = answer.some(({ id }) => Number(id) === paymentIndex);
    return isLost ? new LeaseLost(paymentIndex) : undefined;
  }
}

const paymentValues = (row: PaymentRow): PgValue[] => [
  row.createdIndex,
  row.id,
  row.paymentHash,
  row.preimage ?? null,
  encodeU64(row.groupId),
  row.paymentSecret ?? null,
  encodeU64(row.totalMsat),
  row.request,
  encodeText(row.idempotencyKey),
  row.localRequestId ?? null,
  row.singleUseRequestId ?? null,
  row.status,
  row.failure ?? null,
  row.createdAtMs,
  row.completedAtMs ?? null,
  row.createdOrder ?? null,
];

const numberOrNothing = (value: unknown): number | undefined => (value === null ? undefined : Number(value));
const bytes = (value: unknown): Uint8Array => new Uint8Array(value as Buffer);
const bytesOrNothing = (value: unknown): Uint8Array | undefined =>
  value === null ? undefined : bytes(value);

/**
 * The columns that `paymentOf` reads. They are named because the result of a prepared `SELECT *` changes with the table:
 * once an upgrade adds a column, the statement fails, and with it the transaction around it.
 */
export const STORED_PAYMENT = names(PAYMENT_COLUMNS);
/** The columns that `attemptOf` reads. */
export const STORED_ATTEMPT = `${names(OWN_ATTEMPT)}, created_order`;

/** The payment in a row of `payment`. */
export const paymentOf = (row: PgRow): PaymentRow => ({
  id: row.uid as string,
  createdIndex: Number(row.id),
  paymentHash: bytes(row.payment_hash),
  preimage: bytesOrNothing(row.preimage),
  groupId: decodeU64(row.group_id as bigint),
  paymentSecret: bytesOrNothing(row.payment_secret),
  totalMsat: decodeU64(row.total_msat as bigint),
  request: bytes(row.request),
  idempotencyKey: decodeText(row.idempotency_key as string | null),
  localRequestId: bytesOrNothing(row.local_request_id),
  status: row.status as string,
  failure: bytesOrNothing(row.failure),
  createdAtMs: Number(row.created_at),
  completedAtMs: numberOrNothing(row.completed_at),
  createdOrder: numberOrNothing(row.created_order),
});

/** The attempt in a row of `attempt`. */
export const attemptOf = (row: PgRow): AttemptRow => ({
  id: row.uid as string,
  createdIndex: Number(row.id),
  paymentIndex: Number(row.payment),
  partId: Number(row.part_id),
  amountMsat: decodeU64(row.amount_msat as bigint),
  amountSentMsat: decodeU64(row.amount_sent_msat as bigint),
  probabilityPpm: Number(row.probability_ppm),
  height: Number(row.height),
  partOfSeveral: row.part_of_several === 1n,
  sessionKey: bytes(row.session_key),
  path: bytes(row.path),
  status: row.status as string,
  failure: bytesOrNothing(row.failure),
  learned: bytesOrNothing(row.learned),
  createdAtMs: Number(row.created_at),
  completedAtMs: numberOrNothing(row.completed_at),
  updatedIndex: numberOrNothing(row.updated_index),
  ownNode: decodeText(row.own_node as string | null),
  uncorrectedPpm: numberOrNothing(row.uncorrected_ppm),
  createdOrder: numberOrNothing(row.created_order),
});
