/**
 * Constructs a first answer that keeps all caps except the fee cap.
 *
 *   1. the cheapest path for the whole amount
 *   2. several paths, first for the largest share that one channel at each end can carry, or for half the amount if
 *      that share is all of it; if no path is found, for half the share
 *   3. the paths of a maximum flow (flow.ts), if greedy filling has blocked itself
 *   4. a maximum flow after minimum fees, to prove that no parts can deliver the amount (growth.ts)
 *
 * After a failure, `Shortage.deliverable` is the amount that can be delivered, and `proven` is true if that is a proven
 * maximum: proven by the total room of the source's or destination's channels, or by a minimum cut.
 *
 * Invariants: parts deliver the amount when OK is returned, and loads are fresh. Work: one search for each part and
 * each halving, and at most four flows. No new search starts once the effort is used up (effort.ts).
 *
 * Failure modes: a flow ignores HTLC minimums and limits on hops and delay, and counts only minimum fees. So its paths
 * may not be usable although it reaches the amount. Then NO_CAPACITY is returned without proof; answer.ts turns that
 * into UNDECIDED unless it finds a proof.
 */
import { Question } from '../../record';
import { Workspace } from '../../workspace';
import { balance, spread } from '../improve/balance';
import { addOrMerge, limitParts } from '../improve/shares';
import { arcList } from '../path/explore';
import { ANY_FEES } from '../prove/packing';
import { isRoomTight, isSoonRefuted, mayFit } from '../prove/refute';
import { isKnownUnable } from '../prove/whole';
import { effortSpent, hasEffort, hasEffortFor, searchSteps } from '../question/effort';
import {
  ANY,
  ANY_FEE,
  findGoodPathBelow,
  findLiftedPath,
  findLiftedWithinFee,
  findPath,
  findWhole,
  isLiftFar,
  MET_DELAY,
  MET_HOPS,
  meetLimit,
  NO_CAPACITY,
  NO_PATH,
  OK,
  TOO_MANY_PARTS,
} from '../question/question';
import { MAX_PARTS } from '../question/sizes';
import { totalRoom, widestArc } from './ends';
import { maxFlow, maxFlowAfterFees, NO_PATH_FITS, pathFlow, takePath } from './flow';
import { measureGrowth } from './growth';
import { applyLoads, releaseLoads } from './lanes';
import {
  addFoundPath,
  addListedPath,
  hasRoom,
  mostThrough,
  Part,
  partAt,
  partsClear,
  refreshLoads,
  removePart,
  setAmount,
  totalAmount,
} from './parts';

const FAILURES_BEFORE_PROOF: u32 = 1;
/** Once `fill` took this many steps, a proof that there is no answer may save more than it costs. */
const STEPS_BEFORE_PROOF: f64 = 1_000_000.0;
/** Smallest rates that count when growth is measured, ppm: all of them, and if that proves nothing, only larger ones. */
const ALL_RATES: u32 = 1;
const LARGER_RATES: u32 = 10;

/** What was proven about the deliverable amount. */
@unmanaged
export class Shortage {
  /**
   * Deliverable amount, msat: a proven bound, or the amount that was placed if there is no proof that more is
   * impossible.
   */
  deliverable: i64;
  /** Whether `deliverable` is a proven maximum, even without caps. */
  proven: bool;
  byFlow: bool;
  /**
   * Whether it is proven that the allowed parts cannot deliver the amount: one end's channels cannot carry it in that
   * number of parts, no path is quick, short and wide enough for the largest part, or the fees of the parts leave too
   * little room. `hasTriedToFit` is set once this was checked.
   */
  isUnpassable: bool;
  hasTriedToFit: bool;
  /**
   * Whether it is proven that no answer keeps all limits, including the fee cap, although there may be one above the fee
   * cap. `hasPriced` is set once `fill` checked this.
   */
  isExcluded: bool;
  hasPriced: bool;
}

