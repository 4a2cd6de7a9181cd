/**
 * The paths that a question (record.ts) asks for: they keep its caps. What the searches for them have met is noted in
 * `Findings`, and with it which limits ever stood in the way. A limit that never did cannot be the reason for a failure.
 *
 * The statuses below say what a caller may conclude. NO_PATH and NO_CAPACITY are proven where `isProven` says so
 * (construct.ts). TOO_DEAR and TOO_MANY_PARTS describe the answers that were found. UNDECIDED proves nothing.
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
/** Status: no paths were found that pass the amount. */
export const NO_CAPACITY: u32 = 2;
/** Status: only answers above the fee cap were found. */
export const TOO_DEAR: u32 = 3;
/** Status: only answers of more parts than allowed were found. */
export const TOO_MANY_PARTS: u32 = 4;
/** Status: the host asked to stop (task.ts). */
export const CANCELLED: u32 = 5;
/** Status: no answer was found, and nothing proves that there is none. */
export const UNDECIDED: u32 = 6;
/** Status: as UNDECIDED, but an answer was found that keeps all caps but the fee cap. */
export const PERHAPS_TOO_DEAR: u32 = 7;

/** Goal: the best answer. */
export const BEST: u32 = 0;
/** Goal: whether `BEST` finds an answer. The search is the same, but ends at the first answer that keeps all caps. */
export const FIRST: u32 = 1;
/** Goal: whether there is an answer. The answer of lowest fees is looked for first, since it decides most questions. */
export const ANY: u32 = 2;
/** Goal: as ANY. Where there is no answer: whether there is one that keeps all caps but the fee cap. */
export const ANY_FEE: u32 = 3;

/** Bit of `limitsMet`: the limit on delay. */
export const MET_DELAY: u32 = 1;
/** Bit of `limitsMet`: the limit on hops. */
export const MET_HOPS: u32 = 2;
/** Bit of `limitsMet`: the limit on parts. */
export const MET_PARTS: u32 = 4;

/**
 * How much costlier than the cheapest path a path may be (relative), and how many directions the labels may look at to
 * find it: for a final path (EXACT) and for a first look (NEAR).
 */
const EXACT: f64 = 1e-9;
const EXACT_STEPS: u32 = 1 << 16;
const NEAR: f64 = 1e-3;
const NEAR_STEPS: u32 = 1 << 14;
/** Amounts up to this (1,000 sat) go in one part whenever one path can carry them. */
export const SINGLE_PART_AMOUNT: i64 = 1000000;
/** No path is good enough but the cheapest. */
const NOTHING: f64 = -1.0;

/** What the searches for a question have met. */
@unmanaged
export class Findings {
  /** Bits of the limits that ever stood in the way of the question. */
  limitsMet: u32;
  /**
   * The least HTLC minimum that was above what reached its direction, when a path for the whole amount was looked for,
   * msat.
   */
  minimumMissed: i64;
  /** Whether fees raised the whole amount above what a direction passes, when a path for it was looked for. */
  isMaximumMissed: bool;
  /** The source, and the version of the terms (overlay/scratch.ts), for which the bounds were made. */
  sourceSeen: u32;
  /** See `sourceSeen`. */
  versionSeen: u32;
  /** Whether the last search for the whole amount has shown that no lifted path is cheaper than the path that it found. */
  isLiftSettled: bool;
  /** Whether the last search for the whole amount left no way out that could be cheaper than the path that it found. */
  isWholeLeast: bool;
  /** Whether the search for a lifted path stopped before it had tried every path. */
  isLiftGivenUp: bool;
  /** Whether no amount can have a path, because even the fastest or the shortest path exceeds a limit. */
  isHopeless: bool;

  /** Sets what is not 0 in a new workspace. */
  begin(): void {
    this.minimumMissed = i64.MAX_VALUE;
  }
}

/** Begins a question: forgets what was met in the one before, and bounds that do not hold for this one. */
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
  forgetLimitPrices(work.limits);
}

/** Forgets what searches at other prices have left for those that follow: prices of limits, and ways given up. */
export function searchAnew(work: Workspace): void {
  forgetLimitPrices(work.limits);
  work.findings.isLiftGivenUp = false;
}

/** Whether all answers are equally good, so that the first one found will do. */
export function anyWillDo(question: Question): bool {
  return question.goal >= ANY;
}

/** Remembers that a limit stood in the way. */
export function meetLimit(findings: Findings, bit: u32): void {
  findings.limitsMet |= bit;
}

/** Finds a path for `share` within delay and hop limits; the labels hold it afterwards. */
export function findPath(question: Question, work: Workspace, share: i64): bool {
  return findPathBelow(question, work, share, Infinity);
}

/** As `findPath`, for paths that cost less than `limit`. */
export function findPathBelow(question: Question, work: Workspace, share: i64, limit: f64): bool {
  return findNear(question, work, share, limit, EXACT, EXACT_STEPS, NOTHING, false);
}

/** As `findPathBelow`, for a first look: the path may be slightly costlier than the cheapest. */
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
 * Finds a path for the whole amount, as `findPath`. Where only fees are priced and any answer will do, every path within
 * the fee cap is good enough.
 */
export function findWhole(question: Question, work: Workspace): bool {
  const prices = work.prices;
  const findings = work.findings;
  const search = work.search;
  const limits = work.limits;
  const labelling = work.labelling;
  const enough = anyWillDo(question) && prices.exactFees ? (question.maxfeeMsat as f64) : NOTHING;
  // An expensive answer in one part is where the search for cheaper ones in several begins.
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
  // A costlier way on may bring what a direction can pass, and save more than it costs. Where no such path can be cheaper,
  // none is looked for. If none is found, the path found before is still in place.
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

/** Whether some single path keeps the fee cap, regardless of its delay and hops. Only fees must be priced. */
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
 * To be called after `findWhole`. Finds a path where the whole amount is below some HTLC minimum: costlier hops after
 * that direction add enough fees to reach the minimum. Where only one part is allowed, it also finds a path where fees
 * raised the amount above what a direction passes.
 */
export function findLiftedPath(question: Question, work: Workspace): bool {
  const findings = work.findings;
  return (
    (findings.minimumMissed < i64.MAX_VALUE || (findings.isMaximumMissed && question.partLimit === 1)) &&
    lift(question, work, Infinity, false, false)
  );
}

/**
 * As `findLiftedPath`, where only fees are priced: finds a path within the fee cap. Only fees can lift the amount, so
 * no path is looked for where amount and fee cap together stay below the minimum.
 */
export function findLiftedWithinFee(question: Question, work: Workspace): bool {
  const findings = work.findings;
  return (
    !findings.isLiftSettled &&
    findings.minimumMissed <= clampedAdd(question.amountMsat, question.maxfeeMsat) &&
    lift(question, work, (question.maxfeeMsat as f64) + 1.0, false, false)
  );
}

/** Whether HTLC minimums stood in the way of the whole amount, when a path for it was looked for. */
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
