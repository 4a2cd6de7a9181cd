/**
 * Lower bounds of a path from the source to a node: blocks, hops, cost.
 *
 * The search with several labels (labels.ts) uses three lower bounds to drop labels that cannot stay within a limit,
 * and to settle the most promising label first:
 *
 *   cost          of the share asked for, at the present prices and loads. Amounts only grow towards the source, and
 *                 prices never fall with the amount (prices.ts), so the cost of the share itself is a lower bound
 *   delay, hops   the minimum over paths. With `boundsAmong`, only paths through nodes whose cheapest path costs at
 *                 most `ceiling` count, since the path sought passes no other node. With `boundsFrom`, paths over all
 *                 enabled directions count, regardless of what they can carry, so one pass serves all shares of a
 *                 question. If a search with the latter bounds is cut short, only directions that can carry the share
 *                 count (`boundsForShare`)
 *
 * Dijkstra's algorithm settles costs outwards from the source. A search at the same prices has just found the
 * remaining costs to the destination (search.ts). Nodes for which the sum exceeds `ceiling` are skipped, so only
 * nodes whose cheapest path costs at most `ceiling` are visited. (The remaining costs are those of larger amounts, so
 * they are not a consistent potential: an A* search would settle nodes repeatedly.)
 *
 * Invariants: a bound is valid while its stamp is current, so nothing is cleared; a bound never exceeds what a path
 * needs. Work: delays take one Dijkstra search, hops one breadth-first search, costs part of a Dijkstra search.
 * `isQuickEnough` searches from both ends at once, which usually takes a small fraction of that work.
 */
import { takePages } from '../../graph/arena';
import { DirectionRecord, isEnabled } from '../../graph/direction';
import { headOfArc } from '../../overlay/created-channels';
import { Link } from '../../overlay/link';
import { leavingEnd } from '../../overlay/links';
import { nodeRoom, recordOf, recordOut, stateOf } from '../../overlay/scratch';
import { Workspace } from '../../workspace';
import {
  DIRECTION_STEPS,
  effortSpent,
  hasEffortFor,
  NODE_STEPS,
  searchSteps,
  spend,
} from '../question/effort';
import { Crossing, setFeeWeight, setLimitPrices } from '../question/prices';
import { pollCancel } from '../question/task';
import { aheadDegree, aheadReach, beginAhead, behindDegree, meetAhead, settleAhead } from './ahead';
import { leastBehind } from './ends';
import { heapClear, heapLeastKey, heapPop, heapPush } from './heap';
import { nextStamp } from './search';

/** Bounds of a node from the source's side; 32 bytes. */
@unmanaged
export class NodeBounds {
  /** Minimum cost from the source, msat; valid for `costStamp`. */
  cost: f64;
  costStamp: u32;
  /** Labels of the search with several labels (labels.ts), newest first; valid for `labelStamp`. */
  labels: u32;
  labelStamp: u32;
  labelCount: u16;
  /** Minimum number of channels from the source; valid for `stamp`. */
  hops: u16;
  /** Minimum delay from the source, blocks; valid for `stamp`. */
  delay: u32;
  stamp: u32;
}

/** A delay limit of this value means "no limit". */
export const UNBOUNDED: u32 = 0x7fffffff;
/** Cost of scanning a direction from its tail, in units of scanning it from its head. */
const LEAVING_WORK: u32 = 2;
/** `hops` of a node that `countHops` has not reached yet. */
const UNCOUNTED: u32 = 0xffff;

