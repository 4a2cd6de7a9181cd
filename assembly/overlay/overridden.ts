/**
 * List of the graph's arcs that layers override, so that all overrides can be walked, kept and removed together
 * (kept-stacks.ts). Created channels always have an override and are not listed.
 *
 * Invariant: an arc is listed exactly once while layers override it, and `placeOf` contains its place.
 */
import { Column, extended } from '../graph/column';
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
}

/** Empties the list. */
export function forgetOverridden(overridden: Overridden): void {
  overridden.overriddenCount = 0;
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
