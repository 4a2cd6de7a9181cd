/**
 * Working memory of this instance: a state per node, an override per arc, a heap.
 *
 * It is sized for the attached graph plus the nodes and channels that layers create, and grows by doubling. Pages left
 * behind are not reused; together they are smaller than the pages in use.
 *
 * Nothing is cleared between searches: labels in a node's state are valid while its stamp is that of the current search
 * (solve/path/search.ts). Invariant between searches: the heap is empty, and no state has a place in it.
 */
import { takePages } from '../graph/arena';
import { Column, extended, newColumn } from '../graph/column';
import { DirectionRecord, recordIn } from '../graph/direction';
import { Workspace } from '../workspace';
import { NodeEntry } from './entries';
import { Link } from './link';

/** State of a node: its search labels and its data from layers. 64 bytes, a cache line. */
@unmanaged
export class NodeState {
  /** Cost from here to the destination, msat. */
  cost: f64;
  /** Amount that must reach this node, msat. */
  amountMsat: i64;
  /** The search to which the labels belong. */
  stamp: u32;
  /** Place in the heap plus 1; 0 if not in the heap. */
  heapPlace: u32;
  /** The arc that leaves this node on the best path. */
  arc: u32;
  /** Delay from here to the destination, blocks. */
  delay: u32;
  /** Number of channels from here to the destination. */
  hops: u16;
  /**
   * 0 if no arc into the node has been read since the node was labelled. Otherwise the number of blocks that were read
   * (solve/path/search.ts), plus 1.
   */
  blocksRead: u16;
  /** Incoming arcs that layers create, or that layers enable but gossip disables. */
  extraIn: Link | null;
  /** Outgoing arcs of created channels. */
  extraOut: Link | null;
  /** The entry of the node's id if it is in a layer. */
  entry: NodeEntry | null;
  /** Minimum cost of a path from the source to here (`AheadLabel` in solve/path/ahead.ts), msat. */
  aheadCost: f64;
  /** The search to which `aheadCost` and `cameBy` belong. */
  aheadStamp: u32;
  /**
   * The step that reached this node in a flow's search from the source (solve/flow/flow.ts). In `AheadLabel`, the next
   * block to read.
   */
  cameBy: u32;
}

/** States of nodes, overrides of arcs, and their versions. */
@unmanaged
export class Scratch {
  /** The states of nodes, by node. */
  nodeStates: usize;
  /**
   * For each arc, the record that replaces gossip's, because of a layer or because the current question loads the arc.
   */
  overrides: Column<DirectionRecord | null>;
  /** The burden level of each node under the applied stack (burdens.ts). */
  burdens: Column<u8>;
  nodeCapacity: u32;
  arcCapacity: u32;
  /** Version of the directions' terms. Results computed from the terms are valid while it is unchanged. */
  termsVersion: u32;
  /**
   * Version of the records and created directions under the applied layers. Restoring a kept stack whose layers are
   * unchanged restores its version. Loads do not change the version.
   */
  recordsVersion: u32;
  latestVersion: u32;
}

/** The heap of nodes. */
@unmanaged
export class Heap {
  /** Keys of the heap (solve/path/heap.ts), by place. */
  keys: Column<f64>;
  /** Nodes of the heap, by place. Breadth-first searches queue nodes here. */
  nodes: Column<u32>;
  size: u32;
}

/**
 * Clears everything for a newly attached region. Fresh pages are already zero, and take no physical memory until
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

/** Makes room for this many nodes, including created ones. */
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

/** Makes room for this many arcs, including created ones. */
export function ensureArcs(scratch: Scratch, arcs: u32): void {
  if (arcs <= scratch.arcCapacity) return;
  const capacity = max<u32>(arcs + (arcs >> 2), 2 * scratch.arcCapacity);
  scratch.overrides = extended<DirectionRecord | null>(scratch.overrides, scratch.arcCapacity, capacity);
  scratch.arcCapacity = capacity;
}

/** Number of nodes for which there is room, including created ones. */
export function nodeRoom(scratch: Scratch): u32 {
  return scratch.nodeCapacity;
}

/** Number of arcs for which there is room, including created ones. */
export function arcRoom(scratch: Scratch): u32 {
  return scratch.arcCapacity;
}

/** Call when the terms of directions may have changed. */
export function termsChanged(scratch: Scratch): void {
  scratch.termsVersion++;
}

/** Call when records of directions may have changed. */
export function recordsChanged(scratch: Scratch): void {
  scratch.recordsVersion = ++scratch.latestVersion;
}

/** Call when the records are restored to this version. */
export function recordsRestored(scratch: Scratch, version: u32): void {
  scratch.recordsVersion = version;
}

/** The state of a node. */
export function stateOf(scratch: Scratch, node: u32): NodeState {
  return changetype<NodeState>(scratch.nodeStates + (node as usize) * offsetof<NodeState>());
}

/** The effective record of an arc: its override, else gossip's. */
export function recordOf(work: Workspace, arc: u32): DirectionRecord {
  const changed = work.scratch.overrides[arc];
  return changed !== null ? changed : recordIn(work.graph.directions, arc);
}

/** As `recordOf`, for the arc at a place of `outArcs`. Neighbouring places have adjacent records. */
export function recordOut(work: Workspace, place: u32): DirectionRecord {
  const graph = work.graph;
  const changed = work.scratch.overrides[graph.outArcs[place]];
  return changed !== null ? changed : recordIn(graph.outDirections, place);
}