/** Whether a maximum flow proved `deliverable`. If so, its cut can be listed. */
export function provenByFlow(shortage: Shortage): bool {
  return shortage.byFlow;
}

/** Forgets the proofs of the last question. */
export function forgetProof(shortage: Shortage): void {
  shortage.deliverable = 0;
  shortage.proven = false;
  shortage.byFlow = false;
  shortage.isUnpassable = false;
  shortage.hasTriedToFit = false;
  shortage.isExcluded = false;
  shortage.hasPriced = false;
}

/** Makes a first answer at the current prices. Returns OK, NO_PATH, NO_CAPACITY or TOO_MANY_PARTS (question.ts). */
export function construct(question: Question, work: Workspace): u32 {
  const shortage = work.shortage;
  const leaving = widestArc(question, work, true);
  const widest = min<i64>(leaving, widestArc(question, work, false));
  if (widest > 0 && isRoomTight(question, work, leaving) && !isFitting(question, work)) {
    enoughCapacity(question, work);
    return NO_CAPACITY;
  }
  const isWide = widest >= question.amountMsat;
  const isWhole = isWide && findWhole(question, work);
  const isLiftLate = isWide && question.partLimit > 1 && isLiftFar(question, work.findings);
  if (isWhole || (isWide && !isLiftLate && findLifted(question, work))) return takeWhole(question, work);
  shortage.deliverable = min<i64>(totalRoom(question, work, true), totalRoom(question, work, false));
  shortage.proven = widest === 0 || shortage.deliverable < question.amountMsat;
  if (widest === 0) return NO_PATH;
  if (question.partLimit === 1)
    shortage.isUnpassable = isKnownUnable(work, question.source, question.destination, question.amountMsat);
  if (shortage.proven || work.findings.isHopeless || question.partLimit === 1) return NO_CAPACITY;
  if (!isFitting(question, work)) return NO_CAPACITY;
  // If there is no path for the whole amount, there may be one for a part of the amount.
  const status = fill(question, work, isWide ? max<i64>(question.amountMsat >> 1, 1) : widest);
  if (status === OK || !isLiftLate || shortage.proven || shortage.isUnpassable) return status;
  // A path with such fees is of use only if nothing else is found, and takes long to search for.
  releaseLoads(work);
  if (!findLifted(question, work)) return status;
  partsClear(work);
  return takeWhole(question, work);
}

/** Whether the allowed parts may deliver the amount, as far as a short check shows. Checked once for each question. */
function isFitting(question: Question, work: Workspace): bool {
  const shortage = work.shortage;
  if (!shortage.hasTriedToFit) shortage.isUnpassable = !mayFit(question, work);
  shortage.hasTriedToFit = true;
  return !shortage.isUnpassable;
}

/** Makes the path found last carry the whole amount. */
function takeWhole(question: Question, work: Workspace): u32 {
  addFoundPath(work, question.source, question.destination, question.amountMsat);
  refreshLoads(work);
  return OK;
}

/**
 * Finds a path whose fees lift the amount over HTLC minimums: within the fee cap for goal ANY if only fees are priced,
 * else at any fee.
 */
function findLifted(question: Question, work: Workspace): bool {
  return question.goal === ANY && work.prices.exactFees
    ? findLiftedWithinFee(question, work)
    : findLiftedPath(question, work);
}

/**
 * Adds shares of at most `largest` msat until the amount is placed. If no path is found for a share, the present parts
 * take what they can; if they can take nothing, the share is halved.
 */
