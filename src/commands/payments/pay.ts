/** `pay`: pays an invoice, with the parameters that older clients use. */

import { equalBytes } from '../../bolt/bytes.ts';
import { sha256 } from '../../bolt/crypto/hashes.ts';
import { InvoiceTaken } from '../../payments/books/invoice-guard.ts';
import type { Payment } from '../../payments/payment.ts';
import { keysendFeeTerms, keysendMaxfee } from '../../payments/plan/limits.ts';
import { optional, type ParsedParams, required } from '../../rpc/command.ts';
import { arrayOf, atMost, millionths, positiveMsat, string } from '../../rpc/param-types.ts';
import { defineCommand, type NodeContext } from '../context.ts';
import { orderOf, PAY_RESULT, payResultJson, randomSeed, requireComplete } from './books/payment-json.ts';
import { checkInvoicePayment, type InvoicePayment, invoiceOutgo, payInvoice } from './invoice-request.ts';
import { invoiceString, type Payable, readPayable, refused } from './invoice-string.ts';
import { excluded } from './payment-params.ts';
import { PAYMENT_PARAMS } from './shared-params.ts';

const KINDS = { offer: 'an offer', name: 'a name' } as const;
const MAX_EXCLUDED = 1000;
const MAX_DESCRIPTION_BYTES = 64 * 1024;

const PARAMS = {
  invstring: required(
    invoiceString,
    'A BOLT 11 or BOLT 12 invoice. The parameter may also be called `bolt11`.',
  ),
  amount_msat: optional(positiveMsat, 'Amount to pay. Only for an invoice without an amount.'),
  label: PAYMENT_PARAMS.label,
  riskfactor: optional(millionths, 'Has no effect. The price of risk is derived from the amount.'),
  maxfeepercent: PAYMENT_PARAMS.maxfeepercent,
  retry_for: PAYMENT_PARAMS.retryFor,
  maxdelay: PAYMENT_PARAMS.maxdelay,
  exemptfee: PAYMENT_PARAMS.exemptfee,
  localinvreqid: PAYMENT_PARAMS.localInvoiceRequest,
  exclude: optional(arrayOf(excluded, MAX_EXCLUDED), 'Nodes and channel directions that must not be used.'),
  maxfee: PAYMENT_PARAMS.maxfeeInstead,
  description: optional(
    atMost(string, MAX_DESCRIPTION_BYTES),
    'Description, for an invoice that contains only its hash. The hash must match.',
  ),
  partial_msat: PAYMENT_PARAMS.partialMsat,
  idempotency_key: PAYMENT_PARAMS.idempotencyKey,
  dev_use_shadow: PAYMENT_PARAMS.useShadow,
};

/** Matches Core Lightning's `pay` and its result. Returns when the payment has finished. */
export const pay = defineCommand({
  name: 'pay',
  summary: 'Pay an invoice.',
  description:
    'Works like `xpay`, with the parameters and the result that older clients expect. For an invoice that ' +
    'has already been paid, returns the result of that payment. While a payment of the invoice is in ' +
    'progress, another request is refused (200). Errors: 203 the recipient rejected the payment. 205 no ' +
    'route. 206 all routes exceed the fee or delay limit (data: fee, feepercent, delay of the best). 207 ' +
    'the invoice has expired. 210 timed out with nothing in flight.',
  category: 'payments',
  params: PARAMS,
  aliases: { bolt11: 'invstring' },
  check: (params, context) => checkInvoicePayment(payOf(params, context), context),
  outgo: (params, context) => invoiceOutgo(payOf(params, context)),
  result: PAY_RESULT,
  async handler(params, context, call) {
    const payment = await payInvoice(payOf(params, context), context, orderOf(call)).catch(paidBefore);
    requireComplete(payment);
    return payResultJson(payment);
  },
});

/**
 * Returns the completed payment if the error says that the invoice is already paid, because a repeated request returns
 * the first result. Throws any other error.
 */
function paidBefore(error: unknown): Payment {
  const isPaid =
    error instanceof InvoiceTaken && error.by === 'invoice' && error.payment.status === 'complete';
  if (isPaid) return error.payment;
  throw error;
}

/** @throws FulguriteError -32602 */
function payOf(params: ParsedParams<typeof PARAMS>, context: NodeContext): InvoicePayment {
  const { description, maxfeepercent, exemptfee, maxfee } = params;
  const payable = readPayable(params.invstring, context);
  if (payable.kind === 'offer' || payable.kind === 'name') {
    throw refused(`This is ${KINDS[payable.kind]}: see \`xpay\`, or fetch an invoice for it`);
  }
  checkDescription(payable, description);
  const limits = { maxfeepercentMillionths: maxfeepercent, exemptfeeMsat: exemptfee, maxfeeMsat: maxfee };
  return {
    kind: 'pay',
    payable,
    amountMsat: params.amount_msat,
    partialMsat: params.partial_msat,
    payerNote: undefined,
    localRequestId: params.localinvreqid,
    feeLimit: (amountMsat) => ({
      maxfeeMsat: keysendMaxfee(amountMsat, limits),
      feeTerms: keysendFeeTerms(limits),
    }),
    label: params.label,
    maxdelay: params.maxdelay,
    retryForS: params.retry_for,
    layers: [],
    exclude: params.exclude ?? [],
    seed: randomSeed(),
    isSeedChosen: false,
    useShadow: params.dev_use_shadow,
    randomize: true,
    idempotencyKey: params.idempotency_key,
  };
}

/** Checks that `description` is given and correct if the invoice contains only a hash of its description. */
function checkDescription(payable: Payable, description: string | undefined): void {
  const hash = payable.kind === 'bolt11' ? payable.invoice.fields.descriptionHash : undefined;
  if (hash === undefined) return;
  if (description === undefined) {
    throw refused(
      'bolt11 uses description_hash, but you did not provide description parameter',
      'description',
    );
  }
  const given = sha256(new Uint8Array(Buffer.from(description, 'utf8')));
  if (!equalBytes(given, hash))
    throw refused('bolt11 description does not match description_hash', 'description');
}
