/**
 * Payments and their attempts in PostgreSQL, shared by several daemons. Every change is queued for the next group
 * commit, and rows are written with the fence of their payment. This file also claims unfinished payments, and renews
 * their leases. The queries are in payment-queries.ts.
 */
import { type Moment, momentOf, realClock } from '../../model/clock.ts';
import type { FulguriteError } from '../../model/errors.ts';
import { encodeText } from '../columns.ts';
import {
  type ClaimedPayment,
  type Doubt,
  KeyTaken,
  LeaseLost,
  PaidElsewhere,
  type PaidOnce,
  type PaymentLeases,
} from '../payment-leases.ts';
import type { AttemptRow, PaymentRecord, PaymentRow } from '../payment-record.ts';
import type {
  ListOrder,
  OutlineFilter,
  PaymentFilter,
  PaymentIndexes,
  PaymentNumbers,
  PaymentRepository,
  SpentKey,
  SpentKeys,
  StoredAttemptRow,
  StoredOutlineRow,
} from '../payment-repository.ts';
import { arrayText } from './arrays.ts';
import { PgCommitter, type PgCommitterOptions, type RowSink, refusedWrite, statement } from './committer.ts';
import { isLastRun, SEE_RUN, seenRun } from './daemon-run.ts';
import type { PostgresDoubt } from './doubt.ts';
import type { PgRows, PostgresLine } from './line.ts';
import type { NumberBlocks } from './number-blocks.ts';
import { PaymentQueries } from './payment-queries.ts';
import { type PaymentOwner, type PaymentPut, PaymentSink, UNFINISHED } from './payment-rows.ts';
import type { PostgresRefusal } from './refusal.ts';

/** Keeps the idempotency key of a payment that is deleted. */
const SPEND_KEY = `
  INSERT INTO spent_key (idempotency_key, payment_hash, status)
  SELECT idempotency_key, payment_hash, status FROM payment WHERE id = $1 AND idempotency_key IS NOT NULL
  ON CONFLICT DO NOTHING`;

/** A lease is renewed after this fraction of its duration. */
const RENEW_AT = 0.25;
/**
 * A daemon counts as gone if it has not renewed its leases for this fraction of their duration. The fraction is larger
 * than `RENEW_AT`, so that a renewal may be late, and less than one half, so that callers that check repeatedly find
 * the daemon gone within half a lease.
 */
export const ABANDONED_AT = 0.4;

/**
 * Condition: the payment is ours, but this run did not start it. A payment that this run starts must never be claimed.
 * Its absence from the list of held payments does not prove that an earlier run started it: its first row may be
 * committed after the claim was sent, and before the claim is executed.
 */
const OF_EARLIER_RUN = 'owner = $2 AND (id < $6 OR id = ANY ($7::bigint[]))';
/** Condition: the payment has no HTLC without a row that may still be in flight. */
const IS_KNOWN = `NOT EXISTS (
  SELECT 1 FROM unknown_htlc u WHERE u.payment_hash = payment.payment_hash AND u.preimage IS NULL)`;
/**
 * Records that this run of the daemon is seen, and renews its leases. Returns the rows that another daemon has claimed,
 * and a row without an id if a later run has begun; then no lease is renewed. Rows not written yet are neither renewed
 * nor returned. Like the statement of `PaymentSink`, this one locks the daemon's row before those of payments, so the two
 * cannot wait for each other.
 */
const RENEW = `
  WITH seen AS (${SEE_RUN}),
  r AS (SELECT * FROM unnest($5::bigint[], $6::bigint[]) AS r(id, fence)),
  renewed AS (
    UPDATE payment p SET until = clock_timestamp() + $7::bigint * interval '1 millisecond'
    FROM seen, r WHERE p.id = r.id AND p.fence = r.fence AND p.owner = $1
  )
  SELECT p.id FROM payment p JOIN r ON p.id = r.id WHERE p.owner <> $1 OR p.fence <> r.fence
  UNION ALL SELECT NULL WHERE NOT EXISTS (SELECT FROM seen)`;

const IS_LEFT = `
  SELECT id FROM payment WHERE id = $1 AND node <> $2
    AND until < clock_timestamp() + $3::bigint * interval '1 millisecond'`;

const RECORDER_HAS_ENDED = `
  SELECT a.id FROM attempt a JOIN daemon d ON d.daemon = a.daemon WHERE a.id = $1 AND d.run > a.run`;

/** The unique indexes that a payment can violate, and what each one protects. */
const PAID_ONCE: Readonly<Record<string, PaidOnce>> = {
  payment_standing_hash: 'invoice',
  payment_standing_request: 'request',
};

/** What this process knows about a payment that it owns. */
interface Held {
  readonly fence: number;
  isPending: boolean;
  /** Indexes of the payment's attempts in flight. */
  readonly open: Set<number>;
}

