/**
 * Proof that no answer in several parts keeps the caps, or a flow to make one of.
 *
 * The search for several parts is a heuristic: that it found nothing shows nothing. But every answer is a flow of the
 * amount, part by part. A part that delivers y msat pays a direction base + ⌊ppm·x⌋ for some x ≥ y, and y is at
 * most what one HTLC and the direction can carry, u. So it pays at least
 *
 *   y · (ppm + (base − 1) / u)     where base ≥ 1 msat; else  y · ppm
 *
 * but for rounding where there is no base fee: a part can gain less than 1 msat at a hop. Answers that split an amount
 * only to gain by that are not looked for, and not counted among those that there are.
 *
 * The flow that costs least at these prices costs no more than any answer's fees. It is found by successive shortest
 * paths with potentials (Ahuja, Magnanti, Orlin 1993, section 9.7); each path is no cheaper than the one before, so
 * that what is placed plus the rest at the price of the present path bounds the whole at every moment. HTLC minimums
 * and what fees add to amounts are left aside: they only make answers dearer. That a second part pays its base
 * fees again is counted in a bound of its own, which is the better one where a single path can carry the amount.
 */
import { takePages } from '../graph/arena';
import { Column, newColumn } from '../graph/column';
import { DirectionRecord, isEnabled } from '../graph/direction';
import { inEnabledEnd, inStart, nodeCount, outArcs, outStart } from '../graph/graph';
import { clampedAdd } from '../graph/numbers';
import { headOfArc } from '../overlay/created-channels';
import { nodeRoom, recordOf, stateOf } from '../overlay/scratch';
import { boundsFrom, boundsStamp, canKeep } from './bounds';
import { DIRECTION_STEPS, effortSpent, hasEffort, NODE_STEPS, searchSteps, spend, wasCut } from './effort';
import { augment, BACKWARDS, beginFlow, residual } from './flow';
import { heapClear, heapLeastKey, heapPop, heapPush, heapSize } from './heap';
import {
  amount,
  destination,
  limitsMet,
  MET_DELAY,
  MET_HOPS,
  maxDelay,
  maxFee,
  maxHops,
  maxParts,
  source,
} from './question';
import { nextStamp } from './search';
import { pollCancel } from './task';

/** What the flow may cost, in searches over the whole graph, or on a small one in multiples of so many steps. */
const FLOW_SEARCHES: f64 = 3.0;
const LEAST_FLOW_STEPS: f64 = 500000.0;
/** What the parts of an answer may gain by rounding, of which each gains less than 1 msat at a hop. */
const ROUNDING: f64 = 0.5;
/** Doubles against integers: a bound counts when it exceeds the cap by this much (relative). */
const TOLERANCE: f64 = 1e-9;

/** What is known of a node from the destination's side. */
@unmanaged
class NodePotential {
  /** Msat per msat delivered. */
  potential: f64;
  /** Least blocks to the destination, of the search `stamp`. */
  delay: u32;
  stamp: u32;
  /** The search that settled it last. */
  settledBy: u32;
}

let table: usize = 0;
let tableNodes: u32 = 0;
/** Nodes settled by the present search, in order. */
let settled: Column<u32> = changetype<Column<u32>>(0);
let settledCount: u32 = 0;
let stamp: u32 = 0;
/** The search of `NodePotential.delay`; the bounds and the end that it was made for, and up to which delay. */
let delayStamp: u32 = 0;
let delayBounds: u32 = 0;
let delayEnd: u32 = 0;
let delayReach: u32 = 0;
/** Whether only directions on quick and short ways count. */
let isQuickOnly: bool = false;
/** What `priceOf` prices. */
const TOGETHER: u32 = 0;
const RATES: u32 = 1;
const BASES: u32 = 2;
let priced: u32 = TOGETHER;
/** Whether it is proven that no answer keeps all caps. */
export let isRefuted: bool = false;
/** Most that leaves the source: the amount and all that it may cost. */
let sent: i64 = 0;
/** The least that the largest part delivers. */
let leastPart: i64 = 0;

