/**
 * Finds the paths for a question (record.ts), within its caps. `Findings` records what the searches met, including
 * which limits ever stood in the way. A limit that never did cannot be the reason for a failure.
 *
 * The statuses show what a caller may conclude. NO_PATH and NO_CAPACITY are proven if `isProven` is set (construct.ts).
 * TOO_DEAR and TOO_MANY_PARTS describe the answers that were found. UNDECIDED proves nothing.
 */
import { clampedAdd } from '../../graph/numbers';
import { Question } from '../../record';
import { Workspace } from '../../workspace';
import { forgetBounds } from '../path/bounds';
import { searchHidden } from '../path/labels';
import { FELT_DELAY, FELT_HOPS, findWithin, forgetLimitPrices, NO_LIMIT } from '../path/limits';
import { beginShare, searchBelow } from '../path/search';
import { hasEffort } from './effort';

/** Status: an answer that keeps all caps. */
export const OK: u32 = 0;
/** Status: no direction out of the source, or none into the destination, can carry anything. */
export const NO_PATH: u32 = 1;
/** Status: no paths were found that can carry the amount. */
export const NO_CAPACITY: u32 = 2;
/** Status: only answers above the fee cap were found. */
export const TOO_DEAR: u32 = 3;
/** Status: only answers with more parts than allowed were found. */
export const TOO_MANY_PARTS: u32 = 4;
/** Status: the host asked to stop (task.ts). */
export const CANCELLED: u32 = 5;
/** Status: no answer was found, and nothing proves that there is none. */
export const UNDECIDED: u32 = 6;
/** Status: as UNDECIDED, but an answer was found that keeps all caps except the fee cap. */
export const PERHAPS_TOO_DEAR: u32 = 7;

/** Goal: the best answer. */
export const BEST: u32 = 0;
/** Goal: whether `BEST` finds an answer. The search is the same, but ends at the first answer that keeps all caps. */
export const FIRST: u32 = 1;
/** Goal: whether there is an answer. The search begins with lowest fees, which decides most questions. */
export const ANY: u32 = 2;
/** Goal: as ANY and, if there is no answer, whether there is one that keeps all caps except the fee cap. */
export const ANY_FEE: u32 = 3;

/** Bit of `limitsMet`: the limit on delay. */
export const MET_DELAY: u32 = 1;
/** Bit of `limitsMet`: the limit on hops. */
export const MET_HOPS: u32 = 2;
/** Bit of `limitsMet`: the limit on parts. */
export const MET_PARTS: u32 = 4;

/**
 * Maximum relative excess over the cost of the cheapest path, and maximum number of directions that labels may scan:
 * for a final path (EXACT) and for a first look (NEAR).
 */
const EXACT: f64 = 1e-9;
const EXACT_STEPS: u32 = 1 << 16;
const NEAR: f64 = 1e-3;
const NEAR_STEPS: u32 = 1 << 14;
/** Amounts up to this (1,000 sat) use one part if a single path without negative biases can carry them. */
export const SINGLE_PART_AMOUNT: i64 = 1000000;
/** The value of `enough` that has no effect: no path costs so little. */
const NOTHING: f64 = -1.0;

/** Shift for 1 / 16 of the amount. A payer that sets a fee cap hardly pays more than that. */
const FAR_LIFT_SHIFT: i64 = 4;

/** Findings of the searches for a question. */
@unmanaged
export class Findings {
  /** Bits MET_…: the limits that excluded something. */
  limitsMet: u32;
  /** In searches for the whole amount: the lowest HTLC minimum that an amount failed to reach, msat. */
  minimumMissed: i64;
  /** In searches for the whole amount: whether fees raised an amount above the maximum of a direction. */
  isMaximumMissed: bool;
  /** The source for which the bounds were computed. */
  sourceSeen: u32;
  /** The version of the terms (overlay/scratch.ts) for which the bounds were computed. */
  versionSeen: u32;
  /**
   * Whether the last search for the whole amount showed that no path of `findLiftedPath` is cheaper than the one found.
   */
  isLiftSettled: bool;
  /** Whether the last search for the whole amount ruled out every path cheaper than the one found. */
  isWholeLeast: bool;
  /** Whether the search of `findLiftedPath` stopped before trying every path. */
  isLiftGivenUp: bool;
  /** Whether no amount has a path, because even the fastest or the shortest path exceeds a limit. */
  isHopeless: bool;

