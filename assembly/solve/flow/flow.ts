/**
 * Can the network pass the amount at all? Maximum flow without fees (fees only make it harder).
 *
 *   maximise the flow from source to destination   subject to   0 ≤ flow(arc) ≤ capacity(arc), conserved at nodes
 *
 * A direction's capacity is the lesser of its known maximum and what the allowed number of HTLCs can carry
 * (`beginFlow`), msat. It is 0 if the HTLC limits admit nothing.
 *
 * Augmenting paths are found by breadth-first search from both ends (Pohl 1971), with capacity scaling: only residual
 * capacities of at least Δ count, and Δ falls from a sixteenth of the amount to 1 msat. Each Δ takes O(E)
 * augmentations, so there are O(E log U) in all (Ahuja, Magnanti and Orlin, Network Flows, 1993, section 7.3); on
 * real graphs, a few dozen are enough. Each augmentation takes O(E) at worst. Usually the two sides meet, or one of
 * them is exhausted, after a small part of that.
 *
 * If the flow stops below the amount and was not cut short, no augmenting path is left (Ford and Fulkerson 1956). The
 * nodes that the source still reaches, or those that still reach the destination, bound a minimum cut. The directions
 * of that cut are the certificate that no set of routes exists. Otherwise the flow is decomposed into paths, from which
 * parts can start (construct.ts).
 *
 * Invariants: flows are not negative and at most the capacity (asserted in debug builds); an arc is in `touched`
 * exactly while it carries flow, so clearing takes time proportional to what the last question used.
 */
import { Column, newColumn } from '../../graph/column';
import { DirectionRecord, isEnabled } from '../../graph/direction';
import { Region } from '../../graph/region';
import { headOfArc } from '../../overlay/created-channels';
import { arcRoom, nodeRoom, recordOf, recordOut, stateOf } from '../../overlay/scratch';
import { Workspace } from '../../workspace';
import { arcList, listPut } from '../path/explore';
import { nextStamp } from '../path/search';
import { hasEffort, spend } from '../question/effort';
import { pollCancel } from '../question/task';
import { mostDelivered } from './growth';

/** The current flow. */
@unmanaged
export class Flow {
  /** The flow across each arc, msat. Arcs that carry flow are listed once in `touched`. */
  byArc: Column<i64>;
  flowCapacity: u32;
  touched: Column<u32>;
  touchedCount: u32;
  stamp: u32;
  /**
   * Nodes queued by the source's side; `aheadRoom` is the size of this queue. The destination's side queues its nodes
   * in the heap's `nodes`.
   */
  aheadNodes: Column<u32>;
  aheadRoom: u32;
  /** Number of nodes that each side has marked, and number of arcs to scan for its next level. */
  behindLast: u32;
  aheadLast: u32;
  behindArcs: u32;
  aheadArcs: u32;
  /** A node that both sides have marked, or NOWHERE. */
  meeting: u32;
  /**
   * Which end was cut off when the search found no path: true for the source (nothing more was reachable from it),
   * false for the destination.
   */
  isSourceCutOff: bool;
  /** Maximum number of HTLCs across one direction. */
  htlcs: i64;
  carried: i64;
  /** Whether capacities are reduced by what fees add to amounts (growth.ts). */
  countsFees: bool;

  /** Call once for a new workspace: sets the fields of this class that do not start at zero. */
  begin(): void {
    this.htlcs = i64.MAX_VALUE;
  }
}

const NOWHERE: u32 = 0xffffffff;
/** Scanning one arc counts as this many steps. Half of the scans read arcs in random order. */
const ARC_STEPS: u32 = 2;
const SCALE: i64 = 16;
/** Flag in `arc` of a node's state: the arc is walked against its direction. */
export const BACKWARDS: u32 = 0x80000000;

