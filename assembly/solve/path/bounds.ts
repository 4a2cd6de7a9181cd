/**
 * Lower bounds of what a path needs from the source to a node: blocks, hops, cost.
 *
 * The search with several labels (labels.ts) drops labels that cannot stay within a limit, and looks at the most
 * promising label first. Three lower bounds serve it:
 *
 *   cost          of the share asked for, at the present prices and loads. Amounts only grow towards the source, and
 *                 prices never fall with the amount (prices.ts), so the cost of the share itself is a lower bound
 *   delay, hops   with costs at hand, over the nodes alone whose cheapest path is at most `ceiling`: a path that is
 *                 looked for leads through no other (`boundsAmong`). Without costs, over all enabled directions,
 *                 whatever they carry: one pass serves all shares of a question (`boundsFrom`). Where the search with
 *                 these is stopped, only over directions that can carry the share (`boundsForShare`)
 *
 * Costs are settled outwards from the source by Dijkstra's algorithm. A search at the same prices has just found what is
 * left to the destination (search.ts). Nodes for which both together exceed `ceiling` are left out, so only nodes whose
 * cheapest path is at most `ceiling` are ever looked at. (What is left is that of larger amounts, so it is no consistent
 * potential: in the order of an A* search nodes would be settled again and again.)
 *
 * Invariants: a bound holds while its stamp is the present one, so nothing is cleared; a bound never exceeds what a
 * path needs. Work: delays are one Dijkstra search, hops one search by breadth, costs a part of one Dijkstra search.
 * That some path is quick enough is found out from both ends at once (`isQuickEnough`), which takes a small part of it.
 */
import { takePages } from '../../graph/arena';
import { DirectionRecord, isEnabled } from '../../graph/direction';
import { inEnabledEnd, inStart, nodeCount, outHeads, outStart } from '../../graph/graph';
import { headOfArc } from '../../overlay/created-channels';
import { Link } from '../../overlay/link';
import { heapNodes, nodeRoom, recordOf, recordOut, stateOf } from '../../overlay/scratch';
import {
  DIRECTION_STEPS,
  effortSpent,
  hasEffortFor,
  NODE_STEPS,
  searchSteps,
  spend,
} from '../question/effort';
import { Crossing, exactFees, feeWeight, setFeeWeight, setLimitPrices } from '../question/prices';
import { pollCancel } from '../question/task';
import { aheadDegree, aheadReach, beginAhead, meetAhead, meeting, settleAhead } from './ahead';
import { heapClear, heapLeastKey, heapPop, heapPush, heapSize } from './heap';
import { leastBehind, nextStamp } from './search';

/** What is known of a node from the source's side; 32 bytes. */
@unmanaged
export class NodeBounds {
  /** Least cost from the source, msat, of the costs `costStamp`. */
  cost: f64;
  costStamp: u32;
  /** Labels of the search with several labels (labels.ts), newest first; of the search `labelStamp`. */
  labels: u32;
  labelStamp: u32;
  labelCount: u16;
  /** Least channels from the source, of the bounds `stamp`. */
  hops: u16;
  /** Least blocks from the source, of the bounds `stamp`. */
  delay: u32;
  stamp: u32;
}

/** The value of a limit on delay that means no limit. */
export const UNBOUNDED: u32 = 0x7fffffff;
/** How many times dearer a direction is to look at from its tail. */
const LEAVING_WORK: u32 = 2;
/** `hops` of a node that `countHops` has not come to yet. */
const UNCOUNTED: u32 = 0xffff;

let table: usize = 0;
/** A second table: `boundsForShare` writes it, so that the bounds for all shares stay. */
let otherTable: usize = 0;
let tableNodes: u32 = 0;
/** The stamp of the present delays and hops; 0 when there are none yet. */
let stamp: u32 = 0;
/** Only directions that can carry this much count, msat. */
let leastShare: i64 = 0;
/**
 * Steps spent on bounds of one search each. When these come to WORTH_ALL searches over the whole graph, bounds over all
 * nodes are made, which serve all later searches from the source.
 */
