/**
 * Two parts for two others, where lanes are full.
 *
 *     out 1 ──┐           ┌── in 1 (full)        parts   out 1 … in 1,  out 2 … in 2
 *             ├── · · · ──┤                      better  out 2 … in 1,  out 1 … in 2
 *     out 2 ──┘           └── in 2
 *
 * A part that crosses a full lane cannot take more, and a path that crosses one is not found. So no change of one part
 * leads from the first answer to the second, though every step is cheap. This takes two parts out at once, at least one of
 * which crosses a full lane, and looks for new paths for their amount, each as large as a path is found for. It does the
 * same with half of each part that crosses a full lane: an equal share of all parts leaves too little room there.
 *
 * Invariants: as improve.ts. Work: at most MOST_TRIED pairs and halves, and FINDS searches for each of them.
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
import { balance } from './balance';
import { objective, worthwhile } from './objective';
import { addOrMerge, dropStunted, limitParts, partsValid } from './shares';

/** Pairs and halves that are tried at most, and searches for each of them. */
const MOST_TRIED: u32 = 24;
const FINDS: u32 = 6;
/** A lane with less room than this share of the amount is full. */
const FULL: i64 = 1000;

/** Replaces halves of parts, and pairs of parts, while the objective falls. Returns whether it fell. */
export function exchange(question: Question, work: Workspace, feeAllowed: i64): bool {
  const parts = work.parts;
  let isBetter = false;
  let tried: u32 = 0;
  for (let i: u32 = 0; i < parts.count && parts.count > 1; i++) {
    for (let k = i; k < parts.count && tried < MOST_TRIED && hasEffort(work.effort); k++) {
      if (!isBlocked(question, partAt(parts, i)) && !isBlocked(question, partAt(parts, k))) continue;
      tried++;
      if (!replace(question, work, i, k, feeAllowed)) continue;
      isBetter = true;
      i = 0;
      k = 0;
    }
  }
  return isBetter;
}

/** Whether the part crosses a full lane. */
function isBlocked(question: Question, part: Part): bool {
  const least = question.amountMsat / FULL;
  for (let i = part.hopCount; i-- > 0; ) if (laneRoom(part.hop(i).lane) <= least) return true;
  return false;
}

/**
 * Takes two parts out, or half of one where both are the same, and places the amount elsewhere. Undone unless the
 * objective falls.
 */
function replace(question: Question, work: Workspace, first: u32, second: u32, feeAllowed: i64): bool {
  const parts = work.parts;
  const enough = worthwhile(work, objective(work));
  saveParts(parts);
  const amount = first === second ? takeHalf(partAt(parts, first)) : takeOut(parts, first, second);
  refreshLoads(work);
  if (place(question, work, amount)) {
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

function takeHalf(part: Part): i64 {
  const half = part.amountMsat >> 1;
  setAmount(part, part.amountMsat - half);
  return half;
}

/** The second part has the higher number. */
function takeOut(parts: PartSets, first: u32, second: u32): i64 {
  const amount = partAt(parts, first).amountMsat + partAt(parts, second).amountMsat;
  removePart(parts, second);
  removePart(parts, first);
  return amount;
}

/** Places the amount in parts, each as large as a path is found for. */
function place(question: Question, work: Workspace, amount: i64): bool {
  let left = amount;
  let share = amount;
  for (let find: u32 = 0; find < FINDS && left > 0 && share > 0; find++) {
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
  return left === 0;
}
