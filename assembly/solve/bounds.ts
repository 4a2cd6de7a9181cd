/**
 * Lower bounds of what a path needs from the source to a node: blocks, hops, cost.
 *
 * The search with several labels (labels.ts) drops labels that cannot stay within a limit, and looks at the most
 * promising label first. Three lower bounds serve it:
 *
 *   delay, hops   over all enabled directions, whatever they carry: one pass serves all shares of a question. Where the
 *                 search with these is stopped, only over directions that can carry the share (`boundsForShare`)
 *   cost          of the share asked for, at the present prices and loads. Amounts only grow towards the source, and
 *                 prices never fall with the amount (prices.ts), so the cost of the share itself is a lower bound
 *
 * Costs are settled outwards from the source as in A* (Hart, Nilsson and Raphael 1968), in the order of cost from the
 * source plus cost left to the destination, which a search at the same prices has just found (search.ts). So only nodes
 * whose cheapest path is at most `ceiling` are ever looked at.
 *
 * Invariants: a bound holds while its stamp is the present one, so nothing is cleared; a bound never exceeds what a
 * path needs. Work: delays are one Dijkstra search, hops one search by breadth, costs a part of one Dijkstra search.
 */
import { takePages } from '../graph/arena';
import { DirectionRecord, isEnabled } from '../graph/direction';
import { nodeCount, outArcs, outStart } from '../graph/graph';
import { headOfArc } from '../overlay/created-channels';
import { Link } from '../overlay/links';
import { heapNodes, nodeRoom, recordOf, stateOf } from '../overlay/scratch';
import { DIRECTION_STEPS, NODE_STEPS, spend } from './effort';
import { heapClear, heapLeastKey, heapPop, heapPush, heapSize } from './heap';
import { Crossing } from './prices';
import { leastBehind, nextStamp } from './search';
import { pollCancel } from './task';

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

/** When the present bounds do not reach far enough, new ones reach this many times as far as asked for. */
const WIDENING: u32 = 4;
/** The value of a limit on delay that means no limit. */
export const UNBOUNDED: u32 = 0x7fffffff;

let table: usize = 0;
let tableNodes: u32 = 0;
/** The stamp of the present delays and hops; 0 when there are none yet. */
let stamp: u32 = 0;
/** Only directions that can carry this much count, msat. */
let leastShare: i64 = 0;
/** Nodes with a larger delay than this were not reached. */
let delayReach: u32 = 0;
let hopsCounted: bool = false;

let costStamp: u32 = 0;
/** The search whose labels say what is left to the destination, and the cost of the path that it found. */
let searchStamp: u32 = 0;
let cheapestFound: f64 = 0.0;
/** A path through a node that is not settled yet costs at least this much from source to destination. */
let costReach: f64 = 0.0;
let share: i64 = 0;

/** What is known of a node; room for it was made by `boundsFrom`. */
export function boundsOf(node: u32): NodeBounds {
  return changetype<NodeBounds>(table + (node as usize) * offsetof<NodeBounds>());
}

/** Forgets the bounds: the next query has another source, or other layers. */
export function forgetBounds(): void {
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
  if (stamp !== 0 && maxDelay <= delayReach && (hopsCounted || !countsHops)) return;
  // A caller that asks for more than before is likely to ask for still more.
  const isWider = stamp !== 0 && maxDelay > delayReach && maxDelay < UNBOUNDED / WIDENING;
  makeBounds(source, isWider ? WIDENING * maxDelay : maxDelay, countsHops, 0);
}

/**
 * As `boundsFrom`, but without directions that cannot carry the share at present: amounts only grow towards the source.
 * The caller must forget these bounds (`forgetBounds`) before anything else is asked.
 */
export function boundsForShare(source: u32, maxDelay: u32, countsHops: bool, share: i64): void {
  makeBounds(source, maxDelay, countsHops, share);
}

function makeBounds(source: u32, maxDelay: u32, countsHops: bool, share: i64): void {
  const nodes = nodeRoom();
  if (nodes > tableNodes) {
    table = takePages((nodes as u64) * (offsetof<NodeBounds>() as u64));
    tableNodes = nodes;
    stamp = 0;
  }
  stamp = nextStamp();
  leastShare = share;
  delayReach = maxDelay;
  hopsCounted = countsHops || maxDelay === UNBOUNDED;
  if (maxDelay === UNBOUNDED) countHops(source, true);
  else {
    countDelays(source, maxDelay);
    if (countsHops) countHops(source, false);
  }
}

/**
 * Whether a path through the node can keep the limits, when it needs `delay` blocks and `hops` channels after the node.
 */
