/**
 * Lower bounds of the cost from the source to a node: the other side of a search (search.ts).
 *
 * Dijkstra's algorithm from the source outwards, over all directions that can carry the share, each at the cost of the
 * share alone. Amounts only grow towards the source and prices never fall with the amount (prices.ts), so this bounds
 * every path from below:
 *
 *   A(v) = min over paths from the source to v of Σ c(share) ≤ what any path through v costs up to v
 *
 * It is worked out a node at a time, as far as the search wants it. A node that is not settled yet costs at least as
 * much as the next one to be settled. Where no node is left to settle, it cannot be reached at all.
 *
 *   leastAhead(v) = A(v) where v is settled, else the least key in the heap
 *
 * Invariant: `leastAhead` is consistent, leastAhead(v) ≤ leastAhead(u) + c(u → v). So it serves as the potential of an
 * A* search (Hart, Nilsson and Raphael 1968). It holds for the search of `stamp`, until the next begins.
 *
 * Work: each direction is looked at once. That is dearer than in the search from the destination, since the directions
 * that leave a node lie all over memory. Memory: the heap has a place for each direction. A node may stand in it
 * several times, and only the first of these entries counts.
 */
import { DirectionRecord, isEnabled } from '../graph/direction';
import { nodeCount, outHeads, outStart } from '../graph/graph';
import { headOfArc } from '../overlay/created-channels';
import { arcRoom, recordOf, recordOut, stateOf } from '../overlay/scratch';
import { DIRECTION_STEPS, NODE_STEPS, spend } from './effort';
import { Crossing } from './prices';
import { newQueue, Queue } from './queue';

/** Nodes by their cost. */
let queue: Queue = changetype<Queue>(0);
let stamp: u32 = 0;
let share: i64 = 0;
let end: u32 = 0;
/**
 * A lower bound of the cost of paths through any node that both sides have labelled, msat; Infinity while there is
 * none.
 */
export let meeting: f64 = Infinity;

/** Begins a search's other side: from `source`, for `amount` msat, with the labels of the search `search`. */
export function beginAhead(source: u32, destination: u32, amount: i64, search: u32): void {
  if (changetype<usize>(queue) === 0) queue = newQueue();
  queue.clear(arcRoom() + 1);
  stamp = search;
  share = amount;
  end = destination;
  meeting = Infinity;
  stateOf(source).aheadCost = 0.0;
  stateOf(source).aheadStamp = stamp;
  queue.push(0.0, source);
}

/** The cost of the node that would be settled next; Infinity when none is left. */
export function aheadReach(): f64 {
  dropStale();
  return queue.size === 0 ? Infinity : queue.leastKey();
}

/** Directions that leave the node that would be settled next; one must be left. */
export function aheadDegree(): u32 {
  const node = queue.first();
  return node < nodeCount ? outStart.after(node) - outStart[node] : 1;
}

/** Settles the next node. `aheadReach` has just said that there is one. */
export function settleAhead(): void {
  const node = queue.first();
  const cost = queue.leastKey();
  queue.pop();
  if (node < nodeCount) {
    const first = outStart[node];
    const last = outStart.after(node);
    spend(2 * DIRECTION_STEPS * (last - first) + NODE_STEPS);
    for (let k = first; k < last; k++) {
      const head = outHeads[k];
      // This saves the look at most records.
      if (mayImprove(head, cost)) relax(recordOut(k), head, cost);
    }
  }
  let link = stateOf(node).extraOut;
  while (link !== null) {
    const head = headOfArc(link.arc);
    if (mayImprove(head, cost)) relax(recordOf(link.arc), head, cost);
    link = link.next;
  }
}

/**
 * A lower bound of the cost from the source to the node, msat. `reach` is what `aheadReach` said when it was last
 * asked.
 */
export function leastAhead(node: u32, reach: f64): f64 {
  const state = stateOf(node);
  return state.aheadStamp === stamp ? min<f64>(state.aheadCost, reach) : reach;
}

/** Notes that both sides have labelled a node: a path through it costs at least `cost` msat. */
export function meet(cost: f64): void {
  if (cost < meeting) meeting = cost;
}

/** Whether an arc from a node settled at `cost` can improve its head: costs are not negative. */
function mayImprove(head: u32, cost: f64): bool {
  const state = stateOf(head);
  return state.aheadStamp !== stamp || state.aheadCost > cost;
}

/** Labels the head of an arc whose tail has just been settled at `cost`. */
function relax(record: DirectionRecord, head: u32, cost: f64): void {
  if (!isEnabled(record) || share > record.htlcMaximumMsat || share > record.maxMsat) return;
  const state = stateOf(head);
  const total = cost + Crossing.cost(record, share);
  if (state.aheadStamp === stamp && state.aheadCost <= total) return;
  state.aheadCost = total;
  state.aheadStamp = stamp;
  if (state.stamp === stamp) meet(total + state.cost);
  if (!isBlind(head)) queue.push(total, head);
}

/** Whether nothing lies beyond the node: it has a single channel, and is not the destination. */
function isBlind(node: u32): bool {
  if (node >= nodeCount || node === end) return false;
  return outStart.after(node) - outStart[node] === 1 && stateOf(node).extraOut === null;
}

/** Removes entries of nodes that have been settled at a lower cost. */
function dropStale(): void {
  while (queue.size > 0 && stateOf(queue.first()).aheadCost < queue.leastKey()) queue.pop();
}
