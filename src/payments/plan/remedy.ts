/**
 * What the caller of a payment can change so that there is a route, in the names of the command's own
 * parameters. The kernel finds it under the limits of the payment (src/engine/solver/remedy.ts). A change for which
 * the commands have no parameter is no remedy here: the recipient and we choose the number of parts, and the
 * recipient chooses its blocks.
 */
import type { RemedyRules } from '../../engine/question/remedy-rules.ts';
import { MAX_ROUTE_DELAY } from './limits.ts';
import type { PlanQuery } from './plan-query.ts';

/**
 * What a remedy may change. False when the search was for the rest of a payment, or for a payment with a
 * shadow: what helps there says nothing about the payment as a whole.
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
