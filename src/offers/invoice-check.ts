/**
 * The checks that a fetched invoice must pass (BOLT 12, "Invoices", requirements for the reader). It must repeat our
 * request byte for byte, be signed by the signer that the offer names, and obey the rules of every field. The first
 * fault is reported with its field.
 */

import { equalBytes } from '../bolt/bytes.ts';
import type { InvoiceFields, OfferFields } from '../bolt/invoice/bolt12-fields.ts';
import {
  checkInvoice,
  checkInvoiceSignature,
  decodeInvoice,
  type Invoice,
  invoiceExpiry,
  mirrorsRequest,
} from '../bolt/invoice/bolt12-invoice.ts';
import {
  invoiceBasetime,
  nextPeriod,
  type Period,
  recurrenceOf,
  requestedPeriod,
} from '../bolt/invoice/bolt12-recurrence.ts';
import { WireError } from '../bolt/wire-error.ts';
import { U64_MAX } from '../model/msat.ts';
import { FetchFailed } from './fetch-failure.ts';
import { expectedAmount } from './fetch-parameters.ts';
import type { InvoiceFault } from './invoice-fault.ts';
import { whyUnpayable } from './payable.ts';

/** What an invoice is compared with. */
export interface InvoiceExpectation {
  /** Our request, as it was sent. */
  readonly request: Uint8Array;
  readonly offer: OfferFields;
  /** The key that must have signed: the offer's issuer, or the blinded end of the path that was used. */
  readonly invoiceNodeId: Uint8Array;
  readonly nowSeconds: bigint;
  /** Start of period 0 in earlier invoices of the series. `undefined` if there were none. */
  readonly seriesBasetime: bigint | undefined;
}

/** Reads and checks an invoice. @throws FetchFailed with the field that is at fault */
export function readFetchedInvoice(bytes: Uint8Array, expectation: InvoiceExpectation): Invoice {
  const failed: Failing = (fault) => new FetchFailed({ kind: 'wrongInvoice', fault, invoice: bytes });
  const invoice = decoded(bytes, failed);
  if (!mirrorsRequest(bytes, expectation.request)) {
    throw failed(mirrorFault(invoice.fields, expectation));
  }
  try {
    const { invoiceNodeId } = invoice.fields;
    if (invoiceNodeId !== undefined && !equalBytes(invoiceNodeId, expectation.invoiceNodeId)) {
      throw failed({ kind: 'otherSigner' });
    }
    checkInvoice(invoice);
    checkInvoiceSignature(invoice, expectation.invoiceNodeId);
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    throw failed({ kind: 'badField', type: error.tlvType, cause: error.message });
  }
  checkTerms(invoice.fields, expectation, failed);
  const unpayable = whyUnpayable(invoice.fields);
  if (unpayable !== undefined) throw failed({ kind: 'unpayable', why: unpayable });
  return invoice;
}

type Failing = (fault: InvoiceFault) => FetchFailed;

function decoded(bytes: Uint8Array, failed: Failing): Invoice {
  try {
    return decodeInvoice(bytes);
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    throw failed({ kind: 'undecodable', cause: error.message });
  }
}

/**
 * The fault of an invoice that does not repeat our request: it answers a different request of the same payer, or none
 * of this payer's requests.
 */
function mirrorFault(
  { invreqMetadata, invreqPayerId }: InvoiceFields,
  { request }: InvoiceExpectation,
): InvoiceFault {
  const ours = decodeInvoice(request).fields;
  const samePayer =
    equalBytes(invreqPayerId ?? new Uint8Array(0), ours.invreqPayerId ?? new Uint8Array(0)) &&
    equalBytes(invreqMetadata ?? new Uint8Array(0), ours.invreqMetadata ?? new Uint8Array(0));
  return { kind: samePayer ? 'otherRequest' : 'notOurRequest' };
}

/** Checks amount, time and series. */
function checkTerms(fields: InvoiceFields, expectation: InvoiceExpectation, failed: Failing): void {
  const { nowSeconds, offer } = expectation;
  const total = expectedAmount(offer, fields.invreqQuantity);
  if (fields.invreqAmountMsat === undefined && total !== undefined && total > U64_MAX) {
    throw failed({ kind: 'amountOverflow' });
  }
  const requested = fields.invreqAmountMsat;
  const isProportional = recurrenceOf(offer)?.base?.isProportional ?? false;
  if (requested !== undefined && !isProportional && fields.invoiceAmountMsat !== requested) {
    const amountMsat = fields.invoiceAmountMsat;
    throw failed({ kind: 'otherAmount', amountMsat, requestedMsat: requested });
  }
  const expiry = invoiceExpiry(fields) as bigint;
  if (nowSeconds > expiry) throw failed({ kind: 'expired', expiry });
  checkBasetime(fields, expectation, failed);
}

/** Checks that period 0 starts at the same time throughout a series, and that the next period has a calendar date. */
function checkBasetime(fields: InvoiceFields, expectation: InvoiceExpectation, failed: Failing): void {
  const recurrence = recurrenceOf(expectation.offer);
  if (recurrence === undefined) return;
  const basetime = invoiceBasetime(fields);
  if (basetime === undefined) throw failed({ kind: 'basetimeMissing' });
  const first = requestedPeriod(fields).counter === 0 ? fields.invoiceCreatedAt : expectation.seriesBasetime;
  const expected = recurrence.base?.basetime ?? first;
  if (expected !== undefined && basetime !== expected) {
    throw failed({ kind: 'otherBasetime', basetime, expected });
  }
  try {
    periodAfter(fields);
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    throw failed({ kind: 'badPeriod', cause: error.message });
  }
}

/**
 * The period that follows the invoice's period. `undefined` if there is none.
 * @throws WireError if it lies beyond the calendar, which is impossible for a checked invoice
 */
export function periodAfter(fields: InvoiceFields): Period | undefined {
  const recurrence = recurrenceOf(fields);
  const basetime = invoiceBasetime(fields);
  const { counter, start } = requestedPeriod(fields);
  if (recurrence === undefined || basetime === undefined || counter === undefined) return undefined;
  return nextPeriod(recurrence, basetime, counter, start);
}
