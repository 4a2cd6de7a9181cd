/** `planrebalance`: shows what `rebalance` would do. */
import { defineCommand } from '../../context.ts';
import { REBALANCE_PARAMS, REBALANCE_RESULT, rebalanceJson, rebalancePlan } from './rebalance-params.ts';

/** Not in Core Lightning. */
export const planrebalance = defineCommand({
  name: 'planrebalance',
  summary: 'Show what `rebalance` would do, without sending anything.',
  description:
    'Takes the parameters of `rebalance` and returns the parts that `rebalance` would send: one minimum-cost flow from all channels ' +
    'that have too much to all that have too little.',
  category: 'payments',
  readOnly: true,
  params: REBALANCE_PARAMS,
  result: REBALANCE_RESULT,
  handler: async (params, context, { session }) =>
    rebalanceJson(await rebalancePlan(params, context, session.client ?? session), context),
});