let spentAmong: f64 = 0.0;
const WORTH_ALL: f64 = 0.5;
/** Whether only nodes count whose cheapest path is at most `nodeCeiling`. */
let isAmong: bool = false;
let nodeCeiling: f64 = Infinity;
/** Nodes with a larger delay than this were not reached. */
let delayReach: u32 = 0;
let hopsCounted: bool = false;
/** Whether bounds for all shares were made since `forgetBounds`, though they may have been dropped. */
let wasWanted: bool = false;
// The same of the bounds that are put aside.
let asideStamp: u32 = 0;
let asideReach: u32 = 0;
let areAsideHopsCounted: bool = false;
/** Whether bounds of delay and hops are taken as 0. */
let isWithout: bool = false;

let costStamp: u32 = 0;
/** The search whose labels say what is left to the destination, and the cost of the path that it found. */
let searchStamp: u32 = 0;
let cheapestFound: f64 = 0.0;
/** A path through a node that is not settled yet costs at least this much from source to destination. */
let costReach: f64 = 0.0;
let share: i64 = 0;
/** Nodes whose cheapest path costs more are not settled, msat. */
let costCeiling: f64 = Infinity;

/** What is known of a node; room for it was made by `boundsFrom`. */
export function boundsOf(node: u32): NodeBounds {
  return changetype<NodeBounds>(table + (node as usize) * offsetof<NodeBounds>());
}

/** Forgets the bounds: the next query has another source, or other layers. */
export function forgetBounds(): void {
  stamp = 0;
  wasWanted = false;
  spentAmong = 0.0;
}

/** Forgets bounds that were made for one search only. */
export function dropBounds(): void {
  stamp = 0;
}

/** The number of the present bounds, so that what is computed from them can be kept; 0 when there are none. */
export function boundsStamp(): u32 {
  return stamp;
}

/**
 * Computes delays from `source`, as far as paths of at most `maxDelay` blocks lead, and hops if `countsHops` is set.
 * Else all hops are taken as 0, which is a weak bound but a true one.
 */
export function boundsFrom(source: u32, maxDelay: u32, countsHops: bool): void {
  if (areWide(maxDelay, countsHops)) return;
  // A caller that asks for more than before is likely to ask for still more.
  const isWider = wasWanted && maxDelay > delayReach && maxDelay < UNBOUNDED / 2;
  wasWanted = true;
  makeBounds(source, isWider ? maxDelay + (maxDelay >> 1) : maxDelay, countsHops, 0);
}

/** As `boundsFrom`, where the bounds are at hand or effort is left to make them. Else false, and the question is cut short. */
export function affordBounds(source: u32, maxDelay: u32, countsHops: bool): bool {
  const passes = countsHops && maxDelay < UNBOUNDED ? 2.0 : 1.0;
  const steps = passes * (LEAVING_WORK as f64) * searchSteps();
  if (!areWide(maxDelay, countsHops) && !hasEffortFor(steps)) return false;
  boundsFrom(source, maxDelay, countsHops);
  return true;
}

/**
 * As `boundsFrom`, but without directions that cannot carry the share at present: amounts only grow towards the source.
 * The bounds for all shares, which are at hand, are put aside. The caller must take them back (`leaveShare`) before
 * anything else is asked.
 */
export function boundsForShare(source: u32, maxDelay: u32, countsHops: bool, share: i64): void {
  asideStamp = stamp;
  asideReach = delayReach;
  areAsideHopsCounted = hopsCounted;
  swapTables();
  makeBounds(source, maxDelay, countsHops, share);
}

/** Takes back the bounds that `boundsForShare` has put aside. */
export function leaveShare(): void {
  swapTables();
  stamp = asideStamp;
  delayReach = asideReach;
  hopsCounted = areAsideHopsCounted;
  leastShare = 0;
}

function swapTables(): void {
  const present = table;
  table = otherTable;
  otherTable = present;
}

