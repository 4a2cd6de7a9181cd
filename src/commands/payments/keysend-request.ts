/** The parameters that `keysend` and `plankeysend` share, and the payment request made from them. */

import type { PaymentRequest } from '../../payments/payment.ts';
import {
  keysendFeeTerms,
  keysendMaxfee,
  requirePayable,
  usableFeeLimit,
} from '../../payments/plan/limits.ts';
import { optional, type ParsedParams, required } from '../../rpc/command.ts';
import { nodeId, positiveMsat } from '../../rpc/param-types.ts';
import { parameterError } from '../../rpc/params.ts';
import type { NodeContext } from '../context.ts';
import { routeHints } from './payment-params.ts';
import { PAYMENT_PARAMS, sharedTerms } from './shared-params.ts';

/** Parameters in Core Lightning's positional order, followed by our own. `plankeysend` has no idempotency key. */
export const KEYSEND_PARAMS = {
  destination: required(nodeId, 'Node id of the recipient.'),
  amount_msat: required(
    positiveMsat,
    'Amount to send, in msat, or with one of the suffixes msat, sat and btc.',
  ),
  label: PAYMENT_PARAMS.textLabel,
  maxfeepercent: PAYMENT_PARAMS.maxfeepercent,
  retry_for: PAYMENT_PARAMS.retryFor,
  maxdelay: PAYMENT_PARAMS.maxdelay,
  exemptfee: PAYMENT_PARAMS.exemptfee,
  routehints: optional(
    routeHints,
    'Arrays of hops (id, scid, feebase, feeprop, expirydelta) over channels that are not public.',
  ),
  extratlvs: PAYMENT_PARAMS.extratlvs,
  maxfee: PAYMENT_PARAMS.maxfeeInstead,
  idempotency_key: PAYMENT_PARAMS.idempotencyKey,
  seed: PAYMENT_PARAMS.seed,
  dev_use_shadow: PAYMENT_PARAMS.useShadow,
  dev_randomize: PAYMENT_PARAMS.randomize,
  nodes: PAYMENT_PARAMS.nodes,
  one_node: PAYMENT_PARAMS.oneNode,
};

/**
 * Turns parameters into a payment request, with a random seed if no seed is given.
 * @throws FulguriteError -32602 when we are the destination, or limits contradict each other
 */
export function keysendRequest(
  params: ParsedParams<typeof KEYSEND_PARAMS>,
  context: NodeContext,
): PaymentRequest {
  requireOther(params.destination, context);
  requirePayable(params.amount_msat);
  const limits = {
    maxfeepercentMillionths: params.maxfeepercent,
    exemptfeeMsat: params.exemptfee,
    maxfeeMsat: params.maxfee,
  };
  return {
    kind: 'keysend',
    destination: params.destination,
    amountMsat: params.amount_msat,
    maxfeeMsat: usableFeeLimit(keysendMaxfee(params.amount_msat, limits)),
    feeTerms: keysendFeeTerms(limits),
    extraTlvs: params.extratlvs ?? [],
    routeHints: params.routehints ?? [],
    layers: [],
    ...sharedTerms(params),
  };
}

/** @throws FulguriteError -32602 when the destination is this node. */
export function requireOther(destination: string, { identity }: NodeContext): void {
  if (destination !== identity.id) return;
  throw parameterError(
    'destination',
    'is this node',
    'We are the destination. Keysend cannot be used to send funds to yourself',
  );
}
