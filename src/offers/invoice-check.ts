/**
 * The checks that a fetched invoice must pass (BOLT 12, "Invoices", requirements for the reader). It must
 * answer our request byte for byte, be signed by whom the offer promised, and keep the rules of every field.
 * The first fault is reported by the name of its field.
 */
import type { InvoiceFields, OfferFields } from '../bolt/bolt12-fields.ts';
import {
  checkInvoice,
  checkInvoiceSignature,
  decodeInvoice,
  type Invoice,
  invoiceExpiry,
  mirrorsRequest,
} from '../bolt/bolt12-invoice.ts';
import {
  invoiceBasetime,
  nextPeriod,
  type Period,
  recurrenceOf,
  requestedPeriod,
} from '../bolt/bolt12-recurrence.ts';
import { equalBytes } from '../bolt/bytes.ts';
import { WireError } from '../bolt/wire-error.ts';
import { U64_MAX } from '../model/msat.ts';
import { FetchFailed } from './fetch-failure.ts';
import { expectedAmount } from './fetch-parameters.ts';
import { whyUnpayable } from './payable.ts';

/** What an invoice is compared with. */
export interface InvoiceExpectation {
  /** Our request, as it was sent. */
  readonly request: Uint8Array;
  readonly offer: OfferFields;
  /** Who must sign: the offer's issuer, or the end of the path that was used. */
  readonly nodeId: Uint8Array;
  readonly nowSeconds: bigint;
  /** Start of period 0 in earlier invoices of the series. `undefined` when there was none. */
  readonly seriesBasetime: bigint | undefined;
}

/** Names of fields by their type, for the rules that `checkInvoice` knows. */
const FIELD_NAMES: Readonly<Record<string, string>> = {
  160: 'invoice_paths',
  162: 'invoice_blindedpay',
  164: 'invoice_created_at',
  168: 'invoice_payment_hash',
  170: 'invoice_amount',
  174: 'invoice_features',
  176: 'invoice_node_id',
  240: 'signature',
};

/** Reads and checks an invoice. @throws FetchFailed with the field that is at fault. */
export function readFetchedInvoice(bytes: Uint8Array, expectation: InvoiceExpectation): Invoice {
  const fault: Fault = (field, reason) =>
    new FetchFailed({ kind: 'wrongInvoice', field, reason, invoice: bytes });
  const invoice = decoded(bytes, fault);
  if (!mirrorsRequest(bytes, expectation.request)) {
    throw fault('invoice_request match', mirrorFault(invoice.fields, expectation));
  }
  try {
    checkInvoice(invoice);
    requireSigner(invoice.fields, expectation);
    checkInvoiceSignature(invoice, expectation.nodeId);
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    throw fault(FIELD_NAMES[String(error.tlvType)] ?? 'invoice', error.message);
  }
  checkTerms(invoice.fields, expectation, fault);
  const unpayable = whyUnpayable(invoice.fields);
  if (unpayable !== undefined) throw fault('invoice_blindedpay', unpayable);
  return invoice;
}

type Fault = (field: string, reason: string) => FetchFailed;

function decoded(bytes: Uint8Array, fault: Fault): Invoice {
  try {
    return decodeInvoice(bytes);
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    throw fault('invoice', error.message);
  }
}

/**
 * Checks that the invoice repeats our request. An issuer that remembers an earlier request of this payer may
 * answer that one.
 */
function mirrorFault(
  { invreqMetadata, invreqPayerId }: InvoiceFields,
  { request }: InvoiceExpectation,
): string {
  const ours = decodeInvoice(request).fields;
  const samePayer =
    equalBytes(invreqPayerId ?? new Uint8Array(0), ours.invreqPayerId ?? new Uint8Array(0)) &&
    equalBytes(invreqMetadata ?? new Uint8Array(0), ours.invreqMetadata ?? new Uint8Array(0));
  return samePayer
    ? 'the invoice answers another request of the same payer: give another payer_metadata, or repeat the request unchanged'
    : 'the invoice does not repeat our request';
}

function requireSigner({ invoiceNodeId }: InvoiceFields, { nodeId }: InvoiceExpectation): void {
  if (!equalBytes(invoiceNodeId as Uint8Array, nodeId)) {
    throw new WireError('fields', 'not the node that the offer names', { tlvType: 176n });
  }
}

/** Checks amount, time and series. */
function checkTerms(fields: InvoiceFields, expectation: InvoiceExpectation, fault: Fault): void {
  const { nowSeconds, offer } = expectation;
  const total = expectedAmount(offer, fields.invreqQuantity);
  if (fields.invreqAmountMsat === undefined && total !== undefined && total > U64_MAX) {
    throw fault('quantity overflow', 'offer amount times quantity exceeds 64 bits');
  }
  const requested = fields.invreqAmountMsat;
  const isProportional = recurrenceOf(offer)?.base?.isProportional ?? false;
  if (requested !== undefined && !isProportional && fields.invoiceAmountMsat !== requested) {
    throw fault('invoice_amount', `${fields.invoiceAmountMsat} msat instead of the ${requested} requested`);
  }
  const expiry = invoiceExpiry(fields) as bigint;
  if (nowSeconds > expiry) throw fault('invoice_relative_expiry', `expired at ${expiry}`);
  checkBasetime(fields, expectation, fault);
}

/** Checks that the start of period 0 does not move within a series. */
function checkBasetime(fields: InvoiceFields, expectation: InvoiceExpectation, fault: Fault): void {
  const recurrence = recurrenceOf(expectation.offer);
  if (recurrence === undefined) return;
  const basetime = invoiceBasetime(fields);
  if (basetime === undefined) throw fault('invoice_recurrence_basetime', 'missing');
  const first = requestedPeriod(fields).counter === 0 ? fields.invoiceCreatedAt : expectation.seriesBasetime;
  const expected = recurrence.base?.basetime ?? first;
  if (expected !== undefined && basetime !== expected) {
    throw fault('invoice_recurrence_basetime', `${basetime} instead of ${expected}`);
  }
  try {
    periodAfter(fields);
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    throw fault('invoice_recurrence_basetime', error.message);
  }
}

/**
 * The period after the one that the invoice is for. `undefined` when there is none.
 * @throws WireError when it lies beyond the calendar. That cannot happen for an invoice that passed the
 *   checks.
 */
export function periodAfter(fields: InvoiceFields): Period | undefined {
  const recurrence = recurrenceOf(fields);
  const basetime = invoiceBasetime(fields);
  const { counter, start } = requestedPeriod(fields);
  if (recurrence === undefined || basetime === undefined || counter === undefined) return undefined;
  return nextPeriod(recurrence, basetime, counter, start);
}
