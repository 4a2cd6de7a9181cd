/**
 * What a payment's caller can change to have a route, in the names of the command's own parameters. The kernel asks for
 * it under the payment's limits (src/engine/remedy.ts); what the commands have no parameter for is no remedy here: the
 * number of parts is the recipient's and ours to choose, and so are the recipient's blocks.
 */
import type { FeeShare, RemedyRules } from '../engine/route-outcome.ts';
import { MAX_ROUTE_DELAY } from './budget.ts';
import type { NoRoute, PlanQuery } from './planner.ts';

/** How the caller says what a payment may cost. */
export interface FeeTerms {
  /** The parameter that raises it: `maxfee`, or `exemptfee` beside `maxfeepercent`, which exclude each other. */
  readonly parameter: 'maxfee' | 'exemptfee';
  /** How it follows the amount; absent where it does not. */
  readonly share?: FeeShare;
}

/**
 * What may be changed; false where the search was for the rest of a payment, or for one that wears a shadow: what helps
 * the rest says nothing of the whole.
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

/** The same reason with its remedy in the caller's words. */
export function inCallersWords(noRoute: NoRoute, { request }: PlanQuery): NoRoute {
  const { remedy, ...data } = noRoute.data;
  if (remedy === undefined) return noRoute;
  const { maxfee_msat, ...others } = remedy as { maxfee_msat?: bigint };
  const fee = maxfee_msat !== undefined && { [request.feeTerms?.parameter ?? 'maxfee']: maxfee_msat };
  return { ...noRoute, data: { ...data, remedy: { ...fee, ...others } } };
}
