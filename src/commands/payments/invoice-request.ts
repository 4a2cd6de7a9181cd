/**
 * Makes a payment from an invoice or an offer: its amounts, its expiry, and whether any way to the recipient
 * is known. `xpay`, `pay` and `planxpay` differ only in their parameters and texts; the rest is here.
 */
import { invoiceExpiry, paymentPaths } from '../../bolt/invoice/bolt12-invoice.ts';
import { recurrenceOf } from '../../bolt/invoice/bolt12-recurrence.ts';
import { FulguriteError } from '../../model/errors.ts';
import { type Msat, msat } from '../../model/msat.ts';
import { type NodeId, nodeIdFromBytes } from '../../model/node-id.ts';
import { filled, REFUSALS } from '../../model/refusals.ts';
import { whyUnpayable } from '../../offers/payable.ts';
import type { Payment, PaymentRequest } from '../../payments/payment.ts';
import type { PaymentOrder } from '../../payments/payment-engine.ts';
import type { FeeTerms } from '../../payments/plan/fee-terms.ts';
import { requirePayable, usableFeeLimit } from '../../payments/plan/limits.ts';
import {
  findTails,
  type PathStarts,
  payableBolt11,
  payableBolt12,
  type TailProblem,
} from '../../payments/plan/payable-invoice.ts';
import type { NodeContext } from '../context.ts';
import { unpayableText } from '../offers/invoice-fault-words.ts';
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

/** What a caller asks for, whatever the command. */
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
  /** Id, in hex, of the request of ours that the invoice answers. */
  readonly localRequestId: string | undefined;
  /** The fee limit for the amount sent, and the parameter by which its caller gave it. */
  readonly feeLimit: (amountMsat: Msat) => { readonly maxfeeMsat: Msat; readonly feeTerms: FeeTerms };
}

/** The same for something that can be paid as it stands, without resolving a name first. */
type KnownPayment = InvoicePayment & { readonly payable: KnownPayable };

type PaidInvoice = Exclude<KnownPayable, { kind: 'offer' }>;

/**
 * The request to pay. For an offer it is not complete yet: destination and invoice come with the fetch
 * (`fetched`).
 * @throws FulguriteError -32602, 205, 207, 1002
 */
export function invoiceRequest(asked: KnownPayment, context: NodeContext): PaymentRequest {
  const { payable } = asked;
  if (payable.kind === 'offer') return offerRequest(asked, payable, context);
  const totalMsat = amountOf(payable, asked.amountMsat);
  return withInvoice(commonRequest(asked, totalMsat, context), payable, totalMsat, context);
}

/** The members that follow from the parameters alone. */
function commonRequest(asked: InvoicePayment, totalMsat: Msat, context: NodeContext): PaymentRequest {
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
    destination: NOBODY,
    amountMsat,
    maxfeeMsat: usableFeeLimit(maxfeeMsat),
    feeTerms,
    extraTlvs: [],
    routeHints: [],
    asked: { invstring: payable.text, payerNote, ...(localRequest && { localRequest }) },
  };
}

/** A placeholder for the destination, until the invoice of an offer has been fetched. */
const NOBODY = '00'.repeat(33) as NodeId;

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
  request: PaymentRequest,
  payable: PaidInvoice,
  totalMsat: Msat,
  context: NodeContext,
): PaymentRequest {
  const whole =
    payable.kind === 'bolt11'
      ? withBolt11(request, payable, totalMsat, context)
      : withBolt12(request, payable, context);
  requireUnexpired(whole.invoice!.expiresAt, context);
  return whole;
}

function withBolt11(
  request: PaymentRequest,
  { invoice, text }: Extract<Payable, { kind: 'bolt11' }>,
  totalMsat: Msat,
  { identity }: NodeContext,
): PaymentRequest {
  const { payee, terms, routeHints } = payableBolt11(invoice, text, totalMsat);
  if (payee === identity.id) throw refused('This invoice is ours: it cannot be paid from here');
  return { ...request, destination: payee, invoice: terms, routeHints };
}

function withBolt12(
  request: PaymentRequest,
  { invoice }: Extract<Payable, { kind: 'bolt12' }>,
  context: NodeContext,
): PaymentRequest {
  const signer = nodeIdFromBytes(invoice.fields.invoiceNodeId as Uint8Array);
  if (signer === context.identity.id) throw refused('This invoice is ours: it cannot be paid from here');
  requireUnexpired(invoiceExpiry(invoice.fields)!, context);
  const unpayable = whyUnpayable(invoice.fields);
  if (unpayable !== undefined) throw noPath([unpayableText(unpayable)]);
  const found = findTails(paymentPaths(invoice.fields), startsOf(context));
  const isOurs = ({ introduction }: (typeof found.tails)[number]): boolean =>
    context.payments.purse?.nodes.byId(introduction) !== undefined;
  const tails = found.tails.filter((tail) => !isOurs(tail));
  const problems: readonly TailProblem[] = [
    ...found.problems,
    ...found.tails.filter(isOurs).map(() => ({ kind: 'keyElsewhere' }) as const),
  ];
  if (tails.length === 0) throw noPath(problems.map(tailProblemText));
  return { ...request, destination: signer, invoice: payableBolt12(invoice, tails) };
}

