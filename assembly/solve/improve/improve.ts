/**
 * From an answer to a better one: convex min-cost flow by generating paths.
 *
 * Column generation (Ford and Fulkerson 1958; Ahuja, Magnanti and Orlin, Network Flows, 1993, chapter 17). The present
 * parts are the columns, and a search at the present loads is the pricing problem that finds the next column. A trial
 * takes a share s of the amount from all parts in proportion, looks for the cheapest path for it, and balances all
 * shares (balance.ts). It keeps the result if F fell by WORTHWHILE. Afterwards parts are removed where fewer will do.
 *
 * Other flow solvers cut costs into linear pieces (Pickhardt and Richter 2021, arXiv:2107.05322; Core Lightning's
 * askrene). Here shares are continuous and exact, the last msat of a channel can be used, and HTLC limits, fees and the
 * hop limit hold for each path while it is chosen. A step is one search instead of a new graph.
 *
 * Invariants: an answer within the allowed fee stays within it, and its F does not rise: `refine` returns to the start
 * where it would. Work: at most 4 · maxparts trials, fewer where PATIENCE of them fail in a row, none without effort.
 *
 * Failure modes: a trial adds one path at a time, so an answer that is better only with two new paths at once is
 * missed. Where the search was cut short, the certificate (certificate.ts) bounds what that can cost.
 */

