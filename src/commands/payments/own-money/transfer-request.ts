/** The parameters that `transfer` and `plantransfer` share, and the payment made from them. */
import { parseBolt11 } from '../../../bolt/invoice/bolt11-invoice.ts';
import { FulguriteError } from '../../../model/errors.ts';
import type { OwnNode } from '../../../network/several/index.ts';
import type { PaymentRequest } from '../../../payments/payment.ts';
import {
  requirePayable,
  usableFeeLimit,
  xkeysendFeeTerms,
  xkeysendMaxfee,
} from '../../../payments/plan/limits.ts';
import { payableBolt11 } from '../../../payments/plan/payable-invoice.ts';
import { type ParsedParams, required } from '../../../rpc/command.ts';
import { positiveMsat } from '../../../rpc/param-types.ts';
import { parameterError } from '../../../rpc/params.ts';
import { ourNode } from '../payment-params.ts';
import { PAYMENT_PARAMS, requireMaxdelay, sharedTerms } from '../shared-params.ts';

/** The parameters of both commands. `plantransfer` has no idempotency key. */
export const TRANSFER_PARAMS = {
  from: required(ourNode, 'Name of the paying node.'),
  to: required(ourNode, 'Name of the receiving node.'),
  amount_msat: required(positiveMsat, 'Amount to move.'),
  maxfee: PAYMENT_PARAMS.maxfee,
  label: PAYMENT_PARAMS.label,
  layers: PAYMENT_PARAMS.layers,
  retry_for: PAYMENT_PARAMS.retryFor,
  maxdelay: PAYMENT_PARAMS.maxdelay,
  idempotency_key: PAYMENT_PARAMS.idempotencyKey,
  seed: PAYMENT_PARAMS.seed,
  dev_use_shadow: PAYMENT_PARAMS.useShadow,
  dev_randomize: PAYMENT_PARAMS.randomize,
};

type TransferParams = ParsedParams<typeof TRANSFER_PARAMS>;

/**
 * The payment request, still without an invoice.
 * @throws FulguriteError -32602 when both nodes are the same, 217 when `maxdelay` is too large
 */
export function transferRequest(params: TransferParams): PaymentRequest {
  const { from, to, amount_msat } = params;
  if (from === to) throw parameterError('to', 'is the paying node');
  requirePayable(amount_msat);
  requireMaxdelay(params.maxdelay);
  return {
    kind: 'xpay',
    destination: to.nodeId,
    amountMsat: amount_msat,
    maxfeeMsat: usableFeeLimit(params.maxfee ?? xkeysendMaxfee(amount_msat)),
    feeTerms: xkeysendFeeTerms(params.maxfee),
    extraTlvs: [],
    routeHints: [],
    layers: params.layers ?? [],
    isTransfer: true,
    ...sharedTerms(params),
    ourNodes: [from.nodeId],
  };
}

/**
 * The request, changed to pay an invoice that the receiving node issues for it.
 * @throws FulguriteError when the node issues none
 */
export async function withOwnInvoice(request: PaymentRequest, to: OwnNode): Promise<PaymentRequest> {
  return withInvoice(request, await to.makeInvoice(request.amountMsat, 'transfer between our nodes'));
}

/** The request with an invoice that the receiving node issued. */
export function withInvoice(request: PaymentRequest, text: string): PaymentRequest {
  const { payee, terms, routeHints } = payableBolt11(parseBolt11(text), text, request.amountMsat);
  if (payee !== request.destination) {
    throw new FulguriteError('internal', `our node issued an invoice of another node, ${payee}`);
  }
  return { ...request, invoice: terms, routeHints };
}
