/**
 * Lower bounds of the cost from the source to a node: the other side of a search (search.ts).
 *
 * Dijkstra's algorithm from the source outwards, over all directions that can carry the share, each at the cost of the
 * share alone. Amounts only grow towards the source and prices never fall with the amount (prices.ts), so this bounds
 * every path from below:
 *
 *   A(v) = min over paths from the source to v of Σ c(share) ≤ what any path through v costs up to v
 *
 * It is worked out a node at a time, as far as the search wants it. A node that is not settled yet costs at least as
 * much as the next one to be settled. Where no node is left to settle, it cannot be reached at all.
 *
 *   leastAhead(v) = A(v) where v is settled, else the smallest key in the heap
 *
 * Invariant: `leastAhead` is consistent, leastAhead(v) ≤ leastAhead(u) + c(u → v). So it serves as the potential of an
 * A* search (Hart, Nilsson and Raphael 1968). It holds until the next search begins.
 *
 * Most searches have a tree of their own, whose labels are in the states of nodes. Where searches in a row would make
 * the same tree, it is kept from one to the next, in labels apart (kept-tree.ts). Both kinds of labels have the same
 * form.
 *
 * Work: each direction is looked at once. That is costlier than in the search from the destination, since the directions
 * that leave a node lie all over memory. Memory: the heap has a place for each direction. A node may be in it
 * several times, and only the first of these entries counts.
 */
import { DirectionRecord, isEnabled } from '../../graph/direction';
import { headOfArc } from '../../overlay/created-channels';
import { arcRoom, NodeState, recordOf, recordOut, stateOf } from '../../overlay/scratch';
import { Workspace } from '../../workspace';
import { DIRECTION_STEPS, NODE_STEPS, spend } from '../question/effort';
import { Crossing } from '../question/prices';
import { KEPT_TREE, mayGrow, OWN_TREE, pay, treeFor } from './kept-tree';
import { newQueue, Queue } from './queue';

/** What is known of a node from this side. In a node's state these are `aheadCost` and `aheadStamp`. */
@unmanaged
class AheadLabel {
  /** What a path costs at least from the source to here, msat. */
  cost: f64;
  /** The tree that the label belongs to. */
  tree: u32;
}

/** Bytes from one label to the next, as a power of two: in the states of nodes, and where a tree is kept. */
const OWN_SHIFT: usize = 6;
const KEPT_SHIFT: usize = 4;

/** The tree of the search under way, and the tree that is kept. */
@unmanaged
export class Ahead {
  ownQueue: Queue;
  keptQueue: Queue;
  /** The number that labels of the kept tree carry. */
  keptTree: u32;
  // The tree of this search.
  /** Nodes by their cost. */
  queue: Queue;
  /** Where the label of node 0 is. */
  labels: usize;
  shift: usize;
  /** The number that its labels carry. */
  tree: u32;
  isKept: bool;
  /** The search from the destination. */
  stamp: u32;
  share: i64;
  end: u32;
  /**
   * A lower bound of the cost of paths through any node that both sides have labelled, msat; Infinity while there is
   * none.
   */
  meeting: f64;

  /** Sets what is not 0 in a new workspace. */
  begin(): void {
    this.shift = OWN_SHIFT;
    this.meeting = Infinity;
  }
}

/**
 * Begins a search's other side: from `source`, for `amount` msat, with the number `search`. The label of the destination
 * is made by the caller, at no cost.
 */
export function beginAhead(work: Workspace, source: u32, destination: u32, amount: i64, search: u32): void {
  const ahead = work.ahead;
  const kind = treeFor(work, source, amount);
  ahead.stamp = search;
  ahead.share = amount;
  ahead.meeting = Infinity;
  ahead.isKept = kind !== OWN_TREE;
  if (!ASC_NO_ASSERT) assert(!ahead.isKept || !work.lanes.areApplied, 'a kept tree knows no loads');
  ahead.end = destination;
  ahead.labels = ahead.isKept
    ? work.kept.keptLabels
    : changetype<usize>(stateOf(work.scratch, 0)) + offsetof<NodeState>('aheadCost');
  ahead.shift = ahead.isKept ? KEPT_SHIFT : OWN_SHIFT;
  if (kind === KEPT_TREE) {
    ahead.tree = ahead.keptTree;
    ahead.queue = ahead.keptQueue;
    meetAhead(ahead, destination, 0.0);
    return;
  }
  ahead.tree = search;
  if (ahead.isKept) ahead.keptTree = ahead.tree;
  ahead.queue = emptyQueue(work);
  label(ahead, source, 0.0);
  ahead.queue.push(0.0, source);
}

/** The queue of the kept tree, or of the search's own, without entries. */
function emptyQueue(work: Workspace): Queue {
  const ahead = work.ahead;
  if (changetype<usize>(ahead.ownQueue) === 0) ahead.ownQueue = newQueue();
  if (ahead.isKept && changetype<usize>(ahead.keptQueue) === 0) ahead.keptQueue = newQueue();
  const empty = ahead.isKept ? ahead.keptQueue : ahead.ownQueue;
  empty.clear(arcRoom(work.scratch) + 1);
  return empty;
}

