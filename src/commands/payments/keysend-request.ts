/** The parameters that `keysend` and `plankeysend` share, and the payment request that they make. */

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

/**
 * Parameters in Core Lightning's positional order; our own follow. `plankeysend` leaves out the idempotency
 * key.
 */
export const KEYSEND_PARAMS = {
  destination: required(nodeId, 'Node id the payment goes to.'),
  amount_msat: required(
    positiveMsat,
    'Amount to send. Without suffix in msat; suffixes are msat, sat and btc.',
  ),
  label: optional(labelOf(string), 'Attached to the payment; returned by `listpays` and `listsendpays`.'),
  maxfeepercent: optional(millionths, 'Most fees, in per cent of the amount. Default 0.5.'),
  retry_for: withDefault(
    count,
    DEFAULT_RETRY_FOR_S,
    'Seconds during which new attempts begin. One that is under way may take longer.',
  ),
  maxdelay: withDefault(count, MAX_DELAY_BLOCKS, 'Most blocks that the money may be locked for.'),
  exemptfee: optional(
    msat,
    `Fees up to this are allowed whatever maxfeepercent says. Default ${DEFAULT_EXEMPTFEE_MSAT}msat.`,
  ),
  routehints: optional(
    routeHints,
    'Arrays of hops (id, scid, feebase, feeprop, expirydelta) over channels that are not public.',
  ),
  extratlvs: optional(extraTlvs, 'Further fields for the recipient: TLV type to value in hex.'),
  maxfee: optional(msat, 'Most fees, instead of maxfeepercent and exemptfee.'),
  idempotency_key: optional(
    idempotencyKey,
    'A key of the caller’s choice. A repeated request with the same key gets the outcome of the first one and ' +
      'pays nothing. This holds over a restart too. A request that differs in anything is refused.',
  ),
  seed: optional(u64, 'Seed of random choices, to repeat a plan of `plankeysend`. Random by default.'),
  dev_use_shadow: forDevelopers(
    withDefault(bool, true, 'Whether the route is made to look longer than it is.'),
  ),
  dev_randomize: forDevelopers(withDefault(bool, true, 'Whether routes are chosen with randomness.')),
};

/**
 * Turns parameters into a payment request; chooses a seed when none is given.
 * @throws FulguriteError -32602 when we are the destination, or limits contradict each other.
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

/** @throws FulguriteError -32602 when the destination is this node. */
export function requireOther(destination: string, { identity }: NodeContext): void {
  if (destination !== identity.id) return;
  throw new FulguriteError(
    'invalidParams',
    'We are the destination. Keysend cannot be used to send funds to yourself',
    { parameter: 'destination', reason: 'is this node' },
  );
}
