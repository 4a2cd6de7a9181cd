/**
 * Node ids in layers, each stored once as an *entry*.
 *
 * An entry counts its references: from node cells and created blocks of layers (cells.ts), and from created channels
 * (created-channels.ts). An entry without references is an orphan. The overlay frees it (`takeOrphan`) once nothing
 * holds its address. Entries must be freed because private layers of payments come and go for years. Invariants: an id
 * has at most one entry; an entry is released no more often than it was retained (asserted in debug builds). A lookup
 * takes constant time up to about ten thousand nodes in layers.
 */
import { allocateBlock } from '../graph/arena';
import { Column, newColumn } from '../graph/column';
import { nodeIdHash, sameNodeId } from '../graph/graph';
import { NODE_ID_BYTES } from '../graph/region';
import { Workspace } from '../workspace';

/** A node that layers mention, or mentioned until recently. */
@unmanaged
export class NodeEntry {
  /** The first 16 of the node's 33 id bytes; the others follow. */
  idStart: v128;
  idMiddle: v128;
  idEnd: u8;
  /** Next entry in the same hash bucket. */
  hashNext: NodeEntry | null;
  /**
   * Index of the node in the attached graph or among created nodes, or NONE. Valid while `stamp` is the current
   * topology.
   */
  node: u32;
  /** The topology (created-nodes.ts) to which `node` belongs. */
  stamp: u32;
  references: u32;
  orphanNext: NodeEntry | null;
  /** Whether the entry is in the list of orphans. */
  waits: bool;
}

/** Hash table size minus 1. */
const ENTRY_MASK: u32 = 0x3fff;

/** The table of entries. */
@unmanaged
export class Entries {
  buckets: Column<NodeEntry | null>;
  orphans: NodeEntry | null;
}

/** Initialises the empty table. Called once per instance. */
export function entriesInit(entries: Entries): void {
  entries.buckets = newColumn<NodeEntry | null>(ENTRY_MASK + 1);
}

/** Address of an entry's 33 id bytes. */
export function idOf(entry: NodeEntry): usize {
  return changetype<usize>(entry) + offsetof<NodeEntry>('idStart');
}

function placeOf(id: usize): u32 {
  return nodeIdHash(id) & ENTRY_MASK;
}

/** The entry of the node whose id is the 33 bytes at `id`; null if there is none. */
export function findEntry(entries: Entries, id: usize): NodeEntry | null {
  let entry = entries.buckets[placeOf(id)];
  while (entry !== null && !sameNodeId(idOf(entry), id)) entry = entry.hashNext;
  return entry;
}

/** The entry of the node whose id is the 33 bytes at `id`, created on first use. */
export function nodeEntry(work: Workspace, id: usize): NodeEntry {
  const entries = work.entries;
  const known = findEntry(entries, id);
  if (known !== null) return known;
  const entry = allocateBlock<NodeEntry>(work.arena);
  memory.copy(idOf(entry), id, NODE_ID_BYTES);
  entry.hashNext = entries.buckets[placeOf(id)];
  entries.buckets[placeOf(id)] = entry;
  orphan(entries, entry);
  return entry;
}

/** Adds a reference to the entry. */
export function retainEntry(entry: NodeEntry): void {
  entry.references += 1;
}

/** Drops a reference. Without references the entry becomes an orphan. */
export function releaseEntry(entries: Entries, entry: NodeEntry): void {
  if (!ASC_NO_ASSERT) assert(entry.references > 0, 'an entry is released more often than retained');
  entry.references -= 1;
  if (entry.references === 0) orphan(entries, entry);
}

/** Adds an entry to the orphans. It may gain a reference again before it is freed. */
function orphan(entries: Entries, entry: NodeEntry): void {
  if (entry.waits) return;
  entry.waits = true;
  entry.orphanNext = entries.orphans;
  entries.orphans = entry;
}

/**
 * Removes the next entry without references from the table and returns it; null if none is left. The caller frees its
 * block.
 */
export function takeOrphan(entries: Entries): NodeEntry | null {
  for (let entry = entries.orphans; entry !== null; entry = entries.orphans) {
    entries.orphans = entry.orphanNext;
    entry.waits = false;
    if (entry.references !== 0) continue;
    unchain(entries, entry);
    return entry;
  }
  return null;
}

function unchain(entries: Entries, entry: NodeEntry): void {
  const place = placeOf(idOf(entry));
  let before: NodeEntry | null = null;
  let at = entries.buckets[place];
  while (at !== null && at !== entry) {
    before = at;
    at = at.hashNext;
  }
  assert(at === entry, 'an entry is in the table');
  if (before === null) entries.buckets[place] = entry.hashNext;
  else before.hashNext = entry.hashNext;
}
