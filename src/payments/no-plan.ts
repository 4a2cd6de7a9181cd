/**
 * Why a payment has no routes to try next, as data. The journal keeps it: a kind is never given another meaning, and a new
 * member is optional. The words are the commands' (src/commands/payments/no-plan-words.ts).
 */
import {
  errorOf,
  errorOfFault,
  type NoRoute,
  NoRouteError,
  SearchFailed,
  type SearchFault,
} from '../engine/no-route.ts';
import { type LayerRefusal, LayerRefused } from '../layers/refusal.ts';
import { type ErrorName, FulguriteError } from '../model/errors.ts';

/** Why there is no plan. */
export type NoPlan =
  | UnroutablePlan
  /** Only routes are left that failed already. */
  | { readonly kind: 'tried' }
  /** Nobody knows whether there is a route. */
  | { readonly kind: 'searchFailed'; readonly fault: SearchFault }
  /** A layer that the caller named was removed meanwhile. */
  | { readonly kind: 'layerRefused'; readonly refusal: LayerRefusal }
  | RefusedPlan;

/** Another room of the program refused, in its words: the store, mostly. */
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
   * Where fee or delay limit stand in the way: what the routes cost that exceed them by least, or that there are none
   * within any limits. Absent where nobody asked.
   */
  readonly best?: BestBeyond | 'none';
}

/** Routes beyond the limits of a payment. */
export interface BestBeyond {
  readonly feeMsat: bigint;
  readonly delayBlocks: number;
  /** The fee limit that they were searched for: what the payment had left of its own. */
  readonly maxfeeMsat: bigint;
}

/** What an error of the route engine, or of another room, means for a plan. */
export function noPlanOf(error: unknown): NoPlan {
  if (error instanceof NoRouteError) return { kind: 'noRoute', noRoute: error.noRoute };
  if (error instanceof SearchFailed) return { kind: 'searchFailed', fault: error.reason };
  if (error instanceof LayerRefused) return { kind: 'layerRefused', refusal: error.reason };
  return refusedPlan(error);
}

/** The refusal of another room, as it says it. */
export function refusedPlan(error: unknown): RefusedPlan {
  const cause = error instanceof Error ? error.message : String(error);
  return { kind: 'refused', error: error instanceof FulguriteError ? error.name : 'internal', cause };
}

/** Which error of the table (model/errors.ts) it is. */
export function errorOfNoPlan(noPlan: NoPlan): ErrorName {
  switch (noPlan.kind) {
    case 'noRoute':
      return noPlan.best === 'none' ? 'routeNotFound' : errorOf(noPlan.noRoute.binding);
    case 'tried':
      return 'routeNotFound';
    case 'searchFailed':
      return errorOfFault(noPlan.fault);
    case 'layerRefused':
      return 'invalidParams';
    case 'refused':
      return noPlan.error;
  }
}
