/**
 * Makes, signs, reads and checks invoices (BOLT 12, "Invoices"), which are made from the bytes of a request. Also reads
 * and writes invoice errors.
 */

import { readBigSize, writeBigSize } from '../bigsize.ts';
import { ByteReader, ByteWriter, equalBytes } from '../bytes.ts';
import type { BlindedPath } from '../onion/blinded-path.ts';
import { FEATURE, unknownRequiredFeature } from '../peer/features.ts';
import type { TlvRecord } from '../tlv.ts';
import { fieldError, WireError } from '../wire-error.ts';
import {
  type BlindedPayInfo,
  type FallbackAddress,
  type InvoiceErrorFields,
  type InvoiceFields,
  invoiceCodec,
  invoiceErrorCodec,
} from './bolt12-fields.ts';
import { mergeStreams } from './bolt12-invoice-request.ts';
import { bytesInRanges, INVOICE_REQUEST_RANGES, signStream, verifyStream } from './bolt12-merkle.ts';
import { hasHops } from './bolt12-offer.ts';
import { decodeBolt12String, encodeBolt12String } from './bolt12-string.ts';

/** Default validity of an invoice in seconds. */
export const DEFAULT_RELATIVE_EXPIRY = 7200;

/** Highest version of the witness program that a fallback address may have (BOLT 12, "Invoices"). */
export const MAX_WITNESS_VERSION = 16;

/** Shortest and longest witness program, in bytes. */
export const WITNESS_BYTES = { least: 2, most: 40 } as const;

/** A BOLT 12 invoice: its fields, and its bytes as they were received. */
export interface Invoice {
  readonly fields: InvoiceFields;
  readonly unknown: readonly TlvRecord[];
  readonly bytes: Uint8Array;
}

/** A path over which an invoice can be paid, with its cost. */
export interface PaymentPath {
  readonly path: BlindedPath;
  readonly payInfo: BlindedPayInfo;
}

/** Decodes without checking the rules; see `checkInvoice`. @throws WireError */
export function decodeInvoice(bytes: Uint8Array): Invoice {
  const { values, unknown } = invoiceCodec.decode(bytes);
  return { fields: values, unknown, bytes };
}

/** Parses the text `lni1…` without checking the rules. @throws WireError */
export function parseInvoice(text: string): Invoice {
  const { prefix, data } = decodeBolt12String(text);
  if (prefix !== 'lni') throw new WireError('invalid', `unexpected prefix ${prefix}`);
  return decodeInvoice(data);
}

/** The text form `lni1…` of an invoice. */
export function formatInvoice({ bytes }: Pick<Invoice, 'bytes'>): string {
  return encodeBolt12String('lni', bytes);
}

/**
 * Makes and signs the invoice for a request. It contains the request's records byte for byte, except the signature, and
 * the invoice's own fields.
 * @param fields the invoice's own, without signature.
 * @param nodeSecretKey the key of `invoice_node_id`.
 * @param publicKey the point computed from that key, if the caller has it already; see `schnorrSign`.
 * @throws WireError when the request's bytes are malformed or a value is out of range.
 */
export function createInvoice(
  requestBytes: Uint8Array,
  fields: InvoiceFields,
  nodeSecretKey: Uint8Array,
  publicKey?: Uint8Array,
): Uint8Array {
  const mirrored = bytesInRanges(requestBytes, INVOICE_REQUEST_RANGES);
  const own = invoiceCodec.encode({ ...fields, signature: undefined });
  return signStream('invoice', mergeStreams(mirrored, own), nodeSecretKey, publicKey);
}

/**
 * Whether the invoice repeats the request byte for byte, except for the signature. @throws WireError when either is
 * malformed.
 */
export function mirrorsRequest(invoiceBytes: Uint8Array, requestBytes: Uint8Array): boolean {
  return equalBytes(
    bytesInRanges(invoiceBytes, INVOICE_REQUEST_RANGES),
    bytesInRanges(requestBytes, INVOICE_REQUEST_RANGES),
  );
}

/**
 * Checks the rules that every invoice must follow (BOLT 12, "Invoices", the reader).
 * @throws WireError with the TLV type of the field that violates a rule.
 */
