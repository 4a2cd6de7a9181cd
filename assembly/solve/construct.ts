/**
 * From nothing to an answer that keeps all caps but the fee's.
 *
 *   1. the cheapest path for the whole amount
 *   2. several paths, each for as much as one can be found for; where none is found, half as much is tried
 *   3. the paths of a maximum flow (flow.ts), where greedy filling has locked itself in
 *
 * What fails leaves behind how much can be delivered (`deliverableAmount`), and whether that is proven: by the channels of
 * the source or the destination together, or by a minimum cut.
 *
 * Invariants: parts deliver the amount when OK is returned, and loads are fresh. Work: a search for each part and for each
 * halving, then one flow; no more is begun once the effort has ended (effort.ts).
 *
 * Failure modes: a flow knows no fees, no hop limit and no HTLC minimums, so its paths may not be usable though it reaches
 * the amount. Then NO_CAPACITY is returned without proof, which answer.ts turns into UNDECIDED where effort ran out.
 */
import { isEnabled } from '../graph/direction';
import { arcCount, inStart, nodeCount, outArcs, outStart } from '../graph/graph';
import { recordOf, stateOf } from '../overlay/scratch';
import { balance, spread } from './balance';
import { hasEffort } from './effort';
import { arcList } from './explore';
import { maxFlow, NO_PATH_FITS, pathFlow, takePath } from './flow';
import { applyLoads, releaseLoads } from './lanes';
import {
  addFoundPath,
  addListedPath,
  hasRoom,
  mostThrough,
  Part,
  partAt,
  partCount,
  partsClear,
  refreshLoads,
  removePart,
  setAmount,
  totalAmount,
} from './parts';
import { exactFees } from './prices';
import {
  ANY,
  amount,
  destination,
  findGoodPathBelow,
  findLiftedPath,
  findLiftedWithinFee,
  findPath,
  findWhole,
  goal,
  isHopeless,
  MET_DELAY,
  MET_HOPS,
  maxDelay,
  maxHops,
  maxParts,
  meetLimit,
  NO_CAPACITY,
  NO_PATH,
  OK,
  source,
  TOO_MANY_PARTS,
} from './question';
import { mayFit } from './refute';
import { addOrMerge, limitParts } from './shares';

const FAILURES_BEFORE_PROOF: u32 = 1;

let deliverable: i64 = 0;
/** Whether `deliverable` is proven: no more can pass, whatever the caps. */
export let proven: bool = false;
let byFlow: bool = false;
/** Whether no way is quick and wide enough for any of the parts allowed, and whether that was looked at. */
export let isTooWide: bool = false;
let hasTriedToFit: bool = false;

/** For the host: whether `deliverableAmount` is proven. */
export function isProven(): bool {
  return proven;
}

/** Whether a maximum flow proved it: then its cut can be listed. */
export function provenByFlow(): bool {
  return byFlow;
}

/** How much can be delivered: a proven bound, or (if nothing proves more impossible) what was placed. */
export function deliverableAmount(): i64 {
  return deliverable;
}

/** Forgets what the last question has proven. */
export function forgetProof(): void {
  deliverable = 0;
  proven = false;
  byFlow = false;
  isTooWide = false;
  hasTriedToFit = false;
}

/** Makes a first answer at the present prices. Returns OK, NO_PATH, NO_CAPACITY or TOO_MANY_PARTS (question.ts). */
export function construct(): u32 {
  const widest = min<i64>(widestArc(true), widestArc(false));
  if (widest >= amount && (findWhole() || findLifted())) {
    addFoundPath(source, destination, amount);
    refreshLoads();
    return OK;
  }
  deliverable = min<i64>(totalRoom(true), totalRoom(false));
  proven = widest === 0 || deliverable < amount;
  if (widest === 0) return NO_PATH;
  if (proven || isHopeless || maxParts === 1) return NO_CAPACITY;
  if (!hasTriedToFit) isTooWide = !mayFit();
  hasTriedToFit = true;
  if (isTooWide) return NO_CAPACITY;
  // Where the whole amount found no path, a part of it may.
  return fill(widest >= amount ? max<i64>(amount >> 1, 1) : widest);
}

/** A path that is lifted over HTLC minimums: at any fee where the reason is wanted, else within the cap. */
function findLifted(): bool {
  return goal === ANY && exactFees ? findLiftedWithinFee() : findLiftedPath();
}

/** Adds parts until the amount is placed, each as large as a path can be found for, at most `largest`. */
function fill(largest: i64): u32 {
  let left = amount;
  let share = largest;
  // Below this share more parts than allowed would be needed.
  const least = max<i64>(amount / (4 * (maxParts as i64)), 1);
  let failures: u32 = 0;
  while (left > 0 && hasEffort()) {
    share = min<i64>(share, left);
    applyLoads();
    if (hasRoom() && findGoodPathBelow(share, Infinity)) {
      addOrMerge(share);
      left = amount - totalAmount();
      refreshLoads();
      balance();
      continue;
    }
    if (isHopeless) return NO_CAPACITY;
    const before = left;
    if (partCount > 0) left = spread(left);
    if (left > 0 && left === before) {
      if (share <= least) break;
      share = max<i64>(share >> 1, least);
      // Where paths are hard to find, first make sure that there is anything to be found.
      if (++failures === FAILURES_BEFORE_PROOF && !enoughCapacity()) return NO_CAPACITY;
    }
  }
  if (left > 0 && hasEffort()) left = fillFromFlow(left);
  if (left === 0) {
    refreshLoads();
    return limitParts() ? OK : TOO_MANY_PARTS;
  }
  return NO_CAPACITY;
}

