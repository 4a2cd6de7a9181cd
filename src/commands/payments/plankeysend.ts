/** `plankeysend`: shows what `keysend` would do first, and sends nothing. */

import { delayOf, feeOf } from '../../payments/route-cost.ts';
import { field } from '../../rpc/command.ts';
import { defineCommand } from '../context.ts';
import { hopData } from './attempt-json.ts';
import { KEYSEND_PARAMS, keysendRequest } from './keysend-request.ts';

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
  result: {
    seed: field('u64', 'Give it to `keysend` to repeat this plan.'),
    amount_msat: field('msat', 'What the recipient would receive, shadow included.'),
    amount_sent_msat: field('msat', 'What would be sent, fees included.'),
    fee_msat: field('msat', 'The difference between the two.'),
    shadow_msat: field('msat', 'What the recipient would receive beyond the amount asked for.'),
    shadow_delay: field('u32', 'Blocks by which the route would look longer than it is.'),
    delay: field('u32', 'Most blocks that our money would be locked for.'),
    probability_ppm: field('integer', 'Probability that all parts arrive, in parts per million.'),
    parts: field('array', 'Objects of amount_msat, amount_sent_msat, probability_ppm and route, hop by hop.'),
  },
  async handler(params, context, { session }) {
    const request = keysendRequest({ ...params, idempotency_key: undefined }, context);
    const { routes, probabilityPpm, shadow } = await context.payments.plan(request, session);
    const amountMsat = routes.reduce((sum, { path }) => sum + path.at(-1)!.amountOutMsat, 0n);
    const feeMsat = feeOf(routes);
    return {
      seed: request.seed,
      amount_msat: amountMsat,
      amount_sent_msat: amountMsat + feeMsat,
      fee_msat: feeMsat,
      shadow_msat: shadow.amountMsat,
      shadow_delay: shadow.delayBlocks,
      delay: delayOf(routes),
      probability_ppm: probabilityPpm,
      parts: routes.map((route) => ({
        amount_msat: route.path.at(-1)!.amountOutMsat,
        amount_sent_msat: route.path[0]!.amountOutMsat,
        probability_ppm: route.probabilityPpm,
        route: route.path.map(hopData),
      })),
    };
  },
});