/** Begins an empty flow in which at most `most` HTLCs may cross a direction. */
export function beginFlow(work: Workspace, most: i64): void {
  const flow = work.flow;
  const scratch = work.scratch;
  flow.htlcs = most;
  flow.countsFees = false;
  if (nodeRoom(scratch) > flow.aheadRoom) {
    flow.aheadRoom = nodeRoom(scratch);
    flow.aheadNodes = newColumn<u32>(flow.aheadRoom);
  }
  const arcs = arcRoom(scratch);
  if (arcs > flow.flowCapacity) {
    flow.flowCapacity = arcs;
    flow.byArc = newColumn<i64>(arcs);
    flow.touched = newColumn<u32>(arcs);
    flow.touchedCount = 0;
    return;
  }
  for (let i: u32 = 0; i < flow.touchedCount; i++) flow.byArc[flow.touched[i]] = 0;
  flow.touchedCount = 0;
}

function flowOf(flow: Flow, arc: u32): i64 {
  return flow.byArc[arc];
}

function capacity(flow: Flow, record: DirectionRecord): i64 {
  if (!isEnabled(record)) return 0;
  const highest = record.htlcMaximumMsat;
  const least = max<i64>(record.htlcMinimumMsat, 1);
  if (highest < least || record.maxMsat < least) return 0;
  if (highest >= record.maxMsat) return record.maxMsat;
  // Each HTLC carries at least the minimum. If it is high, few of them fit.
  const htlcs = min<i64>(flow.htlcs, record.maxMsat / least);
  return highest < record.maxMsat / htlcs ? highest * htlcs : record.maxMsat;
}

/**
 * As `capacity`, for a direction into `head`. With `countsFees`, the capacity is reduced by what fees add to amounts.
 */
function capacityInto(work: Workspace, record: DirectionRecord, head: u32): i64 {
  const flow = work.flow;
  const most = capacity(flow, record);
  if (!flow.countsFees) return most;
  const each = mostDelivered(work.growth, head, record.htlcMaximumMsat, 1);
  const all = mostDelivered(work.growth, head, most, flow.htlcs);
  return each < all / flow.htlcs ? each * flow.htlcs : all;
}

/** How much more flow a direction can carry or, backwards, give back. Not to be used with `countsFees`. */
export function residual(work: Workspace, arc: u32, backwards: bool): i64 {
  const flow = work.flow;
  return backwards ? flowOf(flow, arc) : capacity(flow, recordOf(work, arc)) - flowOf(flow, arc);
}

/** The maximum flow from source to destination, capped at `wanted`, msat. */
export function maxFlow(work: Workspace, source: u32, destination: u32, wanted: i64): i64 {
  beginFlow(work, i64.MAX_VALUE);
  return raiseFlow(work, source, destination, wanted);
}

/**
 * As `maxFlow`, but measures the amount that arrives: `parts` parts cannot deliver more, regardless of their paths. The
 * growth of amounts (growth.ts) must be measured first.
 */
export function maxFlowAfterFees(
  work: Workspace,
  source: u32,
  destination: u32,
  wanted: i64,
  parts: u32,
): i64 {
  beginFlow(work, parts as i64);
  work.flow.countsFees = true;
  return raiseFlow(work, source, destination, wanted);
}

function raiseFlow(work: Workspace, source: u32, destination: u32, wanted: i64): i64 {
  if (!reach(work, source, destination, 1)) return 0;
  let total: i64 = 0;
  let least = max<i64>(wanted / SCALE, 1);
  while (total < wanted && hasEffort(work.effort) && !pollCancel(work)) {
    if (reach(work, source, destination, least)) total += augment(work, source, destination, wanted - total);
    else if (least === 1) break;
    else least = max<i64>(least / SCALE, 1);
  }
  return total;
}

/**
 * Looks for a path of fewest hops through which at least `least` msat more can pass, breadth-first from both ends: each
 * step continues the side whose next level has fewer arcs. On success, `arc` of each node's state leads along the path
 * from the source. Otherwise one side has marked all nodes that it can reach, and no arc between these and other nodes
 * has room for `least`. `isSourceCutOff` says whether it is the source's side.
 */
