/**
 * Rules for remedies: the parameters of a command that its caller can change to get a route. The kernel finds the
 * remedy under the limits of the payment (src/engine/solver/remedy.ts). The number of parts and the recipient's final
 * delay cannot be remedies, because the commands have no parameters for them.
 */
import type { RemedyRules } from '../../engine/question/remedy-rules.ts';
import { MAX_ROUTE_DELAY } from './limits.ts';
import type { PlanQuery } from './plan-query.ts';

/**
 * What a remedy may change. False if the search is for the rest of a payment, or has a shadow, because its remedy would
 * not be correct for the whole payment without a shadow.
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
