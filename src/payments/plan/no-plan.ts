/**
 * Why a payment has no routes to try next, as data. The journal keeps these values. So no kind ever gets another
 * meaning, and each new member is optional. The commands add the words (src/commands/payments/no-plan-words.ts).
 */
import {
  errorOf,
  errorOfFault,
  type NoRoute,
  NoRouteError,
  SearchFailed,
  type SearchFault,
} from '../../engine/question/no-route.ts';
import { type LayerRefusal, LayerRefused } from '../../layers/refusal.ts';
import { type ErrorName, FulguriteError } from '../../model/errors.ts';
import { REFUSALS } from '../../model/refusals.ts';
import type { ShortChannelId } from '../../model/short-channel-id.ts';
import type { WhyResting } from '../../network/several/index.ts';

/** Why there is no plan. */
export type NoPlan =
  | UnroutablePlan
  /** Only routes are left that failed already. */
  | { readonly kind: 'tried' }
  /** Payments over the remaining routes hardly ever arrive. Odds in parts per million. */
  | { readonly kind: 'unlikely'; readonly probabilityPpm: number; readonly leastPpm: number }
  /** It is unknown whether there is a route. */
  | { readonly kind: 'searchFailed'; readonly fault: SearchFault }
  /** A layer that the caller named was removed meanwhile. */
  | { readonly kind: 'layerRefused'; readonly refusal: LayerRefusal }
  | RefusedPlan;

/** Another part of the program refused, mostly the store. The refusal is kept in the words of that part. */
export interface RefusedPlan {
  readonly kind: 'refused';
  readonly error: ErrorName;
  readonly cause: string;
}

/** There is no route within the limits. */
export interface UnroutablePlan {
  readonly kind: 'noRoute';
  readonly noRoute: NoRoute;
  /**
   * Present when the fee limit or the delay limit is the obstacle and the search was asked to explain it. It tells what
   * the routes cost that exceed the limits least. `none` means that there are no routes within any limits.
   */
  readonly best?: BestBeyond | 'none';
  /** What each of our nodes could give, when that is what binds. Only where several nodes pay. */
  readonly ourNodes?: readonly NodeShare[];
  /** The transfer between our nodes that would help. Absent when none would. */
  readonly transfer?: HelpfulTransfer;
}

/** Money of nodes that cannot be used for a payment, and the nodes that lack it. */
export interface HelpfulTransfer {
  /** Names of the nodes that have money which the payment cannot use. */
  readonly from: readonly string[];
  /** Names of the nodes whose balances are the binding limit. */
  readonly to: readonly string[];
  /** No transfer lets the payment have more than this in addition. */
  readonly mostMsat: bigint;
}

/** What one of our nodes could give to a payment. */
export interface NodeShare {
  readonly name: string;
  /** Made channel that stands for it in the binding. */
  readonly shortChannelId: ShortChannelId;
  readonly maySpendMsat: bigint;
  /** Whether the payment needs more than this of the node. */
  readonly binds?: boolean;
  /** Why it gives nothing or was not asked: it rests, or this payment must not use it. */
  readonly why?: WhyResting | { readonly kind: 'leftOut' };
}

/** Routes beyond the limits of a payment. */
export interface BestBeyond {
  readonly feeMsat: bigint;
  readonly delayBlocks: number;
  /** The fee limit of the search that found none: the part of the payment's fee limit that was not yet used. */
  readonly maxfeeMsat: bigint;
}

/** Turns an error of the route engine, or of another part of the program, into the reason for having no plan. */
export function noPlanOf(error: unknown): NoPlan {
  if (error instanceof NoRouteError) return { kind: 'noRoute', noRoute: error.noRoute };
  if (error instanceof SearchFailed) return { kind: 'searchFailed', fault: error.reason };
  if (error instanceof LayerRefused) return { kind: 'layerRefused', refusal: error.reason };
  return refusedPlan(error);
}

/** The unchanged error of another part of the program. */
export function refusedPlan(error: unknown): RefusedPlan {
  const cause = error instanceof Error ? error.message : String(error);
  return { kind: 'refused', error: error instanceof FulguriteError ? error.name : 'internal', cause };
}

/** Whether our nodes together hold too little for the payment. */
function isShortOfNodes({ noRoute: { binding }, ourNodes }: UnroutablePlan): boolean {
  return ourNodes !== undefined && binding.kind === 'endCapacity' && binding.end === 'source';
}

/** Its error in the table (model/errors.ts). */
export function errorOfNoPlan(noPlan: NoPlan): ErrorName {
  switch (noPlan.kind) {
    case 'noRoute':
      if (noPlan.best === 'none') return 'routeNotFound';
      return isShortOfNodes(noPlan) ? 'sourceCapacity' : errorOf(noPlan.noRoute.binding);
    case 'tried':
    case 'unlikely':
      return REFUSALS[noPlan.kind].error;
    case 'searchFailed':
      return errorOfFault(noPlan.fault);
    case 'layerRefused':
      return 'invalidParams';
    case 'refused':
      return noPlan.error;
  }
}