function rowOf(node: u32): NodePotential {
  return changetype<NodePotential>(table + (node as usize) * offsetof<NodePotential>());
}

function prepare(): void {
  const nodes = nodeRoom();
  if (nodes <= tableNodes) return;
  table = takePages((nodes as u64) * (offsetof<NodePotential>() as u64));
  settled = newColumn<u32>(nodes);
  tableNodes = nodes;
  delayStamp = 0;
}

/**
 * Whether any way is quick, short and wide enough for the largest of as many parts as are allowed; loads must be released.
 * A fraction of what a search for parts takes: mostly the way of fewest hops is quick enough, else the quickest is looked for.
 */
export function mayFit(): bool {
  sent = clampedAdd(amount, maxFee);
  leastPart = (amount + (maxParts as i64) - 1) / (maxParts as i64);
  if (!findWide(false) || stateOf(source).hops > maxHops) return false;
  return stateOf(source).delay <= maxDelay || findWide(true);
}

/**
 * Finds out whether it can be proven that no answer keeps all caps of the question (`isRefuted`); loads must be released.
 * Returns whether there is a flow of the amount that keeps all caps but the fee's, as far as flows can: `takePath`
 * (flow.ts) lists the paths of the cheapest. Without `isFlowWanted` none is made after the proof.
 *
 * Limits on delay and hops make ways dearer only where they ever stood in the way; then it is first tried without them.
 */
export function refute(isFlowWanted: bool): bool {
  isRefuted = !mayFit();
  if (isRefuted) return false;
  prepare();
  const isLimited = (limitsMet & (MET_DELAY | MET_HOPS)) !== 0;
  isQuickOnly = false;
  isRefuted = areSeveralTooDear();
  if (isRefuted && !isFlowWanted) return false;
  if (isLimited) {
    boundsFrom(source, maxDelay, (limitsMet & MET_HOPS) !== 0);
    countDelaysLeft();
    isQuickOnly = true;
    if (!isRefuted) isRefuted = areSeveralTooDear();
    if (isRefuted && !isFlowWanted) return false;
  }
  return makeFlow(isFlowWanted);
}

/** The cheapest flow of the amount; whether it costs more than the cap all the same. */
function makeFlow(isFlowWanted: bool): bool {
  priced = TOGETHER;
  forgetPotentials();
  beginFlow(maxParts);
  const end = effortSpent() + FLOW_SEARCHES * max<f64>(searchSteps(), LEAST_FLOW_STEPS);
  const most = highestCost();
  let cost: f64 = 0.0;
  let left = amount;
  while (left > 0 && hasEffort() && !pollCancel() && effortSpent() < end) {
    if (!findCheapest(Infinity)) {
      isRefuted = true;
      return false;
    }
    // Potentials count from the source, so that the destination has the price of the whole way.
    const price = -rowOf(destination).potential;
    if (cost + (left as f64) * price > most) isRefuted = true;
    if (isRefuted && !isFlowWanted) return false;
    const placed = augment(source, destination, left);
    cost += (placed as f64) * price;
    left -= placed;
  }
  return left <= 0;
}

/** What a bound must exceed to show that no answer keeps the cap. */
function highestCost(): f64 {
  return (maxFee as f64) * (1.0 + TOLERANCE) + ROUNDING;
}

/**
 * Whether two parts or more cost more than the cap, where one part is ruled out already: at their rates the amount, and
 * twice the least that a way asks for in base fees.
 */
function areSeveralTooDear(): bool {
  if (wasCut) return false;
  const most = highestCost();
  beginFlow(maxParts);
  forgetPotentials();
  priced = RATES;
  if (!findCheapest(most / (amount as f64))) return true;
  const rates = (amount as f64) * -rowOf(destination).potential;
  forgetPotentials();
  priced = BASES;
  if (!findCheapest((most - rates) * 0.5)) return true;
  return rates + 2.0 * -rowOf(destination).potential > most;
}

