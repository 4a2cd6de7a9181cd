/** `xpay`: pays a BOLT 11 or BOLT 12 invoice, or an offer in one step. */
import { defineCommand } from '../context.ts';
import { checkInvoicePayment, invoiceOutgo, payInvoice } from './invoice-request.ts';
import { orderOf, requireComplete, XPAY_RESULT, xpayJson } from './payment-json.ts';
import { XPAY_PARAMS, xpayOf } from './xpay-params.ts';

/**
 * As Core Lightning's `xpay`, with its error numbers and texts; `idempotency_key` and `seed` are ours. The
 * answer comes when the payment is over.
 */
export const xpay = defineCommand({
  name: 'xpay',
  summary: 'Pay an invoice or an offer.',
  description:
    'Pays a BOLT 11 invoice, a BOLT 12 invoice, or an offer. Route hints and blinded paths of an invoice ' +
    'are used. For an offer an invoice is fetched first, as `fetchinvoice` does. A name (BIP 353) can be paid ' +
    'beside a Core Lightning node that has `fetchbip353`, which proves what the name stands for; elsewhere the ' +
    'error is -32005. Routes are found and ' +
    'tried, and what a failure teaches helps to find the next ones. The payment is split if the invoice ' +
    'allows it. An invoice is paid once. While it is being paid, a second request is refused (200). ' +
    'Afterwards, a second request gets 219 with the preimage in data. A payment that failed may be ' +
    'repeated. Errors: 203 the recipient refused. 205, 206, 215, 220 there is no route, or no blinded ' +
    'path can be used; the code says why. 207 the invoice has expired. 209 the payment failed after ' +
    'attempts were made. 212 localinvreqid may not be used. 217 maxdelay is above 2016. 1002 to 1005 are those of `fetchinvoice`.',
  category: 'payments',
  since: 'v24.11',
  params: XPAY_PARAMS,
  check: (params, context) => checkInvoicePayment(xpayOf(params, context), context),
  outgo: (params, context) => invoiceOutgo(xpayOf(params, context)),
  result: XPAY_RESULT,
  async handler(params, context, call) {
    const payment = await payInvoice(xpayOf(params, context), context, orderOf(call));
    requireComplete(payment);
    return xpayJson(payment);
  },
});
