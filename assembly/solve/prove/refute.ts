/**
 * Proves that no answer in several parts keeps the caps, or finds a flow from which such an answer can be made.
 *
 * The search for several parts is a heuristic: when it finds nothing, that proves nothing. But every answer is a flow
 * of the amount, part by part. A part that delivers y msat pays a direction base + ⌊ppm·x⌋ for some x ≥ y, and y is at
 * most u, what one HTLC and the direction can carry. So it pays at least
 *
 *   y · (ppm + (base − 1) / u)     where base ≥ 1 msat; else  y · ppm
 *
 * Where there is no base fee, rounding can save a part less than 1 msat at each hop. Answers that split an amount only
 * to save by rounding are not looked for, and are not counted among the answers that exist.
 *
 * The flow that costs least at these prices costs no more than the fees of any answer. It is found by successive
 * shortest paths with potentials (Ahuja, Magnanti, Orlin 1993, section 9.7). Each path is no cheaper than the one
 * before. So at every moment the cost of what is placed, plus the rest at the price of the present path, bounds the
 * whole from below. HTLC minimums and what fees add to amounts are left out: they only make answers dearer. A second
 * part pays base fees again. A bound of its own counts that; it is the better one where a single path can carry the
 * amount.
 */
import { takePages } from '../../graph/arena';
import { Column, newColumn } from '../../graph/column';
import { DirectionRecord, isEnabled } from '../../graph/direction';
import { inEnabledEnd, inStart, nodeCount, outArcs, outHeads, outStart } from '../../graph/graph';
import { clampedAdd } from '../../graph/numbers';
import { headOfArc } from '../../overlay/created-channels';
import { nodeRoom, recordOf, stateOf, termsVersion } from '../../overlay/scratch';
import { augment, BACKWARDS, beginFlow, residual } from '../flow/flow';
import { affordBounds, boundsStamp, canKeep } from '../path/bounds';
import { heapClear, heapLeastKey, heapPop, heapPush, heapSize } from '../path/heap';
import { nextStamp } from '../path/search';
import {
  DIRECTION_STEPS,
  effortSpent,
  hasEffort,
  NODE_STEPS,
  searchSteps,
  spend,
  wasCut,
} from '../question/effort';
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
} from '../question/question';
import { pollCancel } from '../question/task';

/**
 * What the flow may cost, in searches over the whole graph. A search counts as LEAST_FLOW_STEPS at least, for small
 * graphs.
 */
const FLOW_SEARCHES: f64 = 3.0;
const LEAST_FLOW_STEPS: f64 = 500000.0;
/** What all parts of an answer together may save by rounding, msat. Each saves less than 1 msat at a hop. */
const ROUNDING: f64 = 0.5;
/**
 * Two parts save less than 2 msat by rounding at each of at most twenty hops. Only where the rates come to no more than
 * that, whole base fees alone can be the better bound, msat.
 */
const MOST_SAVED: f64 = 40.0;
/** Relative error of doubles: a bound counts when it exceeds the cap by more than this. */
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
/**
 * The search that `NodePotential.delay` belongs to; the bounds and the destination that it was made for; its largest
 * delay.
 */
let delayStamp: u32 = 0;
let delayBounds: u32 = 0;
let delayEnd: u32 = 0;
let delayReach: u32 = 0;
/** Whether only directions count that lie on a way within the limits on delay and hops. */
let isQuickOnly: bool = false;
/** What `priceOf` prices: base fees and rates together, rates alone, base fees alone less 1 msat each, or as a whole. */
const TOGETHER: u32 = 0;
const RATES: u32 = 1;
const BASES: u32 = 2;
const WHOLE_BASES: u32 = 3;
let priced: u32 = TOGETHER;
/** Whether it is proven that no answer keeps all caps. */
export let isRefuted: bool = false;
/** The fee of `refute` where no answer is known. */
export const NO_FEE: i64 = i64.MAX_VALUE;
let feeFound: i64 = NO_FEE;
/** Whether the last proof showed that no answer in several parts costs less than `feeFound` by a hundredth. */
export let isLeastFee: bool = false;
/** Maximum that leaves the source: the amount and all that it may cost. */
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
 * False proves that there is no answer: no way is short and wide enough, or none is quick and wide enough, for the
 * largest of as many parts as are allowed. Loads must be released. This costs a fraction of a search for parts: the way
 * of fewest hops is mostly quick enough too, and only where it is not, the quickest is looked for.
 */
