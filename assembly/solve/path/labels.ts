/**
 * The path search when a limit binds: several labels for each node.
 *
 * The cheapest path to a node can be the wrong one if it is slower or longer. So a node keeps every label that no other
 * label dominates in (cost, delay, hops), up to LABELS_PER_NODE. This is label setting with resource constraints
 * (Martins 1984; Desrochers and Soumis 1988; Irnich and Desaulniers 2005).
 *
 * Labels that cannot stay within the limits are never made (bounds.ts). The others are settled in order of
 *
 *   key = cost so far + minimum remaining cost,   both with the limits priced (limits.ts)
 *
 * The priced cost of a path is its own cost plus its delay and hops at the limit prices. For a path within the limits,
 * the added part is at most the limits at those prices. So the best path so far gives a ceiling for all labels, and the
 * search ends when no label is below it.
 *
 * Invariants: a label costs at least as much as the one it was made from (asserted in debug builds); labels of a node
 * are valid while its stamp is that of the search; a path passes no node twice. A cycle is dominated, except if more
 * msat count as better (`isLargerKept`): then each label's path is checked for cycles.
 *
 * Work: bounded by the limits on labels and on scanned directions. Failure modes: a node can run out of places, and the
 * search out of labels or steps. If it may have missed a cheaper path, the search reports that it left something undone
 * (effort.ts). Otherwise the path is the cheapest within the limits.
 */
