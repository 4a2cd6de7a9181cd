/**
 * Further parts on the path found last.
 *
 * If HTLC maximums limit each part to a small share of the amount, many parts take the same path, and a search for each
 * of them finds that path again. So after a successful trial (improve.ts) the next ones use the path without a search:
 * one part more, then two, four and so on, as long as trials succeed. Each part may cost at most DEARER times what the
 * first one cost, because at a higher cost another path may be better by now. Then searches go on.
 *
 * Invariant: a trial without a search is judged like any other, so the objective falls. Work: a few steps per hop of
 * each part, instead of a search.
 *
 * Failure mode: a path that became cheaper than this one in the meantime is found only afterwards.
 */
import { feeMsat } from '../../graph/numbers';
import { recordOf, stateOf } from '../../overlay/scratch';
import { Question } from '../../record';
import { Workspace } from '../../workspace';
import { applyLoads } from '../flow/lanes';
import { addOnKeptPath, hasRoom, keepPart, Part, refreshLoads } from '../flow/parts';
import { spend } from '../question/effort';
import { Crossing } from '../question/prices';

/** A path whose HTLC maximums allow at most 1 / MANY of the amount is used again. */
const MANY: i64 = 16;
/** Maximum cost of a further part relative to that of the first one. */
const DEARER: f64 = 1.15;

/** Parts added at once deliver at most 1 / AT_ONCE of the amount; more are too often too many. */
const AT_ONCE: i64 = 8;

/** How the path of the kept part (parts.ts) is used again. */
@unmanaged
export class Repeat {
  /** Number of parts that the next trial adds; 0 if it searches for a path. */
  count: u32;
  /** Maximum cost of each part, msat. */
  mostCost: f64;
}

/** Makes the next trial search for a path. */
export function searchNext(repeat: Repeat): void {
  repeat.count = 0;
}

/** Call after the search that found the path of `part`: keeps the path if many parts can take it. */
export function keepPath(question: Question, work: Workspace, part: Part): void {
  const repeat = work.repeat;
  repeat.count = part.mostMsat <= question.amountMsat / MANY ? 1 : 0;
  if (repeat.count === 0) return;
  keepPart(work.parts, part);
  repeat.mostCost = stateOf(work.scratch, question.source).cost * DEARER;
}

/** Makes the next trial add twice as many parts of `share` msat, after a success. */
export function repeatMore(question: Question, repeat: Repeat, share: i64): void {
  const most = question.amountMsat / (AT_ONCE * share);
  repeat.count = max<u32>(min<u32>(repeat.count << 1, most as u32), 1);
}

/** Makes the next trial add half as many parts after a failure, or search if a single part failed. */
export function repeatLess(repeat: Repeat): void {
  repeat.count >>= 1;
}

/**
 * Adds `count` parts on the kept path, of `amount` msat together. Returns false if one of them costs too much or does
 * not fit, or if they cost `limit` msat or more together. Loads must be fresh and applied.
 */
export function addAgain(work: Workspace, amount: i64, limit: f64): bool {
  const repeat = work.repeat;
  let left = amount;
  let room = limit;
  for (let more = repeat.count; more > 0; more--) {
    const share = left / (more as i64);
    const cost = nextCost(work, share);
    room -= cost;
    if (room <= 0.0 || cost > repeat.mostCost || !hasRoom(work)) return false;
    addOnKeptPath(work.parts, share);
    left -= share;
    refreshLoads(work);
    applyLoads(work);
  }
  return true;
}

/** Cost of a further part of `share` msat on the kept path, msat; Infinity if it does not fit. */
function nextCost(work: Workspace, share: i64): f64 {
  const part = work.parts.keptPart;
  spend(work.effort, part.hopCount);
  let reach = share;
  let cost: f64 = 0.0;
  for (let i = part.hopCount; i-- > 0; ) {
    const record = recordOf(work, part.hop(i).arc);
    const most = min<i64>(record.htlcMaximumMsat, record.maxMsat);
    if (reach > most || reach < record.htlcMinimumMsat) return Infinity;
    cost += Crossing.cost(work, record, reach, share);
    reach += feeMsat(reach, record.feeBaseMsat, record.feeProportionalMillionths);
  }
  return cost;
}
