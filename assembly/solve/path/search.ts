/**
 * One path for one amount: Dijkstra's algorithm from the destination back to the source. step.ts crosses one direction,
 * and ends.ts has the bounds at both ends of a path.
 *
 * Since the search goes backwards, the exact amount that must reach a node is known when the node is settled, and so is
 * the amount across each direction into it. Limits are tested and prices computed for that exact integer (BOLT 7's
 * fees):
 *
 *   amount at the tail   x' = x + fee(x)
 *   cost at the tail     C' = C + c(x)         c: see prices.ts
 *
 * Invariants. Costs are not negative, so nodes are settled in order of cost, each once, and the path found when the
 * source is settled is the cheapest. A node's labels are valid while its stamp is that of the search, so nothing is
 * cleared. The heap is empty before and after. Debug builds assert that the heap is empty before, and that no label is
 * cheaper than the one it was made from.
 *
 * The arcs of large nodes are read in order of cost, a few blocks at a time (blocks.ts). Between them, a settled node
 * waits in the heap at a lower bound of the cost of paths across its other arcs. Most of these are never read.
 *
 * Two bounds cut the search short. Labels costlier than the source's are dropped. And every path begins with a channel
 * of the source, so every other node's label must be below the source's label by the minimum cost of such a channel
 * (`innerBound`). If that channel is one that layers create, the channels after it count as well (`leastLeaving`), but
 * not for the nodes in between, which are near the source. The search continues from those as soon as they are
 * labelled, so that none waits in the heap beyond the bound. If that leaves a path whose labels do not follow from each
 * other (`isWhole`), the search runs again without continuing early.
 *
 * Work: each side reads each usable direction at most once, O(E + V · log V), or twice if the search runs again. On the
 * main network's 65,810 usable directions, most searches end early, well below a millisecond. Memory: the states of
 * nodes, and the heap.
 *
 * Failure modes. A node keeps one label, the cheapest. A costlier continuation can need less msat at the node. The rest
 * of the path may then be cheaper by more than the difference, or fit where the cheapest does not. So the path found
 * may not be the best, or none may be found. `leastMinimumMet` and `maximumMet` report that a limit of a direction
 * stood in the way, and `leastHidden` is the minimum cost of a path hidden by it. If that is less than the cost found,
 * question.ts and limits.ts search again with several labels per node (labels.ts). If risk is steep because a direction
 * is nearly full, a better path with lower fees stays hidden. Likewise a path is cut where it exceeds a limit on delay
 * or hops, which can hide another path within the limit (limits.ts).
 *
 * Literature: Dijkstra (1959); Ahuja, Magnanti and Orlin, Network Flows (1993), chapter 4; the cost is that of
 * Pickhardt and Richter (2021, arXiv:2107.05322).
 */

import { feeMsat } from '../../graph/numbers';
import { headOfArc } from '../../overlay/created-channels';
import { NodeState, recordOf, stateOf } from '../../overlay/scratch';
import { Workspace } from '../../workspace';
import { DIRECTION_STEPS, NODE_STEPS, spend } from '../question/effort';
import { leastFactor } from '../question/prices';
import { pollCancel } from '../question/task';
import {
  aheadDegree,
  aheadReach,
  beginAhead,
  behindDegree,
  leastAhead,
  mayGrowAhead,
  settleAhead,
} from './ahead';
import {
  areBlocksRead,
  areFirstInto,
  BLOCK,
  blocksAtOnce,
  isBounded,
  isReadFirst,
  leastInto,
} from './blocks';
import { CREATED_HOPS, isNear, leastLeaving, mostLeaving } from './ends';
import { heapClear, heapLeastKey, heapPop, heapPush, heapRestore } from './heap';
import { earn } from './kept-tree';
import { Step } from './step';

/** The current search, and notes of earlier ones. */
@unmanaged
export class Search {
  /**
   * Since `beginShare`: the lowest HTLC minimum that an amount failed to reach, msat; the largest i64 if there was
   * none.
   */
  leastMinimumMet: i64;
  /** Since `beginShare`: whether fees alone raised an amount above what a direction can carry. */
  maximumMet: bool;
  /**
   * Since `beginHidden`: minimum cost of paths that one label per node hides, because its amount is too small or too
   * large for a direction, msat; Infinity if no limit of a direction stood in the way.
   */
  leastHidden: f64;
  /** Amount to deliver, msat. */
  share: i64;
  /** Minimum cost of bringing one more msat to a node, msat. */
  liftPrice: f64;
  stamp: u32;
  /** Cost of the source's label, msat. Costlier labels are dropped. */
  bound: f64;
  /** Minimum cost of any path from the source to a node that is not near the source, msat. */
  leastStart: f64;
  /**
   * `bound` minus `leastStart`. A label that costs this much leads to no cheaper path, unless its node is near the
   * source.
   */
  innerBound: f64;
  /** Maximum number of hops of a path. */
  mostHops: u32;
  /** Cost up to which the source's side is settled (ahead.ts), msat. */
  horizon: f64;
  /** Whether the heap is ordered by cost plus minimum remaining cost; else by cost alone. */
  isGuided: bool;
  /** Number of directions scanned from the source, and from the destination. */
  scannedAhead: u32;
  scannedBehind: u32;
  /** Maximum amount that can leave the source towards other nodes than the destination, msat. */
  mostLeaving: i64;
  labelled: u64;
  searchCount: u64;