function reach(work: Workspace, source: u32, destination: u32, least: i64): bool {
  const flow = work.flow;
  flow.stamp = nextStamp(work.search);
  flow.meeting = NOWHERE;
  let behind: u32 = 0;
  let ahead: u32 = 0;
  flow.behindLast = 0;
  flow.aheadLast = 0;
  flow.behindArcs = 0;
  flow.aheadArcs = 0;
  markBehind(work, destination, 0);
  markAhead(work, source, 0);
  while (flow.meeting === NOWHERE && behind < flow.behindLast && ahead < flow.aheadLast) {
    if (flow.behindArcs <= flow.aheadArcs) behind = goBehind(work, behind, least);
    else ahead = goAhead(work, ahead, least);
  }
  flow.isSourceCutOff = ahead === flow.aheadLast;
  if (flow.meeting === NOWHERE) return false;
  joinSides(work, source);
  return true;
}

/**
 * Scans the next level of the destination's side. `first` is the place of its first node; returns the place after its
 * last.
 */
function goBehind(work: Workspace, first: u32, least: i64): u32 {
  const flow = work.flow;
  const end = flow.behindLast;
  spend(work.effort, ARC_STEPS * flow.behindArcs);
  flow.behindArcs = 0;
  for (let place = first; place < end && flow.meeting === NOWHERE; place++)
    enter(work, work.heap.nodes[place], least);
  return end;
}

/** As `goBehind`, for the source's side. */
function goAhead(work: Workspace, first: u32, least: i64): u32 {
  const flow = work.flow;
  const end = flow.aheadLast;
  spend(work.effort, ARC_STEPS * flow.aheadArcs);
  flow.aheadArcs = 0;
  for (let place = first; place < end && flow.meeting === NOWHERE; place++)
    leave(work, flow.aheadNodes[place], least);
  return end;
}

/** Number of arcs to scan when a search continues from the node. Arcs of layers are few and not counted. */
function arcsAt(graph: Region, node: u32): u32 {
  if (node >= graph.nodeCount) return 1;
  return graph.inEnabledEnd[node] - graph.inStart[node] + graph.outStart.after(node) - graph.outStart[node];
}

/** Continues the search of the destination's side from a node, against the direction of the flow. */
function enter(work: Workspace, node: u32, least: i64): void {
  const graph = work.graph;
  const flow = work.flow;
  if (node < graph.nodeCount) {
    const end = graph.inEnabledEnd[node];
    for (let arc = graph.inStart[node]; arc < end; arc++)
      if (hasRoom(work, arc, node, least)) markBehind(work, recordOf(work, arc).tail, arc);
    const outEnd = graph.outStart.after(node);
    for (let k = graph.outStart[node]; k < outEnd; k++)
      if (hasFlow(flow, graph.outArcs[k], least))
        markBehind(work, graph.outHeads[k], graph.outArcs[k] | BACKWARDS);
  }
  const state = stateOf(work.scratch, node);
  let link = state.extraIn;
  while (link !== null) {
    if (hasRoom(work, link.arc, node, least)) markBehind(work, recordOf(work, link.arc).tail, link.arc);
    link = link.next;
  }
  let back = state.extraOut;
  while (back !== null) {
    if (hasFlow(flow, back.arc, least)) markBehind(work, headOfArc(work, back.arc), back.arc | BACKWARDS);
    back = back.next;
  }
}

/** Continues the search of the source's side from a node, in the direction of the flow. */
function leave(work: Workspace, node: u32, least: i64): void {
  const graph = work.graph;
  const flow = work.flow;
  if (node < graph.nodeCount) {
    const end = graph.outStart.after(node);
    for (let k = graph.outStart[node]; k < end; k++)
      if (hasRoomOut(work, k, least)) markAhead(work, graph.outHeads[k], graph.outArcs[k]);
    const inEnd = graph.inEnabledEnd[node];
    for (let arc = graph.inStart[node]; arc < inEnd; arc++)
      if (hasFlow(flow, arc, least)) markAhead(work, recordOf(work, arc).tail, arc | BACKWARDS);
  }
  const state = stateOf(work.scratch, node);
  let link = state.extraOut;
  while (link !== null) {
    const head = headOfArc(work, link.arc);
    if (hasRoom(work, link.arc, head, least)) markAhead(work, head, link.arc);
    link = link.next;
  }
  let back = state.extraIn;
  while (back !== null) {
    if (hasFlow(flow, back.arc, least)) markAhead(work, recordOf(work, back.arc).tail, back.arc | BACKWARDS);
    back = back.next;
  }
}

