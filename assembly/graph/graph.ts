/**
 * The published graph: one region of the shared memory, written once by the publisher, then read-only.
 *
 * A channel has two directions ("slot" 2·channel + direction); direction 0 leaves node1, the end with the
 * smaller id. Each slot becomes one *arc*, and arcs are sorted by the node they lead to (searches run from
 * the destination back), the usable ones first:
 *
 *   inStart[v] ........ inEnabledEnd[v] ........ inStart[v+1]
 *   | usable arcs into v | disabled arcs into v  |
 *
 * An arc is one 64-byte record, a cache line, holding all a relaxation needs. A layer that changes an arc
 * supplies another record of the same shape (overlay.ts), so the inner loop never knows the difference.
 *
 * Region = header (pointers below) + tables. The host lays it out (`regionLayout`), copies the columns of
 * the channel graph in, and calls `regionBuild`; the columns of policies are only needed for that call.
 */
import { AMOUNT_LIMIT } from './numbers';

export const NONE: u32 = 0xffffffff;
export const NODE_ID_BYTES: u32 = 33;

// Region header, u32 each.
const R_NODES: usize = 0;
const R_CHANNELS: usize = 4;
export const R_NODE_IDS: usize = 8;
export const R_SCIDS: usize = 12;
export const R_CAPACITY: usize = 16;
export const R_NODE1: usize = 20;
export const R_NODE2: usize = 24;
export const R_POLICY_FLAGS: usize = 28;
export const R_HTLC_MIN: usize = 32;
export const R_HTLC_MAX: usize = 36;
export const R_BASE: usize = 40;
export const R_PPM: usize = 44;
export const R_CLTV: usize = 48;
const R_ARCS: usize = 52;
const R_ARC_OF_SLOT: usize = 56;
const R_IN_START: usize = 60;
const R_IN_ENABLED_END: usize = 64;
const R_OUT_START: usize = 68;
const R_OUT_ARCS: usize = 72;
const R_NODE_HASH: usize = 76;
const R_CHANNEL_HASH: usize = 80;
const R_NODE_HASH_MASK: usize = 84;
const R_CHANNEL_HASH_MASK: usize = 88;
const HEADER_BYTES: u64 = 128;

// Arc record.
export const ARC_BYTES: u32 = 64;
export const A_TAIL: usize = 0;
export const A_BASE: usize = 4;
export const A_PPM: usize = 8;
export const A_CLTV: usize = 12; // u16
export const A_FLAGS: usize = 14; // u16
export const A_HTLC_MIN: usize = 16; // i64
export const A_HTLC_MAX: usize = 24; // i64
/** Known bounds of what the direction can pass: certainly `min`, certainly not more than `max`. */
export const A_MIN: usize = 32; // i64
export const A_MAX: usize = 40; // i64
/** 1 / (max + 1 − min) as f64; what the probability formula needs. */
export const A_INV_RANGE: usize = 48;
export const A_SLOT: usize = 56;
/** Multiplier of the direction's cost, from biases (f32); 1 without. */
export const A_FACTOR: usize = 60;

export const FLAG_KNOWN: u32 = 1;
export const FLAG_ENABLED: u32 = 2;
/** The tail has one neighbour only: no route through it can go on. */
export const FLAG_DEAD_END: u32 = 4;

const POLICY_KNOWN: u32 = 1;
const POLICY_ENABLED: u32 = 2;

// The region in use (per-instance globals; set by `attachRegion`).
export let nodeCount: u32 = 0;
export let channelCount: u32 = 0;
export let arcCount: u32 = 0;
export let arcTable: usize = 0;
export let inStart: usize = 0;
export let inEnabledEnd: usize = 0;
export let outStart: usize = 0;
export let outArcs: usize = 0;
let nodeIds: usize = 0;
let scids: usize = 0;
let capacities: usize = 0;
let node1s: usize = 0;
let node2s: usize = 0;
let arcOfSlots: usize = 0;
let nodeHash: usize = 0;
let nodeHashMask: u32 = 0;
let channelHash: usize = 0;
let channelHashMask: u32 = 0;

/** Lays tables out one after the other, each aligned to 64 bytes. */
let cursor: u64 = 0;

function place(region: usize, field: usize, bytes: u64, write: bool): void {
  if (write) store<u32>(region + field, (region as u64) + cursor as u32);
  cursor += (bytes + 63) & ~(63 as u64);
}

function hashSize(entries: u32): u32 {
  let size: u32 = 16;
  while (size < entries * 2) size <<= 1;
  return size;
}

