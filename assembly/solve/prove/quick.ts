/**
 * Which directions are on some path within the limits on delay and hops, regardless of fees and capacity.
 *
 * Minimum delays to the destination are computed by Dijkstra's algorithm, and kept as long as they are valid: questions
 * that are asked to find a remedy often differ only in other limits. Minimum delays from the source are bounds
 * (path/bounds.ts).
 */
import { takePages } from '../../graph/arena';
import { DirectionRecord, isEnabled } from '../../graph/direction';
import { nodeRoom, recordOf, stateOf } from '../../overlay/scratch';
import { Question } from '../../record';
import { Workspace } from '../../workspace';
import { boundsStamp, canKeep } from '../path/bounds';
import { heapPop, heapPush } from '../path/heap';
import { nextStamp } from '../path/search';
import { DIRECTION_STEPS, NODE_STEPS, spend } from '../question/effort';

/** Minimum delay from a node to the destination; 8 bytes. */
@unmanaged
class DelayLeft {
  /** In blocks; valid for `stamp`. */
  delay: u32;
  stamp: u32;
}

/** Minimum delays to the destination. */
@unmanaged
export class DelaysLeft {
  /** `DelayLeft` by node; `tableNodes` is the number of nodes for which there is room. */
  table: usize;
  tableNodes: u32;
  /** The search that computed the delays, and what it depended on: bounds, destination and maximum delay. */
  stamp: u32;
  bounds: u32;
  end: u32;
  reach: u32;
}

function delayOf(left: DelaysLeft, node: u32): DelayLeft {
  return changetype<DelayLeft>(left.table + (node as usize) * offsetof<DelayLeft>());
}

/** Whether the direction is on a path within the limits. `countDelaysLeft` must have been called for the question. */
export function isQuick(question: Question, work: Workspace, record: DirectionRecord, head: u32): bool {
  const at = delayOf(work.delaysLeft, head);
  if (at.stamp !== work.delaysLeft.stamp) return false;
  return canKeep(
    work.bounds,
    record.tail,
    at.delay + (record.cltvExpiryDelta as u32),
    1,
    question.maxPathDelay,
    question.maxhops,
  );
}

/**
 * Computes minimum delays by Dijkstra's algorithm, from the destination back. Reuses the last result if still valid.
 * Bounds must be known.
 */
export function countDelaysLeft(question: Question, work: Workspace): void {
  const left = work.delaysLeft;
  const graph = work.graph;
  const nodes = nodeRoom(work.scratch);
  if (nodes > left.tableNodes) {
    left.table = takePages((nodes as u64) * (offsetof<DelayLeft>() as u64));
    left.tableNodes = nodes;
    left.stamp = 0;
  }
  if (
    left.stamp !== 0 &&
    left.bounds === boundsStamp(work.bounds) &&
    left.end === question.destination &&
    question.maxPathDelay <= left.reach
  )
    return;
  left.stamp = nextStamp(work.search);
  left.bounds = boundsStamp(work.bounds);
  left.end = question.destination;
  left.reach = question.maxPathDelay;
  delayOf(left, question.destination).delay = 0;
  delayOf(left, question.destination).stamp = left.stamp;
  heapPush(work, 0.0, question.destination);
  while (work.heap.size > 0) {
    const node = heapPop(work);
    const delay = delayOf(left, node).delay;
    if (node < graph.nodeCount) {
      const last = graph.inEnabledEnd[node];
      spend(work.effort, DIRECTION_STEPS * (last - graph.inStart[node]) + NODE_STEPS);
      for (let arc = graph.inStart[node]; arc < last; arc++) countThrough(question, work, arc, delay);
    }
    let link = stateOf(work.scratch, node).extraIn;
    while (link !== null) {
      countThrough(question, work, link.arc, delay);
      link = link.next;
    }
  }
}

function countThrough(question: Question, work: Workspace, arc: u32, delay: u32): void {
  const left = work.delaysLeft;
  const record = recordOf(work, arc);
  const total = delay + (record.cltvExpiryDelta as u32);
  if (total > question.maxPathDelay || !isEnabled(record)) return;
  const at = delayOf(left, record.tail);
  if (at.stamp === left.stamp && at.delay <= total) return;
  at.delay = total;
  at.stamp = left.stamp;
  heapPush(work, total as f64, record.tail);
}
