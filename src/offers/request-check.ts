/**
 * The issuer's checks of an invoice request (BOLT 12, "Requirements for Invoice Requests", the reader). A fault has the
 * type of the wrong field and a text for the payer.
 */

import { equalBytes, toHex } from '../bolt/bytes.ts';
import {
  checkInvoiceRequest,
  checkInvoiceRequestSignature,
  type InvoiceRequest,
} from '../bolt/invoice/bolt12-invoice-request.ts';
import { offerId } from '../bolt/invoice/bolt12-merkle.ts';
import { CHAIN_HASHES, isForChain } from '../bolt/invoice/bolt12-offer.ts';
import { recurrenceOf, requestedPeriod } from '../bolt/invoice/bolt12-recurrence.ts';
import { WireError } from '../bolt/wire-error.ts';
import { type Msat, msat, U64_MAX } from '../model/msat.ts';
import type { IssuedOffer, OfferBook } from './offer-book.ts';

/** Why no invoice is created. The payer gets this fault as an invoice_error. */
export class RequestFault extends Error {
  readonly erroneousField: bigint | undefined;

  constructor(message: string, erroneousField?: bigint) {
    super(message);
    this.erroneousField = erroneousField;
  }
}

/**
 * Converts an amount in minor units of a currency to msat. Returns `undefined` if no rate is known for the currency.
 */
export type CurrencyConverter = (currency: string, minorUnits: bigint) => bigint | undefined;

/** What is needed, besides the request, to check it. */
export interface ReceivedCircumstances {
  readonly book: OfferBook;
  readonly chainHash: Uint8Array;
  /** Secret of the path that the request took. */
  readonly pathId: Uint8Array | undefined;
  readonly nowSeconds: bigint;
}

/** Thrown for a request that must not be answered, not even with an error. */
export class IgnoredRequest extends Error {}

/** An accepted request. */
export interface AcceptedRequest {
  readonly issued: IssuedOffer;
  /** Index in `pathIds` of the secret that the request carried. Undefined for an offer without paths. */
  readonly pathIndex: number | undefined;
}

/** A request that offers more than this many times the price is refused as a mistake. */
const MAX_TIMES = 5n;

/** Whether the payer ends the series instead of requesting an invoice. */
export function isCancellation({ fields }: Pick<InvoiceRequest, 'fields'>): boolean {
  return (fields.invreqRecurrenceCancel ?? fields.invreqRecurrenceCancelDraft) !== undefined;
}

/**
 * Checks everything except the amount; see `amountOf`. The quantity of a cancellation is not checked.
 * @throws RequestFault, IgnoredRequest
 */
export function acceptRequest(
  request: InvoiceRequest,
  circumstances: ReceivedCircumstances,
): AcceptedRequest {
  const { fields } = request;
  asFault(() => checkInvoiceRequest(request));
  const chain = fields.invreqChain ?? CHAIN_HASHES.bitcoin;
  if (!equalBytes(chain, circumstances.chainHash)) throw new RequestFault(`Wrong chain ${toHex(chain)}`, 80n);
  if (fields.offerIssuerId === undefined && fields.offerPaths === undefined) {
    throw new RequestFault('Not based on an offer');
  }
  const issued = circumstances.book.offer(offerId(request.bytes));
  const pathIndex = pathOf(request, issued, circumstances.pathId);
  if (issued === undefined || !isForChain(issued.offer.fields, circumstances.chainHash)) {
    throw new RequestFault('Unknown offer');
  }
  checkAvailable(issued, request, circumstances.nowSeconds);
  if (!isCancellation(request)) checkQuantity(request);
  asFault(() => checkInvoiceRequestSignature(request));
  checkRecurrenceFields(request);
  return { issued, pathIndex };
}

/**
 * Index in `pathIds` of the secret of the path that was used. `undefined` for an offer without paths.
 *
 * A request over any other path is ignored (BOLT 12), and so is a request for an unknown offer with paths. If strangers
 * could distinguish the two, they could query many nodes to find the node that issued the offer.
 * @throws IgnoredRequest
 */
