/**
 * Where payments and their attempts are kept: what the journal of payments asks of a store. The SQLite
 * database is one such store. Another database, on this machine or elsewhere, can stand here.
 *
 * A store promises:
 *   1. Changes are queued in the order they are made. The queue takes them at once, without waiting.
 *      What one call changes is written completely or not at all.
 *   2. `durable` resolves when they are safe. Callers that must not continue before that await it.
 *   3. A question is answered with what is safe, and with everything that was safe when it was asked. Each payment
 *      comes with its attempts as of one moment.
 *
 * The row of a payment is written together with that of its first attempt, or with its outcome if it never
 * made one. So every row of `payment` is something that happened. A crash before that leaves no row.
 */
import type { PaymentLeases } from './payment-leases.ts';
import type {
  AttemptOutlineRow,
  AttemptRow,
  PaymentOutlineRow,
  PaymentRecord,
  PaymentRow,
} from './payment-record.ts';

/** Which payments a list shows. All conditions must hold. */
export interface PaymentFilter {
  readonly paymentHash?: Uint8Array | undefined;
  readonly localRequestId?: Uint8Array | undefined;
  readonly idempotencyKey?: string | undefined;
  readonly status?: string | undefined;
  /** Only payments created after the one with this index. */
  readonly afterIndex?: number | undefined;
  /** Maximum number of rows; the first ones are taken. */
  readonly limit?: number | undefined;
}

/** An attempt and its payment. Attempts of one payment in one answer share the record. */
export interface StoredAttemptRow {
  readonly attempt: AttemptRow;
  readonly record: PaymentRecord;
}

/** The same with only what lists show. */
export interface StoredOutlineRow {
  readonly attempt: AttemptOutlineRow;
  readonly payment: PaymentOutlineRow;
}

/** Which attempts a list of outlines shows. All conditions must hold. */
export interface OutlineFilter {
  /** Only attempts of payments in this state. */
  readonly paymentStatus?: string | undefined;
  /** Only attempts in this state. */
  readonly attemptStatus?: string | undefined;
}

/** The highest numbers in use. 0 when there are none. */
export interface PaymentIndexes {
  readonly payment: number;
  readonly attempt: number;
  /** Number of the last change of an attempt. */
  readonly updated: number;
}

/** The orders of lists: attempts as they were created or last changed, and payments as they were recorded. */
export type ListOrder = 'created' | 'updated' | 'recorded';

/** Gives indexes that no other process uses, for a store that several share. They grow, with gaps. */
export interface PaymentNumbers {
  /** @throws FulguriteError storeFailed when the store could not give more in time. */
  next(kind: keyof PaymentIndexes): number;
}

/** An idempotency key whose payment was deleted. It stays used. */
export interface SpentKey {
  readonly idempotencyKey: string;
  readonly paymentHash: Uint8Array;
  /** The state in which the payment was deleted. */
  readonly status: string;
}

/** What a store of payments must be able to do. Every answer may take its time. */
export interface PaymentRepository {
  /** Only in a store that several processes share: who owns which payment. */
  readonly leases?: PaymentLeases;

  /** Only in a store that several processes share. Elsewhere the journal counts on from `lastIndexes`. */
  readonly numbers?: PaymentNumbers;

  lastIndexes(): Promise<PaymentIndexes>;

  /**
   * Only in a store that several processes share: the index up to which a list is complete. What is written later, by
   * whatever process, has a higher one. Elsewhere everything up to `lastIndexes` is, and up to `lastPlace`.
   * @throws FulguriteError storeFailed
   */
  completeUpTo?(by: ListOrder): Promise<number>;

  /** Only where the journal gives the places of payments: the last one, also if its payment was removed since. */
  lastPlace?(): Promise<number>;

  /**
   * Queues rows as they are now, in one transaction: new rows, or new states of old ones. An outcome is final: a payment
   * that is complete or failed never becomes pending again, and an attempt that ended never becomes sent. Such a row
   * changes nothing, regardless of its other columns.
   * @param owner whose `durable` rejects when the store refuses them.
   * @throws FulguriteError storeFailed when the queue is full and cannot be written; then nothing is queued.
   */
  put(owner: object, payment: PaymentRow | undefined, attempts: readonly AttemptRow[]): void;

  /**
   * Queues the removal of attempts, or of the whole payment when `attemptIndexes` is undefined. The key of a payment that
   * is removed becomes a spent key. @throws as `put`
   */
  remove(paymentIndex: number, attemptIndexes: readonly number[] | undefined): void;

  /** Queues that a failed payment gives its idempotency key back. @throws as `put` */
  freeKey(paymentIndex: number): void;

  /** The spent key of this text, if there is one. */
  spentKey(idempotencyKey: string): Promise<SpentKey | undefined>;

  /**
   * Resolves when everything queued so far is safe.
   * @throws FulguriteError storeFailed when the store fails, or when it refused something of this owner.
   */
  durable(owner?: object): Promise<void>;

  /**
   * Calls back when everything queued so far is safe, so that questions see it, or when the store has refused it.
   */
  whenWritten(callback: () => void): void;

  /** Payments, by index. */
  payments(filter?: PaymentFilter): Promise<readonly PaymentRecord[]>;

  /** The first `limit` payments whose place is between two places, both included, by place. */
  recorded(from: number, to: number, limit: number): Promise<readonly PaymentRecord[]>;

  /** The place of the first of the last `count` payments up to a place. 1 without any. */
  recordedBefore(to: number, count: number): Promise<number>;

  /** Payments without an outcome, and those with an attempt in flight, by index. */
  unfinished(): Promise<readonly PaymentRecord[]>;

  /**
   * The attempts whose index (or number of the last change) is one of the `span` numbers from `start` on, in that
   * order. With `updated`, only attempts that changed since they were sent. With a status, only attempts of payments
   * in that state. So one question looks at no more than `span` attempts, however few of them it answers with.
   */
  attempts(
    by: 'created' | 'updated',
    start: number,
    span: number,
    paymentStatus?: string,
  ): Promise<readonly StoredAttemptRow[]>;

  /**
   * The first `limit` of those attempts that the filter lets through, with only what lists show. Fewer than `limit`
   * mean that there are no more among the `span` numbers.
   */
  outlines(
    by: 'created' | 'updated',
    start: number,
    span: number,
    limit: number,
    filter?: OutlineFilter,
  ): Promise<readonly StoredOutlineRow[]>;
}
