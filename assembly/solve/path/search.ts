/**
 * One path for one amount: Dijkstra's algorithm from the destination back to the source.
 *
 * Going backwards, the amount that must reach a node is known exactly when the node is settled, and so is what crosses
 * each direction into it. Every limit is tested on that exact integer (BOLT 7's fees), and the direction's price is
 * computed for it:
 *
 *   amount at the tail   x' = x + fee(x)
 *   cost at the tail     C' = C + c(x)         c: see prices.ts
 *
 * Invariants. Costs are not negative, so nodes are settled in the order of their cost, each once, and the path with
 * which the source is settled is the cheapest. Labels hold while a node's stamp is the search's own, so nothing is
 * cleared. The heap is empty before and after. Debug builds assert that the heap is empty before, and that no label is
 * cheaper than the one it was made from.
 *
 * Two bounds cut the search short. Nothing costlier than the source's label is looked at. And every path begins with a
 * channel of the source, so every other node's label must be below the source's label by the least cost of such a
 * channel (`innerBound`). Where that channel is one that layers create, what comes after it counts as well
 * (`leastLeaving`), but not for the nodes in between, which are near the source. These are gone on from as soon as they
 * are labelled, so that none waits in the heap beyond the bound.
 *
 * Work: each usable direction is looked at once, O(E + V · log V): on the main network's 65,810 directions well below a
 * millisecond. Memory: the states of nodes, and the heap.
 *
 * Failure modes. A node keeps one label, the cheapest. A costlier way on can bring less msat to the node. The rest of the
 * path may then be cheaper by more than that way on is costlier, or fit where the cheapest does not. So the path found is
 * not the best one, or none is found. `leastMinimumMet` and `maximumMet` say that a limit of a direction stood in the
 * way, and `leastHidden` what a path that it hides costs at least. Where that is less than what was found, question.ts
 * and limits.ts look again with several labels for each node (labels.ts). Where risk is steep because a direction is
 * nearly full, a better path of less fees stays hidden. Likewise a path is cut
 * where it exceeds a limit on delay or hops, and that can hide another path that keeps the limit (limits.ts).
 *
 * Literature: Dijkstra (1959); Ahuja, Magnanti and Orlin, Network Flows (1993), chapter 4; the cost is that of
 * Pickhardt and Richter (2021, arXiv:2107.05322).
 */
import { DirectionRecord, FLAG_DEAD_END, FLAG_ENABLED, isEnabled } from '../../graph/direction';
import { AMOUNT_LIMIT, feeMsat } from '../../graph/numbers';
import { headOfArc } from '../../overlay/created-channels';
import { recordOf, recordOut, stateOf } from '../../overlay/scratch';
import { Workspace } from '../../workspace';
import { DIRECTION_STEPS, NODE_STEPS, spend } from '../question/effort';
import { Crossing, leastFactor } from '../question/prices';
import { pollCancel } from '../question/task';
import {
  aheadDegree,
  aheadReach,
  beginAhead,
  leastAhead,
  mayGrowAhead,
  meetAhead,
  settleAhead,
} from './ahead';
import { heapClear, heapLeastKey, heapPop, heapPush, heapRestore } from './heap';
import { earn } from './kept-tree';

/** The search under way, and what searches have noted. */
@unmanaged
export class Search {
  /**
   * The least HTLC minimum that was above what reached its direction, since `beginShare`, msat; the largest i64 where
   * there was none.
   */
  leastMinimumMet: i64;
  /** Whether fees alone raised an amount above what a direction can carry, since `beginShare`. */
  maximumMet: bool;
  /**
   * Paths that one label for each node hides, because it brings too little or too much for a direction, cost at least
   * this, msat, since `beginHidden`; Infinity where no limit of a direction stood in the way.
   */
  leastHidden: f64;
  /** What is to be delivered, msat. */
  share: i64;
  /** What it costs at least to bring one msat more to a node, msat. */
  liftPrice: f64;
  stamp: u32;
  /** Cost of the source's label, msat. Costlier labels are skipped. */
  bound: f64;
  /** The least that any path costs up to a node other than the source and the nodes near it, msat. */
  leastStart: f64;
  /** `bound` less `leastStart`. A node of those whose label costs this much leads to no cheaper path. */
  innerBound: f64;
  /** Maximum number of hops of a path. */
  mostHops: u32;
  /** Up to this cost the source's side is settled (ahead.ts), msat. */
  horizon: f64;
  /** Whether the heap is ordered by cost plus the least cost that is left; else by cost alone. */
  isGuided: bool;
  labelled: u64;
  searchCount: u64;

