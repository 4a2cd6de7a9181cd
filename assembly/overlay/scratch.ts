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
import { arcCount, directionTable, nodeCount, outArcs, outDirectionTable } from '../graph/graph';
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

/** By node. */
let nodeStates: usize = 0;
/** By arc: the record that a layer, or a load of the present question, puts in place of gossip's. */
export let overrides: Column<DirectionRecord | null> = changetype<Column<DirectionRecord | null>>(0);
/** Keys of the heap (solve/path/heap.ts), by place. */
export let heapKeys: Column<f64> = changetype<Column<f64>>(0);
/** Nodes of the heap, by place. Searches by breadth queue nodes here. */
export let heapNodes: Column<u32> = changetype<Column<u32>>(0);
let nodeCapacity: u32 = 0;
let arcCapacity: u32 = 0;

/**
 * Clears everything for a newly attached region. Fresh pages are zeros already, and take no memory until they are
 * written.
 */
export function scratchReset(): void {
  memory.fill(nodeStates, 0, (nodeCapacity as usize) * offsetof<NodeState>());
  overrides.clear(arcCapacity);
  ensureNodes(nodeCount + 1024);
  ensureArcs(arcCount + 2048);
}

/** Makes room for so many nodes, created ones included. */
export function ensureNodes(nodes: u32): void {
  if (nodes <= nodeCapacity) return;
  const capacity = max<u32>(nodes + (nodes >> 2), 2 * nodeCapacity);
  const states = takePages((capacity as u64) * (offsetof<NodeState>() as u64));
  heapKeys = newColumn<f64>(capacity);
  heapNodes = newColumn<u32>(capacity);
  memory.copy(states, nodeStates, (nodeCapacity as usize) * offsetof<NodeState>());
  nodeStates = states;
  nodeCapacity = capacity;
}

/** Makes room for so many arcs, created ones included. */
export function ensureArcs(arcs: u32): void {
  if (arcs <= arcCapacity) return;
  const capacity = max<u32>(arcs + (arcs >> 2), 2 * arcCapacity);
  overrides = extended<DirectionRecord | null>(overrides, arcCapacity, capacity);
  arcCapacity = capacity;
}

/** Number of nodes for which there is room, created ones included. */
export function nodeRoom(): u32 {
  return nodeCapacity;
}

/** Number of arcs for which there is room, created ones included. */
export function arcRoom(): u32 {
  return arcCapacity;
}

/**
 * A version of the directions' terms, raised whenever they may have changed. What was computed from them holds while it
 * stays.
 */
export let termsVersion: u32 = 0;

/** To be called when the terms of directions may have changed. */
export function termsChanged(): void {
  termsVersion++;
}

/**
 * A version of the records of directions as the applied layers have them, and of the lists of directions that layers
 * create. It stays where layers are applied again without a change. Loads do not count.
 */
export let recordsVersion: u32 = 0;
let latestVersion: u32 = 0;

/** To be called when records of directions may have changed. */
export function recordsChanged(): void {
  recordsVersion = ++latestVersion;
}

/** To be called when the records are again those that had this version. */
export function recordsRestored(version: u32): void {
  recordsVersion = version;
}

/** The state of a node. */
export function stateOf(node: u32): NodeState {
  return changetype<NodeState>(nodeStates + (node as usize) * offsetof<NodeState>());
}

/** The record that holds for this question: a layer's override, else gossip's. */
export function recordOf(arc: u32): DirectionRecord {
  const changed = overrides[arc];
  return changed !== null ? changed : recordIn(directionTable, arc);
}

/** As `recordOf`, for the arc at a place of `outArcs`: records of neighbouring places lie side by side. */
export function recordOut(place: u32): DirectionRecord {
  const changed = overrides[outArcs[place]];
  return changed !== null ? changed : recordIn(outDirectionTable, place);
}