export function canKeep(node: u32, delay: u32, hops: u32, maxDelay: u32, maxHops: u32): bool {
  const at = boundsOf(node);
  return at.stamp === stamp && delay + at.delay <= maxDelay && hops + (at.hops as u32) <= maxHops;
}

/** Least delay from the source, for nodes for which `canKeep` is true. */
export function leastDelay(node: u32): u32 {
  return boundsOf(node).delay;
}

/** Whether the direction is enabled and can carry the amount at present. */
function carries(record: DirectionRecord, amount: i64): bool {
  return isEnabled(record) && amount <= record.htlcMaximumMsat && amount <= record.maxMsat;
}

/**
 * Counts hops, breadth-first. With `anyDelay` it marks nodes as reached. Else it visits only nodes that `countDelays`
 * reached.
 */
function countHops(source: u32, anyDelay: bool): void {
  const counting = anyDelay ? stamp : nextStamp();
  let first: u32 = 0;
  let last = visit(source, 0, 0, counting, anyDelay);
  while (first < last) {
    const node = heapNodes[first++];
    const hops = min<u32>((boundsOf(node).hops as u32) + 1, 0xffff);
    for (let more = firstLeaving(node); more; more = nextLeaving()) {
      const arc = leavingArc();
      if (carries(recordOf(arc), leastShare)) last = visit(headOfArc(arc), hops, last, counting, anyDelay);
    }
  }
}

function visit(node: u32, hops: u32, last: u32, counting: u32, anyDelay: bool): u32 {
  const at = boundsOf(node);
  if (anyDelay) {
    if (at.stamp === stamp) return last;
    at.stamp = stamp;
    at.delay = 0;
  } else {
    if (at.stamp !== stamp || at.costStamp === counting) return last;
    at.costStamp = counting;
  }
  at.hops = hops as u16;
  heapNodes[last] = node;
  return last + 1;
}

/** Counts blocks by Dijkstra's algorithm. */
function countDelays(source: u32, maxDelay: u32): void {
  boundsOf(source).stamp = stamp;
  boundsOf(source).delay = 0;
  boundsOf(source).hops = 0;
  heapPush(0.0, source);
  while (heapSize > 0) {
    const node = heapPop();
    const delay = boundsOf(node).delay;
    for (let more = firstLeaving(node); more; more = nextLeaving()) {
      const record = recordOf(leavingArc());
      const total = delay + (record.cltvExpiryDelta as u32);
      if (total > maxDelay || !carries(record, leastShare)) continue;
      const head = headOfArc(leavingArc());
      const at = boundsOf(head);
      if (at.stamp === stamp && at.delay <= total) continue;
      at.stamp = stamp;
      at.delay = total;
      at.hops = 0;
      heapPush(total as f64, head);
    }
  }
}

/**
 * Begins the costs of `amount` from `source`. To be called right after a search for that amount (stamp `found`) that
 * ended at the source with a path of cost `cheapest`. The heap is in use until `endCosts`.
 */
export function beginCosts(source: u32, amount: i64, found: u32, cheapest: f64): void {
  costStamp = nextStamp();
  searchStamp = found;
  cheapestFound = cheapest;
  share = amount;
  costReach = 0.0;
  boundsOf(source).cost = 0.0;
  boundsOf(source).costStamp = costStamp;
  heapPush(cheapest, source);
}

/** Ends what `beginCosts` began: the heap is free again. */
export function endCosts(): void {
  heapClear();
}

/** Settles all nodes with a path that costs at most `ceiling`. */
export function settleCosts(ceiling: f64): void {
  let settled: u32 = 0;
  while (heapSize > 0 && heapLeastKey() <= ceiling) {
    if ((++settled & 255) === 0 && pollCancel()) return;
    const node = heapPop();
    const cost = boundsOf(node).cost;
    for (let more = firstLeaving(node); more; more = nextLeaving()) relax(leavingArc(), cost);
  }
  costReach = heapSize > 0 ? ceiling : Infinity;
}

function relax(arc: u32, cost: f64): void {
  const record = recordOf(arc);
  if (!carries(record, share)) return;
  const head = headOfArc(arc);
  const at = boundsOf(head);
  if (at.stamp !== stamp) return;
  const total = cost + Crossing.cost(record, share);
  if (at.costStamp === costStamp && at.cost <= total) return;
  at.cost = total;
  at.costStamp = costStamp;
  heapPush(total + costLeft(head), head);
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
    spend(2 * DIRECTION_STEPS * (leavingEnd - leavingAt) + NODE_STEPS);
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

function leavingArc(): u32 {
  return leavingAt < leavingEnd ? outArcs[leavingAt] : linkAtHand().arc;
}
