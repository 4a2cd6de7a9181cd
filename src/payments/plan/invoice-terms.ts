/**
 * What a BOLT 11 or BOLT 12 invoice says to its payer: what it asks for, how long it is valid, and the ways
 * to the recipient that only the invoice knows.
 *
 * A payment keeps these terms in its journal. So every member can be packed and read back as it is.
 */
import type { BlindedHop } from '../../bolt/onion/blinded-path.ts';
import type { Msat } from '../../model/msat.ts';
import type { NodeId } from '../../model/node-id.ts';
import type { Toll } from '../../model/policy.ts';

/** The standard that an invoice follows. Listings have its text under this name. */
export type InvoiceFormat = 'bolt11' | 'bolt12';

/**
 * A way to the recipient whose nodes only the recipient knows (BOLT 12, "Invoice Paths"): what it costs as a
 * whole, and what it carries. Limits are measured where the money arrives. The delay includes that of the
 * recipient.
 */
export interface BlindedTail extends Toll {
  /** The node where it begins, to which we can find a route. */
  readonly introduction: NodeId;
  readonly firstPathKey: Uint8Array;
  /** The introduction node first, the recipient last. */
  readonly hops: readonly BlindedHop[];
  readonly htlcMinimumMsat: Msat;
  readonly htlcMaximumMsat: Msat;
}

/** What a payment needs to know of the invoice it pays. */
export interface InvoiceTerms {
  readonly format: InvoiceFormat;
  /** The invoice itself, in lower case. */
  readonly text: string;
  readonly paymentHash: Uint8Array;
  /** Amount that the recipient waits for, over all parts and all payers. */
  readonly totalMsat: Msat;
  /** The last second, counted from 1970, at which it may be paid. */
  readonly expiresAt: bigint;
  /** Blocks that the last HTLC must have left. Blinded paths include them in their delay. */
  readonly minFinalCltvExpiryDelta: number;
  readonly takesParts: boolean;
  /** BOLT 11: what ties the parts together, and the bytes that the recipient wants back. */
  readonly paymentSecret: Uint8Array | undefined;
  readonly paymentMetadata: Uint8Array | undefined;
  /** For BOLT 12 at least one. For BOLT 11 none. */
  readonly blindedTails: readonly BlindedTail[];
  readonly description: string | undefined;
  readonly payerNote: string | undefined;
  /** SHA-256 of the request that the invoice answers (BOLT 12). */
  readonly invoiceRequestId: Uint8Array | undefined;
}

/** A request that we published, by which others may send us an invoice. This payment answers to it. */
export interface LocalRequest {
  /** SHA-256 of the request. */
  readonly id: Uint8Array;
  /** Who published it: this service, or the node behind it. That one watches over its use. */
  readonly publisher: 'us' | 'node';
  /** Whether it may be paid only once. Only the publisher knows. */
  readonly singleUse: boolean;
}

/** What the caller asked for in addition to the fields of every payment. It is compared when a request is repeated. */
export interface AskedInvoice {
  /** As it was given: an invoice, or the offer for which an invoice was fetched. */
  readonly invstring: string;
  readonly payerNote: string | undefined;
  /** Present when the invoice came for a request of our own. */
  readonly localRequest?: LocalRequest | undefined;
}

/** The single-use request of ours that is paid for. We watch over no others: another publisher watches over its own. */
export function singleUseRequest(asked: AskedInvoice | undefined): Uint8Array | undefined {
  const { localRequest } = asked ?? {};
  return localRequest?.publisher === 'us' && localRequest.singleUse ? localRequest.id : undefined;
}
