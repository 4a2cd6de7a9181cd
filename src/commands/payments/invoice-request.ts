/**
 * Turns an invoice, an offer or a name into something that the payment engine can pay, and refuses what cannot be paid.
 * `xpay`, `pay`, `planxpay`, `quote` and the payer of invoices for our own requests (request-payer.ts) share this code.
 */
import { invoiceExpiry } from '../../bolt/invoice/bolt12-invoice.ts';
import { recurrenceOf } from '../../bolt/invoice/bolt12-recurrence.ts';
import { type Msat, msat } from '../../model/msat.ts';
import { nodeIdFromBytes } from '../../model/node-id.ts';
import { randomBytes } from '../../model/random-bytes.ts';
import { FetchFailed, type FetchFailure } from '../../offers/fetch-failure.ts';
import type {
  Payment,
  PaymentRequest,
  PaymentTarget,
  PaymentTerms,
  UnfetchedPayment,
} from '../../payments/payment.ts';
import type { PaymentOrder } from '../../payments/payment-engine.ts';
import type { FeeTerms } from '../../payments/plan/fee-terms.ts';
import { requirePayable, usableFeeLimit } from '../../payments/plan/limits.ts';
import { payableBolt11, payableBolt12, payableStatic } from '../../payments/plan/payable-invoice.ts';
import type { NodeContext } from '../context.ts';
import { requireUnexpired, usableTails } from './blinded-tails.ts';
import {
  type KnownPayable,
  type OfferPayable,
  type Payable,
  refused,
  resolved,
  resolverOf,
} from './invoice-string.ts';
import { localRequestOf } from './local-request.ts';
import { requestOutgo } from './own-money/outgo.ts';

/** The payment that a caller wants to make. */
export interface InvoicePayment
  extends Pick<
    PaymentRequest,
    | 'kind'
    | 'label'
    | 'maxdelay'
    | 'retryForS'
    | 'layers'
    | 'exclude'
    | 'seed'
    | 'isSeedChosen'
    | 'useShadow'
    | 'randomize'
    | 'idempotencyKey'
    | 'ourNodes'
    | 'oneNode'
  > {
  readonly payable: Payable;
  readonly amountMsat: Msat | undefined;
  readonly partialMsat: Msat | undefined;
  readonly payerNote: string | undefined;
  /** Id, in hex, of our invoice request that the invoice answers. */
  readonly localRequestId: string | undefined;
  /** The fee limit for an amount, and the parameter by which the caller set it. */
  readonly feeLimit: (amountMsat: Msat) => { readonly maxfeeMsat: Msat; readonly feeTerms: FeeTerms };
}

type PaidInvoice = Exclude<KnownPayable, { kind: 'offer' }>;

/** The payment request for an invoice. @throws FulguriteError -32602, 205, 207, 212 */
export function invoiceRequest(
  asked: InvoicePayment & { readonly payable: PaidInvoice },
  context: NodeContext,
): PaymentRequest {
  const { payable } = asked;
  const totalMsat = amountOf(payable, asked.amountMsat);
  return withInvoice(termsOf(asked, totalMsat, context), payable, totalMsat, context);
}

/** The terms of a payment that depend only on the parameters. */
function termsOf(asked: InvoicePayment, totalMsat: Msat, context: NodeContext): PaymentTerms {
  const { payable, partialMsat, payerNote, localRequestId, feeLimit, amountMsat: _, ...rest } = asked;
  const localRequest = localRequestOf(payable, localRequestId, context);
  requirePayable(totalMsat);
  if (partialMsat !== undefined && partialMsat > totalMsat) {
    throw refused(`partial_msat must be less or equal to total amount ${totalMsat}msat`, 'partial_msat');
  }
  const amountMsat = partialMsat ?? totalMsat;
  const { maxfeeMsat, feeTerms } = feeLimit(amountMsat);
  return {
    ...rest,
    amountMsat,
    maxfeeMsat: usableFeeLimit(maxfeeMsat),
    feeTerms,
    extraTlvs: [],
    asked: {
      invstring: payable.text,
      payerNote,
      statesAmount: statesAmount(payable),
      ...(localRequest && { localRequest }),
    },
  };
}

