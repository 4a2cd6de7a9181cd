/** `quote`: estimates what a payment will cost, with a binding fee limit. */
import { randomBytes } from 'node:crypto';
import { type Msat, msat } from '../../../model/msat.ts';
import { parseNodeId } from '../../../model/node-id.ts';
import { PaymentFailed, type PaymentRequest } from '../../../payments/payment.ts';
import type { FeeQuote } from '../../../payments/quotes/fee-quote.ts';
import type { Quote, QuotedPayment, QuoteHold } from '../../../payments/quotes/quote-book.ts';
import { quoteOfTotal } from '../../../payments/quotes/quote-of-total.ts';
import { field, optional, type ParsedParams, required, withDefault } from '../../../rpc/command.ts';
import { toJson } from '../../../rpc/json-write.ts';
import { bool, positiveMsat, u32 } from '../../../rpc/param-types.ts';
import { parameterError, requireBetween } from '../../../rpc/params.ts';
import { defineCommand, type NodeContext } from '../../context.ts';
import { hopData } from '../books/attempt-json.ts';
import { randomSeed, wholeSeconds } from '../books/payment-json.ts';
import { invoiceRequest } from '../invoice-request.ts';
import { invoiceString, refused } from '../invoice-string.ts';
import { PAYMENT_PARAMS } from '../shared-params.ts';
import {
  amountOrAll,
  includesFee,
  isSplitKeysend,
  leastProbability,
  requireOnlyForAll,
  wholeMsat,
  withWholeAmount,
} from '../whole-amount.ts';
import { type XKEYSEND_PARAMS, xkeysendRequest } from '../xkeysend-request.ts';
import { type XPAY_PARAMS, xpayOf } from '../xpay-params.ts';
import { quotedParams } from './quoted-payment.ts';

const DEFAULT_CONFIDENCE_PPM = 990_000;
const CONFIDENCES = { minimum: 500_000, maximum: 999_000 };
const DEFAULT_SECONDS = 60;
const MAX_SECONDS = 3600;

const PARAMS = {
  invstring: required(
    invoiceString,
    'A BOLT 11 or BOLT 12 invoice, or the id of a node that accepts keysend.',
  ),
  amount_msat: optional(
    amountOrAll(positiveMsat),
    'Amount to pay, for a node or for an invoice without an amount. `all`: as much as we can send with at least ' +
      'least_probability_ppm, fees included.',
  ),
  maxfee: PAYMENT_PARAMS.maxfee,
  confidence_ppm: withDefault(
    u32,
    DEFAULT_CONFIDENCE_PPM,
    'Of the simulated payments that can complete, the share that must complete within the quoted limit, in parts per million: ' +
      `${CONFIDENCES.minimum} to ${CONFIDENCES.maximum}.`,
  ),
  expires_in: withDefault(
    u32,
    DEFAULT_SECONDS,
    `Seconds for which the quote is valid, at most ${MAX_SECONDS}.`,
  ),
  hold: withDefault(
    bool,
    false,
    'Whether to reserve the liquidity of the first routes in our own channels while the quote is open, so that other ' +
      'payments do not use it.',
  ),
  layers: PAYMENT_PARAMS.layers,
  maxdelay: PAYMENT_PARAMS.maxdelay,
  nodes: PAYMENT_PARAMS.nodes,
  one_node: PAYMENT_PARAMS.oneNode,
  include_fee: withDefault(
    bool,
    false,
    'Whether amount_msat is everything that we send: the sum of the quoted amount and its fee limit is at most amount_msat.',
  ),
  least_probability_ppm: leastProbability,
};
type QuoteParams = ParsedParams<typeof PARAMS>;

