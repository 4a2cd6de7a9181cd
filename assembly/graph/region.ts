/**
 * A region: the part of the shared memory that contains one version of the graph.
 *
 *   header (`Region`) | columns of the channel graph | tables built from them (build.ts)
 *
 * The host requests its size, calls `regionLayout` to write the header, copies each column to its address in the
 * header, and calls `regionBuild`. After that it is read-only. Each column and table is aligned to a cache line.
 *
 * The policy columns are only read to build `directions`. The table built last, `outDirections`, overwrites them.
 */

import { boundRoom } from './block';
import { Column } from './column';
import { DIRECTION_BYTES } from './direction';

/** Bytes of a node id: a compressed point (BOLT 7). */
export const NODE_ID_BYTES: u32 = 33;
/** Size of the header in bytes: whole cache lines. */
const HEADER_BYTES: u64 = 128;
const CACHE_LINE: u64 = 64;

/**
 * The header of a region: its sizes, and the addresses of its columns and tables. "By channel" means by channel index,
 * "by direction" by direction index.
 */
@unmanaged
export class Region {
  nodeCount: u32;
  channelCount: u32;
  /** Number of arcs: two per channel. */
  arcCount: u32;
  // Columns that the host copies in. The policy columns are valid only until `outDirections` is built.
  /** Node ids, by node, 33 bytes each. */
  nodeIds: usize;
  /** Short channel ids, by channel. */
  shortChannelIds: Column<u64>;
  /** Capacities, by channel, msat. */
  capacityMsat: Column<u64>;
  /** The end with the smaller id, by channel. */
  node1: Column<u32>;
  /** The other end, by channel. */
  node2: Column<u32>;
  /** Bits FLAG_KNOWN and FLAG_ENABLED, by direction. */
  policyFlags: Column<u8>;
  /** HTLC minimums, by direction, msat. */
  htlcMinimumMsat: Column<u64>;
  /** HTLC maximums, by direction, msat. */
  htlcMaximumMsat: Column<u64>;
  /** Base fees, by direction, msat. */
  feeBaseMsat: Column<u32>;
  /** Proportional fees, by direction, millionths. */
  feeProportionalMillionths: Column<u32>;
  /** Values of `cltv_expiry_delta`, by direction, blocks. */
  cltvExpiryDelta: Column<u16>;
  // Tables that `regionBuild` makes.
  /** The `DirectionRecord` of each arc. */
  directions: usize;
  /** The arc of each direction. */
  arcOfDirection: Column<u32>;
  /** The first arc into each node, plus one final entry. */
  inStart: Column<u32>;
  /** The first disabled arc into each node. */
  inEnabledEnd: Column<u32>;
  /** The first place of each node in `outArcs`, plus one final entry. */
  outStart: Column<u32>;
  /** The first place of a disabled arc of each node in `outArcs`. */
  outEnabledEnd: Column<u32>;
  /** The arcs from each node, node after node. */
  outArcs: Column<u32>;
  /** The end node of the arc at each place of `outArcs`. */
  outHeads: Column<u32>;
  /** For large nodes, the arcs into each one in order of cost (order.ts), counted from its first arc. */
  inOrder: Column<u16>;
  /** As `inOrder`, for the places in `outArcs`. */
  outOrder: Column<u16>;
  /** Lower bounds of the blocks of both orders. */
  inBounds: Column<f32>;
  outBounds: Column<f32>;
  /** A copy of the `DirectionRecord` of the arc at each place of `outArcs`. */
  outDirections: usize;
  /** Hash table of nodes by id: index + 1, 0 if empty. */
  nodeHash: Column<u32>;
  /** Hash table of channels by short channel id: index + 1, 0 if empty. */
  channelHash: Column<u32>;
  /** Size of `nodeHash` minus 1. The size of each hash table is a power of two. */
  nodeHashMask: u32;
  channelHashMask: u32;
}

/**
 * Reserves `bytes` at offset `at` for the column or table of a header field. With `writes`, writes its address to the
 * field. Returns the offset after it.
 */
