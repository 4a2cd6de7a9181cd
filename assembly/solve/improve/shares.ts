/**
 * Rules for all parts together: they deliver the amount, do not exceed the allowed number, and each stays within its
 * path's HTLC limits. The functions here restore the rules after a change, or report that they cannot.
 *
 * Invariant: loads are fresh when a function returns true. Work: at most one balancing per part (balance.ts). Failure
 * mode: each fee is rounded down, so the fee of a sum can be an msat above the sum of the fees. Merging is undone if
 * that breaks a limit.
 */

import { Question } from '../../record';
import { Workspace } from '../../workspace';
import {
  addFoundPath,
  PartSets,
  partAt,
  refreshLoads,
  removePart,
  setAmount,
  totalAmount,
  totalFee,
  twinAfter,
  twinOf,
  withinLimits,
} from '../flow/parts';
import { MET_PARTS, meetLimit } from '../question/question';
import { MAX_PARTS } from '../question/sizes';
import { balance, spread } from './balance';

/**
 * Adds the found path with `share`, or raises the part that already uses the same path. Each fee is rounded down, so
 * the fee of the whole can be an msat above the two fees. If a lane has no room for that, the two parts stay separate.
 */
export function addOrMerge(question: Question, work: Workspace, share: i64): void {
  const parts = work.parts;
  const part = addFoundPath(work, question.source, question.destination, share);
  const twin = twinOf(parts, part);
  if (twin === MAX_PARTS) return;
  const other = partAt(parts, twin);
  const had = other.amountMsat;
  if (had + share > other.mostMsat) return;
  setAmount(other, had + share);
  removePart(parts, parts.count - 1);
  if (refreshLoads(work)) return;
  setAmount(other, had);
  addFoundPath(work, question.source, question.destination, share);
}

/** Whether every part keeps its HTLC limits and all together deliver the amount. */
export function partsValid(question: Question, work: Workspace): bool {
  const parts = work.parts;
  for (let i: u32 = 0; i < parts.count; i++) if (!withinLimits(work, partAt(parts, i))) return false;
  return totalAmount(parts) === question.amountMsat;
}

/**
 * Removes parts that are below their path's minimum after scaling. Other parts take over their amounts. Returns false
 * if they cannot.
 */
export function dropStunted(work: Workspace): bool {
  const parts = work.parts;
  for (let i = parts.count; i-- > 0; ) {
    if (
      i < parts.count &&
      partAt(parts, i).amountMsat < partAt(parts, i).leastMsat &&
      !removeAndShare(work, i)
    )
      return false;
  }
  return true;
}

/**
 * If there are more parts than allowed, merges parts on the same path, then removes the smallest parts. Returns false
 * if the others cannot take over their amounts.
 */
export function limitParts(question: Question, work: Workspace): bool {
  const parts = work.parts;
  if (parts.count > question.partLimit) mergeTwins(question, work);
  while (parts.count > question.partLimit) {
    meetLimit(work.findings, MET_PARTS);
    if (!removeAndShare(work, smallestPart(parts))) return false;
  }
  return true;
}

/**
 * Removes a part and distributes its amount to the others. Returns false if they have no room; the parts are then not
 * an answer.
 */
export function removeAndShare(work: Workspace, index: u32): bool {
  const parts = work.parts;
  const share = partAt(parts, index).amountMsat;
  removePart(parts, index);
  refreshLoads(work);
  if (spread(work, share) !== 0) return false;
  balance(work);
  return true;
}

/** Number of the part that delivers least. */
export function smallestPart(parts: PartSets): u32 {
  let smallest: u32 = 0;
  for (let i: u32 = 1; i < parts.count; i++) {
    if (partAt(parts, i).amountMsat < partAt(parts, smallest).amountMsat) smallest = i;
  }
  return smallest;
}

/**
 * Merges parts on the same path into as few parts as the path's HTLC limits allow, filled one by one. Does nothing if
 * the merged fee, an msat higher by rounding, is too much for a lane or the fee cap.
 */
export function mergeTwins(question: Question, work: Workspace): void {
  const parts = work.parts;
  for (let i: u32 = 0; i < parts.count; i++) {
    if (twinAfter(work, i) === MAX_PARTS || partAt(parts, i).amountMsat === 0) continue;
    const keepsCap = totalFee(parts) <= question.maxfeeMsat;
    mergeFrom(work, i);
    if (refreshLoads(work) && (!keepsCap || totalFee(parts) <= question.maxfeeMsat)) continue;
    for (let twin = i; twin !== MAX_PARTS; twin = twinAfter(work, twin)) {
      setAmount(partAt(parts, twin), partAt(parts, twin).unmergedMsat);
    }
  }
  for (let i = parts.count; i-- > 0; ) if (partAt(parts, i).amountMsat === 0) removePart(parts, i);
  refreshLoads(work);
}

/** Fills the parts on the path of `first` one by one; parts that are not needed get amount 0. */
function mergeFrom(work: Workspace, first: u32): void {
  const parts = work.parts;
  let left: i64 = 0;
  for (let twin = first; twin !== MAX_PARTS; twin = twinAfter(work, twin)) {
    const held = partAt(parts, twin).amountMsat;
    partAt(parts, twin).unmergedMsat = held;
    left += held;
  }
  const most = partAt(parts, first).mostMsat;
  const least = partAt(parts, first).leastMsat;
  let needed = (left + most - 1) / most;
  for (let member = first; member !== MAX_PARTS; member = twinAfter(work, member)) {
    needed--;
    // Leave at least the path's minimum for each later part.
    const share = needed < 0 ? 0 : min<i64>(most, left - needed * least);
    setAmount(partAt(parts, member), share);
    left -= share;
  }
}
