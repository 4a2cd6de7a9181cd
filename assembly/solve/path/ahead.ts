/**
 * Lower bounds of the cost from the source to a node: the source's side of a search (search.ts).
 *
 * It runs Dijkstra's algorithm from the source outwards, over all directions that can carry the share, each at the cost
 * of the share itself. Amounts only grow towards the source and prices never fall with the amount (prices.ts), so this
 * bounds every path from below:
 *
 *   A(v) = min over paths from the source to v of Σ c(share) ≤ what any path through v costs up to v
 *
 * Nodes are settled one at a time, as far as the search needs. An unsettled node costs at least as much as the next one
 * to be settled. If no node is left to settle, the unsettled ones cannot be reached.
 *
 *   leastAhead(v) = A(v) if v is settled, else the smallest key in the heap or of a label that is left out
 *
 * Invariant: `leastAhead` is consistent, leastAhead(v) ≤ leastAhead(u) + c(u → v). So it serves as the potential of an
 * A* search (Hart, Nilsson and Raphael 1968). It is valid until the next search begins.
 *
 * The arcs out of large nodes are read in order of cost, a few blocks at a time (blocks.ts). Meanwhile, the settled node
 * is in the queue again, at a lower bound of the labels that its other arcs can make. So every label below the smallest
 * key has been made.
 *
 * Most searches have their own tree, with labels in the states of nodes. If consecutive searches would make the same
 * tree, it is kept from one to the next, in separate labels of the same format (kept-tree.ts).
 *
 * Work: each direction is scanned at most once. Memory: a heap place per direction. A node may be in the heap several
 * times; only the first entry counts. An entry of a settled node takes the place of one of the arcs not yet read.
 */

import { DirectionRecord, isEnabled, recordIn } from '../../graph/direction';
import { headOfArc } from '../../overlay/created-channels';
import { leavingEnd } from '../../overlay/links';
import { arcRoom, NodeState, recordOf, recordOut, stateOf } from '../../overlay/scratch';
import { Workspace } from '../../workspace';
import { DIRECTION_STEPS, NODE_STEPS, spend } from '../question/effort';
import { Crossing } from '../question/prices';
import {
  areBlocksRead,
  areFirstOutOf,
  BLOCK,
  beginBlocks,
  blocksAtOnce,
  isBounded,
  isReadFirst,
  leastOutOf,
} from './blocks';
import { KEPT_TREE, mayGrow, OWN_TREE, pay, treeFor } from './kept-tree';
import { newQueue, Queue } from './queue';

/** Label of a node from this side. In a node's state the fields are `aheadCost` and `aheadStamp`. */
@unmanaged
class AheadLabel {
  /** Minimum cost of a path from the source to here, msat. */
  cost: f64;
  /** The tree to which the label belongs. */
  tree: u32;
  /** For a large node that is settled: the next block of arcs to read (blocks.ts). */
  block: u32;
}

/** Added to a settled node in the queue whose arcs were not all read. */
const CONTINUED: u32 = 0x80000000;
/** Log2 of the bytes from one label to the next: in the states of nodes, and in a kept tree. */
const OWN_SHIFT: usize = 6;
const KEPT_SHIFT: usize = 4;

/** The tree of the current search, and the kept tree. */
@unmanaged
export class Ahead {
  ownQueue: Queue;
  keptQueue: Queue;
  /** Tree number in the labels of the kept tree. */
  keptTree: u32;
  // The tree of this search.
  /** Nodes to settle, lowest cost first. */
  queue: Queue;
  /** Address of the label of node 0. */
  labels: usize;
  shift: usize;
  /** Tree number in the labels of this tree. */
  tree: u32;
  isKept: bool;
  /** Stamp of the search from the destination. */
  stamp: u32;
  share: i64;
  end: u32;
  /**
   * A lower bound of the cost of paths through nodes that both sides have labelled, msat; Infinity while there are
   * none.
   */
  meeting: f64;
  /** Paths that cost this much are of no use, msat. */
  limit: f64;
  /** The lowest cost of a label that was not made because it is of no use, msat; Infinity if there is none. */
  leastSkipped: f64;

  /** Call once for a new workspace: sets the fields of this class that do not start at zero. */
  begin(): void {
    this.shift = OWN_SHIFT;
    this.meeting = Infinity;
    this.limit = Infinity;
    this.leastSkipped = Infinity;
  }
}

/**
 * Begins the source's side of a search, for `amount` msat, with the number `search`. The caller labels the destination,
 * at cost 0. Paths that cost `limit` msat or more are of no use.
 */
