/** One payment with its attempts, as a store gives them. */

/** A payment as a row. The store does not read packed columns. 64-bit values are unsigned. */
export interface PaymentRow {
  /** Random and unique over machines. */
  readonly id: string;
  /** Number of the payment in this store, from 1. */
  readonly createdIndex: number;
  readonly paymentHash: Uint8Array;
  /** Undefined as long as only the recipient knows it. */
  readonly preimage: Uint8Array | undefined;
  readonly groupId: bigint;
  readonly paymentSecret: Uint8Array | undefined;
  readonly totalMsat: bigint;
  readonly request: Uint8Array;
  readonly idempotencyKey: string | undefined;
  /** Id of the request of ours that the payment answers to. */
  readonly localRequestId: Uint8Array | undefined;
  /**
   * The same id when the request is single-use. It is only written. A store that several daemons share needs it, and
   * then holds at most one payment that has not failed for each such request, and for each payment hash. A store of one
   * process need not: there `InvoiceGuard` sees every payment.
   */
  readonly singleUseRequestId?: Uint8Array | undefined;
  readonly status: string;
  readonly failure: Uint8Array | undefined;
  readonly createdAtMs: number;
  readonly completedAtMs: number | undefined;
  /**
   * Place in the order in which payments are recorded, across all daemons of the store. Where several processes share the
   * store, it gives the places when it commits. Elsewhere the journal does. Rows of earlier releases have none, and their
   * place is `createdIndex`.
   */
  readonly createdOrder?: number | undefined;
}

/** One attempt of a payment as a row: one HTLC that was sent or is about to be. */
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
  /** Name of the node of ours that sends it. Only where several may. */
  readonly ownNode: string | undefined;
  /**
   * Place in the order of creation, where several daemons share the store: the order of commits, given by the store. It
   * is only read. Elsewhere `createdIndex` is the place.
   */
  readonly createdOrder?: number | undefined;
}

/** The columns of an attempt that lists of payments show. The others are most of its bytes. */
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

/** The same of a payment, with its attempts by index, as of one moment. */
export interface PaymentOutlineRow
  extends Pick<
    PaymentRow,
    'id' | 'createdIndex' | 'paymentHash' | 'preimage' | 'groupId' | 'request' | 'status' | 'createdAtMs'
  > {
  readonly attempts: readonly AttemptOutlineRow[];
}

/** A payment and its attempts, by index, as of one moment. */
export interface PaymentRecord {
  readonly payment: PaymentRow;
  readonly attempts: readonly AttemptRow[];
}
