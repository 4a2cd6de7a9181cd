/**
 * Can the network pass the amount at all? Maximum flow, fees left aside (they only make it harder).
 *
 *   maximise the flow from source to destination   subject to   0 ≤ flow(arc) ≤ capacity(arc), conserved at nodes
 *
 * A direction's capacity is its known maximum, msat, or what as many HTLCs as may cross it can carry, if that is less
 * (`beginFlow`). It is 0 where the HTLC limits admit nothing.
 *
 * Augmenting paths by breadth-first search from both ends (Pohl 1971), with capacity scaling: only residual capacities
 * of at least Δ count, and Δ falls from a sixteenth of the amount to 1 msat. A Δ ends after O(E) augmentations, so there
 * are O(E log U) (Ahuja, Magnanti and Orlin, Network Flows, 1993, section 7.3); on real graphs it takes a few dozen. Each
 * is O(E) at worst. Mostly the two sides meet, or one of them is exhausted, after a small part of that.
 *
 * If the flow stops below the amount, no augmenting path is left (Ford and Fulkerson 1956). The nodes that the source
 * still reaches, or those that still reach the destination, bound a minimum cut. The directions of that cut are the
 * certificate that no set of routes exists.
 * Otherwise the flow is cut into paths, and parts can start from these (construct.ts).
 *
 * Invariants: flows are not negative and at most the capacity (asserted in debug builds); an arc is listed among the
 * touched ones exactly while it carries flow, so clearing takes time proportional to what the last question used.
 */
import { Column, newColumn } from '../../graph/column';
import { DirectionRecord, isEnabled } from '../../graph/direction';
import { inEnabledEnd, inStart, nodeCount, outArcs, outHeads, outStart } from '../../graph/graph';
import { headOfArc } from '../../overlay/created-channels';
import { arcRoom, heapNodes, nodeRoom, recordOf, recordOut, stateOf } from '../../overlay/scratch';
import { arcList, listPut } from '../path/explore';
import { nextStamp } from '../path/search';
import { hasEffort, spend } from '../question/effort';
import { pollCancel } from '../question/task';

/** By arc: the flow, msat. Arcs that carry some are listed once in `touched`. */
let flows: Column<i64> = changetype<Column<i64>>(0);
let flowCapacity: u32 = 0;
let touched: Column<u32> = changetype<Column<u32>>(0);
let touchedCount: u32 = 0;
let stamp: u32 = 0;
/** The queue of the source's side, of so many places. That of the destination's side is `heapNodes`. */
let aheadNodes: Column<u32> = changetype<Column<u32>>(0);
let aheadRoom: u32 = 0;
/** Nodes that each side has marked, and arcs to look at for its next level. */
let behindLast: u32 = 0;
let aheadLast: u32 = 0;
let behindArcs: u32 = 0;
let aheadArcs: u32 = 0;
/** A node that both sides have marked, or NOWHERE. */
let meeting: u32 = 0;
const NOWHERE: u32 = 0xffffffff;
/** Whether the search ended since nothing more could be reached from the source; else the destination was cut off. */
let isSourceCutOff: bool = false;
/** Steps of looking at an arc, which lies anywhere in memory in half of the cases. */
const ARC_STEPS: u32 = 2;
const SCALE: i64 = 16;
/** Marks an arc that is walked against its direction, in `arc` of a node's state. */
export const BACKWARDS: u32 = 0x80000000;

/** Maximum number of HTLCs across one direction. */
let htlcs: i64 = i64.MAX_VALUE;