function fill(question: Question, work: Workspace, largest: i64): u32 {
  const parts = work.parts;
  const effort = work.effort;
  let left = question.amountMsat;
  let share = largest;
  // Shares below a quarter of an equal share are not tried: they would need far more parts than allowed.
  const least = max<i64>(question.amountMsat / (4 * (question.partLimit as i64)), 1);
  let failures: u32 = 0;
  const begun = effortSpent(effort);
  while (left > 0 && hasEffort(effort)) {
    if (!work.shortage.hasPriced && effortSpent(effort) - begun > STEPS_BEFORE_PROOF) {
      releaseLoads(work);
      if (isBeyondLimits(question, work)) return NO_CAPACITY;
    }
    share = min<i64>(share, left);
    applyLoads(work);
    if (hasRoom(work) && findGoodPathBelow(question, work, share, Infinity)) {
      addOrMerge(question, work, share);
      left = question.amountMsat - totalAmount(parts);
      refreshLoads(work);
      balance(work);
      continue;
    }
    if (work.findings.isHopeless) return NO_CAPACITY;
    const before = left;
    if (parts.count > 0) left = spread(work, left);
    if (left > 0 && left === before) {
      if (share <= least) break;
      share = max<i64>(share >> 1, least);
      // Paths are hard to find: first check that the amount fits at all.
      if (++failures === FAILURES_BEFORE_PROOF && !enoughCapacity(question, work)) return NO_CAPACITY;
    }
  }
  if (left > 0 && hasEffort(effort)) left = fillFromFlow(question, work, left);
  if (left === 0) {
    refreshLoads(work);
    return limitParts(question, work) ? OK : TOO_MANY_PARTS;
  }
  return NO_CAPACITY;
}

/**
 * Returns false if a maximum flow proves that the amount cannot be delivered; `deliverable` is then the proven bound.
 * Otherwise returns true, even if the effort ran out before the flow was complete.
 */
export function enoughCapacity(question: Question, work: Workspace): bool {
  const shortage = work.shortage;
  releaseLoads(work);
  shortage.deliverable = maxFlow(work, question.source, question.destination, question.amountMsat);
  shortage.proven = shortage.deliverable < question.amountMsat && hasEffort(work.effort);
  shortage.byFlow = shortage.proven;
  return !shortage.proven;
}

/**
 * Whether to give up, because the proof by prices soon shows that no answer keeps all limits, at any fee or within the
 * fee cap. The proof is tried once for each question. A search for lowest fees goes on after a proof for the fee cap,
 * since it may find an answer above the cap, which only goal ANY does not want. Loads must be released.
 */
function isBeyondLimits(question: Question, work: Workspace): bool {
  const shortage = work.shortage;
  if (!shortage.hasPriced) {
    shortage.hasPriced = true;
    shortage.isUnpassable = isSoonRefuted(question, work, ANY_FEES);
    if (!shortage.isUnpassable && !shortage.isExcluded && question.goal !== ANY_FEE)
      shortage.isExcluded = isSoonRefuted(question, work, question.maxfeeMsat);
  }
  const isAboveWanted = question.goal !== ANY && work.prices.exactFees;
  return shortage.isUnpassable || (shortage.isExcluded && !isAboveWanted);
}

/**
 * Starts over from the paths of a maximum flow: greedy filling can block itself, but a maximum flow cannot. Returns the
 * msat that could not be placed, and sets `deliverable`, a proven bound if the flow stays below the amount.
 */
function fillFromFlow(question: Question, work: Workspace, left: i64): i64 {
  const shortage = work.shortage;
  const placed = question.amountMsat - left;
  if (!enoughCapacity(question, work)) return question.amountMsat - shortage.deliverable;
  const rest = placeFlow(question, work);
  if (rest > 0 && isTooMuchAfterFees(question, work)) return rest;
  shortage.deliverable = max<i64>(placed, question.amountMsat - rest);
  return rest;
}

/**
 * Measures maximum flows after fees (growth.ts). Sets `isUnpassable` if the allowed parts cannot deliver the amount.
 * Returns whether even MAX_PARTS parts cannot; `deliverable` is then the proven bound.
 */
function isTooMuchAfterFees(question: Question, work: Workspace): bool {
  return (
    isTooMuchAtRates(question, work, ALL_RATES) ||
    (!work.shortage.isUnpassable && isTooMuchAtRates(question, work, LARGER_RATES))
  );
}

