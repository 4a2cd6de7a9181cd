/** What a remedy may change in a query. */

/**
 * Maximum blocks that a request may allow: two weeks, the longest time for which nodes lock an HTLC (BOLT 4,
 * `max_htlc_cltv`).
 */
export const MAX_DELAY_BLOCKS = 2016;

/** The parameters of a query that a remedy may change, besides the amount and the fee limit. */
export interface RemedyRules {
  /** Whether a remedy may allow more parts. */
  readonly parts: boolean;
  /** Whether a remedy may lower the recipient's final delta. */
  readonly finalCltv: boolean;
  /** Maximum total number of blocks that a remedy may allow. */
  readonly mostMaxdelay: number;
  /** How the fee limit depends on the amount. If absent, the limit is fixed. */
  readonly feeShare?: FeeShare;
}

/** A fee limit of max(floor(amount · ppm / 10⁶), leastMsat). */
export interface FeeShare {
  readonly ppm: bigint;
  readonly leastMsat: bigint;
}

/** The rules for callers that can change everything. */
export const ANY_REMEDY: RemedyRules = { parts: true, finalCltv: true, mostMaxdelay: MAX_DELAY_BLOCKS };

/** The rules for one query. More parts are not a remedy if a layer requires a single part. */
export function allowedRemedies(
  rules: RemedyRules | false = ANY_REMEDY,
  noMpp: boolean,
): { readonly remedies?: RemedyRules } {
  if (rules === false) return {};
  return { remedies: rules.parts && noMpp ? { ...rules, parts: false } : rules };
}
