/**
 * Leases of payments, for stores that several daemons share. At most one daemon owns a payment at a time.
 *
 *     put ──▶ owned (owner, fence 1, until) ──renewed──▶ … ──▶ complete | failed
 *                  └─ `until` passes ──claim by another daemon of the node, fence + 1──▶ owned by that daemon
 *
 * A new payment belongs to the daemon that stores it with `put`. The repository renews the leases of the daemon's
 * unfinished payments by itself. Each later `put` includes the fence. If another daemon has claimed the payment
 * meanwhile, nothing of that `put` is written: `durable(owner)` rejects with `LeaseLost`, and does so after every later
 * `put` for this payment. All times are by the database's clock.
 *
 * A fence stops writes to the journal, but not an HTLC about to be sent. So a daemon that claims a payment first sends
 * the payment's unfinished attempts again, with the same ids.
 */
import { FulguriteError } from '../model/errors.ts';
import type { PaymentRecord } from './payment-record.ts';

/** A payment that this daemon owns from now on. */
export interface ClaimedPayment {
  readonly record: PaymentRecord;
  /** Incremented with each claim. */
  readonly fence: number;
  /** Id of the previous owner, which may be this daemon in an earlier run. */
  readonly before: string;
}

/** Which payments this daemon owns, and the renewal of its leases. */
export interface PaymentLeases {
  /** Id of this daemon, the same in each run. */
  readonly daemon: string;
  /** Duration of a lease in milliseconds, counted from its creation or last renewal. */
  readonly leaseMs: number;

  /**
   * Claims unfinished payments of our Lightning node, oldest first: those without an outcome, and those with an attempt
   * in flight. Claims a payment if its lease has expired, or if an earlier run of this daemon owned it.
   * @throws FulguriteError storeFailed
   */
  claim(limit: number): Promise<readonly ClaimedPayment[]>;

  /** Whether this daemon owns the payment, as far as it knows. */
  owns(paymentIndex: number): boolean;

  /**
   * Milliseconds since the database last confirmed our leases, on the clocks of this machine. A daemon starts no attempt
   * when this exceeds half of `leaseMs`.
   */
  readonly confirmedMsAgo: number;

  /**
   * Whether a payment of another Lightning node is abandoned: its owner has not renewed the lease for two fifths of the
   * lease's duration. Only daemons of that Lightning node may take the payment over.
   * @throws FulguriteError storeFailed
   */
  isAbandoned?(paymentIndex: number): Promise<boolean>;

  /**
   * Whether the process that recorded the attempt has certainly ended: its daemon has started again since, or the
   * operator has retired it. Until then, that process may only be paused.
   * @throws FulguriteError storeFailed
   */
  hasRecorderEnded(attemptIndex: number): Promise<boolean>;

  /**
   * Calls back with the index of each payment that another daemon has claimed. @returns a function that unsubscribes
   */
  onLost(listener: (paymentIndex: number) => void): () => void;

  /** What a failover may have lost. Absent in a store that never loses confirmed changes. */
  readonly doubt?: Doubt;

  /**
   * Derives 32 secret bytes from a text. All daemons of the store derive the same bytes, in every run. So values that
   * are derived from the idempotency key of a payment can be recognised even if the payment's rows are lost.
   */
  readonly bytesOf?: (text: string) => Uint8Array;
}

/**
 * An HTLC without a row, on one of the fleet's Lightning nodes: either its rows were lost, or someone else paid through
 * that node.
 */
export interface UnknownHtlc extends ListedHtlc {
  /** The Lightning node whose channels carry the HTLC. */
  readonly node: string;
  /** Undefined unless the HTLC was settled. */
  readonly preimage: Uint8Array | undefined;
}

/** What a network must report about an HTLC so that it can be matched with rows. */
export interface ListedHtlc {
  readonly attemptId: string;
  readonly paymentHash: Uint8Array;
  readonly groupId: bigint;
  readonly partId: number;
  readonly amountMsat: bigint;
}

/**
 * Doubt: the database was replaced by a different one, as when a standby was promoted, and the newest rows may be gone.
 *
 *     clear ──▶ another server, or another timeline ──▶ doubt ──▶ each Lightning node: all its HTLCs matched with rows ──▶ clear
 *
 * In doubt, there are no new payments and no takeovers. An HTLC without a row is recorded as unknown. Until it has
 * failed, its payment hash is not paid, and a payment with this hash is not taken over.
 */