import { takePages } from '../../graph/arena';
import { AMOUNT_LIMIT, feeMsat } from '../../graph/numbers';
import { recordOf, stateOf } from '../../overlay/scratch';
import { Workspace } from '../../workspace';
import { isKnownUnable, isUnable } from '../prove/whole';
import { DIRECTION_STEPS, hasEffort, leaveUndone, NODE_STEPS, spend } from '../question/effort';
import { Crossing, Prices } from '../question/prices';
import { pollCancel } from '../question/task';
import { aheadReach, beginAhead, isAheadWhole, leastAhead, settleAhead } from './ahead';
import {
  affordBounds,
  areBoundsKnown,
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
import { countSettled, nextStamp } from './search';
import { ADMITTED, hide, REFUSED, Step } from './step';

const LABEL_LIMIT: u32 = 1 << 17;
const LABELS_PER_NODE: u32 = 24;
/**
 * Maximum number of directions scanned by a search for hidden paths. Such searches rarely find a path worth more work.
 */
const STEP_LIMIT_HIDDEN: u32 = 1 << 16;
/**
 * Maximum number of directions scanned by the first attempt of a search for hidden paths, before bounds are computed to
 * guide it.
 */
const FEW_STEPS_HIDDEN: u32 = 1 << 12;
/**
 * Maximum number of directions scanned by the first attempt of a search with priced limits, before delay and hop bounds
 * are computed.
 */
const FEW_STEPS_PRICED: u32 = 1 << 13;
/**
 * The same for amounts up to SMALL_AMOUNT msat. They have one part, so bounds would hardly serve a second search.
 */
const FEW_STEPS_SMALL: u32 = 1 << 14;
const SMALL_AMOUNT: i64 = 1_000_000;
/**
 * With `isHiddenSought`, settling a label counts as scanning this many more directions: many labels are at nodes with
 * few channels.
 */
const HIDDEN_NODE: u32 = NODE_STEPS / (2 * DIRECTION_STEPS);
/** Tie-breaker in favour of faster paths; msat per block, too small to change any other order. */
const TIE_RATE: f64 = 1e-6;

/** A path from a node to the destination; 40 bytes. */
@unmanaged
class Label {
  /** Cost including limit prices, msat. */
  cost: f64;
  /** Amount that must reach the node, msat. */
  amountMsat: i64;
  node: u32;
  /** The arc that leaves the node. */
  arc: u32;
  /** The label at the arc's head; 0 at the destination. */
  parent: u32;
  /** Delay to the destination, blocks. */
  delay: u32;
  /** Number of channels to the destination. */
  hops: u32;
  /** Next label of the same node; 0 after the last. */
  next: u32;
}

/** The search with several labels. */
@unmanaged
export class Labelling {
  table: usize;
  labelCount: u32;
  /** Labels in the order in which they are settled. */
  queue: Queue;
  stamp: u32;
  /** Whether the search looks for paths that are hidden with one label per node (`searchHidden`). */
  isHiddenSought: bool;
  /**
   * Whether a label with more msat is kept in addition to a cheaper label (`isLargerKept`), or one with less
   * (`isSmallerKept`).
   */
  isLargerKept: bool;
  isSmallerKept: bool;
  /** With `isLargerKept`: amounts above this are no better, msat. */
  mostWanted: i64;
  ceiling: f64;
  /** Cost that limit prices add to a path that exhausts both limits, msat. */
  allowed: f64;
  /** Whether `leastCost` (bounds.ts) is known for this search. */
  areCostsKnown: bool;
  /** Cost of the last path found, without limit prices, msat. */
  costFound: f64;
  /** Any path that costs at most this is accepted, msat. */
  goodEnough: f64;
  /** With `isHiddenSought`: nodes have been settled from the source up to this cost (ahead.ts). */
  aheadSettled: f64;
  steps: u32;
  stepLimit: u32;
  /** Lowest key among dropped labels. */
  leastDropped: f64;
  /** Whether the last search left something undone that could have led to a cheaper path. */
  wasStopped: bool;

  /** Call once for a new workspace: sets the fields of this class that do not start at zero. */
  begin(): void {
    this.ceiling = Infinity;
    this.costFound = Infinity;
    this.goodEnough = -1.0;
    this.leastDropped = Infinity;
  }
}
/** Limit of what fees may add to the amount, msat, so that the sum does not overflow. */
const MOST_LIFTED: f64 = 4e18;

function labelAt(labelling: Labelling, index: u32): Label {
  return changetype<Label>(labelling.table + (index as usize) * offsetof<Label>());
}

/**
 * Finds the cheapest path that costs less than `limit` and keeps the limits on delay and hops. Call it right after a
 * search at the current limit prices reached the source. `allowance` is the cost of the limits at those prices, msat.
 * With `countsHops`, lower bounds of hops drop labels as well. On success, `arc` of each node's state leads along the
 * path. Any path that costs at most `enough` is accepted.
 */
export function searchPriced(
  work: Workspace,
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
  const labelling = work.labelling;
  const search = work.search;
  const bounds = work.bounds;
  const state = stateOf(work.scratch, source);
  const few = amount > SMALL_AMOUNT ? FEW_STEPS_PRICED : FEW_STEPS_SMALL;
  preparePriced(labelling, limit, allowance, few, enough);
  settleCosts(work, source, amount, state.stamp, state.cost, labelling.ceiling, maxDelay, countsHops);
  // Costs usually lead to the path after few labels. Computing delay and hop bounds would take more work.
  goWithout(work);
  const isFound = settleLabels(work, source, destination, amount, maxHops, maxDelay);
  leaveWithout(bounds);
  if (!labelling.wasStopped) return isFound;
  preparePriced(labelling, limit, allowance, steps, enough);
  // If the cheapest continuation did not fit through a direction, a costlier one that fits may still lead to a cheaper
  // path than the search found. So the costs of the search may be too high, and delay and hop bounds must not rule out
  // a node by cost.
  const isLimitMet = search.leastMinimumMet < i64.MAX_VALUE || search.maximumMet;
  if (isLimitMet) boundsFrom(work, source, maxDelay, countsHops);
  const areForAll = isLimitMet || boundsAmong(work, source, maxDelay, countsHops, labelling.ceiling);
  const found = settleAll(work, source, destination, amount, maxHops, maxDelay);
  if (!areForAll) dropBounds(bounds);
  return found;
}

function preparePriced(labelling: Labelling, limit: f64, allowance: f64, steps: u32, enough: f64): void {
  prepareLabels(labelling, limit, allowance, steps);
  labelling.goodEnough = enough;
  labelling.areCostsKnown = true;
}

/**
 * As `searchPriced`, without limit prices and cost bounds. In a first look, a path counts only if nothing was left
 * undone, and undone work (`wasStopped`) is not reported: the caller searches again.
 */
export function searchLabels(
  work: Workspace,
  source: u32,
  destination: u32,
  amount: i64,
  maxHops: u32,
  maxDelay: u32,
  limit: f64,
  steps: u32,
  isFirstLook: bool,
): bool {
  const labelling = work.labelling;
  prepareLabels(labelling, limit, 0.0, steps);
  if (!isFirstLook) return settleAll(work, source, destination, amount, maxHops, maxDelay);
  return settleLabels(work, source, destination, amount, maxHops, maxDelay) && !labelling.wasStopped;
}

function prepareLabels(labelling: Labelling, limit: f64, allowance: f64, steps: u32): void {
  labelling.isHiddenSought = false;
  labelling.isLargerKept = false;
  labelling.isSmallerKept = false;
  labelling.areCostsKnown = false;
  labelling.goodEnough = -1.0;
  labelling.stepLimit = steps;
  labelling.allowed = allowance;
  labelling.ceiling = limit + allowance;
}

/**
 * Finds a path that costs less than `limit` and keeps the limits on delay and hops, when the amount of the cheapest
 * continuation cannot cross a direction. With `isLarger` that amount is below an HTLC minimum, and the fees of a
 * costlier continuation can lift it to the minimum: a label with more msat is not dominated by one with less. With
 * `isSmaller` it is above a direction's maximum, and a costlier continuation can have lower fees: a label with less
 * msat is not dominated by one with more. With `isFirstLook` the search is short: a path exists already, and work left
 * undone is not reported (effort.ts). With `isAheadKnown` a search without limit prices has just ended, so its bounds
 * of the remaining cost (ahead.ts) are valid here too.
 */
export function searchHidden(
  work: Workspace,
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
  const labelling = work.labelling;
  const bounds = work.bounds;
  const ahead = work.ahead;
  const effort = work.effort;
  labelling.wasStopped = false;
  if (isKnownUnable(work, source, destination, amount)) return false;
  // Bounds take as much work as a search over the whole graph, and many of these searches end after a few labels.
  let isFound = false;
  if (isFirstLook || !areBoundsKnown(bounds, maxDelay)) {
    goWithout(work);
    prepareHidden(work, amount, limit, FEW_STEPS_HIDDEN, isLarger, isSmaller);
    isFound = settleSoon(work, source, destination, amount, maxHops, maxDelay, isAheadKnown);
    leaveWithout(bounds);
    if (!labelling.wasStopped || isFirstLook) return isFound;
    labelling.wasStopped = false;
  }
  if (!affordBounds(work, source, maxDelay, false)) return isFound;
  if (!canKeep(bounds, destination, 0, 0, maxDelay, maxHops)) return false;
  // Again, because a path that was found without bounds has lowered the ceiling, and must be found once more.
  prepareHidden(work, amount, limit, FEW_STEPS_HIDDEN, isLarger, isSmaller);
  const found = settleSoon(work, source, destination, amount, maxHops, maxDelay, isAheadKnown);
  if (!labelling.wasStopped) return found;
  if (!found && isUnable(work, source, destination, amount)) {
    labelling.wasStopped = false;
    return false;
  }
  // The first look was too short. Costs from the source now show which labels can matter.
  prepareHidden(work, amount, limit, STEP_LIMIT_HIDDEN, isLarger, isSmaller);
  if (!isAheadWhole(ahead)) beginAhead(work, source, destination, amount, nextStamp(work.search), Infinity);
  while (labelling.aheadSettled < limit && hasEffort(effort) && !pollCancel(work)) {
    settleAhead(work);
    labelling.aheadSettled = aheadReach(ahead);
  }
  if (!hasEffort(effort)) return found;
  return settleAll(work, source, destination, amount, maxHops, maxDelay);
}

/** An attempt of a search for hidden paths with the costs from the source that are known so far. */
function settleSoon(
  work: Workspace,
  source: u32,
  destination: u32,
  amount: i64,
  maxHops: u32,
  maxDelay: u32,
  isAheadKnown: bool,
): bool {
  const ahead = work.ahead;
  if (!isAheadKnown) beginAhead(work, source, destination, amount, nextStamp(work.search), Infinity);
  work.labelling.aheadSettled = aheadReach(ahead);
  return settleLabels(work, source, destination, amount, maxHops, maxDelay);
}

function prepareHidden(
  work: Workspace,
  amount: i64,
  limit: f64,
  steps: u32,
  isLarger: bool,
  isSmaller: bool,
): void {
  const labelling = work.labelling;
  prepareLabels(labelling, limit, 0.0, steps);
  labelling.isHiddenSought = true;
  labelling.isLargerKept = isLarger;
  // A larger amount would cost more than `limit` in fees alone.
  labelling.mostWanted = amount + (min<f64>(limit / work.search.liftPrice, MOST_LIFTED) as i64);
  labelling.isSmallerKept = isSmaller;
}

/** As `settleLabels`, but also reports undone work (effort.ts). */
function settleAll(
  work: Workspace,
  source: u32,
  destination: u32,
  amount: i64,
  maxHops: u32,
  maxDelay: u32,
): bool {
  const found = settleLabels(work, source, destination, amount, maxHops, maxDelay);
  if (work.labelling.wasStopped) leaveUndone(work.effort);
  return found;
}

function settleLabels(
  work: Workspace,
  source: u32,
  destination: u32,
  amount: i64,
  maxHops: u32,
  maxDelay: u32,
): bool {
  const labelling = work.labelling;
  const search = work.search;
  if (labelling.table === 0) {
    labelling.table = takePages((LABEL_LIMIT as u64) * (offsetof<Label>() as u64));
    labelling.queue = newQueue();
  }
  labelling.stamp = nextStamp(search);
  labelling.steps = 0;
  labelling.leastDropped = Infinity;
  let best: u32 = 0;
  // Label 0 stands for no label.
  labelling.labelCount = 1;
  labelling.queue.clear(LABEL_LIMIT);
  addLabel(work, destination, 0, 0, 0.0, 0.0, amount, 0, 0);
  for (let settled: u32 = 1; labelling.queue.size > 0 && labelling.steps < labelling.stepLimit; settled++) {
    if (labelling.queue.leastKey() >= labelling.ceiling) break;
    const index = labelling.queue.first();
    labelling.queue.pop();
    const label = labelAt(labelling, index);
    const node = label.node;
    if (node === source) {
      // Labels are settled by priced cost. A later path can be cheaper without the limit prices.
      const own = label.cost - limitCost(work.prices, label);
      if (own + labelling.allowed < labelling.ceiling) {
        best = index;
        labelling.costFound = own;
        labelling.ceiling = own + labelling.allowed;
        if (own <= labelling.goodEnough) break;
      }
      continue;
    }
    if ((settled & 255) === 0 && pollCancel(work)) break;
    if (label.hops < maxHops) settle(work, index, node, source, maxHops, maxDelay);
  }
  countSettled(search, labelling.labelCount);
  const isEnough = best !== 0 && labelling.costFound <= labelling.goodEnough;
  labelling.wasStopped =
    !isEnough &&
    (labelling.leastDropped < labelling.ceiling ||
      (labelling.queue.size > 0 && labelling.queue.leastKey() < labelling.ceiling));
  if (best !== 0) writePath(work, best);
  return best !== 0;
}

/** The part of the label's cost that comes from limit prices. */
function limitCost(prices: Prices, label: Label): f64 {
  return prices.blockPrice * (label.delay as f64) + prices.hopPrice * (label.hops as f64);
}

function settle(work: Workspace, index: u32, node: u32, source: u32, maxHops: u32, maxDelay: u32): void {
  const graph = work.graph;
  const labelling = work.labelling;
  if (node < graph.nodeCount) {
    const first = graph.inStart[node];
    const last = graph.inEnabledEnd[node];
    labelling.steps += last - first + (labelling.isHiddenSought ? HIDDEN_NODE : 0);
    spend(work.effort, 2 * DIRECTION_STEPS * (last - first) + NODE_STEPS);
    for (let arc = first; arc < last; arc++) relax(work, index, arc, source, maxHops, maxDelay);
  }
  let link = stateOf(work.scratch, node).extraIn;
  while (link !== null) {
    labelling.steps++;
    relax(work, index, link.arc, source, maxHops, maxDelay);
    link = link.next;
  }
}

function relax(work: Workspace, parent: u32, arc: u32, source: u32, maxHops: u32, maxDelay: u32): void {
  const labelling = work.labelling;
  const prices = work.prices;
  const bounds = work.bounds;
  const label = labelAt(labelling, parent);
  const reach = label.amountMsat;
  const record = recordOf(work, arc);
  const admission = Step.admits(work, record, reach, source);
  if (admission !== ADMITTED) {
    if (admission !== REFUSED)
      hide(work, record, reach, label.cost, record.tail === source ? 0.0 : leftOf(work, record.tail));
    return;
  }
  const tail = record.tail;
  const delay = label.delay + (record.cltvExpiryDelta as u32);
  const hops = label.hops + 1;
  if (!canKeep(bounds, tail, delay, hops, maxDelay, maxHops)) return;
  const cost = label.cost + Crossing.cost(work, record, reach, work.search.share);
  const total = cost + leftOf(work, tail);
  if (total >= labelling.ceiling) return;
  const amount = reach + feeMsat(reach, record.feeBaseMsat, record.feeProportionalMillionths);
  if (amount >= AMOUNT_LIMIT) return;
  // If more msat count as better, a cycle may look better too, so cycles are rejected.
  if (labelling.isLargerKept && passes(labelling, parent, tail)) return;
  const key = total + TIE_RATE * ((delay + leastDelay(bounds, tail)) as f64);
  const own = cost - prices.blockPrice * (delay as f64) - prices.hopPrice * (hops as f64);
  if (dominated(work, tail, own, amount, delay, hops)) return;
  if (hasPlace(work, tail)) addLabel(work, tail, arc, parent, cost, key, amount, delay, hops);
  else labelling.leastDropped = min<f64>(labelling.leastDropped, key);
}

/** A lower bound of the cost from the source to the node, msat; 0 if unknown. */
function leftOf(work: Workspace, node: u32): f64 {
  const labelling = work.labelling;
  if (labelling.isHiddenSought) return leastAhead(work.ahead, node, labelling.aheadSettled);
  return labelling.areCostsKnown ? leastCost(work, node) : 0.0;
}

/** Whether the label's path passes the node. */
function passes(labelling: Labelling, index: u32, node: u32): bool {
  for (let at = index; at !== 0; at = labelAt(labelling, at).parent) {
    if (labelAt(labelling, at).node === node) return true;
  }
  return false;
}

function dominated(work: Workspace, node: u32, cost: f64, amount: i64, delay: u32, hops: u32): bool {
  const labelling = work.labelling;
  const at = boundsOf(work.bounds, node);
  if (at.labelStamp !== labelling.stamp) return false;
  let index = at.labels;
  while (index !== 0) {
    const other = labelAt(labelling, index);
    if (
      other.cost - limitCost(work.prices, other) <= cost &&
      other.delay <= delay &&
      other.hops <= hops &&
      (!labelling.isLargerKept || other.amountMsat >= min<i64>(amount, labelling.mostWanted)) &&
      (!labelling.isSmallerKept || other.amountMsat <= amount)
    ) {
      return true;
    }
    index = other.next;
  }
  return false;
}

/** Whether there is room for one more label, in total and at this node. */
function hasPlace(work: Workspace, node: u32): bool {
  const labelling = work.labelling;
  const at = boundsOf(work.bounds, node);
  const isNew = at.labelStamp !== labelling.stamp;
  return labelling.labelCount < LABEL_LIMIT && (isNew || (at.labelCount as u32) < LABELS_PER_NODE);
}

function addLabel(
  work: Workspace,
  node: u32,
  arc: u32,
  parent: u32,
  cost: f64,
  key: f64,
  amount: i64,
  delay: u32,
  hops: u32,
): void {
  const labelling = work.labelling;
  assert(labelling.labelCount < LABEL_LIMIT, 'a label has a place');
  if (!ASC_NO_ASSERT)
    assert(parent === 0 || cost >= labelAt(labelling, parent).cost, 'a label costs no less than its parent');
  const at = boundsOf(work.bounds, node);
  if (at.labelStamp !== labelling.stamp) {
    at.labelStamp = labelling.stamp;
    at.labels = 0;
    at.labelCount = 0;
  }
  const index = labelling.labelCount++;
  const label = labelAt(labelling, index);
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
  labelling.queue.push(key, index);
}

/** Writes the path into the node states, as `search` does. */
function writePath(work: Workspace, last: u32): void {
  const labelling = work.labelling;
  const scratch = work.scratch;
  let index = last;
  const end = labelAt(labelling, last);
  stateOf(scratch, end.node).delay = end.delay;
  stateOf(scratch, end.node).hops = end.hops as u16;
  for (let hops = end.hops; hops > 0; hops--) {
    const label = labelAt(labelling, index);
    stateOf(scratch, label.node).arc = label.arc;
    index = label.parent;
  }
}
