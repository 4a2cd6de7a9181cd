/**
 * Explores the graph without prices. The host uses it to explain why there is no route.
 *
 * The functions fill one list of arcs, which the host reads before the next call. Invariant: places of the list are
 * filled in order. Work: `listArcs` takes one step per channel of the node, `fewestHopPath` one breadth-first search
 * from both ends, at most O(V + E).
 */
import { Column, extended } from '../../graph/column';
import { NONE } from '../../graph/graph';
import { headOfArc } from '../../overlay/created-channels';
import { nodeRoom, recordOf, stateOf } from '../../overlay/scratch';
import { Workspace } from '../../workspace';
import { DIRECTION_STEPS, NODE_STEPS, spend } from '../question/effort';
import { nextStamp } from './search';

/** The list of arcs, and the breadth-first search. */
@unmanaged
export class Exploration {
  list: Column<u32>;
  listCapacity: u32;
  /** The breadth-first search to which labels belong. */
  stamp: u32;
  /** The node where the two sides of the search met, or NONE. */
  meeting: u32;
  /** Number of nodes that each side has reached. */
  behindCount: u32;
  aheadCount: u32;

  /** Call once for a new workspace: sets the fields of this class that do not start at zero. */
  begin(): void {
    this.meeting = NONE;
  }
}

/** Address of the list (u32 arcs) that `listArcs`, `fewestHopPath` and flow.ts fill. */
export function arcList(explored: Exploration): Column<u32> {
  return explored.list;
}

/** Writes `arc` to place `index` of the list. Places must be filled in order. */
export function listPut(explored: Exploration, index: u32, arc: u32): void {
  if (index >= explored.listCapacity) {
    const capacity = max<u32>(explored.listCapacity * 2, 4096);
    explored.list = extended<u32>(explored.list, explored.listCapacity, capacity);
    explored.listCapacity = capacity;
  }
  explored.list[index] = arc;
}

/** Lists every arc out of (or into) a node, including disabled ones and those without policy. Returns their number. */
export function listArcs(work: Workspace, node: u32, leaving: bool): u32 {
  const graph = work.graph;
  const explored = work.explored;
  let count: u32 = 0;
  if (node < graph.nodeCount) {
    const starts = leaving ? graph.outStart : graph.inStart;
    const end = starts.after(node);
    for (let k = starts[node]; k < end; k++) listPut(explored, count++, leaving ? graph.outArcs[k] : k);
  }
  // `extraOut` lists the outgoing arcs of created channels. The incoming arc is the other direction of the same
  // channel.
  let link = stateOf(work.scratch, node).extraOut;
  while (link !== null) {
    listPut(explored, count++, leaving ? link.arc : link.arc ^ 1);
    link = link.next;
  }
  return count;
}

/**
 * Finds a path of fewest hops, regardless of limits, policies and bounds. Lists its arcs from the source on and returns
 * their number; 0 if the two nodes are not connected.
 *
 * Breadth-first from both ends, a whole level of the smaller side at a time. Until the sides meet, every path is longer
 * than both depths together, so the first node that both reach is on a path of fewest hops. The destination's side is
 * queued from the front of the heap's `nodes`, the source's side from their back.
 */
export function fewestHopPath(work: Workspace, source: u32, destination: u32): u32 {
  const explored = work.explored;
  const heap = work.heap;
  explored.stamp = nextStamp(work.search);
  explored.meeting = NONE;
  const back = nodeRoom(work.scratch) - 1;
  let behindFirst: u32 = 0;
  let aheadFirst: u32 = 0;
  explored.behindCount = 0;
  explored.aheadCount = 0;
  reachBehind(work, destination, 0);
  reachAhead(work, source, 0);
  while (
    explored.meeting === NONE &&
    behindFirst < explored.behindCount &&
    aheadFirst < explored.aheadCount
  ) {
    if (explored.behindCount - behindFirst <= explored.aheadCount - aheadFirst) {
      const end = explored.behindCount;
      while (behindFirst < end && explored.meeting === NONE) expandBehind(work, heap.nodes[behindFirst++]);
    } else {
      const end = explored.aheadCount;
      while (aheadFirst < end && explored.meeting === NONE)
        expandAhead(work, heap.nodes[back - aheadFirst++]);
    }
  }
  return explored.meeting === NONE ? 0 : writePath(work, source, destination);
}

function expandBehind(work: Workspace, node: u32): void {
  const graph = work.graph;
  if (node < graph.nodeCount) {
    const end = graph.inStart.after(node);
    spend(work.effort, DIRECTION_STEPS * (end - graph.inStart[node]) + NODE_STEPS);
    for (let arc = graph.inStart[node]; arc < end; arc++) reachBehind(work, recordOf(work, arc).tail, arc);
  }
  // The incoming arc is the other direction of the same channel.
  let link = stateOf(work.scratch, node).extraOut;
  while (link !== null) {
    reachBehind(work, headOfArc(work, link.arc), link.arc ^ 1);
    link = link.next;
  }
}

function expandAhead(work: Workspace, node: u32): void {
  const graph = work.graph;
  if (node < graph.nodeCount) {
    const end = graph.outStart.after(node);
    spend(work.effort, DIRECTION_STEPS * (end - graph.outStart[node]) + NODE_STEPS);
    for (let k = graph.outStart[node]; k < end; k++) reachAhead(work, graph.outHeads[k], graph.outArcs[k]);
  }
  let link = stateOf(work.scratch, node).extraOut;
  while (link !== null) {
    reachAhead(work, headOfArc(work, link.arc), link.arc);
    link = link.next;
  }
}

/** Marks a node as reached by the destination's side, through an arc that leaves the node. */
function reachBehind(work: Workspace, node: u32, arc: u32): void {
  const explored = work.explored;
  const state = stateOf(work.scratch, node);
  if (state.stamp === explored.stamp) return;
  state.stamp = explored.stamp;
  state.arc = arc;
  work.heap.nodes[explored.behindCount++] = node;
  if (state.aheadStamp === explored.stamp && explored.meeting === NONE) explored.meeting = node;
}

/** Marks a node as reached by the source's side, through an arc that enters the node. */
function reachAhead(work: Workspace, node: u32, arc: u32): void {
  const explored = work.explored;
  const scratch = work.scratch;
  const state = stateOf(scratch, node);
  if (state.aheadStamp === explored.stamp) return;
  state.aheadStamp = explored.stamp;
  state.cameBy = arc;
  work.heap.nodes[nodeRoom(scratch) - 1 - explored.aheadCount++] = node;
  if (state.stamp === explored.stamp && explored.meeting === NONE) explored.meeting = node;
}

function writePath(work: Workspace, source: u32, destination: u32): u32 {
  const explored = work.explored;
  const scratch = work.scratch;
  for (let node = explored.meeting; node !== source; ) {
    const arc = stateOf(scratch, node).cameBy;
    node = recordOf(work, arc).tail;
    stateOf(scratch, node).arc = arc;
  }
  let hops: u32 = 0;
  for (let node = source; node !== destination; node = headOfArc(work, stateOf(scratch, node).arc))
    listPut(explored, hops++, stateOf(scratch, node).arc);
  return hops;
}
