/** Receiving at a node: it makes invoices, and reports when they are paid. Core Lightning nodes are asked directly instead. */

/** What an invoice shall be like. */
export interface ReceiverTerms {
  /** Undefined when the payer chooses. */
  readonly amountMsat?: bigint | undefined;
  readonly description: string;
  /** Whether only the SHA-256 of the description is in the invoice. */
  readonly isHashOnly: boolean;
  readonly expirySeconds: number;
  readonly preimage: Uint8Array;
  /** Blocks that the last hop must leave. Undefined: the node's usual number. */
  readonly minFinalCltvExpiryDelta?: number | undefined;
  /** On-chain address for payers who cannot pay otherwise. */
  readonly fallback?: string | undefined;
  /** Whether channels that are not announced are named as hints. */
  readonly hasPrivateHints: boolean;
}

/** An invoice that was made. */
export interface MadeInvoice {
  readonly bolt11: string;
  readonly paymentSecret: Uint8Array;
}

/** An invoice that was paid. */
export interface PaidNotice {
  readonly paymentHash: Uint8Array;
  readonly receivedMsat: bigint;
  /** UNIX seconds. */
  readonly paidAt: number;
  /** Grows with each invoice that is paid at the node, from 1. */
  readonly index: bigint;
}

/** What receives. */
export interface InvoiceReceiver {
  /** @throws FulguriteError invoicePreimageExists, nodeAway, invalidParams */
  make(terms: ReceiverTerms): Promise<MadeInvoice>;

  /**
   * Calls back with each invoice that is paid, in order, beginning with the first after an index. It also reports
   * those that were paid before it began. @returns a function that ends it
   */
  onPaid(afterIndex: bigint, listener: (notice: PaidNotice) => Promise<void>): () => void;

  /** The invoice can no longer be paid. @throws FulguriteError nodeAway */
  cancel(paymentHash: Uint8Array): Promise<void>;
}
