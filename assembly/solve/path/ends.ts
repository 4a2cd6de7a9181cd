/**
 * Bounds at the two ends of the paths of a search (search.ts): what leaving the source costs at least and can carry at
 * most, and the minimum cost between a node and either end. All costs are msat at the current prices.
 *
 * Work: at most FEW_CHANNELS directions at the source, and as many at each near node. A source with more channels has
 * no such bounds.
 */
import { DirectionRecord, isEnabled } from '../../graph/direction';
import { AMOUNT_LIMIT } from '../../graph/numbers';
import { headOfArc } from '../../overlay/created-channels';
import { recordOf, recordOut, stateOf } from '../../overlay/scratch';
import { Workspace } from '../../workspace';
import { DIRECTION_STEPS, spend } from '../question/effort';
import { Crossing } from '../question/prices';
import { leastAhead } from './ahead';

/** If the source has more channels than this, computing `leastStart` (search.ts) would cost more than it saves. */
const FEW_CHANNELS: u32 = 64;
/** Maximum number of created channels from the source to a near node: two of them lead from a purse to a peer. */
export const CREATED_HOPS: u32 = 2;

/**
 * Minimum cost of any path up to the first node that is not near the source (`isNear`), or of the whole path. Amounts
 * grow towards the source, so each channel carries at least `amount`. After a channel that layers create, like those of
 * a purse or of a node with unannounced channels, the channels of the next node count as well, up to `deeper` times,
 * because our own channels usually cost nothing. Infinity if no channel can carry the amount. The channels of a node
 * with more than FEW_CHANNELS of them are not examined and count as free.
 */
export function leastLeaving(
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

/**
 * Maximum amount that a single direction from the source to a node other than the destination can carry, msat;
 * AMOUNT_LIMIT if the source has more than FEW_CHANNELS channels. Amounts only grow towards the source, so nodes that
 * would need more lead to no path. Direct channels to the destination carry the share alone.
 */
export function mostLeaving(work: Workspace, source: u32, destination: u32): i64 {
  const graph = work.graph;
  let most: i64 = 0;
  let looks: u32 = 0;
  if (source < graph.nodeCount) {
    const first = graph.outStart[source];
    const end = graph.outStart.after(source);
    looks = end - first;
    if (looks > FEW_CHANNELS) return AMOUNT_LIMIT;
    for (let k = first; k < end; k++)
      if (graph.outHeads[k] !== destination) most = max<i64>(most, mostAcross(recordOut(work, k)));
  }
  let link = stateOf(work.scratch, source).extraOut;
  while (link !== null) {
    if (++looks > FEW_CHANNELS) return AMOUNT_LIMIT;
    if (headOfArc(work, link.arc) !== destination)
      most = max<i64>(most, mostAcross(recordOf(work, link.arc)));
    link = link.next;
  }
  return most;
}

/** Maximum amount that the direction can carry, msat; 0 if it is disabled. */
function mostAcross(record: DirectionRecord): i64 {
  return isEnabled(record) ? min<i64>(record.htlcMaximumMsat, record.maxMsat) : 0;
}

/** Minimum cost of a direction that carries at least `amount` msat; Infinity if it cannot. */
function leastAcross(work: Workspace, record: DirectionRecord, amount: i64): f64 {
  if (!isEnabled(record) || amount > record.htlcMaximumMsat || amount > record.maxMsat) return Infinity;
  return Crossing.cost(work, record, amount, amount);
}

/** Whether at most CREATED_HOPS arcs that layers create or enable lead from the source to the node. */
export function isNear(work: Workspace, node: u32, source: u32): bool {
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

/** A lower bound of the cost from the source to a node, for the current search, msat. */
export function leastTo(work: Workspace, node: u32, source: u32): f64 {
  const search = work.search;
  if (node === source) return 0.0;
  const least = leastAhead(work.ahead, node, search.horizon);
  return isNear(work, node, source) ? least : max<f64>(least, search.leastStart);
}

/**
 * A lower bound of the cost from a node to the destination, msat, for nodes that the last search did not settle.
 * `cheapest` is the cost of the path that it found: any cheaper path through the node would have been found.
 */
export function leastBehind(work: Workspace, node: u32, cheapest: f64): f64 {
  const search = work.search;
  const ahead = search.isGuided
    ? max<f64>(leastAhead(work.ahead, node, search.horizon), search.leastStart)
    : search.leastStart;
  return max<f64>(cheapest - ahead, 0.0);
}