function forgetPotentials(): void {
  for (let node: u32 = 0; node < tableNodes; node++) rowOf(node).potential = 0.0;
}

/** What one msat delivered costs at least that crosses the direction; or what one part does, of base fees. */
function priceOf(record: DirectionRecord): f64 {
  const rate = (record.feeProportionalMillionths as f64) * 1e-6;
  if (priced === RATES) return rate;
  if (priced === BASES) return max<f64>((record.feeBaseMsat as f64) - 1.0, 0.0);
  if (record.feeBaseMsat === 0) return rate;
  const most = min<i64>(amount, min<i64>(record.htlcMaximumMsat, record.maxMsat));
  return rate + ((record.feeBaseMsat - 1) as f64) / (max<i64>(most, 1) as f64);
}

/** Most that one part can put across the direction; 0 where its HTLC minimum is more than any part can have. */
function onePart(record: DirectionRecord, head: u32): i64 {
  // The last direction carries what is delivered, others that and fees.
  const held = head === destination ? amount : sent;
  const most = min<i64>(min<i64>(record.htlcMaximumMsat, record.maxMsat), held);
  return most < record.htlcMinimumMsat ? 0 : most;
}

/** Whether the direction lies on a way that is short and quick enough, fees and what it carries left aside. */
function isQuick(record: DirectionRecord, head: u32): bool {
  const row = rowOf(head);
  if (row.stamp !== delayStamp) return false;
  return canKeep(record.tail, row.delay + (record.cltvExpiryDelta as u32), 1, maxDelay, maxHops);
}

/** Dijkstra's algorithm over blocks, from the destination back, unless the last one serves. */
function countDelaysLeft(): void {
  if (delayStamp !== 0 && delayBounds === boundsStamp() && delayEnd === destination && maxDelay <= delayReach)
    return;
  delayStamp = nextStamp();
  delayBounds = boundsStamp();
  delayEnd = destination;
  delayReach = maxDelay;
  rowOf(destination).delay = 0;
  rowOf(destination).stamp = delayStamp;
  heapPush(0.0, destination);
  while (heapSize > 0) {
    const node = heapPop();
    const delay = rowOf(node).delay;
    if (node < nodeCount) {
      const last = inEnabledEnd[node];
      spend(DIRECTION_STEPS * (last - inStart[node]) + NODE_STEPS);
      for (let arc = inStart[node]; arc < last; arc++) countThrough(arc, delay);
    }
    let link = stateOf(node).extraIn;
    while (link !== null) {
      countThrough(link.arc, delay);
      link = link.next;
    }
  }
}

function countThrough(arc: u32, delay: u32): void {
  const record = recordOf(arc);
  const total = delay + (record.cltvExpiryDelta as u32);
  if (total > maxDelay || !isEnabled(record)) return;
  const row = rowOf(record.tail);
  if (row.stamp === delayStamp && row.delay <= total) return;
  row.delay = total;
  row.stamp = delayStamp;
  heapPush(total as f64, record.tail);
}

/**
 * Whether some path can carry an equal share of the amount in one part. The largest part of every answer is at least
 * such a share. So when no path can, there is no answer with so few parts. It looks for the path of fewest hops, or of
 * fewest blocks within the limit on delay: the source's state has its hops and its delay.
 */
function findWide(byDelay: bool): bool {
  stamp = nextStamp();
  const end = stateOf(destination);
  end.stamp = stamp;
  end.cost = 0.0;
  end.delay = 0;
  end.hops = 0;
  heapPush(0.0, destination);
  while (heapSize > 0) {
    const node = heapPop();
    if (node === source) {
      heapClear();
      return true;
    }
    if (node < nodeCount) {
      const last = inEnabledEnd[node];
      spend(last - inStart[node] + NODE_STEPS);
      for (let arc = inStart[node]; arc < last; arc++) widen(arc, node, byDelay);
    }
    let link = stateOf(node).extraIn;
    while (link !== null) {
      widen(link.arc, node, byDelay);
      link = link.next;
    }
  }
  return false;
}