/** The members that `quote` and `listquotes` share. */
export const QUOTE_RESULT = {
  quote_id: field('string', 'Pass it to `xpay` or `xkeysend` as `quote`.'),
  command: field('string', 'The command to pay it with: `xpay` for an invoice, `xkeysend` for a node.'),
  invstring: field('string', 'The invoice or node id.'),
  amount_msat: field('msat', 'Amount the recipient gets.'),
  fee_msat: field('msat', 'Expected fee.'),
  maxfee_msat: field('msat', 'Binding fee limit: the fees are at most this, or the payment does not happen.'),
  confidence_ppm: field(
    'ppm',
    'As requested: of the simulated payments that can complete, the share that must complete within the limit.',
  ),
  probability_ppm: field('ppm', 'Probability that the payment completes within the limit.'),
  parts: field('u32', 'Number of parts of the first attempt.'),
  held_msat: field('msat', 'Amount that the quote holds in our own channels while it is open.'),
  created_at: field('u64', 'UNIX time.'),
  expires_at: field('u64', 'UNIX time.'),
};

/** A quote as results show it. */
export function quoteJson(quote: Quote) {
  return {
    quote_id: quote.id,
    command: quote.asked.command,
    invstring: quote.payee,
    amount_msat: quote.amountMsat,
    fee_msat: quote.feeMsat,
    maxfee_msat: quote.maxfeeMsat,
    confidence_ppm: quote.confidencePpm,
    probability_ppm: quote.probabilityPpm,
    parts: quote.parts,
    held_msat: quote.holds.reduce((sum, { amountMsat }) => sum + amountMsat, 0n),
    created_at: wholeSeconds(quote.createdAtMs),
    expires_at: wholeSeconds(quote.expiresAtMs),
  };
}

/** Not in Core Lightning. */
export const quote = defineCommand({
  name: 'quote',
  summary: 'Quote a payment: the expected fee, and a binding fee limit.',
  description:
    'Simulates the payment, with its retries, in 300 possible networks that agree with what is believed about balances and ' +
    'nodes, and returns the lowest fee limit found within which it completes in the requested share of those networks where ' +
    'it can complete at all. Nothing is sent, ' +
    'not even a probe. `xpay quote=ID` (for a node: `xkeysend quote=ID`) then pays within this limit or not at all, perhaps over ' +
    'other routes. A quote can be used once. With `amount_msat=all` or `include_fee=true` the quoted amount is the largest one ' +
    'found whose fee limit fits the rest of the total. An offer cannot be quoted: fetch its invoice first. Errors are those of the ' +
    'payment; -32001 if there are too many quotes or they would hold too much.',
  category: 'payments',
  params: PARAMS,
  outgo: () => 0n,
  result: {
    ...QUOTE_RESULT,
    routes: field(
      'array',
      'The parts of the first attempt: objects with amount_msat, amount_sent_msat, probability_ppm and route, hop by hop.',
    ),
  },
  async handler(params, context, { session }) {
    requireBetween('confidence_ppm', params.confidence_ppm, CONFIDENCES.minimum, CONFIDENCES.maximum);
    requireBetween('expires_in', params.expires_in, 1, MAX_SECONDS);
    requireOnlyForAll(params);
    const { quotes } = context;
    const { asked, request, fees } = await quoted(params, context, session.client ?? session);
    const createdAtMs = quotes.nowMs();
    const given: Quote = {
      id: randomBytes(16).toString('hex'),
      asked,
      payee: params.invstring,
      amountMsat: request.amountMsat,
      feeMsat: fees.feeMsat,
      maxfeeMsat: fees.maxfeeMsat,
      probabilityPpm: fees.probabilityPpm,
      confidencePpm: params.confidence_ppm,
      parts: fees.routes.length,
      createdAtMs,
      expiresAtMs: createdAtMs + 1000 * params.expires_in,
      holds: params.hold ? holdsOf(fees) : [],
      scope: session.keyScope,
      use: undefined,
    };
    await quotes.add(given);
    return {
      ...quoteJson(given),
      routes: fees.routes.map(({ path, probabilityPpm }) => ({
        amount_msat: path.at(-1)!.amountOutMsat,
        amount_sent_msat: path[0]!.amountOutMsat,
        probability_ppm: probabilityPpm,
        route: path.map(hopData),
      })),
    };
  },
});

