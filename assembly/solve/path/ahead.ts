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
 *   leastAhead(v) = A(v) where v is settled, else the least key in the heap
 *
 * Invariant: `leastAhead` is consistent, leastAhead(v) ≤ leastAhead(u) + c(u → v). So it serves as the potential of an
 * A* search (Hart, Nilsson and Raphael 1968). It holds until the next search begins.
 *
 * Most searches have a tree of their own, whose labels are in the states of nodes. Where searches in a row would make
 * the same tree, it is kept from one to the next, in labels apart (kept-tree.ts). Both kinds of labels have the same
 * form.
 *
 * Work: each direction is looked at once. That is dearer than in the search from the destination, since the directions
 * that leave a node lie all over memory. Memory: the heap has a place for each direction. A node may stand in it
 * several times, and only the first of these entries counts.
 */
import { DirectionRecord, isEnabled } from '../../graph/direction';
import { nodeCount, outHeads, outStart } from '../../graph/graph';
import { headOfArc } from '../../overlay/created-channels';
import { arcRoom, NodeState, recordOf, recordOut, stateOf } from '../../overlay/scratch';
import { areLoadsApplied } from '../flow/lanes';
import { DIRECTION_STEPS, NODE_STEPS, spend } from '../question/effort';
import { Crossing } from '../question/prices';
import { KEPT_TREE, keptLabels, mayGrow, OWN_TREE, pay, treeFor } from './kept-tree';
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

let ownQueue: Queue = changetype<Queue>(0);
let keptQueue: Queue = changetype<Queue>(0);
/** The number that labels of the kept tree carry. */
let keptTree: u32 = 0;

// The tree of this search.
/** Nodes by their cost. */
let queue: Queue = changetype<Queue>(0);
/** Where the label of node 0 is. */
let labels: usize = 0;
let shift: usize = OWN_SHIFT;
/** The number that its labels carry. */
let tree: u32 = 0;
let isKept: bool = false;

/** The search from the destination. */
let stamp: u32 = 0;
let share: i64 = 0;
let end: u32 = 0;
/**
 * A lower bound of the cost of paths through any node that both sides have labelled, msat; Infinity while there is
 * none.
 */
export let meeting: f64 = Infinity;

/**
 * Begins a search's other side: from `source`, for `amount` msat, with the number `search`. The label of the destination
 * is made by the caller, at no cost.
 */
export function beginAhead(source: u32, destination: u32, amount: i64, search: u32): void {
  const kind = treeFor(source, amount);
  stamp = search;
  share = amount;
  meeting = Infinity;
  isKept = kind !== OWN_TREE;
  if (!ASC_NO_ASSERT) assert(!isKept || !areLoadsApplied, 'a kept tree knows no loads');
  end = destination;
  labels = isKept ? keptLabels : changetype<usize>(stateOf(0)) + offsetof<NodeState>('aheadCost');
  shift = isKept ? KEPT_SHIFT : OWN_SHIFT;
  if (kind === KEPT_TREE) {
    tree = keptTree;
    queue = keptQueue;
    meetAhead(destination, 0.0);
    return;
  }
  tree = search;
  if (isKept) keptTree = tree;
  queue = emptyQueue();
  label(source, 0.0);
  queue.push(0.0, source);
}

/** The queue of the kept tree, or of the search's own, without entries. */
function emptyQueue(): Queue {
  if (changetype<usize>(ownQueue) === 0) ownQueue = newQueue();
  if (isKept && changetype<usize>(keptQueue) === 0) keptQueue = newQueue();
  const empty = isKept ? keptQueue : ownQueue;
  empty.clear(arcRoom() + 1);
  return empty;
}

function labelOf(node: u32): AheadLabel {
  return changetype<AheadLabel>(labels + ((node as usize) << shift));
}

function label(node: u32, cost: f64): void {
  const at = labelOf(node);
  at.cost = cost;
  at.tree = tree;
}

/** The cost of the node that would be settled next; Infinity when none is left. */
export function aheadReach(): f64 {
  dropStale();
  return queue.size === 0 ? Infinity : queue.leastKey();
}

/** Directions that leave the node that would be settled next; one must be left. */
export function aheadDegree(): u32 {
  const node = queue.first();
  return node < nodeCount ? outStart.after(node) - outStart[node] : 1;
}

/** Whether a tree that is kept may grow beyond what this search gains from it. */
export function mayGrowAhead(): bool {
  return isKept && mayGrow();
}

/** Settles the next node. `aheadReach` has just said that there is one. */
export function settleAhead(): void {
  const steps = settleNext();
  if (isKept) pay(steps);
  else spend(steps);
}

/** Settles the next node. Returns the steps it took. */
function settleNext(): u32 {
  const node = queue.first();
  const cost = queue.leastKey();
  let steps: u32 = 0;
  queue.pop();
  if (node < nodeCount) {
    const first = outStart[node];
    const last = outStart.after(node);
    steps = 2 * DIRECTION_STEPS * (last - first) + NODE_STEPS;
    for (let k = first; k < last; k++) {
      const head = outHeads[k];
      // This saves the look at most records.
      if (mayImprove(head, cost)) relax(recordOut(k), head, cost);
    }
  }
  let link = stateOf(node).extraOut;
  while (link !== null) {
    const head = headOfArc(link.arc);
    if (mayImprove(head, cost)) relax(recordOf(link.arc), head, cost);
    link = link.next;
  }
  return steps;
}

/**
 * A lower bound of the cost from the source to the node, msat. `reach` is what `aheadReach` said when it was last
 * asked.
 */
export function leastAhead(node: u32, reach: f64): f64 {
  const at = labelOf(node);
  return at.tree === tree ? min<f64>(at.cost, reach) : reach;
}

/** Notes that the other side has labelled a node at `cost` msat, in case this side has too. */
export function meetAhead(node: u32, cost: f64): void {
  const at = labelOf(node);
  if (at.tree === tree) meet(at.cost + cost);
}

/** Notes that both sides have labelled a node: a path through it costs at least `cost` msat. */
function meet(cost: f64): void {
  if (cost < meeting) meeting = cost;
}

/** Whether an arc from a node settled at `cost` can improve its head: costs are not negative. */
function mayImprove(head: u32, cost: f64): bool {
  const at = labelOf(head);
  return at.tree !== tree || at.cost > cost;
}

/** Labels the head of an arc whose tail has just been settled at `cost`. */
function relax(record: DirectionRecord, head: u32, cost: f64): void {
  if (!isEnabled(record) || share > record.htlcMaximumMsat || share > record.maxMsat) return;
  const total = cost + Crossing.cost(record, share, share);
  const at = labelOf(head);
  if (at.tree === tree && at.cost <= total) return;
  at.cost = total;
  at.tree = tree;
  const state = stateOf(head);
  if (state.stamp === stamp) meet(total + state.cost);
  if (!isBlind(head)) queue.push(total, head);
}

/** Whether nothing lies beyond the node: it has a single channel, and is not the destination. */
function isBlind(node: u32): bool {
  if (node >= nodeCount || node === end) return false;
  return outStart.after(node) - outStart[node] === 1 && stateOf(node).extraOut === null;
}

/** Removes entries of nodes that have been settled at a lower cost. */
function dropStale(): void {
  while (queue.size > 0 && labelOf(queue.first()).cost < queue.leastKey()) queue.pop();
}