/** The current bounds, and the costs settled last. */
@unmanaged
export class Bounds {
  table: usize;
  /** A second table, written by `boundsForShare` so that the bounds for all shares are kept. */
  otherTable: usize;
  tableNodes: u32;
  /** The stamp of the current delays and hops; 0 if there are none yet. */
  stamp: u32;
  /** Minimum amount that a direction must be able to carry to be used, msat. */
  leastShare: i64;
  /**
   * Steps spent on bounds for single searches. Once they reach WORTH_ALL searches over the whole graph, bounds over all
   * nodes are computed, which serve all later searches from the source.
   */
  spentAmong: f64;
  /** Whether nodes whose cheapest path costs more than `nodeCeiling` are left out. */
  isAmong: bool;
  nodeCeiling: f64;
  /** Limit on delay of the current bounds, blocks. Nodes whose minimum delay exceeds it were not reached. */
  delayReach: u32;
  hopsCounted: bool;
  /** Whether bounds for all shares were computed since `forgetBounds`, even if they were dropped. */
  wasWanted: bool;
  // As `stamp`, `delayReach` and `hopsCounted`, for the bounds that are set aside.
  asideStamp: u32;
  asideReach: u32;
  areAsideHopsCounted: bool;
  /** Whether delay and hop bounds are taken as 0. */
  isWithout: bool;
  costStamp: u32;
  /** The search whose labels give the remaining costs to the destination, and the cost of the path that it found. */
  searchStamp: u32;
  cheapestFound: f64;
  /** Minimum cost from source to destination of a path through an unsettled node, msat. */
  costReach: f64;
  share: i64;
  /** Maximum cost of a node's cheapest path, msat. Nodes above it are not settled. */
  costCeiling: f64;
  // Iteration over the arcs that leave a node: first the graph's, then created ones.
  leavingAt: u32;
  leavingEnd: u32;
  leavingLink: Link | null;

  /** Call once for a new workspace: sets the fields of this class that do not start at zero. */
  begin(): void {
    this.nodeCeiling = Infinity;
    this.costCeiling = Infinity;
  }
}
const WORTH_ALL: f64 = 0.5;

/** Bounds of a node. There must be room for them (`makeRoom`). */
export function boundsOf(bounds: Bounds, node: u32): NodeBounds {
  return changetype<NodeBounds>(bounds.table + (node as usize) * offsetof<NodeBounds>());
}

/** Forgets the bounds, because the next query has a different source or different layers. */
export function forgetBounds(bounds: Bounds): void {
  bounds.stamp = 0;
  bounds.wasWanted = false;
  bounds.spentAmong = 0.0;
}

/** Forgets the current bounds, but not whether bounds were wanted (`wasWanted`, `spentAmong`). */
export function dropBounds(bounds: Bounds): void {
  bounds.stamp = 0;
}

/** Identifies the current bounds, so that results computed from them can be kept; 0 if there are none. */
export function boundsStamp(bounds: Bounds): u32 {
  return bounds.stamp;
}

/**
 * Computes delays from `source` up to `maxDelay` blocks, and hops if `countsHops` is set. Otherwise all hops are taken
 * as 0, a weak but valid bound. If `maxDelay` is UNBOUNDED, this computes only hops, and all delays are taken as 0.
 * Does nothing if the current bounds are wide enough.
 */
export function boundsFrom(work: Workspace, source: u32, maxDelay: u32, countsHops: bool): void {
  const bounds = work.bounds;
  if (areWide(bounds, maxDelay, countsHops)) return;
  // A caller that raises the limit is likely to raise it again.
  const isWider = bounds.wasWanted && maxDelay > bounds.delayReach && maxDelay < UNBOUNDED / 2;
  bounds.wasWanted = true;
  makeBounds(work, source, isWider ? maxDelay + (maxDelay >> 1) : maxDelay, countsHops, 0);
}

/** Whether the current bounds are wide enough for a search within `maxDelay` blocks. */
export function areBoundsKnown(bounds: Bounds, maxDelay: u32): bool {
  return areWide(bounds, maxDelay, false);
}

/**
 * As `boundsFrom`, if the bounds exist or effort is left to compute them. Otherwise returns false, and the question is
 * cut short.
 */
export function affordBounds(work: Workspace, source: u32, maxDelay: u32, countsHops: bool): bool {
  const passes = countsHops && maxDelay < UNBOUNDED ? 2.0 : 1.0;
  const steps = passes * (LEAVING_WORK as f64) * searchSteps(work.graph);
  if (!areWide(work.bounds, maxDelay, countsHops) && !hasEffortFor(work.effort, steps)) return false;
  boundsFrom(work, source, maxDelay, countsHops);
  return true;
}