  /** Call once for a new workspace: sets the fields of this class that do not start at zero. */
  begin(): void {
    this.minimumMissed = i64.MAX_VALUE;
  }
}

/** Begins a question: forgets the findings of the previous one, and bounds that are not valid for this one. */
export function begin(question: Question, work: Workspace): void {
  const findings = work.findings;
  const scratch = work.scratch;
  if (question.source !== findings.sourceSeen || scratch.termsVersion !== findings.versionSeen)
    forgetBounds(work.bounds);
  findings.sourceSeen = question.source;
  findings.versionSeen = scratch.termsVersion;
  findings.limitsMet = 0;
  findings.minimumMissed = i64.MAX_VALUE;
  findings.isLiftGivenUp = false;
  findings.isHopeless = false;
  findings.isWholeLeast = false;
  forgetLimitPrices(work.limits);
}

/** Forgets what searches at other prices left: limit prices, and which searches were given up. */
export function searchAnew(work: Workspace): void {
  forgetLimitPrices(work.limits);
  work.findings.isLiftGivenUp = false;
}

/** Whether all answers are equally good, so that the first one is enough. */
export function anyWillDo(question: Question): bool {
  return question.goal >= ANY;
}

/** Records that a limit stood in the way. */
export function meetLimit(findings: Findings, bit: u32): void {
  findings.limitsMet |= bit;
}

/** Finds a path for `share` within delay and hop limits; afterwards the labels contain it. */
export function findPath(question: Question, work: Workspace, share: i64): bool {
  return findPathBelow(question, work, share, Infinity);
}

/** As `findPath`, for paths that cost less than `limit`. */
export function findPathBelow(question: Question, work: Workspace, share: i64, limit: f64): bool {
  return findNear(question, work, share, limit, EXACT, EXACT_STEPS, NOTHING, false);
}

/** As `findPathBelow`, for a first look: the path may be slightly costlier than the cheapest one. */
export function findGoodPathBelow(question: Question, work: Workspace, share: i64, limit: f64): bool {
  return findNear(question, work, share, limit, NEAR, NEAR_STEPS, NOTHING, false);
}

function findNear(
  question: Question,
  work: Workspace,
  share: i64,
  limit: f64,
  tolerance: f64,
  steps: u32,
  enough: f64,
  isDecision: bool,
): bool {
  const limits = work.limits;
  const findings = work.findings;
  beginShare(work, share);
  const found = findWithin(
    work,
    question.source,
    question.destination,
    share,
    question.maxhops,
    question.maxPathDelay,
    limit,
    tolerance,
    steps,
    enough,
    isDecision,
  );
  if ((limits.limitsFelt & FELT_DELAY) !== 0) meetLimit(findings, MET_DELAY);
  if ((limits.limitsFelt & FELT_HOPS) !== 0) meetLimit(findings, MET_HOPS);
  findings.isHopeless = limits.isBeyondAll;
  return found;
}

/**
 * As `findPath`, for the whole amount. If only fees are priced and any answer will do, any path within the fee cap is
 * accepted.
 */
