/**
 * Receiving at a node: it issues invoices, and reports when they are paid. Core Lightning nodes are called directly
 * instead.
 */

/** The terms of a new invoice. */
export interface ReceiverTerms {
  /** Undefined when the payer chooses. */
  readonly amountMsat?: bigint | undefined;
  readonly description: string;
  /** Whether the invoice contains only the SHA-256 of the description. */
  readonly isHashOnly: boolean;
  readonly expirySeconds: number;
  readonly preimage: Uint8Array;
  /** Minimum final CLTV expiry delta in blocks. Undefined: the node's default. */
  readonly minFinalCltvExpiryDelta?: number | undefined;
  /** On-chain address for payers who cannot pay otherwise. */
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
  /** Incremented with each paid invoice of the node, from 1. */
  readonly index: bigint;
}

/** What receives. */
export interface InvoiceReceiver {
  /** @throws FulguriteError invoicePreimageExists, nodeAway, invalidParams */
  make(terms: ReceiverTerms): Promise<MadeInvoice>;

  /**
   * Calls back for each paid invoice, in order, starting with the first after an index, including those paid before the
   * call. @returns a function that unsubscribes
   */
  onPaid(afterIndex: bigint, listener: (notice: PaidNotice) => Promise<void>): () => void;

  /** Makes the invoice unpayable. @throws FulguriteError nodeAway */
  cancel(paymentHash: Uint8Array): Promise<void>;
}
