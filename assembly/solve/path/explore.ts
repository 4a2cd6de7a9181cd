/**
 * Looks around the graph without any price. The host needs it to explain why there is no route.
 *
 * The functions fill one list of arcs, which the host reads before it asks again. Invariant: places of the list are
 * filled in order. Work: `listArcs` takes one step for each channel of the node, `fewestHopPath` one search by breadth
 * from both ends, at most O(V + E).
 */
import { Column, extended } from '../../graph/column';
import { inStart, NONE, nodeCount, outArcs, outHeads, outStart } from '../../graph/graph';
import { headOfArc } from '../../overlay/created-channels';
import { heapNodes, nodeRoom, recordOf, stateOf } from '../../overlay/scratch';
import { DIRECTION_STEPS, NODE_STEPS, spend } from '../question/effort';
import { nextStamp } from './search';

let list: Column<u32> = changetype<Column<u32>>(0);
let listCapacity: u32 = 0;
/** The search by breadth that labels of nodes belong to. */
let stamp: u32 = 0;
/** The node at which its sides have met, or NONE. */
let meeting: u32 = NONE;
/** Nodes that each side has reached. */
let behindCount: u32 = 0;
let aheadCount: u32 = 0;

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
 * A path of fewest hops, whatever limits, policies and bounds say. Lists its arcs from the source on and returns their
 * number; 0 where nothing connects the two nodes.
 *
 * Breadth-first from both ends, a whole level of the smaller side at a time. Until the sides meet, no path is as short
 * as both together, so the first node that both have reached lies on a path of fewest hops. The destination's side is
 * queued from the front of `heapNodes`, the source's side from its back.
 */
export function fewestHopPath(source: u32, destination: u32): u32 {
  stamp = nextStamp();
  meeting = NONE;
  const back = nodeRoom() - 1;
  let behindFirst: u32 = 0;
  let aheadFirst: u32 = 0;
  behindCount = 0;
  aheadCount = 0;
  reachBehind(destination, 0);
  reachAhead(source, 0);
  while (meeting === NONE && behindFirst < behindCount && aheadFirst < aheadCount) {
    if (behindCount - behindFirst <= aheadCount - aheadFirst) {
      const end = behindCount;
      while (behindFirst < end && meeting === NONE) expandBehind(heapNodes[behindFirst++]);
    } else {
      const end = aheadCount;
      while (aheadFirst < end && meeting === NONE) expandAhead(heapNodes[back - aheadFirst++]);
    }
  }
  return meeting === NONE ? 0 : writePath(source, destination);
}

function expandBehind(node: u32): void {
  if (node < nodeCount) {
    const end = inStart.after(node);
    spend(DIRECTION_STEPS * (end - inStart[node]) + NODE_STEPS);
    for (let arc = inStart[node]; arc < end; arc++) reachBehind(recordOf(arc).tail, arc);
  }
  // The arc that enters has the neighbouring number.
  let link = stateOf(node).extraOut;
  while (link !== null) {
    reachBehind(headOfArc(link.arc), link.arc ^ 1);
    link = link.next;
  }
}

function expandAhead(node: u32): void {
  if (node < nodeCount) {
    const end = outStart.after(node);
    spend(DIRECTION_STEPS * (end - outStart[node]) + NODE_STEPS);
    for (let k = outStart[node]; k < end; k++) reachAhead(outHeads[k], outArcs[k]);
  }
  let link = stateOf(node).extraOut;
  while (link !== null) {
    reachAhead(headOfArc(link.arc), link.arc);
    link = link.next;
  }
}

/** Reaches a node by an arc that leaves it. */
function reachBehind(node: u32, arc: u32): void {
  const state = stateOf(node);
  if (state.stamp === stamp) return;
  state.stamp = stamp;
  state.arc = arc;
  heapNodes[behindCount++] = node;
  if (state.aheadStamp === stamp && meeting === NONE) meeting = node;
}

/** Reaches a node by an arc that enters it. */
function reachAhead(node: u32, arc: u32): void {
  const state = stateOf(node);
  if (state.aheadStamp === stamp) return;
  state.aheadStamp = stamp;
  state.cameBy = arc;
  heapNodes[nodeRoom() - 1 - aheadCount++] = node;
  if (state.stamp === stamp && meeting === NONE) meeting = node;
}

function writePath(source: u32, destination: u32): u32 {
  for (let node = meeting; node !== source; ) {
    const arc = stateOf(node).cameBy;
    node = recordOf(arc).tail;
    stateOf(node).arc = arc;
  }
  let hops: u32 = 0;
  for (let node = source; node !== destination; node = headOfArc(stateOf(node).arc))
    listPut(hops++, stateOf(node).arc);
  return hops;
}
