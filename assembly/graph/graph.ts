/**
 * The published graph that this instance reads: nodes, channels, and the arcs into and out of each node.
 *
 * A channel has two directions, and each direction is one *arc* (direction.ts). Arcs are sorted by end node, since
 * searches run backwards from the destination. Usable arcs come first:
 *
 *   inStart[v] ......... inEnabledEnd[v] ......... inStart[v + 1]
 *   | usable arcs into v | disabled arcs into v    |
 *
 * So the arcs into a node are adjacent in memory, and disabled ones (a third of all arcs of the main network) cost
 * nothing. `outArcs` lists the arcs out of each node in the same way, with `outStart` and `outEnabledEnd`.
 *
 * A region (region.ts) is read-only once built (build.ts), so that many instances share it. Each workspace has a copy
 * of its header, so that the addresses of the tables are close to the other data of a search.
 *
 * Invariants: arcs are a permutation of directions; every arc into v is in [inStart[v], inStart[v + 1]), every arc out
 * of v in `outArcs` at [outStart[v], outStart[v + 1]); inDegree(v) = outDegree(v), since a channel has two directions.
 * `regionBuild` asserts them in debug builds. Looking up an id takes constant time on average (open addressing with
 * linear probing, at most half full).
 */
import { DirectionRecord, recordIn } from './direction';
import { AMOUNT_LIMIT } from './numbers';
import { NODE_ID_BYTES, Region } from './region';

/** No node, channel or arc. */
export const NONE: u32 = 0xffffffff;

/** Hash of a short channel id: the upper half of the product with 2^64 / golden ratio (Knuth's multiplicative hash). */
export function shortChannelIdHash(shortChannelId: u64): u32 {
  return ((shortChannelId * 0x9e3779b97f4a7c15) >> 32) as u32;
}

/** Hash of the 33 bytes at `id`. They are a point, so any eight of them are effectively random. */
export function nodeIdHash(id: usize): u32 {
  return ((load<u64>(id, 8) * 0x9e3779b97f4a7c15) >> 32) as u32;
}

/** Whether the 33 bytes at `a` and `b` are equal. */
export function sameNodeId(a: usize, b: usize): bool {
  return (
    load<u8>(a) === load<u8>(b) &&
    load<u64>(a, 1) === load<u64>(b, 1) &&
    load<u64>(a, 9) === load<u64>(b, 9) &&
    load<u64>(a, 17) === load<u64>(b, 17) &&
    load<u64>(a, 25) === load<u64>(b, 25)
  );
}

/** Index of the node with the 33 bytes at `id`, or NONE (an empty slot holds 0, and 0 − 1 is NONE). */
export function findNode(graph: Region, id: usize): u32 {
  let at = nodeIdHash(id) & graph.nodeHashMask;
  let entry = graph.nodeHash[at];
  while (entry !== 0 && !sameNodeId(graphNodeId(graph, entry - 1), id)) {
    at = (at + 1) & graph.nodeHashMask;
    entry = graph.nodeHash[at];
  }
  return entry - 1;
}

/** Index of the channel with this short channel id, or NONE. */
export function findChannel(graph: Region, shortChannelId: u64): u32 {
  let at = shortChannelIdHash(shortChannelId) & graph.channelHashMask;
  let entry = graph.channelHash[at];
  while (entry !== 0 && graph.shortChannelIds[entry - 1] !== shortChannelId) {
    at = (at + 1) & graph.channelHashMask;
    entry = graph.channelHash[at];
  }
  return entry - 1;
}

/** The short channel id of a channel of the graph. */
export function graphShortChannelId(graph: Region, channel: u32): u64 {
  return graph.shortChannelIds[channel];
}

/** The capacity of a channel of the graph, msat, at most AMOUNT_LIMIT. */
export function graphCapacity(graph: Region, channel: u32): i64 {
  return min<i64>((graph.capacityMsat[channel] as i64) & i64.MAX_VALUE, AMOUNT_LIMIT);
}

/** An end of a channel of the graph: 0 is the end with the smaller id, 1 the other. Direction d starts at end d. */
export function graphEnd(graph: Region, channel: u32, end: u32): u32 {
  return (end === 0 ? graph.node1 : graph.node2)[channel];
}

/** Address of the 33 id bytes of a node of the graph. */
export function graphNodeId(graph: Region, node: u32): usize {
  return graph.nodeIds + node * NODE_ID_BYTES;
}

/** The arc of a direction of the graph. */
export function arcOfDirection(graph: Region, directionIndex: u32): u32 {
  return graph.arcOfDirection[directionIndex];
}

/** The arc's record from gossip. */
export function baseRecord(graph: Region, arc: u32): DirectionRecord {
  return recordIn(graph.directions, arc);
}
