/**
 * Static invoices (bolts#1149, "Async payments"). The recipient signs one in advance and leaves it with a server, which
 * answers invoice requests while the recipient is offline. LDK has supported them since version 0.2.
 *
 *     invoice          mirrors the whole request; amount and payment hash are its own
 *     static invoice   mirrors the offer only; no amount, no payment hash; `invoice_message_paths` to the recipient
 *
 * The payer sends an HTLC that the recipient's channel peer holds, and informs the recipient over a message path
 * (`held_htlc_available`). When the recipient comes online, it releases the HTLC. So there is no proof of payment.
 */
import { equalBytes } from '../bytes.ts';
import { FEATURE, unknownRequiredFeature } from '../peer/features.ts';
import type { TlvRecord } from '../tlv.ts';
import { fieldError, WireError } from '../wire-error.ts';
import { type InvoiceFields, type StaticInvoiceFields, staticInvoiceCodec } from './bolt12-fields.ts';
import { paymentPaths } from './bolt12-invoice.ts';
import { mergeStreams } from './bolt12-invoice-request.ts';
import {
  bytesInRanges,
  isInRanges,
  OFFER_RANGES,
  rawRecords,
  signStream,
  type TypeRanges,
  verifyStream,
} from './bolt12-merkle.ts';
import { hasHops } from './bolt12-offer.ts';
import { decodeBolt12String } from './bolt12-string.ts';

/** Default validity of a static invoice in seconds: two weeks, as in LDK. */
export const STATIC_RELATIVE_EXPIRY = 14 * 24 * 3600;

const MESSAGE_PATHS_TYPE = 236n;
/** The TLV types allowed in a static invoice: those of offers, of invoices, and of signatures. */
const STATIC_RANGES: TypeRanges = [...OFFER_RANGES, [160n, 1000n], [3_000_000_000n, 3_999_999_999n]];
const HEX = /^(?:[0-9a-f]{2})+$/i;

/** A static invoice: its fields, and its bytes as they were received. */
export interface StaticInvoice {
  readonly fields: StaticInvoiceFields;
  readonly unknown: readonly TlvRecord[];
  readonly bytes: Uint8Array;
}

/** Decodes without checking the rules; see `checkStaticInvoice`. @throws WireError */
export function decodeStaticInvoice(bytes: Uint8Array): StaticInvoice {
  const { values, unknown } = staticInvoiceCodec.decode(bytes);
  return { fields: values, unknown, bytes };
}

/**
 * The bytes of a static invoice in hex, or in `lni1…` form like other invoices. (The proposal defines no text form; LDK
 * logs hex.) Undefined for other text.
 */
export function staticInvoiceBytes(text: string): Uint8Array | undefined {
  try {
    const bytes = HEX.test(text) ? Uint8Array.from(Buffer.from(text, 'hex')) : invoiceData(text);
    const isStatic = bytes !== undefined && rawRecords(bytes).some(({ type }) => type === MESSAGE_PATHS_TYPE);
    return isStatic ? bytes : undefined;
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    return undefined;
  }
}

function invoiceData(text: string): Uint8Array | undefined {
  const { prefix, data } = decodeBolt12String(text);
  return prefix === 'lni' ? data : undefined;
}

/**
 * Makes and signs a static invoice for an offer.
 * @param fields the invoice's own, without signature.
 * @param nodeSecretKey the key of `invoice_node_id`.
 */
export function createStaticInvoice(
  offerBytes: Uint8Array,
  fields: StaticInvoiceFields,
  nodeSecretKey: Uint8Array,
): Uint8Array {
  const own = staticInvoiceCodec.encode({ ...fields, signature: undefined });
  const stream = mergeStreams(bytesInRanges(offerBytes, OFFER_RANGES), own);
  return signStream('static_invoice', stream, nodeSecretKey);
}

/** Whether both streams contain the same offer, byte for byte. @throws WireError when either is malformed. */
export function hasSameOffer(a: Uint8Array, b: Uint8Array): boolean {
  return equalBytes(bytesInRanges(a, OFFER_RANGES), bytesInRanges(b, OFFER_RANGES));
}

/**
 * Checks the rules that every static invoice must follow, including its signature (bolts#1149, the reader of a static
 * invoice).
 * @throws WireError with the TLV type of the field that violates a rule.
 */
export function checkStaticInvoice({ fields, bytes }: StaticInvoice): void {
  const outside = rawRecords(bytes).find(({ type }) => !isInRanges(type, STATIC_RANGES));
  if (outside !== undefined) throw fieldError(`unexpected field ${outside.type}`, outside.type);
  if (fields.invoicePaymentHash !== undefined) throw fieldError('unexpected invoice_payment_hash', 168n);
  if (fields.invoiceAmountMsat !== undefined) throw fieldError('unexpected invoice_amount', 170n);
  if (fields.invoiceCreatedAt === undefined) throw fieldError('missing invoice_created_at', 164n);
  if (fields.invoiceNodeId === undefined) throw fieldError('missing invoice_node_id', 176n);
  if (!isFull(fields.invoiceMessagePaths)) throw fieldError('missing/empty invoice_message_paths', 236n);
  if (!isFull(fields.offerPaths)) throw fieldError('missing/empty offer_paths', 16n);
  if ((fields.offerChains?.length ?? 1) !== 1)
    throw fieldError('offer_chains must have exactly one chain', 2n);
  const bit = unknownRequiredFeature(fields.invoiceFeatures ?? new Uint8Array(0), [FEATURE.basic_mpp]);
  if (bit !== undefined) throw fieldError(`unsupported invoice feature ${bit}`, 174n);
  requirePaymentPaths(fields);
  if (!signersOf(fields).some((signer) => equalBytes(signer, fields.invoiceNodeId!))) {
    throw fieldError('invoice_node_id is not the one that the offer names', 176n);
  }
  if (!verifyStream('static_invoice', bytes, fields.invoiceNodeId)) {
    throw new WireError('signature', 'Invalid signature', { tlvType: 240n });
  }
}

function isFull(paths: InvoiceFields['invoicePaths']): boolean {
  return paths !== undefined && paths.length > 0 && hasHops(paths);
}

function requirePaymentPaths(fields: InvoiceFields): void {
  const { invoicePaths: paths = [], invoiceBlindedPay: payInfos = [] } = fields;
  if (!isFull(paths)) throw fieldError('missing/empty invoice_paths', 160n);
  if (payInfos.length !== paths.length) {
    throw fieldError(`expected ${paths.length} payinfo but found ${payInfos.length}`, 162n);
  }
  if (paymentPaths(fields).length === 0) throw fieldError('every path requires unknown features', 162n);
}

/** The allowed signers: the offer's issuer or, without an issuer, the last node of one of the offer's paths. */
function signersOf({ offerIssuerId, offerPaths = [] }: InvoiceFields): Uint8Array[] {
  if (offerIssuerId !== undefined) return [offerIssuerId];
  return offerPaths.flatMap(({ hops }) => hops.at(-1)?.blindedNodeId ?? []);
}

/** The last second, in UNIX time, at which the static invoice may be used. */
export function staticInvoiceExpiry({ invoiceCreatedAt = 0n, invoiceRelativeExpiry }: InvoiceFields): bigint {
  return invoiceCreatedAt + BigInt(invoiceRelativeExpiry ?? STATIC_RELATIVE_EXPIRY);
}
