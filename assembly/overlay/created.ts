/**
 * Channels and nodes that exist by layers alone.
 *
 * Created channels are numbered after the graph's, their arcs likewise (2·channel + direction), and nodes that the
 * graph does not have after its nodes; numbers given up are given out again. Both directions of a created channel have
 * override records of their own. A node is known by the entry of its id (layers.ts); an entry's number is
 * meaningful while its stamp is the present topology's, which changes with the graph.
 *
 * Created channel: block of 64 bytes, in a table by index and in buckets by short channel id.
 */
import { allocateBlock, allocatePages, freeBlock } from '../graph/arena';
import {
  A_FLAGS,
  A_SLOT,
  arcCount,
  channelCount,
  findNode,
  graphCapacity,
  graphEnd,
  graphNodeId,
  graphScid,
  nodeCount,
  NONE,
  outStart,
} from '../graph/graph';
import {
  E_ID,
  E_NODE,
  E_STAMP,
  findEntry,
  K_CAPACITY,
  K_NODE1,
  K_NODE2,
  releaseEntry,
  retainEntry,
} from './layers';
import { forgetLinks, freeList, pushLink, removeLink, unlinkIn } from './links';
import { AMOUNT_LIMIT, mix64 } from '../graph/numbers';
import {
  ensureArcs,
  ensureNodes,
  overrides,
  recordOf,
  S_BYTES,
  S_ENTRY,
  S_EXTRA_IN,
  S_EXTRA_OUT,
  stateOf,
} from './scratch';

/** Override flag: the arc hangs in the list of what enters its head (links.ts). */
export const FLAG_LINKED: u32 = 8;

// Created channel, 64 bytes.
const X_SCID: usize = 0;
const X_NODE1: usize = 8;
const X_NODE2: usize = 12;
const X_HASH_NEXT: usize = 16;
const X_INDEX: usize = 20;
const X_CAPACITY: usize = 32;
const X_ENTRY1: usize = 40;
const X_ENTRY2: usize = 44;
/** By direction: its links in the lists of what leaves its tail. */
const X_OUT_LINKS: usize = 48;

const VACANT_END: u32 = 0x7fffffff;

/** As many buckets as places in the table. */
let extraBuckets: usize = 0;
let extraTable: usize = 0;
let extraCapacity: u32 = 0;
let extraChannels: u32 = 0;
let extraFree: u32 = NONE;
let extraNodeTable: usize = 0;
let extraNodeCapacity: u32 = 0;
let extraNodes: u32 = 0;
let extraNodeFree: u32 = NONE;
let topology: u32 = 0;

export function createdInit(): void {
  growExtraTable();
}

/** Frees all of them: another graph is about to be attached. */
export function forgetCreated(): void {
  for (let arc = arcCount; arc < arcCount + 2 * extraChannels; arc++) {
    freeBlock(load<u32>(overrides + ((arc as usize) << 2)));
  }
  for (let node: u32 = 0; node < nodeCount + extraNodes; node++) {
    freeList(stateOf(node) + S_EXTRA_IN);
    freeList(stateOf(node) + S_EXTRA_OUT);
  }
  for (let k: u32 = 0; k < extraChannels; k++) {
    const extra = load<u32>(extraTable + ((k as usize) << 2));
    if ((extra & 1) == 0) freeExtra(extra);
  }
  memory.fill(extraBuckets, 0, extraCapacity << 2);
  forgetLinks();
  extraChannels = 0;
  extraFree = NONE;
  extraNodes = 0;
  extraNodeFree = NONE;
  topology++;
}

/** The number an entry's node has at present, or NONE. */
export function presentNode(entry: usize): u32 {
  return load<u32>(entry + E_STAMP) == topology ? load<u32>(entry + E_NODE) : NONE;
}

/** Places taken by nodes that the graph does not have, vacant ones included. */
export function extraNodeCount(): u32 {
  return extraNodes;
}

/** Gives the number of a created node back. No channel is left at it: that would hold on to its entry. */
export function vacateNode(node: u32): void {
  assert(load<u32>(stateOf(node) + S_EXTRA_OUT) == 0, 'a node with channels is vacated');
  memory.fill(stateOf(node), 0, S_BYTES);
  extraNodeFree = markVacant(extraNodeTable, node - nodeCount, extraNodeFree);
}

