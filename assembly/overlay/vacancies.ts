/**
 * Tables of addresses whose places can be given up and taken again.
 *
 * A vacant place holds the number of the next vacant place. Bit 0 tells it from an address: addresses of blocks are
 * multiples of 64. So the list of vacant places takes no memory of its own. Giving up and taking a place take constant
 * time.
 */
import { Column } from '../graph/column';
import { NONE } from '../graph/graph';

/** The last vacant place holds this instead of a number; it is the largest that fits the 31 bits left. */
const LAST: usize = 0x7fffffff;

/** Marks a place as vacant; `head` is the first vacant one so far, or NONE. Returns the new head. */
export function markVacant(table: Column<usize>, place: u32, head: u32): u32 {
  if (!ASC_NO_ASSERT) assert(!isVacant(table, place), 'a place is given up twice');
  table[place] = ((head === NONE ? LAST : (head as usize)) << 1) | 1;
  return place;
}

/** The vacant place that follows this one in the list; NONE after the last. */
export function vacantAfter(table: Column<usize>, place: u32): u32 {
  if (!ASC_NO_ASSERT) assert(isVacant(table, place), 'a place that is taken is given out');
  const next = table[place] >> 1;
  return next === LAST ? NONE : (next as u32);
}

/** Whether a place holds no address. */
export function isVacant(table: Column<usize>, place: u32): bool {
  return (table[place] & 1) !== 0;
}