export function mayFit(): bool {
  sent = clampedAdd(amount, maxFee);
  leastPart = (amount + (maxParts as i64) - 1) / (maxParts as i64);
  if (!findWide(false) || stateOf(source).hops > maxHops) return false;
  return stateOf(source).delay <= maxDelay || findWide(true);
}

/**
 * Finds out whether it can be proven that no answer keeps all caps of the question (`isRefuted`). Loads must be
 * released. Returns whether there is a flow of the amount that keeps all caps but the fee cap, as far as flows can keep
 * them: `takePath` (flow.ts) lists the paths of the cheapest one. Without `isFlowWanted` the work ends at the proof,
 * and no flow is made.
 *
 * Limits on delay and hops rule out ways only where they ever stood in the way. The proof is tried without those limits
 * first. `fee` is that of an answer that keeps the other caps, or NO_FEE: the proof may show that no answer in several
 * parts costs less by a hundredth (`isLeastFee`).
 */
export function refute(isFlowWanted: bool, fee: i64): bool {
  feeFound = fee;
  isLeastFee = false;
  isRefuted = !mayFit();
  if (isRefuted) return false;
  prepare();
  const isLimited = (limitsMet & (MET_DELAY | MET_HOPS)) !== 0;
  isQuickOnly = false;
  const isKnownOpen = fee === NO_FEE && isAsBefore();
  isRefuted = !isKnownOpen && areSeveralTooDear();
  if (!isRefuted && !wasCut) rememberOpen();
  if (isRefuted && !isFlowWanted) return false;
  if (isLimited) {
    if (!affordBounds(source, maxDelay, (limitsMet & MET_HOPS) !== 0)) return false;
    countDelaysLeft();
    isQuickOnly = true;
    if (!isRefuted) isRefuted = areSeveralTooDear();
    if (isRefuted && !isFlowWanted) return false;
  }
  return makeFlow(isFlowWanted);
}

// The last question for which the proof without limits on delay and hops failed.
let openSource: u32 = 0;
let openDestination: u32 = 0;
let openAmount: i64 = 0;
let openFee: i64 = 0;
let openVersion: u32 = 0;

/**
 * Whether the proof without limits on delay and hops has failed for this question before. Questions for the least delay
 * differ in these limits alone.
 */
function isAsBefore(): bool {
  return (
    openSource === source &&
    openDestination === destination &&
    openAmount === amount &&
    openFee === maxFee &&
    openVersion === termsVersion
  );
}

function rememberOpen(): void {
  openSource = source;
  openDestination = destination;
  openAmount = amount;
  openFee = maxFee;
  openVersion = termsVersion;
}

/**
 * Makes the cheapest flow of the amount. Sets `isRefuted` once the flow must cost more than the cap, or the amount does
 * not fit. Returns whether the flow reaches the amount.
 */
function makeFlow(isFlowWanted: bool): bool {
  priced = TOGETHER;
  forgetPotentials();
  beginFlow(maxParts);
  const end = effortSpent() + FLOW_SEARCHES * max<f64>(searchSteps(), LEAST_FLOW_STEPS);
  const most = highestCost(maxFee);
  let cost: f64 = 0.0;
  let left = amount;
  while (left > 0 && hasEffort() && !pollCancel() && effortSpent() < end) {
    if (!findCheapest(Infinity)) {
      isRefuted = true;
      return false;
    }
    // Potentials count from the source, so the potential of the destination is the price of the whole way, negated.
    const price = -rowOf(destination).potential;
    if (cost + (left as f64) * price > most) isRefuted = true;
    if (isRefuted && !isFlowWanted) return false;
    const placed = augment(source, destination, left);
    cost += (placed as f64) * price;
    left -= placed;
  }
  return left <= 0;
}

