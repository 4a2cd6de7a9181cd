/** The parameters that `keysend` and `plankeysend` share, and the request they amount to. */

import { MAX_DELAY_BLOCKS } from '../../engine/route-outcome.ts';
import { FulguriteError } from '../../model/errors.ts';
import {
  DEFAULT_EXEMPTFEE_MSAT,
  DEFAULT_RETRY_FOR_S,
  keysendFeeTerms,
  keysendMaxfee,
  requirePayable,
  usableFeeLimit,
} from '../../payments/budget.ts';
import type { PaymentRequest } from '../../payments/payment.ts';
import { forDevelopers, optional, type ParsedParams, required, withDefault } from '../../rpc/command.ts';
import { bool, millionths, msat, nodeId, positiveMsat, string, u64 } from '../../rpc/param-types.ts';
import type { NodeContext } from '../context.ts';
import { randomSeed } from './payment-json.ts';
import { count, extraTlvs, idempotencyKey, labelOf, routeHints } from './payment-params.ts';

export const KEYSEND_PARAMS = {
  destination: required(nodeId, 'Node id the payment goes to.'),
  amount_msat: required(positiveMsat, 'Amount to send: msat, or with suffix msat, sat or btc.'),
  label: optional(labelOf(string), 'Attached to the payment; returned by `listpays` and `listsendpays`.'),
  maxfeepercent: optional(millionths, 'Most it may cost, in per cent of the amount; default 0.5.'),
  retry_for: withDefault(
    count,
    DEFAULT_RETRY_FOR_S,
    'Seconds during which attempts are started. One under way may take longer.',
  ),
  maxdelay: withDefault(count, MAX_DELAY_BLOCKS, 'Most blocks the payment may be locked for.'),
  exemptfee: optional(
    msat,
    `Fees up to this are fine whatever maxfeepercent says; default ${DEFAULT_EXEMPTFEE_MSAT}msat.`,
  ),
  routehints: optional(
    routeHints,
    'Arrays of hops (id, scid, feebase, feeprop, expirydelta) over channels that are not public.',
  ),
  extratlvs: optional(extraTlvs, 'Further fields of the final payload: number → hex.'),
  maxfee: optional(msat, 'Most it may cost; instead of maxfeepercent and exemptfee.'),
  idempotency_key: optional(
    idempotencyKey,
    'Of the caller’s choice: a repeated request with the same key gets the outcome of the first and pays nothing, ' +
      'over a restart too. One that differs in anything is refused.',
  ),
  seed: optional(u64, 'Reproduces a plan of `plankeysend`; default random.'),
  dev_use_shadow: forDevelopers(withDefault(bool, true, 'Whether the route pretends to be longer.')),
  dev_randomize: forDevelopers(withDefault(bool, true, 'Whether the choice of route is randomised.')),
};

/** @throws FulguriteError -32602 */
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
    label: params.label,
    maxfeeMsat: usableFeeLimit(keysendMaxfee(params.amount_msat, limits)),
    feeTerms: keysendFeeTerms(limits),
    maxdelay: params.maxdelay,
    retryForS: params.retry_for,
    extraTlvs: params.extratlvs ?? [],
    routeHints: params.routehints ?? [],
    layers: [],
    seed: params.seed ?? randomSeed(),
    isSeedChosen: params.seed !== undefined,
    useShadow: params.dev_use_shadow,
    randomize: params.dev_randomize,
    idempotencyKey: params.idempotency_key,
  };
}

export function requireOther(destination: string, { identity }: NodeContext): void {
  if (destination !== identity.id) return;
  throw new FulguriteError(
    'invalidParams',
    'We are the destination. Keysend cannot be used to send funds to yourself',
    { parameter: 'destination', reason: 'is this node' },
  );
}
