/**
 * The path search when a limit binds: several labels for each node.
 *
 * The cheapest way to reach a node can be the wrong one when it is slower or longer. So here a node keeps every label
 * that no other dominates in (cost, delay, hops), up to LABELS_PER_NODE. This is label setting with resource
 * constraints (Martins 1984; Desrochers and Soumis 1988; Irnich and Desaulniers 2005).
 *
 * A label that cannot stay within the limits is never made (bounds.ts). The others are settled in the order of
 *
 *   key = cost so far + least cost that is left,   both with the limits priced (limits.ts)
 *
 * With limits priced, a path costs its own cost and what those prices make of its delay and hops. For a path within the
 * limits that is at most what they make of the limits themselves. So the best path found so far gives a ceiling for all
 * labels, and the search ends where no label is below it.
 *
 * Invariants: a label costs at least as much as the one it was made from (asserted in debug builds); labels of a node
 * hold while its stamp is the search's own; a path goes through no node twice. A circle is dominated, except where more
 * msat count as better (`isLargerKept`): there each label's path is checked for circles.
 *
 * Work: bounded by the limits on labels and on directions looked at. Failure modes: a node can run out of places, and
 * the search out of labels or steps. Where a path cheaper than the one found may have been missed, the search says that
 * it left something undone (effort.ts). Else the path is the cheapest within the limits.
 */
import { takePages } from '../../graph/arena';
import { inEnabledEnd, inStart, nodeCount } from '../../graph/graph';
import { AMOUNT_LIMIT, feeMsat } from '../../graph/numbers';
import { recordOf, stateOf } from '../../overlay/scratch';
import { DIRECTION_STEPS, hasEffort, leaveUndone, NODE_STEPS, spend } from '../question/effort';
import { blockPrice, Crossing, hopPrice } from '../question/prices';
import { pollCancel } from '../question/task';
import { aheadReach, beginAhead, leastAhead, settleAhead } from './ahead';
import {
  affordBounds,
  boundsAmong,
  boundsFrom,
  boundsOf,
  canKeep,
  dropBounds,
  goWithout,
  leastCost,
  leastDelay,
  leaveWithout,
  settleCosts,
} from './bounds';
import { newQueue, Queue } from './queue';
import {
  ADMITTED,
  countSettled,
  hide,
  leastMinimumMet,
  liftPrice,
  maximumMet,
  nextStamp,
  REFUSED,
  Step,
  share,
} from './search';

const LABEL_LIMIT: u32 = 1 << 17;
const LABELS_PER_NODE: u32 = 24;
/**
 * Directions that a search for hidden paths looks at, at most. Such searches hardly ever find a path worth a longer
 * look.
 */
const STEP_LIMIT_HIDDEN: u32 = 1 << 16;
/** The same for its first try, before any bound is worked out to guide it. */
const FEW_STEPS_HIDDEN: u32 = 1 << 12;
/** The first try of a search with priced limits, before bounds of delay and hops are worked out. */
const FEW_STEPS_PRICED: u32 = 1 << 13;
/**
 * With `isHiddenSought`, settling a label counts as looking at so many directions more: many labels stand at nodes of
 * few channels.
 */
const HIDDEN_NODE: u32 = NODE_STEPS / (2 * DIRECTION_STEPS);
/**
 * Of paths that cost the same the faster one is looked at first; msat per block, too little to change any other order.
 */
const TIE_RATE: f64 = 1e-6;

/** A way from a node to the destination; 40 bytes. */
@unmanaged
class Label {
  /** What it costs, the prices of limits included, msat. */
  cost: f64;
  /** What must reach the node, msat. */
  amountMsat: i64;
  node: u32;
  /** The arc that leaves the node. */
  arc: u32;
  /** The label that the arc leads to; 0 at the destination. */
  parent: u32;
  /** Blocks to the destination. */
  delay: u32;
  /** Channels to the destination. */
  hops: u32;
  /** The next label of the same node; 0 after the last. */
  next: u32;
}

