/**
 * Improves an answer: convex min-cost flow by path generation.
 *
 * This is column generation (Ford and Fulkerson 1958; Ahuja, Magnanti and Orlin, Network Flows, 1993, chapter 17). The
 * present parts are the columns, and a search at the present loads is the pricing problem that finds the next column. A
 * trial takes a share s of the amount from all parts in proportion, finds the cheapest path for it, and balances all
 * shares (balance.ts). The result is kept if F fell by WORTHWHILE. A path that can carry only one of many parts is then
 * used again without a search (repeat.ts). Afterwards unnecessary parts are removed.
 *
 * Other flow solvers cut costs into linear pieces (Pickhardt and Richter 2021, arXiv:2107.05322; Core Lightning's
 * askrene). Here shares are continuous and exact, the last msat of a channel can be used, and HTLC limits, fees and the
 * hop limit hold for each path while it is chosen. A step is one search; no new graph is built.
 *
 * Invariants: an answer within the allowed fee stays within it, and its F does not rise: otherwise `refine` restores
 * the start. Work: at most 4 · maxparts trials, fewer if several in a row fail (PATIENCE), none without effort.
 *
 * Failure modes: a trial adds one path at a time. So an answer that is better only with two new paths at once is
 * missed, unless a lane of the finished answer is full (exchange.ts). Channels that are cheap but carry less than the
 * smallest share at a time are missed as well. Where the search was cut short, the certificate (certificate.ts) bounds
 * what that can cost.
 */

import { Question } from '../../record';
import { Workspace } from '../../workspace';
import { applyLoads } from '../flow/lanes';
import {
  addFoundPath,
  hasRoom,
  keepStart,
  PartSets,
  partAt,
  refreshLoads,
  removePart,
  restoreParts,
  restoreStart,
  saveParts,
  setAmount,
  totalFee,
  twinOf,
} from '../flow/parts';
import { hasEffort } from '../question/effort';
import { freeParts, setPartPrice } from '../question/prices';
import { findGoodPathBelow, findPath, SINGLE_PART_AMOUNT } from '../question/question';
import { MAX_PARTS } from '../question/sizes';
import { balance, spread } from './balance';
import { exchange, isAnyBlocked } from './exchange';
import { Bias, objective, totalRisk, worthwhile } from './objective';
import { addAgain, keepPath, repeatLess, repeatMore, searchNext } from './repeat';
import {
  addOrMerge,
  dropStunted,
  limitParts,
  mergeTwins,
  partsValid,
  removeAndShare,
  smallestPart,
} from './shares';

/**
 * Maximum consecutive failed trials: normally, if the answer costs more than COSTLY of the amount, and if it crosses a
 * direction with a negative bias or only fees are priced.
 */
const PATIENCE: u32 = 3;
const PATIENCE_COSTLY: u32 = 4;
const PATIENCE_LONG: u32 = 6;
const COSTLY: f64 = 5e-4;
/**
 * Each of the first FAILURES_NEAR failures divides the share by NEAR, and each further one by FAR. The smallest share
 * is small enough for the HTLC maximums of channels that are cheap but can only carry one of many parts.
 */
const FAILURES_NEAR: u32 = 2;
const NEAR: i64 = 3;
const FAR: i64 = 9;
/** −ln P above which an answer counts as strained: P is then below 37 %. */
const STRAINED: f64 = 1.0;
/** Maximum number of parts of a strained answer whose parts are rerouted one by one. */
const MOST_REROUTED: u32 = 8;

/**
 * With at most this many parts, the removal of each one is tried. With more, only that of the smallest and of the
 * costliest is.
 */
const FEW_PARTS: u32 = 16;

/** Improves the current parts at the current prices. */
export function refine(question: Question, work: Workspace): void {
  refineWithin(question, work, i64.MAX_VALUE);
}

/** As `refine`, for an answer that stays within `feeAllowed` msat of fees. */
export function refineWithin(question: Question, work: Workspace, feeAllowed: i64): void {
  const parts = work.parts;
  if (
    question.partLimit === 1 ||
    (question.amountMsat <= SINGLE_PART_AMOUNT && parts.count === 1 && Bias.cost(work) === 0.0)
  )
    return;
  const before = objective(work);
  const isAllowed = totalFee(parts) <= feeAllowed;
  keepStart(parts);
  const price = freeParts(work.prices);
  balanceAllowed(question, work, feeAllowed);
  improve(question, work, feeAllowed);
  reroutePinned(question, work, feeAllowed);
  settle(question, work, price, feeAllowed);
  if (isAllowed && objective(work) > before) restoreStart(work);
}

/**
 * Whether a finished answer of several parts may be improved by changes of whole parts: it is strained and has few
 * parts, or lanes are full (exchange.ts).
 */
export function mayExchange(question: Question, work: Workspace): bool {
  return work.parts.count > 1 && (isReroutable(work) || isAnyBlocked(question, work.parts));
}

