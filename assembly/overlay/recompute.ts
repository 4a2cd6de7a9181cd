/**
 * Computes and installs the override records of the directions in layers (effective.ts).
 *
 * Overrides of the graph's arcs are in a table in arc order, like the graph's records. A search walks the arcs into a
 * node, so it reads neighbouring cache lines in both tables. Overrides of created channels have separate blocks
 * (created-channels.ts). So have those of a source whose directions are all that changes (`freeArcsOf`): they are written
 * for each question, in a small table that stays in the processor's caches.
 *
 * Invariants: a direction has an override exactly if the stack changes it; an arc that layers enable is in the incoming
 * list of its head (links.ts) exactly if the graph's own list of usable arcs lacks it.
 */
import { takePages } from '../graph/arena';
import { Column } from '../graph/column';
import {
  copyRecord,
  DIRECTION_BYTES,
  DirectionRecord,
  FLAG_CHEAPER,
  FLAG_LINKED,
  isEnabled,
  recordIn,
} from '../graph/direction';
import { arcOfDirection, baseRecord, findChannel, graphShortChannelId, NONE } from '../graph/graph';
import { Workspace } from '../workspace';
import { refreshBurden } from './burdens';
import { ChannelCell, CreatedBlock, NodeCell } from './cells';
import { endOf, settleCreated, shortChannelIdOf } from './created-channels';
import { resolve } from './created-nodes';
import { clearFee, GLOBAL_LAYER, isFree, writeEffective } from './effective';
import { NodeEntry } from './entries';
import { channelCell, firstChannelCell, firstNodeCell } from './layers';
import { linkIn, unlinkIn } from './links';
import {
  countOverride,
  forgetOverridden,
  listOverride,
  overriddenAt,
  reductions,
  uncountOverride,
  unlistOverride,
} from './overridden';
import { recordOf, recordsChanged, stateOf } from './scratch';
import { hasLayers, layerAt, SOURCEFREE } from './stack';

/** The overrides of the graph's arcs. */
@unmanaged
export class OverrideTable {
  /** Address of a table with room for one override per arc of the graph; allocated on first use. */
  table: usize;
  room: u32;
  /** Address of the overrides that `freeArcsOf` makes. */
  free: usize;
  freeRoom: u32;
}

/** Recomputes all directions and burdens in a layer. */
export function recomputeLayer(work: Workspace, layer: u32): void {
  const cells = work.cells;
  let cell = firstChannelCell(cells, layer);
  while (cell !== null) {
    recomputeChannel(work, cell.key);
    cell = cell.next;
  }
  cell = firstNodeCell(cells, layer);
  while (cell !== null) {
    const node = resolve(work, changetype<NodeEntry>(cell.key as usize), false);
    if (node !== NONE) {
      recordsChanged(work.scratch);
      refreshBurden(work, node);
      if (changetype<NodeCell>(cell).changesTerms) recomputeArcsOf(work, node, true, true);
    }
    cell = cell.next;
  }
}

/** Recomputes the burden and the directions of a node. */
export function recomputeNode(work: Workspace, entry: NodeEntry): void {
  const node = resolve(work, entry, false);
  if (node === NONE) return;
  refreshBurden(work, node);
  recomputeArcsOf(work, node, true, true);
}

/** Recomputes the directions that leave a node, those that enter it, or both. */
export function recomputeArcsOf(work: Workspace, node: u32, leaving: bool, entering: bool): void {
  const graph = work.graph;
  const scratch = work.scratch;
  recordsChanged(scratch);
  if (node < graph.nodeCount) {
    const end = graph.outStart.after(node);
    for (let k = graph.outStart[node]; k < end; k++) {
      const directionIndex = baseRecord(graph, graph.outArcs[k]).directionIndex;
      const shortChannelId = graphShortChannelId(graph, directionIndex >> 1);
      if (leaving) recomputeDirection(work, directionIndex, shortChannelId);
      if (entering) recomputeDirection(work, directionIndex ^ 1, shortChannelId);
    }
  }
  // Both directions of a created channel have the same ends, so `extraOut` also finds the directions that enter.
  let link = stateOf(scratch, node).extraOut;
  while (link !== null) {
    const directionIndex = link.arc;
    const shortChannelId = shortChannelIdOf(work, directionIndex >> 1);
    if (leaving) recomputeDirection(work, directionIndex, shortChannelId);
    if (entering) recomputeDirection(work, directionIndex ^ 1, shortChannelId);
    link = link.next;
  }
}

/**
 * Whether nothing but `auto.sourcefree` changes any direction: no other layer is applied, and there are no global
 * reservations.
 */
export function isOnlySourceFree(work: Workspace): bool {
  const cells = work.cells;
  return (
    !hasLayers(work.stack) &&
    firstChannelCell(cells, GLOBAL_LAYER) === null &&
    firstNodeCell(cells, GLOBAL_LAYER) === null &&
    work.created.count === 0
  );
}

/**
 * Makes the directions that leave a node of the graph free, if `isOnlySourceFree`, and restores all others. The result is
 * that of `recomputeArcsOf`, which takes several times as long.
 */
export function freeArcsOf(work: Workspace, node: u32): void {
  const graph = work.graph;
  recordsChanged(work.scratch);
  clearOverrides(work);
  if (node >= graph.nodeCount) return;
  const first = graph.outStart[node];
  const end = graph.outStart.after(node);
  const table = roomForFree(work.places, end - first);
  for (let k = first; k < end; k++) {
    const record = recordIn(graph.outDirections, k);
    if (isFree(record)) continue;
    const free = recordIn(table, k - first);
    install(work, graph.outArcs[k], free);
    copyRecord(free, record);
    clearFee(free);
    const flags = reductions(free, record);
    free.flags |= flags as u16;
    countOverride(work.overridden, flags, node, graph.outHeads[k]);
  }
}

