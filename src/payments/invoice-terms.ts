/**
 * What an invoice says to whoever pays it, BOLT 11 or BOLT 12: what is asked for, how long, and the ways to the
 * recipient that only the invoice knows.
 *
 * A payment keeps these terms in its journal, so every member can be packed and read back as it is.
 */
import type { BlindedHop } from '../bolt/blinded-path.ts';
import type { Msat } from '../model/msat.ts';
import type { NodeId } from '../model/node-id.ts';
import type { Toll } from '../model/policy.ts';

/** Which standard an invoice follows; its members in listings are called so. */
export type InvoiceFormat = 'bolt11' | 'bolt12';

/**
 * A way to the recipient whose nodes only the recipient knows (BOLT 12, "Invoice Paths"): what it costs as a whole, and
 * what it carries. Limits count what arrives at its end; the delay includes the recipient's own.
 */
export interface BlindedTail extends Toll {
  /** Where it begins: a node that we can find a route to. */
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
  /** What the recipient waits for, over all parts and all payers. */
  readonly totalMsat: Msat;
  /** The last second, since 1970, at which it may be paid. */
  readonly expiresAt: bigint;
  /** Blocks that the last HTLC must have left; blinded paths include them in their delay. */
  readonly minFinalCltvExpiryDelta: number;
  readonly takesParts: boolean;
  /** BOLT 11: what ties the parts together, and what the recipient wants back as it is. */
  readonly paymentSecret: Uint8Array | undefined;
  readonly paymentMetadata: Uint8Array | undefined;
  /** BOLT 12: at least one; BOLT 11: none. */
  readonly blindedTails: readonly BlindedTail[];
  readonly description: string | undefined;
  readonly payerNote: string | undefined;
  /** SHA-256 of the request that the invoice answers (BOLT 12). */
  readonly invoiceRequestId: Uint8Array | undefined;
}

/** What was asked for by the caller, beside what every payment has: compared when a request is repeated. */
export interface AskedInvoice {
  /** As it was given: an invoice, or an offer that an invoice was fetched for. */
  readonly invstring: string;
  readonly payerNote: string | undefined;
}