/**
 * As `boundsFrom`, but without directions that cannot carry the share: amounts only grow towards the source, so no path
 * for the share uses them. The existing bounds for all shares are set aside; the caller must restore them
 * (`leaveShare`) before any other use.
 */
export function boundsForShare(
  work: Workspace,
  source: u32,
  maxDelay: u32,
  countsHops: bool,
  share: i64,
): void {
  const bounds = work.bounds;
  bounds.asideStamp = bounds.stamp;
  bounds.asideReach = bounds.delayReach;
  bounds.areAsideHopsCounted = bounds.hopsCounted;
  swapTables(bounds);
  makeBounds(work, source, maxDelay, countsHops, share);
}

/** Restores the bounds that `boundsForShare` set aside. */
export function leaveShare(bounds: Bounds): void {
  swapTables(bounds);
  bounds.stamp = bounds.asideStamp;
  bounds.delayReach = bounds.asideReach;
  bounds.hopsCounted = bounds.areAsideHopsCounted;
  bounds.leastShare = 0;
}

function swapTables(bounds: Bounds): void {
  const present = bounds.table;
  bounds.table = bounds.otherTable;
  bounds.otherTable = present;
}

/**
 * As `boundsFrom`, but only over the nodes whose cheapest path costs at most `ceiling`, as just settled by
 * `settleCosts`. Returns true without any work if bounds over all nodes exist, and false if the caller must forget
 * these bounds (`dropBounds`) before any other use.
 */
export function boundsAmong(
  work: Workspace,
  source: u32,
  maxDelay: u32,
  countsHops: bool,
  ceiling: f64,
): bool {
  const bounds = work.bounds;
  const effort = work.effort;
  if (areWide(bounds, maxDelay, countsHops)) return true;
  const before = effortSpent(effort);
  bounds.isAmong = true;
  bounds.nodeCeiling = ceiling;
  makeBounds(work, source, maxDelay, countsHops, bounds.share);
  bounds.isAmong = false;
  bounds.spentAmong += effortSpent(effort) - before;
  return false;
}

function areWide(bounds: Bounds, maxDelay: u32, countsHops: bool): bool {
  return bounds.stamp !== 0 && maxDelay <= bounds.delayReach && (bounds.hopsCounted || !countsHops);
}

function makeRoom(work: Workspace): void {
  const bounds = work.bounds;
  const nodes = nodeRoom(work.scratch);
  if (nodes <= bounds.tableNodes) return;
  bounds.table = takePages((nodes as u64) * (offsetof<NodeBounds>() as u64));
  bounds.otherTable = takePages((nodes as u64) * (offsetof<NodeBounds>() as u64));
  bounds.tableNodes = nodes;
  bounds.stamp = 0;
}

function makeBounds(work: Workspace, source: u32, maxDelay: u32, countsHops: bool, share: i64): void {
  const bounds = work.bounds;
  makeRoom(work);
  bounds.stamp = nextStamp(work.search);
  bounds.leastShare = share;
  bounds.delayReach = maxDelay;
  bounds.hopsCounted = countsHops || maxDelay === UNBOUNDED;
  if (maxDelay === UNBOUNDED) countHops(work, source, true);
  else {
    countDelays(work, source, maxDelay, countsHops);
    if (countsHops) countHops(work, source, false);
  }
}

/** Makes delay and hop bounds 0 until `leaveWithout`: computing them costs more than a short search with labels. */
export function goWithout(work: Workspace): void {
  makeRoom(work);
  work.bounds.isWithout = true;
}

/** Ends `goWithout`: the existing bounds apply again. */
export function leaveWithout(bounds: Bounds): void {
  bounds.isWithout = false;
}

/** Whether a path that needs `delay` blocks and `hops` channels after the node can keep the limits. */
export function canKeep(bounds: Bounds, node: u32, delay: u32, hops: u32, maxDelay: u32, maxHops: u32): bool {
  if (bounds.isWithout) return delay <= maxDelay && hops <= maxHops;
  const at = boundsOf(bounds, node);
  return at.stamp === bounds.stamp && delay + at.delay <= maxDelay && hops + (at.hops as u32) <= maxHops;
}

