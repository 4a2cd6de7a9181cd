/**
 * Why a payment has no routes to try next, as data. The journal stores these values, so the meaning of a kind never
 * changes, and new members are optional. The commands add the texts (src/commands/payments/no-plan-words.ts).
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
  /** Only routes that already failed are left. */
  | { readonly kind: 'tried' }
  /**
   * Payments over the remaining routes are very unlikely to arrive. Probability and its minimum in parts per million.
   */
  | { readonly kind: 'unlikely'; readonly probabilityPpm: number; readonly leastPpm: number }
  /** It is unknown whether there is a route. */
  | { readonly kind: 'searchFailed'; readonly fault: SearchFault }
  /** A layer named by the caller has been removed. */
  | { readonly kind: 'layerRefused'; readonly refusal: LayerRefusal }
  | RefusedPlan;

/** Another part of the program, usually the store, refused. `cause` is its message. */
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
   * The cost of the routes that exceed the limits least. Present if the fee or delay limit is the obstacle and an
   * explanation was requested. `none`, in journals of earlier releases, means that there are no routes even without
   * limits.
   */
  readonly best?: BestBeyond | 'none';
  /**
   * What each of our nodes could contribute. Present if we have several nodes, and what they may spend is the obstacle.
   */
  readonly ourNodes?: readonly NodeShare[];
  /** The transfer between our nodes that would help, if any. */
  readonly transfer?: HelpfulTransfer;
}

/** A transfer from nodes whose money the payment cannot use to nodes that lack money for it. */
export interface HelpfulTransfer {
  /** Names of nodes with money that the payment cannot use. */
  readonly from: readonly string[];
  /** Names of nodes whose balances limit the payment. */
  readonly to: readonly string[];
  /** Maximum amount that the transfer adds to what the payment can use. */
  readonly mostMsat: bigint;
}

/** What one of our nodes could contribute to a payment. */
export interface NodeShare {
  readonly name: string;
  /** The made-up channel that represents the node in `NoRoute.binding`. */
  readonly shortChannelId: ShortChannelId;
  readonly maySpendMsat: bigint;
  /** Whether the payment needs more from the node than the node may spend. */
  readonly binds?: boolean;
  /** Why the node contributes nothing: it takes no new parts, or this payment must not use it. */
  readonly why?: WhyResting | { readonly kind: 'leftOut' };
}

/** The cost of the best routes, which exceed the limits of the payment. */
export interface BestBeyond {
  readonly feeMsat: bigint;
  readonly delayBlocks: number;
  /** The fee limit of the search that found no routes: the part of the payment's fee limit that was still unused. */
  readonly maxfeeMsat: bigint;
}

/** Converts an error of the route engine, or of another part of the program, to the reason for having no plan. */
export function noPlanOf(error: unknown): NoPlan {
  if (error instanceof NoRouteError) return { kind: 'noRoute', noRoute: error.noRoute };
  if (error instanceof SearchFailed) return { kind: 'searchFailed', fault: error.reason };
  if (error instanceof LayerRefused) return { kind: 'layerRefused', refusal: error.reason };
  return refusedPlan(error);
}

/** Wraps an error of another part of the program, with its message unchanged. */
export function refusedPlan(error: unknown): RefusedPlan {
  const cause = error instanceof Error ? error.message : String(error);
  return { kind: 'refused', error: error instanceof FulguriteError ? error.name : 'internal', cause };
}

/** Whether our nodes together have too little for the payment. */
function isShortOfNodes({ noRoute: { binding }, ourNodes }: UnroutablePlan): boolean {
  return ourNodes !== undefined && binding.kind === 'endCapacity' && binding.end === 'source';
}

/** The name (in model/errors.ts) of the error that reports this `NoPlan`. */
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
