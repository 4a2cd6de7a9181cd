/**
 * Paths copied from the labels of a search, as arcs from the source on. A search leaves its path in `arc` of the states
 * of its nodes (search.ts), and the next search overwrites it.
 */
import { Column } from '../../graph/column';
import { headOfArc } from '../../overlay/created-channels';
import { stateOf } from '../../overlay/scratch';
import { Workspace } from '../../workspace';

/** Copies the arcs of the path in the node states to a column with enough room. Returns their number. */
export function copyPath(work: Workspace, source: u32, destination: u32, arcs: Column<u32>): u32 {
  let hops: u32 = 0;
  for (let node = source; node !== destination; ) {
    const arc = stateOf(work.scratch, node).arc;
    arcs[hops++] = arc;
    node = headOfArc(work, arc);
  }
  return hops;
}

/** Writes a copied path into the node states, as a search does. */
export function showPath(work: Workspace, source: u32, destination: u32, arcs: Column<u32>, hops: u32): void {
  let node = source;
  for (let hop: u32 = 0; hop < hops; hop++) {
    const arc = arcs[hop];
    stateOf(work.scratch, node).arc = arc;
    node = headOfArc(work, arc);
  }
  assert(node === destination, 'a kept path ends at the destination');
}
