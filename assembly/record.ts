/**
 * The host's question and the kernel's verdict: two records in the workspace. The host writes a whole `Question`, calls
 * `solve` (index.ts), and reads the `Verdict`. No stage writes the question.
 *
 * Each field of a question is declared in only two places: here, with its offset, and in
 * src/engine/question/question.ts, by which the host writes it. Amounts are at most AMOUNT_LIMIT.
 */
import { MAX_PARTS } from './solve/question/sizes';

/** A question, as the host writes it. */
@unmanaged
export class Question {
  /** The node that pays. */
  source: u32;
  /** The node that is paid. */
  destination: u32;
  /** Amount to deliver, msat. */
  amountMsat: i64;
  /** Maximum fees of all parts together, msat. */
  maxfeeMsat: i64;
  /** Maximum total delay of the channels of a part, in blocks, without the delay that the recipient requires. */
  maxPathDelay: u32;
  /** Maximum number of parts; see `partLimit`. */
  maxparts: u32;
  /** Maximum number of channels of a part, at most MAX_HOPS. */
  maxhops: u32;
  /** The goal: BEST, FIRST, ANY or ANY_FEE (solve/question/question.ts). */
  goal: u32;
  /** The prices w, R and D (solve/question/prices.ts), in msat/msat, msat/nat and msat/(msat · block). */
  feeWeight: f64;
  riskPrice: f64;
  delayRate: f64;
  /** Price of every part after the first, msat. */
  partPrice: f64;
  /** Seed and half-width of the noise (solve/question/prices.ts). A half-width of 0 means no noise. */
  noiseSeed: u64;
  noiseSpread: f64;
  /** Whether the question is one of a batch, so that trees are kept (solve/path/kept-tree.ts). 0 or 1. */
  inBatch: u32;

  /** Maximum number of parts of an answer. */
  @inline
  get partLimit(): u32 {
    return min<u32>(this.maxparts, MAX_PARTS);
  }
}

/** The result of a question, apart from the parts and the status. */
@unmanaged
export class Verdict {
  /** Deliverable amount, msat (`Shortage.deliverable` in solve/flow/construct.ts). */
  deliverableMsat: i64;
  /** Total fee of all parts, msat. */
  feeMsat: i64;
  /** The objective of the answer, msat; 0 where there is no answer. */
  cost: f64;
  /**
   * If the search was cut short, the answer is strained, or HTLC maximums force several parts (solve/solve.ts): a lower
   * bound of the objective of every answer, msat. Otherwise the search counts as complete, although it is a heuristic,
   * and this is the cost of the answer itself.
   */
  leastCost: f64;
  /** For status TOO_DEAR and PERHAPS_TOO_DEAR: steps of the search for lowest fees until it found the answer. */
  dearSteps: f64;
  /** Delay of the slowest part, blocks. */
  pathDelay: u32;
  /** Number of parts. */
  parts: u32;
  /** Bits MET_…: the limits that excluded something during the search. */
  limitsMet: u32;
  /** Whether `deliverableMsat` is a proven maximum. All flags of the verdict are 0 or 1. */
  isProven: u32;
  /**
   * For status TOO_DEAR: whether it is proven that no answer within all caps except the fee cap has fees at least 1 %
   * lower than the answer found.
   */
  isFeeLeast: u32;
  /** Whether any part of the search was cut short. */
  wasCut: u32;
}

export const question_source: usize = offsetof<Question>('source');
export const question_destination: usize = offsetof<Question>('destination');
export const question_amountMsat: usize = offsetof<Question>('amountMsat');
export const question_maxfeeMsat: usize = offsetof<Question>('maxfeeMsat');
export const question_maxPathDelay: usize = offsetof<Question>('maxPathDelay');
export const question_maxparts: usize = offsetof<Question>('maxparts');
export const question_maxhops: usize = offsetof<Question>('maxhops');
export const question_goal: usize = offsetof<Question>('goal');
export const question_feeWeight: usize = offsetof<Question>('feeWeight');
export const question_riskPrice: usize = offsetof<Question>('riskPrice');
export const question_delayRate: usize = offsetof<Question>('delayRate');
export const question_partPrice: usize = offsetof<Question>('partPrice');
export const question_noiseSeed: usize = offsetof<Question>('noiseSeed');
export const question_noiseSpread: usize = offsetof<Question>('noiseSpread');
export const question_inBatch: usize = offsetof<Question>('inBatch');

export const verdict_deliverableMsat: usize = offsetof<Verdict>('deliverableMsat');
export const verdict_feeMsat: usize = offsetof<Verdict>('feeMsat');
export const verdict_cost: usize = offsetof<Verdict>('cost');
export const verdict_leastCost: usize = offsetof<Verdict>('leastCost');
export const verdict_dearSteps: usize = offsetof<Verdict>('dearSteps');
export const verdict_pathDelay: usize = offsetof<Verdict>('pathDelay');
export const verdict_parts: usize = offsetof<Verdict>('parts');
export const verdict_limitsMet: usize = offsetof<Verdict>('limitsMet');
export const verdict_isProven: usize = offsetof<Verdict>('isProven');
export const verdict_isFeeLeast: usize = offsetof<Verdict>('isFeeLeast');
export const verdict_wasCut: usize = offsetof<Verdict>('wasCut');
