/**
 * Replaces two parts by two others when lanes are full.
 *
 *     out 1 ──┐           ┌── in 1 (full)        parts   out 1 … in 1,  out 2 … in 2
 *             ├── · · · ──┤                      better  out 2 … in 1,  out 1 … in 2
 *     out 2 ──┘           └── in 2
 *
 * A part that crosses a full lane cannot take more, and searches find no path through it. So no change of a single part
 * leads from the first answer to the second, even if all those channels are cheap. An exchange takes out two parts at
 * once, if either crosses a full lane, and looks for new paths for their amount: first for all of it, each path as
 * large as possible, then in several shares, since two new paths can be better together although neither is better
 * alone. It also takes out half of a single part, for each part in turn. Improvement (improve.ts) takes the same
 * fraction from all parts, so it takes most from a large, cheap part on a full lane, and that hides what moving the
 * others would save.
 *
 * Invariants: the same as in improve.ts. Work: at most MOST_TRIED pairs and halves, and twice FINDS searches for each
 * of them.
 *
 * Failure mode: changes of three parts at once are not tried.
 */
import { Question } from '../../record';
import { Workspace } from '../../workspace';
import { applyLoads, laneRoom } from '../flow/lanes';
import {
  hasRoom,
  Part,
  PartSets,
  partAt,
  refreshLoads,
  removePart,
  restoreParts,
  saveParts,
  setAmount,
  totalFee,
} from '../flow/parts';
import { hasEffort } from '../question/effort';
import { findGoodPathBelow } from '../question/question';
import { balance, spread } from './balance';
import { objective, worthwhile } from './objective';
import { addOrMerge, dropStunted, limitParts, partsValid } from './shares';

/** Maximum number of pairs and halves tried, and of searches in each of the two attempts for one of them. */
const MOST_TRIED: u32 = 24;
const FINDS: u32 = 8;
/** Number of shares in the second attempt. */
const SHARES: i64 = 4;
/** Shift for a small fraction of an amount: 1/64. */
const LITTLE_SHIFT: i64 = 6;
/** A lane is full if its room is at most 1 / FULL of the amount. */
const FULL: i64 = 1000;

/** Replaces pairs of parts, and halves of single parts, while the objective falls. Returns whether it fell. */
export function exchange(question: Question, work: Workspace, feeAllowed: i64): bool {
  const parts = work.parts;
  let isBetter = false;
  let tried: u32 = 0;
  for (let i: u32 = 0; i < parts.count && parts.count > 1 && isAnyBlocked(question, parts); i++) {
    for (let k = i; k < parts.count && tried < MOST_TRIED && hasEffort(work.effort); k++) {
      if (i !== k && !isBlocked(question, partAt(parts, i)) && !isBlocked(question, partAt(parts, k)))
        continue;
      tried++;
      if (!replace(question, work, i, k, 1, feeAllowed) && !replace(question, work, i, k, SHARES, feeAllowed))
        continue;
      isBetter = true;
      // Start again with the first part.
      i = -1;
      break;
    }
  }
  return isBetter;
}

/** Whether any part crosses a full lane. */
export function isAnyBlocked(question: Question, parts: PartSets): bool {
  for (let i: u32 = 0; i < parts.count; i++) if (isBlocked(question, partAt(parts, i))) return true;
  return false;
}

/** Whether the part crosses a full lane. */
function isBlocked(question: Question, part: Part): bool {
  const least = question.amountMsat / FULL;
  for (let i = part.hopCount; i-- > 0; ) if (laneRoom(part.hop(i).lane) <= least) return true;
  return false;
}

/**
 * Removes two parts, or half of one part if both numbers are equal, and places their amount in at least `shares`
 * shares. The change is undone unless the objective falls.
 */
function replace(
  question: Question,
  work: Workspace,
  first: u32,
  second: u32,
  shares: i64,
  feeAllowed: i64,
): bool {
  const parts = work.parts;
  const enough = worthwhile(work, objective(work));
  saveParts(parts);
  const amount = first === second ? takeHalf(partAt(parts, first)) : takeOut(parts, first, second);
  refreshLoads(work);
  if (place(question, work, amount, shares)) {
    balance(work);
    if (
      dropStunted(work) &&
      limitParts(question, work) &&
      partsValid(question, work) &&
      totalFee(parts) <= feeAllowed &&
      objective(work) < enough
    )
      return true;
  }
  restoreParts(work);
  return false;
}

/**
 * Removes slightly more than half: a new path for half may cross the same full lane, and then takes more of its room
 * because of the second HTLC or higher fees.
 */
function takeHalf(part: Part): i64 {
  const half = part.amountMsat >> 1;
  const taken = half + (half >> LITTLE_SHIFT);
  setAmount(part, part.amountMsat - taken);
  return taken;
}

/** Removes two parts and returns their amount; `second` must be the higher number. */
function takeOut(parts: PartSets, first: u32, second: u32): i64 {
  const amount = partAt(parts, first).amountMsat + partAt(parts, second).amountMsat;
  removePart(parts, second);
  removePart(parts, first);
  return amount;
}

/**
 * Places the amount in shares; a share for which no path is found is halved. Adds the rest to parts with room. Returns
 * whether the whole amount was placed.
 */
function place(question: Question, work: Workspace, amount: i64, shares: i64): bool {
  const little = amount >> LITTLE_SHIFT;
  let left = amount;
  let share = (amount - little) / shares + 1;
  for (let find: u32 = 0; find < FINDS && left > little && share > 0; find++) {
    share = min<i64>(share, left);
    applyLoads(work);
    if (!hasRoom(work)) return false;
    if (!findGoodPathBelow(question, work, share, Infinity)) {
      share >>= 1;
      continue;
    }
    addOrMerge(question, work, share);
    if (!refreshLoads(work)) return false;
    left -= share;
  }
  return left === 0 || spread(work, left) === 0;
}
