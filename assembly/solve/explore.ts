/**
 * Looking around without any price: what the host needs to explain why there is no route.
 */
import { allocatePages } from '../graph/arena';
import { A_TAIL, inStart, nodeCount, outArcs, outStart } from '../graph/graph';
import { headOfArc } from '../overlay/created';
import { heapNodes, recordOf, S_ARC, S_EXTRA_IN, S_EXTRA_OUT, S_HOPS, S_STAMP, stateOf } from '../overlay/scratch';
import { nextStamp } from './search';

let list: usize = 0;
let listCapacity: u32 = 0;

/** Address of the list the functions below fill (u32 arcs). */
export function arcList(): usize {
  return list;
}

/** Writes the list's place `index`; places are filled in order. */
export function listPut(index: u32, arc: u32): void {
  if (index >= listCapacity) {
    const capacity = max<u32>(listCapacity * 2, 4096);
    const next = allocatePages((capacity as u64) * 4);
    if (next == 0) unreachable();
    memory.copy(next, list, listCapacity << 2);
    list = next;
    listCapacity = capacity;
  }
  store<u32>(list + ((index as usize) << 2), arc);
}

/** Lists every arc out of (or into) a node, disabled ones and those without policy too. Returns their number. */
export function listArcs(node: u32, leaving: bool): u32 {
  let count: u32 = 0;
  if (node < nodeCount) {
    const at = (node as usize) << 2;
    const end = load<u32>((leaving ? outStart : inStart) + at + 4);
    for (let k = load<u32>((leaving ? outStart : inStart) + at); k < end; k++) {
      listPut(count++, leaving ? load<u32>(outArcs + ((k as usize) << 2)) : k);
    }
  }
  // Created channels hang in the list of what leaves; the other direction has the neighbouring number.
  let link = load<u32>(stateOf(node) + S_EXTRA_OUT) as usize;
  while (link != 0) {
    listPut(count++, leaving ? load<u32>(link) : load<u32>(link) ^ 1);
    link = load<u32>(link + 4);
  }
  return count;
}

/**
 * A path of fewest hops, whatever limits, policies and bounds say (breadth-first from the destination).
 * Lists its arcs from the source on and returns their number, 0 when nothing connects the two.
 */
export function fewestHopPath(source: u32, destination: u32): u32 {
  const stamp = nextStamp();
  let first: u32 = 0;
  let last: u32 = 0;
  store<u32>(stateOf(destination) + S_STAMP, stamp);
  store<u32>(stateOf(destination) + S_HOPS, 0);
  store<u32>(heapNodes + ((last++ as usize) << 2), destination);
  while (first < last) {
    const node = load<u32>(heapNodes + ((first++ as usize) << 2));
    if (node == source) return writePath(source);
    const hops = load<u32>(stateOf(node) + S_HOPS) + 1;
    const arcs = listArcs(node, false);
    for (let k: u32 = 0; k < arcs; k++) {
      const arc = load<u32>(list + ((k as usize) << 2));
      const tail = load<u32>(recordOf(arc) + A_TAIL);
      const state = stateOf(tail);
      if (load<u32>(state + S_STAMP) == stamp) continue;
      store<u32>(state + S_STAMP, stamp);
      store<u32>(state + S_ARC, arc);
      store<u32>(state + S_HOPS, hops);
      store<u32>(heapNodes + ((last++ as usize) << 2), tail);
    }
  }
  return 0;
}

function writePath(source: u32): u32 {
  const hops = load<u32>(stateOf(source) + S_HOPS);
  let node = source;
  for (let hop: u32 = 0; hop < hops; hop++) {
    const arc = load<u32>(stateOf(node) + S_ARC);
    listPut(hop, arc);
    node = headOfArc(arc);
  }
  return hops;
}
