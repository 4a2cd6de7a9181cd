/** `transfer`: moves money from one of our nodes to another, over the network. */
import { defineCommand } from '../../context.ts';
import { orderOf, requireComplete, XPAY_RESULT, xpayJson } from '../books/payment-json.ts';
import { requestOutgo } from './outgo.ts';
import { TRANSFER_PARAMS, transferRequest, withOwnInvoice } from './transfer-request.ts';

/** Not in Core Lightning. A transfer is an ordinary payment: it is journaled, retried and listed. */
export const transfer = defineCommand({
  name: 'transfer',
  summary: 'Move money from one of our nodes to another.',
  description:
    'Pays an invoice of the receiving node from the paying node, at the lowest cost within the fee limit, in ' +
    'several parts if that is cheaper. The floor of the paying node applies. The errors are those of `xpay`. An LND node ' +
    'issues invoices only with a macaroon that permits uri:/lnrpc.Lightning/AddInvoice.',
  category: 'payments',
  params: TRANSFER_PARAMS,
  check: (params, context) => context.payments.check(transferRequest(params)),
  outgo: (params) => requestOutgo(transferRequest(params)),
  result: XPAY_RESULT,
  async handler(params, context, call) {
    const request = transferRequest(params);
    const fetch = () => withOwnInvoice(request, params.to);
    const payment = await context.payments.pay({ ...request, fetch }, orderOf(call));
    requireComplete(payment);
    return xpayJson(payment);
  },
});
