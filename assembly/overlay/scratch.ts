/**
 * This instance's working memory: a state for each node, the override of each arc, a heap.
 *
 * Sized for the attached graph, with room for nodes and channels that layers create. It grows by doubling. Pages that
 * it leaves behind are not used again. All of those together are less than the pages in use.
 *
 * Nothing is cleared between searches: labels of a node's state hold while its stamp is the present search's
 * (solve/path/search.ts). Invariant between searches: the heap is empty, and no state has a place in it.
 */
import { takePages } from '../graph/arena';
import { Column, extended, newColumn } from '../graph/column';
import { DirectionRecord, recordIn } from '../graph/direction';
import { Workspace } from '../workspace';
import { NodeEntry } from './entries';
import { Link } from './link';

/** What is known of a node: the labels of the search, and what layers attach to it. 64 bytes, a cache line. */
@unmanaged
export class NodeState {
  /** Cost from here to the destination, msat. */
  cost: f64;
  /** What must reach this node, msat. */
  amountMsat: i64;
  /** The search that the labels belong to. */
  stamp: u32;
  /** Place in the heap + 1; 0 when outside. */
  heapPlace: u32;
  /** The arc that leaves this node on the best path. */
  arc: u32;
  /** Blocks from here to the destination. */
  delay: u32;
  /** Channels from here to the destination. */
  hops: u32;
  /** Arcs into the node that layers create, or that layers enable though gossip disables them. */
  extraIn: Link | null;
  /** Arcs of created channels out of the node. */
  extraOut: Link | null;
  /** The entry of the node's id, where a layer mentions it. */
  entry: NodeEntry | null;
  /** What a path costs at least from the source to here (`AheadLabel` in solve/path/ahead.ts), msat. */
  aheadCost: f64;
  /** The search that `aheadCost` or `cameBy` belongs to. */
  aheadStamp: u32;
  /** The step by which a flow's search from the source came here (solve/flow/flow.ts). */
  cameBy: u32;
}

/** The state of each node, the override of each arc, and versions of what they say. */
@unmanaged
export class Scratch {
  /** By node. */
  nodeStates: usize;
  /** By arc: the record that a layer, or a load of the present question, puts in place of gossip's. */
  overrides: Column<DirectionRecord | null>;
  /** By node: the level of its burden under the applied stack (burdens.ts). */
  burdens: Column<u8>;
  nodeCapacity: u32;
  arcCapacity: u32;
  /** Version of the directions' terms. Results computed from them are valid while it is unchanged. */
  termsVersion: u32;
  /**
   * A version of the records of directions as the applied layers have them, and of the lists of directions that layers
   * create. It stays where layers are applied again without a change. Loads do not count.
   */
  recordsVersion: u32;
  latestVersion: u32;
}

/** The heap of nodes. */
@unmanaged
export class Heap {
  /** Keys of the heap (solve/path/heap.ts), by place. */
  keys: Column<f64>;
  /** Nodes of the heap, by place. Searches by breadth queue nodes here. */
  nodes: Column<u32>;
  /** Nodes in the heap. */
  size: u32;
}

/**
 * Clears everything for a newly attached region. Fresh pages are zeros already, and take no memory until they are
 * written.
 */
export function scratchReset(work: Workspace): void {
  const scratch = work.scratch;
  const graph = work.graph;
  memory.fill(scratch.nodeStates, 0, (scratch.nodeCapacity as usize) * offsetof<NodeState>());
  scratch.burdens.clear(scratch.nodeCapacity);
  scratch.overrides.clear(scratch.arcCapacity);
  ensureNodes(work, graph.nodeCount + 1024);
  ensureArcs(scratch, graph.arcCount + 2048);
}

/** Makes room for this many nodes, created ones included. */
export function ensureNodes(work: Workspace, nodes: u32): void {
  const scratch = work.scratch;
  const heap = work.heap;
  if (nodes <= scratch.nodeCapacity) return;
  const capacity = max<u32>(nodes + (nodes >> 2), 2 * scratch.nodeCapacity);
  const states = takePages((capacity as u64) * (offsetof<NodeState>() as u64));
  heap.keys = newColumn<f64>(capacity);
  heap.nodes = newColumn<u32>(capacity);
  memory.copy(states, scratch.nodeStates, (scratch.nodeCapacity as usize) * offsetof<NodeState>());
  scratch.nodeStates = states;
  scratch.burdens = extended<u8>(scratch.burdens, scratch.nodeCapacity, capacity);
  scratch.nodeCapacity = capacity;
}

/** Makes room for this many arcs, created ones included. */
export function ensureArcs(scratch: Scratch, arcs: u32): void {
  if (arcs <= scratch.arcCapacity) return;
  const capacity = max<u32>(arcs + (arcs >> 2), 2 * scratch.arcCapacity);
  scratch.overrides = extended<DirectionRecord | null>(scratch.overrides, scratch.arcCapacity, capacity);
  scratch.arcCapacity = capacity;
}

/** Number of nodes for which there is room, created ones included. */
export function nodeRoom(scratch: Scratch): u32 {
  return scratch.nodeCapacity;
}

/** Number of arcs for which there is room, created ones included. */
export function arcRoom(scratch: Scratch): u32 {
  return scratch.arcCapacity;
}

/** To be called when the terms of directions may have changed. */
export function termsChanged(scratch: Scratch): void {
  scratch.termsVersion++;
}

/** To be called when records of directions may have changed. */
export function recordsChanged(scratch: Scratch): void {
  scratch.recordsVersion = ++scratch.latestVersion;
}

/** To be called when the records are again those that had this version. */
export function recordsRestored(scratch: Scratch, version: u32): void {
  scratch.recordsVersion = version;
}

/** The state of a node. */
export function stateOf(scratch: Scratch, node: u32): NodeState {
  return changetype<NodeState>(scratch.nodeStates + (node as usize) * offsetof<NodeState>());
}

/** The record that holds for this question: a layer's override, else gossip's. */
export function recordOf(work: Workspace, arc: u32): DirectionRecord {
  const changed = work.scratch.overrides[arc];
  return changed !== null ? changed : recordIn(work.graph.directions, arc);
}

/** As `recordOf`, for the arc at a place of `outArcs`: records of neighbouring places lie side by side. */
export function recordOut(work: Workspace, place: u32): DirectionRecord {
  const graph = work.graph;
  const changed = work.scratch.overrides[graph.outArcs[place]];
  return changed !== null ? changed : recordIn(graph.outDirections, place);
}