function hasRoom(work: Workspace, arc: u32, head: u32, least: i64): bool {
  return capacityInto(work, recordOf(work, arc), head) - flowOf(work.flow, arc) >= least;
}

/** As `hasRoom`, for the arc at a place of `outArcs`. */
function hasRoomOut(work: Workspace, place: u32, least: i64): bool {
  const graph = work.graph;
  const most = capacityInto(work, recordOut(work, place), graph.outHeads[place]);
  return most - flowOf(work.flow, graph.outArcs[place]) >= least;
}

function hasFlow(flow: Flow, arc: u32, least: i64): bool {
  return flowOf(flow, arc) >= least;
}

function markBehind(work: Workspace, node: u32, step: u32): void {
  const flow = work.flow;
  const state = stateOf(work.scratch, node);
  if (state.stamp === flow.stamp) return;
  state.stamp = flow.stamp;
  state.arc = step;
  if (state.aheadStamp === flow.stamp) flow.meeting = node;
  work.heap.nodes[flow.behindLast++] = node;
  flow.behindArcs += arcsAt(work.graph, node);
}

function markAhead(work: Workspace, node: u32, step: u32): void {
  const flow = work.flow;
  const state = stateOf(work.scratch, node);
  if (state.aheadStamp === flow.stamp) return;
  state.aheadStamp = flow.stamp;
  state.cameBy = step;
  if (state.stamp === flow.stamp) flow.meeting = node;
  flow.aheadNodes[flow.aheadLast++] = node;
  flow.aheadArcs += arcsAt(work.graph, node);
}

/** Reverses the steps of the source's side, so that they lead to the meeting node. */
function joinSides(work: Workspace, source: u32): void {
  const scratch = work.scratch;
  for (let node = work.flow.meeting; node !== source; ) {
    const step = stateOf(scratch, node).cameBy;
    const arc = step & ~BACKWARDS;
    node = step & BACKWARDS ? headOfArc(work, arc) : recordOf(work, arc).tail;
    stateOf(scratch, node).arc = step;
  }
}

function enqueue(work: Workspace, node: u32, step: u32, last: u32): u32 {
  const flow = work.flow;
  const state = stateOf(work.scratch, node);
  if (state.stamp === flow.stamp) return last;
  state.stamp = flow.stamp;
  state.arc = step;
  work.heap.nodes[last] = node;
  return last + 1;
}

/**
 * Pushes as much as fits, but at most `wanted` msat, along the path found: `arc` of each node's state is the next step.
 * Returns the amount.
 */
export function augment(work: Workspace, source: u32, destination: u32, wanted: i64): i64 {
  const scratch = work.scratch;
  const flow = work.flow;
  let bottleneck = wanted;
  for (let node = source; node !== destination; node = nextOf(work, node)) {
    const step = stateOf(scratch, node).arc;
    const arc = step & ~BACKWARDS;
    bottleneck = min<i64>(
      bottleneck,
      step & BACKWARDS
        ? flowOf(flow, arc)
        : capacityInto(work, recordOf(work, arc), headOfArc(work, arc)) - flowOf(flow, arc),
    );
  }
  for (let node = source; node !== destination; node = nextOf(work, node)) {
    const step = stateOf(scratch, node).arc;
    push(work, step & ~BACKWARDS, step & BACKWARDS ? -bottleneck : bottleneck);
  }
  return bottleneck;
}

function nextOf(work: Workspace, node: u32): u32 {
  const step = stateOf(work.scratch, node).arc;
  return step & BACKWARDS ? recordOf(work, step & ~BACKWARDS).tail : headOfArc(work, step);
}

