/**
 * Whether any path within the limits on hops and delay can carry the largest part of an answer, regardless of fees.
 *
 * The largest part of every answer is at least an equal share of the amount. So if no path can carry such a share, there
 * is no answer with so few parts.
 *
 * Both searches run from both ends, and always continue on the side that takes less work, so they visit a small part of
 * the graph. The first is breadth-first, a whole level at a time. Until its sides meet, every path has more hops than
 * both depths together, so the first node that both reach is on a path of fewest hops. If that path is too slow, the
 * second search looks for a quicker one by Dijkstra's algorithm. It ends once the two sides' least delays together
 * exceed the limit.
 *
 * Labels: `stamp` and `cost` of a node's state contain the delay from the destination's side, `aheadStamp` and
 * `aheadCost` that from the source's side. The breadth-first search queues the destination's side from the front of the
 * heap's `nodes`, and the source's side from their back. Work: each side scans each direction at most once.
 */
import { DirectionRecord, isEnabled } from '../../graph/direction';
import { headOfArc } from '../../overlay/created-channels';
import { directionsFrom, directionsInto, leavingEnd } from '../../overlay/links';
import { nodeRoom, recordOf, recordOut, stateOf } from '../../overlay/scratch';
import { Question } from '../../record';
import { Workspace } from '../../workspace';
import { equalShare } from '../flow/ends';
import { ownQueue } from '../path/ahead';
import { heapClear, heapLeastKey, heapPop, heapPush } from '../path/heap';
import { Queue } from '../path/queue';
import { nextStamp } from '../path/search';
import { NODE_STEPS, spend } from '../question/effort';
import { carriesPart } from './one-part';

/** Cost of scanning a direction from its tail, relative to one from its head: such records are scattered in memory. */
const LEAVING_WORK: u32 = 2;

/** The state of both searches. */
@unmanaged
export class WideSearch {
  /** Minimum amount that the largest part delivers, msat. */
  leastPart: i64;
  /** Maximum amount that leaves the source: the amount plus maximum fees, msat. */
  sent: i64;
  stamp: u32;
  /** Whether the search is for fewest blocks; else for fewest hops. */
  isByDelay: bool;
  /** Steps that the next level of each side takes. */
  behindWork: u32;
  aheadWork: u32;
  /** Number of nodes that each side has queued. */
  behindCount: u32;
  aheadCount: u32;
  /** With `isByDelay`: nodes that the source's side has yet to settle. The destination's side uses the heap. */
  queue: Queue;
  /** Minimum delay of the paths found so far; Infinity while there is none. */
  meeting: f64;
}

/**
 * Whether any path within the limits on hops and delay can carry the largest part.
 * @param sent maximum amount that leaves the source, msat
 */
export function isAnyWide(question: Question, work: Workspace, sent: i64): bool {
  const wide = work.wide;
  wide.leastPart = equalShare(question);
  wide.sent = sent;
  return (
    fewestHops(question, work) <= question.maxhops &&
    (wide.meeting <= (question.maxPathDelay as f64) || isAnyQuick(question, work))
  );
}

/** Whether one part can deliver at least an equal share across the direction. */
function isWide(question: Question, wide: WideSearch, record: DirectionRecord, head: u32): bool {
  const most = min<i64>(record.htlcMaximumMsat, record.maxMsat);
  return isEnabled(record) && most >= wide.leastPart && carriesPart(question, wide.sent, record, head);
}

/**
 * The fewest hops of a path that can carry the part, or the largest u32 if there is none. Sets `meeting` to the delay of
 * a path with so many hops.
 */
function fewestHops(question: Question, work: Workspace): u32 {
  const wide = work.wide;
  const heap = work.heap;
  const back = nodeRoom(work.scratch) - 1;
  begin(question, work, false);
  let behindFirst: u32 = 0;
  let aheadFirst: u32 = 0;
  for (let hops: u32 = 1; behindFirst < wide.behindCount && aheadFirst < wide.aheadCount; hops++) {
    if (wide.behindWork <= wide.aheadWork) {
      wide.behindWork = 0;
      for (const end = wide.behindCount; behindFirst < end; behindFirst++)
        expandBehind(question, work, heap.nodes[behindFirst]);
    } else {
      wide.aheadWork = 0;
      for (const end = wide.aheadCount; aheadFirst < end; aheadFirst++)
        expandAhead(question, work, heap.nodes[back - aheadFirst]);
    }
    if (wide.meeting < Infinity) return hops;
  }
  return u32.MAX_VALUE;
}

