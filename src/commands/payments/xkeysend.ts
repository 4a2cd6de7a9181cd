/**
 * `xkeysend`: pays as `keysend` does, with layers of the caller's choice, and in several parts where the
 * recipient takes them.
 */

import { MAX_DELAY_BLOCKS } from '../../engine/route-outcome.ts';
import { FulguriteError } from '../../model/errors.ts';
import {
  DEFAULT_RETRY_FOR_S,
  requirePayable,
  usableFeeLimit,
  xkeysendFeeTerms,
  xkeysendMaxfee,
} from '../../payments/budget.ts';
import type { PaymentRequest } from '../../payments/payment.ts';
import { forDevelopers, optional, type ParsedParams, required, withDefault } from '../../rpc/command.ts';
import { arrayOf, bool, msat, pubkey, stringOrNumber, u64 } from '../../rpc/param-types.ts';
import { defineCommand, type NodeContext } from '../context.ts';
import { MAX_LAYERS } from '../routes/getroutes.ts';
import { requireOther } from './keysend-request.ts';
import { orderOf, randomSeed, requireComplete, XPAY_RESULT, xpayJson } from './payment-json.ts';
import { count, existingLayer, extraTlvs, idempotencyKey, labelOf } from './payment-params.ts';

const PARAMS = {
  destination: required(pubkey, 'Node id the payment goes to.'),
  amount_msat: required(msat, 'Amount to send.'),
  label: optional(labelOf(stringOrNumber), 'Attached to the payment; returned by `listpays`.'),
  maxfee: optional(msat, 'Most fees. By default 1 % of the amount, but at least 5 sat.'),
  layers: optional(
    arrayOf(existingLayer, MAX_LAYERS),
    'Layers to apply to the network. They come after those that all payments use.',
  ),
  retry_for: withDefault(count, DEFAULT_RETRY_FOR_S, 'Seconds during which new attempts begin.'),
  maxdelay: withDefault(count, MAX_DELAY_BLOCKS, 'Most blocks that the money may be locked for.'),
  extratlvs: optional(extraTlvs, 'Further fields for the recipient: TLV type to value in hex.'),
  idempotency_key: optional(
    idempotencyKey,
    'A repeated request with the same key gets the outcome of the first one. One that differs is refused.',
  ),
  seed: optional(u64, 'Seed of random choices, to repeat them. Random by default.'),
  dev_use_shadow: forDevelopers(
    withDefault(bool, true, 'Whether the route is made to look longer than it is.'),
  ),
  dev_randomize: forDevelopers(withDefault(bool, true, 'Whether routes are chosen with randomness.')),
};

/** As Core Lightning's command, with its error numbers and texts; `idempotency_key` and `seed` are ours. */
export const xkeysend = defineCommand({
  name: 'xkeysend',
  summary: 'Pay a node by its id, in several parts if need be.',
  description:
    'Works like `keysend`. Routes are found and tried, and what a failure teaches helps to find the next ' +
    'ones. Large amounts are split if the recipient announces that it takes several parts. Errors: 203 ' +
    'the destination refused. 205, 206, 215, 220 there is no route; the code says why. 209 the payment ' +
    'failed after attempts were made. 217 maxdelay is above 2016.',
  category: 'payments',
  params: PARAMS,
  check: (params, context) => context.payments.check(xkeysendRequest(params, context)),
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
  if (params.maxdelay > MAX_DELAY_BLOCKS) {
    throw new FulguriteError('maxdelayTooLarge', `Failed: maximum delay allowed is ${MAX_DELAY_BLOCKS}`, {
      parameter: 'maxdelay',
      remedy: { maxdelay: MAX_DELAY_BLOCKS },
    });
  }
  return {
    kind: 'xkeysend',
    destination: params.destination,
    amountMsat: params.amount_msat,
    label: params.label,
    maxfeeMsat: usableFeeLimit(params.maxfee ?? xkeysendMaxfee(params.amount_msat)),
    feeTerms: xkeysendFeeTerms(params.maxfee),
    maxdelay: params.maxdelay,
    retryForS: params.retry_for,
    extraTlvs: params.extratlvs ?? [],
    routeHints: [],
    layers: params.layers ?? [],
    seed: params.seed ?? randomSeed(),
    isSeedChosen: params.seed !== undefined,
    useShadow: params.dev_use_shadow,
    randomize: params.dev_randomize,
    idempotencyKey: params.idempotency_key,
  };
}
