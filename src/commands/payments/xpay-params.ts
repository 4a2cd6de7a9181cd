/** The parameters that `xpay` and `planxpay` share, and what they ask for. */
import { MAX_DELAY_BLOCKS } from '../../engine/route-outcome.ts';
import { FulguriteError } from '../../model/errors.ts';
import { DEFAULT_RETRY_FOR_S, xkeysendFeeTerms, xkeysendMaxfee } from '../../payments/budget.ts';
import { forDevelopers, optional, type ParsedParams, required, withDefault } from '../../rpc/command.ts';
import { arrayOf, bool, msat, positiveMsat, stringOrNumber, u64 } from '../../rpc/param-types.ts';
import { payerNote } from '../offers/offer-types.ts';
import { MAX_LAYERS } from '../routes/getroutes.ts';
import type { InvoicePayment } from './invoice-request.ts';
import { invoiceString } from './invoice-string.ts';
import { randomSeed } from './payment-json.ts';
import { count, existingLayer, idempotencyKey, labelOf } from './payment-params.ts';

/** The parameters in CLN's positional order, then our own. */
export const XPAY_PARAMS = {
  invstring: required(invoiceString, 'What to pay: a BOLT 11 or BOLT 12 invoice, or an offer.'),
  amount_msat: optional(positiveMsat, 'What to pay, where invoice or offer name no amount.'),
  maxfee: optional(msat, 'Most it may cost; default 1 % of the amount, at least 5 sat.'),
  layers: optional(
    arrayOf(existingLayer, MAX_LAYERS),
    'Layers to apply to the network, after those that payments use.',
  ),
  retry_for: withDefault(
    count,
    DEFAULT_RETRY_FOR_S,
    'Seconds during which attempts are started; of an offer they begin with the fetch of its invoice.',
  ),
  partial_msat: optional(positiveMsat, 'Pay only this much of it; somebody else pays the rest.'),
  maxdelay: withDefault(count, MAX_DELAY_BLOCKS, 'Most blocks the payment may be locked for.'),
  payer_note: optional(payerNote, 'A note for the issuer of an offer, repeated in its invoice.'),
  label: optional(labelOf(stringOrNumber), 'Attached to the payment; returned by `listpays`.'),
  idempotency_key: optional(
    idempotencyKey,
    'A repeated request with the same key gets the first one’s outcome, fetches nothing and pays nothing; one that ' +
      'differs is refused.',
  ),
  seed: optional(u64, 'Reproduces a plan of `planxpay`; default random.'),
  dev_use_shadow: forDevelopers(withDefault(bool, true, 'Whether the route pretends to be longer.')),
  dev_randomize: forDevelopers(withDefault(bool, true, 'Whether the choice of route is randomised.')),
};

/** @throws FulguriteError 217 */
export function xpayOf(params: ParsedParams<typeof XPAY_PARAMS>): InvoicePayment {
  if (params.maxdelay > MAX_DELAY_BLOCKS) {
    throw new FulguriteError('maxdelayTooLarge', `Failed: maximum delay allowed is ${MAX_DELAY_BLOCKS}`, {
      parameter: 'maxdelay',
      remedy: { maxdelay: MAX_DELAY_BLOCKS },
    });
  }
  return {
    kind: 'xpay',
    payable: params.invstring,
    amountMsat: params.amount_msat,
    partialMsat: params.partial_msat,
    payerNote: params.payer_note,
    feeLimit: (amountMsat) => ({
      maxfeeMsat: params.maxfee ?? xkeysendMaxfee(amountMsat),
      feeTerms: xkeysendFeeTerms(params.maxfee),
    }),
    label: params.label,
    maxdelay: params.maxdelay,
    retryForS: params.retry_for,
    layers: params.layers ?? [],
    exclude: [],
    seed: params.seed ?? randomSeed(),
    isSeedChosen: params.seed !== undefined,
    useShadow: params.dev_use_shadow,
    randomize: params.dev_randomize,
    idempotencyKey: params.idempotency_key,
  };
}