import { applyLoads } from '../flow/lanes';
import {
  addFoundPath,
  hasRoom,
  keepStart,
  partAt,
  partCount,
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
import { freeParts, riskPrice, setPartPrice } from '../question/prices';
import {
  amount,
  destination,
  findGoodPathBelow,
  findPath,
  maxParts,
  SINGLE_PART_AMOUNT,
  source,
} from '../question/question';
import { MAX_PARTS } from '../question/sizes';
import { balance, spread } from './balance';
import { Bias, objective, totalRisk } from './objective';
import {
  addOrMerge,
  dropStunted,
  limitParts,
  mergeTwins,
  partsValid,
  removeAndShare,
  smallestPart,
} from './shares';

/** An answer counts as better when the objective falls by this much (relative). */
const WORTHWHILE: f64 = 2e-3;
/** Trials that may fail in a row, and how many may where the answer is strained or biased, or only fees count. */
const PATIENCE: u32 = 3;
const PATIENCE_STRAINED: u32 = 9;
/** −ln P above which an answer counts as strained: below 1 in 150. */
const STRAINED: f64 = 5.0;

/**
 * With at most this many parts, each is tried for whether it is needed. With more, only the smallest and the dearest
 * are.
 */
const FEW_PARTS: u32 = 16;

/** See `allowFee`. */
let feeAllowed: i64 = i64.MAX_VALUE;

/** Sets the most that fees may come to in improvements, msat. Used to keep an answer within the fee cap. */
export function allowFee(fee: i64): void {
  feeAllowed = fee;
}

/** Makes the present parts a better answer at the present prices. */
export function refine(): void {
  if (maxParts === 1 || (amount <= SINGLE_PART_AMOUNT && partCount === 1 && Bias.cost() === 0.0)) return;
  const before = objective();
  const isAllowed = totalFee() <= feeAllowed;
  keepStart();
  // Several new parts together can be worth their price where the first of them alone is not. So parts are free at
  // first.
  const price = freeParts();
  balanceAllowed();
  improve();
  reroutePinned();
  setPartPrice(price);
  dropNeedless();
  mergeTwins();
  if (isAllowed && objective() > before) restoreStart();
}

/**
 * Balances the parts with which the improvement begins. Those of a flow, and those of an answer at other prices, are not
 * balanced, and no trial below balances them unless it finds a new path.
 */
function balanceAllowed(): void {
  if (partCount < 2) return;
  saveParts();
  balance();
  if (totalFee() > feeAllowed || !partsValid()) restoreParts();
}

/**
 * Column generation. A trial takes share s from all parts in proportion, prices a path for s under the loads left, and
 * balances. It is undone unless the objective fell. Each failure makes s smaller, and a few in a row end the trials.
 * More may fail in three cases: where the answer strains some direction so much that even a small relief would pay; where
 * it crosses a direction that a bias keeps routes away from; and where only fees count, since then the last path found can
 * decide whether a cap is kept.
 */
function improve(): void {
  let failures: u32 = 0;
  let share = amount / ((partCount as i64) + 1);
  const isStrained = riskPrice === 0.0 || Bias.cost() > 0.0 || totalRisk() > STRAINED;
  const patience = isStrained ? PATIENCE_STRAINED : PATIENCE;
  for (let round: u32 = 0; round < 4 * maxParts && failures < patience && share > 0 && hasEffort(); round++) {
    const before = objective();
    saveParts();
    const enough = worthwhile(before);
    if (tryShare(share, before) && totalFee() <= feeAllowed && objective() < enough) {
      failures = 0;
      share = min<i64>(share, amount / ((partCount as i64) + 1));
      continue;
    }
    restoreParts();
    failures++;
    share = share / 3;
  }
}

/**
 * The objective below which a change of the present parts is worthwhile. It falls by a share of what does not come from
 * biases. A bias that no answer can avoid is a large constant, which would make every improvement look small.
 */
function worthwhile(before: f64): f64 {
  const fixed = Bias.cost();
  return (before - fixed) * (1.0 - WORTHWHILE) + fixed;
}

function tryShare(share: i64, before: f64): bool {
  if (!hasRoom()) return false;
  const keep = 1.0 - (share as f64) / (amount as f64);
  let kept: i64 = 0;
  for (let i: u32 = 0; i < partCount; i++) {
    const part = partAt(i);
    const scaled = max<i64>(1, ((part.amountMsat as f64) * keep) as i64);
    setAmount(part, scaled);
    kept += scaled;
  }
  refreshLoads();
  applyLoads();
  const given = amount - kept;
  // A path that costs more than the other parts save cannot pay at this share.
  if (given <= 0 || !findGoodPathBelow(given, before - objective())) return false;
  const part = addFoundPath(source, destination, given);
  const twin = twinOf(part);
  if (twin !== MAX_PARTS && part.mostMsat >= partAt(twin).amountMsat + given) return false;
  if (!refreshLoads()) return false;
  balance();
  return dropStunted() && limitParts() && partsValid();
}

/**
 * A part at its path's minimum cannot give a little. So this takes the whole part out, fills the others up, and looks
 * for a new path for what they have no room for. The change is undone unless the objective falls.
 */
function reroutePinned(): void {
  for (let i: u32 = 0; i < partCount && partCount > 1 && hasEffort(); i++) {
    const share = partAt(i).amountMsat;
    if (share > partAt(i).leastMsat) continue;
    const enough = worthwhile(objective());
    saveParts();
    removePart(i);
    refreshLoads();
    if (!placeRest(spread(share)) || !(objective() < enough) || totalFee() > feeAllowed) restoreParts();
  }
}

/** Sends what is left along a path of its own, and balances. */
function placeRest(left: i64): bool {
  if (left > 0) {
    applyLoads();
    if (!hasRoom() || !findPath(left)) return false;
    addOrMerge(left);
    if (!refreshLoads()) return false;
  }
  balance();
  return dropStunted() && limitParts() && partsValid();
}

/** Takes away parts that are not worth their price, until all that remain are. */
function dropNeedless(): void {
  while (partCount > 1 && hasEffort()) {
    if (!dropIfNeedless(smallestPart()) && !dropIfNeedless(dearestPart()) && !dropAny()) return;
  }
}

function dropAny(): bool {
  if (partCount > FEW_PARTS) return false;
  for (let i: u32 = 0; i < partCount && hasEffort(); i++) if (dropIfNeedless(i)) return true;
  return false;
}

function dropIfNeedless(index: u32): bool {
  const before = objective();
  const fee = totalFee();
  saveParts();
  if (
    removeAndShare(index) &&
    partsValid() &&
    objective() <= before &&
    totalFee() <= max<i64>(fee, feeAllowed)
  )
    return true;
  restoreParts();
  return false;
}

/** The part with the highest fee per msat delivered. Its base fees may make it needless though its margin is low. */
function dearestPart(): u32 {
  let dearest: u32 = 0;
  let highest: f64 = -1.0;
  for (let i: u32 = 0; i < partCount; i++) {
    const rate = (partAt(i).feeMsat as f64) / (partAt(i).amountMsat as f64);
    if (rate > highest) {
      highest = rate;
      dearest = i;
    }
  }
  return dearest;
}
