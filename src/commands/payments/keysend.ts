/** `keysend`: pays a node by its id, without an invoice. */
import { defineCommand } from '../context.ts';
import { KEYSEND_PARAMS, keysendRequest } from './keysend-request.ts';
import { requestOutgo } from './outgo.ts';
import { orderOf, PAY_RESULT, payResultJson, requireComplete } from './payment-json.ts';

/**
 * As Core Lightning's command (BOLT 4 payload with `keysend_preimage`, type 5482373484). The answer comes
 * when the payment is over.
 */
export const keysend = defineCommand({
  name: 'keysend',
  summary: 'Pay a node by its id, without an invoice.',
  description:
    'Sends the amount to the destination. The destination learns the preimage from the payment itself, so ' +
    'the preimage is no receipt for anything that was agreed. A route is found and tried. What a failure ' +
    'teaches helps to find the next one. This goes on until the payment arrives, no route is left, or ' +
    'retry_for is over. Routes are chosen with randomness within the fee limit. The route is also made to ' +
    'look longer than it is. For this, the recipient gets a little more time and a little more money: at ' +
    'most 1/1000 of the amount and a quarter of the fee limit. amount_msat of the answer includes it. The ' +
    'payment goes in one part if any route carries it. Otherwise it is split, if the recipient announced ' +
    'that it takes several parts. While it runs, `paystatus` shows every attempt. If the service ' +
    'restarts, the payment makes no further attempt. It is complete if what it had sent arrives, else it ' +
    'failed with -1. `listpays`, `paystatus`, `waitsendpay` and a repeated request with its ' +
    'idempotency_key all tell so. Errors: 203 the destination refused. 205 there is no route. 206 there ' +
    'are only routes beyond the fee or delay limit (data: fee, feepercent, delay of the best). 210 time ' +
    'ran out, and nothing is in flight. Use xkeysend instead.',
  category: 'payments',
  deprecated: { since: 'v26.06', removed: 'v27.03' },
  params: KEYSEND_PARAMS,
  interchangeable: ['routehints', 'extratlvs'],
  check: (params, context) => context.payments.check(keysendRequest(params, context)),
  outgo: (params, context) => requestOutgo(keysendRequest(params, context)),
  result: PAY_RESULT,
  async handler(params, context, call) {
    const payment = await context.payments.pay(keysendRequest(params, context), orderOf(call));
    requireComplete(payment);
    return payResultJson(payment);
  },
});
