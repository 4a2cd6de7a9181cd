/** A query with everything resolved that only its caller knew, and what a remedy may change of it. */

import type { OddsTable } from '../../layers/learned-odds.ts';
import type { Msat } from '../../model/msat.ts';
import type { NodeId } from '../../model/node-id.ts';
import type { ObjectiveKnobs } from './objective.ts';
import type { Randomization } from './route.ts';

/**
 * Maximum blocks that a request may allow: two weeks, the longest that nodes lock an HTLC (BOLT 4,
 * `max_htlc_cltv`).
 */
export const MAX_DELAY_BLOCKS = 2016;

/** A query with its layers resolved to the slots of a kernel. */
export interface ResolvedQuery {
  readonly source: NodeId;
  readonly destination: NodeId;
  readonly amountMsat: Msat;
  readonly maxfeeMsat: Msat;
  readonly finalCltv: number;
  readonly maxdelay: number;
  readonly maxparts: number;
  readonly maxhops: number;
  /**
   * Layer slots in order, perhaps with `SOURCEFREE_SLOT`; and the names of the same layers, for explanations.
   */
  readonly stack: readonly number[];
  readonly layerNames: readonly string[];
  readonly includeFees: boolean;
  /** Learned odds, in the place of uniform balances. */
  readonly odds?: OddsTable;
  readonly randomize?: Randomization;
  readonly knobs?: ObjectiveKnobs;
  /** As in `WireQuery`. */
  readonly inBatch?: boolean;
  /** What a remedy may change. When absent, no remedy is looked for. */
  readonly remedies?: RemedyRules;
}

/**
 * What a remedy may change of a query, apart from its amount and fee limit. These are the parameters that its caller
 * has.
 */
export interface RemedyRules {
  /** Whether a remedy may allow more parts. */
  readonly parts: boolean;
  /** Whether a remedy may take blocks from the recipient. */
  readonly finalCltv: boolean;
  /** Maximum blocks that a remedy may allow in all. */
  readonly mostMaxdelay: number;
  /** How the fee limit follows the amount. When absent, the limit stays as it is. */
  readonly feeShare?: FeeShare;
}

/** A fee limit of max(floor(amount · ppm / 10⁶), leastMsat). */
export interface FeeShare {
  readonly ppm: bigint;
  readonly leastMsat: bigint;
}

/** The rules for callers that may change everything. */
export const ANY_REMEDY: RemedyRules = { parts: true, finalCltv: true, mostMaxdelay: MAX_DELAY_BLOCKS };

/** The rules for one query. More parts are no remedy when a layer asks for a single part. */
export function allowedRemedies(
  rules: RemedyRules | false = ANY_REMEDY,
  noMpp: boolean,
): Pick<ResolvedQuery, 'remedies'> {
  if (rules === false) return {};
  return { remedies: rules.parts && noMpp ? { ...rules, parts: false } : rules };
}