/** Whether the caller cannot choose the amount. For a name, this is known only once it is resolved to its offer. */
function statesAmount(payable: Payable): boolean {
  if (payable.kind === 'bolt11') return payable.invoice.amountMsat !== undefined;
  if (payable.kind === 'offer') return payable.offer.fields.offerAmount !== undefined;
  return payable.kind === 'bolt12';
}

function amountOf(payable: PaidInvoice, amountMsat: Msat | undefined): Msat {
  if (payable.kind === 'bolt12') {
    if (amountMsat !== undefined) throw refused('Cannot override amount for bolt12 invoices', 'amount_msat');
    return payable.invoice.fields.invoiceAmountMsat as Msat;
  }
  const stated = payable.invoice.amountMsat;
  if (stated === 0n) throw refused('Cannot pay bolt11 invoice with zero amount');
  if (stated === undefined && amountMsat === undefined) throw refused('amount_msat required', 'amount_msat');
  if (stated !== undefined && amountMsat !== undefined)
    throw refused('amount_msat unnecessary', 'amount_msat');
  return (stated ?? amountMsat) as Msat;
}

function withInvoice(
  terms: PaymentTerms,
  payable: PaidInvoice,
  totalMsat: Msat,
  context: NodeContext,
): PaymentRequest {
  const request =
    payable.kind === 'bolt11'
      ? withBolt11(terms, payable, totalMsat, context)
      : withBolt12(terms, payable, context);
  requireUnexpired(request.invoice.expiresAt, context);
  return request;
}

type PaysInvoice = PaymentRequest & Required<Pick<PaymentRequest, 'invoice'>>;

function withBolt11(
  terms: PaymentTerms,
  { invoice: given, text }: Extract<Payable, { kind: 'bolt11' }>,
  totalMsat: Msat,
  { identity }: NodeContext,
): PaysInvoice {
  const { payee, terms: invoice, routeHints } = payableBolt11(given, text, totalMsat);
  if (payee === identity.id) throw refused('This invoice is ours: it cannot be paid from here');
  return { ...terms, destination: payee, invoice, routeHints };
}

function withBolt12(
  terms: PaymentTerms,
  { invoice }: Extract<Payable, { kind: 'bolt12' }>,
  context: NodeContext,
): PaysInvoice {
  const signer = nodeIdFromBytes(invoice.fields.invoiceNodeId as Uint8Array);
  if (signer === context.identity.id) throw refused('This invoice is ours: it cannot be paid from here');
  requireUnexpired(invoiceExpiry(invoice.fields)!, context);
  const tails = usableTails(invoice.fields, context);
  return { ...terms, destination: signer, routeHints: [], invoice: payableBolt12(invoice, tails) };
}

/** An offer that is paid in one step. Its invoice is checked once it is fetched. @throws FulguriteError -32602 */
function offerPayment(asked: InvoicePayment, payable: OfferPayable, context: NodeContext): UnfetchedPayment {
  const { offer } = payable;
  const { offerAmount, offerCurrency } = offer.fields;
  const { amountMsat } = asked;
  if (offerCurrency !== undefined) throw refused(`Cannot pay offer in different currency ${offerCurrency}`);
  if (recurrenceOf(offer.fields) !== undefined) throw refused('Cannot xpay recurring offers');
  if (offerAmount === undefined && amountMsat === undefined) {
    throw refused('Must specify amount for this offer', 'amount_msat');
  }
  if (offerAmount !== undefined && amountMsat !== undefined && amountMsat !== offerAmount) {
    const message = `Offer amount is ${offerAmount}msat, you tried to pay ${amountMsat}msat`;
    throw refused(message, 'amount_msat');
  }
  const terms = termsOf(asked, msat(offerAmount ?? amountMsat!), context);
  return { ...terms, fetch: () => fetched(asked, payable, context) };
}

const fetchOf = ({ amountMsat, payerNote, retryForS }: InvoicePayment, { offer, name }: OfferPayable) => ({
  offer,
  bip353: name,
  // For an offer with a price, exactly that amount is requested, so that its issuer cannot charge more.
  amountMsat: amountMsat ?? (offer.fields.offerAmount as Msat | undefined),
  payerNote,
  timeoutMs: Math.max(1, retryForS) * 1000,
});

/**
 * Fetches the invoice of an offer. A static invoice is refused unless the service pays static invoices.
 * @returns the request that pays it
 * @throws FulguriteError as `fetchinvoice`; 205 when none of the invoice's blinded paths is usable
 */
