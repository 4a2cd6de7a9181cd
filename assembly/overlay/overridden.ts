/**
 * The arcs of the graph that have an override by layers, as a list, so that all overrides can be walked, kept and taken
 * away at once (kept-stacks.ts). Channels that layers create are not listed: they always have theirs.
 *
 * Invariant: an arc is listed once exactly while it has an override by layers, and `placeOf` has its place.
 */
import { Column, extended } from '../graph/column';
import { arcRoom } from './scratch';

/** Arcs in the list. */
export let overriddenCount: u32 = 0;
let listed: Column<u32> = changetype<Column<u32>>(0);
/** By arc. */
let placeOf: Column<u32> = changetype<Column<u32>>(0);
let room: u32 = 0;

/** Empties the list. */
export function forgetOverridden(): void {
  overriddenCount = 0;
}

/** The arc at a place of the list. */
export function overriddenAt(place: u32): u32 {
  return listed[place];
}

/** Adds an arc that is not listed. */
export function listOverride(arc: u32): void {
  if (arcRoom() > room) {
    const wider = arcRoom();
    listed = extended<u32>(listed, room, wider);
    placeOf = extended<u32>(placeOf, room, wider);
    room = wider;
  }
  listed[overriddenCount] = arc;
  placeOf[arc] = overriddenCount++;
}

/** Takes an arc out of the list. */
export function unlistOverride(arc: u32): void {
  const place = placeOf[arc];
  assert(place < overriddenCount && listed[place] === arc, 'the arc is listed');
  const last = listed[--overriddenCount];
  listed[place] = last;
  placeOf[last] = place;
}
