/**
 * What is asked: two ends, an amount, and the caps an answer must keep. And paths that keep them.
 *
 * The caps on fee, delay and parts are lifted while a failure is diagnosed; what the request itself said stays
 * with whoever lifts them. `limitsMet` remembers which limits ever stood in the way: one that never did cannot be
 * the reason of a failure.
 */
import { canKeep, forgetBounds } from './bounds';
import { hasEffort } from './effort';
import { isExhausted, searchLabels, searchLifted } from './labels';
import { MAX_HOPS, MAX_PARTS } from './parts';
import { S_COST, S_DELAY, S_HOPS, stateOf } from './scratch';
import { delayRate, exactFees, feeWeight, priceFeesOnly, riskPrice, searchBelow, setPrices } from './search';

export const OK: u32 = 0;
/** Nothing connects source and destination, whatever the amount's share. */
export const NO_PATH: u32 = 1;
/** The known bounds cannot pass the amount. */
export const NO_CAPACITY: u32 = 2;
/** Only answers above the fee cap exist (above the delay or parts cap too, if those numbers are given). */
export const TOO_DEAR: u32 = 3;
/** Only answers above the delay cap exist. */
export const TOO_SLOW: u32 = 4;
/** More parts than allowed are needed. */
export const TOO_MANY_PARTS: u32 = 5;
export const CANCELLED: u32 = 6;
/** Only paths of more hops than allowed exist. */
export const TOO_LONG: u32 = 7;
/** The effort ended before an answer was found, and nothing proves that there is none. */
export const UNDECIDED: u32 = 8;

/** Bits of `limitsMet`. */
export const MET_DELAY: u32 = 1;
export const MET_HOPS: u32 = 2;
export const MET_PARTS: u32 = 4;

const NO_LIMIT: u32 = 0x7fffffff;
/** HTLC minimums above this (10,000 sat) are too rare to look for ways to lift an amount over them. */
const SMALL_AMOUNT: i64 = 10000000;
const FASTER_STEPS: u32 = 6;
const FASTER_GROWTH: f64 = 8.0;

export let source: u32 = 0;
export let destination: u32 = 0;
export let amount: i64 = 0;
export let maxHops: u32 = 0;
export let maxFee: i64 = 0;
export let maxDelay: u32 = 0;
export let maxParts: u32 = 0;
export let limitsMet: u32 = 0;
/** Up to this delay (exclusive) lifting the whole amount over an HTLC minimum is known to be in vain. */
let liftVain: u32 = 0;

/** Whether a path has been looked for in vain of which no share can have any: the limits are too tight for the fastest. */
export let isHopeless: bool = false;

/** Asks anew. */
export function ask(from: u32, to: u32, total: i64, hopLimit: u32): void {
  source = from;
  destination = to;
  amount = total;
  maxHops = min<u32>(hopLimit, MAX_HOPS);
  limitsMet = 0;
  liftVain = 0;
  forgetBounds();
}

export function setCaps(fee: i64, delay: u32, parts: u32): void {
  maxFee = fee;
  maxDelay = delay;
  maxParts = min<u32>(parts, MAX_PARTS);
  isHopeless = false;
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
  if (!searchBelow(source, destination, share, NO_LIMIT, NO_LIMIT, limit)) return false;
  const state = stateOf(source);
  const isSlow = load<u32>(state + S_DELAY) > maxDelay;
  const isLong = load<u32>(state + S_HOPS) > maxHops;
  if (isSlow) meetLimit(MET_DELAY);
  // A limit on hops may be what makes a path too slow, and the other way round.
  if (isLong) meetLimit(MET_HOPS | MET_DELAY);
  if (!(isSlow || isLong) || searchLabels(source, destination, share, maxHops, maxDelay, limit)) return true;
  isHopeless = !canKeep(destination, 0, 0, maxDelay, maxHops);
  return isExhausted && findFasterPath(share);
}

/** Raises the price of delay until the cheapest path keeps the limits: not the best one that does, but soon found. */
function findFasterPath(share: i64): bool {
  const isExact = exactFees;
  const rate = delayRate;
  const cheapest = max<f64>(load<f64>(stateOf(source) + S_COST), 1.0);
  let raised = cheapest / ((share as f64) * ((maxDelay as f64) + 1.0));
  let isFound = false;
  for (let step: u32 = 0; step < FASTER_STEPS && !isFound && hasEffort(); step++) {
    raised *= FASTER_GROWTH;
    setPrices(feeWeight, riskPrice, rate + raised);
    isFound = searchBelow(source, destination, share, NO_LIMIT, NO_LIMIT, Infinity) && keepsLimits();
  }
  if (isExact) priceFeesOnly();
  else setPrices(feeWeight, riskPrice, rate);
  return isFound;
}

function keepsLimits(): bool {
  const state = stateOf(source);
  return load<u32>(state + S_DELAY) <= maxDelay && load<u32>(state + S_HOPS) <= maxHops;
}

/** Whether the whole amount is too little for some HTLC minimum which a dearer way on would lift it over. */
export function findLiftedPath(): bool {
  if (amount > SMALL_AMOUNT || maxDelay < liftVain || isHopeless || !hasEffort()) return false;
  if (searchLifted(source, destination, amount, maxHops, maxDelay)) return true;
  liftVain = maxDelay + 1;
  return false;
}
