/**
 * Parameters that several payment commands share, each declared once, and the members of a payment request that follow
 * from them.
 */
import { MAX_DELAY_BLOCKS } from '../../engine/question/remedy-rules.ts';
import { FulguriteError } from '../../model/errors.ts';
import type { OwnNode } from '../../network/several/index.ts';
import { DEFAULT_EXEMPTFEE_MSAT, DEFAULT_RETRY_FOR_S, MAX_ROUTE_DELAY } from '../../payments/plan/limits.ts';
import { forDevelopers, optional, withDefault } from '../../rpc/command.ts';
import {
  arrayOf,
  bool,
  hash,
  millionths,
  msat,
  positiveMsat,
  string,
  stringOrNumber,
  u64,
} from '../../rpc/param-types.ts';
import { MAX_LAYERS } from '../routes/getroutes.ts';
import { randomSeed } from './books/payment-json.ts';
import { count, existingLayer, extraTlvs, idempotencyKey, labelOf, ourNode } from './payment-params.ts';

/** Maximum number of our nodes that a request can name. */
const MAX_OUR_NODES = 50;
const LABEL = 'Attached to the payment. `listpays` and `listsendpays` return it.';

/**
 * The parameters. Each has the same meaning in all commands. Commands choose which of them they have, and in which
 * order.
 */
export const PAYMENT_PARAMS = {
  label: optional(labelOf(stringOrNumber), LABEL),
  /** A label that cannot be a number, for `keysend`. */
  textLabel: optional(labelOf(string), LABEL),
  maxfee: optional(msat, 'Maximum fee. Default: 1 % of the amount, but at least 5 sat.'),
  maxfeepercent: optional(millionths, 'Maximum fee in per cent of the amount. Default: 0.5.'),
  exemptfee: optional(
    msat,
    `Fees up to this amount are always allowed, regardless of maxfeepercent. Default: ${DEFAULT_EXEMPTFEE_MSAT}msat.`,
  ),
  maxfeeInstead: optional(msat, 'Maximum fee, instead of maxfeepercent and exemptfee.'),
  layers: optional(arrayOf(existingLayer, MAX_LAYERS), 'Layers to apply, after those that all payments use.'),
  retryFor: withDefault(
    count,
    DEFAULT_RETRY_FOR_S,
    'Number of seconds during which new attempts may start. An attempt in flight may take longer.',
  ),
  maxdelay: withDefault(
    count,
    MAX_DELAY_BLOCKS,
    'Maximum number of blocks for which money may be locked on any route, including the recipient’s final ' +
      'delay. ' +
      `Capped at ${MAX_ROUTE_DELAY}.`,
  ),
  extratlvs: optional(extraTlvs, 'Additional TLV fields for the recipient: type to value in hex.'),
  partialMsat: optional(
    positiveMsat,
    'Pay only this part of the invoice amount. Another payer pays the rest.',
  ),
  localInvoiceRequest: optional(
    hash,
    'Id of our own request (see `invoicerequest`) that this BOLT 12 invoice answers. A single-use request is paid ' +
      'only once.',
  ),
  idempotencyKey: optional(
    idempotencyKey,
    'A key chosen by the caller. Repeating a request with the same key returns the outcome of the first one ' +
      'and pays nothing, even after a restart. A different request with the same key is refused.',
  ),
  nodes: optional(
    arrayOf(ourNode, MAX_OUR_NODES),
    'Names of our nodes that may send parts (see `listournodes`). Default: all.',
  ),
  oneNode: withDefault(
    bool,
    false,
    'Whether all parts must leave from a single one of our nodes: the cheapest that can pay the whole amount.',
  ),
  includeFee: withDefault(
    bool,
    false,
    'Whether amount_msat is everything that we send: the recipient gets what remains after fees.',
  ),
  seed: optional(u64, 'Seed of random choices, to repeat a plan. Default: random.'),
  useShadow: forDevelopers(withDefault(bool, true, 'Whether to make the route look longer than it is.')),
  randomize: forDevelopers(withDefault(bool, true, 'Whether to randomise routes.')),
};

/** The parsed parameters that `sharedTerms` uses. */
interface SharedParams {
  readonly label: string | undefined;
  readonly maxdelay: number;
  readonly retry_for: number;
  readonly seed: bigint | undefined;
  readonly dev_use_shadow: boolean;
  readonly dev_randomize: boolean;
  readonly idempotency_key: string | undefined;
  readonly nodes?: readonly OwnNode[] | undefined;
  readonly one_node?: boolean;
}

/** The members of a payment request that do not depend on the recipient, with a random seed if no seed is given. */
export const sharedTerms = (params: SharedParams) => ({
  label: params.label,
  maxdelay: params.maxdelay,
  retryForS: params.retry_for,
  seed: params.seed ?? randomSeed(),
  isSeedChosen: params.seed !== undefined,
  useShadow: params.dev_use_shadow,
  randomize: params.dev_randomize,
  idempotencyKey: params.idempotency_key,
  ...(params.nodes !== undefined && { ourNodes: params.nodes.map(({ nodeId }) => nodeId) }),
  ...(params.one_node === true && { oneNode: true }),
});

/** @throws FulguriteError 217 when `maxdelay` exceeds the maximum of Core Lightning's xpay and xkeysend. */
export function requireMaxdelay(maxdelay: number): void {
  if (maxdelay <= MAX_DELAY_BLOCKS) return;
  throw new FulguriteError('maxdelayTooLarge', `Failed: maximum delay allowed is ${MAX_DELAY_BLOCKS}`, {
    parameter: 'maxdelay',
    remedy: { maxdelay: MAX_DELAY_BLOCKS },
  });
}
