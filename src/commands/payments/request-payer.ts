/** Pays the invoices that answer our own requests (`invoicerequest`), as `xpay` with default limits would. */

import { toHex } from '../../bolt/bytes.ts';
import { formatInvoice } from '../../bolt/invoice/bolt12-invoice.ts';
import { MAX_DELAY_BLOCKS } from '../../engine/question/remedy-rules.ts';
import type { RequestPayer } from '../../offers/own-requests.ts';
import { DEFAULT_RETRY_FOR_S, xkeysendFeeTerms, xkeysendMaxfee } from '../../payments/plan/limits.ts';
import type { NodeContext } from '../context.ts';
import { inWords } from '../in-words.ts';
import { randomSeed, requireComplete } from './books/payment-json.ts';
import { payInvoice } from './invoice-request.ts';
import { readPayable } from './invoice-string.ts';

/** Makes the payer of a node. If a payment fails, the payer logs and returns the reason. */
export function requestPayer(context: NodeContext): RequestPayer {
  return async (invoice, requestId) => {
    try {
      requireComplete(await payInvoice(paymentOf(formatInvoice(invoice), requestId, context), context, {}));
      return undefined;
    } catch (error) {
      const { message } = inWords(error) as Error;
      context.log.unusual(`an invoice for our request ${toHex(requestId)} was not paid: ${message}`);
      return `pay attempt failed: ${message}`;
    }
  };
}

function paymentOf(
  invstring: string,
  requestId: Uint8Array,
  context: NodeContext,
): Parameters<typeof payInvoice>[0] {
  return {
    kind: 'xpay',
    payable: readPayable(invstring, context),
    amountMsat: undefined,
    partialMsat: undefined,
    payerNote: undefined,
    localRequestId: toHex(requestId),
    feeLimit: (amountMsat) => ({
      maxfeeMsat: xkeysendMaxfee(amountMsat),
      feeTerms: xkeysendFeeTerms(undefined),
    }),
    label: undefined,
    maxdelay: MAX_DELAY_BLOCKS,
    retryForS: DEFAULT_RETRY_FOR_S,
    layers: [],
    exclude: [],
    seed: randomSeed(),
    isSeedChosen: false,
    useShadow: true,
    randomize: true,
    idempotencyKey: undefined,
  };
}