  /** Call once for a new workspace: sets the fields of this class that do not start at zero. */
  begin(): void {
    this.leastMinimumMet = i64.MAX_VALUE;
    this.leastHidden = Infinity;
    this.bound = Infinity;
    this.innerBound = Infinity;
  }
}

/** Begins searches for a path that delivers `amount` msat. */
export function beginShare(work: Workspace, amount: i64): void {
  const search = work.search;
  search.share = amount;
  search.liftPrice = work.prices.feeWeight * leastFactor(work);
  search.leastMinimumMet = i64.MAX_VALUE;
  search.maximumMet = false;
}

/** Starts recording the minimum cost of hidden paths (`leastHidden`). */
export function beginHidden(search: Search): void {
  search.leastHidden = Infinity;
}

/** Restores the notes of a search whose outcome was kept (recent.ts). */
export function noteAgain(search: Search, minimum: i64, isMaximum: bool, hidden: f64): void {
  search.leastMinimumMet = min<i64>(search.leastMinimumMet, minimum);
  search.maximumMet = search.maximumMet || isMaximum;
  search.leastHidden = min<f64>(search.leastHidden, hidden);
}

/** A stamp that no label has yet. */
export function nextStamp(search: Search): u32 {
  return ++search.stamp;
}

/** Number of runs of `searchOnce` since the instance was created. */
export function searchesRun(search: Search): f64 {
  return search.searchCount as f64;
}

/**
 * Number of nodes settled from destinations, and of labels made by searches with several labels, since the instance was
 * created.
 */
export function nodesSettled(search: Search): f64 {
  return search.labelled as f64;
}

/** Adds the labels of a search with several labels to the number of settled nodes. */
export function countSettled(search: Search, count: u32): void {
  search.labelled += count;
}

/**
 * Finds the cheapest path from `source` to `destination` that delivers `amount` msat, of at most `maxHops` channels and
 * `maxDelay` blocks. On success, `arc` of each node's state leads along the path from the source.
 */
export function search(
  work: Workspace,
  source: u32,
  destination: u32,
  amount: i64,
  maxHops: u32,
  maxDelay: u32,
): bool {
  return searchBelow(work, source, destination, amount, maxHops, maxDelay, Infinity);
}

/** As `search`, but only for paths that cost less than `limit`. Finding that there is none takes less work. */
export function searchBelow(
  work: Workspace,
  source: u32,
  destination: u32,
  amount: i64,
  maxHops: u32,
  maxDelay: u32,
  limit: f64,
): bool {
  if (!searchOnce(work, source, destination, amount, maxHops, maxDelay, limit, true)) return false;
  if (work.links.extraLinks === 0 || isWhole(work, source, destination)) return true;
  return searchOnce(work, source, destination, amount, maxHops, maxDelay, limit, false);
}

/**
 * Whether each label of the path follows from the next one. If nodes near the source are continued before they are
 * settled, a node may get a cheaper label with an amount, delay or hops that cannot be continued to the source. The
 * source then keeps a label that no longer belongs to the path.
 */
function isWhole(work: Workspace, source: u32, destination: u32): bool {
  for (let node = source; node !== destination; ) {
    const state = stateOf(work.scratch, node);
    const record = recordOf(work, state.arc);
    const head = headOfArc(work, state.arc);
    const next = stateOf(work.scratch, head);
    const fee = feeMsat(next.amountMsat, record.feeBaseMsat, record.feeProportionalMillionths);
    if ((state.hops as u32) !== (next.hops as u32) + 1 || state.amountMsat !== next.amountMsat + fee)
      return false;
    if (state.delay !== next.delay + (record.cltvExpiryDelta as u32)) return false;
    node = head;
  }
  return true;
}

