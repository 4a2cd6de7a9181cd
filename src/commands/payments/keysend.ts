/** `keysend`: pays a node by its id, without an invoice. */
import { defineCommand } from '../context.ts';
import { orderOf, PAY_RESULT, payResultJson, requireComplete } from './books/payment-json.ts';
import { KEYSEND_PARAMS, keysendRequest } from './keysend-request.ts';
import { requestOutgo } from './own-money/outgo.ts';

/**
 * Matches Core Lightning's command (BOLT 4 payload with `keysend_preimage`, type 5482373484). Returns when the payment
 * has finished.
 */
export const keysend = defineCommand({
  name: 'keysend',
  summary: 'Pay a node by its id, without an invoice.',
  description:
    'Sends the amount to the destination. The payment itself carries the preimage, so the preimage is not a ' +
    'receipt. Failed attempts are retried over other routes, using what was learned from the failures, ' +
    'until the payment arrives, the recipient rejects it, no route is left, retry_for expires, or the maximum ' +
    'number of attempts has been made. Routes are randomised within the ' +
    'fee limit. To hide the distance to the recipient, the route is made to look longer: the recipient may get ' +
    'a slightly later expiry and a slightly higher amount. The addition is at most 1/1000 of the amount and ' +
    'at most a quarter of the fee limit, and amount_msat of the result includes it. The payment is sent as one part if a single ' +
    'route can carry it. Otherwise it is split, if the recipient announced support for multi-part payments. ' +
    '`paystatus` shows every attempt while the payment is in progress. After a restart, the payment makes ' +
    'no further attempt: it is complete if an attempt in flight succeeds, otherwise it fails with -1. ' +
    '`listpays`, `paystatus`, `waitsendpay` and a repeated request with the same idempotency_key show the ' +
    'result. Errors: 203 the destination rejected the payment. 205 no route. 206 all routes exceed the fee ' +
    'or delay limit (data: fee, feepercent, delay of the best). 210 timed out with nothing in flight. Use ' +
    'xkeysend instead.',
  category: 'payments',
  deprecated: { since: 'Core Lightning v26.06', removed: 'v27.03' },
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