function layout(region: usize, nodes: u32, channels: u32, write: bool): u64 {
  const n = nodes as u64;
  const c = channels as u64;
  cursor = HEADER_BYTES;
  place(region, R_NODE_IDS, n * (NODE_ID_BYTES as u64), write);
  place(region, R_SCIDS, c * 8, write);
  place(region, R_CAPACITY, c * 8, write);
  place(region, R_NODE1, c * 4, write);
  place(region, R_NODE2, c * 4, write);
  place(region, R_POLICY_FLAGS, c * 2, write);
  place(region, R_HTLC_MIN, c * 16, write);
  place(region, R_HTLC_MAX, c * 16, write);
  place(region, R_BASE, c * 8, write);
  place(region, R_PPM, c * 8, write);
  place(region, R_CLTV, c * 4, write);
  place(region, R_ARCS, c * 2 * (ARC_BYTES as u64), write);
  place(region, R_ARC_OF_SLOT, c * 8, write);
  place(region, R_IN_START, (n + 1) * 4, write);
  place(region, R_IN_ENABLED_END, n * 4, write);
  place(region, R_OUT_START, (n + 1) * 4, write);
  place(region, R_OUT_ARCS, c * 8, write);
  place(region, R_NODE_HASH, (hashSize(nodes) as u64) * 4, write);
  place(region, R_CHANNEL_HASH, (hashSize(channels) as u64) * 4, write);
  return cursor;
}

/** Bytes a region for this many nodes and channels takes, as f64 (it may exceed 32 bits for the host to refuse). */
export function regionBytes(nodes: u32, channels: u32): f64 {
  return layout(0, nodes, channels, false) as f64;
}

/** Writes the header; the host then finds each column's address in it and copies the columns in. */
export function regionLayout(region: usize, nodes: u32, channels: u32): void {
  store<u32>(region + R_NODES, nodes);
  store<u32>(region + R_CHANNELS, channels);
  store<u32>(region + R_NODE_HASH_MASK, hashSize(nodes) - 1);
  store<u32>(region + R_CHANNEL_HASH_MASK, hashSize(channels) - 1);
  layout(region, nodes, channels, true);
}

/** Makes the region the one this instance reads. */
export function attachRegion(region: usize): void {
  nodeCount = load<u32>(region + R_NODES);
  channelCount = load<u32>(region + R_CHANNELS);
  arcCount = channelCount * 2;
  nodeIds = load<u32>(region + R_NODE_IDS);
  scids = load<u32>(region + R_SCIDS);
  capacities = load<u32>(region + R_CAPACITY);
  node1s = load<u32>(region + R_NODE1);
  node2s = load<u32>(region + R_NODE2);
  arcTable = load<u32>(region + R_ARCS);
  arcOfSlots = load<u32>(region + R_ARC_OF_SLOT);
  inStart = load<u32>(region + R_IN_START);
  inEnabledEnd = load<u32>(region + R_IN_ENABLED_END);
  outStart = load<u32>(region + R_OUT_START);
  outArcs = load<u32>(region + R_OUT_ARCS);
  nodeHash = load<u32>(region + R_NODE_HASH);
  nodeHashMask = load<u32>(region + R_NODE_HASH_MASK);
  channelHash = load<u32>(region + R_CHANNEL_HASH);
  channelHashMask = load<u32>(region + R_CHANNEL_HASH_MASK);
}

// @ts-ignore: decorator
@inline
function scidHash(scid: u64): u32 {
  return ((scid * 0x9e3779b97f4a7c15) >> 32) as u32;
}

/** Hash of 33 id bytes: ids are points, their bytes are already random. */
// @ts-ignore: decorator
@inline
export function nodeIdHash(id: usize): u32 {
  return ((load<u64>(id + 8) * 0x9e3779b97f4a7c15) >> 32) as u32;
}

export function sameNodeId(a: usize, b: usize): bool {
  return (
    load<u8>(a) == load<u8>(b) &&
    load<u64>(a + 1) == load<u64>(b + 1) &&
    load<u64>(a + 9) == load<u64>(b + 9) &&
    load<u64>(a + 17) == load<u64>(b + 17) &&
    load<u64>(a + 25) == load<u64>(b + 25)
  );
}

/** Index of the node with these 33 id bytes, or NONE (an empty place holds 0, and 0 − 1 is NONE). */
export function findNode(id: usize): u32 {
  let at = nodeIdHash(id) & nodeHashMask;
  let entry = load<u32>(nodeHash + ((at as usize) << 2));
  while (entry != 0 && !sameNodeId(nodeIds + (entry - 1) * NODE_ID_BYTES, id)) {
    at = (at + 1) & nodeHashMask;
    entry = load<u32>(nodeHash + ((at as usize) << 2));
  }
  return entry - 1;
}

/** Index of the channel with this short channel id, or NONE. */
export function findChannel(scid: u64): u32 {
  let at = scidHash(scid) & channelHashMask;
  let entry = load<u32>(channelHash + ((at as usize) << 2));
  while (entry != 0 && load<u64>(scids + ((entry - 1) as usize << 3)) != scid) {
    at = (at + 1) & channelHashMask;
    entry = load<u32>(channelHash + ((at as usize) << 2));
  }
  return entry - 1;
}