let labels: usize = 0;
let labelCount: u32 = 0;
/** Labels by the order in which they are settled. */
let queue: Queue = changetype<Queue>(0);
let stamp: u32 = 0;
/** Whether paths are looked for that one label for each node hides (`searchHidden`). */
let isHiddenSought: bool = false;
/** Whether a label that brings more msat is kept beside a better one, and whether one that brings less is. */
let isLargerKept: bool = false;
let isSmallerKept: bool = false;
/** With `isLargerKept`: more msat than this are no better. */
let mostWanted: i64 = 0;
/** Larger than any amount that reaches a node, msat. */
const MOST_LIFTED: f64 = 4e18;
let ceiling: f64 = Infinity;
/** What the prices of limits make of a path that uses up both limits, msat. */
let allowed: f64 = 0.0;
/** Whether `leastCost` (bounds.ts) is known for this search. */
let areCostsKnown: bool = false;
/** What the path costs that the last search found, without the prices of limits, msat. */
export let costFound: f64 = Infinity;
/** Any path that costs at most this will do, msat. */
let goodEnough: f64 = -1.0;
/** With `isHiddenSought`: up to this cost nodes are settled ahead (ahead.ts). */
let aheadSettled: f64 = 0.0;
let steps: u32 = 0;
let stepLimit: u32 = 0;
/** Least key of the labels for which there was no place. */
let leastDropped: f64 = Infinity;
/** Whether the last search left something undone that could have led to a cheaper path than it found. */
export let wasStopped: bool = false;

function labelAt(index: u32): Label {
  return changetype<Label>(labels + (index as usize) * offsetof<Label>());
}

/**
 * Finds the cheapest path within both limits that costs less than `limit`. To be called right after a search at the
 * present prices of limits found a path beyond them. `allowance` is what those prices make of the limits themselves,
 * msat. With `countsHops` labels are also dropped by their hops. The path is left in `arc` of the states of the nodes
 * along it. Any path that costs at most `enough` will do.
 */
export function searchPriced(
  source: u32,
  destination: u32,
  amount: i64,
  maxHops: u32,
  maxDelay: u32,
  countsHops: bool,
  limit: f64,
  allowance: f64,
  steps: u32,
  enough: f64,
): bool {
  const state = stateOf(source);
  preparePriced(limit, allowance, FEW_STEPS_PRICED, enough);
  settleCosts(source, amount, state.stamp, state.cost, ceiling, maxDelay, countsHops);
  // Costs mostly lead to the path within few labels. Bounds of delay and hops would take more work than that.
  goWithout();
  const isFound = settleLabels(source, destination, amount, maxHops, maxDelay);
  leaveWithout();
  if (!wasStopped) return isFound;
  preparePriced(limit, allowance, steps, enough);
  // Where a limit of a direction stood in the way, the search says too much of what is left: a dearer way on may lead
  // through. So bounds of delay and hops must not rule out a node by its cost.
  const isLimitMet = leastMinimumMet < i64.MAX_VALUE || maximumMet;
  if (isLimitMet) boundsFrom(source, maxDelay, countsHops);
  const areForAll = isLimitMet || boundsAmong(source, maxDelay, countsHops, ceiling);
  const found = settleAll(source, destination, amount, maxHops, maxDelay);
  if (!areForAll) dropBounds();
  return found;
}

function preparePriced(limit: f64, allowance: f64, steps: u32, enough: f64): void {
  prepareLabels(limit, allowance, steps);
  goodEnough = enough;
  areCostsKnown = true;
}

/**
 * As `searchPriced`, without prices of limits and without bounds of cost. For a first look, a path counts only where
 * nothing was left undone, and what was left undone (`wasStopped`) is not reported: the caller looks again.
 */
export function searchLabels(
  source: u32,
  destination: u32,
  amount: i64,
  maxHops: u32,
  maxDelay: u32,
  limit: f64,
  steps: u32,
  isFirstLook: bool,
): bool {
  prepareLabels(limit, 0.0, steps);
  if (!isFirstLook) return settleAll(source, destination, amount, maxHops, maxDelay);
  return settleLabels(source, destination, amount, maxHops, maxDelay) && !wasStopped;
}

function prepareLabels(limit: f64, allowance: f64, steps: u32): void {
  isHiddenSought = false;
  isLargerKept = false;
  isSmallerKept = false;
  areCostsKnown = false;
  goodEnough = -1.0;
  stepLimit = steps;
  allowed = allowance;
  ceiling = limit + allowance;
}

/**
 * Finds a path within both limits that costs less than `limit`, where what the cheapest way on brings to a node cannot
 * cross a direction. With `isLarger` it is below an HTLC minimum: the fees of a dearer way on can lift it to the
 * minimum. So a label that brings more msat to a node is not dominated by one that brings less. With `isSmaller` it is
 * above the most that a direction passes: a dearer way on can have lower fees, so a label that brings less is not
 * dominated by one that brings more. With `isFirstLook` a short look has to do: a path is at hand, and what is left
 * undone does not count (effort.ts). With `isAheadKnown` a search without prices of limits has just ended, so that its
 * bounds of what is left (ahead.ts) hold here too.
 */
