/** One payment with its attempts, as returned by a store. */

/** A payment as a row. The store does not decode packed columns. 64-bit values are unsigned. */
export interface PaymentRow {
  /** Random and unique across machines. */
  readonly id: string;
  /** Number of the payment in this store, counted from 1. */
  readonly createdIndex: number;
  readonly paymentHash: Uint8Array;
  /** Undefined while only the recipient knows the preimage. */
  readonly preimage: Uint8Array | undefined;
  readonly groupId: bigint;
  readonly paymentSecret: Uint8Array | undefined;
  readonly totalMsat: bigint;
  readonly request: Uint8Array;
  readonly idempotencyKey: string | undefined;
  /** Id of our own invoice request, if the payment pays an invoice that was sent for it. */
  readonly localRequestId: Uint8Array | undefined;
  /**
   * Equals `localRequestId` if that request is single-use. Write-only. A store shared by several daemons needs this id
   * to allow only one payment per single-use request, apart from failed payments. A single-process store does not need
   * it, because `InvoiceGuard` sees every payment.
   */
  readonly singleUseRequestId?: Uint8Array | undefined;
  readonly status: string;
  readonly failure: Uint8Array | undefined;
  readonly createdAtMs: number;
  readonly completedAtMs: number | undefined;
  /**
   * Place in the order in which payments are recorded, across all daemons of the store. A shared store assigns it at
   * commit; otherwise the journal does. Rows of earlier releases have none, and their place is `createdIndex`.
   */
  readonly createdOrder?: number | undefined;
}

/** One attempt of a payment as a row: an HTLC that was sent, or is about to be sent. */
export interface AttemptRow {
  readonly id: string;
  readonly createdIndex: number;
  readonly paymentIndex: number;
  readonly partId: number;
  readonly amountMsat: bigint;
  readonly amountSentMsat: bigint;
  readonly probabilityPpm: number;
  readonly uncorrectedPpm?: number | undefined;
  readonly height: number;
  readonly partOfSeveral: boolean;
  readonly sessionKey: Uint8Array;
  readonly path: Uint8Array;
  readonly status: string;
  readonly failure: Uint8Array | undefined;
  readonly learned: Uint8Array | undefined;
  readonly createdAtMs: number;
  readonly completedAtMs: number | undefined;
  readonly updatedIndex: number | undefined;
  /** Name of our node that sends the HTLC. Undefined if we have only one node. */
  readonly ownNode: string | undefined;
  /**
   * Place in creation order, if several daemons share the store. The store assigns it in the order of commits; it is
   * read-only. In other stores, `createdIndex` is the place.
   */
  readonly createdOrder?: number | undefined;
}

/** The columns of an attempt that lists of payments show. The other columns contain most of its bytes. */
export type AttemptOutlineRow = Pick<
  AttemptRow,
  | 'createdIndex'
  | 'partId'
  | 'amountMsat'
  | 'amountSentMsat'
  | 'status'
  | 'createdAtMs'
  | 'completedAtMs'
  | 'updatedIndex'
  | 'ownNode'
  | 'createdOrder'
>;

/** The columns of a payment that lists show, with its attempts ordered by index, all as of one moment. */
export interface PaymentOutlineRow
  extends Pick<
    PaymentRow,
    'id' | 'createdIndex' | 'paymentHash' | 'preimage' | 'groupId' | 'request' | 'status' | 'createdAtMs'
  > {
  readonly attempts: readonly AttemptOutlineRow[];
}

/** A payment with its attempts ordered by index, all as of one moment. */
export interface PaymentRecord {
  readonly payment: PaymentRow;
  readonly attempts: readonly AttemptRow[];
}