function labelOf(ahead: Ahead, node: u32): AheadLabel {
  return changetype<AheadLabel>(ahead.labels + ((node as usize) << ahead.shift));
}

function label(ahead: Ahead, node: u32, cost: f64): void {
  const at = labelOf(ahead, node);
  at.cost = cost;
  at.tree = ahead.tree;
}

/** The cost of the node that would be settled next; Infinity when none is left. */
export function aheadReach(ahead: Ahead): f64 {
  dropStale(ahead);
  return ahead.queue.size === 0 ? Infinity : ahead.queue.leastKey();
}

/** Directions that leave the node that would be settled next; one must be left. */
export function aheadDegree(work: Workspace): u32 {
  const graph = work.graph;
  const node = work.ahead.queue.first();
  return node < graph.nodeCount ? graph.outStart.after(node) - graph.outStart[node] : 1;
}

/** Whether a tree that is kept may grow beyond what this search gains from it. */
export function mayGrowAhead(work: Workspace): bool {
  return work.ahead.isKept && mayGrow(work.kept);
}

/** Settles the next node. `aheadReach` has just said that there is one. */
export function settleAhead(work: Workspace): void {
  const steps = settleNext(work);
  if (work.ahead.isKept) pay(work.kept, steps);
  else spend(work.effort, steps);
}

/** Settles the next node. Returns the steps it took. */
function settleNext(work: Workspace): u32 {
  const ahead = work.ahead;
  const graph = work.graph;
  const node = ahead.queue.first();
  const cost = ahead.queue.leastKey();
  let steps: u32 = 0;
  ahead.queue.pop();
  if (node < graph.nodeCount) {
    const first = graph.outStart[node];
    const last = graph.outStart.after(node);
    steps = 2 * DIRECTION_STEPS * (last - first) + NODE_STEPS;
    for (let k = first; k < last; k++) {
      const head = graph.outHeads[k];
      // This saves the look at most records.
      if (mayImprove(ahead, head, cost)) relax(work, recordOut(work, k), head, cost);
    }
  }
  let link = stateOf(work.scratch, node).extraOut;
  while (link !== null) {
    const head = headOfArc(work, link.arc);
    if (mayImprove(ahead, head, cost)) relax(work, recordOf(work, link.arc), head, cost);
    link = link.next;
  }
  return steps;
}

/**
 * A lower bound of the cost from the source to the node, msat. `reach` is what `aheadReach` said when it was last
 * asked.
 */
export function leastAhead(ahead: Ahead, node: u32, reach: f64): f64 {
  const at = labelOf(ahead, node);
  return at.tree === ahead.tree ? min<f64>(at.cost, reach) : reach;
}

/** Notes that the other side has labelled a node at `cost` msat, in case this side has too. */
export function meetAhead(ahead: Ahead, node: u32, cost: f64): void {
  const at = labelOf(ahead, node);
  if (at.tree === ahead.tree) meet(ahead, at.cost + cost);
}

/** Notes that both sides have labelled a node: a path through it costs at least `cost` msat. */
function meet(ahead: Ahead, cost: f64): void {
  if (cost < ahead.meeting) ahead.meeting = cost;
}

/** Whether an arc from a node settled at `cost` can improve its head: costs are not negative. */
function mayImprove(ahead: Ahead, head: u32, cost: f64): bool {
  const at = labelOf(ahead, head);
  return at.tree !== ahead.tree || at.cost > cost;
}

/** Labels the head of an arc whose tail has just been settled at `cost`. */
function relax(work: Workspace, record: DirectionRecord, head: u32, cost: f64): void {
  const ahead = work.ahead;
  if (!isEnabled(record) || ahead.share > record.htlcMaximumMsat || ahead.share > record.maxMsat) return;
  const total = cost + Crossing.cost(work, record, ahead.share, ahead.share);
  const at = labelOf(ahead, head);
  if (at.tree === ahead.tree && at.cost <= total) return;
  at.cost = total;
  at.tree = ahead.tree;
  const state = stateOf(work.scratch, head);
  if (state.stamp === ahead.stamp) meet(ahead, total + state.cost);
  if (!isBlind(work, head)) ahead.queue.push(total, head);
}

/** Whether nothing lies beyond the node: it has a single channel, and is not the destination. */
function isBlind(work: Workspace, node: u32): bool {
  const graph = work.graph;
  if (node >= graph.nodeCount || node === work.ahead.end) return false;
  return (
    graph.outStart.after(node) - graph.outStart[node] === 1 && stateOf(work.scratch, node).extraOut === null
  );
}

/** Removes entries of nodes that have been settled at a lower cost. */
function dropStale(ahead: Ahead): void {
  while (ahead.queue.size > 0 && labelOf(ahead, ahead.queue.first()).cost < ahead.queue.leastKey())
    ahead.queue.pop();
}