/**
 * Marks a table's place as vacant and returns it as head of the list of vacant places. It holds the next one,
 * told from an address by bit 0 (addresses are multiples of 64).
 */
function markVacant(table: usize, index: u32, head: u32): u32 {
  store<u32>(table + ((index as usize) << 2), ((head == NONE ? VACANT_END : head) << 1) | 1);
  return index;
}

/** The vacant place after this one; NONE at last. */
function vacantAfter(table: usize, index: u32): u32 {
  const next = load<u32>(table + ((index as usize) << 2)) >> 1;
  return next == VACANT_END ? NONE : next;
}

/**
 * Creates, moves or removes the channel as the created block of the layer that comes first says; 0 when none
 * creates it. Its number, or NONE.
 */
export function settleExtra(scid: u64, created: usize): u32 {
  let extra = findExtra(scid);
  if (created == 0) {
    if (extra != 0) dropExtra(extra);
    return NONE;
  }
  const node1 = resolve(load<u32>(created + K_NODE1), true);
  const node2 = resolve(load<u32>(created + K_NODE2), true);
  const capacity = min<i64>(load<i64>(created + K_CAPACITY), AMOUNT_LIMIT);
  if (extra != 0 && (load<u32>(extra + X_NODE1) != node1 || load<u32>(extra + X_NODE2) != node2)) {
    dropExtra(extra);
    extra = 0;
  }
  if (extra == 0) extra = addExtra(scid, node1, node2, created);
  store<i64>(extra + X_CAPACITY, capacity);
  return channelCount + load<u32>(extra + X_INDEX);
}

function findExtra(scid: u64): usize {
  let extra = load<u32>(extraBucket(scid)) as usize;
  while (extra != 0 && load<u64>(extra + X_SCID) != scid) extra = load<u32>(extra + X_HASH_NEXT);
  return extra;
}

function extraBucket(scid: u64): usize {
  return extraBuckets + (((mix64(scid) as u32) & (extraCapacity - 1)) << 2);
}

function addExtra(scid: u64, node1: u32, node2: u32, created: usize): usize {
  const extra = allocateBlock();
  let index = extraChannels;
  if (extraFree != NONE) {
    index = extraFree;
    extraFree = vacantAfter(extraTable, index);
  } else {
    extraChannels++;
    if (index >= extraCapacity) growExtraTable();
    ensureArcs(arcCount + 2 * extraChannels);
  }
  store<u32>(extraTable + ((index as usize) << 2), extra as u32);
  store<u64>(extra + X_SCID, scid);
  store<u32>(extra + X_NODE1, node1);
  store<u32>(extra + X_NODE2, node2);
  store<u32>(extra + X_INDEX, index);
  for (let at: usize = 0; at < 8; at += 4) {
    const entry = load<u32>(created + K_NODE1 + at);
    store<u32>(extra + X_ENTRY1 + at, entry);
    retainEntry(entry);
  }
  const bucket = extraBucket(scid);
  store<u32>(extra + X_HASH_NEXT, load<u32>(bucket));
  store<u32>(bucket, extra as u32);
  for (let d: u32 = 0; d < 2; d++) {
    const arc = 2 * (channelCount + index) + d;
    store<u32>(overrides + ((arc as usize) << 2), allocateBlock() as u32);
    const link = pushLink(stateOf(d == 0 ? node1 : node2) + S_EXTRA_OUT, arc);
    store<u32>(extra + X_OUT_LINKS + (d << 2), link as u32);
  }
  return extra;
}

function growExtraTable(): void {
  const before = extraCapacity;
  const capacity = max<u32>(before * 2, 1024);
  const table = allocatePages((capacity as u64) * 8);
  if (table == 0) unreachable();
  memory.copy(table, extraTable, before << 2);
  extraTable = table;
  extraBuckets = table + ((capacity as usize) << 2);
  extraCapacity = capacity;
  for (let k: u32 = 0; k < before; k++) {
    const extra = load<u32>(extraTable + ((k as usize) << 2)) as usize;
    if (extra & 1) continue;
    const bucket = extraBucket(load<u64>(extra + X_SCID));
    store<u32>(extra + X_HASH_NEXT, load<u32>(bucket));
    store<u32>(bucket, extra as u32);
  }
}

function freeExtra(extra: usize): void {
  releaseEntry(load<u32>(extra + X_ENTRY1));
  releaseEntry(load<u32>(extra + X_ENTRY2));
  freeBlock(extra);
}

