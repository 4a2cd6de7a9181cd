/** A route query as the kernel's host asks it, and what comes of it: an answer, or why there is none. */
import type { Msat } from '../model/msat.ts';
import type { NodeId } from '../model/node-id.ts';
import type { ObjectiveKnobs } from './objective.ts';
import type { Randomization, RouteAnswer } from './route.ts';

/** Two weeks: the longest that nodes lock an HTLC for (BOLT 4, `max_htlc_cltv`); no request may ask for more. */
export const MAX_DELAY_BLOCKS = 2016;

/** A query with its layers resolved to the kernel's slots. */
export interface ResolvedQuery {
  readonly source: NodeId;
  readonly destination: NodeId;
  readonly amountMsat: Msat;
  readonly maxfeeMsat: Msat;
  readonly finalCltv: number;
  readonly maxdelay: number;
  readonly maxparts: number;
  readonly maxhops: number;
  /** Layer slots in order, `SOURCEFREE_SLOT` among them; and the same layers' names, for explanations. */
  readonly stack: readonly number[];
  readonly layerNames: readonly string[];
  readonly includeFees: boolean;
  readonly randomize?: Randomization;
  readonly knobs?: ObjectiveKnobs;
  /** Without, no remedy is looked for. */
  readonly remedies?: RemedyRules;
}

/** What a remedy may change of a query beside amount and fee limit: parameters that its caller has. */
export interface RemedyRules {
  /** Whether it may allow more parts. */
  readonly parts: boolean;
  /** Whether it may take blocks from the recipient. */
  readonly finalCltv: boolean;
  /** How many blocks in all it may allow. */
  readonly mostMaxdelay: number;
  /** How the fee limit follows the amount; without, it stays as it is. */
  readonly feeShare?: FeeShare;
}

/** A fee limit of max(floor(amount · ppm / 10⁶), leastMsat). */
export interface FeeShare {
  readonly ppm: bigint;
  readonly leastMsat: bigint;
}

/** For callers that may change everything. */
export const ANY_REMEDY: RemedyRules = { parts: true, finalCltv: true, mostMaxdelay: MAX_DELAY_BLOCKS };

/** Of a query: more parts are no remedy while a layer asks for a single one. */
export function allowedRemedies(
  rules: RemedyRules | false = ANY_REMEDY,
  noMpp: boolean,
): Pick<ResolvedQuery, 'remedies'> {
  return rules === false ? {} : { remedies: { ...rules, parts: rules.parts && !noMpp } };
}

/** Why there is no answer; becomes a FulguriteError on the other side of the pool. */
export interface RouteFailure {
  readonly error:
    | 'routeNotFound'
    | 'routeTooExpensive'
    | 'sourceCapacity'
    | 'destinationCapacity'
    | 'timedOut'
    | 'undecided';
  readonly message: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export type RouteOutcome = { readonly answer: RouteAnswer } | { readonly failure: RouteFailure };
