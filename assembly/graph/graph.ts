/**
 * The published graph that this instance reads: nodes, channels, and the arcs into and out of each node.
 *
 * A channel has two directions, and each direction is one *arc* (direction.ts). Arcs are sorted by the node that they
 * lead to, since searches run backwards from the destination. Usable arcs come first:
 *
 *   inStart[v] ......... inEnabledEnd[v] ......... inStart[v + 1]
 *   | usable arcs into v | disabled arcs into v    |
 *
 * So the arcs into a node are neighbours in memory, and disabled ones (a third of the main network's) cost nothing.
 * `outArcs` lists the arcs out of each node, node after node, without that order.
 *
 * A region (region.ts) is read-only once built (build.ts), so that many instances share it. The addresses of its tables
 * are kept in globals of this instance, which saves a load at each step; `attachRegion` sets them.
 *
 * Invariants: arcs are a permutation of directions; every arc into v lies in [inStart[v], inStart[v + 1]), every arc
 * out of v in `outArcs` at [outStart[v], outStart[v + 1]); inDegree(v) = outDegree(v), since a channel has two
 * directions. `regionBuild` asserts them in debug builds. Looking up an id takes constant time on average (open
 * addressing with linear probing, at most half full).
 */
import { Column } from './column';
import { DirectionRecord, recordIn } from './direction';
import { AMOUNT_LIMIT } from './numbers';
import { NODE_ID_BYTES, Region } from './region';

/** No node, channel or arc. */
export const NONE: u32 = 0xffffffff;

/** Nodes of the graph. */
export let nodeCount: u32 = 0;
/** Channels of the graph. */
export let channelCount: u32 = 0;
/** Arcs of the graph: two for each channel. */
export let arcCount: u32 = 0;
/** By arc: its record as gossip has it. */
export let directionTable: usize = 0;
/** By node, and one more: the first arc that enters it. */
export let inStart: Column<u32> = changetype<Column<u32>>(0);
/** By node: the first arc that enters it and is disabled. */
export let inEnabledEnd: Column<u32> = changetype<Column<u32>>(0);
/** By node, and one more: its first place in `outArcs`. */
export let outStart: Column<u32> = changetype<Column<u32>>(0);
/** The arcs that leave each node, node after node. */
export let outArcs: Column<u32> = changetype<Column<u32>>(0);
/**
 * By place in `outArcs`: the node that the arc leads to. The records of these arcs are spread over memory, and searches
 * often need none where the node is known already.
 */
export let outHeads: Column<u32> = changetype<Column<u32>>(0);
/**
 * By place in `outArcs`: a copy of the arc's record as gossip has it. So searches from the source read records that lie
 * side by side, as those from the destination do.
 */
export let outDirectionTable: usize = 0;
/** By direction index: the arc. Read it by `arcOfDirection`. */
export let arcsOfDirections: Column<u32> = changetype<Column<u32>>(0);
/** Hash table of nodes by id: index + 1, 0 where vacant; and its places less 1. */
export let nodeHash: Column<u32> = changetype<Column<u32>>(0);
/** See `nodeHash`. */
export let nodeHashMask: u32 = 0;
/** Hash table of channels by short channel id: index + 1, 0 where vacant; and its places less 1. */
export let channelHash: Column<u32> = changetype<Column<u32>>(0);
/** See `channelHash`. */
export let channelHashMask: u32 = 0;
let nodeIds: usize = 0;
let shortChannelIds: Column<u64> = changetype<Column<u64>>(0);
let capacities: Column<u64> = changetype<Column<u64>>(0);
let node1s: Column<u32> = changetype<Column<u32>>(0);
let node2s: Column<u32> = changetype<Column<u32>>(0);

/** Makes the region the one this instance reads. */
export function attachRegion(region: Region): void {
  nodeCount = region.nodeCount;
  channelCount = region.channelCount;
  arcCount = channelCount * 2;
  nodeIds = region.nodeIds;
  shortChannelIds = region.shortChannelIds;
  capacities = region.capacityMsat;
  node1s = region.node1;
  node2s = region.node2;
  directionTable = region.directions;
  arcsOfDirections = region.arcOfDirection;
  inStart = region.inStart;
  inEnabledEnd = region.inEnabledEnd;
  outStart = region.outStart;
  outArcs = region.outArcs;
  outHeads = region.outHeads;
  outDirectionTable = region.outDirections;
  nodeHash = region.nodeHash;
  nodeHashMask = region.nodeHashMask;
  channelHash = region.channelHash;
  channelHashMask = region.channelHashMask;
}

/** Hash of a short channel id: the upper half of its product with 2^64 / golden ratio (Knuth's multiplicative hash). */
export function shortChannelIdHash(shortChannelId: u64): u32 {
  return ((shortChannelId * 0x9e3779b97f4a7c15) >> 32) as u32;
}

/** Hash of the 33 bytes at `id`. They are a point's: any eight of them are random already. */
export function nodeIdHash(id: usize): u32 {
  return ((load<u64>(id, 8) * 0x9e3779b97f4a7c15) >> 32) as u32;
}

/** Whether the 33 bytes at `a` and at `b` are the same. */
export function sameNodeId(a: usize, b: usize): bool {
  return (
    load<u8>(a) === load<u8>(b) &&
    load<u64>(a, 1) === load<u64>(b, 1) &&
    load<u64>(a, 9) === load<u64>(b, 9) &&
    load<u64>(a, 17) === load<u64>(b, 17) &&
    load<u64>(a, 25) === load<u64>(b, 25)
  );
}

/** Index of the node with the 33 bytes at `id`, or NONE (a vacant place holds 0, and 0 − 1 is NONE). */
export function findNode(id: usize): u32 {
  let at = nodeIdHash(id) & nodeHashMask;
  let entry = nodeHash[at];
  while (entry !== 0 && !sameNodeId(graphNodeId(entry - 1), id)) {
    at = (at + 1) & nodeHashMask;
    entry = nodeHash[at];
  }
  return entry - 1;
}

/** Index of the channel with this short channel id, or NONE. */
export function findChannel(shortChannelId: u64): u32 {
  let at = shortChannelIdHash(shortChannelId) & channelHashMask;
  let entry = channelHash[at];
  while (entry !== 0 && shortChannelIds[entry - 1] !== shortChannelId) {
    at = (at + 1) & channelHashMask;
    entry = channelHash[at];
  }
  return entry - 1;
}

/** The short channel id of a channel of the graph. */
export function graphShortChannelId(channel: u32): u64 {
  return shortChannelIds[channel];
}

/** What a channel of the graph holds, msat; never more than AMOUNT_LIMIT. */
export function graphCapacity(channel: u32): i64 {
  return min<i64>((capacities[channel] as i64) & i64.MAX_VALUE, AMOUNT_LIMIT);
}

/** An end of a channel of the graph: 0 is the end with the smaller id, 1 the other. Direction d leaves end d. */
export function graphEnd(channel: u32, end: u32): u32 {
  return (end === 0 ? node1s : node2s)[channel];
}

/** Address of the 33 id bytes of a node of the graph. */
export function graphNodeId(node: u32): usize {
  return nodeIds + node * NODE_ID_BYTES;
}

/** The arc of a direction of the graph. */
export function arcOfDirection(directionIndex: u32): u32 {
  return arcsOfDirections[directionIndex];
}

/** The arc's record as gossip has it. */
export function baseRecord(arc: u32): DirectionRecord {
  return recordIn(directionTable, arc);
}
