/**
 * Rules that all parts keep together: they deliver the amount, are no more than allowed, and each stays within its
 * path's HTLC limits. Functions here restore what a change has broken, or say that they cannot.
 *
 * Invariant of each: loads are fresh when it returns true. Work: at most one balancing for each part (balance.ts).
 * Failure mode: each fee is rounded down, so the fee of a sum can be an msat above the sum of the fees. Merging is
 * undone where that breaks a limit.
 */

import {
  addFoundPath,
  partAt,
  partCount,
  refreshLoads,
  removePart,
  setAmount,
  totalAmount,
  totalFee,
  twinAfter,
  twinOf,
  withinLimits,
} from '../flow/parts';
import { amount, destination, MET_PARTS, maxFee, maxParts, meetLimit, source } from '../question/question';
import { MAX_PARTS } from '../question/sizes';
import { balance, spread } from './balance';

/**
 * Adds the found path with `share`, or raises the part that already uses the same path. Each fee is rounded down, so
 * the fee of the whole can be an msat above the two fees. Where a lane has no room for that, they stay two parts.
 */
export function addOrMerge(share: i64): void {
  const part = addFoundPath(source, destination, share);
  const twin = twinOf(part);
  if (twin === MAX_PARTS) return;
  const other = partAt(twin);
  const had = other.amountMsat;
  if (had + share > other.mostMsat) return;
  setAmount(other, had + share);
  removePart(partCount - 1);
  if (refreshLoads()) return;
  setAmount(other, had);
  addFoundPath(source, destination, share);
}

/** Whether every part keeps its HTLC limits and together they deliver the amount. */
export function partsValid(): bool {
  for (let i: u32 = 0; i < partCount; i++) if (!withinLimits(partAt(i))) return false;
  return totalAmount() === amount;
}

/**
 * Removes parts that scaling has left below their path's minimum. Other parts take over their amounts. False when they
 * cannot.
 */
export function dropStunted(): bool {
  for (let i = partCount; i-- > 0; ) {
    if (i < partCount && partAt(i).amountMsat < partAt(i).leastMsat && !removeAndShare(i)) return false;
  }
  return true;
}

/** Removes the smallest parts while there are more than allowed. False when the others cannot take their amounts. */
export function limitParts(): bool {
  if (partCount > maxParts) mergeTwins();
  while (partCount > maxParts) {
    meetLimit(MET_PARTS);
    if (!removeAndShare(smallestPart())) return false;
  }
  return true;
}

/**
 * Removes a part and gives its amount to the others. False when they have no room for it; the parts are then not an
 * answer.
 */
export function removeAndShare(index: u32): bool {
  const share = partAt(index).amountMsat;
  removePart(index);
  refreshLoads();
  if (spread(share) !== 0) return false;
  balance();
  return true;
}

/** Number of the part that delivers least. */
export function smallestPart(): u32 {
  let smallest: u32 = 0;
  for (let i: u32 = 1; i < partCount; i++) {
    if (partAt(i).amountMsat < partAt(smallest).amountMsat) smallest = i;
  }
  return smallest;
}

/**
 * Merges parts on the same path into as few as its HTLC limits allow, filled one after the other. They stay as they are
 * where the merged fee, an msat higher by rounding, is too much for a lane or for the fee cap.
 */
export function mergeTwins(): void {
  for (let i: u32 = 0; i < partCount; i++) {
    if (twinAfter(i) === MAX_PARTS || partAt(i).amountMsat === 0) continue;
    const keepsCap = totalFee() <= maxFee;
    mergeFrom(i);
    if (refreshLoads() && (!keepsCap || totalFee() <= maxFee)) continue;
    for (let twin = i; twin !== MAX_PARTS; twin = twinAfter(twin)) {
      setAmount(partAt(twin), partAt(twin).unmergedMsat);
    }
  }
  for (let i = partCount; i-- > 0; ) if (partAt(i).amountMsat === 0) removePart(i);
  refreshLoads();
}

/** Fills the parts on the path of the first of them; those that are not needed are left with nothing. */
function mergeFrom(first: u32): void {
  let left: i64 = 0;
  for (let twin = first; twin !== MAX_PARTS; twin = twinAfter(twin)) {
    const held = partAt(twin).amountMsat;
    partAt(twin).unmergedMsat = held;
    left += held;
  }
  const most = partAt(first).mostMsat;
  const least = partAt(first).leastMsat;
  let needed = (left + most - 1) / most;
  for (let member = first; member !== MAX_PARTS; member = twinAfter(member)) {
    needed--;
    // Later parts must be left at least the path's minimum.
    const share = needed < 0 ? 0 : min<i64>(most, left - needed * least);
    setAmount(partAt(member), share);
    left -= share;
  }
}
