/** `planxpay`: shows what `xpay` would do first with an invoice, and sends nothing. */
import type { PaymentRequest } from '../../payments/payment.ts';
import { optional, type ParsedParams, required } from '../../rpc/command.ts';
import { positiveMsat } from '../../rpc/param-types.ts';
import { defineCommand, type NodeContext } from '../context.ts';
import { invoiceRequest } from './invoice-request.ts';
import { invoiceString, refused } from './invoice-string.ts';
import { PLAN_RESULT, planJson } from './plan-json.ts';
import { XPAY_PARAMS, xpayOf } from './xpay-params.ts';

const {
  idempotency_key: _,
  quote: _quote,
  include_fee: _fee,
  least_probability_ppm: _least,
  ...SHARED
} = XPAY_PARAMS;
const PARAMS = {
  ...SHARED,
  invstring: required(invoiceString, XPAY_PARAMS.invstring.description),
  amount_msat: optional(positiveMsat, 'Amount to pay. Only for an invoice without an amount.'),
};

/** Not in Core Lightning. Returns the routes that `xpay` would try first, and the seed that reproduces them. */
export const planxpay = defineCommand({
  name: 'planxpay',
  summary: 'Show what `xpay` would do, without sending anything.',
  description:
    'Takes most parameters of `xpay` and returns the first attempts that `xpay` would make. With the returned ' +
    'seed, `xpay` makes exactly these attempts, as long as graph, layers and our balances do not change. A ' +
    'blinded path is shown as one hop whose channel id begins with 0x. To plan the payment of an offer, ' +
    'first fetch its invoice with `fetchinvoice`. Errors are those of `xpay`.',
  category: 'payments',
  readOnly: true,
  params: PARAMS,
  check: (params, context) => context.payments.check(plannedRequest(params, context)),
  result: PLAN_RESULT,
  handler: (params, context, { session }) =>
    planJson(plannedRequest(params, context), context, session.client ?? session),
});

/** @throws FulguriteError as `invoiceRequest` does */
function plannedRequest(params: ParsedParams<typeof PARAMS>, context: NodeContext): PaymentRequest {
  const asked = xpayOf(
    {
      ...params,
      ...{
        idempotency_key: undefined,
        quote: undefined,
        include_fee: false,
        least_probability_ppm: undefined,
      },
    },
    context,
  );
  const { payable } = asked;
  if (payable.kind === 'name')
    throw refused('Cannot plan the payment of a name: fetch an invoice of its offer first');
  if (payable.kind === 'offer') throw refused('Cannot plan the payment of an offer: fetch its invoice first');
  return invoiceRequest({ ...asked, payable }, context);
}