function isTooMuchAtRates(question: Question, work: Workspace, leastRate: u32): bool {
  const shortage = work.shortage;
  if (!hasEffortFor(work.effort, 2.0 * searchSteps(work.graph))) return false;
  releaseLoads(work);
  measureGrowth(work, question.source, question.destination, leastRate);
  if (flowAfterFees(question, work, question.partLimit) >= question.amountMsat || !hasEffort(work.effort))
    return false;
  shortage.isUnpassable = true;
  const most = flowAfterFees(question, work, MAX_PARTS);
  if (most >= question.amountMsat || !hasEffort(work.effort)) return false;
  shortage.deliverable = most;
  shortage.proven = true;
  shortage.byFlow = true;
  return true;
}

function flowAfterFees(question: Question, work: Workspace, parts: u32): i64 {
  return maxFlowAfterFees(work, question.source, question.destination, question.amountMsat, parts);
}

/**
 * Makes parts from the paths of the flow. Because of fees they fall short of the amount, so other paths are added for
 * the rest. Returns the msat that could not be placed.
 */
export function placeFlow(question: Question, work: Workspace): i64 {
  const parts = work.parts;
  partsClear(work);
  for (;;) {
    const hops = takePath(work, question.source, question.destination, question.maxhops);
    if (hops === 0) break;
    if (hops !== NO_PATH_FITS) addFlowPath(question, work, hops, pathFlow(work.flow));
    else meetLimit(work.findings, MET_HOPS);
  }
  refreshLoads(work);
  trim(work, totalAmount(parts) - question.amountMsat);
  let rest = question.amountMsat - totalAmount(parts);
  if (rest > 0 && parts.count > 0) rest = spread(work, rest);
  // Fees leave a rest, which may fit on other paths.
  let share = rest;
  while (rest > 0 && share > 0 && hasRoom(work) && hasEffort(work.effort)) {
    applyLoads(work);
    share = min<i64>(share, rest);
    if (findPath(question, work, share)) {
      addOrMerge(question, work, share);
      refreshLoads(work);
      rest = question.amountMsat - totalAmount(parts);
    } else share >>= 1;
  }
  return rest;
}

/**
 * Adds parts along the listed path until they deliver `total` msat or the lanes are full. HTLC limits can demand
 * several parts. Each delivers at least the path's minimum.
 */
function addFlowPath(question: Question, work: Workspace, hops: u32, total: i64): void {
  const parts = work.parts;
  let left = total;
  while (left > 0 && hasRoom(work)) {
    const part = addListedPath(work, arcList(work.explored), hops);
    const least = max<i64>(part.leastMsat, 1);
    const most = min<i64>(max<i64>(left, least), mostThrough(part));
    if (part.delay > question.maxPathDelay) meetLimit(work.findings, MET_DELAY);
    if (part.delay > question.maxPathDelay || most < least) {
      removePart(parts, parts.count - 1);
      refreshLoads(work);
      return;
    }
    setAmount(part, most);
    refreshLoads(work);
    left -= most;
  }
}

/** Subtracts the excess from the largest parts, down to their minimum. */
function trim(work: Workspace, excess: i64): void {
  const parts = work.parts;
  let left = excess;
  for (let guard: u32 = 0; guard < parts.count && left > 0; guard++) {
    let largest: Part = partAt(parts, 0);
    for (let i: u32 = 1; i < parts.count; i++) {
      if (partAt(parts, i).amountMsat > largest.amountMsat) largest = partAt(parts, i);
    }
    const held = largest.amountMsat;
    const taken = min<i64>(left, max<i64>(held - max<i64>(largest.leastMsat, 1), 0));
    setAmount(largest, held - taken);
    left -= taken;
  }
  refreshLoads(work);
}

/** Whether all channels of the source together, or all those of the destination, are too small for the amount. */
export function isRoomLacking(question: Question, work: Workspace): bool {
  return min<i64>(totalRoom(question, work, true), totalRoom(question, work, false)) < question.amountMsat;
}