function widen(arc: u32, head: u32, byDelay: bool): void {
  const record = recordOf(arc);
  if (!isEnabled(record) || onePart(record, head) < leastPart) return;
  const delay = stateOf(head).delay + (record.cltvExpiryDelta as u32);
  const hops = stateOf(head).hops + 1;
  if (byDelay && delay > maxDelay) return;
  const key: f64 = byDelay ? (delay as f64) : (hops as f64);
  const state = stateOf(record.tail);
  if (state.stamp === stamp && state.cost <= key) return;
  state.stamp = stamp;
  state.cost = key;
  state.delay = delay;
  state.hops = hops;
  heapPush(key, record.tail);
}

/**
 * The cheapest way with capacity left, by Dijkstra's algorithm over prices less differences of potentials, which are
 * never negative. `arc` of each node's state says the next step (flow.ts). False when no way is left that costs at most
 * `limit` by those prices.
 */
function findCheapest(limit: f64): bool {
  stamp = nextStamp();
  settledCount = 0;
  stateOf(destination).cost = 0.0;
  stateOf(destination).stamp = stamp;
  heapPush(0.0, destination);
  while (heapSize > 0 && heapLeastKey() <= limit) {
    const node = heapPop();
    if (node === source) {
      heapClear();
      lowerPotentials(stateOf(source).cost);
      return true;
    }
    settled[settledCount++] = node;
    rowOf(node).settledBy = stamp;
    relaxAround(node);
  }
  heapClear();
  return false;
}

function relaxAround(node: u32): void {
  const state = stateOf(node);
  const cost = state.cost + rowOf(node).potential;
  if (node < nodeCount) {
    const end = inEnabledEnd[node];
    const outEnd = outStart.after(node);
    spend(DIRECTION_STEPS * (end - inStart[node]) + (outEnd - outStart[node]) + NODE_STEPS);
    for (let arc = inStart[node]; arc < end; arc++) relaxForward(arc, node, cost);
    for (let k = outStart[node]; k < outEnd; k++) relaxBackward(outArcs[k], cost);
  }
  let link = state.extraIn;
  while (link !== null) {
    relaxForward(link.arc, node, cost);
    link = link.next;
  }
  let back = state.extraOut;
  while (back !== null) {
    relaxBackward(back.arc, cost);
    back = back.next;
  }
}

function relaxForward(arc: u32, head: u32, cost: f64): void {
  const record = recordOf(arc);
  if (onePart(record, head) === 0 || residual(arc, false) <= 0) return;
  if (isQuickOnly && !isQuick(record, head)) return;
  const price = priceOf(record);
  // A way's fees are asked on those of the way after it; without flow, and so without potentials, that can be counted.
  reach(record.tail, arc, cost + (priced === RATES ? price * (1.0 + cost) : price));
}

function relaxBackward(arc: u32, cost: f64): void {
  if (residual(arc, true) > 0) reach(headOfArc(arc), arc | BACKWARDS, cost - priceOf(recordOf(arc)));
}

function reach(node: u32, step: u32, cost: f64): void {
  const row = rowOf(node);
  if (row.settledBy === stamp) return;
  const state = stateOf(node);
  // What rounding of doubles leaves below nothing is nothing.
  const reduced = max<f64>(cost - row.potential, 0.0);
  if (state.stamp === stamp && state.cost <= reduced) return;
  state.cost = reduced;
  state.stamp = stamp;
  state.arc = step;
  heapPush(reduced, node);
}

/** Nodes nearer than the source get potentials as of now; all others would rise by the same and stay as they are. */
function lowerPotentials(whole: f64): void {
  for (let i: u32 = 0; i < settledCount; i++) {
    const node = settled[i];
    const row = rowOf(node);
    row.potential = row.potential + stateOf(node).cost - whole;
  }
}