/** Options of the repository. */
export interface PaymentRepositoryOptions extends PgCommitterOptions {
  readonly isMoving?: boolean;
  /** Called at each renewal from which this process learns that a later run of its daemon has begun. */
  readonly onRunEnded?: () => void;
}

/** Stores payments in a PostgreSQL database. */
export class PostgresPaymentRepository implements PaymentRepository, PaymentLeases, SpentKeys {
  readonly leases: PaymentLeases = this;
  readonly numbers: PaymentNumbers;
  readonly daemon: string;
  readonly leaseMs: number;
  readonly doubt: Doubt;
  readonly bytesOf: (text: string) => Uint8Array;
  readonly #owner: PaymentOwner;
  readonly #node: string;
  readonly #onRunEnded: () => void;
  readonly #questions: PostgresLine;
  readonly #queries: PaymentQueries;
  readonly #committer: PgCommitter;
  readonly #others: PgCommitter | undefined;
  readonly #held = new Map<number, Held>();
  /** Finished payments whose outcome is not committed yet, so that their rows still look unfinished. */
  readonly #settling = new Set<number>();
  /** Claimed payments that could not be read. They belong to us and must be claimed once more. */
  readonly #unread = new Set<number>();
  /** This run started none of the payments with a lower index. */
  readonly #firstIndex: number;
  /** Payments that another daemon has claimed from us. */
  readonly #gone = new Set<number>();
  readonly #listeners = new Set<(paymentIndex: number) => void>();
  #confirmed = momentNow();
  readonly #renewal: NodeJS.Timeout;

  /**
   * @param questions a connection other than that of commits, so that long lists do not delay commits
   * @param others commits the other rows of this process, such as webhook entries of payments
   */
  constructor(
    owner: PaymentOwner,
    {
      commits,
      questions,
      doubt,
      others,
    }: {
      readonly commits: PostgresLine;
      readonly questions: PostgresLine;
      readonly doubt: PostgresDoubt;
      readonly others?: PgCommitter;
    },
    numbers: NumberBlocks,
    options: PaymentRepositoryOptions = {},
  ) {
    this.#owner = owner;
    this.#onRunEnded = options.onRunEnded ?? (() => undefined);
    this.daemon = owner.daemon;
    this.leaseMs = owner.leaseMs;
    this.#node = owner.node;
    this.numbers = numbers;
    this.#firstIndex = numbers.first;
    this.#questions = questions;
    this.#queries = new PaymentQueries(questions);
    this.#others = others;
    this.doubt = doubt;
    this.bytesOf = (text) => doubt.bytesOf(text);
    const sink = new PaymentSink(owner, options.isMoving === true);
    const onRefused = (error: FulguriteError): void => {
      if (error instanceof LeaseLost) this.#lost(error.paymentIndex);
      options.onRefused?.(error);
    };
    this.#committer = new PgCommitter(commits, { ...options, onRefused }, sink as RowSink<unknown>);
    this.#renewal = setInterval(() => void this.#renew(), owner.leaseMs * RENEW_AT).unref();
  }

  get committer(): PgCommitter {
    return this.#committer;
  }

  lastIndexes(): Promise<PaymentIndexes> {
    return this.#queries.lastIndexes();
  }

  completeUpTo(order: ListOrder): Promise<number> {
    return this.#queries.completeUpTo(order);
  }

  put(owner: object, payment: PaymentRow | undefined, attempts: readonly AttemptRow[]): void {
    const paymentIndex = payment?.createdIndex ?? attempts[0]?.paymentIndex;
    if (paymentIndex === undefined) return;
    const held = this.#held.get(paymentIndex) ?? { fence: 1, isPending: true, open: new Set<number>() };
    const put: PaymentPut = { paymentIndex, fence: held.fence, payment, attempts };
    this.#committer.write(owner, [{ kind: 'row', row: put }], (refusal) => this.#explain(refusal, put));
    this.#note(paymentIndex, held, put);
  }

  #note(paymentIndex: number, held: Held, { payment, attempts }: PaymentPut): void {
    if (this.#gone.has(paymentIndex)) return;
    if (payment !== undefined) held.isPending = payment.status === 'pending';
    for (const { createdIndex, status } of attempts) {
      if (status === 'sent') held.open.add(createdIndex);
      else held.open.delete(createdIndex);
    }
    // The fence of a claimed payment is remembered, because late events may still change its row.
    if (isUnfinished(held) || held.fence > 1) this.#held.set(paymentIndex, held);
    else this.#settle(paymentIndex);
  }

