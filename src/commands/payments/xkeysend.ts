/** `xkeysend`: pays like `keysend`, and lets the caller choose layers. */
import { defineCommand } from '../context.ts';
import { orderOf, requireComplete, XPAY_RESULT, xpayJson } from './books/payment-json.ts';
import { requestOutgo } from './own-money/outgo.ts';
import { quotedXkeysend, quoteOutgo } from './quotes/quoted-payment.ts';
import { includesFee, wholeMsat, withWholeAmount } from './whole-amount.ts';
import { XKEYSEND_PARAMS, xkeysendRequest } from './xkeysend-request.ts';

/** Matches Core Lightning's command, error numbers and texts, and has additional parameters. */
export const xkeysend = defineCommand({
  name: 'xkeysend',
  summary: 'Pay a node by its id, in several parts if necessary.',
  description:
    'Works like `keysend`. Failed attempts are retried over other routes, using what was learned from the ' +
    'failures. Large amounts are split if the recipient announces support for multi-part payments. Errors: ' +
    '203 the destination rejected the payment. 205, 206, 215, 220 no route; the code says why. 209 the ' +
    'payment failed after one or more attempts. 217 maxdelay is above 2016.',
  category: 'payments',
  params: XKEYSEND_PARAMS,
  check: (params, context) =>
    params.quote === undefined ? context.payments.check(xkeysendRequest(params, context)) : undefined,
  outgo: (params, context) =>
    params.quote === undefined
      ? includesFee(params)
        ? wholeMsat(params, context)
        : requestOutgo(xkeysendRequest(params, context))
      : quoteOutgo(params.quote, context),
  result: XPAY_RESULT,
  async handler(params, context, call) {
    const given =
      params.quote === undefined ? params : await quotedXkeysend(params.quote, params, context, call);
    const client = call.session.client ?? call.session;
    const asked = includesFee(given)
      ? await withWholeAmount(given, (one) => xkeysendRequest(one, context), context, client)
      : given;
    const order = orderOf(call);
    const payment = await context.payments.pay(
      xkeysendRequest(asked, context),
      params.quote === undefined ? order : { ...order, keyScope: undefined },
    );
    requireComplete(payment);
    return xpayJson(payment);
  },
});
