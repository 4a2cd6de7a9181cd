/**
 * Where payments and their attempts are stored: what the payment journal needs from a store. The SQLite database is one
 * such store; another database, local or remote, can replace it.
 *
 * A store promises:
 *   1. Changes are queued in the order in which they are made. The queue accepts them without waiting. The changes of
 *      one call are written together or not at all.
 *   2. `durable` resolves once they are durable: a crash can then no longer lose them. A caller that must not
 *      continue earlier awaits it.
 *   3. Queries return only what is durable, and everything that was durable when the query started. Each payment has
 *      its attempts as of one moment.
 *
 * The row of a payment is written together with that of its first attempt, or with its outcome if it never made an
 * attempt. So a crash before either of these leaves no row.
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
  /** Only payments created after the payment with this index. */
  readonly afterIndex?: number | undefined;
  readonly limit?: number | undefined;
}

/** An attempt and its payment. Attempts of one payment in one answer share the record. */
export interface StoredAttemptRow {
  readonly attempt: AttemptRow;
  readonly record: PaymentRecord;
}

/** An attempt and its payment, reduced to what lists show. */
export interface StoredOutlineRow {
  readonly attempt: AttemptOutlineRow;
  readonly payment: PaymentOutlineRow;
}

/** Which attempts a list of outlines shows. All conditions must hold. */
export interface OutlineFilter {
  readonly paymentStatus?: string | undefined;
  readonly attemptStatus?: string | undefined;
}

/** The highest numbers in use, 0 if there are none: of payments, of attempts, and of changes of attempts. */
export interface PaymentIndexes {
  readonly payment: number;
  readonly attempt: number;
  /** Number of the latest change of an attempt. */
  readonly updated: number;
}

/**
 * The orders of lists: attempts in the order of creation or of their latest change, and payments in the order of
 * recording.
 */
export type ListOrder = 'created' | 'updated' | 'recorded';

/** Assigns indexes that no other process uses, for a shared store. Indexes increase, but not always by one. */
export interface PaymentNumbers {
  /** @throws FulguriteError storeFailed when the store could not provide more numbers in time. */
  next(kind: keyof PaymentIndexes): number;
}

/** An idempotency key whose payment was deleted. The key still counts as used. */
export interface SpentKey {
  readonly idempotencyKey: string;
  readonly paymentHash: Uint8Array;
  /** The state in which the payment was deleted. */
  readonly status: string;
}

/** Lists and adds spent keys, to move them from one store to another. */
export interface SpentKeys {
  /** At most `limit` spent keys after the given one, in the order of their stored bytes. */
  spentKeys(after: string | undefined, limit: number): Promise<SpentKey[]>;

  /** Queues a spent key. @throws as `put` */
  putSpentKey(key: SpentKey): void;
}

/** The interface of a store of payments. All queries are asynchronous. */
export interface PaymentRepository {
  /** Only in a shared store: the ownership of payments. */
  readonly leases?: PaymentLeases;

  /** Assigns indexes. Only in a shared store; in other stores, the journal continues from `lastIndexes`. */
  readonly numbers?: PaymentNumbers;

  lastIndexes(): Promise<PaymentIndexes>;

  /**
   * Only in a shared store: the index up to which a list is complete. Anything written later, by any process, gets a
   * higher index. In other stores everything up to `lastIndexes` and `lastPlace` is complete.
   * @throws FulguriteError storeFailed
   */
  completeUpTo?(by: ListOrder): Promise<number>;

  /**
   * The last place assigned to a payment, even if the payment has been removed. Only in a store whose journal assigns
   * the places of payments.
   */
  lastPlace?(): Promise<number>;

  /**
   * Queues rows in their current state, in one transaction: new rows, or new states of existing ones. An outcome is
   * final: a complete or failed payment never becomes pending again, and a finished attempt never becomes sent. A row
   * that would do this changes nothing, regardless of its other columns.
   * @param owner whose `durable` rejects if the store refuses them.
   * @throws FulguriteError storeFailed when the queue is full and cannot be written; then these rows are not queued.
   */
  put(owner: object, payment: PaymentRow | undefined, attempts: readonly AttemptRow[]): void;

  /**
   * Queues the removal of attempts, or of the whole payment when `attemptIndexes` is undefined. A removed payment's key
   * becomes a spent key. @throws as `put`
   */
  remove(paymentIndex: number, attemptIndexes: readonly number[] | undefined): void;

  /** Queues the release of a failed payment's idempotency key. @throws as `put` */
  freeKey(paymentIndex: number): void;

  /** The spent key that equals this text, if there is one. */
  spentKey(idempotencyKey: string): Promise<SpentKey | undefined>;

  /**
   * Resolves once everything queued so far is durable.
   * @throws FulguriteError storeFailed when the store fails, or when it refused something of this owner.
   */
  durable(owner?: object): Promise<void>;

  /** Calls back once everything queued so far was refused, or is durable and visible to queries. */
  whenWritten(callback: () => void): void;

  /** The payments that match the filter, ordered by index. */
  payments(filter?: PaymentFilter): Promise<readonly PaymentRecord[]>;

  /** The first `limit` payments with places from `from` to `to` (inclusive), ordered by place. */
  recorded(from: number, to: number, limit: number): Promise<readonly PaymentRecord[]>;

  /** The place of the first of the last `count` payments with places up to `to`. 1 if there are none. */
  recordedBefore(to: number, count: number): Promise<number>;

  /** Payments that have no outcome or have an attempt in flight, ordered by index. */
  unfinished(): Promise<readonly PaymentRecord[]>;

  /**
   * The attempts whose index (or latest change number) is one of the `span` numbers from `start` on, in that order.
   * A query examines at most `span` attempts, however few it returns: with `updated`, it leaves out attempts that have
   * not changed since they were sent; with a status, it leaves out attempts of payments in other states.
   */
  attempts(
    by: 'created' | 'updated',
    start: number,
    span: number,
    paymentStatus?: string,
  ): Promise<readonly StoredAttemptRow[]>;

  /**
   * Like `attempts`, but only the first `limit` attempts that match the filter, reduced to what lists show. Fewer than
   * `limit` results mean that no others among the `span` numbers match.
   */
  outlines(
    by: 'created' | 'updated',
    start: number,
    span: number,
    limit: number,
    filter?: OutlineFilter,
  ): Promise<readonly StoredOutlineRow[]>;
}