export function graphScid(channel: u32): u64 {
  return load<u64>(scids + ((channel as usize) << 3));
}

export function graphCapacity(channel: u32): i64 {
  return min<i64>(load<u64>(capacities + ((channel as usize) << 3)) as i64 & i64.MAX_VALUE, AMOUNT_LIMIT);
}

/** The end of a channel: 0 the smaller id, 1 the larger. A direction leaves end `direction`. */
export function graphEnd(channel: u32, end: u32): u32 {
  return load<u32>((end == 0 ? node1s : node2s) + ((channel as usize) << 2));
}

/** Address of a node's 33 id bytes. */
export function graphNodeId(node: u32): usize {
  return nodeIds + node * NODE_ID_BYTES;
}

export function arcOfSlot(slot: u32): u32 {
  return load<u32>(arcOfSlots + ((slot as usize) << 2));
}

/** The arc's record as gossip has it. */
// @ts-ignore: decorator
@inline
export function baseRecord(arc: u32): usize {
  return arcTable + (arc as usize) * (ARC_BYTES as usize);
}

/** 1 / (max + 1 − min): the +1 keeps a direction that must pass its very maximum finite, and so possible. */
export function inverseRange(lowest: i64, highest: i64): f64 {
  return highest > lowest ? 1.0 / ((highest - lowest) as f64 + 1.0) : 1.0;
}

/** Builds hash tables, arcs and their order from the columns; the region is then ready for `attachRegion`. */
export function regionBuild(region: usize): void {
  attachRegion(region);
  memory.fill(nodeHash, 0, (nodeHashMask as usize + 1) << 2);
  memory.fill(channelHash, 0, (channelHashMask as usize + 1) << 2);
  for (let node: u32 = 0; node < nodeCount; node++) insert(nodeHash, nodeHashMask, nodeIdHash(graphNodeId(node)), node);
  for (let channel: u32 = 0; channel < channelCount; channel++) {
    insert(channelHash, channelHashMask, scidHash(graphScid(channel)), channel);
  }
  countDegrees(region);
  fillArcs(region);
  fillOut();
  markDeadEnds();
}

function insert(table: usize, mask: u32, hash: u32, index: u32): void {
  let at = hash & mask;
  while (load<u32>(table + ((at as usize) << 2)) != 0) at = (at + 1) & mask;
  store<u32>(table + ((at as usize) << 2), index + 1);
}

function slotEnabled(region: usize, slot: u32): bool {
  const flags = load<u8>((load<u32>(region + R_POLICY_FLAGS) as usize) + slot) as u32;
  return (flags & (POLICY_KNOWN | POLICY_ENABLED)) == (POLICY_KNOWN | POLICY_ENABLED);
}

/** Prefix sums: inStart, outStart; inEnabledEnd starts as a cursor at inStart. */
function countDegrees(region: usize): void {
  memory.fill(inStart, 0, ((nodeCount as usize) + 1) << 2);
  memory.fill(outStart, 0, ((nodeCount as usize) + 1) << 2);
  for (let slot: u32 = 0; slot < arcCount; slot++) {
    const tail = graphEnd(slot >> 1, slot & 1);
    const head = graphEnd(slot >> 1, (slot & 1) ^ 1);
    assert(tail < nodeCount && head < nodeCount, 'a channel end is no node');
    const i = inStart + ((head as usize) << 2);
    const o = outStart + ((tail as usize) << 2);
    store<u32>(i, load<u32>(i) + 1);
    store<u32>(o, load<u32>(o) + 1);
  }
  let incoming: u32 = 0;
  let outgoing: u32 = 0;
  for (let node: u32 = 0; node < nodeCount; node++) {
    const at = (node as usize) << 2;
    const into = load<u32>(inStart + at);
    const from = load<u32>(outStart + at);
    store<u32>(inStart + at, incoming);
    store<u32>(inEnabledEnd + at, incoming);
    store<u32>(outStart + at, outgoing);
    incoming += into;
    outgoing += from;
  }
  store<u32>(inStart + ((nodeCount as usize) << 2), incoming);
  store<u32>(outStart + ((nodeCount as usize) << 2), outgoing);
  assert(incoming == arcCount && outgoing == arcCount, 'every direction enters one node and leaves one');
}

