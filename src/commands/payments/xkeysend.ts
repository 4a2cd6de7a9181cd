/**
 * `xkeysend`: pays as `keysend` does, with layers of the caller's choice, and in several parts where the
 * recipient takes them.
 */

import { FulguriteError } from '../../model/errors.ts';
import { requirePayable, usableFeeLimit, xkeysendFeeTerms, xkeysendMaxfee } from '../../payments/limits.ts';
import type { PaymentRequest } from '../../payments/payment.ts';
import { type ParsedParams, required } from '../../rpc/command.ts';
import { msat, pubkey } from '../../rpc/param-types.ts';
import { defineCommand, type NodeContext } from '../context.ts';
import { requireOther } from './keysend-request.ts';
import { requestOutgo } from './outgo.ts';
import { orderOf, requireComplete, XPAY_RESULT, xpayJson } from './payment-json.ts';
import { PAYMENT_PARAMS, requireMaxdelay, sharedTerms } from './shared-params.ts';

const PARAMS = {
  destination: required(pubkey, 'Node id of the recipient.'),
  amount_msat: required(msat, 'Amount to send.'),
  label: PAYMENT_PARAMS.label,
  maxfee: PAYMENT_PARAMS.maxfee,
  layers: PAYMENT_PARAMS.layers,
  retry_for: PAYMENT_PARAMS.retryFor,
  maxdelay: PAYMENT_PARAMS.maxdelay,
  extratlvs: PAYMENT_PARAMS.extratlvs,
  idempotency_key: PAYMENT_PARAMS.idempotencyKey,
  seed: PAYMENT_PARAMS.seed,
  dev_use_shadow: PAYMENT_PARAMS.useShadow,
  dev_randomize: PAYMENT_PARAMS.randomize,
  nodes: PAYMENT_PARAMS.nodes,
  one_node: PAYMENT_PARAMS.oneNode,
};

/** As Core Lightning's command, with its error numbers and texts; `idempotency_key` and `seed` are ours. */
export const xkeysend = defineCommand({
  name: 'xkeysend',
  summary: 'Pay a node by its id, in several parts if necessary.',
  description:
    'Works like `keysend`. Failed attempts are retried over other routes, using what was learned from the ' +
    'failures. Large amounts are split if the recipient announces support for multi-part payments. Errors: ' +
    '203 the destination rejected the payment. 205, 206, 215, 220 no route; the code says why. 209 the ' +
    'payment failed after one or more attempts. 217 maxdelay is above 2016.',
  category: 'payments',
  params: PARAMS,
  check: (params, context) => context.payments.check(xkeysendRequest(params, context)),
  outgo: (params, context) => requestOutgo(xkeysendRequest(params, context)),
  result: XPAY_RESULT,
  async handler(params, context, call) {
    const payment = await context.payments.pay(xkeysendRequest(params, context), orderOf(call));
    requireComplete(payment);
    return xpayJson(payment);
  },
});

/** @throws FulguriteError -32602, or 217 when `maxdelay` is too large. */
function xkeysendRequest(params: ParsedParams<typeof PARAMS>, context: NodeContext): PaymentRequest {
  requireOther(params.destination, context);
  if (params.amount_msat === 0n) {
    const message = 'Failed: amount must be non-zero';
    throw new FulguriteError('invalidParams', message, { parameter: 'amount_msat', reason: message });
  }
  requirePayable(params.amount_msat);
  requireMaxdelay(params.maxdelay);
  return {
    kind: 'xkeysend',
    destination: params.destination,
    amountMsat: params.amount_msat,
    maxfeeMsat: usableFeeLimit(params.maxfee ?? xkeysendMaxfee(params.amount_msat)),
    feeTerms: xkeysendFeeTerms(params.maxfee),
    extraTlvs: params.extratlvs ?? [],
    routeHints: [],
    layers: params.layers ?? [],
    ...sharedTerms(params),
  };
}