/** Whether a maximum flow reaches the amount; if not, `deliverable` is the proven bound. */
export function enoughCapacity(): bool {
  releaseLoads();
  deliverable = maxFlow(source, destination, amount);
  proven = deliverable < amount && hasEffort();
  byFlow = proven;
  return !proven;
}

/**
 * Greedy filling can lock itself in; a maximum flow cannot. Starts over from the flow's paths. Returns what
 * could not be placed, and sets `deliverable`: with a flow below the amount, a proven bound.
 */
function fillFromFlow(left: i64): i64 {
  const placed = amount - left;
  if (!enoughCapacity()) return amount - deliverable;
  const rest = placeFlow();
  deliverable = max<i64>(placed, amount - rest);
  return rest;
}

/** Makes parts of the flow's paths, and of others for what fees made them fall short of. Returns what has no place. */
export function placeFlow(): i64 {
  partsClear();
  for (;;) {
    const hops = takePath(source, destination, maxHops);
    if (hops === 0) break;
    if (hops !== NO_PATH_FITS) addFlowPath(hops, pathFlow());
    else meetLimit(MET_HOPS);
  }
  refreshLoads();
  trim(totalAmount() - amount);
  let rest = amount - totalAmount();
  if (rest > 0 && partCount > 0) rest = spread(rest);
  // What fees made the flow's paths fall short of may fit elsewhere.
  let share = rest;
  while (rest > 0 && share > 0 && hasRoom() && hasEffort()) {
    applyLoads();
    share = min<i64>(share, rest);
    if (findPath(share)) {
      addOrMerge(share);
      refreshLoads();
      rest = amount - totalAmount();
    } else share >>= 1;
  }
  return rest;
}

/**
 * Adds the listed path as often as its HTLC limits demand, for `total` msat (at least the path's minimum), and
 * what lanes have room for.
 */
function addFlowPath(hops: u32, total: i64): void {
  let left = total;
  while (left > 0 && hasRoom()) {
    const part = addListedPath(arcList(), hops);
    const least = max<i64>(part.leastMsat, 1);
    const most = min<i64>(max<i64>(left, least), mostThrough(part));
    if (part.delay > maxDelay) meetLimit(MET_DELAY);
    if (part.delay > maxDelay || most < least) {
      removePart(partCount - 1);
      refreshLoads();
      return;
    }
    setAmount(part, most);
    refreshLoads();
    left -= most;
  }
}

/** Takes what is too much from the largest parts, down to their minimum. */
function trim(excess: i64): void {
  let left = excess;
  for (let guard: u32 = 0; guard < partCount && left > 0; guard++) {
    let largest: Part = partAt(0);
    for (let i: u32 = 1; i < partCount; i++) {
      if (partAt(i).amountMsat > largest.amountMsat) largest = partAt(i);
    }
    const held = largest.amountMsat;
    const taken = min<i64>(left, max<i64>(held - max<i64>(largest.leastMsat, 1), 0));
    setAmount(largest, held - taken);
    left -= taken;
  }
  refreshLoads();
}

/** The largest amount one direction out of the source (or into the destination) can take. */
function widestArc(leaving: bool): i64 {
  return overArcs(leaving, true);
}

/** What all directions out of the source (or into the destination) can take together. */
function totalRoom(leaving: bool): i64 {
  return overArcs(leaving, false);
}

function overArcs(leaving: bool, widest: bool): i64 {
  const node = leaving ? source : destination;
  let result: i64 = 0;
  if (node < nodeCount) {
    const starts = leaving ? outStart : inStart;
    const end = starts.after(node);
    for (let k = starts[node]; k < end; k++) {
      result = accumulate(result, leaving ? outArcs[k] : k, widest);
    }
  }
  const state = stateOf(node);
  let link = leaving ? state.extraOut : state.extraIn;
  while (link !== null) {
    // Arcs of the graph that layers enable are in the first loop already.
    if (link.arc >= arcCount) result = accumulate(result, link.arc, widest);
    link = link.next;
  }
  return result;
}

function accumulate(result: i64, arc: u32, widest: bool): i64 {
  const record = recordOf(arc);
  if (!isEnabled(record)) return result;
  const highest = record.maxMsat;
  if (record.htlcMaximumMsat === 0) return result;
  if (widest) return max<i64>(result, min<i64>(highest, record.htlcMaximumMsat));
  return min<i64>(result + highest, i64.MAX_VALUE >> 1);
}
