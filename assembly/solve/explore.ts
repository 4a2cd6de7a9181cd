/**
 * Looks around the graph without any price. The host needs it to explain why there is no route.
 *
 * The functions fill one list of arcs, which the host reads before it asks again. Invariant: places of the list are
 * filled in order. Work: `listArcs` takes one step for each channel of the node, `fewestHopPath` one search by breadth
 * over the whole graph, O(V + E).
 */
import { Column, extended } from '../graph/column';
import { inStart, nodeCount, outArcs, outStart } from '../graph/graph';
import { headOfArc } from '../overlay/created-channels';
import { heapNodes, recordOf, stateOf } from '../overlay/scratch';
import { nextStamp } from './search';

let list: Column<u32> = changetype<Column<u32>>(0);
let listCapacity: u32 = 0;

/** Address of the list the functions below fill (u32 arcs). */
export function arcList(): Column<u32> {
  return list;
}

/** Writes the list's place `index`; places are filled in order. */
export function listPut(index: u32, arc: u32): void {
  if (index >= listCapacity) {
    const capacity = max<u32>(listCapacity * 2, 4096);
    list = extended<u32>(list, listCapacity, capacity);
    listCapacity = capacity;
  }
  list[index] = arc;
}

/** Lists every arc out of (or into) a node, disabled ones and those without policy too. Returns their number. */
export function listArcs(node: u32, leaving: bool): u32 {
  let count: u32 = 0;
  if (node < nodeCount) {
    const starts = leaving ? outStart : inStart;
    const end = starts.after(node);
    for (let k = starts[node]; k < end; k++) listPut(count++, leaving ? outArcs[k] : k);
  }
  // `extraOut` lists the arcs of created channels that leave the node. The arc that enters has the neighbouring number.
  let link = stateOf(node).extraOut;
  while (link !== null) {
    listPut(count++, leaving ? link.arc : link.arc ^ 1);
    link = link.next;
  }
  return count;
}

/**
 * A path of fewest hops, whatever limits, policies and bounds say (breadth-first from the destination). Lists its arcs
 * from the source on and returns their number; 0 where nothing connects the two nodes.
 */
export function fewestHopPath(source: u32, destination: u32): u32 {
  const stamp = nextStamp();
  let first: u32 = 0;
  let last: u32 = 0;
  stateOf(destination).stamp = stamp;
  stateOf(destination).hops = 0;
  heapNodes[last++] = destination;
  while (first < last) {
    const node = heapNodes[first++];
    if (node === source) return writePath(source);
    const hops = stateOf(node).hops + 1;
    const arcs = listArcs(node, false);
    for (let k: u32 = 0; k < arcs; k++) {
      const arc = list[k];
      const tail = recordOf(arc).tail;
      const state = stateOf(tail);
      if (state.stamp === stamp) continue;
      state.stamp = stamp;
      state.arc = arc;
      state.hops = hops;
      heapNodes[last++] = tail;
    }
  }
  return 0;
}

function writePath(source: u32): u32 {
  const hops = stateOf(source).hops;
  let node = source;
  for (let hop: u32 = 0; hop < hops; hop++) {
    const arc = stateOf(node).arc;
    listPut(hop, arc);
    node = headOfArc(arc);
  }
  return hops;
}
