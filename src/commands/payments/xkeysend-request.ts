/** The parameters of `xkeysend`, and the payment made from them. */
import type { PaymentRequest } from '../../payments/payment.ts';
import {
  requirePayable,
  usableFeeLimit,
  xkeysendFeeTerms,
  xkeysendMaxfee,
} from '../../payments/plan/limits.ts';
import { optional, type ParsedParams, requiredUnless } from '../../rpc/command.ts';
import { msat, pubkey } from '../../rpc/param-types.ts';
import { refusedParameter } from '../../rpc/params.ts';
import type { NodeContext } from '../context.ts';
import { requireOther } from './keysend-request.ts';
import { quoteId } from './payment-params.ts';
import { PAYMENT_PARAMS, requireMaxdelay, sharedTerms } from './shared-params.ts';
import { amountOrAll, leastProbability, requireOnlyForAll, wholeMsat } from './whole-amount.ts';

/** The parameters in Core Lightning's positional order, followed by our own. */
export const XKEYSEND_PARAMS = {
  destination: requiredUnless('quote', pubkey, 'Node id of the recipient.'),
  amount_msat: requiredUnless(
    'quote',
    amountOrAll(msat),
    'Amount to send. `all`: as much as we can send with at least least_probability_ppm, fees included.',
  ),
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
  quote: optional(
    quoteId,
    'Make the payment of this quote, within its fee limit; see `quote`. A quote can only be combined with the same ' +
      'destination, and with label, retry_for, extratlvs and idempotency_key.',
  ),
  include_fee: PAYMENT_PARAMS.includeFee,
  least_probability_ppm: leastProbability,
};

/** The payment that the parameters describe. @throws FulguriteError -32602; 217 when `maxdelay` is too large. */
export function xkeysendRequest(
  params: ParsedParams<typeof XKEYSEND_PARAMS>,
  context: NodeContext,
): PaymentRequest {
  const destination = params.destination!;
  requireOnlyForAll(params);
  // If the given amount includes the fees, this is the maximum that may be spent, fees included.
  const amountMsat = wholeMsat(params, context)!;
  requireOther(destination, context);
  if (amountMsat === 0n) throw refusedParameter('amount_msat', 'Failed: amount must be non-zero');
  requirePayable(amountMsat);
  requireMaxdelay(params.maxdelay);
  return {
    kind: 'xkeysend',
    destination,
    amountMsat,
    maxfeeMsat: usableFeeLimit(params.maxfee ?? xkeysendMaxfee(amountMsat)),
    feeTerms: xkeysendFeeTerms(params.maxfee),
    extraTlvs: params.extratlvs ?? [],
    routeHints: [],
    layers: params.layers ?? [],
    ...sharedTerms(params),
  };
}