/** Minimum delay from the source, for nodes for which `canKeep` is true. */
export function leastDelay(bounds: Bounds, node: u32): u32 {
  return bounds.isWithout ? 0 : boundsOf(bounds, node).delay;
}

function carries(record: DirectionRecord, amount: i64): bool {
  return isEnabled(record) && amount <= record.htlcMaximumMsat && amount <= record.maxMsat;
}

/** Whether a path of the search may pass the node. */
function counts(work: Workspace, node: u32): bool {
  const bounds = work.bounds;
  if (!bounds.isAmong) return true;
  const at = boundsOf(bounds, node);
  return at.costStamp === bounds.costStamp && at.cost + costLeft(work, node) <= bounds.nodeCeiling;
}

/**
 * Counts hops, breadth-first. With `anyDelay` it marks nodes as reached; otherwise it visits only nodes that
 * `countDelays` reached.
 */
function countHops(work: Workspace, source: u32, anyDelay: bool): void {
  const bounds = work.bounds;
  let first: u32 = 0;
  let last = visit(work, source, 0, 0, anyDelay);
  while (first < last) {
    const node = work.heap.nodes[first++];
    const hops = min<u32>((boundsOf(bounds, node).hops as u32) + 1, UNCOUNTED - 1);
    for (let more = firstLeaving(work, node); more; more = nextLeaving(bounds)) {
      const head = leavingHead(work);
      if (!isToVisit(work, head, anyDelay) || !carries(leavingRecord(work), bounds.leastShare)) continue;
      last = visit(work, head, hops, last, anyDelay);
    }
  }
}

function isToVisit(work: Workspace, node: u32, anyDelay: bool): bool {
  const bounds = work.bounds;
  const at = boundsOf(bounds, node);
  if (anyDelay) return at.stamp !== bounds.stamp && counts(work, node);
  return at.stamp === bounds.stamp && (at.hops as u32) === UNCOUNTED;
}

function visit(work: Workspace, node: u32, hops: u32, last: u32, anyDelay: bool): u32 {
  const bounds = work.bounds;
  const at = boundsOf(bounds, node);
  if (anyDelay) {
    at.stamp = bounds.stamp;
    at.delay = 0;
  }
  at.hops = hops as u16;
  work.heap.nodes[last] = node;
  return last + 1;
}

/** Computes delays in blocks by Dijkstra's algorithm. Hops are filled in by `countHops` or taken as 0. */
function countDelays(work: Workspace, source: u32, maxDelay: u32, countsHops: bool): void {
  const bounds = work.bounds;
  const hops = (countsHops ? UNCOUNTED : 0) as u16;
  boundsOf(bounds, source).stamp = bounds.stamp;
  boundsOf(bounds, source).delay = 0;
  boundsOf(bounds, source).hops = hops;
  heapPush(work, 0.0, source);
  while (work.heap.size > 0) {
    const node = heapPop(work);
    const delay = boundsOf(bounds, node).delay;
    for (let more = firstLeaving(work, node); more; more = nextLeaving(bounds)) {
      const head = leavingHead(work);
      const at = boundsOf(bounds, head);
      if (at.stamp === bounds.stamp && at.delay <= delay) continue;
      const record = leavingRecord(work);
      const total = delay + (record.cltvExpiryDelta as u32);
      if (total > maxDelay || !carries(record, bounds.leastShare)) continue;
      if ((at.stamp === bounds.stamp && at.delay <= total) || !counts(work, head)) continue;
      at.stamp = bounds.stamp;
      at.delay = total;
      at.hops = hops;
      heapPush(work, total as f64, head);
    }
  }
}

/**
 * Whether some path takes at most `maxDelay` blocks, regardless of the amount. Searches from both ends, which usually
 * takes a small part of the work of `boundsFrom`.
 */
