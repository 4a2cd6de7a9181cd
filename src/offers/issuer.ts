/**
 * The issuer's side: answers each invoice request with an invoice or an invoice_error.
 *
 * One payer gets one invoice for one period. While that invoice is unpaid and valid, the same request is answered with
 * the same bytes, so repeated requests are harmless. A different request of that payer gets a new invoice.
 */

import { equalBytes } from '../bolt/bytes.ts';
import { curve } from '../bolt/crypto/curve.ts';
import { sha256 } from '../bolt/crypto/hashes.ts';
import type { InvoiceFields } from '../bolt/invoice/bolt12-fields.ts';
import {
  createInvoice,
  DEFAULT_RELATIVE_EXPIRY,
  encodeInvoiceError,
  invoiceExpiry,
  type PaymentPath,
} from '../bolt/invoice/bolt12-invoice.ts';
import { decodeInvoiceRequest, type InvoiceRequest } from '../bolt/invoice/bolt12-invoice-request.ts';
import { invoiceRequestId } from '../bolt/invoice/bolt12-merkle.ts';
import {
  periodPaywindow,
  periodStart,
  type Recurrence,
  recurrenceOf,
  requestedPeriod,
} from '../bolt/invoice/bolt12-recurrence.ts';
import { FEATURE, featuresOf, optional } from '../bolt/peer/features.ts';
import { WireError } from '../bolt/wire-error.ts';
import { type Msat, msat } from '../model/msat.ts';
import { type NodeId, nodeIdToBytes } from '../model/node-id.ts';
import { type IssuedInvoice, invoiceLabel, type OfferBook, statusOf } from './offer-book.ts';
import {
  type AcceptedRequest,
  acceptRequest,
  amountOf,
  type CurrencyConverter,
  IgnoredRequest,
  isCancellation,
  RequestFault,
} from './request-check.ts';

/** What an issuer needs to make invoices. */
export interface IssuerOptions {
  readonly nodeSecretKey: Uint8Array;
  readonly nodeId: NodeId;
  readonly chainHash: Uint8Array;
  readonly book: OfferBook;
  /** Returns how we can be paid. If it returns undefined, the payer gets an error instead of an invoice. */
  readonly receive: (payment: PaymentToReceive) => Receivable | undefined;
  readonly convert?: CurrencyConverter;
  /** Whether a period gets an invoice only if the invoice of the previous period was paid. Default: true. */
  readonly requiresPayment?: boolean;
}

/** A payment for which an invoice is about to be created. */
export interface PaymentToReceive {
  readonly amountMsat: Msat;
  /** The last UNIX second at which the payment is accepted. */
  readonly expiresAt: bigint;
}

/** The preimage, and the paths over which the payment can arrive. */
export interface Receivable {
  readonly preimage: Uint8Array;
  /** Paths over which the payment can arrive; at least one. */
  readonly paths: readonly PaymentPath[];
}

/** An invoice request as it arrived: its bytes, the secret of the path it took, and the time in UNIX seconds. */
export interface ReceivedRequest {
  readonly bytes: Uint8Array;
  readonly pathId: Uint8Array | undefined;
  readonly nowSeconds: bigint;
}

/** The reply. A payer who cancels, or whose request must be ignored, gets none. */
export type IssuerReply =
  | { readonly invoice: Uint8Array; readonly issued: IssuedInvoice }
  | { readonly invoiceError: Uint8Array }
  | undefined;

/** Maximum seconds for which an invoice for an amount in a currency is valid: exchange rates change. */
const CURRENCY_EXPIRY = 600n;
/** Minimum seconds for which the first period can be paid, if there is no base and the paywindow is shorter. */
const SHORTEST_FIRST_WINDOW = 60n;
/** The type number of an experimental field is its number in the draft plus this offset. */
const EXPERIMENTAL = 2_000_000_000n;
/** The type of invreq_recurrence_counter. */
const COUNTER = EXPERIMENTAL + 92n;

/** Answers invoice requests for the offers in its book. */
export class Issuer {
  readonly book: OfferBook;
  readonly #options: IssuerOptions;
  /** The points of our keys, each computed from the key itself for its first invoice. */
  readonly #points = new WeakMap<Uint8Array, Uint8Array>();

  constructor(options: IssuerOptions) {
    this.#options = options;
    this.book = options.book;
  }

  /** Answers a request. Does not throw, regardless of what the payer sends. */
  answer(received: ReceivedRequest): IssuerReply {
    try {
      const issued = this.#invoiceFor(received);
      return issued && { invoice: issued.bytes, issued };
    } catch (error) {
      if (error instanceof IgnoredRequest) return undefined;
      if (error instanceof RequestFault) return { invoiceError: errorOf(error, received.bytes) };
      if (error instanceof WireError)
        return { invoiceError: encodeInvoiceError({ error: 'Invalid invreq' }) };
      throw error;
    }
  }

