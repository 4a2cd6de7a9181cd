/**
 * List of the graph's arcs that layers override, so that all overrides can be walked, kept and removed together
 * (kept-stacks.ts). Created channels always have an override and are not listed.
 *
 * Also counts the overrides that may cost less than gossip's records. Searches read these first, because lower bounds
 * of gossip's records do not hold for them (solve/path/blocks.ts).
 *
 * Invariants: an arc is listed exactly once while layers override it, and `placeOf` contains its place. The counts
 * follow from the flags of the listed overrides.
 */
import { Column, extended, newColumn } from '../graph/column';
import { DirectionRecord, FLAG_CHEAPER, FLAG_LIKELIER } from '../graph/direction';
import { Workspace } from '../workspace';
import { arcRoom } from './scratch';

/** The list of overridden arcs. */
@unmanaged
export class Overridden {
  overriddenCount: u32;
  listed: Column<u32>;
  /** The place of each arc in the list. */
  placeOf: Column<u32>;
  room: u32;
  /** For each node of the graph, the number of arcs into it with FLAG_CHEAPER, and of those out of it. */
  cheaperInto: Column<u32>;
  cheaperFrom: Column<u32>;
  nodeRoom: u32;
  /** Number of arcs with FLAG_LIKELIER. */
  likelier: u32;
}

/** Empties the list, once its overrides are no longer counted. */
export function forgetOverridden(overridden: Overridden): void {
  assert(overridden.likelier === 0, 'no override is counted');
  overridden.overriddenCount = 0;
}

/** Empties the list for a newly attached graph. */
export function resetOverridden(work: Workspace): void {
  const overridden = work.overridden;
  const nodes = work.graph.nodeCount;
  overridden.likelier = 0;
  forgetOverridden(overridden);
  overridden.cheaperInto.clear(overridden.nodeRoom);
  overridden.cheaperFrom.clear(overridden.nodeRoom);
  if (nodes <= overridden.nodeRoom) return;
  overridden.nodeRoom = nodes + (nodes >> 2);
  overridden.cheaperInto = newColumn<u32>(overridden.nodeRoom);
  overridden.cheaperFrom = newColumn<u32>(overridden.nodeRoom);
}

/**
 * Returns FLAG_CHEAPER and FLAG_LIKELIER, if they apply to an override of `base`. Loads, which are applied later, only
 * make an override costlier.
 */
export function reductions(record: DirectionRecord, base: DirectionRecord): u32 {
  const isCheaper =
    record.feeBaseMsat < base.feeBaseMsat ||
    record.feeProportionalMillionths < base.feeProportionalMillionths ||
    record.factor < 1.0;
  const isLikelier = record.minMsat > 0 || record.inverseRange < base.inverseRange;
  return (isCheaper ? FLAG_CHEAPER : 0) | (isLikelier ? FLAG_LIKELIER : 0);
}

/** Counts an override with these flags, of an arc from `tail` to `head`. */
export function countOverride(overridden: Overridden, flags: u32, tail: u32, head: u32): void {
  if (flags & FLAG_CHEAPER) {
    overridden.cheaperInto[head] += 1;
    overridden.cheaperFrom[tail] += 1;
  }
  if (flags & FLAG_LIKELIER) overridden.likelier++;
}

/** Reverts `countOverride`. */
export function uncountOverride(overridden: Overridden, flags: u32, tail: u32, head: u32): void {
  if (flags & FLAG_CHEAPER) {
    assert(overridden.cheaperInto[head] > 0 && overridden.cheaperFrom[tail] > 0, 'the override is counted');
    overridden.cheaperInto[head] -= 1;
    overridden.cheaperFrom[tail] -= 1;
  }
  if (flags & FLAG_LIKELIER) overridden.likelier--;
}

/** The arc at a place of the list. */
export function overriddenAt(overridden: Overridden, place: u32): u32 {
  return overridden.listed[place];
}

/** Adds an arc that is not listed. */
export function listOverride(work: Workspace, arc: u32): void {
  const overridden = work.overridden;
  const scratch = work.scratch;
  if (arcRoom(scratch) > overridden.room) {
    const wider = arcRoom(scratch);
    overridden.listed = extended<u32>(overridden.listed, overridden.room, wider);
    overridden.placeOf = extended<u32>(overridden.placeOf, overridden.room, wider);
    overridden.room = wider;
  }
  overridden.listed[overridden.overriddenCount] = arc;
  overridden.placeOf[arc] = overridden.overriddenCount++;
}

/** Removes an arc from the list. */
export function unlistOverride(overridden: Overridden, arc: u32): void {
  const place = overridden.placeOf[arc];
  assert(place < overridden.overriddenCount && overridden.listed[place] === arc, 'the arc is listed');
  const last = overridden.listed[--overridden.overriddenCount];
  overridden.listed[place] = last;
  overridden.placeOf[last] = place;
}