  #settle(paymentIndex: number): void {
    this.#held.delete(paymentIndex);
    const isFirst = this.#settling.size === 0;
    this.#settling.add(paymentIndex);
    if (isFirst) this.#committer.whenWritten(() => this.#settling.clear());
  }

  /**
   * The error for the owner of a refused `put`. If another payment blocks this one, no row was written, so there is no
   * lease to renew.
   */
  #explain(refusal: PostgresRefusal, { paymentIndex, payment }: PaymentPut): FulguriteError {
    const key = payment?.idempotencyKey;
    const isKey = refusal.constraint === 'payment_idempotency_key' && key !== undefined;
    const paidOnce = PAID_ONCE[refusal.constraint ?? ''];
    if (isKey || paidOnce !== undefined) this.#held.delete(paymentIndex);
    if (isKey) return new KeyTaken(key);
    return paidOnce === undefined ? refusedWrite(refusal) : new PaidElsewhere(paidOnce);
  }

  remove(paymentIndex: number, attemptIndexes: readonly number[] | undefined): void {
    if (attemptIndexes === undefined) {
      this.#held.delete(paymentIndex);
      this.#committer.write(undefined, [
        statement(SPEND_KEY, paymentIndex),
        statement('DELETE FROM payment WHERE id = $1', paymentIndex),
      ]);
      return;
    }
    const indexes = arrayText(attemptIndexes);
    this.#committer.write(undefined, [
      statement('DELETE FROM attempt WHERE id = ANY ($1::bigint[])', indexes),
    ]);
  }

  freeKey(paymentIndex: number): void {
    const sql = `UPDATE payment SET idempotency_key = NULL WHERE id = $1 AND status = 'failed'`;
    this.#committer.write(undefined, [statement(sql, paymentIndex)]);
  }

  spentKey(idempotencyKey: string): Promise<SpentKey | undefined> {
    return this.#queries.spentKey(idempotencyKey);
  }

  spentKeys(after: string | undefined, limit: number): Promise<SpentKey[]> {
    return this.#queries.spentKeys(after, limit);
  }

  putSpentKey({ idempotencyKey, paymentHash, status }: SpentKey): void {
    const sql = `INSERT INTO spent_key (idempotency_key, payment_hash, status)
      VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`;
    this.#committer.write(undefined, [statement(sql, encodeText(idempotencyKey), paymentHash, status)]);
  }

  /**
   * Also waits for the other rows queued so far: the webhook entry of a payment must be stored before its HTLC leaves.
   */
  async durable(owner?: object): Promise<void> {
    await Promise.all([this.#committer.durable(owner), this.#others?.durable(this)]);
  }

  whenWritten(callback: () => void): void {
    this.#committer.whenWritten(callback);
  }

  payments(filter?: PaymentFilter): Promise<PaymentRecord[]> {
    return this.#queries.payments(filter);
  }

  recorded(from: number, to: number, limit: number): Promise<PaymentRecord[]> {
    return this.#queries.recorded(from, to, limit);
  }

  recordedBefore(to: number, count: number): Promise<number> {
    return this.#queries.recordedBefore(to, count);
  }

  /**
   * The unfinished payments of this daemon, which it claims again. None during doubt; `claim` returns them when the
   * doubt has ended.
   */
  async unfinished(): Promise<PaymentRecord[]> {
    if (this.doubt.isOpen) return [];
    await this.#claim(OF_EARLIER_RUN, undefined);
    if (this.doubt.isOpen) return [];
    return this.#queries.records(`WHERE ${UNFINISHED} AND ${IS_KNOWN} AND owner = $1 ORDER BY id`, [
      this.daemon,
    ]);
  }

  attempts(
    by: 'created' | 'updated',
    start: number,
    span: number,
    paymentStatus?: string,
  ): Promise<StoredAttemptRow[]> {
    return this.#queries.attempts(by, start, span, paymentStatus);
  }

  outlines(
    by: 'created' | 'updated',
    start: number,
    span: number,
    limit: number,
    filter?: OutlineFilter,
  ): Promise<StoredOutlineRow[]> {
    return this.#queries.outlines(by, start, span, limit, filter);
  }

  // ---------------------------------------------------------------- leases

  async claim(limit: number): Promise<readonly ClaimedPayment[]> {
    if (this.doubt.isOpen) return [];
    const claimed = await this.#claim(
      `(${OF_EARLIER_RUN} OR owner <> $2 AND until < clock_timestamp())`,
      limit,
    );
    if (claimed.length === 0) return [];
    const ids = arrayText(claimed.map(({ id }) => id as bigint));
    const records = await this.#queries
      .records('WHERE id = ANY ($1::bigint[]) ORDER BY id', [ids])
      .catch((error) => {
        // Nothing in this process continues these payments, so their leases must not be renewed. The next check claims
        // them again.
        for (const { id } of claimed) {
          this.#held.delete(Number(id));
          this.#unread.add(Number(id));
        }
        throw error;
      });
    const facts = new Map(claimed.map((row) => [Number(row.id), row]));
    return records.map((record) => {
      const { fence, before } = facts.get(record.payment.createdIndex)!;
      return { record, fence: Number(fence), before: before as string };
    });
  }

  /** Claims payments that this process does not hold yet. */
  async #claim(condition: string, limit: number | undefined): Promise<PgRows> {
    const claimed = await this.#questions.ask(
      `WITH due AS (
         SELECT id, owner FROM payment
         WHERE node = $1 AND ${UNFINISHED} AND ${IS_KNOWN} AND ${condition} AND NOT (owner = $2 AND id = ANY ($3::bigint[]))
           AND ${isLastRun('$2', '$8::bigint')}
         ORDER BY id LIMIT $4 FOR NO KEY UPDATE SKIP LOCKED)
       UPDATE payment p SET owner = $2, fence = p.fence + 1,
         until = clock_timestamp() + $5::bigint * interval '1 millisecond'
       FROM due WHERE p.id = due.id
       RETURNING p.id, p.fence, p.status, due.owner AS before,
         array_to_string(ARRAY(SELECT a.id FROM attempt a WHERE a.payment = p.id AND a.status = 'sent'), ',') AS open`,
      [
        ...[this.#node, this.daemon, arrayText([...this.#held.keys(), ...this.#settling])],
        ...[limit ?? null, this.leaseMs, this.#firstIndex, arrayText([...this.#unread]), this.#owner.run],
      ],
    );
    // The database may have been replaced by a different one before it answered.
    if (this.doubt.isOpen) return [];
    for (const { id, fence, status, open } of claimed) {
      const attempts = (open as string).split(',').filter((one) => one !== '');
      const held = {
        fence: Number(fence),
        isPending: status === 'pending',
        open: new Set(attempts.map(Number)),
      };
      this.#held.set(Number(id), held);
      this.#gone.delete(Number(id));
      this.#unread.delete(Number(id));
    }
    return claimed;
  }

  owns(paymentIndex: number): boolean {
    return this.#held.has(paymentIndex);
  }

  /** Number of payments that this daemon owns: unfinished ones, and finished ones that it took over. */
  get heldCount(): number {
    return this.#held.size;
  }

  get confirmedMsAgo(): number {
    return msSince(this.#confirmed);
  }

  async isAbandoned(paymentIndex: number): Promise<boolean> {
    const [row] = await this.#questions.ask(IS_LEFT, [
      paymentIndex,
      this.#node,
      this.leaseMs * (1 - ABANDONED_AT),
    ]);
    return row !== undefined;
  }

  async hasRecorderEnded(attemptIndex: number): Promise<boolean> {
    return (await this.#questions.ask(RECORDER_HAS_ENDED, [attemptIndex])).length > 0;
  }

  onLost(listener: (paymentIndex: number) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /**
   * Renews all leases in one statement, and gives up payments that other daemons have claimed. If the database is
   * unreachable, the next renewal tries again. Once a later run of this daemon has begun, leases are never confirmed
   * again.
   */
  async #renew(): Promise<void> {
    const unfinished = [...this.#held].filter(([, held]) => isUnfinished(held));
    const began = momentNow();
    try {
      const { daemon, node, run } = this.#owner;
      const parameters = [...seenRun(daemon, node, run), ...heldColumns(unfinished), this.leaseMs];
      const answer = await this.#questions.ask(RENEW, parameters);
      const lost = answer.filter(({ id }) => id !== null);
      if (lost.length === answer.length) this.#confirmed = began;
      else this.#onRunEnded();
      for (const { id } of lost) this.#lost(Number(id));
    } catch {
      // Callers use `confirmedMsAgo` to find out whether renewals fail.
    }
  }

  #lost(paymentIndex: number): void {
    this.#gone.add(paymentIndex);
    if (!this.#held.delete(paymentIndex)) return;
    for (const listener of this.#listeners) listener(paymentIndex);
  }

  /** Stops renewing leases and committing changes. Changes that are still queued are lost. */
  close(): void {
    clearInterval(this.#renewal);
    this.#committer.close();
  }
}

const momentNow = (): Moment => momentOf(realClock);

/**
 * Milliseconds since a moment, by the clock that has advanced more. The monotonic clock stands still while the machine is
 * suspended, and the clock of the system may be set back.
 */
const msSince = ({ monotonicMs, unixMs }: Moment): number =>
  Math.max(performance.now() - monotonicMs, Date.now() - unixMs);

const isUnfinished = ({ isPending, open }: Held): boolean => isPending || open.size > 0;

const heldColumns = (held: readonly (readonly [number, Held])[]): string[] => [
  arrayText(held.map(([index]) => index)),
  arrayText(held.map(([, { fence }]) => fence)),
];