  /** Sets what is not 0 in a new workspace. */
  begin(): void {
    this.leastMinimumMet = i64.MAX_VALUE;
    this.leastHidden = Infinity;
    this.bound = Infinity;
    this.innerBound = Infinity;
  }
}

/** A source with more channels than this is not looked at for `leastStart`: that would cost more than it saves. */
const FEW_CHANNELS: u32 = 64;
/** From a purse two channels that layers create lead to a peer. */
const CREATED_HOPS: u32 = 2;
/** How many times costlier it is to look at a direction from the source's side. */
const AHEAD_WORK: u32 = 2;

/** Begins searches for a path that delivers `amount` msat. */
export function beginShare(work: Workspace, amount: i64): void {
  const search = work.search;
  search.share = amount;
  search.liftPrice = work.prices.feeWeight * leastFactor(work);
  search.leastMinimumMet = i64.MAX_VALUE;
  search.maximumMet = false;
}

/** Begins to note what hidden paths cost at least (`leastHidden`). */
export function beginHidden(search: Search): void {
  search.leastHidden = Infinity;
}

/** Notes again what a search has noted, whose outcome was kept (recent.ts). */
export function noteAgain(search: Search, minimum: i64, isMaximum: bool, hidden: f64): void {
  search.leastMinimumMet = min<i64>(search.leastMinimumMet, minimum);
  search.maximumMet = search.maximumMet || isMaximum;
  search.leastHidden = min<f64>(search.leastHidden, hidden);
}

/** A number that no label carries yet. */
export function nextStamp(search: Search): u32 {
  return ++search.stamp;
}

/** Searches run since the instance was made. */
export function searchesRun(search: Search): f64 {
  return search.searchCount as f64;
}

/** Nodes settled since the instance was made. */
export function nodesSettled(search: Search): f64 {
  return search.labelled as f64;
}

/** Counts labels settled elsewhere. */
export function countSettled(search: Search, count: u32): void {
  search.labelled += count;
}

/**
 * Finds the cheapest path from `source` to `destination` that delivers `amount` msat, of at most `maxHops` channels and
 * `maxDelay` blocks. On success the path can be followed from the source by `arc` of each node's state.
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

/** As `search`, only for paths that cost less than `limit`. It takes less work to find out that there is none. */
export function searchBelow(
  work: Workspace,
  source: u32,
  destination: u32,
  amount: i64,
  maxHops: u32,
  maxDelay: u32,
  limit: f64,
): bool {
  const search = work.search;
  const heap = work.heap;
  const graph = work.graph;
  const scratch = work.scratch;
  search.searchCount++;
  nextStamp(search);
  assert(heap.size === 0, 'the heap is empty between searches');
  search.leastStart = leastLeaving(work, source, source, destination, amount, CREATED_HOPS);
  if (search.leastStart === Infinity) return false;
  search.bound = limit;
  search.innerBound = limit - search.leastStart;
  search.isGuided = false;
  search.horizon = 0.0;
  search.mostHops = maxHops;
  beginAhead(work, source, destination, amount, search.stamp);
  const end = stateOf(scratch, destination);
  end.cost = 0.0;
  end.amountMsat = amount;
  end.stamp = search.stamp;
  end.delay = 0;
  end.hops = 0;
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
    search.labelled++;
    if ((search.labelled & 255) === 0 && pollCancel(work)) {
      heapClear(work);
      return false;
    }
    const state = stateOf(scratch, node);
    const cost = state.cost;
    const hops = state.hops + 1;
    if (hops > maxHops) continue;
    const reach = state.amountMsat;
    const delay = state.delay;
    if (node < graph.nodeCount) {
      const first = graph.inStart[node];
      const last = graph.inEnabledEnd[node];
      const steps = DIRECTION_STEPS * (last - first) + NODE_STEPS;
      spend(work.effort, steps);
      earn(work.kept, steps);
      for (let arc = first; arc < last; arc++) {
        if (Step.relax(work, arc, source, reach, cost, delay, hops, maxDelay))
          labelTowards(work, recordOf(work, arc).tail, source, maxDelay);
      }
    }
    let link = state.extraIn;
    while (link !== null) {
      if (Step.relax(work, link.arc, source, reach, cost, delay, hops, maxDelay))
        labelTowards(work, recordOf(work, link.arc).tail, source, maxDelay);
      link = link.next;
    }
  }
  heapClear(work);
  return stateOf(scratch, source).stamp === search.stamp;
}

/**
 * Settles nodes from the source on, while that is less work than settling the next node from the destination, or pays
 * for later searches (kept-tree.ts). Once the two sides have met, every cheaper path leads through nodes that either side
 * has settled. From then on the costs known from the source guide the search.
 */
