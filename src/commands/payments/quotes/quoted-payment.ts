/**
 * The payment that a quote is for. The quote stores the parameters of the payment's command. When the quote is used,
 * the payment is made from them, so it passes the same checks as any other payment.
 *
 * The quote's id is the idempotency key of the payment, so a quote is paid only once, even if two daemons of a fleet
 * use it.
 */
import type { QuotedPayment } from '../../../payments/quotes/quote-book.ts';
import { quoteKey } from '../../../payments/quotes/quote-key.ts';
import type { Call, ParsedParams } from '../../../rpc/command.ts';
import { parseJson } from '../../../rpc/json-token.ts';
import { parameterError, parseParams } from '../../../rpc/params.ts';
import type { NodeContext } from '../../context.ts';
import { XKEYSEND_PARAMS } from '../xkeysend-request.ts';
import { XPAY_PARAMS } from '../xpay-params.ts';

type XpayParams = ParsedParams<typeof XPAY_PARAMS>;
type XkeysendParams = ParsedParams<typeof XKEYSEND_PARAMS>;

/** The parameters that may be given together with a quote, which determines all others. */
const BESIDE_QUOTE: ReadonlySet<string> = new Set([
  ...['quote', 'invstring', 'destination', 'label', 'retry_for', 'extratlvs', 'idempotency_key'],
  // These parameters have defaults, so we cannot know whether the caller gave them.
  ...['maxdelay', 'one_node', 'include_fee', 'dev_use_shadow', 'dev_randomize'],
]);

/** The parameters of a quoted payment. @throws FulguriteError -32602 */
export function quotedParams(
  { command, params }: QuotedPayment,
  context: NodeContext,
): XpayParams | XkeysendParams {
  const declared = { params: command === 'xpay' ? XPAY_PARAMS : XKEYSEND_PARAMS };
  return parseParams(declared, parseJson(params), context) as XpayParams | XkeysendParams;
}

/**
 * Marks a quote as used. @returns the parameters of the payment @throws FulguriteError quoteUnusable, storeFailed,
 * -32602
 */
async function taken(
  command: QuotedPayment['command'],
  id: string,
  given: Readonly<Record<string, unknown>>,
  payee: string | undefined,
  context: NodeContext,
  { session }: Pick<Call<NodeContext>, 'session'>,
): Promise<XpayParams | XkeysendParams> {
  const stray = Object.keys(given).find((name) => given[name] !== undefined && !BESIDE_QUOTE.has(name));
  if (stray !== undefined) {
    const reason = 'cannot be combined with a quote, which determines it';
    throw parameterError(stray, reason, `${stray} ${reason}`);
  }
  const key = given.idempotency_key as string | undefined;
  const quote = await context.quotes.take(id, { scope: session.keyScope, command, payee, key });
  return { ...quotedParams(quote.asked, context), maxfee: quote.maxfeeMsat };
}

/**
 * Marks a quote as used, and returns the parameters with which `xpay` pays it.
 * @throws FulguriteError quoteUnusable, storeFailed, -32602
 */
export async function quotedXpay(
  id: string,
  given: XpayParams,
  context: NodeContext,
  call: Pick<Call<NodeContext>, 'session'>,
): Promise<XpayParams> {
  const params = (await taken('xpay', id, given, given.invstring, context, call)) as XpayParams;
  return { ...params, label: given.label, retry_for: given.retry_for, idempotency_key: quoteKey(id) };
}

/**
 * Marks a quote as used, and returns the parameters with which `xkeysend` pays it.
 * @throws FulguriteError quoteUnusable, storeFailed, -32602
 */
export async function quotedXkeysend(
  id: string,
  given: XkeysendParams,
  context: NodeContext,
  call: Pick<Call<NodeContext>, 'session'>,
): Promise<XkeysendParams> {
  const params = (await taken('xkeysend', id, given, given.destination, context, call)) as XkeysendParams;
  const { label, retry_for, extratlvs } = given;
  return { ...params, label, retry_for, extratlvs, idempotency_key: quoteKey(id) };
}

/** How much the payment of a quote can spend. Undefined when this process does not have the quote in memory. */
export function quoteOutgo(id: string, { quotes }: NodeContext): bigint | undefined {
  const quote = quotes.known(id);
  return quote && quote.amountMsat + quote.maxfeeMsat;
}

/**
 * The parameters of a quote's payment. Undefined when this process does not have the quote in memory. @throws
 * FulguriteError -32602
 */
export function paramsOfQuote(
  id: string,
  context: NodeContext,
): Readonly<Record<string, unknown>> | undefined {
  const quote = context.quotes.known(id);
  return quote && quotedParams(quote.asked, context);
}
