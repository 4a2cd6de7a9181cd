/**
 * Lies: invoices that each break one rule, as a faulty or hostile issuer might send them. A simulated issuer can send
 * any of them on request, so that tests can cover every check of a payer.
 */

import { curve } from '../bolt/crypto/curve.ts';
import type { InvoiceFields } from '../bolt/invoice/bolt12-fields.ts';
import { createInvoice } from '../bolt/invoice/bolt12-invoice.ts';
import { FEATURE, featuresOf } from '../bolt/peer/features.ts';
import { decodeTlvStream, encodeTlvStream, type TlvRecord } from '../bolt/tlv.ts';
import { type Msat, msat } from '../model/msat.ts';

/** The parts of the correct invoice, from which a lie is made. */
export interface InvoiceDraft {
  readonly request: Uint8Array;
  /** The invoice's own fields, which are not repeated from the request. */
  readonly own: InvoiceFields;
  readonly secretKey: Uint8Array;
}

interface Lie {
  /** The field that a payer must report as faulty. */
  readonly field: string;
  readonly tell: (draft: InvoiceDraft) => Uint8Array;
}

/** A lie with changed fields of the invoice itself, properly signed. */
function altered(field: string, change: (own: InvoiceFields) => InvoiceFields): Lie {
  return {
    field,
    tell: ({ request, own, secretKey }) => createInvoice(request, { ...own, ...change(own) }, secretKey),
  };
}

const OTHER_KEY = new Uint8Array(32).fill(0x5a);
const signed = ({ request, own, secretKey }: InvoiceDraft): Uint8Array =>
  createInvoice(request, own, secretKey);
/**
 * A feature of nodes and BOLT 11 invoices (BOLT 9, column "Context"), without a meaning in a BOLT 12 invoice or on its
 * paths.
 */
const FOREIGN_FEATURE = featuresOf([FEATURE.option_route_blinding]);
const METADATA_TYPE = 0n;
const DESCRIPTION_TYPE = 10n;
const PAYER_NOTE_TYPE = 89n;
/** A type with an odd number, and so optional, in the range of request fields. */
const UNKNOWN_REQUEST_TYPE = 159n;
const SIGNATURE_TYPE = 240n;

/** A lie that repeats a changed request instead of the real one, properly signed. */
function misrepeated(change: (records: TlvRecord[]) => TlvRecord[]): Lie {
  return {
    field: 'invoice_request match',
    tell: ({ request, own, secretKey }) =>
      createInvoice(encodeTlvStream(change(decodeTlvStream(request))), own, secretKey),
  };
}

const withValue = (type: bigint, value: Uint8Array) => (record: TlvRecord) =>
  record.type === type ? { ...record, value } : record;

/** Every lie by name: the field that a payer should report, and how to make the false invoice. */
export const LIES = {
  unreadable: { field: 'invoice', tell: (draft) => signed(draft).subarray(0, -1) },
  unknownEvenType: {
    field: 'invoice',
    tell: (draft) =>
      encodeTlvStream([
        ...decodeTlvStream(signed(draft)),
        { type: 4_000_000_000n, value: new Uint8Array(1) },
      ]),
  },
  otherRequest: misrepeated((records) => records.map(withValue(METADATA_TYPE, new Uint8Array(16)))),
  otherDescription: misrepeated((records) =>
    records.map(withValue(DESCRIPTION_TYPE, new Uint8Array(Buffer.from('tea, not coffee', 'utf8')))),
  ),
  /** This is a lie only if the request has a payer note. */
  noPayerNote: misrepeated((records) => records.filter(({ type }) => type !== PAYER_NOTE_TYPE)),
  addedField: misrepeated((records) =>
    [...records, { type: UNKNOWN_REQUEST_TYPE, value: new Uint8Array(1) }].sort((a, b) =>
      a.type < b.type ? -1 : 1,
    ),
  ),
  noAmount: altered('invoice_amount', () => ({ invoiceAmountMsat: undefined })),
  /** This is a lie only if the request contains an amount. */
  otherAmount: altered('invoice_amount', ({ invoiceAmountMsat = 0n }) => ({
    invoiceAmountMsat: (invoiceAmountMsat + 1n) as Msat,
  })),
  noCreationTime: altered('invoice_created_at', () => ({ invoiceCreatedAt: undefined })),
  noPaymentHash: altered('invoice_payment_hash', () => ({ invoicePaymentHash: undefined })),
  tooSmallPaths: altered('invoice_blindedpay', ({ invoiceBlindedPay = [] }) => ({
    invoiceBlindedPay: invoiceBlindedPay.map((info) => ({ ...info, htlcMaximumMsat: msat(0n) })),
  })),
  noNodeId: altered('invoice_node_id', () => ({ invoiceNodeId: undefined })),
  otherNode: {
    field: 'invoice_node_id',
    tell: ({ request, own }) =>
      createInvoice(request, { ...own, invoiceNodeId: curve.publicKey(OTHER_KEY) }, OTHER_KEY),
  },
  noSignature: {
    field: 'signature',
    tell: (draft) =>
      encodeTlvStream(decodeTlvStream(signed(draft)).filter(({ type }) => type !== SIGNATURE_TYPE)),
  },
  otherSignature: { field: 'signature', tell: ({ request, own }) => createInvoice(request, own, OTHER_KEY) },
  unknownFeature: altered('invoice_features', () => ({ invoiceFeatures: FOREIGN_FEATURE })),
  noPaths: altered('invoice_paths', () => ({ invoicePaths: undefined, invoiceBlindedPay: undefined })),
  pathWithoutHops: altered('invoice_paths', ({ invoicePaths = [] }) => ({
    invoicePaths: invoicePaths.map((path) => ({ ...path, hops: [] })),
  })),
  noPayInfo: altered('invoice_blindedpay', () => ({ invoiceBlindedPay: undefined })),
  pathsOfUnknownFeatures: altered('invoice_blindedpay', ({ invoiceBlindedPay = [] }) => ({
    invoiceBlindedPay: invoiceBlindedPay.map((info) => ({ ...info, features: FOREIGN_FEATURE })),
  })),
  payInfoTooMany: altered('invoice_blindedpay', ({ invoiceBlindedPay = [] }) => ({
    invoiceBlindedPay: [...invoiceBlindedPay, ...invoiceBlindedPay],
  })),
  /** This invoice has expired, because an invoice without this field is valid for 7200 seconds. */
  expiredByDefault: altered('invoice_relative_expiry', ({ invoiceCreatedAt = 0n }) => ({
    invoiceCreatedAt: invoiceCreatedAt - 7201n,
    invoiceRelativeExpiry: undefined,
  })),
  expired: altered('invoice_relative_expiry', ({ invoiceCreatedAt = 0n }) => ({
    invoiceCreatedAt: invoiceCreatedAt - 10_000n,
    invoiceRelativeExpiry: 60,
  })),
  /** This and the next one are lies only if the offer recurs. */
  noBasetime: altered('invoice_recurrence_basetime', () => ({ invoiceRecurrenceBasetime: undefined })),
  otherBasetime: altered('invoice_recurrence_basetime', ({ invoiceRecurrenceBasetime: basetime }) => ({
    invoiceRecurrenceBasetime: basetime === undefined ? undefined : basetime + 1n,
  })),
} as const satisfies Record<string, Lie>;

/** The name of a lie. */
export type LieName = keyof typeof LIES;