/** A bound must exceed this to prove that no answer keeps the fee cap, msat. */
function highestCost(fee: i64): f64 {
  return (fee as f64) * (1.0 + TOLERANCE) + ROUNDING;
}

/**
 * Whether two parts or more cost more than the cap. One part must be ruled out already. The bound is the amount at the
 * rates of the cheapest way, plus twice the least base fees of a way.
 */
function areSeveralTooDear(): bool {
  if (wasCut) return false;
  const most = highestCost(maxFee);
  const less = feeFound === NO_FEE ? 0.0 : highestCost(feeFound - max<i64>(feeFound / 100, 1));
  const cost = leastOfSeveral(max<f64>(most, less));
  isLeastFee = feeFound !== NO_FEE && cost > less;
  return cost > most;
}

/** Whether it is proven that two parts or more cost more than the fee cap, whatever the other caps. */
export function areTooDear(): bool {
  prepareBounds();
  const most = highestCost(maxFee);
  return leastOfSeveral(most) > most;
}

/**
 * Whether it is proven that two parts or more do not cost less than the fee of a known answer by a hundredth. The cheapest
 * single path must be known.
 */
export function isLeastOfSeveral(fee: i64): bool {
  if (wasCut) return false;
  prepareBounds();
  const less = highestCost(fee - max<i64>(fee / 100, 1));
  return leastOfSeveral(less) > less;
}

function prepareBounds(): void {
  prepare();
  sent = clampedAdd(amount, maxFee);
  isQuickOnly = false;
}

/**
 * The least that two parts or more cost, or Infinity where that is above `most`. They pay the rates and twice the base
 * fees less what rounding saves, and at least twice the base fees.
 */
function leastOfSeveral(most: f64): f64 {
  beginFlow(maxParts);
  forgetPotentials();
  priced = RATES;
  if (!findCheapest(most / (amount as f64))) return Infinity;
  const rates = (amount as f64) * -rowOf(destination).potential;
  forgetPotentials();
  priced = BASES;
  if (!findCheapest((most - rates) * 0.5)) return Infinity;
  const cost = rates + 2.0 * -rowOf(destination).potential;
  if (rates > MOST_SAVED) return cost;
  forgetPotentials();
  priced = WHOLE_BASES;
  if (!findCheapest(most * 0.5)) return Infinity;
  return max<f64>(cost, 2.0 * -rowOf(destination).potential);
}

function forgetPotentials(): void {
  for (let node: u32 = 0; node < tableNodes; node++) rowOf(node).potential = 0.0;
}

/**
 * The least cost of crossing the direction: of one msat delivered, or with BASES and WHOLE_BASES of one part, which
 * pays base fees only.
 */
function priceOf(record: DirectionRecord): f64 {
  const rate = (record.feeProportionalMillionths as f64) * 1e-6;
  if (priced === RATES) return rate;
  if (priced === BASES) return max<f64>((record.feeBaseMsat as f64) - 1.0, 0.0);
  if (priced === WHOLE_BASES) return record.feeBaseMsat as f64;
  if (record.feeBaseMsat === 0) return rate;
  const most = min<i64>(amount, min<i64>(record.htlcMaximumMsat, record.maxMsat));
  return rate + ((record.feeBaseMsat - 1) as f64) / (max<i64>(most, 1) as f64);
}

/**
 * The most that one part can put across the direction, msat; 0 where its HTLC minimum is above anything that a part can
 * carry.
 */
function onePart(record: DirectionRecord, head: u32): i64 {
  // The last direction carries what is delivered. The others also carry fees.
  const held = head === destination ? amount : sent;
  const most = min<i64>(min<i64>(record.htlcMaximumMsat, record.maxMsat), held);
  return most < record.htlcMinimumMsat ? 0 : most;
}

