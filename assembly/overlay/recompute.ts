/**
 * Computes the override records of directions that layers mention (effective.ts), and puts them in place.
 *
 * Overrides of the graph's arcs lie in a table in the order of the arcs, as the graph's records do. A search walks
 * through the arcs into a node, so it finds neighbours in neighbouring cache lines in both tables. Overrides of created
 * channels have blocks of their own (created-channels.ts).
 *
 * Invariants: a direction has an override exactly where the stack changes it; an arc that layers enable hangs in the
 * list of what enters its head (links.ts) exactly where the graph's own list of usable arcs does not have it.
 */
import { takePages } from '../graph/arena';
import { Column } from '../graph/column';
import { DIRECTION_BYTES, DirectionRecord, FLAG_LINKED, isEnabled, recordIn } from '../graph/direction';
import {
  arcCount,
  arcOfDirection,
  baseRecord,
  findChannel,
  graphShortChannelId,
  inEnabledEnd,
  NONE,
  nodeCount,
  outArcs,
  outStart,
} from '../graph/graph';
import { ChannelCell, CreatedBlock } from './cells';
import { endOf, settleCreated, shortChannelIdOf } from './created-channels';
import { resolve } from './created-nodes';
import { writeEffective } from './effective';
import { NodeEntry } from './entries';
import { channelCell, firstChannelCell, firstNodeCell } from './layers';
import { linkIn, unlinkIn } from './links';
import { forgetOverridden, listOverride, overriddenAt, overriddenCount, unlistOverride } from './overridden';
import { overrides, recordOf, recordsChanged, stateOf } from './scratch';
import { layerAt, SOURCEFREE, stackLength } from './stack';

/** A table with room for one override for each arc of the graph; taken when the first is needed. */
let places: usize = 0;
let placeCapacity: u32 = 0;

/** Recomputes all directions that a layer mentions. */
export function recomputeLayer(layer: u32): void {
  let cell = firstChannelCell(layer);
  while (cell !== null) {
    recomputeChannel(cell.key);
    cell = cell.next;
  }
  cell = firstNodeCell(layer);
  while (cell !== null) {
    recomputeNode(changetype<NodeEntry>(cell.key as usize));
    cell = cell.next;
  }
}

/** Recomputes the directions at a node. */
export function recomputeNode(entry: NodeEntry): void {
  const node = resolve(entry, false);
  if (node !== NONE) recomputeArcsOf(node, true, true);
}

/** Recomputes the directions that leave a node, those that enter it, or both. */
export function recomputeArcsOf(node: u32, leaving: bool, entering: bool): void {
  recordsChanged();
  if (node < nodeCount) {
    const end = outStart.after(node);
    for (let k = outStart[node]; k < end; k++) {
      const directionIndex = baseRecord(outArcs[k]).directionIndex;
      const shortChannelId = graphShortChannelId(directionIndex >> 1);
      if (leaving) recomputeDirection(directionIndex, shortChannelId);
      if (entering) recomputeDirection(directionIndex ^ 1, shortChannelId);
    }
  }
  // Both directions of a created channel have the same ends, so `extraOut` also finds the directions that enter.
  let link = stateOf(node).extraOut;
  while (link !== null) {
    const directionIndex = link.arc;
    const shortChannelId = shortChannelIdOf(directionIndex >> 1);
    if (leaving) recomputeDirection(directionIndex, shortChannelId);
    if (entering) recomputeDirection(directionIndex ^ 1, shortChannelId);
    link = link.next;
  }
}

/** Recomputes both directions of a channel. */
export function recomputeChannel(shortChannelId: u64): void {
  recordsChanged();
  let channel = findChannel(shortChannelId);
  if (channel === NONE) {
    channel = settleCreated(shortChannelId, creatorOf(shortChannelId));
    if (channel === NONE) return;
  }
  recomputeDirection(channel * 2, shortChannelId);
  recomputeDirection(channel * 2 + 1, shortChannelId);
}

/** The created block of the first layer that creates the channel; null where no layer does. */
function creatorOf(shortChannelId: u64): CreatedBlock | null {
  for (let i: u32 = 0; i < stackLength; i++) {
    const layer = layerAt(i);
    const cell: ChannelCell | null = layer === SOURCEFREE ? null : channelCell(layer, shortChannelId);
    if (cell !== null && cell.created !== null) return cell.created;
  }
  return null;
}

/** Recomputes the override of one direction. Removes it where layers leave the direction as gossip has it. */
function recomputeDirection(directionIndex: u32, shortChannelId: u64): void {
  const isCreated = directionIndex >= arcCount;
  const arc = isCreated ? directionIndex : arcOfDirection(directionIndex);
  const record = overrideOf(arc);
  const wasLinked = ((record.flags as u32) & FLAG_LINKED) !== 0;
  const head = endOf(directionIndex >> 1, (directionIndex & 1) ^ 1);
  writeEffective(record, directionIndex, arc, shortChannelId, head);
  const isListed = !isCreated && arc < inEnabledEnd[head];
  const isLinked = isEnabled(record) && !isListed;
  if (isLinked !== wasLinked) {
    if (isLinked) linkIn(arc, head);
    else unlinkIn(arc, head);
  }
  if (isLinked) record.flags |= FLAG_LINKED as u16;
  else if (!isCreated && sameRecord(record, baseRecord(arc))) {
    overrides[arc] = null;
    unlistOverride(arc);
  }
}

/** The override of an arc; a new one is marked as not linked. Created channels have theirs from the start. */
function overrideOf(arc: u32): DirectionRecord {
  const known = overrides[arc];
  if (known !== null) return known;
  const record = newOverride(arc);
  record.flags = 0;
  return record;
}

/** Gives an arc of the graph an override. The caller writes all of it. */
function newOverride(arc: u32): DirectionRecord {
  if (arcCount > placeCapacity) {
    placeCapacity = arcCount + (arcCount >> 3);
    places = takePages((placeCapacity as u64) * (DIRECTION_BYTES as u64));
  }
  assert(arc < arcCount, 'a created channel has its overrides from the start');
  const record = recordIn(places, arc);
  overrides[arc] = record;
  listOverride(arc);
  return record;
}

/** Gives an arc of the graph an override that was computed before. */
export function restoreOverride(record: DirectionRecord): void {
  const directionIndex = record.directionIndex;
  const arc = arcOfDirection(directionIndex);
  memory.copy(changetype<usize>(newOverride(arc)), changetype<usize>(record), DIRECTION_BYTES);
  if ((record.flags as u32) & FLAG_LINKED) linkIn(arc, endOf(directionIndex >> 1, (directionIndex & 1) ^ 1));
}

/** Takes all overrides of the graph's arcs away. */
export function clearOverrides(): void {
  for (let i: u32 = 0; i < overriddenCount; i++) {
    const arc = overriddenAt(i);
    const record = recordOf(arc);
    const directionIndex = record.directionIndex;
    if ((record.flags as u32) & FLAG_LINKED)
      unlinkIn(arc, endOf(directionIndex >> 1, (directionIndex & 1) ^ 1));
    overrides[arc] = null;
  }
  forgetOverridden();
}

function sameRecord(a: DirectionRecord, b: DirectionRecord): bool {
  const wordsOfA = changetype<Column<u64>>(a);
  const wordsOfB = changetype<Column<u64>>(b);
  for (let i: u32 = 0; i < (DIRECTION_BYTES as u32) >> 3; i++) if (wordsOfA[i] !== wordsOfB[i]) return false;
  return true;
}