function lookAhead(work: Workspace): void {
  const search = work.search;
  const ahead = work.ahead;
  const heap = work.heap;
  const graph = work.graph;
  for (;;) {
    search.horizon = aheadReach(ahead);
    const key = heapLeastKey(heap);
    if (key + search.horizon >= min<f64>(ahead.meeting, search.bound)) {
      guide(work);
      return;
    }
    const node = heap.nodes[0];
    const degree: u32 = node < graph.nodeCount ? graph.inEnabledEnd[node] - graph.inStart[node] : 1;
    if (AHEAD_WORK * aheadDegree(work) > degree && !mayGrowAhead(work)) return;
    settleAhead(work);
  }
}

/** Orders the heap again: by the least cost of a path from source to destination through the node. */
function guide(work: Workspace): void {
  const search = work.search;
  const heap = work.heap;
  search.isGuided = true;
  for (let i: u32 = 0; i < heap.size; i++)
    heap.keys[i] = heap.keys[i] + leastAhead(work.ahead, heap.nodes[i], search.horizon);
  heapRestore(work);
}

/**
 * A lower bound of the cost from a node to the destination, msat, for nodes that the last search did not settle.
 * `cheapest` is the cost of the path that it found: a path through the node that is cheaper would have been found.
 */
export function leastBehind(work: Workspace, node: u32, cheapest: f64): f64 {
  const search = work.search;
  const ahead = search.isGuided
    ? max<f64>(leastAhead(work.ahead, node, search.horizon), search.leastStart)
    : search.leastStart;
  return max<f64>(cheapest - ahead, 0.0);
}

/**
 * The least that any path costs up to the first node that is not near the source (`isNear`), or that it costs as a whole.
 * Amounts grow towards the source, so each channel carries at least `amount`. Beyond a channel that layers create, as those
 * of a purse and of a node whose channels are not announced, the node behind it counts as well, up to `deeper` times: our
 * own channels mostly cost nothing. Infinity when no channel can carry the amount. Where there is too much to look at, less
 * is counted.
 */
function leastLeaving(
  work: Workspace,
  node: u32,
  from: u32,
  destination: u32,
  amount: i64,
  deeper: u32,
): f64 {
  const graph = work.graph;
  let least: f64 = Infinity;
  let looks: u32 = 0;
  if (node < graph.nodeCount) {
    const first = graph.outStart[node];
    const end = graph.outStart.after(node);
    looks = end - first;
    if (looks > FEW_CHANNELS) return 0.0;
    spend(work.effort, DIRECTION_STEPS * looks);
    for (let k = first; k < end; k++) least = min<f64>(least, leastAcross(work, recordOut(work, k), amount));
  }
  let link = stateOf(work.scratch, node).extraOut;
  while (link !== null) {
    if (++looks > FEW_CHANNELS) return 0.0;
    const head = headOfArc(work, link.arc);
    let cost = leastAcross(work, recordOf(work, link.arc), amount);
    if (head !== from && cost < least) {
      if (deeper > 0 && head !== destination)
        cost += leastLeaving(work, head, node, destination, amount, deeper - 1);
      least = min<f64>(least, cost);
    }
    link = link.next;
  }
  return least;
}

/** The least cost of a direction that carries at least `amount` msat; Infinity where it cannot. */
function leastAcross(work: Workspace, record: DirectionRecord, amount: i64): f64 {
  if (!isEnabled(record) || amount > record.htlcMaximumMsat || amount > record.maxMsat) return Infinity;
  return Crossing.cost(work, record, amount, amount);
}

/** Whether channels that layers create lead from the source to the node, at most CREATED_HOPS of them. */
function isNear(work: Workspace, node: u32, source: u32): bool {
  let link = stateOf(work.scratch, node).extraIn;
  while (link !== null) {
    const tail = recordOf(work, link.arc).tail;
    if (tail === source) return true;
    let before = stateOf(work.scratch, tail).extraIn;
    while (before !== null) {
      if (recordOf(work, before.arc).tail === source) return true;
      before = before.next;
    }
    link = link.next;
  }
  return false;
}

/**
 * Goes on from a node near the source that has just been labelled, by the created channels that enter it. So the source
 * has a label before the heap gets to where `innerBound` ends the search.
 */