  #invoiceFor({ bytes, pathId, nowSeconds }: ReceivedRequest): IssuedInvoice | undefined {
    const { book, chainHash } = this.#options;
    const request = decodeInvoiceRequest(bytes);
    const accepted = acceptRequest(request, { book, chainHash, pathId, nowSeconds });
    const { counter } = requestedPeriod(request.fields);
    const label = labelOf(request, accepted, counter);
    if (isCancellation(request)) return this.#cancel(request, accepted, label);
    if (book.isCancelled(label)) throw new RequestFault('invoice cancelled', COUNTER);
    const existing = book.invoice(label);
    if (existing?.isPaid) throw new RequestFault('This invoice was already paid');
    const isSame = existing !== undefined && equalBytes(existing.requestId, invoiceRequestId(bytes));
    if (isSame && statusOf(existing, nowSeconds) === 'unpaid') return existing;
    const invoice = this.#make(request, accepted, label, nowSeconds);
    book.putInvoice(invoice);
    return invoice;
  }

  /** Cancels a period. The previous period must have an invoice, so that strangers cannot fill our memory. */
  #cancel(request: InvoiceRequest, accepted: AcceptedRequest, label: string): undefined {
    const { book } = this.#options;
    const { counter = 0 } = requestedPeriod(request.fields);
    const before = book.invoice(labelOf(request, accepted, counter - 1));
    if (before === undefined) throw new RequestFault(`No previous invoice #${counter - 1}`, COUNTER);
    if (!book.cancel(label)) throw new RequestFault('This period cannot be cancelled', COUNTER);
  }

  #make(
    request: InvoiceRequest,
    accepted: AcceptedRequest,
    label: string,
    nowSeconds: bigint,
  ): IssuedInvoice {
    const terms = this.#terms(request, accepted, nowSeconds);
    const { amountMsat, relativeExpiry } = terms;
    const expiresAt = nowSeconds + BigInt(relativeExpiry);
    const receivable = this.#options.receive({ amountMsat, expiresAt });
    if (receivable === undefined) throw new RequestFault('We cannot receive payments here');
    const { preimage, paths } = receivable;
    const paymentHash = sha256(preimage);
    const { secretKey, invoiceNodeId } = this.#signer(request, accepted);
    const fields: InvoiceFields = {
      invoicePaths: paths.map(({ path }) => path),
      invoiceBlindedPay: paths.map(({ payInfo }) => payInfo),
      invoiceCreatedAt: nowSeconds,
      invoiceRelativeExpiry: relativeExpiry === DEFAULT_RELATIVE_EXPIRY ? undefined : relativeExpiry,
      invoicePaymentHash: paymentHash,
      invoiceAmountMsat: amountMsat,
      invoiceFeatures: featuresOf([optional(FEATURE.basic_mpp)]),
      invoiceNodeId,
      ...basetimeField(request, terms.basetime),
    };
    const bytes = createInvoice(request.bytes, fields, secretKey, this.#pointOf(secretKey));
    return {
      label,
      offerId: accepted.issued.offerId,
      requestId: invoiceRequestId(request.bytes),
      bytes,
      preimage,
      paymentHash,
      amountMsat,
      description: request.fields.offerDescription,
      payerNote: request.fields.invreqPayerNote,
      expiresAt: invoiceExpiry(fields) as bigint,
      basetime: terms.basetime,
      isPaid: false,
      createdIndex: this.#options.book.nextInvoiceIndex,
    };
  }

  /** The key that signs the invoice: the node's own, or, if the offer names no issuer, the key of the path used. */
  #signer(
    { fields }: InvoiceRequest,
    { issued, pathIndex }: AcceptedRequest,
  ): { secretKey: Uint8Array; invoiceNodeId: Uint8Array } {
    const { nodeSecretKey, nodeId } = this.#options;
    const end =
      fields.offerIssuerId === undefined ? fields.offerPaths?.[pathIndex ?? 0]?.hops.at(-1) : undefined;
    const secretKey = issued.pathSecretKeys?.[pathIndex ?? 0];
    return end === undefined || secretKey === undefined
      ? { secretKey: nodeSecretKey, invoiceNodeId: nodeIdToBytes(nodeId) }
      : { secretKey, invoiceNodeId: end.blindedNodeId };
  }

  #pointOf(secretKey: Uint8Array): Uint8Array {
    let point = this.#points.get(secretKey);
    if (point === undefined) {
      point = curve.publicKey(secretKey);
      this.#points.set(secretKey, point);
    }
    return point;
  }

  /** The amount, the validity and the start of period 0 of the invoice. */
  #terms(
    request: InvoiceRequest,
    accepted: AcceptedRequest,
    nowSeconds: bigint,
  ): { amountMsat: Msat; relativeExpiry: number; basetime: bigint | undefined } {
    const { fields } = request;
    const amountMsat = amountOf(request, this.#options.convert);
    const recurrence = recurrenceOf(fields);
    const { counter, start = 0 } = requestedPeriod(fields);
    const atMost = fields.offerCurrency === undefined ? BigInt(DEFAULT_RELATIVE_EXPIRY) : CURRENCY_EXPIRY;
    if (recurrence === undefined || counter === undefined) {
      const left = (fields.offerAbsoluteExpiry ?? nowSeconds + atMost) - nowSeconds;
      const relativeExpiry = Number(left < atMost ? left : atMost);
      return { amountMsat, relativeExpiry, basetime: undefined };
    }
    const basetime = this.#basetime(recurrence, request, accepted, nowSeconds);
    const index = counter + start;
    const closes = checkPeriod(recurrence, basetime, index, nowSeconds);
    const left = closes - nowSeconds > 1n ? closes - nowSeconds : 1n;
    const bounded = fields.offerCurrency !== undefined && left > atMost ? atMost : left;
    return {
      amountMsat: recurrence.base?.isProportional
        ? remainingShare(recurrence, basetime, index, nowSeconds, amountMsat)
        : amountMsat,
      relativeExpiry: Number(bounded > 0xffff_ffffn ? 0xffff_ffffn : bounded),
      basetime,
    };
  }

  /** Start of period 0: the offer's base, or the time of the first invoice. */
  #basetime(
    recurrence: Recurrence,
    request: InvoiceRequest,
    accepted: AcceptedRequest,
    nowSeconds: bigint,
  ): bigint {
    const { counter = 0 } = requestedPeriod(request.fields);
    const { book, requiresPayment = true } = this.#options;
    if (counter === 0) return recurrence.base?.basetime ?? nowSeconds;
    const previous = counter - 1;
    const invoice = book.invoice(labelOf(request, accepted, previous));
    if (invoice?.basetime === undefined) throw new RequestFault(`No previous invoice #${previous}`, COUNTER);
    if (requiresPayment && !invoice.isPaid) {
      const status = statusOf(invoice, nowSeconds);
      throw new RequestFault(`Previous invoice #${previous} status "${status}"`, COUNTER);
    }
    return invoice.basetime;
  }
}

