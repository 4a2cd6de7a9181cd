/**
 * What is asked: two ends, an amount, and the caps that an answer must keep. And paths that keep them.
 *
 * Globals of the instance hold the question, so that stages need not hand it on: `ask` sets it, and the stages read it.
 * `limitsMet` remembers which limits ever stood in the way: one that never did cannot be the reason of a failure.
 *
 * The statuses below say what a caller may conclude. NO_PATH and NO_CAPACITY are proven where `isProven` says so
 * (construct.ts), TOO_DEAR and TOO_MANY_PARTS say what was found, UNDECIDED proves nothing.
 */
import { forgetBounds } from './bounds';
import { hasEffort } from './effort';
import { searchLifted, wasStopped } from './labels';
import { FELT_DELAY, FELT_HOPS, findWithin, forgetLimitPrices, isBeyondAll, limitsFelt } from './limits';
import { MAX_HOPS, MAX_PARTS } from './parts';
import { beginShare, minimumMet } from './search';

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
/** Status: as UNDECIDED, but an answer was found that keeps all caps but the fee's. */
export const PERHAPS_TOO_DEAR: u32 = 7;

/** Bit of `limitsMet`: the limit on delay. */
export const MET_DELAY: u32 = 1;
/** Bit of `limitsMet`: the limit on hops. */
export const MET_HOPS: u32 = 2;
/** Bit of `limitsMet`: the limit on parts. */
export const MET_PARTS: u32 = 4;

/** How much dearer than the cheapest a path may be (relative), and how many directions labels may look at for it. */
const EXACT: f64 = 1e-9;
const EXACT_STEPS: u32 = 1 << 16;
const NEAR: f64 = 1e-3;
const NEAR_STEPS: u32 = 1 << 14;

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
/** Bits of the limits that ever stood in the way of the question. */
export let limitsMet: u32 = 0;
/** Whether too little reached some HTLC minimum when a path for the whole amount was looked for. */
let isTooLittle: bool = false;
/** Whether there were too many ways to lift the amount, so that not all were looked at. */
let isLiftGivenUp: bool = false;

/** Whether no amount can have a path, because even the fastest or the shortest path exceeds a limit. */
export let isHopeless: bool = false;

/** Sets a question: two nodes, an amount in msat, and the channels of a part at most. */
export function ask(from: u32, to: u32, total: i64, hopLimit: u32): void {
  source = from;
  destination = to;
  amount = total;
  maxHops = min<u32>(hopLimit, MAX_HOPS);
  limitsMet = 0;
  isTooLittle = false;
  isLiftGivenUp = false;
  forgetBounds();
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
  return findNear(share, limit, EXACT, EXACT_STEPS);
}

/** As `findPathBelow`, for a first look: a path slightly dearer than the cheapest will do. */
export function findGoodPathBelow(share: i64, limit: f64): bool {
  return findNear(share, limit, NEAR, NEAR_STEPS);
}

function findNear(share: i64, limit: f64, tolerance: f64, steps: u32): bool {
  beginShare(share);
  const found = findWithin(source, destination, share, maxHops, maxDelay, limit, tolerance, steps);
  if ((limitsFelt & FELT_DELAY) !== 0) meetLimit(MET_DELAY);
  if ((limitsFelt & FELT_HOPS) !== 0) meetLimit(MET_HOPS);
  isHopeless = isBeyondAll;
  return found;
}

/** Finds a path for the whole amount, as `findPath`. */
export function findWhole(): bool {
  const found = findPath(amount);
  isTooLittle = minimumMet;
  return found;
}

/**
 * After `findWhole`: finds a path that costs less than `limit`, where the whole amount is too little for some HTLC
 * minimum and a dearer way on lifts it over.
 */
export function findLiftedPath(limit: f64): bool {
  if (!isTooLittle || isLiftGivenUp || isHopeless || !hasEffort()) return false;
  const found = searchLifted(source, destination, amount, maxHops, maxDelay, limit);
  isLiftGivenUp = wasStopped;
  return found;
}