export function beginAhead(
  work: Workspace,
  source: u32,
  destination: u32,
  amount: i64,
  search: u32,
  limit: f64,
): void {
  const ahead = work.ahead;
  const kind = treeFor(work, source, amount);
  beginBlocks(work, amount);
  ahead.stamp = search;
  ahead.share = amount;
  ahead.meeting = Infinity;
  ahead.isKept = kind !== OWN_TREE;
  ahead.limit = limit;
  ahead.leastSkipped = Infinity;
  if (!ASC_NO_ASSERT) assert(!ahead.isKept || !work.lanes.areApplied, 'a kept tree excludes loads');
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

/** Empties and returns the queue of the kept tree, or that of the search's own tree. */
function emptyQueue(work: Workspace): Queue {
  const ahead = work.ahead;
  if (!ahead.isKept) return ownQueue(work);
  if (changetype<usize>(ahead.keptQueue) === 0) ahead.keptQueue = newQueue();
  ahead.keptQueue.clear(arcRoom(work.scratch) + 1);
  return ahead.keptQueue;
}

/** Empties and returns the queue of searches that keep no tree, which has a place for every direction. */
export function ownQueue(work: Workspace): Queue {
  const ahead = work.ahead;
  if (changetype<usize>(ahead.ownQueue) === 0) ahead.ownQueue = newQueue();
  ahead.ownQueue.clear(arcRoom(work.scratch) + 1);
  return ahead.ownQueue;
}

function labelOf(ahead: Ahead, node: u32): AheadLabel {
  return changetype<AheadLabel>(ahead.labels + ((node as usize) << ahead.shift));
}

function label(ahead: Ahead, node: u32, cost: f64): void {
  const at = labelOf(ahead, node);
  at.cost = cost;
  at.tree = ahead.tree;
}

/** The cost of the next node to settle, or of a label that was not made if that is less; Infinity if none is left. */
export function aheadReach(ahead: Ahead): f64 {
  dropStale(ahead);
  return ahead.queue.size === 0 ? ahead.leastSkipped : min<f64>(ahead.queue.leastKey(), ahead.leastSkipped);
}

/** Whether no label was left out, so that the tree can grow to any cost. */
export function isAheadWhole(ahead: Ahead): bool {
  return ahead.leastSkipped === Infinity;
}

/**
 * Number of directions to read for the next node to settle: all that leave it, or a block; 1 if that node is not in the
 * graph. There must be a next node.
 */
export function aheadDegree(work: Workspace): u32 {
  const graph = work.graph;
  const node = work.ahead.queue.first();
  if (node >= CONTINUED) return BLOCK;
  if (node >= graph.nodeCount) return 1;
  const first = graph.outStart[node];
  return areBlocksRead(work.blocks, graph.outEnabledEnd[node] - first)
    ? BLOCK
    : leavingEnd(work, node) - first;
}

/**
 * As `aheadDegree`, for the directions into the next node to settle from the destination. The heap must not be empty.
 */
export function behindDegree(work: Workspace): u32 {
  const graph = work.graph;
  const node = work.heap.nodes[0];
  if (node >= graph.nodeCount) return 1;
  const arcs = graph.inEnabledEnd[node] - graph.inStart[node];
  return areBlocksRead(work.blocks, arcs) ? BLOCK : arcs;
}

/** Whether a kept tree may grow beyond what this search needs. */
export function mayGrowAhead(work: Workspace): bool {
  return work.ahead.isKept && mayGrow(work.kept);
}

/** Settles the next node. There must be one whose cost is `aheadReach`. */
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
  ahead.queue.pop();
  if (node >= CONTINUED) {
    const settled = node - CONTINUED;
    return readBlocks(work, settled, labelOf(ahead, settled).block, true);
  }
  const cost = labelOf(ahead, node).cost;
  let steps: u32 = 0;
  if (node < graph.nodeCount) {
    const first = graph.outStart[node];
    const last = leavingEnd(work, node);
    if (areBlocksRead(work.blocks, graph.outEnabledEnd[node] - first)) {
      if (areFirstOutOf(work, node)) steps = readCheaper(work, node, cost);
      steps += readBlocks(work, node, 0, false);
    } else {
      steps = DIRECTION_STEPS * (last - first) + NODE_STEPS;
      for (let k = first; k < last; k++) {
        const head = graph.outHeads[k];
        // This check avoids reading most records.
        if (mayImprove(ahead, head, cost)) relax(work, recordOut(work, k), head, cost);
      }
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
 * Reads the arcs out of a large node whose overrides may cost less than the bounds of blocks. Returns the steps it took.
 */
function readCheaper(work: Workspace, node: u32, cost: f64): u32 {
  const graph = work.graph;
  const last = leavingEnd(work, node);
  let steps: u32 = 0;
  for (let k = graph.outStart[node]; k < last; k++) {
    const changed = work.scratch.overrides[graph.outArcs[k]];
    if (changed === null || !isReadFirst(work.blocks, changed)) continue;
    steps += DIRECTION_STEPS;
    relax(work, changed, graph.outHeads[k], cost);
  }
  return steps;
}

/**
 * Reads arcs from a settled node, from `block` on, as long as the next ones may be the cheapest way to settle a node.
 * The rest is queued. With `isDue`, the first block has waited in the queue. Returns the steps it took.
 */
function readBlocks(work: Workspace, node: u32, block: u32, isDue: bool): u32 {
  const ahead = work.ahead;
  const graph = work.graph;
  const overrides = work.scratch.overrides;
  const cost = labelOf(ahead, node).cost;
  const first = graph.outStart[node];
  const last = graph.outEnabledEnd[node];
  let steps: u32 = NODE_STEPS;
  let at = block;
  let place = first + block * BLOCK;
  while (place < last) {
    if (!isDue) {
      const key = cost + leastOutOf(work, node, at);
      if (isSkipped(ahead, key)) break;
      if (ahead.queue.size === 0 || ahead.queue.leastKey() < key) {
        labelOf(ahead, node).block = at;
        ahead.queue.push(key, node + CONTINUED);
        break;
      }
    }
    isDue = false;
    const least = ASC_NO_ASSERT ? 0.0 : leastOutOf(work, node, at);
    const more = blocksAtOnce(at);
    at += more;
    const end = min<u32>(place + more * BLOCK, last);
    steps += DIRECTION_STEPS * (end - place);
    for (; place < end; place++) {
      const k = first + (graph.outOrder[place] as u32);
      const head = graph.outHeads[k];
      if (!mayImprove(ahead, head, cost)) continue;
      const changed = overrides[graph.outArcs[k]];
      if (changed !== null && isReadFirst(work.blocks, changed)) continue;
      const record = changed === null ? recordIn(graph.outDirections, k) : changed;
      if (!ASC_NO_ASSERT) assert(isBounded(work, record, ahead.share, least), 'a block has a lower bound');
      relax(work, record, head, cost);
    }
  }
  return steps;
}

/** A lower bound of the cost from the source to the node, msat. `reach` is the last result of `aheadReach`. */
export function leastAhead(ahead: Ahead, node: u32, reach: f64): f64 {
  const at = labelOf(ahead, node);
  return at.tree === ahead.tree ? min<f64>(at.cost, reach) : reach;
}

/**
 * Records that the destination's side has labelled a node at `cost` msat, in case the source's side has labelled it
 * too.
 */
export function meetAhead(ahead: Ahead, node: u32, cost: f64): void {
  const at = labelOf(ahead, node);
  if (at.tree === ahead.tree) meet(ahead, at.cost + cost);
}

/** Records that both sides have labelled a node: a path through it costs at least `cost` msat. */
function meet(ahead: Ahead, cost: f64): void {
  if (cost < ahead.meeting) ahead.meeting = cost;
}

/** Whether an arc from a node settled at `cost` can improve the label of its head. Costs are not negative. */
function mayImprove(ahead: Ahead, head: u32, cost: f64): bool {
  const at = labelOf(ahead, head);
  return at.tree !== ahead.tree || at.cost > cost;
}

/** Labels the head of an arc whose tail was just settled at `cost`. */
function relax(work: Workspace, record: DirectionRecord, head: u32, cost: f64): void {
  const ahead = work.ahead;
  if (!isEnabled(record) || ahead.share > record.htlcMaximumMsat || ahead.share > record.maxMsat) return;
  const at = labelOf(ahead, head);
  const known = at.tree === ahead.tree ? at.cost : Infinity;
  const least = cost + Crossing.leastCost(work.prices, record, ahead.share);
  if (known <= least || isSkipped(ahead, least)) return;
  const total = cost + Crossing.cost(work, record, ahead.share, ahead.share);
  if (known <= total || isSkipped(ahead, total)) return;
  at.cost = total;
  at.tree = ahead.tree;
  const state = stateOf(work.scratch, head);
  if (state.stamp === ahead.stamp) meet(ahead, total + state.cost);
  if (!isBlind(work, head)) ahead.queue.push(total, head);
}

/**
 * Whether to make no label of this cost: every path through it costs as much as the bound by which the search ends
 * (`meeting`), or as the limit. A kept tree has all labels, since it serves searches to other destinations.
 */
function isSkipped(ahead: Ahead, cost: f64): bool {
  if (ahead.isKept || cost < min<f64>(ahead.meeting, ahead.limit)) return false;
  ahead.leastSkipped = min<f64>(ahead.leastSkipped, cost);
  return true;
}

/** Whether the node is a dead end: it has a single channel and is not the destination. */
function isBlind(work: Workspace, node: u32): bool {
  const graph = work.graph;
  if (node >= graph.nodeCount || node === work.ahead.end) return false;
  return (
    graph.outStart.after(node) - graph.outStart[node] === 1 && stateOf(work.scratch, node).extraOut === null
  );
}

/** Removes entries of nodes that were settled at a lower cost. */
function dropStale(ahead: Ahead): void {
  const queue = ahead.queue;
  while (queue.size > 0) {
    const node = queue.first();
    if (node >= CONTINUED || labelOf(ahead, node).cost >= queue.leastKey()) return;
    queue.pop();
  }
}