/**
 * If an answer is strained, all channels of the source or of the destination may be nearly full. Then a new path next
 * to the present parts has no room, but a path instead of one of them has.
 */
function isReroutable(work: Workspace): bool {
  return work.parts.count <= MOST_REROUTED && totalRisk(work) > STRAINED;
}

/**
 * Improves a finished answer by changes of whole parts: reroutes each part if the answer is strained, then exchanges
 * two at once where lanes are full (exchange.ts). A fee within `feeAllowed` msat stays within it.
 */
export function refineWhole(question: Question, work: Workspace, feeAllowed: i64): void {
  const parts = work.parts;
  const before = objective(work);
  const isAllowed = totalFee(parts) <= feeAllowed;
  keepStart(parts);
  const price = freeParts(work.prices);
  const isRerouted = isReroutable(work) && rerouteEach(question, work, feeAllowed);
  if (exchange(question, work, feeAllowed) || isRerouted) improve(question, work, feeAllowed);
  settle(question, work, price, feeAllowed);
  if (isAllowed && objective(work) > before) restoreStart(work);
}

/**
 * Ends an improvement during which the price of parts was 0: restores the price, removes parts that are not worth it,
 * and merges parts on the same path. The price was 0 because several new parts together can be worth their price even
 * if the first of them alone is not.
 */
function settle(question: Question, work: Workspace, partPrice: f64, feeAllowed: i64): void {
  setPartPrice(work.prices, partPrice);
  dropNeedless(question, work, feeAllowed);
  mergeTwins(question, work);
}

/**
 * Balances the parts at the start of the improvement, unless that breaks a limit. Parts that come from a flow, or from
 * an answer at other prices, are not balanced yet, and a trial balances them only if it finds a new path.
 */
function balanceAllowed(question: Question, work: Workspace, feeAllowed: i64): void {
  const parts = work.parts;
  if (parts.count < 2) return;
  saveParts(parts);
  balance(work);
  if (totalFee(parts) > feeAllowed || !partsValid(question, work)) restoreParts(work);
}

/**
 * Column generation. A trial takes share s from all parts in proportion, finds the cheapest path for s under the
 * remaining loads, and balances. It is undone unless the objective fell. Each failure makes s smaller, and a few in a
 * row end the trials. More may fail if the answer is costly, since channels that are cheap but can only carry a little at
 * a time are found only at the smallest share; if it crosses a direction with a negative bias; and if only fees are
 * priced, since then the last path found can decide whether a cap is kept.
 */
function improve(question: Question, work: Workspace, feeAllowed: i64): void {
  const parts = work.parts;
  let failures: u32 = 0;
  const repeat = work.repeat;
  let share = question.amountMsat / ((parts.count as i64) + 1);
  searchNext(repeat);
  let patience = patienceFor(question, work);
  for (
    let round: u32 = 0;
    round < 4 * question.partLimit && failures < patience && share > 0 && hasEffort(work.effort);
    round++
  ) {
    const before = objective(work);
    saveParts(parts);
    const enough = worthwhile(work, before);
    const repeated = repeat.count as i64;
    if (
      tryShare(question, work, max<i64>(repeated, 1) * share, before) &&
      totalFee(parts) <= feeAllowed &&
      objective(work) < enough
    ) {
      failures = 0;
      if (repeated > 0) repeatMore(question, repeat, share);
      patience = patienceFor(question, work);
      share = min<i64>(share, question.amountMsat / ((parts.count as i64) + 1));
      continue;
    }
    restoreParts(work);
    if (repeated > 0) {
      repeatLess(repeat);
      continue;
    }
    searchNext(repeat);
    failures++;
    share /= failures <= FAILURES_NEAR ? NEAR : FAR;
  }
}

/** Number of consecutive failed trials that end the trials. */
function patienceFor(question: Question, work: Workspace): u32 {
  if (work.prices.riskPrice === 0.0 || Bias.cost(work) > 0.0) return PATIENCE_LONG;
  return objective(work) > COSTLY * (question.amountMsat as f64) ? PATIENCE_COSTLY : PATIENCE;
}

function tryShare(question: Question, work: Workspace, share: i64, before: f64): bool {
  const parts = work.parts;
  if (!hasRoom(work)) return false;
  const keep = 1.0 - (share as f64) / (question.amountMsat as f64);
  let kept: i64 = 0;
  for (let i: u32 = 0; i < parts.count; i++) {
    const part = partAt(parts, i);
    const scaled = max<i64>(1, ((part.amountMsat as f64) * keep) as i64);
    setAmount(part, scaled);
    kept += scaled;
  }
  refreshLoads(work);
  applyLoads(work);
  const given = question.amountMsat - kept;
  // At this share, a path that costs more than the other parts save is not worthwhile.
  if (given <= 0 || !addPath(question, work, given, before - objective(work))) return false;
  if (!refreshLoads(work)) return false;
  balance(work);
  return dropStunted(work) && limitParts(question, work) && partsValid(question, work);
}

