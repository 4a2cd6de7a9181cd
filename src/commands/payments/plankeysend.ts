/** `plankeysend`: shows what `keysend` would do first, and sends nothing. */
import { defineCommand } from '../context.ts';
import { KEYSEND_PARAMS, keysendRequest } from './keysend-request.ts';
import { PLAN_RESULT, planJson } from './plan-json.ts';

const { idempotency_key: _, ...PARAMS } = KEYSEND_PARAMS;

/** Ours alone. Same parameters and checks as `keysend`; nothing is reserved or written. */
export const plankeysend = defineCommand({
  name: 'plankeysend',
  summary: 'Show what `keysend` would do, sending nothing.',
  description:
    'Takes the parameters of `keysend` and answers the first attempt that it would make. Given the seed ' +
    'of the answer, `keysend` makes exactly this attempt while graph, layers and our balances stay as ' +
    'they are. Errors are those of `keysend`.',
  category: 'payments',
  readOnly: true,
  params: PARAMS,
  interchangeable: ['routehints', 'extratlvs'],
  check: (params, context) =>
    context.payments.check(keysendRequest({ ...params, idempotency_key: undefined }, context)),
  result: PLAN_RESULT,
  handler: (params, context, { session }) =>
    planJson(keysendRequest({ ...params, idempotency_key: undefined }, context), context, session),
});