/** @param isEager whether nodes near the source are continued as soon as they are labelled */
function searchOnce(
  work: Workspace,
  source: u32,
  destination: u32,
  amount: i64,
  maxHops: u32,
  maxDelay: u32,
  limit: f64,
  isEager: bool,
): bool {
  const search = work.search;
  const heap = work.heap;
  const graph = work.graph;
  const scratch = work.scratch;
  search.searchCount++;
  nextStamp(search);
  assert(heap.size === 0, 'the heap is empty between searches');
  search.leastStart = isEager ? leastLeaving(work, source, source, destination, amount, CREATED_HOPS) : 0.0;
  if (search.leastStart === Infinity) return false;
  search.mostLeaving = mostLeaving(work, source, destination);
  search.bound = limit;
  search.innerBound = limit - search.leastStart;
  search.isGuided = false;
  search.horizon = 0.0;
  search.scannedAhead = 0;
  search.scannedBehind = 0;
  // Hops are counted in 16 bits. Longer paths are not found.
  search.mostHops = min<u32>(maxHops, 0xffff);
  beginAhead(work, source, destination, amount, search.stamp, limit);
  const end = stateOf(scratch, destination);
  end.cost = 0.0;
  end.amountMsat = amount;
  end.stamp = search.stamp;
  end.delay = 0;
  end.hops = 0;
  end.blocksRead = 0;
  heapPush(work, 0.0, destination);
  while (heap.size > 0) {
    if (!search.isGuided) lookAhead(work);
    const key = heapLeastKey(heap);
    if (key >= (search.isGuided ? search.bound : search.innerBound)) break;
    const node = heapPop(work);
    if (node === source) {
      heapClear(work);
      return true;
    }
    const state = stateOf(scratch, node);
    if (state.blocksRead !== 0) {
      readBlocks(work, node, source, maxDelay, isEager);
      continue;
    }
    search.labelled++;
    if ((search.labelled & 255) === 0 && pollCancel(work)) {
      heapClear(work);
      return false;
    }
    const cost = state.cost;
    const hops = (state.hops as u32) + 1;
    if (hops > search.mostHops) continue;
    const reach = state.amountMsat;
    const delay = state.delay;
    let isLarge = false;
    if (node < graph.nodeCount) {
      const first = graph.inStart[node];
      const last = graph.inEnabledEnd[node];
      isLarge = areBlocksRead(work.blocks, last - first);
      if (!isLarge) countScanned(work, last - first);
      else if (areFirstInto(work, node)) readCheaper(work, node, source, maxDelay, isEager);
      for (let arc = isLarge ? last : first; arc < last; arc++) {
        if (Step.relax(work, arc, source, reach, cost, delay, hops, maxDelay) && isEager)
          labelTowards(work, recordOf(work, arc).tail, source, maxDelay);
      }
    }
    let link = state.extraIn;
    while (link !== null) {
      if (Step.relax(work, link.arc, source, reach, cost, delay, hops, maxDelay) && isEager)
        labelTowards(work, recordOf(work, link.arc).tail, source, maxDelay);
      link = link.next;
    }
    if (isLarge) readBlocks(work, node, source, maxDelay, isEager);
  }
  heapClear(work);
  return stateOf(scratch, source).stamp === search.stamp;
}

/** Counts a visit to a settled node, and the directions read. */
function countScanned(work: Workspace, directions: u32): void {
  const steps = DIRECTION_STEPS * directions + NODE_STEPS;
  spend(work.effort, steps);
  earn(work.kept, steps);
  work.search.scannedBehind += directions;
}

/** Continues from a settled node across one arc. */
function cross(work: Workspace, arc: u32, source: u32, state: NodeState, maxDelay: u32, isEager: bool): void {
  const hops = (state.hops as u32) + 1;
  if (Step.relax(work, arc, source, state.amountMsat, state.cost, state.delay, hops, maxDelay) && isEager)
    labelTowards(work, recordOf(work, arc).tail, source, maxDelay);
}

/** Reads the arcs into a large node whose overrides may cost less than the bounds of blocks. */
function readCheaper(work: Workspace, node: u32, source: u32, maxDelay: u32, isEager: bool): void {
  const graph = work.graph;
  const overrides = work.scratch.overrides;
  const state = stateOf(work.scratch, node);
  const last = graph.inEnabledEnd[node];
  let count: u32 = 0;
  for (let arc = graph.inStart[node]; arc < last; arc++) {
    const changed = overrides[arc];
    if (changed === null || !isReadFirst(work.blocks, changed)) continue;
    count++;
    cross(work, arc, source, state, maxDelay, isEager);
  }
  countScanned(work, count);
}

/**
 * Reads arcs into a settled node, in order of cost, as long as the next ones may lead to the cheapest label. The rest
 * waits in the heap, at a lower bound of the cost of paths across it (`leastAcrossRest`).
 */