function place(region: usize, field: usize, at: u64, bytes: u64, writes: bool): u64 {
  if (writes) store<u32>(region + field, ((region as u64) + at) as u32);
  return at + ((bytes + CACHE_LINE - 1) & ~(CACHE_LINE - 1));
}

/** Size of a hash table: a power of two, at most half of it used. */
function hashSize(entries: u32): u32 {
  let size: u32 = 16;
  while (size < entries * 2) size <<= 1;
  return size;
}

/**
 * Lays out the columns and tables in sequence. With `writes`, writes their addresses to the header. Returns the total
 * size in bytes.
 */
function layOut(region: usize, nodes: u32, channels: u32, writes: bool): u64 {
  const n = nodes as u64;
  const c = channels as u64;
  assert((offsetof<Region>() as u64) <= HEADER_BYTES, 'the header fits before the first column');
  let at = HEADER_BYTES;
  at = place(region, offsetof<Region>('nodeIds'), at, n * (NODE_ID_BYTES as u64), writes);
  at = place(region, offsetof<Region>('shortChannelIds'), at, c * 8, writes);
  at = place(region, offsetof<Region>('capacityMsat'), at, c * 8, writes);
  at = place(region, offsetof<Region>('node1'), at, c * 4, writes);
  at = place(region, offsetof<Region>('node2'), at, c * 4, writes);
  at = place(region, offsetof<Region>('directions'), at, c * 2 * (DIRECTION_BYTES as u64), writes);
  at = place(region, offsetof<Region>('arcOfDirection'), at, c * 8, writes);
  at = place(region, offsetof<Region>('inStart'), at, (n + 1) * 4, writes);
  at = place(region, offsetof<Region>('inEnabledEnd'), at, n * 4, writes);
  at = place(region, offsetof<Region>('outStart'), at, (n + 1) * 4, writes);
  at = place(region, offsetof<Region>('outEnabledEnd'), at, n * 4, writes);
  at = place(region, offsetof<Region>('outArcs'), at, c * 8, writes);
  at = place(region, offsetof<Region>('outHeads'), at, c * 8, writes);
  at = place(region, offsetof<Region>('nodeHash'), at, (hashSize(nodes) as u64) * 4, writes);
  at = place(region, offsetof<Region>('channelHash'), at, (hashSize(channels) as u64) * 4, writes);
  at = place(region, offsetof<Region>('inOrder'), at, c * 4, writes);
  at = place(region, offsetof<Region>('outOrder'), at, c * 4, writes);
  const bounds = boundRoom(n, c * 2) * 4;
  at = place(region, offsetof<Region>('inBounds'), at, bounds, writes);
  at = place(region, offsetof<Region>('outBounds'), at, bounds, writes);
  // The policy columns start here, and so does the table that later overwrites them.
  const shared = at;
  at = place(region, offsetof<Region>('policyFlags'), at, c * 2, writes);
  at = place(region, offsetof<Region>('htlcMinimumMsat'), at, c * 16, writes);
  at = place(region, offsetof<Region>('htlcMaximumMsat'), at, c * 16, writes);
  at = place(region, offsetof<Region>('feeBaseMsat'), at, c * 8, writes);
  at = place(region, offsetof<Region>('feeProportionalMillionths'), at, c * 8, writes);
  at = place(region, offsetof<Region>('cltvExpiryDelta'), at, c * 4, writes);
  const columnsEnd = at;
  at = shared;
  at = place(region, offsetof<Region>('outDirections'), at, c * 2 * (DIRECTION_BYTES as u64), writes);
  return max<u64>(at, columnsEnd);
}

/** Size of a region in bytes. An f64, because the size may exceed 32 bits; the host then refuses the graph. */
export function regionBytes(nodes: u32, channels: u32): f64 {
  return layOut(0, nodes, channels, false) as f64;
}

/** Writes the header of a region. The host then copies each column to its address in the header. */
export function regionLayout(region: Region, nodes: u32, channels: u32): void {
  region.nodeCount = nodes;
  region.channelCount = channels;
  region.arcCount = channels * 2;
  region.nodeHashMask = hashSize(nodes) - 1;
  region.channelHashMask = hashSize(channels) - 1;
  layOut(changetype<usize>(region), nodes, channels, true);
}