/**
 * As `boundsFrom`, but only over the nodes whose cheapest path is at most `ceiling`, as `settleCosts` has just settled
 * them. True without any work where bounds over all nodes are at hand, and false where the caller must forget these
 * bounds (`forgetBounds`) before anything else is asked.
 */
export function boundsAmong(source: u32, maxDelay: u32, countsHops: bool, ceiling: f64): bool {
  if (areWide(maxDelay, countsHops)) return true;
  const before = effortSpent();
  isAmong = true;
  nodeCeiling = ceiling;
  makeBounds(source, maxDelay, countsHops, share);
  isAmong = false;
  spentAmong += effortSpent() - before;
  return false;
}

/** Whether the present bounds serve for these limits. */
function areWide(maxDelay: u32, countsHops: bool): bool {
  return stamp !== 0 && maxDelay <= delayReach && (hopsCounted || !countsHops);
}

/** Makes room for a row of each node. */
function makeRoom(): void {
  const nodes = nodeRoom();
  if (nodes <= tableNodes) return;
  table = takePages((nodes as u64) * (offsetof<NodeBounds>() as u64));
  otherTable = takePages((nodes as u64) * (offsetof<NodeBounds>() as u64));
  tableNodes = nodes;
  stamp = 0;
}

function makeBounds(source: u32, maxDelay: u32, countsHops: bool, share: i64): void {
  makeRoom();
  stamp = nextStamp();
  leastShare = share;
  delayReach = maxDelay;
  hopsCounted = countsHops || maxDelay === UNBOUNDED;
  if (maxDelay === UNBOUNDED) countHops(source, true);
  else {
    countDelays(source, maxDelay, countsHops);
    if (countsHops) countHops(source, false);
  }
}

/**
 * From now on, until `leaveWithout`, bounds of delay and hops are taken as 0: making them costs more than a short search
 * with labels.
 */
export function goWithout(): void {
  makeRoom();
  isWithout = true;
}

/** Ends what `goWithout` began: the bounds at hand count again. */
export function leaveWithout(): void {
  isWithout = false;
}

/**
 * Whether a path through the node can keep the limits, when it needs `delay` blocks and `hops` channels after the node.
 */
export function canKeep(node: u32, delay: u32, hops: u32, maxDelay: u32, maxHops: u32): bool {
  if (isWithout) return delay <= maxDelay && hops <= maxHops;
  const at = boundsOf(node);
  return at.stamp === stamp && delay + at.delay <= maxDelay && hops + (at.hops as u32) <= maxHops;
}

/** Least delay from the source, for nodes for which `canKeep` is true. */
export function leastDelay(node: u32): u32 {
  return isWithout ? 0 : boundsOf(node).delay;
}

/** Whether the direction is enabled and can carry the amount at present. */
function carries(record: DirectionRecord, amount: i64): bool {
  return isEnabled(record) && amount <= record.htlcMaximumMsat && amount <= record.maxMsat;
}

/** Whether the node may lie on a path that is looked for. */
function counts(node: u32): bool {
  if (!isAmong) return true;
  const at = boundsOf(node);
  return at.costStamp === costStamp && at.cost + costLeft(node) <= nodeCeiling;
}

/**
 * Counts hops, breadth-first. With `anyDelay` it marks nodes as reached. Else it visits only nodes that `countDelays`
 * reached.
 */
function countHops(source: u32, anyDelay: bool): void {
  let first: u32 = 0;
  let last = visit(source, 0, 0, anyDelay);
  while (first < last) {
    const node = heapNodes[first++];
    const hops = min<u32>((boundsOf(node).hops as u32) + 1, UNCOUNTED - 1);
    for (let more = firstLeaving(node); more; more = nextLeaving()) {
      const head = leavingHead();
      if (!isToVisit(head, anyDelay) || !carries(leavingRecord(), leastShare)) continue;
      last = visit(head, hops, last, anyDelay);
    }
  }
}

function isToVisit(node: u32, anyDelay: bool): bool {
  const at = boundsOf(node);
  if (anyDelay) return at.stamp !== stamp && counts(node);
  return at.stamp === stamp && (at.hops as u32) === UNCOUNTED;
}