export interface Doubt {
  readonly isOpen: boolean;
  /** The current server and its timeline, for logs. Changes with each failover. */
  readonly server: string;
  /** Whether this process has matched the HTLCs of its own node since the last failover. */
  readonly isMatched: boolean;
  /** Lightning nodes whose HTLCs have not been matched yet, as far as this process knows. */
  readonly waitsFor: readonly string[];
  /** The unknown HTLCs of all Lightning nodes. They block payments. */
  readonly unknown: readonly UnknownHtlc[];
  /** Unfinished unknown HTLCs of our own Lightning node. A daemon must follow them to their end. */
  readonly ownUnknown: readonly UnknownHtlc[];

  /**
   * A UNIX time in milliseconds. Every HTLC whose rows were lost was sent after this time. @throws FulguriteError
   * storeFailed
   */
  lostSinceMs(): Promise<number>;

  /**
   * Records which of our node's HTLCs have no row, and that our node has been matched.
   * @throws FulguriteError storeFailed
   */
  match(htlcs: readonly ListedHtlc[]): Promise<void>;

  /**
   * Records how an unknown HTLC ended. With a preimage, the pending payment with its hash, if any, is marked complete.
   * Without a preimage, the HTLC no longer blocks anything.
   * @throws FulguriteError storeFailed
   */
  ended(htlc: UnknownHtlc, preimage: Uint8Array | undefined): Promise<void>;

  /**
   * Reads again which HTLCs are unknown, and which Lightning nodes must still be matched. @throws FulguriteError
   * storeFailed
   */
  refresh(): Promise<void>;
}

const toHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/** A failover may have lost rows, so no new payments are allowed yet. */
export class InDoubt extends FulguriteError {
  constructor({ server, waitsFor }: Pick<Doubt, 'server' | 'waitsFor'>) {
    super(
      'storeFailed',
      'The database was replaced by a different one, which may lack the newest payments. Payments are blocked ' +
        `until the HTLCs of these Lightning nodes are reconciled: ${waitsFor.join(', ') || 'our node'}`,
      { reason: 'inDoubt', server, waits_for: waitsFor },
    );
  }
}

/**
 * The payment is refused, because an HTLC without a row, for its payment hash or its idempotency key, is in flight or
 * settled.
 */
export class BlockedByUnknownHtlc extends FulguriteError {
  constructor({ paymentHash, amountMsat, preimage }: UnknownHtlc) {
    const state = preimage === undefined ? 'is in flight' : 'was settled';
    super(
      'storeFailed',
      `An HTLC with this payment hash ${state}, but its payment is unknown. A failover may have lost the payment`,
      {
        reason: 'unknownHtlc',
        payment_hash: toHex(paymentHash),
        amount_msat: amountMsat,
        ...(preimage && { payment_preimage: toHex(preimage) }),
      },
    );
  }
}

/** Another daemon has claimed the payment. Nothing of this `put` was written, or ever will be. */
export class LeaseLost extends FulguriteError {
  readonly paymentIndex: number;

  constructor(paymentIndex: number) {
    super('storeFailed', `Payment ${paymentIndex} now belongs to another daemon`, { reason: 'leaseLost' });
    this.paymentIndex = paymentIndex;
  }
}

/** The reasons why this daemon does not know the outcome of a payment. */
const AWAY = {
  silentStore: 'the database does not answer',
  noDaemon: "no daemon is running for the payment's Lightning node",
} as const;

/**
 * This daemon does not know the outcome of a payment, or when it will know. The payment may continue elsewhere, or may
 * never have started. To learn the outcome, the client repeats the request with the same idempotency key, or lists the
 * payments.
 */
export class OutcomeUnknownHere extends FulguriteError {
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

/** What can be paid only once: an invoice, or our own single-use request for invoices. */
export type PaidOnce = 'invoice' | 'request';

/**
 * Another payment of the fleet for the same invoice, or the same single-use request, is in progress or complete.
 * Nothing of the `put` is written.
 */
export class PaidElsewhere extends FulguriteError {
  readonly what: PaidOnce;

  constructor(what: PaidOnce) {
    super('storeFailed', `Another payment for this ${what} started first`, { reason: 'paidElsewhere', what });
    this.what = what;
  }
}

/** Another payment of the fleet has the idempotency key. Nothing of the `put` is written. */
export class KeyTaken extends FulguriteError {
  readonly idempotencyKey: string;

  constructor(idempotencyKey: string) {
    super('storeFailed', 'Another payment has this idempotency key', { reason: 'keyTaken' });
    this.idempotencyKey = idempotencyKey;
  }
}
