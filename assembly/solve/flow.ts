/**
 * Can the network pass the amount at all? Maximum flow, fees left aside (they only make it harder).
 *
 *   maximise the flow from source to destination   subject to   0 ≤ flow(arc) ≤ capacity(arc), conserved at nodes
 *
 * A direction's capacity is its known maximum, msat, or what as many HTLCs as may cross it can carry, if that is less
 * (`beginFlow`). It is 0 where the HTLC limits admit nothing.
 *
 * Augmenting paths by breadth-first search from the destination, with capacity scaling: only residual capacities of at
 * least Δ count, and Δ falls from a sixteenth of the amount to 1 msat. A Δ ends after O(E) augmentations, so there are
 * O(E log U) (Ahuja, Magnanti and Orlin, Network Flows, 1993, section 7.3); on real graphs it takes a few dozen, of
 * O(E) each.
 *
 * If the flow stops below the amount, no augmenting path is left (Ford and Fulkerson 1956). The nodes that still reach
 * the destination bound a minimum cut. The directions of that cut are the certificate that no set of routes exists.
 * Otherwise the flow is cut into paths, and parts can start from these (construct.ts).
 *
 * Invariants: flows are not negative and at most the capacity (asserted in debug builds); an arc is listed among the
 * touched ones exactly while it carries flow, so clearing takes time proportional to what the last question used.
 */
import { Column, newColumn } from '../graph/column';
import { DirectionRecord, isEnabled } from '../graph/direction';
import { inEnabledEnd, inStart, nodeCount, outArcs, outStart } from '../graph/graph';
import { headOfArc } from '../overlay/created-channels';
import { arcRoom, heapNodes, recordOf, stateOf } from '../overlay/scratch';
import { hasEffort, spend } from './effort';
import { arcList, listPut } from './explore';
import { nextStamp } from './search';
import { pollCancel } from './task';

/** By arc: the flow, msat. Arcs that carry some are listed once in `touched`. */
let flows: Column<i64> = changetype<Column<i64>>(0);
let flowCapacity: u32 = 0;
let touched: Column<u32> = changetype<Column<u32>>(0);
let touchedCount: u32 = 0;
let stamp: u32 = 0;
const SCALE: i64 = 16;
/** Marks an arc that is walked against its direction, in `arc` of a node's state. */
export const BACKWARDS: u32 = 0x80000000;

/** Most HTLCs across one direction. */
let htlcs: i64 = i64.MAX_VALUE;

/** Begins a new flow: nothing flows, and at most `most` HTLCs may cross a direction. */
export function beginFlow(most: i64): void {
  htlcs = most;
  const arcs = arcRoom();
  if (arcs > flowCapacity) {
    flowCapacity = arcs;
    flows = newColumn<i64>(arcs);
    touched = newColumn<u32>(arcs);
    touchedCount = 0;
    return;
  }
  for (let i: u32 = 0; i < touchedCount; i++) flows[touched[i]] = 0;
  touchedCount = 0;
}

function flowOf(arc: u32): i64 {
  return flows[arc];
}

function capacity(record: DirectionRecord): i64 {
  if (!isEnabled(record)) return 0;
  const highest = record.htlcMaximumMsat;
  if (highest === 0 || highest < record.htlcMinimumMsat) return 0;
  return highest < record.maxMsat / htlcs ? highest * htlcs : record.maxMsat;
}

/** How much more can go along a direction, or be taken back from it. */
export function residual(arc: u32, backwards: bool): i64 {
  return backwards ? flowOf(arc) : capacity(recordOf(arc)) - flowOf(arc);
}

/** The largest flow from source to destination, at most `wanted`. */
export function maxFlow(source: u32, destination: u32, wanted: i64): i64 {
  beginFlow(i64.MAX_VALUE);
  if (!reach(source, destination, 1)) return 0;
  let total: i64 = 0;
  let least = max<i64>(wanted / SCALE, 1);
  while (total < wanted && hasEffort() && !pollCancel()) {
    if (reach(source, destination, least)) total += augment(source, destination, wanted - total);
    else if (least === 1) break;
    else least = max<i64>(least / SCALE, 1);
  }
  return total;
}

/**
 * Marks, breadth-first from the destination, the nodes from which at least `least` msat more can pass. True when the
 * source is one.
 */
function reach(source: u32, destination: u32, least: i64): bool {
  stamp = nextStamp();
  let first: u32 = 0;
  let last: u32 = 0;
  stateOf(destination).stamp = stamp;
  heapNodes[0] = destination;
  last = 1;
  while (first < last) {
    const node = heapNodes[first++];
    if (node === source) return true;
    const state = stateOf(node);
    if (node < nodeCount) {
      const end = inEnabledEnd[node];
      for (let arc = inStart[node]; arc < end; arc++) last = visitForward(arc, least, last);
      const outEnd = outStart.after(node);
      spend(end - inStart[node] + outEnd - outStart[node]);
      for (let k = outStart[node]; k < outEnd; k++) last = visitBackward(outArcs[k], least, last);
    }
    let link = state.extraIn;
    while (link !== null) {
      last = visitForward(link.arc, least, last);
      link = link.next;
    }
    let back = state.extraOut;
    while (back !== null) {
      last = visitBackward(back.arc, least, last);
      back = back.next;
    }
  }
  return false;
}