function visit(node: u32, hops: u32, last: u32, anyDelay: bool): u32 {
  const at = boundsOf(node);
  if (anyDelay) {
    at.stamp = stamp;
    at.delay = 0;
  }
  at.hops = hops as u16;
  heapNodes[last] = node;
  return last + 1;
}

/** Counts blocks by Dijkstra's algorithm. Hops are left to `countHops`, or taken as 0. */
function countDelays(source: u32, maxDelay: u32, countsHops: bool): void {
  const hops = (countsHops ? UNCOUNTED : 0) as u16;
  boundsOf(source).stamp = stamp;
  boundsOf(source).delay = 0;
  boundsOf(source).hops = hops;
  heapPush(0.0, source);
  while (heapSize > 0) {
    const node = heapPop();
    const delay = boundsOf(node).delay;
    for (let more = firstLeaving(node); more; more = nextLeaving()) {
      const head = leavingHead();
      const at = boundsOf(head);
      if (at.stamp === stamp && at.delay <= delay) continue;
      const record = leavingRecord();
      const total = delay + (record.cltvExpiryDelta as u32);
      if (total > maxDelay || !carries(record, leastShare)) continue;
      if ((at.stamp === stamp && at.delay <= total) || !counts(head)) continue;
      at.stamp = stamp;
      at.delay = total;
      at.hops = hops;
      heapPush(total as f64, head);
    }
  }
}

/**
 * Whether some path takes at most `maxDelay` blocks, whatever it carries. Looks from both ends, so that it mostly takes
 * a small part of what `boundsFrom` does.
 */
export function isQuickEnough(source: u32, destination: u32, maxDelay: u32): bool {
  const weight = feeWeight;
  const isExact = exactFees;
  // A way for no amount costs its blocks at these prices, and nothing else.
  setFeeWeight(0.0, false);
  setLimitPrices(1.0, 0.0);
  const isFound = meetWithin(source, destination, maxDelay);
  setFeeWeight(weight, isExact);
  setLimitPrices(0.0, 0.0);
  heapClear();
  return isFound;
}

function meetWithin(source: u32, destination: u32, maxDelay: u32): bool {
  const found = nextStamp();
  beginAhead(source, destination, 0, found);
  stateOf(destination).cost = 0.0;
  stateOf(destination).stamp = found;
  heapPush(0.0, destination);
  while (heapSize > 0 && meeting > (maxDelay as f64)) {
    // Any path that is quick enough has a node that both sides reach within these distances.
    if (heapLeastKey() + aheadReach() > (maxDelay as f64)) return false;
    const node = heapNodes[0];
    const degree: u32 = node < nodeCount ? inEnabledEnd[node] - inStart[node] : 1;
    if (aheadDegree() <= degree >> 1) settleAhead();
    else settleBehind(heapPop(), found, maxDelay);
  }
  return meeting <= (maxDelay as f64);
}

function settleBehind(node: u32, found: u32, maxDelay: u32): void {
  const state = stateOf(node);
  const delay = state.cost;
  if (node < nodeCount) {
    const last = inEnabledEnd[node];
    spend(DIRECTION_STEPS * (last - inStart[node]) + NODE_STEPS);
    for (let arc = inStart[node]; arc < last; arc++) labelBehind(arc, delay, found, maxDelay);
  }
  let link = state.extraIn;
  while (link !== null) {
    labelBehind(link.arc, delay, found, maxDelay);
    link = link.next;
  }
}

function labelBehind(arc: u32, delay: f64, found: u32, maxDelay: u32): void {
  const record = recordOf(arc);
  const total = delay + (record.cltvExpiryDelta as f64);
  if (!isEnabled(record) || total > (maxDelay as f64)) return;
  const state = stateOf(record.tail);
  if (state.stamp === found && state.cost <= total) return;
  state.cost = total;
  state.stamp = found;
  meetAhead(record.tail, total);
  heapPush(total, record.tail);
}

