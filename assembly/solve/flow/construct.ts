/**
 * From nothing to an answer that keeps all caps but the fee's.
 *
 *   1. the cheapest path for the whole amount
 *   2. several paths, each for the largest share that fits one; where no path is found, half the share is tried
 *   3. the paths of a maximum flow (flow.ts), where greedy filling has blocked itself
 *
 * After a failure, `deliverableAmount` says how much can be delivered, and `proven` whether that is proven: by the
 * total room of the channels of the source or of the destination, or by a minimum cut.
 *
 * Invariants: parts deliver the amount when OK is returned, and loads are fresh. Work: a search for each part and for
 * each halving, then one flow; no more is begun once the effort has ended (effort.ts).
 *
 * Failure modes: a flow knows no fees, no limits on hops or delay and no HTLC minimums. So its paths may not be usable
 * although it reaches the amount. Then NO_CAPACITY is returned without proof. answer.ts turns that into UNDECIDED
 * unless it finds a proof, or no limit was met, no share was below an HTLC minimum, and the effort sufficed.
 */
import { isEnabled } from '../../graph/direction';
import { arcCount, inStart, nodeCount, outArcs, outStart } from '../../graph/graph';
import { recordOf, stateOf } from '../../overlay/scratch';
import { balance, spread } from '../improve/balance';
import { addOrMerge, limitParts } from '../improve/shares';
import { arcList } from '../path/explore';
import { mayFit } from '../prove/refute';
import { hasEffort } from '../question/effort';
import { exactFees } from '../question/prices';
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
} from '../question/question';
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

const FAILURES_BEFORE_PROOF: u32 = 1;

let deliverable: i64 = 0;
/** Whether `deliverable` is proven: no more can pass, whatever the caps. */
export let proven: bool = false;
let byFlow: bool = false;
/**
 * Whether no way is quick, short and wide enough for the largest of the parts allowed; and whether this was looked at.
 */
export let isTooWide: bool = false;
let hasTriedToFit: bool = false;

/** For the host: whether `deliverableAmount` is proven. */
export function isProven(): bool {
  return proven;
}

/** Whether a maximum flow proved `deliverableAmount`. Then its cut can be listed. */
export function provenByFlow(): bool {
  return byFlow;
}

/**
 * How much can be delivered, msat: a proven bound, or the amount that was placed where nothing proves that more is
 * impossible.
 */
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

/**
 * Finds a path that fees lift over HTLC minimums: within the fee cap for goal ANY where only fees count, else at any
 * fee.
 */
function findLifted(): bool {
  return goal === ANY && exactFees ? findLiftedWithinFee() : findLiftedPath();
}

/** Adds parts until the amount is placed, each as large as a path can be found for, at most `largest`. */
function fill(largest: i64): u32 {
  let left = amount;
  let share = largest;
  // Smaller shares than a quarter of an equal share are not tried: they would need far more parts than allowed.
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
      // Paths are hard to find: first make sure that the amount fits at all.
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

/**
 * False where a maximum flow proves that the amount cannot pass; `deliverable` is then the proven bound. True also
 * where the effort ended before the flow was complete.
 */
export function enoughCapacity(): bool {
  releaseLoads();
  deliverable = maxFlow(source, destination, amount);
  proven = deliverable < amount && hasEffort();
  byFlow = proven;
  return !proven;
}

/**
 * Starts over from the paths of a maximum flow: greedy filling can block itself, a maximum flow cannot. Returns what
 * could not be placed, msat, and sets `deliverable`: a proven bound where the flow stays below the amount.
 */
function fillFromFlow(left: i64): i64 {
  const placed = amount - left;
  if (!enoughCapacity()) return amount - deliverable;
  const rest = placeFlow();
  deliverable = max<i64>(placed, amount - rest);
  return rest;
}

/**
 * Makes parts from the paths of the flow. Fees make these fall short of the amount, so other paths are added for the
 * rest. Returns what found no place, msat.
 */
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
  // The rest that fees left over may fit on other paths.
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
 * Adds parts along the listed path until they deliver `total` msat or the lanes are full. HTLC limits can demand
 * several parts. Each delivers at least the path's minimum.
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

/** Takes the excess off the largest parts, down to their minimum. */
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

/** Whether the channels of an end cannot take the amount, not even together. */
export function isRoomLacking(): bool {
  return min<i64>(totalRoom(true), totalRoom(false)) < amount;
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
