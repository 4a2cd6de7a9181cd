/** The parameters of `xpay`, and the payment that it makes from them. `planxpay` takes most of these parameters too. */

import type { Msat } from '../../model/msat.ts';
import { DEFAULT_RETRY_FOR_S, xkeysendFeeTerms, xkeysendMaxfee } from '../../payments/plan/limits.ts';
import { optional, type ParsedParams, requiredUnless, withDefault } from '../../rpc/command.ts';
import { positiveMsat } from '../../rpc/param-types.ts';
import type { NodeContext } from '../context.ts';
import { payerNote } from '../offers/offer-types.ts';
import type { InvoicePayment } from './invoice-request.ts';
import { invoiceString, readPayable } from './invoice-string.ts';
import { count, idempotencyKey, quoteId } from './payment-params.ts';
import { PAYMENT_PARAMS, requireMaxdelay, sharedTerms } from './shared-params.ts';
import { amountOrAll, leastProbability, requireOnlyForAll, wholeMsat } from './whole-amount.ts';

/** The parameters in Core Lightning's positional order, followed by our own. */
export const XPAY_PARAMS = {
  invstring: requiredUnless(
    'quote',
    invoiceString,
    'A BOLT 11 or BOLT 12 invoice, an offer, or the name NAME@DOMAIN of an offer (BIP 353).',
  ),
  amount_msat: optional(
    amountOrAll(positiveMsat),
    'Amount to pay. Only for an invoice or offer without an amount. `all` (for an invoice): as much as we can send with ' +
      'at least least_probability_ppm, fees included.',
  ),
  maxfee: PAYMENT_PARAMS.maxfee,
  layers: PAYMENT_PARAMS.layers,
  retry_for: withDefault(
    count,
    DEFAULT_RETRY_FOR_S,
    'Number of seconds during which new attempts may start. For an offer this includes fetching the invoice.',
  ),
  partial_msat: PAYMENT_PARAMS.partialMsat,
  maxdelay: PAYMENT_PARAMS.maxdelay,
  payer_note: optional(payerNote, 'A note for the issuer of an offer. Its invoice repeats it.'),
  label: PAYMENT_PARAMS.label,
  localinvreqid: PAYMENT_PARAMS.localInvoiceRequest,
  idempotency_key: optional(
    idempotencyKey,
    'Repeating a request with the same key returns the outcome of the first one. It fetches nothing and ' +
      'pays nothing. A different request with the same key is refused.',
  ),
  seed: PAYMENT_PARAMS.seed,
  dev_use_shadow: PAYMENT_PARAMS.useShadow,
  dev_randomize: PAYMENT_PARAMS.randomize,
  nodes: PAYMENT_PARAMS.nodes,
  one_node: PAYMENT_PARAMS.oneNode,
  quote: optional(
    quoteId,
    'Make the payment of this quote, within its fee limit; see `quote`. A quote can only be combined with the same ' +
      'invstring, and with label, retry_for and idempotency_key.',
  ),
  include_fee: PAYMENT_PARAMS.includeFee,
  least_probability_ppm: leastProbability,
};

/** The input of `xpayOf`: the parameters of `xpay`. The amount may be `all`, or include the fees. */
type ExactXpay = Omit<ParsedParams<typeof XPAY_PARAMS>, 'amount_msat'> & {
  readonly amount_msat: Msat | 'all' | undefined;
};

/** The payment that the parameters describe. @throws FulguriteError -32602; 217 when `maxdelay` is too large. */
export function xpayOf(params: ExactXpay, context: NodeContext): InvoicePayment {
  requireMaxdelay(params.maxdelay);
  requireOnlyForAll(params);
  // If the given amount includes the fees, this is the maximum that may be spent, fees included.
  const amountMsat = wholeMsat(params, context);
  return {
    kind: 'xpay',
    payable: readPayable(params.invstring ?? '', context),
    amountMsat,
    partialMsat: params.partial_msat,
    payerNote: params.payer_note,
    localRequestId: params.localinvreqid,
    feeLimit: (amountMsat) => ({
      maxfeeMsat: params.maxfee ?? xkeysendMaxfee(amountMsat),
      feeTerms: xkeysendFeeTerms(params.maxfee),
    }),
    layers: params.layers ?? [],
    exclude: [],
    ...sharedTerms(params),
  };
}