function push(work: Workspace, arc: u32, amount: i64): void {
  const flow = work.flow;
  const before = flow.byArc[arc];
  assert(before + amount >= 0, 'a flow became negative');
  if (!ASC_NO_ASSERT)
    assert(
      before + amount <= capacityInto(work, recordOf(work, arc), headOfArc(work, arc)),
      'a flow exceeds its capacity',
    );
  if (before === 0) flow.touched[flow.touchedCount++] = arc;
  flow.byArc[arc] = before + amount;
  if (before + amount === 0) forget(flow, arc);
}

function forget(flow: Flow, arc: u32): void {
  for (let i: u32 = 0; i < flow.touchedCount; i++) {
    if (flow.touched[i] !== arc) continue;
    flow.touchedCount--;
    flow.touched[i] = flow.touched[flow.touchedCount];
    return;
  }
}

/**
 * After a flow that fell short: fills the list of explore.ts with at most `limit` directions of the minimum cut that
 * carry flow. They leave the nodes that the source still reaches, or enter those that still reach the destination.
 * Returns their number.
 */
export function listCut(work: Workspace, limit: u32): u32 {
  const flow = work.flow;
  let count: u32 = 0;
  for (let i: u32 = 0; i < flow.touchedCount && count < limit; i++) {
    const arc = flow.touched[i];
    const tail = recordOf(work, arc).tail;
    if (isCut(work, tail, headOfArc(work, arc))) listPut(work.explored, count++, arc);
  }
  return count;
}

function isCut(work: Workspace, tail: u32, head: u32): bool {
  const flow = work.flow;
  const scratch = work.scratch;
  if (flow.isSourceCutOff)
    return (
      stateOf(scratch, tail).aheadStamp === flow.stamp && stateOf(scratch, head).aheadStamp !== flow.stamp
    );
  return stateOf(scratch, tail).stamp !== flow.stamp && stateOf(scratch, head).stamp === flow.stamp;
}

/**
 * Removes a path of fewest hops from the flow and fills the list of explore.ts with its arcs, from the source on.
 * Returns its number of hops, 0 if no flow is left, or NO_PATH_FITS. `pathFlow` returns the amount that the path
 * carried.
 */
export function takePath(work: Workspace, source: u32, destination: u32, maxHops: u32): u32 {
  const flow = work.flow;
  const heap = work.heap;
  flow.stamp = nextStamp(work.search);
  let first: u32 = 0;
  let last: u32 = 1;
  stateOf(work.scratch, destination).stamp = flow.stamp;
  heap.nodes[0] = destination;
  while (first < last) {
    const node = heap.nodes[first++];
    if (node === source) return unroll(work, source, destination, maxHops);
    spend(work.effort, flow.touchedCount);
    for (let i: u32 = 0; i < flow.touchedCount; i++) {
      const arc = flow.touched[i];
      if (headOfArc(work, arc) === node) last = enqueue(work, recordOf(work, arc).tail, arc, last);
    }
  }
  return 0;
}

/** Amount carried by the last path taken, msat. */
export function pathFlow(flow: Flow): i64 {
  return flow.carried;
}

function unroll(work: Workspace, source: u32, destination: u32, maxHops: u32): u32 {
  const flow = work.flow;
  const explored = work.explored;
  flow.carried = i64.MAX_VALUE;
  let hops: u32 = 0;
  for (let node = source; node !== destination; node = nextOf(work, node)) {
    const arc = stateOf(work.scratch, node).arc;
    flow.carried = min<i64>(flow.carried, flowOf(flow, arc));
    listPut(explored, hops++, arc);
  }
  const list = arcList(explored);
  for (let hop: u32 = 0; hop < hops; hop++) push(work, list[hop], -flow.carried);
  return hops <= maxHops ? hops : NO_PATH_FITS;
}

/** Returned by `takePath` for a path of too many hops. Its flow is removed anyway. */
export const NO_PATH_FITS: u32 = 0xffffffff;