function visitForward(arc: u32, least: i64, last: u32): u32 {
  const record = recordOf(arc);
  if (capacity(record) - flowOf(arc) < least) return last;
  return enqueue(record.tail, arc, last);
}

function visitBackward(arc: u32, least: i64, last: u32): u32 {
  return flowOf(arc) < least ? last : enqueue(headOfArc(arc), arc | BACKWARDS, last);
}

function enqueue(node: u32, step: u32, last: u32): u32 {
  const state = stateOf(node);
  if (state.stamp === stamp) return last;
  state.stamp = stamp;
  state.arc = step;
  heapNodes[last] = node;
  return last + 1;
}

/**
 * Pushes as much as fits along the path found (`arc` of each node's state: its next step), at most `wanted` msat.
 * Returns it.
 */
export function augment(source: u32, destination: u32, wanted: i64): i64 {
  let bottleneck = wanted;
  for (let node = source; node !== destination; node = nextOf(node)) {
    const step = stateOf(node).arc;
    const arc = step & ~BACKWARDS;
    bottleneck = min<i64>(bottleneck, step & BACKWARDS ? flowOf(arc) : capacity(recordOf(arc)) - flowOf(arc));
  }
  for (let node = source; node !== destination; node = nextOf(node)) {
    const step = stateOf(node).arc;
    push(step & ~BACKWARDS, step & BACKWARDS ? -bottleneck : bottleneck);
  }
  return bottleneck;
}

function nextOf(node: u32): u32 {
  const step = stateOf(node).arc;
  return step & BACKWARDS ? recordOf(step & ~BACKWARDS).tail : headOfArc(step);
}

function push(arc: u32, amount: i64): void {
  const before = flows[arc];
  assert(before + amount >= 0, 'a flow became negative');
  if (!ASC_NO_ASSERT) assert(before + amount <= capacity(recordOf(arc)), 'a flow exceeds its capacity');
  if (before === 0) touched[touchedCount++] = arc;
  flows[arc] = before + amount;
  if (before + amount === 0) forget(arc);
}

function forget(arc: u32): void {
  for (let i: u32 = 0; i < touchedCount; i++) {
    if (touched[i] !== arc) continue;
    touchedCount--;
    touched[i] = touched[touchedCount];
    return;
  }
}

/**
 * After a flow that fell short: lists (explore.ts) the directions of the minimum cut that carry flow, at most `limit`.
 * They lead from nodes that cannot reach the destination any more to nodes that can. Returns their number.
 */
export function listCut(limit: u32): u32 {
  let count: u32 = 0;
  for (let i: u32 = 0; i < touchedCount && count < limit; i++) {
    const arc = touched[i];
    const tail = recordOf(arc).tail;
    const inside = stateOf(headOfArc(arc)).stamp === stamp;
    if (inside && stateOf(tail).stamp !== stamp) listPut(count++, arc);
  }
  return count;
}

/**
 * Takes one path out of the flow, one of fewest hops, and lists its arcs (explore.ts) from the source on. Returns its
 * hops, 0 when nothing is left, or NO_PATH_FITS. `pathFlow` says what the path carried.
 */
export function takePath(source: u32, destination: u32, maxHops: u32): u32 {
  stamp = nextStamp();
  let first: u32 = 0;
  let last: u32 = 1;
  stateOf(destination).stamp = stamp;
  heapNodes[0] = destination;
  while (first < last) {
    const node = heapNodes[first++];
    if (node === source) return unroll(source, destination, maxHops);
    spend(touchedCount);
    for (let i: u32 = 0; i < touchedCount; i++) {
      const arc = touched[i];
      if (headOfArc(arc) === node) last = enqueue(recordOf(arc).tail, arc, last);
    }
  }
  return 0;
}

let carried: i64 = 0;

/** What the last path taken carried, msat. */
export function pathFlow(): i64 {
  return carried;
}

function unroll(source: u32, destination: u32, maxHops: u32): u32 {
  carried = i64.MAX_VALUE;
  let hops: u32 = 0;
  for (let node = source; node !== destination; node = nextOf(node)) {
    const arc = stateOf(node).arc;
    carried = min<i64>(carried, flowOf(arc));
    listPut(hops++, arc);
  }
  const list = arcList();
  for (let hop: u32 = 0; hop < hops; hop++) push(list[hop], -carried);
  return hops <= maxHops ? hops : NO_PATH_FITS;
}

/** What `takePath` returns for a path of too many hops. Its flow is taken out all the same. */
export const NO_PATH_FITS: u32 = 0xffffffff;