export function isQuickEnough(work: Workspace, source: u32, destination: u32, maxDelay: u32): bool {
  const prices = work.prices;
  const weight = prices.feeWeight;
  const risk = prices.riskPrice;
  const isExact = prices.exactFees;
  // At these prices the cost of a path for amount 0 is exactly its delay in blocks. Burdens of nodes have no price
  // because risk has none, and biases have none because nothing is delivered (`avoidanceCost`).
  setFeeWeight(prices, 0.0, false);
  prices.riskPrice = 0.0;
  setLimitPrices(prices, 1.0, 0.0);
  const isFound = meetWithin(work, source, destination, maxDelay);
  setFeeWeight(prices, weight, isExact);
  prices.riskPrice = risk;
  setLimitPrices(prices, 0.0, 0.0);
  heapClear(work);
  return isFound;
}

function meetWithin(work: Workspace, source: u32, destination: u32, maxDelay: u32): bool {
  const heap = work.heap;
  const ahead = work.ahead;
  const scratch = work.scratch;
  const found = nextStamp(work.search);
  beginAhead(work, source, destination, 0, found, Infinity);
  stateOf(scratch, destination).cost = 0.0;
  stateOf(scratch, destination).stamp = found;
  heapPush(work, 0.0, destination);
  while (heap.size > 0 && ahead.meeting > (maxDelay as f64)) {
    // A path that is not found yet takes at least the sum of the two sides' least distances.
    if (heapLeastKey(heap) + aheadReach(ahead) > (maxDelay as f64)) return false;
    if (aheadDegree(work) <= behindDegree(work) >> 1) settleAhead(work);
    else settleBehind(work, heapPop(work), found, maxDelay);
  }
  return ahead.meeting <= (maxDelay as f64);
}

function settleBehind(work: Workspace, node: u32, found: u32, maxDelay: u32): void {
  const graph = work.graph;
  const state = stateOf(work.scratch, node);
  const delay = state.cost;
  if (node < graph.nodeCount) {
    const last = graph.inEnabledEnd[node];
    spend(work.effort, DIRECTION_STEPS * (last - graph.inStart[node]) + NODE_STEPS);
    for (let arc = graph.inStart[node]; arc < last; arc++) labelBehind(work, arc, delay, found, maxDelay);
  }
  let link = state.extraIn;
  while (link !== null) {
    labelBehind(work, link.arc, delay, found, maxDelay);
    link = link.next;
  }
}

function labelBehind(work: Workspace, arc: u32, delay: f64, found: u32, maxDelay: u32): void {
  const record = recordOf(work, arc);
  const total = delay + (record.cltvExpiryDelta as f64);
  if (!isEnabled(record) || total > (maxDelay as f64)) return;
  const state = stateOf(work.scratch, record.tail);
  if (state.stamp === found && state.cost <= total) return;
  state.cost = total;
  state.stamp = found;
  meetAhead(work.ahead, record.tail, total);
  heapPush(work, total, record.tail);
}

/**
 * Settles the costs of `amount` from `source`, in ascending order, for all nodes on a path that costs at most
 * `ceiling`. Call it right after a search for that amount (stamp `found`) that ended at the source with a path of cost
 * `cheapest`. Existing delay and hop bounds are kept only if they are wide enough for these limits.
 */
export function settleCosts(
  work: Workspace,
  source: u32,
  amount: i64,
  found: u32,
  cheapest: f64,
  ceiling: f64,
  maxDelay: u32,
  countsHops: bool,
): void {
  const bounds = work.bounds;
  makeRoom(work);
  if (bounds.spentAmong > WORTH_ALL * searchSteps(work.graph)) boundsFrom(work, source, maxDelay, countsHops);
  else if (!areWide(bounds, maxDelay, countsHops)) dropBounds(bounds);
  bounds.costStamp = nextStamp(work.search);
  bounds.searchStamp = found;
  bounds.cheapestFound = cheapest;
  bounds.share = amount;
  bounds.costCeiling = ceiling;
  bounds.costReach = Infinity;
  boundsOf(bounds, source).cost = 0.0;
  boundsOf(bounds, source).costStamp = bounds.costStamp;
  heapPush(work, 0.0, source);
  for (let settled: u32 = 1; work.heap.size > 0; settled++) {
    if ((settled & 255) === 0 && pollCancel(work)) break;
    const node = heapPop(work);
    const cost = boundsOf(bounds, node).cost;
    for (let more = firstLeaving(work, node); more; more = nextLeaving(bounds))
      relax(work, leavingHead(work), cost);
  }
  heapClear(work);
}