/** Why a blinded path cannot be tried. */
function tailProblemText(problem: TailProblem): string {
  switch (problem.kind) {
    case 'unknownChannel':
      return 'unknown short_channel_id';
    case 'endsHere':
      return 'it ends at this node';
    case 'tooManyOwnHops':
      return `it begins with more than ${problem.most} hops of this node`;
    case 'keyElsewhere':
      return 'it begins at this node, whose key is kept elsewhere';
    case 'notOurChannel':
      return 'it leads over a channel that this node does not have';
    case 'unreadable':
      return `what it tells this node cannot be read: ${problem.cause}`;
  }
}

function noPath(problems: readonly string[]): FulguriteError {
  const { wire, error, text } = REFUSALS.blindedPaths;
  const message = filled(text, { problems: [...new Set(problems)].join(', ') });
  return new FulguriteError(error, message, { binding: { kind: wire }, problems });
}

/** How this node sees the places where blinded paths begin. */
function startsOf({ identity, graph, networkPort, offers }: NodeContext): PathStarts {
  return {
    ownId: identity.id,
    nodeOf({ shortChannelId, direction }) {
      const channel = graph.channelIndex(shortChannelId);
      if (channel < 0) return undefined;
      return graph.nodeId((direction === 0 ? graph.node1 : graph.node2)[channel]!);
    },
    peerOf: (wanted) =>
      networkPort.ownChannels().channels.find(({ shortChannelId }) => shortChannelId === wanted)?.peerId,
    openOwnHop: (path) => offers.openOwnHop(path),
  };
}

function requireUnexpired(expiresAt: bigint, { offers }: NodeContext): void {
  const now = offers.nowSeconds();
  if (now <= expiresAt) return;
  const message = `Invoice expired ${now - expiresAt} seconds ago`;
  throw new FulguriteError('invoiceExpired', message, { now, expiry: expiresAt });
}

// ---------------------------------------------------------------- offers

/** The checks of an offer that is paid in one step. The fetch has checks of its own. */
function offerRequest(asked: KnownPayment, { offer }: OfferPayable, context: NodeContext): PaymentRequest {
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
  return commonRequest(asked, msat(offerAmount ?? amountMsat!), context);
}

const fetchOf = ({ amountMsat, payerNote, retryForS }: InvoicePayment, { offer, name }: OfferPayable) => ({
  offer,
  bip353: name,
  // An offer with a price is requested for just that amount. Then its issuer may not charge more.
  amountMsat: amountMsat ?? (offer.fields.offerAmount as Msat | undefined),
  payerNote,
  timeoutMs: Math.max(1, retryForS) * 1000,
});

/**
 * Fetches the invoice of an offer, and completes the request.
 * @throws FulguriteError as `fetchinvoice` does; 205 when no route leads to where the invoice is to be paid.
 */
async function fetched(asked: KnownPayment, context: NodeContext): Promise<PaymentRequest> {
  const { payable } = asked;
  if (payable.kind !== 'offer') return invoiceRequest(asked, context);
  const { invoice } = await context.offers.fetcher.fetch(fetchOf(asked, payable));
  const totalMsat = invoice.fields.invoiceAmountMsat as Msat;
  const request = commonRequest(asked, totalMsat, context);
  return withInvoice(request, { kind: 'bolt12', text: payable.text, invoice }, totalMsat, context);
}

/**
 * The most msat that can leave, from the parameters alone. Undefined when the amount is not known before an invoice is
 * fetched.
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
  // An offer with another amount than the one that was given is refused. So is one whose invoice asks for more.
  if (payable.kind === 'name') return amountMsat;
  if (payable.kind !== 'offer') return amountOf(payable, amountMsat);
  const { offerAmount, offerCurrency } = payable.offer.fields;
  return offerCurrency === undefined && offerAmount !== undefined ? msat(offerAmount) : amountMsat;
}

/** Everything that can be refused before anything is sent. @throws FulguriteError as `payInvoice` does */
export async function checkInvoicePayment(asked: InvoicePayment, context: NodeContext): Promise<void> {
  const { payable } = asked;
  if (payable.kind === 'name') {
    localRequestOf(payable, asked.localRequestId, context);
    resolverOf(payable, context);
    return;
  }
  context.payments.check(invoiceRequest({ ...asked, payable }, context));
  if (payable.kind === 'offer') await context.offers.fetcher.check(fetchOf(asked, payable));
}

/**
 * Pays an invoice, or an offer whose invoice is fetched first. A name is resolved to its offer before.
 * @throws InvoiceTaken; FulguriteError as `resolved`, `invoiceRequest` and `fetched` do
 */
export async function payInvoice(
  asked: InvoicePayment,
  context: NodeContext,
  order: PaymentOrder,
): Promise<Payment> {
  localRequestOf(asked.payable, asked.localRequestId, context);
  const known = { ...asked, payable: await resolved(asked.payable, context) };
  const request = invoiceRequest(known, context);
  const fetch = request.invoice === undefined ? () => fetched(known, context) : undefined;
  return context.payments.pay(request, { ...order, fetch });
}
