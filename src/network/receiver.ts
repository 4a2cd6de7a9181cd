/**
 * The interface for receiving payments at a node. It is not used for Core Lightning nodes, which are called directly.
 */

/** The terms of a new invoice. */
export interface ReceiverTerms {
  /** Undefined when the payer chooses the amount. */
  readonly amountMsat?: bigint | undefined;
  readonly description: string;
  /** Whether the invoice contains only the SHA-256 of the description. */
  readonly isHashOnly: boolean;
  readonly expirySeconds: number;
  readonly preimage: Uint8Array;
  /** Minimum final CLTV expiry delta in blocks. If undefined, the node's default applies. */
  readonly minFinalCltvExpiryDelta?: number | undefined;
  /** On-chain address for payers who cannot pay over Lightning. */
  readonly fallback?: string | undefined;
  /** Whether to include unannounced channels as route hints. */
  readonly hasPrivateHints: boolean;
}

/** An issued invoice. */
export interface MadeInvoice {
  readonly bolt11: string;
  readonly paymentSecret: Uint8Array;
}

/** A paid invoice. */
export interface PaidNotice {
  readonly paymentHash: Uint8Array;
  readonly receivedMsat: bigint;
  /** UNIX seconds. */
  readonly paidAt: number;
  /** The position of this invoice in the order in which the node's invoices were paid, counted from 1. */
  readonly index: bigint;
}

/** Receives notices of paid invoices. */
export interface PaidListener {
  /** Records a paid invoice. */
  paid(notice: PaidNotice): Promise<void>;
  /** Payment hashes of the invoices that are not known to be paid. */
  unpaid(): readonly Uint8Array[];
}

/** Issues invoices, and reports when they are paid. */
export interface InvoiceReceiver {
  /** @throws FulguriteError invoicePreimageExists, nodeAway, notSupported, unspecified */
  make(terms: ReceiverTerms): Promise<MadeInvoice>;

  /**
   * Reports each paid invoice whose index is greater than `afterIndex`, in order, including invoices that were paid
   * before this call. @returns a function that unsubscribes
   */
  onPaid(afterIndex: bigint, listener: PaidListener): () => void;

  /** Makes the invoice unpayable. @throws FulguriteError nodeAway, notSupported, unspecified */
  cancel(paymentHash: Uint8Array): Promise<void>;
}
