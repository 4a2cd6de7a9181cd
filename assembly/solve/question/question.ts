/**
 * What is asked: two ends, an amount, and the caps that an answer must keep. This file also finds the paths that keep
 * those caps.
 *
 * Globals of the instance hold the question, so that stages need not pass it on: `ask` sets it, and the stages read it.
 * `limitsMet` remembers which limits ever stood in the way. A limit that never did cannot be the reason for a failure.
 *
 * The statuses below say what a caller may conclude. NO_PATH and NO_CAPACITY are proven where `isProven` says so
 * (construct.ts). TOO_DEAR and TOO_MANY_PARTS describe the answers that were found. UNDECIDED proves nothing.
 */
import { clampedAdd } from '../../graph/numbers';
import { termsVersion } from '../../overlay/scratch';
import { forgetBounds } from '../path/bounds';
import { searchHidden, wasStopped } from '../path/labels';
import {
  FELT_DELAY,
  FELT_HOPS,
  findWithin,
  forgetLimitPrices,
  hiddenCost,
  isBeyondAll,
  isRecalled,
  limitsFelt,
  NO_LIMIT,
  pathCost,
} from '../path/limits';
import { beginShare, leastMinimumMet, maximumMet, searchBelow } from '../path/search';
import { hasEffort } from './effort';
import { exactFees } from './prices';
import { MAX_HOPS, MAX_PARTS } from './sizes';

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
/** Goal: whether there is an answer. The answer of least fees is looked for first, since it decides most questions. */
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
 * How much dearer than the cheapest path a path may be (relative), and how many directions the labels may look at to
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

/** Node that pays. */
export let source: u32 = 0;
/** Node that is paid. */
export let destination: u32 = 0;
/** What is to be delivered, msat. */
export let amount: i64 = 0;
/** Channels of a part at most. */
export let maxHops: u32 = 0;
/** Fees of all parts at most, msat. */
export let maxFee: i64 = 0;
/** Blocks of a part at most. */
export let maxDelay: u32 = 0;
/** Parts at most. */
export let maxParts: u32 = 0;
/** What is wanted: BEST, FIRST, ANY or ANY_FEE. */
export let goal: u32 = BEST;
/** Bits of the limits that ever stood in the way of the question. */
export let limitsMet: u32 = 0;
/**
 * Whether a share was below an HTLC minimum that the whole amount is not below. Larger shares may pass, so that what the
 * search for several parts did not find is not shown to be missing.
 */
export let isMinimumMet: bool = false;
/**
 * The least HTLC minimum that was above what reached its direction, when a path for the whole amount was looked for,
 * msat.
 */
let minimumMissed: i64 = i64.MAX_VALUE;
/** Whether fees raised the whole amount above what a direction passes, when a path for it was looked for. */
let isMaximumMissed: bool = false;
/** The version of the terms (overlay/scratch.ts) from which the bounds were made. */
let versionSeen: u32 = 0;
/** Whether the last search for the whole amount has shown that no lifted path is cheaper than the path that it found. */
let isLiftSettled: bool = false;
/** Whether the last search for the whole amount left no way out that could be cheaper than the path that it found. */
export let isWholeLeast: bool = false;
/** Whether the search for a lifted path was stopped before it had looked at all ways. */
let isLiftGivenUp: bool = false;

/** Whether no amount can have a path, because even the fastest or the shortest path exceeds a limit. */
export let isHopeless: bool = false;

/** Sets a question: two nodes, an amount in msat, and the channels of a part at most. */
export function ask(from: u32, to: u32, total: i64, hopLimit: u32): void {
  if (from !== source || termsVersion !== versionSeen) forgetBounds();
  versionSeen = termsVersion;
  source = from;
  destination = to;
  amount = total;
  maxHops = min<u32>(hopLimit, MAX_HOPS);
  limitsMet = 0;
  isMinimumMet = false;
  minimumMissed = i64.MAX_VALUE;
  isLiftGivenUp = false;
  forgetLimitPrices();
}

/** Sets the caps: fees in msat, blocks and parts. */
export function setCaps(fee: i64, delay: u32, parts: u32): void {
  maxFee = fee;
  maxDelay = delay;
  maxParts = min<u32>(parts, MAX_PARTS);
  isHopeless = false;
  forgetLimitPrices();
}

/** Forgets what searches at other prices have left for those that follow: prices of limits, and ways given up. */
export function searchAnew(): void {
  forgetLimitPrices();
  isLiftGivenUp = false;
}

/** Sets what is wanted of the questions that follow: BEST, FIRST, ANY or ANY_FEE. */
export function setGoal(wanted: u32): void {
  assert(wanted <= ANY_FEE, 'a goal is one of four');
  goal = wanted;
}