function pathOf(
  { fields }: InvoiceRequest,
  issued: IssuedOffer | undefined,
  pathId: Uint8Array | undefined,
): number | undefined {
  if (fields.offerPaths === undefined && pathId === undefined) return undefined;
  const index =
    fields.offerPaths === undefined || pathId === undefined
      ? undefined
      : issued?.pathIds.findIndex((own) => equalBytes(own, pathId));
  if (index === undefined || index < 0) throw new IgnoredRequest();
  return index;
}

function checkAvailable({ active }: IssuedOffer, { fields }: InvoiceRequest, nowSeconds: bigint): void {
  if (!active) throw new RequestFault('Offer no longer available');
  const { counter = 0 } = requestedPeriod(fields);
  const expiry = fields.offerAbsoluteExpiry;
  if (expiry !== undefined && nowSeconds >= expiry && counter === 0)
    throw new RequestFault('Offer expired', 14n);
}

function checkQuantity({ fields }: InvoiceRequest): void {
  const { offerQuantityMax: most, invreqQuantity: quantity } = fields;
  if (most === undefined) {
    if (quantity !== undefined) throw new RequestFault('unexpected invreq_quantity', 86n);
    return;
  }
  if (quantity === undefined) throw new RequestFault('missing invreq_quantity', 86n);
  if (quantity === 0n) throw new RequestFault('quantity zero invalid', 86n);
  if (most !== 0n && quantity > most) throw new RequestFault(`quantity ${quantity} > ${most}`, 86n);
}

function checkRecurrenceFields({ fields }: InvoiceRequest): void {
  const { counter, start } = requestedPeriod(fields);
  const recurrence = recurrenceOf(fields);
  if (recurrence === undefined) {
    if (isCancellation({ fields })) {
      throw new RequestFault('unexpected invreq_recurrence_cancel', 2_000_000_094n);
    }
    if (counter !== undefined) throw new RequestFault('unexpected invreq_recurrence_counter', 2_000_000_092n);
    if (start !== undefined) throw new RequestFault('unexpected invreq_recurrence_start', 2_000_000_093n);
    return;
  }
  if (counter === undefined) {
    // A payer that does not support recurrence may pay once, if recurrence is optional.
    if (recurrence.isCompulsory) {
      throw new RequestFault('missing invreq_recurrence_counter', 2_000_000_092n);
    }
    return;
  }
  if (recurrence.base === undefined && start !== undefined) {
    throw new RequestFault('unexpected invreq_recurrence_start', 2_000_000_093n);
  }
  if (recurrence.base !== undefined && start === undefined) {
    throw new RequestFault('missing invreq_recurrence_start', 2_000_000_093n);
  }
}

/** The amount of the invoice. @throws RequestFault */
export function amountOf({ fields }: InvoiceRequest, convert: CurrencyConverter | undefined): Msat {
  const { offerAmount, offerCurrency: currency, invreqAmountMsat: requested } = fields;
  if (offerAmount === undefined) {
    if (requested === undefined) throw new RequestFault('missing invreq_amount', 82n);
    if (requested === 0n) throw new RequestFault('amount zero invalid', 82n);
    return requested;
  }
  // The quantity is applied before the conversion, so that rounding happens only once.
  const total = offerAmount * (fields.invreqQuantity ?? 1n);
  const expected = currency === undefined ? total : convert?.(currency, total);
  if (expected === undefined) throw new RequestFault('Internal error');
  if (total > U64_MAX || expected > U64_MAX) {
    throw new RequestFault(`quantity ${fields.invreqQuantity ?? 1n} causes overflow`, 86n);
  }
  if (requested === undefined) return msat(expected);
  if (requested < expected) throw new RequestFault(`Amount must be at least ${expected}msat`, 82n);
  if (requested / MAX_TIMES > expected) throw new RequestFault(`Amount vastly exceeds ${expected}msat`, 82n);
  return requested;
}

/** Converts errors of the wire format to faults that are reported to the payer. */
function asFault(check: () => void): void {
  try {
    check();
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    throw new RequestFault(error.message, error.tlvType);
  }
}