export function searchHidden(
  source: u32,
  destination: u32,
  amount: i64,
  maxHops: u32,
  maxDelay: u32,
  limit: f64,
  isLarger: bool,
  isSmaller: bool,
  isFirstLook: bool,
  isAheadKnown: bool,
): bool {
  wasStopped = false;
  if (isFirstLook) goWithout();
  else if (!affordBounds(source, maxDelay, false)) return false;
  if (!canKeep(destination, 0, 0, maxDelay, maxHops)) return false;
  prepareHidden(amount, limit, FEW_STEPS_HIDDEN, isLarger, isSmaller);
  if (!isAheadKnown) beginAhead(source, destination, amount, nextStamp());
  aheadSettled = aheadReach();
  const found = settleLabels(source, destination, amount, maxHops, maxDelay);
  leaveWithout();
  if (!wasStopped || isFirstLook) return found;
  // The first look was too short. Costs from the source now tell which of the labels can matter.
  prepareHidden(amount, limit, STEP_LIMIT_HIDDEN, isLarger, isSmaller);
  while (aheadSettled < limit && hasEffort() && !pollCancel()) {
    settleAhead();
    aheadSettled = aheadReach();
  }
  if (!hasEffort()) return found;
  return settleAll(source, destination, amount, maxHops, maxDelay);
}

function prepareHidden(amount: i64, limit: f64, steps: u32, isLarger: bool, isSmaller: bool): void {
  prepareLabels(limit, 0.0, steps);
  isHiddenSought = true;
  isLargerKept = isLarger;
  // More would cost more than the limit in fees alone.
  mostWanted = amount + (min<f64>(limit / liftPrice, MOST_LIFTED) as i64);
  isSmallerKept = isSmaller;
}

/** As `settleLabels`, but also reports to the question (effort.ts) when something was left undone. */
function settleAll(source: u32, destination: u32, amount: i64, maxHops: u32, maxDelay: u32): bool {
  const found = settleLabels(source, destination, amount, maxHops, maxDelay);
  if (wasStopped) leaveUndone();
  return found;
}

function settleLabels(source: u32, destination: u32, amount: i64, maxHops: u32, maxDelay: u32): bool {
  if (labels === 0) {
    labels = takePages((LABEL_LIMIT as u64) * (offsetof<Label>() as u64));
    queue = newQueue();
  }
  stamp = nextStamp();
  steps = 0;
  leastDropped = Infinity;
  let best: u32 = 0;
  // Label 0 means none.
  labelCount = 1;
  queue.clear(LABEL_LIMIT);
  addLabel(destination, 0, 0, 0.0, 0.0, amount, 0, 0);
  for (let settled: u32 = 1; queue.size > 0 && steps < stepLimit; settled++) {
    if (queue.leastKey() >= ceiling) break;
    const index = queue.first();
    queue.pop();
    const label = labelAt(index);
    const node = label.node;
    if (node === source) {
      // Labels come in the order of priced cost. A later path can be cheaper without the prices of limits.
      const own = label.cost - limitCost(label);
      if (own + allowed < ceiling) {
        best = index;
        costFound = own;
        ceiling = own + allowed;
        if (own <= goodEnough) break;
      }
      continue;
    }
    if ((settled & 255) === 0 && pollCancel()) break;
    if (label.hops < maxHops) settle(index, node, source, maxHops, maxDelay);
  }
  countSettled(labelCount);
  const isEnough = best !== 0 && costFound <= goodEnough;
  wasStopped = !isEnough && (leastDropped < ceiling || (queue.size > 0 && queue.leastKey() < ceiling));
  if (best !== 0) writePath(best);
  return best !== 0;
}

/** What the prices of limits add to the label's cost. */
function limitCost(label: Label): f64 {
  return blockPrice * (label.delay as f64) + hopPrice * (label.hops as f64);
}

function settle(index: u32, node: u32, source: u32, maxHops: u32, maxDelay: u32): void {
  if (node < nodeCount) {
    const first = inStart[node];
    const last = inEnabledEnd[node];
    steps += last - first + (isHiddenSought ? HIDDEN_NODE : 0);
    spend(2 * DIRECTION_STEPS * (last - first) + NODE_STEPS);
    for (let arc = first; arc < last; arc++) relax(index, arc, source, maxHops, maxDelay);
  }
  let link = stateOf(node).extraIn;
  while (link !== null) {
    steps++;
    relax(index, link.arc, source, maxHops, maxDelay);
    link = link.next;
  }
}

