/**
 * This instance's private working memory: one state record per node, one override pointer per arc, a heap.
 * Sized for the attached graph plus room for nodes and channels that layers create; grows by doubling.
 */
import { allocatePages } from '../graph/arena';
import { ARC_BYTES, arcCount, arcTable, nodeCount } from '../graph/graph';

// Node state, 64 bytes: labels of the search, then what layers attach to the node.
export const S_BYTES: u32 = 64;
export const S_COST: usize = 0; // f64
export const S_AMOUNT: usize = 8; // i64, what must reach this node
export const S_STAMP: usize = 16; // search number the labels belong to
export const S_HEAP: usize = 20; // place in the heap + 1, 0 when outside
export const S_ARC: usize = 24; // arc leaving this node on the best path
export const S_DELAY: usize = 28; // blocks from here to the destination
export const S_HOPS: usize = 32;
/** Lists of arcs that layers add (or re-enable) into and out of the node: block {arc, next}. */
export const S_EXTRA_IN: usize = 48;
export const S_EXTRA_OUT: usize = 52;
/** Entry of the node id when a layer mentions it, else 0. */
export const S_ENTRY: usize = 56;

export let nodeStates: usize = 0;
export let overrides: usize = 0;
export let heapKeys: usize = 0;
export let heapNodes: usize = 0;
let nodeCapacity: u32 = 0;
let arcCapacity: u32 = 0;

/** Clears everything for a newly attached region. */
export function scratchReset(): void {
  ensureNodes(nodeCount + 1024);
  ensureArcs(arcCount + 2048);
  memory.fill(nodeStates, 0, nodeCapacity * S_BYTES);
  memory.fill(overrides, 0, arcCapacity << 2);
}

export function ensureNodes(nodes: u32): void {
  if (nodes <= nodeCapacity) return;
  const capacity = max<u32>(nodes + (nodes >> 2), 2 * nodeCapacity);
  const states = allocatePages((capacity as u64) * (S_BYTES as u64));
  heapKeys = allocatePages((capacity as u64) * 8);
  heapNodes = allocatePages((capacity as u64) * 4);
  if (states == 0 || heapKeys == 0 || heapNodes == 0) unreachable();
  memory.copy(states, nodeStates, nodeCapacity * S_BYTES);
  nodeStates = states;
  nodeCapacity = capacity;
}

export function ensureArcs(arcs: u32): void {
  if (arcs <= arcCapacity) return;
  const capacity = max<u32>(arcs + (arcs >> 2), 2 * arcCapacity);
  const table = allocatePages((capacity as u64) * 4);
  if (table == 0) unreachable();
  memory.copy(table, overrides, arcCapacity << 2);
  overrides = table;
  arcCapacity = capacity;
}

/** Nodes there is room for, created ones included. */
export function nodeRoom(): u32 {
  return nodeCapacity;
}

/** Arcs there is room for, created ones included. */
export function arcRoom(): u32 {
  return arcCapacity;
}

// @ts-ignore: decorator
@inline
export function stateOf(node: u32): usize {
  return nodeStates + (node as usize) * (S_BYTES as usize);
}

/** The record that holds for this query: a layer's override, else gossip's. */
// @ts-ignore: decorator
@inline
export function recordOf(arc: u32): usize {
  const changed = load<u32>(overrides + ((arc as usize) << 2)) as usize;
  return changed != 0 ? changed : arcTable + (arc as usize) * (ARC_BYTES as usize);
}