export function checkInvoice(
  { fields }: Invoice,
  supportedFeatures: readonly number[] = [FEATURE.basic_mpp],
): void {
  if (fields.invoiceAmountMsat === undefined) throw fieldError('missing invoice_amount', 170n);
  if (fields.invoiceCreatedAt === undefined) throw fieldError('missing invoice_created_at', 164n);
  if (fields.invoicePaymentHash === undefined) throw fieldError('missing invoice_payment_hash', 168n);
  if (fields.invoiceNodeId === undefined) throw fieldError('missing invoice_node_id', 176n);
  const bit = unknownRequiredFeature(fields.invoiceFeatures ?? new Uint8Array(0), supportedFeatures);
  if (bit !== undefined) throw fieldError(`unsupported invoice feature ${bit}`, 174n);
  const { invoicePaths: paths = [], invoiceBlindedPay: payInfos = [] } = fields;
  if (paths.length === 0) throw fieldError('missing/empty invoice_paths', 160n);
  if (!hasHops(paths)) {
    throw fieldError(
      `zero num_hops in path ${paths.findIndex(({ hops }) => hops.length === 0)}/${paths.length}`,
      160n,
    );
  }
  if (payInfos.length !== paths.length) {
    throw fieldError(`expected ${paths.length} payinfo but found ${payInfos.length}`, 162n);
  }
  if (paymentPaths(fields).length === 0) throw fieldError('every path requires unknown features', 162n);
  requireIssuer(fields);
}

/**
 * Checks who signed an invoice for an offer. If the offer names its issuer, the signer must be that issuer. If not, the
 * signer must be the last node of one of the offer's paths. Otherwise anyone could sign an invoice that shows someone
 * else's offer. The caller that fetched the invoice used one of these paths, and checks that the signer is the last
 * node of that path.
 */
function requireIssuer({ offerIssuerId, offerPaths, invoiceNodeId }: InvoiceFields): void {
  if (offerIssuerId !== undefined) {
    if (equalBytes(offerIssuerId, invoiceNodeId!)) return;
    throw fieldError('invoice_node_id is not the offer_issuer_id', 176n);
  }
  const ends = offerPaths?.map(({ hops }) => hops.at(-1)?.blindedNodeId);
  if (ends === undefined || ends.some((end) => end !== undefined && equalBytes(end, invoiceNodeId!))) return;
  throw fieldError('invoice_node_id is not the end of an offer path', 176n);
}

/** Checks the signature. @throws WireError `signature` when the invoice is not signed with the key of `nodeId`. */
export function checkInvoiceSignature({ fields, bytes }: Invoice, nodeId: Uint8Array): void {
  if (fields.signature === undefined)
    throw new WireError('signature', 'Missing signature', { tlvType: 240n });
  if (!verifyStream('invoice', bytes, nodeId)) {
    throw new WireError('signature', 'Invalid signature', { tlvType: 240n });
  }
}

/** The paths that require only supported features, in the order of the invoice. */
export function paymentPaths({ invoicePaths = [], invoiceBlindedPay = [] }: InvoiceFields): PaymentPath[] {
  const usable: PaymentPath[] = [];
  invoicePaths.forEach((path, i) => {
    const payInfo = invoiceBlindedPay[i];
    if (payInfo === undefined || unknownRequiredFeature(payInfo.features, []) !== undefined) return;
    usable.push({ path, payInfo });
  });
  return usable;
}

/** The last second, in UNIX time, at which the invoice may be paid. `undefined` if the invoice has no creation time. */
export function invoiceExpiry({
  invoiceCreatedAt,
  invoiceRelativeExpiry,
}: InvoiceFields): bigint | undefined {
  if (invoiceCreatedAt === undefined) return undefined;
  return invoiceCreatedAt + BigInt(invoiceRelativeExpiry ?? DEFAULT_RELATIVE_EXPIRY);
}

/** The on-chain addresses that a payer may use. BOLT 12, "Invoices", defines which addresses to ignore. */
export function usableFallbacks({ invoiceFallbacks = [] }: InvoiceFields): FallbackAddress[] {
  return invoiceFallbacks.filter(
    ({ version, address: { length } }) =>
      version <= MAX_WITNESS_VERSION && length >= WITNESS_BYTES.least && length <= WITNESS_BYTES.most,
  );
}

/**
 * Reads an invoice error. It may be prefixed with its length (a bigsize), as LDK sends and expects it, although BOLT 12
 * has no prefix. In practice, the two forms are not confused: if the first byte of a plain stream equals the number of
 * bytes after it, these bytes begin with an even type or are cut short.
 * @throws WireError
 */
export function decodeInvoiceError(bytes: Uint8Array): InvoiceErrorFields {
  return invoiceErrorCodec.decode(withoutLength(bytes) ?? bytes).values;
}

function withoutLength(bytes: Uint8Array): Uint8Array | undefined {
  try {
    const reader = new ByteReader(bytes);
    if (readBigSize(reader) !== BigInt(reader.remaining)) return undefined;
    const stream = reader.rest();
    invoiceErrorCodec.decode(stream);
    return stream;
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    return undefined;
  }
}

/** The encoded error prefixed with its length, as LDK expects it. See `decodeInvoiceError`. */
export function withLength(invoiceError: Uint8Array): Uint8Array {
  const writer = new ByteWriter();
  writeBigSize(writer, BigInt(invoiceError.length));
  return writer.put(invoiceError).finish();
}

/** The TLV stream of an invoice error. */
export function encodeInvoiceError(fields: InvoiceErrorFields): Uint8Array {
  return invoiceErrorCodec.encode(fields);
}