/**
 * The payment as the parameters of its command. They include the seed, so that the payment begins with the routes that
 * were simulated.
 */
function quotedPayment(
  params: Omit<QuoteParams, 'amount_msat'> & { readonly seed: bigint | undefined },
  amountMsat: QuoteParams['amount_msat'],
): QuotedPayment {
  const isNode = parseNodeId(params.invstring) !== undefined;
  if (isNode && amountMsat === undefined) {
    throw parameterError('amount_msat', 'missing', 'missing required parameter: amount_msat');
  }
  return {
    command: isNode ? 'xkeysend' : 'xpay',
    params: toJson({
      [isNode ? 'destination' : 'invstring']: params.invstring,
      amount_msat: amountMsat,
      maxfee: params.maxfee,
      layers: params.layers,
      maxdelay: params.maxdelay,
      nodes: params.nodes?.map(({ name }) => name),
      one_node: params.one_node,
      seed: params.seed,
    }),
  };
}

interface Quoted {
  readonly asked: QuotedPayment;
  readonly request: PaymentRequest;
  readonly fees: FeeQuote;
}

/** Quotes the payment that the parameters describe. @throws FulguriteError as the payment's command */
async function quoted(given: QuoteParams, context: NodeContext, client: object): Promise<Quoted> {
  const params = { ...given, seed: randomSeed() };
  const quoteOf = async (asked: QuotedPayment): Promise<Quoted> => {
    const request = requestOf(asked, context);
    const fees = await context.payments.quote(request, params.confidence_ppm / 1e6, client);
    return { asked, request, fees };
  };
  if (!includesFee(params)) return await quoteOf(quotedPayment(params, params.amount_msat));
  const totalMsat = wholeMsat(params, context);
  const first = await withWholeAmount(
    { ...params, idempotency_key: undefined },
    (one) => requestOf(quotedPayment(one, one.amount_msat), context),
    context,
    client,
  );
  const firstMsat = first.amount_msat as Msat;
  const found = await quoteOfTotal({
    totalMsat: totalMsat!,
    firstMsat,
    quoteAt: async (amountMsat) => {
      // `firstMsat` is the largest amount that is likely enough and has a route.
      if (params.amount_msat === 'all' && amountMsat > firstMsat) return undefined;
      const one = await quoteOf(quotedPayment(params, msat(amountMsat))).catch(unlessWithoutRoute);
      if (one === undefined) return undefined;
      const isRefused = params.amount_msat === 'all' && isSplitKeysend({ ...one, ...one.fees });
      return isRefused ? undefined : { ...one, maxfeeMsat: one.fees.maxfeeMsat };
    },
  });
  // If no fee limit with the requested confidence fits the total, the rest of the total is the limit.
  return found?.quote ?? (await quoteOf(quotedPayment(first, first.amount_msat)));
}

function unlessWithoutRoute(error: unknown): undefined {
  if (!(error instanceof PaymentFailed)) throw error;
}

/** @throws FulguriteError as the payment's command */
function requestOf(asked: QuotedPayment, context: NodeContext): PaymentRequest {
  const params = quotedParams(asked, context);
  if (asked.command === 'xkeysend') {
    return xkeysendRequest(params as ParsedParams<typeof XKEYSEND_PARAMS>, context);
  }
  const payment = xpayOf(params as ParsedParams<typeof XPAY_PARAMS>, context);
  const { payable } = payment;
  if (payable.kind === 'name' || payable.kind === 'offer') {
    throw refused(`Cannot quote ${payable.kind === 'offer' ? 'an offer' : 'a name'}: fetch an invoice first`);
  }
  return invoiceRequest({ ...payment, payable }, context);
}

/** The amounts that the first routes use of our own channels. */
const holdsOf = ({ routes }: FeeQuote): QuoteHold[] =>
  routes.map(({ path }) => ({ of: path[0]!.shortChannelIdDir, amountMsat: path[0]!.amountOutMsat }));