function relax(work: Workspace, head: u32, cost: f64): void {
  const bounds = work.bounds;
  const at = boundsOf(bounds, head);
  if (bounds.stamp !== 0 && at.stamp !== bounds.stamp) return;
  const known = at.costStamp === bounds.costStamp ? at.cost : Infinity;
  // Costs are not negative, so no arc from here improves the label of a node that costs no more than this one.
  if (known <= cost) return;
  const left = costLeft(work, head);
  if (cost + left > bounds.costCeiling) {
    bounds.costReach = bounds.costCeiling;
    return;
  }
  const record = leavingRecord(work);
  if (!carries(record, bounds.share)) return;
  let total = cost + Crossing.leastCost(work.prices, record, bounds.share);
  // The exact cost takes a logarithm. A lower bound above the ceiling is stored instead of it: a node with such a cost is
  // not settled, and any later cost below the ceiling replaces it.
  if (total < known && total + left <= bounds.costCeiling)
    total = cost + Crossing.cost(work, record, bounds.share, bounds.share);
  if (known <= total) return;
  at.cost = total;
  at.costStamp = bounds.costStamp;
  if (total + left <= bounds.costCeiling) heapPush(work, total, head);
  else bounds.costReach = bounds.costCeiling;
}

/** A lower bound of the cost from the node to the destination, by the search with one label (search.ts). */
function costLeft(work: Workspace, node: u32): f64 {
  const bounds = work.bounds;
  const state = stateOf(work.scratch, node);
  // The search with one label ended when no remaining node could lead to a cheaper path.
  const most = leastBehind(work, node, bounds.cheapestFound);
  return state.stamp === bounds.searchStamp ? min<f64>(state.cost, most) : most;
}

/** Minimum cost from the source to the node, msat: exact if the node is settled, else a lower bound. */
export function leastCost(work: Workspace, node: u32): f64 {
  const bounds = work.bounds;
  const at = boundsOf(bounds, node);
  const unsettled = bounds.costReach - costLeft(work, node);
  return at.costStamp === bounds.costStamp ? min<f64>(at.cost, unsettled) : unsettled;
}

function firstLeaving(work: Workspace, node: u32): bool {
  const bounds = work.bounds;
  const graph = work.graph;
  bounds.leavingAt = 0;
  bounds.leavingEnd = 0;
  if (node < graph.nodeCount) {
    bounds.leavingAt = graph.outStart[node];
    bounds.leavingEnd = leavingEnd(work, node);
    spend(work.effort, LEAVING_WORK * DIRECTION_STEPS * (bounds.leavingEnd - bounds.leavingAt) + NODE_STEPS);
  }
  bounds.leavingLink = stateOf(work.scratch, node).extraOut;
  return bounds.leavingAt < bounds.leavingEnd || bounds.leavingLink !== null;
}

function nextLeaving(bounds: Bounds): bool {
  if (bounds.leavingAt < bounds.leavingEnd) bounds.leavingAt++;
  else bounds.leavingLink = linkAtHand(bounds).next;
  return bounds.leavingAt < bounds.leavingEnd || bounds.leavingLink !== null;
}

function linkAtHand(bounds: Bounds): Link {
  assert(bounds.leavingLink !== null, 'there is a current arc');
  return changetype<Link>(bounds.leavingLink);
}

function leavingHead(work: Workspace): u32 {
  const bounds = work.bounds;
  return bounds.leavingAt < bounds.leavingEnd
    ? work.graph.outHeads[bounds.leavingAt]
    : headOfArc(work, linkAtHand(bounds).arc);
}

function leavingRecord(work: Workspace): DirectionRecord {
  const bounds = work.bounds;
  return bounds.leavingAt < bounds.leavingEnd
    ? recordOut(work, bounds.leavingAt)
    : recordOf(work, linkAtHand(bounds).arc);
}
