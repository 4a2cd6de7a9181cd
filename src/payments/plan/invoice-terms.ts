/**
 * What a payer learns from a BOLT 11 or BOLT 12 invoice: the amount, the time until which it is valid, and paths to the
 * recipient that are found only in the invoice.
 *
 * The journal stores these terms, so every member can be packed and restored unchanged.
 */
import type { BlindedHop } from '../../bolt/onion/blinded-path.ts';
import type { Msat } from '../../model/msat.ts';
import type { NodeId } from '../../model/node-id.ts';
import type { Toll } from '../../model/policy.ts';

/** The standard of an invoice. Lists show the invoice text in a member with this name. */
export type InvoiceFormat = 'bolt11' | 'bolt12';

/**
 * A blinded path to the recipient (BOLT 12, "Invoices"), with its total cost and its limits. We know only its first
 * node. Limits apply to the amount that arrives. The delay includes the recipient's own.
 */
export interface BlindedTail extends Toll {
  /** First node of the path, to which a route must be found. */
  readonly introduction: NodeId;
  readonly firstPathKey: Uint8Array;
  /** Hops from the introduction node to the recipient. */
  readonly hops: readonly BlindedHop[];
  readonly htlcMinimumMsat: Msat;
  readonly htlcMaximumMsat: Msat;
}

/**
 * What the payer of a static invoice adds to it (bolts#1149): the preimage, which the payer chooses as for a keysend,
 * and the invoice request that the static invoice answered. The recipient must release the payment before anything is
 * sent.
 */
export interface HeldTerms {
  readonly preimage: Uint8Array;
  readonly invoiceRequest: Uint8Array;
}

/** The terms of an invoice that a payment needs. */
export interface InvoiceTerms {
  readonly format: InvoiceFormat;
  /** The invoice text, in lower case. */
  readonly text: string;
  readonly paymentHash: Uint8Array;
  /** Total amount that the recipient expects, over all parts and all payers. */
  readonly totalMsat: Msat;
  /** The last second, in UNIX time, at which the invoice may be paid. */
  readonly expiresAt: bigint;
  /** Minimum blocks that the last HTLC must have left before it expires. Blinded paths include them in their delay. */
  readonly minFinalCltvExpiryDelta: number;
  readonly takesParts: boolean;
  /**
   * Only in BOLT 11: the secret that identifies the parts, and the metadata that the recipient requires in the payload.
   */
  readonly paymentSecret: Uint8Array | undefined;
  readonly paymentMetadata: Uint8Array | undefined;
  /** Blinded paths: at least one in BOLT 12; none in BOLT 11. */
  readonly blindedTails: readonly BlindedTail[];
  readonly description: string | undefined;
  readonly payerNote: string | undefined;
  /** SHA-256 of the invoice request that the invoice answers (BOLT 12). */
  readonly invoiceRequestId: Uint8Array | undefined;
  /** Present only for a static invoice. */
  readonly held?: HeldTerms;
}

/** An invoice request that we published, so that others can send us an invoice. This payment pays such an invoice. */
export interface LocalRequest {
  /** SHA-256 of the invoice request. */
  readonly id: Uint8Array;
  /** Publisher of the request: this service, or our attached node. The publisher tracks the use of the request. */
  readonly publisher: 'us' | 'node';
  /** Whether only one invoice for the request may be paid. Only meaningful for requests that this service published. */
  readonly singleUse: boolean;
}

/** Members of a request that only payments of invoices have. A repeated request must have the same values. */
export interface AskedInvoice {
  /** The text given by the caller: an invoice, or the offer or name for which an invoice was fetched. */
  readonly invstring: string;
  readonly payerNote: string | undefined;
  /**
   * Whether the invoice or offer states the amount, so that the caller cannot change it. Absent in old journals, which
   * did not record it.
   */
  readonly statesAmount?: boolean;
  /** Present if the invoice answers our own invoice request. */
  readonly localRequest?: LocalRequest | undefined;
}

/** Id of our single-use invoice request that is being paid. We do not track requests of other publishers. */
export function singleUseRequest(asked: AskedInvoice | undefined): Uint8Array | undefined {
  const { localRequest } = asked ?? {};
  return localRequest?.publisher === 'us' && localRequest.singleUse ? localRequest.id : undefined;
}
