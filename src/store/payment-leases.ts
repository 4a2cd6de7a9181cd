/**
 * Leases of payments, for stores that several daemons share. At each moment at most one daemon owns a payment.
 *
 *     put ──▶ owned (owner, fence 1, until) ──renewed──▶ … ──▶ complete | failed
 *                  └─ until is over ──claim by another daemon of the node, fence + 1──▶ owned by that one
 *
 * A payment that is put for the first time belongs to the daemon that puts it. The repository renews the leases of
 * its unfinished payments on its own. Each later `put` carries the fence. If another daemon has claimed the payment
 * meanwhile, nothing of that `put` is written: `durable(owner)` rejects with `LeaseLost`, and so does every later
 * one for this payment. Times are those of the database's clock.
 *
 * A fence stops writes to the journal, and not an HTLC that is on its way out. So a daemon that claims a payment sends
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

  /**
   * Whether a payment of another Lightning node is left alone: its owner has not renewed the lease for half of its time,
   * and no daemon here may take it over.
   * @throws FulguriteError storeFailed
   */
  isLeft?(paymentIndex: number): Promise<boolean>;

  /** Is called with the index of each payment that another daemon has claimed. @returns a function that ends it */
  onLost(listener: (paymentIndex: number) => void): () => void;

  /** What a failover may have lost. Absent in a store that loses nothing that it called safe. */
  readonly doubt?: Doubt;

  /**
   * 32 secret bytes that are always the same for one text, on all daemons of the store. What a payment draws of its
   * idempotency key in this way is recognised when its rows are lost.
   */
  readonly bytesOf?: (text: string) => Uint8Array;
}

/** An HTLC of ours without a row: its rows were lost, or someone else paid over our node. */
export interface UnknownHtlc extends ListedHtlc {
  /** The Lightning node whose channels carry it. */
  readonly node: string;
  /** Known when it was settled. */
  readonly preimage: Uint8Array | undefined;
}

/** What is asked of a network to match its HTLCs with rows. */
export interface ListedHtlc {
  readonly attemptId: string;
  readonly paymentHash: Uint8Array;
  readonly groupId: bigint;
  readonly partId: number;
  readonly amountMsat: bigint;
}

/**
 * Doubt: the database was replaced by another one, as when a standby was promoted, and the newest rows may be gone.
 *
 *     clear ──▶ another server, or another timeline ──▶ doubt ──▶ each Lightning node: all its HTLCs matched with rows ──▶ clear
 *
 * In doubt nothing new is paid and nothing is taken over. An HTLC without a row is written down as unknown. Until it
 * has failed, its payment hash is not paid, and a payment with this hash is not taken over.
 */
export interface Doubt {
  readonly isOpen: boolean;
  /** Names the server and its timeline as it is now, for logs. It changes with each failover. */
  readonly server: string;
  /** Whether this process has matched the HTLCs of its own node since the last failover. */
  readonly isMatched: boolean;
  /** Lightning nodes whose HTLCs are not matched yet, as far as is known. */
  readonly waitsFor: readonly string[];
  /** What blocks payments, for all Lightning nodes. */
  readonly unknown: readonly UnknownHtlc[];
  /** Unfinished attempts of our own Lightning node. A daemon must follow them to their end. */
  readonly ownUnknown: readonly UnknownHtlc[];

  /** UNIX milliseconds. What was lost was sent later. @throws FulguriteError storeFailed */
  lostSinceMs(): Promise<number>;

  /**
   * Writes down which of these HTLCs of our node have no row, and that our node was matched.
   * @throws FulguriteError storeFailed
   */
  match(htlcs: readonly ListedHtlc[]): Promise<void>;

  /**
   * Notes how an unknown HTLC ended: with a preimage its payment is complete, if there is a row of that. Without one
   * nothing blocks it any more.
   * @throws FulguriteError storeFailed
   */
  ended(htlc: UnknownHtlc, preimage: Uint8Array | undefined): Promise<void>;

  /** Counts the attempts that are still to be matched and those whose outcome is unknown. @throws FulguriteError storeFailed */
  refresh(): Promise<void>;
}

const toHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/** A failover may have lost rows, so nothing new may be paid yet. */
export class InDoubt extends FulguriteError {
  constructor({ server, waitsFor }: Pick<Doubt, 'server' | 'waitsFor'>) {
    super(
      'storeFailed',
      'The database was replaced by another one, which may lack the newest payments. Payments are blocked ' +
        'until the HTLCs ' +
        `of each Lightning node are reconciled; missing: ${waitsFor.join(', ') || 'this one'}`,
      { reason: 'inDoubt', server, waits_for: waitsFor },
    );
  }
}

/** Blocked by an HTLC without a row: it is in progress, or was settled. */
export class StandsUnknown extends FulguriteError {
  constructor({ paymentHash, amountMsat, preimage }: UnknownHtlc) {
    const state = preimage === undefined ? 'is under way' : 'was settled';
    super(
      'storeFailed',
      `An HTLC for this ${state}, but its payment is unknown. A failover may have lost it`,
      {
        reason: 'unknownHtlc',
        payment_hash: toHex(paymentHash),
        amount_msat: amountMsat,
        ...(preimage && { payment_preimage: toHex(preimage) }),
      },
    );
  }
}

/** Another daemon has claimed the payment. Nothing of what was put is written, and nothing will be. */
export class LeaseLost extends FulguriteError {
  readonly paymentIndex: number;

  constructor(paymentIndex: number) {
    super('storeFailed', `Payment ${paymentIndex} now belongs to another daemon`, { reason: 'leaseLost' });
    this.paymentIndex = paymentIndex;
  }
}

/** Why an outcome is not known. */
const AWAY = {
  silentStore: 'the database does not answer',
  noDaemon: 'no daemon of its Lightning node is running',
} as const;

/**
 * The outcome of a payment is not known here, nor when it will be. The payment continues, or was never begun:
 * a caller that asks again with the same idempotency key, or looks at the list of payments, learns how it ended.
 */
export class OutcomeAway extends FulguriteError {
  constructor({ paymentHash, idempotencyKey }: AwayPayment, why: keyof typeof AWAY) {
    super('storeFailed', `The outcome of the payment is not known yet: ${AWAY[why]}`, {
      reason: 'outcomeAway',
      why,
      status: 'pending',
      payment_hash: toHex(paymentHash),
      ...(idempotencyKey !== undefined && { idempotency_key: idempotencyKey }),
    });
  }
}

interface AwayPayment {
  readonly paymentHash: Uint8Array;
  readonly idempotencyKey: string | undefined;
}

/** What can be paid for only once: an invoice, or a single-use request of ours for invoices. */
export type PaidOnce = 'invoice' | 'request';

/**
 * Another payment of the fleet for the same invoice, or the same single-use request, is in progress or complete. Nothing
 * of what was put is written.
 */
export class PaidElsewhere extends FulguriteError {
  readonly what: PaidOnce;

  constructor(what: PaidOnce) {
    super('storeFailed', `Another payment of this ${what} started first`, { reason: 'paidElsewhere', what });
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