export function findWhole(question: Question, work: Workspace): bool {
  const prices = work.prices;
  const findings = work.findings;
  const search = work.search;
  const limits = work.limits;
  const labelling = work.labelling;
  const enough = anyWillDo(question) && prices.exactFees ? (question.maxfeeMsat as f64) : NOTHING;
  // If several parts are possible, the cheapest path is needed even above the fee cap: the search for cheaper answers
  // in several parts starts from it.
  const isDecision =
    question.goal === ANY &&
    prices.exactFees &&
    (question.partLimit === 1 || question.amountMsat <= SINGLE_PART_AMOUNT);
  const found = findNear(
    question,
    work,
    question.amountMsat,
    Infinity,
    EXACT,
    EXACT_STEPS,
    enough,
    isDecision,
  );
  findings.minimumMissed = search.leastMinimumMet;
  findings.isMaximumMissed = search.maximumMet && !prices.exactFees;
  findings.isLiftSettled = false;
  // A costlier continuation may have an amount that a direction can carry, and save more than it costs. The search is
  // skipped if no such path can be cheaper. If none is found, the previous path is still in place.
  const isHidden = found && (findings.minimumMissed < i64.MAX_VALUE || findings.isMaximumMissed);
  findings.isWholeLeast = true;
  if (isHidden && limits.pathCost > enough && limits.hiddenCost < limits.pathCost) {
    findings.isLiftSettled =
      !lift(question, work, limits.pathCost, true, limits.limitsFelt === 0 && !limits.isRecalled) &&
      !labelling.wasStopped;
    findings.isWholeLeast = !labelling.wasStopped;
  }
  return found;
}

/** Whether any single path keeps the fee cap, regardless of its delay and hops. Only fees must be priced. */
export function isWithinFee(question: Question, work: Workspace): bool {
  beginShare(work, question.amountMsat);
  return searchBelow(
    work,
    question.source,
    question.destination,
    question.amountMsat,
    NO_LIMIT,
    NO_LIMIT,
    (question.maxfeeMsat as f64) + 1.0,
  );
}

/**
 * Call after `findWhole`. Finds a path when the whole amount is below the HTLC minimum of a direction: costlier hops
 * after that direction add enough fees to reach the minimum. If only one part is allowed, it also finds a path when
 * fees raised the amount above the maximum of a direction.
 */
export function findLiftedPath(question: Question, work: Workspace): bool {
  const findings = work.findings;
  return (
    (findings.minimumMissed < i64.MAX_VALUE || (findings.isMaximumMissed && question.partLimit === 1)) &&
    lift(question, work, Infinity, false, false)
  );
}

/**
 * As `findLiftedPath` if only fees are priced: finds a path within the fee cap. Only fees can lift the amount, so the
 * search is skipped if amount plus fee cap is below the minimum.
 */
export function findLiftedWithinFee(question: Question, work: Workspace): bool {
  const findings = work.findings;
  return (
    !findings.isLiftSettled &&
    isLiftAffordable(question, findings) &&
    lift(question, work, (question.maxfeeMsat as f64) + 1.0, false, false)
  );
}

/** Whether fees within the cap could lift the amount over the smallest HTLC minimum that it missed. */
function isLiftAffordable(question: Question, findings: Findings): bool {
  return findings.minimumMissed <= clampedAdd(question.amountMsat, question.maxfeeMsat);
}

/** Whether only fees above the cap and above 1 / 16 of the amount could lift it over an HTLC minimum. */
export function isLiftFar(question: Question, findings: Findings): bool {
  return (
    !isLiftAffordable(question, findings) &&
    findings.minimumMissed > clampedAdd(question.amountMsat, question.amountMsat >> FAR_LIFT_SHIFT)
  );
}

/** Whether HTLC minimums stood in the way in searches for the whole amount. */
export function isBelowMinimum(findings: Findings): bool {
  return findings.minimumMissed < i64.MAX_VALUE;
}

function lift(question: Question, work: Workspace, limit: f64, isFirstLook: bool, isAheadKnown: bool): bool {
  const findings = work.findings;
  if (findings.isLiftGivenUp || findings.isHopeless || !hasEffort(work.effort)) return false;
  const isLarger = findings.minimumMissed < i64.MAX_VALUE;
  const found = searchHidden(
    work,
    question.source,
    question.destination,
    question.amountMsat,
    question.maxhops,
    question.maxPathDelay,
    limit,
    isLarger,
    findings.isMaximumMissed,
    isFirstLook,
    isAheadKnown,
  );
  findings.isLiftGivenUp = work.labelling.wasStopped && limit === Infinity;
  return found;
}
