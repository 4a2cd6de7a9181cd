/**
 * Deletes payments that ended long ago, and keeps daily sums of them.
 *
 * A table partitioned by time is not possible: idempotency keys and payment hashes are unique over the whole table, and
 * unique indexes of PostgreSQL do not extend across partitions. So rows are deleted in small steps that hold no lock
 * for long. Each step walks along the indexes of payments, which increase with time, so it reads at most `LOOK_AT`
 * rows. Vacuum then frees the space of deleted rows for new ones.
 */
import type { PostgresLine } from './line.ts';

/** Maximum numbers of rows that one step examines and deletes. */
const LOOK_AT = 2000;
const DELETE_AT_ONCE = 500;
/** Milliseconds until the next step: while there are more payments to examine, and once all have been examined. */
const NEXT_MS = 1000;
const IDLE_MS = 600_000;
const DAY_MS = 86_400_000;

/**
 * Deletes payments and adds them to the sums in one statement, so nothing is lost or counted twice, even if several
 * daemons run this statement at the same time.
 */
const STEP = `
  WITH looked AS (
    SELECT id, status, completed_at FROM payment WHERE id > $1 ORDER BY id LIMIT ${LOOK_AT}
  ), chosen AS (
    SELECT p.id FROM payment p JOIN looked l ON l.id = p.id
    WHERE l.status <> 'pending' AND l.completed_at < (extract(epoch FROM clock_timestamp()) * 1000)::bigint - $2::bigint
      AND NOT EXISTS (SELECT 1 FROM attempt a WHERE a.payment = p.id AND a.status = 'sent')
    ORDER BY p.id LIMIT ${DELETE_AT_ONCE} FOR UPDATE OF p SKIP LOCKED
  ), gone AS (
    DELETE FROM payment p USING chosen c WHERE p.id = c.id
    RETURNING p.id, p.node, p.status, p.total_msat,
      (to_timestamp(p.completed_at / 1000.0) AT TIME ZONE 'UTC')::date AS day
  ), sums AS (
    INSERT INTO payment_sum AS s (node, day, status, payments, amount_msat, sent_msat)
    SELECT node, day, status, count(*), sum(total_msat), sum((
      SELECT coalesce(sum(a.amount_sent_msat), 0) FROM attempt a WHERE a.payment = gone.id AND a.status = 'settled'))
    FROM gone GROUP BY node, day, status
    ON CONFLICT (node, day, status) DO UPDATE SET payments = s.payments + excluded.payments,
      amount_msat = s.amount_msat + excluded.amount_msat, sent_msat = s.sent_msat + excluded.sent_msat
  )
  SELECT (SELECT count(*) FROM gone) AS deleted, (SELECT max(id) FROM gone) AS last_deleted,
    (SELECT count(*) FROM looked) AS looked, (SELECT max(id) FROM looked) AS last`;

/** The database from which payments are deleted, and their minimum age. */
export interface OldPaymentsOptions {
  readonly line: PostgresLine;
  /** Payments are deleted this many days after they ended. */
  readonly keepDays: number;
}

/** Deletes old payments in the background until closed. */
export class OldPayments {
  readonly #options: OldPaymentsOptions;
  /** The next step begins after the payment with this index. 0 if it begins at the first payment. */
  #after = 0n;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: OldPaymentsOptions) {
    this.#options = options;
  }

  /** Starts. If the database is unreachable, the next step tries again. */
  start(): void {
    void this.step().then(
      ({ isMore }) => this.#later(isMore ? NEXT_MS : IDLE_MS),
      () => this.#later(NEXT_MS),
    );
  }

  #later(ms: number): void {
    if (!this.#isClosed) this.#timer = setTimeout(() => this.start(), ms).unref();
  }

  /**
   * Takes one step.
   * @returns the number of payments deleted, and whether there are more payments to examine
   * @throws FulguriteError storeFailed
   */
  async step(): Promise<{ readonly deleted: number; readonly isMore: boolean }> {
    const { line, keepDays } = this.#options;
    const [row] = await line.ask(STEP, [this.#after, keepDays * DAY_MS]);
    const [deleted, looked] = [Number(row!.deleted), Number(row!.looked)];
    // A full step may have left some of the payments that it examined, so the next step continues after the last one
    // deleted.
    const isFull = deleted === DELETE_AT_ONCE;
    const isMore = isFull || looked === LOOK_AT;
    this.#after = isMore ? ((isFull ? row!.last_deleted : row!.last) as bigint) : 0n;
    return { deleted, isMore };
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }
}