function labelOf({ fields }: InvoiceRequest, { issued }: AcceptedRequest, counter?: number): string {
  return invoiceLabel(issued.offerId, fields.invreqPayerId as Uint8Array, counter);
}

/**
 * Time in UNIX seconds at which the paywindow of the period closes. @throws RequestFault outside the paywindow, or
 * beyond the offer's last period
 */
function checkPeriod(recurrence: Recurrence, basetime: bigint, index: number, nowSeconds: bigint): bigint {
  if (recurrence.limit !== undefined && index > recurrence.limit) {
    throw new RequestFault(`period_index ${index} too great`, COUNTER);
  }
  const window = periodPaywindow(recurrence, basetime, index);
  const { start } = window;
  const isShort = (recurrence.paywindow?.secondsAfter ?? 60) < 60;
  const isFirst = index === 0 && recurrence.base === undefined;
  const begins = periodStart(recurrence, basetime, index);
  const end = isFirst && isShort ? begins + SHORTEST_FIRST_WINDOW : window.end;
  if (nowSeconds < start) throw new RequestFault(`period_index ${index} too early (start ${start})`, COUNTER);
  if (nowSeconds > end) throw new RequestFault(`period_index ${index} too late (ended ${end})`, COUNTER);
  return end;
}

/** The price of a period, reduced in proportion if the period has begun; at least 1 msat. */
function remainingShare(
  recurrence: Recurrence,
  basetime: bigint,
  index: number,
  nowSeconds: bigint,
  amountMsat: Msat,
): Msat {
  const start = periodStart(recurrence, basetime, index);
  const end = periodStart(recurrence, basetime, index + 1);
  if (nowSeconds <= start) return amountMsat;
  const share = (amountMsat * (end - nowSeconds)) / (end - start);
  return msat(share > 1n ? share : 1n);
}

function basetimeField({ fields }: InvoiceRequest, basetime: bigint | undefined): InvoiceFields {
  if (basetime === undefined) return {};
  return recurrenceOf(fields)?.isDraft
    ? { invoiceRecurrenceBasetimeDraft: basetime }
    : { invoiceRecurrenceBasetime: basetime };
}

/**
 * The invoice_error for a fault. Recurrence fields have the type numbers (draft or experimental) that the request uses.
 */
function errorOf({ message, erroneousField: field }: RequestFault, request: Uint8Array): Uint8Array {
  const isExperimental = field !== undefined && field >= COUNTER && field <= COUNTER + 2n;
  const isDraft = isExperimental && recurrenceOf(decodeInvoiceRequest(request).fields)?.isDraft;
  return encodeInvoiceError({ erroneousField: isDraft ? field - EXPERIMENTAL : field, error: message });
}