function labelTowards(work: Workspace, node: u32, source: u32, maxDelay: u32): void {
  const state = stateOf(work.scratch, node);
  const hops = state.hops + 1;
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

/** A lower bound of the cost from the source to a node, for the present search, msat. */
function leastTo(work: Workspace, node: u32, source: u32): f64 {
  const search = work.search;
  if (node === source) return 0.0;
  const least = leastAhead(work.ahead, node, search.horizon);
  return isNear(work, node, source) ? least : max<f64>(least, search.leastStart);
}

/**
 * Notes that a direction passes more or less than the `reach` msat that a label of cost `cost` brings. A path that
 * brings what can pass costs at least as much to get here. Above an HTLC minimum it also pays fees for all that the
 * minimum is above the share. `left` is a lower bound of the cost from the source to the direction's tail. All costs
 * are msat at the present prices.
 *
 * Where only fees count, the label of least cost also brings least. Prices of limits can change that, and limits.ts
 * looks again then.
 */
export function hide(work: Workspace, record: DirectionRecord, reach: i64, cost: f64, left: f64): void {
  const search = work.search;
  let passing = search.share;
  let reached = cost;
  if (reach < record.htlcMinimumMsat) {
    passing = record.htlcMinimumMsat;
    search.leastMinimumMet = min<i64>(search.leastMinimumMet, passing);
    reached = max<f64>(cost, search.liftPrice * ((passing - search.share) as f64));
  } else {
    search.maximumMet = true;
    if (work.prices.exactFees) return;
  }
  if (reached + left >= search.leastHidden) return;
  search.leastHidden = min<f64>(
    search.leastHidden,
    reached + Crossing.cost(work, record, passing, search.share) + left,
  );
}

/** A direction may carry what reaches its head. */
export const ADMITTED: u32 = 0;
/** A direction cannot carry what reaches its head. */
export const REFUSED: u32 = 1;
/** A direction cannot carry what reaches its head, but it could carry more, or the share itself. */
export const OTHER_AMOUNT: u32 = 2;

/**
 * One step of a search: across one direction. These are methods, since the `@inline` decorator can only stand at
 * methods.
 */
export class Step {
  /**
   * Whether a direction may carry what reaches its head, on a way to the source: ADMITTED, REFUSED, or OTHER_AMOUNT
   * where another amount could cross. It must be enabled, and the amount must be within its HTLC limits and known
   * maximum. A tail with a single neighbour leads on only where a layer gave it another channel.
   */
  @inline
  static admits(work: Workspace, record: DirectionRecord, reach: i64, source: u32): u32 {
    const flags = record.flags as u32;
    if ((flags & FLAG_ENABLED) === 0) return REFUSED;
    const most = min<i64>(record.htlcMaximumMsat, record.maxMsat);
    if (work.search.share > most) return REFUSED;
    if ((flags & FLAG_DEAD_END) !== 0) {
      const tail = record.tail;
      if (tail !== source && (work.links.extraLinks === 0 || stateOf(work.scratch, tail).extraIn === null))
        return REFUSED;
    }
    if (reach >= record.htlcMinimumMsat && reach <= most) return ADMITTED;
    return record.htlcMinimumMsat <= most ? OTHER_AMOUNT : REFUSED;
  }

  /**
   * Labels the tail of an arc if the way through it is the cheapest so far. Returns whether it did, and layers create
   * channels that enter the tail.
   */
  @inline
  static relax(
    work: Workspace,
    arc: u32,
    source: u32,
    reach: i64,
    cost: f64,
    delay: u32,
    hops: u32,
    maxDelay: u32,
  ): bool {
    const search = work.search;
    const ahead = work.ahead;
    const record = recordOf(work, arc);
    const admission = Step.admits(work, record, reach, source);
    if (admission !== ADMITTED) {
      if (admission !== REFUSED) hide(work, record, reach, cost, leastTo(work, record.tail, source));
      return false;
    }
    const tail = record.tail;
    const state = stateOf(work.scratch, tail);
    const known = state.stamp === search.stamp ? state.cost : search.bound;
    if (known <= cost) return false;
    const total = cost + Crossing.cost(work, record, reach, search.share);
    assert(total >= cost, 'no direction has a negative cost');
    if (known <= total) return false;
    let key = total;
    if (tail !== source) {
      if (search.isGuided) {
        key += leastAhead(ahead, tail, search.horizon);
        if (search.bound <= key) return false;
      } else if (search.innerBound <= total && !isNear(work, tail, source)) return false;
    }
    const blocks = delay + (record.cltvExpiryDelta as u32);
    if (blocks > maxDelay) return false;
    const amount = reach + feeMsat(reach, record.feeBaseMsat, record.feeProportionalMillionths);
    if (amount >= AMOUNT_LIMIT) return false;
    state.cost = total;
    state.amountMsat = amount;
    state.stamp = search.stamp;
    state.arc = arc;
    state.delay = blocks;
    state.hops = hops;
    if (tail === source) {
      search.bound = total;
      search.innerBound = total - search.leastStart;
    }
    if (!search.isGuided) meetAhead(ahead, tail, total);
    heapPush(work, key, tail);
    return state.extraIn !== null;
  }
}