function readBlocks(work: Workspace, node: u32, source: u32, maxDelay: u32, isEager: bool): void {
  const search = work.search;
  const heap = work.heap;
  const graph = work.graph;
  const overrides = work.scratch.overrides;
  const state = stateOf(work.scratch, node);
  const first = graph.inStart[node];
  const last = graph.inEnabledEnd[node];
  let isDue = state.blocksRead !== 0;
  let block: u32 = isDue ? (state.blocksRead as u32) - 1 : 0;
  let place = first + block * BLOCK;
  let count: u32 = 0;
  while (place < last) {
    if (!isDue) {
      const key = leastAcrossRest(work, node, block);
      if (key >= (search.isGuided ? search.bound : search.innerBound)) break;
      if (heap.size === 0 || heapLeastKey(heap) < key) {
        state.blocksRead = (block + 1) as u16;
        heapPush(work, key, node);
        break;
      }
    }
    isDue = false;
    const least = ASC_NO_ASSERT ? 0.0 : leastInto(work, node, block);
    const more = blocksAtOnce(block);
    block += more;
    const end = min<u32>(place + more * BLOCK, last);
    count += end - place;
    for (; place < end; place++) {
      const arc = first + (graph.inOrder[place] as u32);
      const changed = overrides[arc];
      if (changed !== null && isReadFirst(work.blocks, changed)) continue;
      if (!ASC_NO_ASSERT)
        assert(isBounded(work, recordOf(work, arc), state.amountMsat, least), 'a block has a lower bound');
      cross(work, arc, source, state, maxDelay, isEager);
    }
  }
  countScanned(work, count);
}

/**
 * A lower bound of the cost of paths across the arcs into a settled node from a block on, msat, except that before both
 * sides have met, it is lower by `leastStart`: so a path that begins with one of these arcs is found before `innerBound`
 * ends the search.
 */
function leastAcrossRest(work: Workspace, node: u32, block: u32): f64 {
  const search = work.search;
  const least = leastInto(work, node, block);
  const cost = stateOf(work.scratch, node).cost;
  if (search.isGuided) return cost + max<f64>(least, leastAhead(work.ahead, node, search.horizon));
  return cost + max<f64>(least - search.leastStart, 0.0);
}

/**
 * Settles nodes from the source as long as that is less work than settling the next node from the destination, as this
 * side has done less work so far, or as it pays off for later searches (kept-tree.ts). So the work of both sides stays
 * balanced, even if the next node from the source has thousands of channels and those from the destination have few.
 * Once the two sides have met, every cheaper path leads through nodes that one side has settled. From then on the costs
 * from the source guide the search.
 */
function lookAhead(work: Workspace): void {
  const search = work.search;
  const ahead = work.ahead;
  const heap = work.heap;
  for (;;) {
    search.horizon = aheadReach(ahead);
    const key = heapLeastKey(heap);
    if (key + search.horizon >= min<f64>(ahead.meeting, search.bound)) {
      guide(work);
      return;
    }
    const degree = aheadDegree(work);
    // Large nodes count the same on both sides. Then the side that has done less work continues.
    const isAheadNext = degree < behindDegree(work) || search.scannedAhead + degree <= search.scannedBehind;
    if (!isAheadNext && !mayGrowAhead(work)) return;
    search.scannedAhead += degree;
    settleAhead(work);
  }
}

/**
 * Reorders the heap: the key of each node becomes a lower bound of the cost of any path from source to destination
 * through that node.
 */
function guide(work: Workspace): void {
  const search = work.search;
  const heap = work.heap;
  search.isGuided = true;
  for (let i: u32 = 0; i < heap.size; i++) {
    const node = heap.nodes[i];
    const read = stateOf(work.scratch, node).blocksRead as u32;
    heap.keys[i] =
      read === 0
        ? heap.keys[i] + leastAhead(work.ahead, node, search.horizon)
        : leastAcrossRest(work, node, read - 1);
  }
  heapRestore(work);
}

/**
 * Continues from a newly labelled node near the source along its incoming arcs that layers create or enable, so that
 * the source has a label before `innerBound` ends the search.
 */
function labelTowards(work: Workspace, node: u32, source: u32, maxDelay: u32): void {
  const state = stateOf(work.scratch, node);
  const hops = (state.hops as u32) + 1;
  if (hops > work.search.mostHops) return;
  let link = state.extraIn;
  while (link !== null) {
    const tail = recordOf(work, link.arc).tail;
    if (tail === source || isNear(work, tail, source))
      if (Step.relax(work, link.arc, source, state.amountMsat, state.cost, state.delay, hops, maxDelay))
        labelTowards(work, tail, source, maxDelay);
    link = link.next;
  }
}
