/** `plankeysend`: shows what `keysend` would do first, and sends nothing. */
import { defineCommand } from '../context.ts';
import { KEYSEND_PARAMS, keysendRequest } from './keysend-request.ts';
import { PLAN_RESULT, planJson } from './plan-json.ts';

const { idempotency_key: _, ...PARAMS } = KEYSEND_PARAMS;

/**
 * Not in Core Lightning. Same checks as `keysend`, and the same parameters except the idempotency key; nothing is
 * reserved or written.
 */
export const plankeysend = defineCommand({
  name: 'plankeysend',
  summary: 'Show what `keysend` would do, without sending anything.',
  description:
    'Takes the parameters of `keysend` and returns the first attempt that it would make. With the returned ' +
    'seed, `keysend` makes exactly this attempt, as long as graph, layers and our balances do not change. ' +
    'Errors are those of `keysend`.',
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