/** Whether the direction lies on a way within the limits on delay and hops, whatever fees and capacity say. */
function isQuick(record: DirectionRecord, head: u32): bool {
  const row = rowOf(head);
  if (row.stamp !== delayStamp) return false;
  return canKeep(record.tail, row.delay + (record.cltvExpiryDelta as u32), 1, maxDelay, maxHops);
}

/**
 * Counts least delays by Dijkstra's algorithm, from the destination back. Keeps the last result where it still holds.
 */
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
 * such a share. So when no path can carry it, there is no answer with so few parts. Looks for the path of fewest hops,
 * or with `byDelay` for the path of fewest blocks within the limit on delay. Its hops and delay are left in the state
 * of the source.
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
  const delay = stateOf(head).delay + (record.cltvExpiryDelta as u32);
  const hops = stateOf(head).hops + 1;
  if (byDelay && delay > maxDelay) return;
  const key: f64 = byDelay ? (delay as f64) : (hops as f64);
  const state = stateOf(record.tail);
  if (state.stamp === stamp && state.cost <= key) return;
  if (!isEnabled(record) || onePart(record, head) < leastPart) return;
  state.stamp = stamp;
  state.cost = key;
  state.delay = delay;
  state.hops = hops;
  heapPush(key, record.tail);
}

/**
 * Finds the cheapest way with capacity left, by Dijkstra's algorithm over prices less differences of potentials, which
 * are never negative. `arc` of each node's state says the next step (flow.ts). False when no way is left that costs at
 * most `limit` by those prices.
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
    spend(DIRECTION_STEPS * (end - inStart[node]) + NODE_STEPS);
    for (let arc = inStart[node]; arc < end; arc++) relaxForward(arc, node, cost);
  }
  let link = state.extraIn;
  while (link !== null) {
    relaxForward(link.arc, node, cost);
    link = link.next;
  }
  // Bounds are worked out before anything flows.
  if (priced === TOGETHER) relaxBack(node, cost);
}

function relaxBack(node: u32, cost: f64): void {
  if (node < nodeCount) {
    const end = outStart.after(node);
    spend(end - outStart[node]);
    for (let k = outStart[node]; k < end; k++) relaxBackward(outArcs[k], outHeads[k], cost);
  }
  let back = stateOf(node).extraOut;
  while (back !== null) {
    relaxBackward(back.arc, headOfArc(back.arc), cost);
    back = back.next;
  }
}

function relaxForward(arc: u32, head: u32, cost: f64): void {
  const record = recordOf(arc);
  if (rowOf(record.tail).settledBy === stamp) return;
  if (onePart(record, head) === 0 || residual(arc, false) <= 0) return;
  if (isQuickOnly && !isQuick(record, head)) return;
  const price = priceOf(record);
  // Fees are also charged on the fees of later hops. This is counted for RATES only: there no flow exists, and all
  // potentials are 0.
  reach(record.tail, arc, cost + (priced === RATES ? price * (1.0 + cost) : price));
}

function relaxBackward(arc: u32, head: u32, cost: f64): void {
  if (residual(arc, true) > 0) reach(head, arc | BACKWARDS, cost - priceOf(recordOf(arc)));
}

function reach(node: u32, step: u32, cost: f64): void {
  const row = rowOf(node);
  if (row.settledBy === stamp) return;
  const state = stateOf(node);
  // Rounding of doubles can leave a tiny negative value, which counts as 0.
  const reduced = max<f64>(cost - row.potential, 0.0);
  if (state.stamp === stamp && state.cost <= reduced) return;
  state.cost = reduced;
  state.stamp = stamp;
  state.arc = step;
  heapPush(reduced, node);
}

/**
 * Updates the potentials after a search whose source lies at distance `whole`. Only settled nodes change: all others
 * would rise by the same amount, which is left out everywhere.
 */
function lowerPotentials(whole: f64): void {
  for (let i: u32 = 0; i < settledCount; i++) {
    const node = settled[i];
    const row = rowOf(node);
    row.potential = row.potential + stateOf(node).cost - whole;
  }
}