async function fetched(
  asked: InvoicePayment,
  payable: OfferPayable,
  context: NodeContext,
): Promise<PaymentRequest> {
  const wanted = fetchOf(asked, payable);
  try {
    const { invoice } = await context.offers.fetcher.fetch(wanted);
    const totalMsat = invoice.fields.invoiceAmountMsat as Msat;
    const terms = termsOf(asked, totalMsat, context);
    return withInvoice(terms, { kind: 'bolt12', text: payable.text, invoice }, totalMsat, context);
  } catch (error) {
    const failure = error instanceof FetchFailed ? error.reason : undefined;
    if (failure?.kind !== 'staticInvoice' || context.payments.paysStaticInvoices !== true) throw error;
    // A static invoice has no amount. The caller must have given one if the offer has none either.
    const totalMsat = wanted.amountMsat!;
    return withStatic(termsOf(asked, totalMsat, context), failure, totalMsat, context);
  }
}

/** The payment of a static invoice, with a new preimage. */
function withStatic(
  terms: PaymentTerms,
  { staticInvoice, request }: Extract<FetchFailure, { kind: 'staticInvoice' }>,
  totalMsat: Msat,
  context: NodeContext,
): PaymentRequest {
  const { fields } = staticInvoice;
  const tails = usableTails({ ...fields, invoiceAmountMsat: totalMsat }, context);
  const held = { preimage: randomBytes(32), invoiceRequest: request };
  return {
    ...terms,
    destination: nodeIdFromBytes(fields.invoiceNodeId!),
    routeHints: [],
    invoice: payableStatic(staticInvoice, tails, totalMsat, held),
  };
}

/**
 * Maximum msat that the parameters allow to spend. Undefined if the amount is unknown until an invoice is fetched.
 * @throws FulguriteError -32602
 */
export function invoiceOutgo({
  payable,
  amountMsat,
  partialMsat,
  feeLimit,
}: InvoicePayment): bigint | undefined {
  const totalMsat = knownAmount(payable, amountMsat);
  if (totalMsat === undefined) return undefined;
  const sentMsat = partialMsat ?? totalMsat;
  return requestOutgo({ amountMsat: sentMsat, maxfeeMsat: usableFeeLimit(feeLimit(sentMsat).maxfeeMsat) });
}

function knownAmount(payable: Payable, amountMsat: Msat | undefined): Msat | undefined {
  // The given amount is the most that a name can cost: an offer with a different price is refused, and so is an invoice
  // with a higher amount.
  if (payable.kind === 'name') return amountMsat;
  if (payable.kind !== 'offer') return amountOf(payable, amountMsat);
  const { offerAmount, offerCurrency } = payable.offer.fields;
  return offerCurrency === undefined && offerAmount !== undefined ? msat(offerAmount) : amountMsat;
}

/** Checks everything that can be refused before anything is sent. @throws FulguriteError as `payInvoice` */
export async function checkInvoicePayment(asked: InvoicePayment, context: NodeContext): Promise<void> {
  const { payable } = asked;
  if (payable.kind === 'name') {
    localRequestOf(payable, asked.localRequestId, context);
    resolverOf(payable, context);
    return;
  }
  context.payments.check(targetOf({ ...asked, payable }, context));
  if (payable.kind === 'offer') await context.offers.fetcher.check(fetchOf(asked, payable));
}

/**
 * The target of the payment, once a name has been resolved to its offer. @throws FulguriteError -32602, 205, 207, 212
 */
function targetOf(
  { payable, ...asked }: InvoicePayment & { readonly payable: KnownPayable },
  context: NodeContext,
): PaymentTarget {
  if (payable.kind === 'offer') return offerPayment({ ...asked, payable }, payable, context);
  return invoiceRequest({ ...asked, payable }, context);
}

/**
 * Pays an invoice, an offer or a name. A name is first resolved to its offer, and the invoice of an offer is fetched.
 * @throws InvoiceTaken; FulguriteError as `resolved`, `targetOf` and `fetched`
 */
export async function payInvoice(
  asked: InvoicePayment,
  context: NodeContext,
  order: PaymentOrder,
): Promise<Payment> {
  localRequestOf(asked.payable, asked.localRequestId, context);
  const payable = await resolved(asked.payable, context);
  const target = targetOf({ ...asked, payable }, context);
  return context.payments.pay(target, order);
}
