/**
 * Makes, signs, reads and checks invoice requests (BOLT 12, "Invoice Requests"). They are made from the bytes of an
 * offer.
 */

import { curve } from '../crypto/curve.ts';
import { unknownRequiredFeature } from '../peer/features.ts';
import { decodeTlvStream, encodeTlvStream, type TlvRecord } from '../tlv.ts';
import { fieldError, WireError } from '../wire-error.ts';
import { type InvoiceRequestFields, invoiceRequestCodec } from './bolt12-fields.ts';
import {
  bytesInRanges,
  INVOICE_REQUEST_RANGES,
  isInRanges,
  isSignatureType,
  OFFER_RANGES,
  rawRecords,
  signStream,
  verifyStream,
} from './bolt12-merkle.ts';
import { hasHops } from './bolt12-offer.ts';
import { decodeBolt12String, encodeBolt12String } from './bolt12-string.ts';

/** An invoice request: its fields, and its bytes as they were received. */
export interface InvoiceRequest {
  readonly fields: InvoiceRequestFields;
  readonly unknown: readonly TlvRecord[];
  /** The stream as it was received. Hashes, mirrored fields and comparisons use these bytes. */
  readonly bytes: Uint8Array;
}

const BIP353_CHARACTERS = /^[0-9A-Za-z._-]+$/;

/** Decodes without checking the rules; see `checkInvoiceRequest`. @throws WireError */
export function decodeInvoiceRequest(bytes: Uint8Array): InvoiceRequest {
  const { values, unknown } = invoiceRequestCodec.decode(bytes);
  return { fields: values, unknown, bytes };
}

/** Parses the text `lnr1…` without checking the rules. @throws WireError */
export function parseInvoiceRequest(text: string): InvoiceRequest {
  const { prefix, data } = decodeBolt12String(text);
  if (prefix !== 'lnr') throw new WireError('invalid', `unexpected prefix ${prefix}`);
  return decodeInvoiceRequest(data);
}

/** The text form `lnr1…` of an invoice request. */
export function formatInvoiceRequest({ bytes }: Pick<InvoiceRequest, 'bytes'>): string {
  return encodeBolt12String('lnr', bytes);
}

/**
 * Makes and signs the request for an offer. It contains the offer's records byte for byte, even records of unknown
 * types, and the request's own fields.
 * @param fields the request's own, without payer id and signature.
 * @param payerSecretKey a transient key. Its point becomes `invreq_payer_id`.
 * @throws WireError when the offer's bytes are malformed or a value is out of range.
 */
export function createInvoiceRequest(
  offerBytes: Uint8Array,
  fields: InvoiceRequestFields,
  payerSecretKey: Uint8Array,
): Uint8Array {
  const invreqPayerId = curve.publicKey(payerSecretKey);
  const own = invoiceRequestCodec.encode({ ...fields, invreqPayerId, signature: undefined });
  const mirrored = bytesInRanges(offerBytes, OFFER_RANGES);
  return signStream('invoice_request', mergeStreams(mirrored, own), payerSecretKey, invreqPayerId);
}

/** Whether a part of a human-readable name has only characters allowed by BIP-353. */
export function isBip353Text(part: string): boolean {
  return BIP353_CHARACTERS.test(part);
}

/**
 * Checks the rules without which a request is not processed any further: its fields have allowed types, it requires
 * only supported features, and each of its paths has a hop.
 * @throws WireError whose message is the reason, in Core Lightning's words.
 */
export function checkRequestForm(request: InvoiceRequest, supportedFeatures: readonly number[] = []): void {
  const { fields, bytes } = request;
  const bit = unknownRequiredFeature(fields.invreqFeatures ?? new Uint8Array(0), supportedFeatures);
  if (bit !== undefined) throw fieldError(`unknown feature bit ${bit}`, 84n);
  const outside = typeOutside(bytes);
  if (outside !== undefined)
    throw fieldError(`Invoice request ${outside} field outside invoice request range`, outside);
  if (fields.invreqPaths !== undefined && !hasHops(fields.invreqPaths))
    throw fieldError('Invoice request contains an empty invreq_path', 90n);
}

/** The first type in the stream that a request must not have. Signatures are ignored. */
function typeOutside(bytes: Uint8Array): bigint | undefined {
  return rawRecords(bytes).find(
    ({ type }) => !isSignatureType(type) && !isInRanges(type, INVOICE_REQUEST_RANGES),
  )?.type;
}

/**
 * Checks the rules that every request must follow (BOLT 12, "Requirements for Invoice Requests", the reader). A request
 * for an offer must also follow the rules of that offer, which are not checked here.
 * @throws WireError whose message is the reason.
 */
export function checkInvoiceRequest(
  request: InvoiceRequest,
  supportedFeatures: readonly number[] = [],
): void {
  const { fields, bytes } = request;
  const outside = typeOutside(bytes);
  if (outside !== undefined) throw fieldError('Invalid high fields', outside);
  if (fields.invreqPayerId === undefined) throw fieldError('Missing invreq_payer_id', 88n);
  if (fields.invreqMetadata === undefined) throw fieldError('Missing invreq_metadata', 0n);
  const bit = unknownRequiredFeature(fields.invreqFeatures ?? new Uint8Array(0), supportedFeatures);
  if (bit !== undefined) throw fieldError(`Unsupported invreq feature ${bit}`, 84n);
  const { invreqBip353Name: name, invreqPaths: paths } = fields;
  if (name !== undefined && !(isBip353Text(name.name) && isBip353Text(name.domain))) {
    throw fieldError('invalid bip353 name fields', 91n);
  }
  if (paths !== undefined && !hasHops(paths)) throw fieldError('empty path in invreq_paths', 90n);
}

/** Checks the payer's signature. @throws WireError `signature` when it is invalid. */
export function checkInvoiceRequestSignature({ fields, bytes }: InvoiceRequest): void {
  if (fields.signature === undefined)
    throw new WireError('signature', 'missing signature', { tlvType: 240n });
  const payerId = fields.invreqPayerId;
  if (payerId === undefined || !verifyStream('invoice_request', bytes, payerId)) {
    throw new WireError('signature', 'bad signature', { tlvType: 240n });
  }
}

/**
 * Merges the records of two streams in order of type. @throws WireError when both streams have a record of the same
 * type.
 */
export function mergeStreams(a: Uint8Array, b: Uint8Array): Uint8Array {
  const records = [...decodeTlvStream(a), ...decodeTlvStream(b)];
  return encodeTlvStream(records.sort((x, y) => (x.type < y.type ? -1 : 1)));
}
