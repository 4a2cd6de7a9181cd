/** `plantransfer`: shows what `transfer` would do first, and sends nothing. */
import { defineCommand } from '../../context.ts';
import { PLAN_RESULT, planJson } from '../plan-json.ts';
import { TRANSFER_PARAMS, transferRequest, withOwnInvoice } from './transfer-request.ts';

const { idempotency_key: _, ...PARAMS } = TRANSFER_PARAMS;

/** Not in Core Lightning. */
export const plantransfer = defineCommand({
  name: 'plantransfer',
  summary: 'Show what `transfer` would do and cost, without sending anything.',
  description:
    'Takes the parameters of `transfer` and returns its first attempts. The receiving node issues an invoice, because ' +
    'its final delay and its private channels are part of the cost; the invoice is not paid. Errors are those of ' +
    '`transfer`.',
  category: 'payments',
  params: PARAMS,
  check: (params, context) =>
    context.payments.check(transferRequest({ ...params, idempotency_key: undefined })),
  result: PLAN_RESULT,
  async handler(params, context, { session }) {
    const request = transferRequest({ ...params, idempotency_key: undefined });
    context.payments.check(request);
    return planJson(await withOwnInvoice(request, params.to), context, session.client ?? session);
  },
});