/**
 * Adds parts that deliver `given` msat: on the path found last (repeat.ts), or one on a path that a search finds.
 * Returns false if they cost `limit` or more, or the path found is that of a part with room.
 */
function addPath(question: Question, work: Workspace, given: i64, limit: f64): bool {
  if (work.repeat.count > 0) return addAgain(work, given, limit);
  if (!findGoodPathBelow(question, work, given, limit)) return false;
  const parts = work.parts;
  const part = addFoundPath(work, question.source, question.destination, given);
  const twin = twinOf(parts, part);
  if (twin !== MAX_PARTS && part.mostMsat >= partAt(parts, twin).amountMsat + given) return false;
  keepPath(question, work, part);
  return true;
}

/** A part at its path's minimum cannot give up a small share. So each such part is rerouted as a whole. */
function reroutePinned(question: Question, work: Workspace, feeAllowed: i64): void {
  const parts = work.parts;
  for (let i: u32 = 0; i < parts.count && parts.count > 1 && hasEffort(work.effort); i++)
    if (partAt(parts, i).amountMsat <= partAt(parts, i).leastMsat)
      reroute(question, work, i, true, feeAllowed);
}

/** Reroutes each part as a whole. Returns whether the objective fell. */
function rerouteEach(question: Question, work: Workspace, feeAllowed: i64): bool {
  const parts = work.parts;
  let isBetter = false;
  for (let i: u32 = 0; i < parts.count && hasEffort(work.effort); i++)
    isBetter = reroute(question, work, i, false, feeAllowed) || isBetter;
  return isBetter;
}

/**
 * Removes a part and looks for a new path for its amount, or with `fillsFirst` for what the other parts cannot take
 * over. The change is undone unless the objective falls. Returns whether it fell.
 */
function reroute(question: Question, work: Workspace, index: u32, fillsFirst: bool, feeAllowed: i64): bool {
  const parts = work.parts;
  const share = partAt(parts, index).amountMsat;
  const enough = worthwhile(work, objective(work));
  saveParts(parts);
  removePart(parts, index);
  refreshLoads(work);
  if (
    placeRest(question, work, fillsFirst ? spread(work, share) : share) &&
    objective(work) < enough &&
    totalFee(parts) <= feeAllowed
  )
    return true;
  restoreParts(work);
  return false;
}

/** Sends the rest along a new path, and balances. */
function placeRest(question: Question, work: Workspace, left: i64): bool {
  if (left > 0) {
    applyLoads(work);
    if (!hasRoom(work) || !findPath(question, work, left)) return false;
    addOrMerge(question, work, left);
    if (!refreshLoads(work)) return false;
  }
  balance(work);
  return dropStunted(work) && limitParts(question, work) && partsValid(question, work);
}

/**
 * Removes parts that are not worth their price, one by one, until none of the parts that are tried (FEW_PARTS) can be
 * removed.
 */
function dropNeedless(question: Question, work: Workspace, feeAllowed: i64): void {
  const parts = work.parts;
  while (parts.count > 1 && hasEffort(work.effort)) {
    if (
      !dropIfNeedless(question, work, smallestPart(parts), feeAllowed) &&
      !dropIfNeedless(question, work, dearestPart(parts), feeAllowed) &&
      !dropAny(question, work, feeAllowed)
    )
      return;
  }
}

function dropAny(question: Question, work: Workspace, feeAllowed: i64): bool {
  const parts = work.parts;
  if (parts.count > FEW_PARTS) return false;
  for (let i: u32 = 0; i < parts.count && hasEffort(work.effort); i++)
    if (dropIfNeedless(question, work, i, feeAllowed)) return true;
  return false;
}

function dropIfNeedless(question: Question, work: Workspace, index: u32, feeAllowed: i64): bool {
  const parts = work.parts;
  const before = objective(work);
  const fee = totalFee(parts);
  saveParts(parts);
  if (
    removeAndShare(work, index) &&
    partsValid(question, work) &&
    objective(work) <= before &&
    totalFee(parts) <= max<i64>(fee, feeAllowed)
  )
    return true;
  restoreParts(work);
  return false;
}

/**
 * The part with the highest fee per msat delivered. Because of its base fees, it may not be worth its price, even if
 * its marginal price is low.
 */
function dearestPart(parts: PartSets): u32 {
  let dearest: u32 = 0;
  let highest: f64 = -1.0;
  for (let i: u32 = 0; i < parts.count; i++) {
    const rate = (partAt(parts, i).feeMsat as f64) / (partAt(parts, i).amountMsat as f64);
    if (rate > highest) {
      highest = rate;
      dearest = i;
    }
  }
  return dearest;
}