function relax(parent: u32, arc: u32, source: u32, maxHops: u32, maxDelay: u32): void {
  const label = labelAt(parent);
  const reach = label.amountMsat;
  const record = recordOf(arc);
  const admission = Step.admits(record, reach, source);
  if (admission !== ADMITTED) {
    if (admission !== REFUSED)
      hide(record, reach, label.cost, record.tail === source ? 0.0 : leftOf(record.tail));
    return;
  }
  const tail = record.tail;
  const delay = label.delay + (record.cltvExpiryDelta as u32);
  const hops = label.hops + 1;
  if (!canKeep(tail, delay, hops, maxDelay, maxHops)) return;
  const cost = label.cost + Crossing.cost(record, reach, share);
  const total = cost + leftOf(tail);
  if (total >= ceiling) return;
  const amount = reach + feeMsat(reach, record.feeBaseMsat, record.feeProportionalMillionths);
  if (amount >= AMOUNT_LIMIT) return;
  // Where more msat count as better, a circle would bring more as well. It is not wanted.
  if (isLargerKept && passes(parent, tail)) return;
  const key = total + TIE_RATE * ((delay + leastDelay(tail)) as f64);
  const own = cost - blockPrice * (delay as f64) - hopPrice * (hops as f64);
  if (dominated(tail, own, amount, delay, hops)) return;
  if (hasPlace(tail)) addLabel(tail, arc, parent, cost, key, amount, delay, hops);
  else leastDropped = min<f64>(leastDropped, key);
}

/** A lower bound of the cost from the source to the node, msat; 0 where nothing is known. */
function leftOf(node: u32): f64 {
  if (isHiddenSought) return leastAhead(node, aheadSettled);
  return areCostsKnown ? leastCost(node) : 0.0;
}

/** Whether the label's path goes through the node. */
function passes(index: u32, node: u32): bool {
  for (let at = index; at !== 0; at = labelAt(at).parent) {
    if (labelAt(at).node === node) return true;
  }
  return false;
}

function dominated(node: u32, cost: f64, amount: i64, delay: u32, hops: u32): bool {
  const at = boundsOf(node);
  if (at.labelStamp !== stamp) return false;
  let index = at.labels;
  while (index !== 0) {
    const other = labelAt(index);
    if (
      other.cost - limitCost(other) <= cost &&
      other.delay <= delay &&
      other.hops <= hops &&
      (!isLargerKept || other.amountMsat >= min<i64>(amount, mostWanted)) &&
      (!isSmallerKept || other.amountMsat <= amount)
    ) {
      return true;
    }
    index = other.next;
  }
  return false;
}

/** Whether there is room for one more label at all, and at this node. */
function hasPlace(node: u32): bool {
  const at = boundsOf(node);
  const isNew = at.labelStamp !== stamp;
  return labelCount < LABEL_LIMIT && (isNew || (at.labelCount as u32) < LABELS_PER_NODE);
}

function addLabel(
  node: u32,
  arc: u32,
  parent: u32,
  cost: f64,
  key: f64,
  amount: i64,
  delay: u32,
  hops: u32,
): void {
  assert(labelCount < LABEL_LIMIT, 'a label has a place');
  if (!ASC_NO_ASSERT)
    assert(parent === 0 || cost >= labelAt(parent).cost, 'a label costs no less than its parent');
  const at = boundsOf(node);
  if (at.labelStamp !== stamp) {
    at.labelStamp = stamp;
    at.labels = 0;
    at.labelCount = 0;
  }
  const index = labelCount++;
  const label = labelAt(index);
  label.cost = cost;
  label.amountMsat = amount;
  label.node = node;
  label.arc = arc;
  label.parent = parent;
  label.delay = delay;
  label.hops = hops;
  label.next = at.labels;
  at.labels = index;
  at.labelCount = at.labelCount + 1;
  queue.push(key, index);
}

/** Leaves the path where callers of `search` look for it. */
function writePath(last: u32): void {
  let index = last;
  const end = labelAt(last);
  stateOf(end.node).delay = end.delay;
  stateOf(end.node).hops = end.hops;
  for (let hops = end.hops; hops > 0; hops--) {
    const label = labelAt(index);
    stateOf(label.node).arc = label.arc;
    index = label.parent;
  }
}
