/** `xpay`: pays an invoice, BOLT 11 or BOLT 12, or an offer in one step. */
import { defineCommand } from '../context.ts';
import { checkInvoicePayment, payInvoice } from './invoice-request.ts';
import { orderOf, requireComplete, XPAY_RESULT, xpayJson } from './payment-json.ts';
import { XPAY_PARAMS, xpayOf } from './xpay-params.ts';

/**
 * Pays an invoice or an offer, and answers the preimage and what it cost. Money is sent; it resolves when the payment is
 * over.
 */
export const xpay = defineCommand({
  name: 'xpay',
  summary: 'Pay an invoice or an offer.',
  description:
    'Pays a BOLT 11 invoice, by its route hints too; a BOLT 12 invoice, over its blinded paths; or an offer, for which ' +
    'an invoice is fetched first, as `fetchinvoice` does. Routes are found, tried, and found anew from what failures ' +
    'teach; the payment is split where the invoice allows it. An invoice is paid once: a second request is refused ' +
    'while the first is under way (200), and told its preimage afterwards (219, in data). Payments that failed may be ' +
    'repeated. Errors: 203 the recipient refused; 205, 206, 215, 220 there is no route, and why, or no blinded path can ' +
    'be used; 207 the invoice has expired; 209 the payment failed after attempts were made; 217 maxdelay is above 2016; ' +
    '1002 to 1005 those of `fetchinvoice`.',
  category: 'payments',
  since: 'v24.11',
  params: XPAY_PARAMS,
  check: (params, context) => checkInvoicePayment(xpayOf(params), context),
  result: XPAY_RESULT,
  async handler(params, context, call) {
    const payment = await payInvoice(xpayOf(params), context, orderOf(call));
    requireComplete(payment);
    return xpayJson(payment);
  },
});