/** The table for overrides of `freeArcsOf`, with room for `count` records. */
function roomForFree(places: OverrideTable, count: u32): usize {
  if (count > places.freeRoom) {
    places.freeRoom = 2 * count;
    places.free = takePages((places.freeRoom as u64) * (DIRECTION_BYTES as u64));
  }
  return places.free;
}

/**
 * Recomputes both directions of a channel. If the graph lacks the channel, it is first created, updated or removed, as
 * the stack specifies (`settleCreated`).
 */
export function recomputeChannel(work: Workspace, shortChannelId: u64): void {
  recordsChanged(work.scratch);
  let channel = findChannel(work.graph, shortChannelId);
  if (channel === NONE) {
    channel = settleCreated(work, shortChannelId, creatorOf(work, shortChannelId));
    if (channel === NONE) return;
  }
  recomputeDirection(work, channel * 2, shortChannelId);
  recomputeDirection(work, channel * 2 + 1, shortChannelId);
}

/** The created block of the first layer that creates the channel, or null. */
function creatorOf(work: Workspace, shortChannelId: u64): CreatedBlock | null {
  const stack = work.stack;
  for (let i: u32 = 0; i < stack.stackLength; i++) {
    const layer = layerAt(stack, i);
    const cell: ChannelCell | null =
      layer === SOURCEFREE ? null : channelCell(work.cells, layer, shortChannelId);
    if (cell !== null && cell.created !== null) return cell.created;
  }
  return null;
}

/** Recomputes the override of one direction. Removes the override if it equals the record from gossip. */
function recomputeDirection(work: Workspace, directionIndex: u32, shortChannelId: u64): void {
  const graph = work.graph;
  const isCreated = directionIndex >= graph.arcCount;
  const arc = isCreated ? directionIndex : arcOfDirection(graph, directionIndex);
  const record = overrideOf(work, arc);
  const before = record.flags as u32;
  const wasLinked = (before & FLAG_LINKED) !== 0;
  const head = endOf(work, directionIndex >> 1, (directionIndex & 1) ^ 1);
  writeEffective(work, record, directionIndex, arc, shortChannelId, head);
  const isListed = !isCreated && arc < graph.inEnabledEnd[head];
  const isLinked = isEnabled(record) && !isListed;
  if (isLinked !== wasLinked) {
    if (isLinked) linkIn(work, arc, head);
    else unlinkIn(work, arc, head);
  }
  if (isCreated) {
    if (isLinked) record.flags |= FLAG_LINKED as u16;
    return;
  }
  const overridden = work.overridden;
  uncountOverride(overridden, before, record.tail, head);
  if (!isLinked && sameRecord(record, baseRecord(graph, arc))) {
    work.scratch.overrides[arc] = null;
    unlistOverride(overridden, arc);
    return;
  }
  const flags = isLinked ? FLAG_LINKED | FLAG_CHEAPER : reductions(record, baseRecord(graph, arc));
  record.flags |= flags as u16;
  countOverride(overridden, flags, record.tail, head);
}

/** The override of an arc, created if missing and then marked as not linked. Created channels always have one. */
function overrideOf(work: Workspace, arc: u32): DirectionRecord {
  const known = work.scratch.overrides[arc];
  if (known !== null) return known;
  const record = newOverride(work, arc);
  record.flags = 0;
  return record;
}

/** Allocates the override of a graph arc. The caller writes all of it. */
function newOverride(work: Workspace, arc: u32): DirectionRecord {
  const graph = work.graph;
  const places = work.places;
  if (graph.arcCount > places.room) {
    places.room = graph.arcCount + (graph.arcCount >> 3);
    places.table = takePages((places.room as u64) * (DIRECTION_BYTES as u64));
  }
  assert(arc < graph.arcCount, 'a created channel has its overrides from the start');
  const record = recordIn(places.table, arc);
  install(work, arc, record);
  return record;
}

/** Makes a record the override of a graph arc, which has none. */
function install(work: Workspace, arc: u32, record: DirectionRecord): void {
  work.scratch.overrides[arc] = record;
  listOverride(work, arc);
}

/** Installs a previously computed override of a graph arc. */
export function restoreOverride(work: Workspace, record: DirectionRecord): void {
  const flags = record.flags as u32;
  const directionIndex = record.directionIndex;
  const arc = arcOfDirection(work.graph, directionIndex);
  const head = endOf(work, directionIndex >> 1, (directionIndex & 1) ^ 1);
  copyRecord(newOverride(work, arc), record);
  countOverride(work.overridden, flags, record.tail, head);
  if (flags & FLAG_LINKED) linkIn(work, arc, head);
}

/** Removes all overrides of graph arcs. */
export function clearOverrides(work: Workspace): void {
  const overridden = work.overridden;
  for (let i: u32 = 0; i < overridden.overriddenCount; i++) {
    const arc = overriddenAt(overridden, i);
    const record = recordOf(work, arc);
    const flags = record.flags as u32;
    const directionIndex = record.directionIndex;
    const head = endOf(work, directionIndex >> 1, (directionIndex & 1) ^ 1);
    uncountOverride(overridden, flags, record.tail, head);
    if (flags & FLAG_LINKED) unlinkIn(work, arc, head);
    work.scratch.overrides[arc] = null;
  }
  forgetOverridden(overridden);
}

function sameRecord(a: DirectionRecord, b: DirectionRecord): bool {
  const wordsOfA = changetype<Column<u64>>(a);
  const wordsOfB = changetype<Column<u64>>(b);
  for (let i: u32 = 0; i < (DIRECTION_BYTES as u32) >> 3; i++) if (wordsOfA[i] !== wordsOfB[i]) return false;
  return true;
}
