/**
 * What a BOLT 11 or BOLT 12 invoice tells its payer: the amount, its validity, and the ways to the recipient that only
 * the invoice knows.
 *
 * The journal stores these terms, so every member can be packed and restored unchanged.
 */
import type { BlindedHop } from '../../bolt/onion/blinded-path.ts';
import type { Msat } from '../../model/msat.ts';
import type { NodeId } from '../../model/node-id.ts';
import type { Toll } from '../../model/policy.ts';

/** The standard of an invoice. Lists show its text under this name. */
export type InvoiceFormat = 'bolt11' | 'bolt12';

/**
 * A way to the recipient whose nodes only the recipient knows (BOLT 12, "Invoice Paths"), with its total cost and
 * limits. Limits apply to the amount that arrives. The delay includes the recipient's.
 */
export interface BlindedTail extends Toll {
  /** Its first node, to which we can find a route. */
  readonly introduction: NodeId;
  readonly firstPathKey: Uint8Array;
  /** The introduction node first, the recipient last. */
  readonly hops: readonly BlindedHop[];
  readonly htlcMinimumMsat: Msat;
  readonly htlcMaximumMsat: Msat;
}

/**
 * What the payer of a static invoice adds (bolts#1149): the preimage, which is the payer's own as for a keysend, and the
 * invoice request that the static invoice answered. The recipient must release the payment before anything is sent.
 */
export interface HeldTerms {
  readonly preimage: Uint8Array;
  readonly invoiceRequest: Uint8Array;
}

/** What a payment needs to know about its invoice. */
export interface InvoiceTerms {
  readonly format: InvoiceFormat;
  /** The invoice text, in lower case. */
  readonly text: string;
  readonly paymentHash: Uint8Array;
  /** Amount that the recipient expects in total, from all parts and all payers. */
  readonly totalMsat: Msat;
  /** The last second, in UNIX time, at which it may be paid. */
  readonly expiresAt: bigint;
  /** Blocks that the last HTLC must have left. Blinded paths include them in their delay. */
  readonly minFinalCltvExpiryDelta: number;
  readonly takesParts: boolean;
  /** BOLT 11: identifies the parts, and the bytes that the recipient requires in the payload. */
  readonly paymentSecret: Uint8Array | undefined;
  readonly paymentMetadata: Uint8Array | undefined;
  /** At least one for BOLT 12; none for BOLT 11. */
  readonly blindedTails: readonly BlindedTail[];
  readonly description: string | undefined;
  readonly payerNote: string | undefined;
  /** SHA-256 of the request that the invoice answers (BOLT 12). */
  readonly invoiceRequestId: Uint8Array | undefined;
  /** Only for a static invoice. */
  readonly held?: HeldTerms;
}

/** A request that we published, with which others may send us an invoice. This payment answers it. */
export interface LocalRequest {
  /** SHA-256 of the request. */
  readonly id: Uint8Array;
  /** Its publisher: this service, or our attached node. The publisher tracks its use. */
  readonly publisher: 'us' | 'node';
  /** Whether it may be paid only once. Only the publisher knows. */
  readonly singleUse: boolean;
}

/** What the caller requested besides the fields of every payment. Compared when a request is repeated. */
export interface AskedInvoice {
  /** The caller's text: an invoice, or the offer for which an invoice was fetched. */
  readonly invstring: string;
  readonly payerNote: string | undefined;
  /** Present when the invoice answers our own request. */
  readonly localRequest?: LocalRequest | undefined;
}

/** Our single-use request that is being paid. We track only our own, not those of another publisher. */
export function singleUseRequest(asked: AskedInvoice | undefined): Uint8Array | undefined {
  const { localRequest } = asked ?? {};
  return localRequest?.publisher === 'us' && localRequest.singleUse ? localRequest.id : undefined;
}
