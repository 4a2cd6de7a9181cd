/** `plankeysend`: what `keysend` would do first, without doing it. */

import { PaymentFailed } from '../../payments/payment.ts';
import { delayOf, feeOf } from '../../payments/route-cost.ts';
import { field } from '../../rpc/command.ts';
import { defineCommand } from '../context.ts';
import { hopData } from './attempt-json.ts';
import { paymentError } from './failure-words.ts';
import { KEYSEND_PARAMS, keysendRequest } from './keysend-request.ts';

const { idempotency_key: _, ...PARAMS } = KEYSEND_PARAMS;

export const plankeysend = defineCommand({
  name: 'plankeysend',
  summary: 'Show what `keysend` would do, sending nothing.',
  description:
    'Takes the parameters of `keysend` and answers the first attempt it would make. Given the seed of the answer, ' +
    '`keysend` makes exactly this attempt as long as graph, layers and our balances are as they were. Errors are ' +
    'those of `keysend`.',
  category: 'payments',
  readOnly: true,
  params: PARAMS,
  interchangeable: ['routehints', 'extratlvs'],
  check: (params, context) =>
    context.payments.check(keysendRequest({ ...params, idempotency_key: undefined }, context)),
  result: {
    seed: field('u64', 'For `keysend`, to do the same.'),
    amount_msat: field('msat', 'What the recipient would receive, shadow included.'),
    amount_sent_msat: field('msat', 'What would be sent, fees included.'),
    fee_msat: field('msat', 'The difference between the two.'),
    shadow_msat: field('msat', 'What the recipient would receive beyond the amount asked for.'),
    shadow_delay: field('u32', 'Blocks by which the route would look longer than it is.'),
    delay: field('u32', 'Blocks that our money would be locked for at most.'),
    probability_ppm: field('integer', 'Probability that all parts arrive, in parts per million.'),
    parts: field('array', 'Each: amount_msat, amount_sent_msat, probability_ppm and route, hop by hop.'),
  },
  async handler(params, context, { session }) {
    const request = keysendRequest({ ...params, idempotency_key: undefined }, context);
    const { routes, probabilityPpm, shadow } = await context.payments.plan(request, session).catch(inWords);
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

/** A plan that found no route is an error like that of the payment. */
function inWords(error: unknown): never {
  throw error instanceof PaymentFailed ? paymentError(error.payment) : error;
}