/** Two passes put usable arcs before disabled ones; `inStart` serves the second as cursor and is restored. */
function fillArcs(region: usize): void {
  for (let slot: u32 = 0; slot < arcCount; slot++) {
    if (!slotEnabled(region, slot)) continue;
    const at = (graphEnd(slot >> 1, (slot & 1) ^ 1) as usize) << 2;
    const arc = load<u32>(inEnabledEnd + at);
    store<u32>(inEnabledEnd + at, arc + 1);
    writeArc(region, slot, arc);
  }
  // Disabled arcs are placed backwards from the start of the next node.
  for (let slot: u32 = arcCount; slot-- > 0; ) {
    if (slotEnabled(region, slot)) continue;
    const head = (graphEnd(slot >> 1, (slot & 1) ^ 1) as usize) << 2;
    const next = load<u32>(inStart + head + 4) - 1;
    store<u32>(inStart + head + 4, next);
    writeArc(region, slot, next);
  }
  // inStart[v+1] was counted down to inEnabledEnd[v]; put the starts back.
  store<u32>(inStart, 0);
  let start: u32 = 0;
  for (let node: u32 = 0; node < nodeCount; node++) {
    const at = (node as usize) << 2;
    assert(load<u32>(inStart + at + 4) == load<u32>(inEnabledEnd + at), 'disabled arcs fill the gap exactly');
    start += inDegree(node);
    store<u32>(inStart + at + 4, start);
  }
}

/** All arcs into a node pair with arcs out of it (two directions a channel), so the degrees are equal. */
function inDegree(node: u32): u32 {
  const at = outStart + ((node as usize) << 2);
  return load<u32>(at + 4) - load<u32>(at);
}

function writeArc(region: usize, slot: u32, arc: u32): void {
  const record = baseRecord(arc);
  const slotAt = slot as usize;
  const flags = load<u8>((load<u32>(region + R_POLICY_FLAGS) as usize) + slotAt) as u32;
  const capacity = graphCapacity(slot >> 1);
  const highest = load<u64>((load<u32>(region + R_HTLC_MAX) as usize) + (slotAt << 3));
  const lowest = load<u64>((load<u32>(region + R_HTLC_MIN) as usize) + (slotAt << 3));
  store<u32>(record + A_TAIL, graphEnd(slot >> 1, slot & 1));
  store<u32>(record + A_BASE, load<u32>((load<u32>(region + R_BASE) as usize) + (slotAt << 2)));
  store<u32>(record + A_PPM, load<u32>((load<u32>(region + R_PPM) as usize) + (slotAt << 2)));
  store<u16>(record + A_CLTV, load<u16>((load<u32>(region + R_CLTV) as usize) + (slotAt << 1)));
  store<u16>(record + A_FLAGS, (flags & (FLAG_KNOWN | FLAG_ENABLED)) as u16);
  store<i64>(record + A_HTLC_MIN, min<u64>(lowest, AMOUNT_LIMIT as u64) as i64);
  store<i64>(record + A_HTLC_MAX, min<u64>(highest, AMOUNT_LIMIT as u64) as i64);
  store<i64>(record + A_MIN, 0);
  store<i64>(record + A_MAX, capacity);
  store<f64>(record + A_INV_RANGE, inverseRange(0, capacity));
  store<u32>(record + A_SLOT, slot);
  store<f32>(record + A_FACTOR, 1.0);
  store<u32>(arcOfSlots + (slotAt << 2), arc);
}

function fillOut(): void {
  for (let slot: u32 = 0; slot < arcCount; slot++) {
    const at = outStart + ((graphEnd(slot >> 1, slot & 1) as usize) << 2);
    const place = load<u32>(at);
    store<u32>(outArcs + ((place as usize) << 2), arcOfSlot(slot));
    store<u32>(at, place + 1);
  }
  // Each start was moved to its end: shift back by one node.
  for (let node: u32 = nodeCount; node > 0; node--) {
    const at = outStart + ((node as usize) << 2);
    store<u32>(at, load<u32>(at - 4));
  }
  store<u32>(outStart, 0);
}

function markDeadEnds(): void {
  for (let node: u32 = 0; node < nodeCount; node++) {
    const first = load<u32>(outStart + ((node as usize) << 2));
    const end = load<u32>(outStart + ((node as usize) << 2) + 4);
    let neighbour: u32 = NONE;
    let single = true;
    for (let k = first; k < end && single; k++) {
      const other = headOf(load<u32>(outArcs + ((k as usize) << 2)));
      single = neighbour == NONE || neighbour == other;
      neighbour = other;
    }
    if (!single) continue;
    for (let k = first; k < end; k++) {
      const record = baseRecord(load<u32>(outArcs + ((k as usize) << 2)));
      store<u16>(record + A_FLAGS, load<u16>(record + A_FLAGS) | (FLAG_DEAD_END as u16));
    }
  }
}

/** The node a graph arc leads to. */
function headOf(arc: u32): u32 {
  const slot = load<u32>(baseRecord(arc) + A_SLOT);
  return graphEnd(slot >> 1, (slot & 1) ^ 1);
}