/** Whether all answers are equally good, so that the first one found will do. */
export function anyWillDo(): bool {
  return goal >= ANY;
}

/** Which limits ever stood in the way of the last question; for the host. */
export function metLimits(): u32 {
  return limitsMet;
}

/** Remembers that a limit stood in the way. */
export function meetLimit(bit: u32): void {
  limitsMet |= bit;
}

/** Finds a path for `share` within delay and hop limits; the labels hold it afterwards. */
export function findPath(share: i64): bool {
  return findPathBelow(share, Infinity);
}

/** As `findPath`, for paths that cost less than `limit`. */
export function findPathBelow(share: i64, limit: f64): bool {
  return findNear(share, limit, EXACT, EXACT_STEPS, NOTHING, false);
}

/** As `findPathBelow`, for a first look: the path may be slightly dearer than the cheapest. */
export function findGoodPathBelow(share: i64, limit: f64): bool {
  return findNear(share, limit, NEAR, NEAR_STEPS, NOTHING, false);
}

function findNear(share: i64, limit: f64, tolerance: f64, steps: u32, enough: f64, isDecision: bool): bool {
  beginShare(share);
  const found = findWithin(
    source,
    destination,
    share,
    maxHops,
    maxDelay,
    limit,
    tolerance,
    steps,
    enough,
    isDecision,
  );
  if ((limitsFelt & FELT_DELAY) !== 0) meetLimit(MET_DELAY);
  if ((limitsFelt & FELT_HOPS) !== 0) meetLimit(MET_HOPS);
  isHopeless = isBeyondAll;
  isMinimumMet = isMinimumMet || leastMinimumMet <= amount;
  return found;
}

/**
 * Finds a path for the whole amount, as `findPath`. Where only fees are priced and any answer will do, every path within
 * the fee cap is good enough.
 */
export function findWhole(): bool {
  const enough = anyWillDo() && exactFees ? (maxFee as f64) : NOTHING;
  // A dear answer in one part is where the search for cheaper ones in several begins.
  const isDecision = goal === ANY && exactFees && (maxParts === 1 || amount <= SINGLE_PART_AMOUNT);
  const found = findNear(amount, Infinity, EXACT, EXACT_STEPS, enough, isDecision);
  minimumMissed = leastMinimumMet;
  isMaximumMissed = maximumMet && !exactFees;
  isLiftSettled = false;
  // A dearer way on may bring what a direction can pass, and save more than it costs. Where no such path can be cheaper,
  // none is looked for. If none is found, the path found before is still in place.
  const isHidden = found && (minimumMissed < i64.MAX_VALUE || isMaximumMissed);
  isWholeLeast = true;
  if (isHidden && pathCost > enough && hiddenCost < pathCost) {
    isLiftSettled = !lift(pathCost, true, limitsFelt === 0 && !isRecalled) && !wasStopped;
    isWholeLeast = !wasStopped;
  }
  return found;
}

/** Whether some single path keeps the fee cap, whatever its delay and its hops. Only fees must be priced. */
export function isWithinFee(): bool {
  beginShare(amount);
  return searchBelow(source, destination, amount, NO_LIMIT, NO_LIMIT, (maxFee as f64) + 1.0);
}

/**
 * To be called after `findWhole`. Finds a path where the whole amount is below some HTLC minimum: dearer hops after
 * that direction add enough fees to reach the minimum. Where only one part is allowed, it also finds a path where fees
 * raised the amount above what a direction passes.
 */
export function findLiftedPath(): bool {
  return (
    (minimumMissed < i64.MAX_VALUE || (isMaximumMissed && maxParts === 1)) && lift(Infinity, false, false)
  );
}

/**
 * As `findLiftedPath`, where only fees are priced: finds a path within the fee cap. Only fees can lift the amount, so
 * no path is looked for where amount and fee cap together stay below the minimum.
 */
export function findLiftedWithinFee(): bool {
  return (
    !isLiftSettled && minimumMissed <= clampedAdd(amount, maxFee) && lift((maxFee as f64) + 1.0, false, false)
  );
}

function lift(limit: f64, isFirstLook: bool, isAheadKnown: bool): bool {
  if (isLiftGivenUp || isHopeless || !hasEffort()) return false;
  const isLarger = minimumMissed < i64.MAX_VALUE;
  const found = searchHidden(
    source,
    destination,
    amount,
    maxHops,
    maxDelay,
    limit,
    isLarger,
    isMaximumMissed,
    isFirstLook,
    isAheadKnown,
  );
  isLiftGivenUp = wasStopped && limit === Infinity;
  return found;
}