/**
 * Settles the costs of `amount` from `source`, in their order, for all nodes with a path that costs at most `ceiling`. To
 * be called right after a search for that amount (stamp `found`) that ended at the source with a path of cost
 * `cheapest`. Bounds of delay and hops at hand are kept only where they serve for these limits.
 */
export function settleCosts(
  source: u32,
  amount: i64,
  found: u32,
  cheapest: f64,
  ceiling: f64,
  maxDelay: u32,
  countsHops: bool,
): void {
  makeRoom();
  if (spentAmong > WORTH_ALL * searchSteps()) boundsFrom(source, maxDelay, countsHops);
  else if (!areWide(maxDelay, countsHops)) dropBounds();
  costStamp = nextStamp();
  searchStamp = found;
  cheapestFound = cheapest;
  share = amount;
  costCeiling = ceiling;
  costReach = Infinity;
  boundsOf(source).cost = 0.0;
  boundsOf(source).costStamp = costStamp;
  heapPush(0.0, source);
  for (let settled: u32 = 1; heapSize > 0; settled++) {
    if ((settled & 255) === 0 && pollCancel()) break;
    const node = heapPop();
    const cost = boundsOf(node).cost;
    for (let more = firstLeaving(node); more; more = nextLeaving()) relax(leavingHead(), cost);
  }
  heapClear();
}

function relax(head: u32, cost: f64): void {
  const at = boundsOf(head);
  if (stamp !== 0 && at.stamp !== stamp) return;
  // Costs are not negative, so no arc from here improves such a node.
  if (at.costStamp === costStamp && at.cost <= cost) return;
  const left = costLeft(head);
  if (cost + left > costCeiling) {
    costReach = costCeiling;
    return;
  }
  const record = leavingRecord();
  if (!carries(record, share)) return;
  const total = cost + Crossing.cost(record, share, share);
  if (at.costStamp === costStamp && at.cost <= total) return;
  at.cost = total;
  at.costStamp = costStamp;
  if (total + left <= costCeiling) heapPush(total, head);
  else costReach = costCeiling;
}

/** A lower bound of the cost from the node to the destination, by the search with one label (search.ts). */
function costLeft(node: u32): f64 {
  const state = stateOf(node);
  // That search ended when no node was left that could lead to a cheaper path.
  const most = leastBehind(node, cheapestFound);
  return state.stamp === searchStamp ? min<f64>(state.cost, most) : most;
}

/** Least cost from the source to the node, msat: exact where the node is settled, else a lower bound. */
export function leastCost(node: u32): f64 {
  const at = boundsOf(node);
  const unsettled = costReach - costLeft(node);
  return at.costStamp === costStamp ? min<f64>(at.cost, unsettled) : unsettled;
}

// Iteration over the arcs that leave a node: first the graph's, then created ones.
let leavingAt: u32 = 0;
let leavingEnd: u32 = 0;
let leavingLink: Link | null = null;

function firstLeaving(node: u32): bool {
  leavingAt = 0;
  leavingEnd = 0;
  if (node < nodeCount) {
    leavingAt = outStart[node];
    leavingEnd = outStart.after(node);
    spend(LEAVING_WORK * DIRECTION_STEPS * (leavingEnd - leavingAt) + NODE_STEPS);
  }
  leavingLink = stateOf(node).extraOut;
  return leavingAt < leavingEnd || leavingLink !== null;
}

function nextLeaving(): bool {
  if (leavingAt < leavingEnd) leavingAt++;
  else leavingLink = linkAtHand().next;
  return leavingAt < leavingEnd || leavingLink !== null;
}

/** The present link; only called where there is one. */
function linkAtHand(): Link {
  assert(leavingLink !== null, 'an arc is at hand');
  return changetype<Link>(leavingLink);
}

/** The node that the present arc leads to. */
function leavingHead(): u32 {
  return leavingAt < leavingEnd ? outHeads[leavingAt] : headOfArc(linkAtHand().arc);
}

function leavingRecord(): DirectionRecord {
  return leavingAt < leavingEnd ? recordOut(leavingAt) : recordOf(linkAtHand().arc);
}
