/**
 * Improves an answer: convex min-cost flow by path generation.
 *
 * This is column generation (Ford and Fulkerson 1958; Ahuja, Magnanti and Orlin, Network Flows, 1993, chapter 17). The
 * present parts are the columns, and a search at the present loads is the pricing problem that finds the next column. A
 * trial takes a share s of the amount from all parts in proportion, finds the cheapest path for it, and balances all
 * shares (balance.ts). The result is kept if F fell by WORTHWHILE. Afterwards unnecessary parts are removed.
 *
 * Other flow solvers cut costs into linear pieces (Pickhardt and Richter 2021, arXiv:2107.05322; Core Lightning's
 * askrene). Here shares are continuous and exact, the last msat of a channel can be used, and HTLC limits, fees and the
 * hop limit hold for each path while it is chosen. A step is one search; no new graph is built.
 *
 * Invariants: an answer within the allowed fee stays within it, and its F does not rise: otherwise `refine` restores
 * the start. Work: at most 4 · maxparts trials, fewer if several in a row fail (PATIENCE), none without effort.
 *
 * Failure modes: a trial adds one path at a time. So an answer that is better only with two new paths at once is
 * missed, unless a lane of the finished answer is full (exchange.ts). Where the search was cut short, the certificate
 * (certificate.ts) bounds what that can cost.
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
import { exchange } from './exchange';
import { Bias, objective, totalRisk, worthwhile } from './objective';
import {
  addOrMerge,
  dropStunted,
  limitParts,
  mergeTwins,
  partsValid,
  removeAndShare,
  smallestPart,
} from './shares';

/** Maximum consecutive failed trials: normally, and if the answer is strained or biased or only fees are priced. */
const PATIENCE: u32 = 3;
const PATIENCE_STRAINED: u32 = 9;
/** −ln P above which an answer counts as strained: P is then below about 1 in 150. */
const STRAINED: f64 = 5.0;

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
 * Improves the answer by changes of two parts at once where lanes are full (exchange.ts). A fee within `feeAllowed`
 * msat stays within it.
 */
export function refineFull(question: Question, work: Workspace, feeAllowed: i64): void {
  const parts = work.parts;
  const before = objective(work);
  const isAllowed = totalFee(parts) <= feeAllowed;
  keepStart(parts);
  const price = freeParts(work.prices);
  if (exchange(question, work, feeAllowed)) improve(question, work, feeAllowed);
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
 * row end the trials. More may fail in three cases: if the answer strains some direction so much that even a small
 * relief pays; if it crosses a direction with a negative bias; and if only fees are priced, since then the last path
 * found can decide whether a cap is kept.
 */
function improve(question: Question, work: Workspace, feeAllowed: i64): void {
  const parts = work.parts;
  let failures: u32 = 0;
  let share = question.amountMsat / ((parts.count as i64) + 1);
  const isStrained = work.prices.riskPrice === 0.0 || Bias.cost(work) > 0.0 || totalRisk(work) > STRAINED;
  const patience = isStrained ? PATIENCE_STRAINED : PATIENCE;
  for (
    let round: u32 = 0;
    round < 4 * question.partLimit && failures < patience && share > 0 && hasEffort(work.effort);
    round++
  ) {
    const before = objective(work);
    saveParts(parts);
    const enough = worthwhile(work, before);
    if (
      tryShare(question, work, share, before) &&
      totalFee(parts) <= feeAllowed &&
      objective(work) < enough
    ) {
      failures = 0;
      share = min<i64>(share, question.amountMsat / ((parts.count as i64) + 1));
      continue;
    }
    restoreParts(work);
    failures++;
    share = share / 3;
  }
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
  if (given <= 0 || !findGoodPathBelow(question, work, given, before - objective(work))) return false;
  const part = addFoundPath(work, question.source, question.destination, given);
  const twin = twinOf(parts, part);
  if (twin !== MAX_PARTS && part.mostMsat >= partAt(parts, twin).amountMsat + given) return false;
  if (!refreshLoads(work)) return false;
  balance(work);
  return dropStunted(work) && limitParts(question, work) && partsValid(question, work);
}

/**
 * A part at its path's minimum cannot give up a small share. So this removes the whole part, fills up the others, and
 * looks for a new path for the rest. The change is undone unless the objective falls.
 */
function reroutePinned(question: Question, work: Workspace, feeAllowed: i64): void {
  const parts = work.parts;
  for (let i: u32 = 0; i < parts.count && parts.count > 1 && hasEffort(work.effort); i++) {
    const share = partAt(parts, i).amountMsat;
    if (share > partAt(parts, i).leastMsat) continue;
    const enough = worthwhile(work, objective(work));
    saveParts(parts);
    removePart(parts, i);
    refreshLoads(work);
    if (
      !placeRest(question, work, spread(work, share)) ||
      !(objective(work) < enough) ||
      totalFee(parts) > feeAllowed
    )
      restoreParts(work);
  }
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
