/**
 * Leases of payments, for stores that several daemons share. At each moment at most one daemon owns a payment.
 *
 *     put ──▶ owned (owner, fence 1, until) ──renewed──▶ … ──▶ complete | failed
 *                  └─ until is over ──claim by another daemon of the node, fence + 1──▶ owned by that one
 *
 * A payment that is put for the first time belongs to the daemon that puts it. The repository renews the leases of
 * its unfinished payments by itself. Each later `put` carries the fence. If another daemon has claimed the payment
 * meanwhile, nothing of that `put` is written: `durable(owner)` rejects with `LeaseLost`, and so does every later
 * one for this payment. Times are those of the database's clock.
 *
 * A fence stops writes to the journal, and not an HTLC that is on its way out. So whoever claims a payment sends
 * its open attempts again, with the same ids, before it does anything else with it.
 */
import { FulguriteError } from '../model/errors.ts';
import type { PaymentRecord } from './payment-record.ts';

/** A payment that this daemon owns from now on. */
export interface ClaimedPayment {
  readonly record: PaymentRecord;
  /** Grows with each claim. */
  readonly fence: number;
  /** Id of the daemon that owned it before. It may be our own, of an earlier run. */
  readonly before: string;
}

/** Who owns which payment. */
export interface PaymentLeases {
  /** Id of this daemon, the same in each run. */
  readonly daemon: string;
  /** Milliseconds for which a lease lasts after it was made or renewed. */
  readonly leaseMs: number;

  /**
   * Claims unfinished payments of our Lightning node whose lease is over, the oldest first: those without an
   * outcome, and those with an attempt in flight.
   * @throws FulguriteError storeFailed
   */
  claim(limit: number): Promise<readonly ClaimedPayment[]>;

  /** Whether this daemon owns the payment, as far as it knows. */
  owns(paymentIndex: number): boolean;

  /**
   * How many milliseconds ago, by the monotonic clock of this process, the database last confirmed our leases. A
   * daemon starts no attempt when this is more than half of `leaseMs`.
   */
  readonly confirmedMsAgo: number;

  /** Is called with the index of each payment that another daemon has claimed. @returns a function that ends it */
  onLost(listener: (paymentIndex: number) => void): () => void;
}

/** Another daemon has claimed the payment. Nothing of what was put is written, and nothing will be. */
export class LeaseLost extends FulguriteError {
  readonly paymentIndex: number;

  constructor(paymentIndex: number) {
    super('storeFailed', `Payment ${paymentIndex} belongs to another daemon now`, { reason: 'leaseLost' });
    this.paymentIndex = paymentIndex;
  }
}

/** What can be paid for only once: an invoice, or a single-use request of ours for invoices. */
export type PaidOnce = 'invoice' | 'request';

/**
 * Another payment of the fleet for the same invoice, or the same single-use request, is under way or complete. Nothing
 * of what was put is written.
 */
export class PaidElsewhere extends FulguriteError {
  readonly what: PaidOnce;

  constructor(what: PaidOnce) {
    super('storeFailed', `Another payment of this ${what} began first`, { reason: 'paidElsewhere', what });
    this.what = what;
  }
}

/** Another payment of the fleet has the idempotency key. Nothing of what was put is written. */
export class KeyTaken extends FulguriteError {
  readonly idempotencyKey: string;

  constructor(idempotencyKey: string) {
    super('storeFailed', 'Another payment has this idempotency key', { reason: 'keyTaken' });
    this.idempotencyKey = idempotencyKey;
  }
}