/** Begins a new flow: nothing flows, and at most `most` HTLCs may cross a direction. */
export function beginFlow(most: i64): void {
  htlcs = most;
  if (nodeRoom() > aheadRoom) {
    aheadRoom = nodeRoom();
    aheadNodes = newColumn<u32>(aheadRoom);
  }
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
 * Looks for a path of fewest hops through which at least `least` msat more can pass, breadth-first from both ends: each
 * time the side whose next level has fewer arcs to look at goes on by that level. On success the path can be followed
 * from the source by `arc` of each node's state. Otherwise all nodes of one side are marked, and nothing leads on from
 * there (`isSourceCutOff`).
 */
function reach(source: u32, destination: u32, least: i64): bool {
  stamp = nextStamp();
  meeting = NOWHERE;
  let behind: u32 = 0;
  let ahead: u32 = 0;
  behindLast = 0;
  aheadLast = 0;
  behindArcs = 0;
  aheadArcs = 0;
  markBehind(destination, 0);
  markAhead(source, 0);
  while (meeting === NOWHERE && behind < behindLast && ahead < aheadLast) {
    if (behindArcs <= aheadArcs) behind = goBehind(behind, least);
    else ahead = goAhead(ahead, least);
  }
  isSourceCutOff = ahead === aheadLast;
  if (meeting === NOWHERE) return false;
  joinSides(source);
  return true;
}

/** Looks at the next level of the destination's side. `first` is the place of its first node; returns that after it. */
function goBehind(first: u32, least: i64): u32 {
  const end = behindLast;
  spend(ARC_STEPS * behindArcs);
  behindArcs = 0;
  for (let place = first; place < end && meeting === NOWHERE; place++) enter(heapNodes[place], least);
  return end;
}

/** As `goBehind`, for the source's side. */
function goAhead(first: u32, least: i64): u32 {
  const end = aheadLast;
  spend(ARC_STEPS * aheadArcs);
  aheadArcs = 0;
  for (let place = first; place < end && meeting === NOWHERE; place++) leave(aheadNodes[place], least);
  return end;
}

/** Arcs to look at when a search goes on from the node. Those of layers are few, and are not counted. */
function arcsAt(node: u32): u32 {
  if (node >= nodeCount) return 1;
  return inEnabledEnd[node] - inStart[node] + outStart.after(node) - outStart[node];
}

/** Goes on from a node of the destination's side, against the flow. */
function enter(node: u32, least: i64): void {
  if (node < nodeCount) {
    const end = inEnabledEnd[node];
    for (let arc = inStart[node]; arc < end; arc++)
      if (hasRoom(arc, least)) markBehind(recordOf(arc).tail, arc);
    const outEnd = outStart.after(node);
    for (let k = outStart[node]; k < outEnd; k++)
      if (hasFlow(outArcs[k], least)) markBehind(outHeads[k], outArcs[k] | BACKWARDS);
  }
  const state = stateOf(node);
  let link = state.extraIn;
  while (link !== null) {
    if (hasRoom(link.arc, least)) markBehind(recordOf(link.arc).tail, link.arc);
    link = link.next;
  }
  let back = state.extraOut;
  while (back !== null) {
    if (hasFlow(back.arc, least)) markBehind(headOfArc(back.arc), back.arc | BACKWARDS);
    back = back.next;
  }
}

/** Goes on from a node of the source's side, with the flow. */
function leave(node: u32, least: i64): void {
  if (node < nodeCount) {
    const end = outStart.after(node);
    for (let k = outStart[node]; k < end; k++) if (hasRoomOut(k, least)) markAhead(outHeads[k], outArcs[k]);
    const inEnd = inEnabledEnd[node];
    for (let arc = inStart[node]; arc < inEnd; arc++)
      if (hasFlow(arc, least)) markAhead(recordOf(arc).tail, arc | BACKWARDS);
  }
  const state = stateOf(node);
  let link = state.extraOut;
  while (link !== null) {
    if (hasRoom(link.arc, least)) markAhead(headOfArc(link.arc), link.arc);
    link = link.next;
  }
  let back = state.extraIn;
  while (back !== null) {
    if (hasFlow(back.arc, least)) markAhead(recordOf(back.arc).tail, back.arc | BACKWARDS);
    back = back.next;
  }
}

function hasRoom(arc: u32, least: i64): bool {
  return capacity(recordOf(arc)) - flowOf(arc) >= least;
}

/** As `hasRoom`, for the arc at a place of `outArcs`. */
function hasRoomOut(place: u32, least: i64): bool {
  return capacity(recordOut(place)) - flowOf(outArcs[place]) >= least;
}

function hasFlow(arc: u32, least: i64): bool {
  return flowOf(arc) >= least;
}

function markBehind(node: u32, step: u32): void {
  const state = stateOf(node);
  if (state.stamp === stamp) return;
  state.stamp = stamp;
  state.arc = step;
  if (state.aheadStamp === stamp) meeting = node;
  heapNodes[behindLast++] = node;
  behindArcs += arcsAt(node);
}

function markAhead(node: u32, step: u32): void {
  const state = stateOf(node);
  if (state.aheadStamp === stamp) return;
  state.aheadStamp = stamp;
  state.cameBy = step;
  if (state.stamp === stamp) meeting = node;
  aheadNodes[aheadLast++] = node;
  aheadArcs += arcsAt(node);
}

/** Turns the steps by which the source's side came to where the sides met into steps towards there. */
function joinSides(source: u32): void {
  for (let node = meeting; node !== source; ) {
    const step = stateOf(node).cameBy;
    const arc = step & ~BACKWARDS;
    node = step & BACKWARDS ? headOfArc(arc) : recordOf(arc).tail;
    stateOf(node).arc = step;
  }
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
 * They lead out of the nodes that the source still reaches, or into those that still reach the destination. Returns
 * their number.
 */
export function listCut(limit: u32): u32 {
  let count: u32 = 0;
  for (let i: u32 = 0; i < touchedCount && count < limit; i++) {
    const arc = touched[i];
    const tail = recordOf(arc).tail;
    if (isCut(tail, headOfArc(arc))) listPut(count++, arc);
  }
  return count;
}

function isCut(tail: u32, head: u32): bool {
  if (isSourceCutOff) return stateOf(tail).aheadStamp === stamp && stateOf(head).aheadStamp !== stamp;
  return stateOf(tail).stamp !== stamp && stateOf(head).stamp === stamp;
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
