/**
 * Tables of addresses whose places can be freed and reused.
 *
 * A vacant place holds the number of the next vacant one. Bit 0 distinguishes it from an address: blocks are 64-byte
 * aligned. So the free list needs no memory of its own, and freeing or taking a place takes constant time.
 */
import { Column } from '../graph/column';
import { NONE } from '../graph/graph';

/** Marks the end of the free list; the largest number that fits the remaining 31 bits. */
const LAST: usize = 0x7fffffff;

/** Adds a place to the free list whose first place is `head` (or NONE). Returns the new head. */
export function markVacant(table: Column<usize>, place: u32, head: u32): u32 {
  if (!ASC_NO_ASSERT) assert(!isVacant(table, place), 'a place is freed twice');
  table[place] = ((head === NONE ? LAST : (head as usize)) << 1) | 1;
  return place;
}

/** Next vacant place in the list; NONE after the last. */
export function vacantAfter(table: Column<usize>, place: u32): u32 {
  if (!ASC_NO_ASSERT) assert(isVacant(table, place), 'an occupied place is assigned');
  const next = table[place] >> 1;
  return next === LAST ? NONE : (next as u32);
}

/** Whether a place is vacant. */
export function isVacant(table: Column<usize>, place: u32): bool {
  return (table[place] & 1) !== 0;
}
