/**
 * What the caller of a payment can change to get a route, named after the command's own parameters. The kernel finds it
 * under the limits of the payment (src/engine/solver/remedy.ts). Changes without a parameter in the commands are not
 * remedies here: the recipient and we choose the number of parts, and the recipient chooses its blocks.
 */
import type { RemedyRules } from '../../engine/question/remedy-rules.ts';
import { MAX_ROUTE_DELAY } from './limits.ts';
import type { PlanQuery } from './plan-query.ts';

/**
 * What a remedy may change. False for a search for the rest of a payment, or for a payment with a shadow, because a
 * remedy for those says nothing about the whole payment.
 */
export function remedyRules({ request, amountMsat, maxfeeMsat, shadow }: PlanQuery): RemedyRules | false {
  const isWhole = amountMsat === request.amountMsat && maxfeeMsat === request.maxfeeMsat;
  if (!isWhole || shadow.delayBlocks > 0) return false;
  const feeShare = request.feeTerms?.share;
  return {
    parts: false,
    finalCltv: false,
    mostMaxdelay: MAX_ROUTE_DELAY,
    ...(feeShare !== undefined && { feeShare }),
  };
}