/** Whether a path within the limit on delay can carry the part. */
function isAnyQuick(question: Question, work: Workspace): bool {
  const wide = work.wide;
  const heap = work.heap;
  const most = question.maxPathDelay as f64;
  wide.queue = ownQueue(work);
  begin(question, work, true);
  while (heap.size > 0 && wide.queue.size > 0 && wide.meeting > most) {
    if (heapLeastKey(heap) + wide.queue.leastKey() > most) break;
    const node = wide.queue.first();
    if (workBehind(work, heap.nodes[0]) <= workAhead(work, node)) {
      expandBehind(question, work, heapPop(work));
      continue;
    }
    const isStale = stateOf(work.scratch, node).aheadCost < wide.queue.leastKey();
    wide.queue.pop();
    if (!isStale) expandAhead(question, work, node);
  }
  heapClear(work);
  return wide.meeting <= most;
}

function begin(question: Question, work: Workspace, isByDelay: bool): void {
  const wide = work.wide;
  wide.stamp = nextStamp(work.search);
  wide.isByDelay = isByDelay;
  wide.meeting = Infinity;
  wide.behindCount = 0;
  wide.aheadCount = 0;
  wide.behindWork = 0;
  wide.aheadWork = 0;
  reachBehind(work, question.destination, 0.0);
  reachAhead(work, question.source, 0.0);
}

/** Steps of continuing from the node on the destination's side. */
function workBehind(work: Workspace, node: u32): u32 {
  return directionsInto(work, node) + NODE_STEPS;
}

/** Steps of continuing from the node on the source's side. */
function workAhead(work: Workspace, node: u32): u32 {
  return LEAVING_WORK * directionsFrom(work, node) + NODE_STEPS;
}

function expandBehind(question: Question, work: Workspace, node: u32): void {
  const graph = work.graph;
  const state = stateOf(work.scratch, node);
  const delay = state.cost;
  spend(work.effort, workBehind(work, node));
  if (node < graph.nodeCount) {
    const end = graph.inEnabledEnd[node];
    for (let arc = graph.inStart[node]; arc < end; arc++) crossBehind(question, work, arc, node, delay);
  }
  let link = state.extraIn;
  while (link !== null) {
    crossBehind(question, work, link.arc, node, delay);
    link = link.next;
  }
}

function crossBehind(question: Question, work: Workspace, arc: u32, head: u32, before: f64): void {
  const wide = work.wide;
  const record = recordOf(work, arc);
  const state = stateOf(work.scratch, record.tail);
  const delay = before + (record.cltvExpiryDelta as f64);
  if (state.stamp === wide.stamp && (!wide.isByDelay || state.cost <= delay)) return;
  if (isWide(question, wide, record, head)) reachBehind(work, record.tail, delay);
}

/** Labels a node from the destination's side. */
function reachBehind(work: Workspace, node: u32, delay: f64): void {
  const wide = work.wide;
  const state = stateOf(work.scratch, node);
  state.stamp = wide.stamp;
  state.cost = delay;
  if (state.aheadStamp === wide.stamp) wide.meeting = min<f64>(wide.meeting, delay + state.aheadCost);
  if (wide.isByDelay) {
    heapPush(work, delay, node);
    return;
  }
  work.heap.nodes[wide.behindCount++] = node;
  wide.behindWork += workBehind(work, node);
}

function expandAhead(question: Question, work: Workspace, node: u32): void {
  const graph = work.graph;
  const state = stateOf(work.scratch, node);
  const delay = state.aheadCost;
  spend(work.effort, workAhead(work, node));
  if (node < graph.nodeCount) {
    const end = leavingEnd(work, node);
    for (let k = graph.outStart[node]; k < end; k++) {
      if (mayReachAhead(work, graph.outHeads[k], delay))
        crossAhead(question, work, recordOut(work, k), graph.outHeads[k], delay);
    }
  }
  let link = state.extraOut;
  while (link !== null) {
    crossAhead(question, work, recordOf(work, link.arc), headOfArc(work, link.arc), delay);
    link = link.next;
  }
}

/** Whether an arc from a node with this delay can improve the label of its head. */
function mayReachAhead(work: Workspace, head: u32, delay: f64): bool {
  const wide = work.wide;
  const state = stateOf(work.scratch, head);
  return state.aheadStamp !== wide.stamp || (wide.isByDelay && state.aheadCost > delay);
}

function crossAhead(
  question: Question,
  work: Workspace,
  record: DirectionRecord,
  head: u32,
  before: f64,
): void {
  const delay = before + (record.cltvExpiryDelta as f64);
  if (mayReachAhead(work, head, delay) && isWide(question, work.wide, record, head))
    reachAhead(work, head, delay);
}

/** Labels a node from the source's side. */
function reachAhead(work: Workspace, node: u32, delay: f64): void {
  const wide = work.wide;
  const state = stateOf(work.scratch, node);
  state.aheadStamp = wide.stamp;
  state.aheadCost = delay;
  if (state.stamp === wide.stamp) wide.meeting = min<f64>(wide.meeting, delay + state.cost);
  if (wide.isByDelay) {
    wide.queue.push(delay, node);
    return;
  }
  work.heap.nodes[nodeRoom(work.scratch) - 1 - wide.aheadCount++] = node;
  wide.aheadWork += workAhead(work, node);
}