function dropExtra(extra: usize): void {
  const index = load<u32>(extra + X_INDEX);
  for (let d: u32 = 0; d < 2; d++) {
    const arc = 2 * (channelCount + index) + d;
    const record = load<u32>(overrides + ((arc as usize) << 2)) as usize;
    if ((load<u16>(record + A_FLAGS) as u32) & FLAG_LINKED) unlinkIn(arc, load<u32>(extra + X_NODE1 + ((d ^ 1) << 2)));
    removeLink(stateOf(load<u32>(extra + X_NODE1 + (d << 2))) + S_EXTRA_OUT, load<u32>(extra + X_OUT_LINKS + (d << 2)));
    freeBlock(record);
    store<u32>(overrides + ((arc as usize) << 2), 0);
  }
  let link = extraBucket(load<u64>(extra + X_SCID));
  while ((load<u32>(link) as usize) != extra) link = (load<u32>(link) as usize) + X_HASH_NEXT;
  store<u32>(link, load<u32>(extra + X_HASH_NEXT));
  extraFree = markVacant(extraTable, index, extraFree);
  freeExtra(extra);
}

/** The index of a mentioned node; with `create`, one that is not in the graph gets a number after it. */
export function resolve(entry: usize, create: bool): u32 {
  if (load<u32>(entry + E_STAMP) == topology) {
    const known = load<u32>(entry + E_NODE);
    if (known != NONE || !create) return known;
  }
  let node = findNode(entry + E_ID);
  if (node == NONE && create) {
    let index = extraNodes;
    if (extraNodeFree != NONE) {
      index = extraNodeFree;
      extraNodeFree = vacantAfter(extraNodeTable, index);
    } else {
      if (extraNodes >= extraNodeCapacity) growExtraNodes();
      extraNodes++;
      ensureNodes(nodeCount + extraNodes);
    }
    store<u32>(extraNodeTable + ((index as usize) << 2), entry as u32);
    node = nodeCount + index;
  }
  if (node != NONE) store<u32>(stateOf(node) + S_ENTRY, entry as u32);
  store<u32>(entry + E_STAMP, topology);
  store<u32>(entry + E_NODE, node);
  return node;
}

function growExtraNodes(): void {
  const capacity = max<u32>(extraNodeCapacity * 2, 1024);
  const table = allocatePages((capacity as u64) * 4);
  if (table == 0) unreachable();
  memory.copy(table, extraNodeTable, extraNodeCapacity << 2);
  extraNodeTable = table;
  extraNodeCapacity = capacity;
}

function extraOf(channel: u32): usize {
  return load<u32>(extraTable + ((channel - channelCount) as usize << 2));
}

/** End `end` (0 or 1) of a channel, of the graph or created. */
export function endOf(channel: u32, end: u32): u32 {
  return channel < channelCount ? graphEnd(channel, end) : load<u32>(extraOf(channel) + X_NODE1 + (end << 2));
}

/** The node an arc leads to. */
export function headOfArc(arc: u32): u32 {
  const slot = load<u32>(recordOf(arc) + A_SLOT);
  return endOf(slot >> 1, (slot & 1) ^ 1);
}

export function capacityOf(channel: u32): i64 {
  return channel < channelCount ? graphCapacity(channel) : load<i64>(extraOf(channel) + X_CAPACITY);
}

export function scidOf(channel: u32): u64 {
  return channel < channelCount ? graphScid(channel) : load<u64>(extraOf(channel) + X_SCID);
}

/** Address of the 33 id bytes of a node, of the graph or created. */
export function nodeIdOf(node: u32): usize {
  if (node < nodeCount) return graphNodeId(node);
  return (load<u32>(extraNodeTable + ((node - nodeCount) as usize << 2)) as usize) + E_ID;
}

/** Index of the node with these 33 id bytes that has a channel, gossiped or made by an applied layer; or NONE. */
export function nodeById(id: usize): u32 {
  let node = findNode(id);
  if (node == NONE) {
    const entry = findEntry(id);
    if (entry == 0) return NONE;
    node = resolve(entry, false);
    if (node == NONE) return NONE;
  } else if (load<u32>(outStart + ((node as usize) << 2)) != load<u32>(outStart + ((node as usize) << 2) + 4)) return node;
  return load<u32>(stateOf(node) + S_EXTRA_OUT) != 0 ? node : NONE;
}
