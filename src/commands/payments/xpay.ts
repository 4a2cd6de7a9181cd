/** `xpay`: pays a BOLT 11 or BOLT 12 invoice, an offer, or a name that stands for an offer. */
import type { PaymentRequest } from '../../payments/payment.ts';
import type { Call, ParsedParams } from '../../rpc/command.ts';
import { defineCommand, type NodeContext } from '../context.ts';
import { orderOf, requireComplete, XPAY_RESULT, xpayJson } from './books/payment-json.ts';
import { checkInvoicePayment, invoiceOutgo, invoiceRequest, payInvoice } from './invoice-request.ts';
import { refused } from './invoice-string.ts';
import { quotedXpay, quoteOutgo } from './quotes/quoted-payment.ts';
import { includesFee, wholeMsat, withWholeAmount } from './whole-amount.ts';
import { XPAY_PARAMS, xpayOf } from './xpay-params.ts';

/**
 * Matches Core Lightning's `xpay`, error numbers and texts, and has additional parameters. Returns when the payment has
 * finished.
 */
export const xpay = defineCommand({
  name: 'xpay',
  summary: 'Pay an invoice or an offer.',
  description:
    'Pays a BOLT 11 invoice, a BOLT 12 invoice, or an offer. Route hints and blinded paths of the invoice ' +
    'are used. For an offer, an invoice is fetched first, as in `fetchinvoice`. A name (BIP 353) is ' +
    'resolved by the resolver of the option `name-resolver`, or else by an attached Core Lightning node that has ' +
    '`fetchbip353`, and is verified with DNSSEC. Without either, the error is -32005. Failed attempts are retried over other routes, using what was learned from the ' +
    'failures. The payment is split if the invoice allows it. An invoice is paid once. While a payment is ' +
    'in progress, a second request is refused (200). Afterwards, a second request returns 219 with the ' +
    'preimage in data. A failed payment may be repeated. Errors: 203 the recipient rejected the payment. ' +
    '205, 206, 215, 220 no route, or no usable blinded path; the code says why. 207 the invoice has ' +
    'expired. 209 the payment failed after one or more attempts. 212 localinvreqid cannot be used. 217 ' +
    'maxdelay is above 2016. 1002 to 1005 as in `fetchinvoice`. -32011 the recipient of a static invoice did not come ' +
    'online and release the payment in time, and nothing was paid; see the option `pay-static-invoices`.',
  category: 'payments',
  since: 'Core Lightning v24.11',
  params: XPAY_PARAMS,
  check: (params, context) =>
    params.quote === undefined ? checkInvoicePayment(xpayOf(params, context), context) : undefined,
  outgo: (params, context) =>
    params.quote !== undefined
      ? quoteOutgo(params.quote, context)
      : includesFee(params)
        ? wholeMsat(params, context)
        : invoiceOutgo(xpayOf(params, context)),
  result: XPAY_RESULT,
  async handler(params, context, call) {
    const given = params.quote === undefined ? params : await quotedXpay(params.quote, params, context, call);
    const asked = includesFee(given) ? await wholeXpay(given, context, call) : given;
    const order = orderOf(call);
    const payment = await payInvoice(
      xpayOf(asked, context),
      context,
      params.quote === undefined ? order : { ...order, keyScope: undefined },
    );
    requireComplete(payment);
    return xpayJson(payment);
  },
});

/**
 * The parameters with an amount that leaves room for fees. This works only for an invoice, because routes for an offer
 * cannot be planned before its invoice is fetched.
 */
function wholeXpay(
  params: ParsedParams<typeof XPAY_PARAMS>,
  context: NodeContext,
  { session }: Call<NodeContext>,
): Promise<ParsedParams<typeof XPAY_PARAMS>> {
  const requestOf = (one: ParsedParams<typeof XPAY_PARAMS>): PaymentRequest => {
    const asked = xpayOf(one, context);
    const { payable } = asked;
    if (payable.kind === 'offer' || payable.kind === 'name') {
      throw refused('Fees can be included in the amount of an invoice only: fetch one first');
    }
    return invoiceRequest({ ...asked, payable }, context);
  };
  return withWholeAmount(params, requestOf, context, session.client ?? session);
}
