/**
 * A region: the part of the shared memory that one version of the graph lies in.
 *
 *   header (`Region`) | columns of the channel graph | tables made of them (build.ts)
 *
 * The host asks for its size, has the header written, copies each column to the address that the header has for it, and
 * calls `regionBuild`. From then on nothing is written to it. Each column and table is aligned to a cache line.
 *
 * The policy columns are only read to make `directions`. The last table that is made, `outDirections`, takes their place.
 */
import { Column } from './column';
import { DIRECTION_BYTES } from './direction';

/** Bytes of a node id: a compressed point (BOLT 7). */
export const NODE_ID_BYTES: u32 = 33;
/** Bytes set aside for the header: whole cache lines. */
const HEADER_BYTES: u64 = 128;
const CACHE_LINE: u64 = 64;

/** Where everything in a region lies. "By channel" means by channel index, "by direction" by direction index. */
@unmanaged
export class Region {
  nodeCount: u32;
  channelCount: u32;
  /** Two for each channel. */
  arcCount: u32;
  // Columns that the host copies in. Those of policies hold only until `outDirections` is made.
  /** By node: 33 bytes each. */
  nodeIds: usize;
  /** By channel: its short channel id. */
  shortChannelIds: Column<u64>;
  /** By channel, msat. */
  capacityMsat: Column<u64>;
  /** By channel: the end with the smaller id. */
  node1: Column<u32>;
  /** By channel: the other end. */
  node2: Column<u32>;
  /** By direction: bits FLAG_KNOWN and FLAG_ENABLED. */
  policyFlags: Column<u8>;
  /** By direction, msat. */
  htlcMinimumMsat: Column<u64>;
  /** By direction, msat. */
  htlcMaximumMsat: Column<u64>;
  /** By direction, msat. */
  feeBaseMsat: Column<u32>;
  /** By direction, millionths. */
  feeProportionalMillionths: Column<u32>;
  /** By direction, blocks. */
  cltvExpiryDelta: Column<u16>;
  // Tables that `regionBuild` makes.
  /** By arc: its `DirectionRecord`. */
  directions: usize;
  /** By direction: its arc. */
  arcOfDirection: Column<u32>;
  /** By node, and one more: the first arc that enters it. */
  inStart: Column<u32>;
  /** By node: the first arc that enters it and is disabled. */
  inEnabledEnd: Column<u32>;
  /** By node, and one more: its first place in `outArcs`. */
  outStart: Column<u32>;
  /** The arcs that leave each node, node after node. */
  outArcs: Column<u32>;
  /** By place in `outArcs`: the node that the arc leads to. */
  outHeads: Column<u32>;
  /** By place in `outArcs`: a copy of the arc's `DirectionRecord`. */
  outDirections: usize;
  /** Hash table of nodes by id: index + 1, 0 where vacant. */
  nodeHash: Column<u32>;
  /** Hash table of channels by short channel id: index + 1, 0 where vacant. */
  channelHash: Column<u32>;
  /** Places of the tables less 1; they are powers of two. */
  nodeHashMask: u32;
  channelHashMask: u32;
}

/**
 * Gives the place `at` to what a header field points to. With `writes`, writes its address to the field. Returns the place
 * behind it.
 */
function place(region: usize, field: usize, at: u64, bytes: u64, writes: bool): u64 {
  if (writes) store<u32>(region + field, ((region as u64) + at) as u32);
  return at + ((bytes + CACHE_LINE - 1) & ~(CACHE_LINE - 1));
}

/** Places of a hash table: a power of two, at most half of them taken. */
function hashSize(entries: u32): u32 {
  let size: u32 = 16;
  while (size < entries * 2) size <<= 1;
  return size;
}

/** Lays everything out in sequence. Returns the bytes that it takes. */
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
  at = place(region, offsetof<Region>('outArcs'), at, c * 8, writes);
  at = place(region, offsetof<Region>('outHeads'), at, c * 8, writes);
  at = place(region, offsetof<Region>('nodeHash'), at, (hashSize(nodes) as u64) * 4, writes);
  at = place(region, offsetof<Region>('channelHash'), at, (hashSize(channels) as u64) * 4, writes);
  // From here on, the policy columns and what takes their place.
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

/** Bytes that a region takes, as f64: it may exceed 32 bits, which the host then refuses. */
export function regionBytes(nodes: u32, channels: u32): f64 {
  return layOut(0, nodes, channels, false) as f64;
}

/** Writes the header of a region. The host then copies each column to the address that the header has for it. */
export function regionLayout(region: Region, nodes: u32, channels: u32): void {
  region.nodeCount = nodes;
  region.channelCount = channels;
  region.arcCount = channels * 2;
  region.nodeHashMask = hashSize(nodes) - 1;
  region.channelHashMask = hashSize(channels) - 1;
  layOut(changetype<usize>(region), nodes, channels, true);
}
