/**
 * One path for one amount: a label-setting search (Dijkstra) from the destination back to the source.
 *
 * Going backwards, the amount that must reach a node is known exactly when the node is settled, so every limit
 * is tested on the exact integer amount that would cross (BOLT 7 fees, CLN's conventions). The cost of a
 * direction carrying x msat, in msat (f64), is
 *
 *   factor · ( feeWeight · fee(x)  +  riskPrice · −ln P(x)  +  delayRate · x · cltvExpiryDelta )
 *
 * with P(x) = 1 up to the known minimum m, then 1 − (x−m)/(M+1−m): what it costs, what it would cost to lose
 * the attempt, what the money costs while it is locked. `factor` holds biases and, for randomised searches,
 * noise keyed by (seed, direction). Costs are non-negative, so the first time the source is settled its path
 * is the cheapest.
 *
 * Work: each usable direction is looked at once, O(E + V log V); 65,810 directions take well below 1 ms.
 */
import {
  A_BASE,
  A_CLTV,
  A_FACTOR,
  A_FLAGS,
  A_HTLC_MAX,
  A_HTLC_MIN,
  A_INV_RANGE,
  A_MAX,
  A_MIN,
  A_PPM,
  A_SLOT,
  A_TAIL,
  FLAG_DEAD_END,
  FLAG_ENABLED,
  inEnabledEnd,
  inStart,
  nodeCount,
  outArcs,
  outStart,
} from '../graph/graph';
import { DIRECTION_STEPS, endEffort, NODE_STEPS, spend } from './effort';
import { heapClear, heapPop, heapPush, heapSize } from './heap';
import { AMOUNT_LIMIT, feeMsat, keyedUniform, negLogComplement } from '../graph/numbers';
import { scidOf } from '../overlay/created';
import { extraLinks } from '../overlay/links';
import { recordOf, S_AMOUNT, S_ARC, S_COST, S_DELAY, S_EXTRA_IN, S_EXTRA_OUT, S_HOPS, S_STAMP, stateOf } from '../overlay/scratch';

/** Prices of the objective; see the head of this file. */
export let feeWeight: f64 = 1.0;
export let riskPrice: f64 = 0.0;
export let delayRate: f64 = 0.0;
/** Price of every part after the first, in msat; nothing where fees are all that counts. */
let furtherPart: f64 = 0.0;
/** Prices of limits that bind (limits.ts), in msat per block and per hop; no biases apply to them. */
export let blockPrice: f64 = 0.0;
export let hopPrice: f64 = 0.0;
/** Whether fees are ranked to the last msat (slower): when nothing but fees is to be minimised. */
export let exactFees: bool = false;
/** Half-width of the relative noise on a direction's cost; 0 is deterministic. */
export let noiseSpread: f64 = 0.0;
export let noiseSeed: u64 = 0;

/** A word in which the host names the task to stop (deadline); 0 without. */
let cancelFlag: usize = 0;
let task: u32 = 0;
export let cancelled: bool = false;

/** Whether what reached a direction was too little for its HTLC minimum, since `beginShare`. */
export let minimumMet: bool = false;
/** Whether fees alone made what reached a direction too much for it, since `beginShare`. */
export let maximumMet: bool = false;
let share: i64 = 0;

/** Looking at each channel of a source with more of them costs more than it saves. */
const FEW_CHANNELS: u32 = 64;

let stamp: u32 = 0;
/** The source's label: nothing dearer needs a look any more. */
let bound: f64 = Infinity;
/** The least that the first channel of any path costs. */
export let leastStart: f64 = 0.0;
/** `bound` less `leastStart`: a node other than the source whose label costs this much cannot lead to a cheaper path. */
let innerBound: f64 = Infinity;
let labelled: u64 = 0;
let searchCount: u64 = 0;

export function setPrices(fee: f64, risk: f64, delay: f64): void {
  feeWeight = fee;
  riskPrice = risk;
  delayRate = delay;
  exactFees = false;
}

export function setPartPrice(msat: f64): void {
  furtherPart = msat;
}

/** Parts cost nothing until `setPartPrice`; returns their price. */
export function freeParts(): f64 {
  const price = furtherPart;
  furtherPart = 0.0;
  return price;
}

/** What every part after the first costs at the present prices. */
export function partPrice(): f64 {
  return exactFees ? 0.0 : furtherPart;
}

export function setLimitPrices(perBlock: f64, perHop: f64): void {
  blockPrice = perBlock;
  hopPrice = perHop;
}

/** Prices under which nothing but fees counts, exactly. */
export function priceFeesOnly(): void {
  setPrices(1.0, 0.0, 0.0);
  exactFees = true;
}

export function setNoise(seed: u64, spread: f64): void {
  noiseSeed = seed;
  noiseSpread = spread;
}

/** Begins a task that the host can stop by writing its number at `address`. */
export function beginTask(address: usize, number: u32): void {
  cancelFlag = address;
  task = number;
  cancelled = false;
}

/** Whether the host asked to stop; remembered until the next query. */
export function pollCancel(): bool {
  if (!cancelled && cancelFlag != 0) cancelled = atomic.load<u32>(cancelFlag) == task;
  if (cancelled) endEffort();
  return cancelled;
}

/** Begins searches for a path that delivers `amount`. */
export function beginShare(amount: i64): void {
  share = amount;
  minimumMet = false;
  maximumMet = false;
}

/** A number no label carries yet. */
export function nextStamp(): u32 {
  return ++stamp;
}

/** Searches run and nodes settled since the instance was made. */
export function searchesRun(): f64 {
  return searchCount as f64;
}

export function nodesSettled(): f64 {
  return labelled as f64;
}

/** Counts labels settled elsewhere. */
export function countSettled(count: u32): void {
  labelled += count;
}

/** A direction's multiplier: its bias, and noise when the search is randomised. */
// @ts-ignore: decorator
@inline
export function factorOf(record: usize): f64 {
  const factor = load<f32>(record + A_FACTOR) as f64;
  return noiseSpread == 0.0 ? factor : factor * noise(load<u32>(record + A_SLOT));
}

function noise(slot: u32): f64 {
  return 1.0 + noiseSpread * keyedUniform(noiseSeed, scidOf(slot >> 1) * 2 + (slot & 1));
}

/**
 * Finds the cheapest path from `source` to `destination` delivering `amount`, of at most `maxHops` channels
 * and `maxDelay` blocks. On success the path can be followed from the source: S_ARC of each node's state.
 *
 * Paths over a limit are cut where they exceed it, which can hide a path that keeps within it behind a
 * cheaper one that does not; callers for whom that matters raise the price of delay or use `searchLabels`.
 */
export function search(source: u32, destination: u32, amount: i64, maxHops: u32, maxDelay: u32): bool {
  return searchBelow(source, destination, amount, maxHops, maxDelay, Infinity);
}

/** As `search`, for paths that cost less than `limit` only; finding that there is none takes less work. */
export function searchBelow(
  source: u32,
  destination: u32,
  amount: i64,
  maxHops: u32,
  maxDelay: u32,
  limit: f64,
): bool {
  searchCount++;
  nextStamp();
  assert(heapSize == 0, 'the heap is empty between searches');
  leastStart = leastLeaving(source, amount);
  if (leastStart == Infinity) return false;
  bound = limit;
  innerBound = limit - leastStart;
  const end = stateOf(destination);
  store<f64>(end + S_COST, 0.0);
  store<i64>(end + S_AMOUNT, amount);
  store<u32>(end + S_STAMP, stamp);
  store<u32>(end + S_DELAY, 0);
  store<u32>(end + S_HOPS, 0);
  heapPush(0.0, destination);
  while (heapSize > 0) {
    const node = heapPop();
    if (node == source) {
      heapClear();
      return true;
    }
    labelled++;
    if ((labelled & 255) == 0 && pollCancel()) {
      heapClear();
      return false;
    }
    const state = stateOf(node);
    const cost = load<f64>(state + S_COST);
    if (cost >= innerBound) {
      heapClear();
      return load<u32>(stateOf(source) + S_STAMP) == stamp;
    }
    const hops = load<u32>(state + S_HOPS) + 1;
    if (hops > maxHops) continue;
    const reach = load<i64>(state + S_AMOUNT);
    const delay = load<u32>(state + S_DELAY);
    if (node < nodeCount) {
      const first = load<u32>(inStart + ((node as usize) << 2));
      const last = load<u32>(inEnabledEnd + ((node as usize) << 2));
      spend(DIRECTION_STEPS * (last - first) + NODE_STEPS);
      for (let arc = first; arc < last; arc++) {
        relax(arc, source, reach, cost, delay, hops, maxDelay);
      }
    }
    let link = load<u32>(state + S_EXTRA_IN) as usize;
    while (link != 0) {
      relax(load<u32>(link), source, reach, cost, delay, hops, maxDelay);
      link = load<u32>(link + 4);
    }
  }
  return false;
}

/**
 * What any channel of the source that can carry the amount costs at least; amounts grow towards the source, so it
 * carries no less. Infinity when none can, 0 where the source has too many to look at.
 */
function leastLeaving(source: u32, amount: i64): f64 {
  if (source >= nodeCount || load<u32>(stateOf(source) + S_EXTRA_OUT) != 0) return 0.0;
  const first = load<u32>(outStart + ((source as usize) << 2));
  const end = load<u32>(outStart + ((source as usize) << 2) + 4);
  if (end - first > FEW_CHANNELS) return 0.0;
  spend(DIRECTION_STEPS * (end - first));
  let least: f64 = Infinity;
  for (let k = first; k < end; k++) {
    const record = recordOf(load<u32>(outArcs + ((k as usize) << 2)));
    if (((load<u16>(record + A_FLAGS) as u32) & FLAG_ENABLED) == 0) continue;
    if (amount > load<i64>(record + A_HTLC_MAX) || amount > load<i64>(record + A_MAX)) continue;
    least = min<f64>(least, stepCost(record, amount));
  }
  return least;
}

/**
 * Whether a direction may carry the amount on a way to the source: enabled, within its HTLC limits and known
 * maximum, and no blind alley (a tail with one neighbour only leads on where a layer gave it another channel).
 */
// @ts-ignore: decorator
@inline
export function admits(record: usize, reach: i64, source: u32): bool {
  const flags = load<u16>(record + A_FLAGS) as u32;
  if ((flags & FLAG_ENABLED) == 0) return false;
  const most = min<i64>(load<i64>(record + A_HTLC_MAX), load<i64>(record + A_MAX));
  if (reach > most) {
    if (share <= most) maximumMet = true;
    return false;
  }
  if ((flags & FLAG_DEAD_END) != 0) {
    const tail = load<u32>(record + A_TAIL);
    if (tail != source && (extraLinks == 0 || load<u32>(stateOf(tail) + S_EXTRA_IN) == 0)) return false;
  }
  if (reach >= load<i64>(record + A_HTLC_MIN)) return true;
  minimumMet = true;
  return false;
}

// @ts-ignore: decorator
@inline
function relax(arc: u32, source: u32, reach: i64, cost: f64, delay: u32, hops: u32, maxDelay: u32): void {
  const record = recordOf(arc);
  if (!admits(record, reach, source)) return;
  const tail = load<u32>(record + A_TAIL);
  const state = stateOf(tail);
  const known = load<u32>(state + S_STAMP) == stamp ? load<f64>(state + S_COST) : bound;
  if (known <= cost) return;
  const total = cost + stepCost(record, reach);
  if (known <= total || (tail != source && innerBound <= total)) return;
  const blocks = delay + (load<u16>(record + A_CLTV) as u32);
  if (blocks > maxDelay) return;
  const amount = reach + feeMsat(reach, load<u32>(record + A_BASE), load<u32>(record + A_PPM));
  if (amount >= AMOUNT_LIMIT) return;
  store<f64>(state + S_COST, total);
  store<i64>(state + S_AMOUNT, amount);
  store<u32>(state + S_STAMP, stamp);
  store<u32>(state + S_ARC, arc);
  store<u32>(state + S_DELAY, blocks);
  store<u32>(state + S_HOPS, hops);
  if (tail == source) {
    bound = total;
    innerBound = total - leastStart;
  }
  heapPush(total, tail);
}

/** What a direction costs when `amount` crosses it; the fee in f64 (ranking only) unless fees are all that counts. */
// @ts-ignore: decorator
@inline
export function stepCost(record: usize, amount: i64): f64 {
  const x = amount as f64;
  const blocks = load<u16>(record + A_CLTV) as f64;
  const limits = blockPrice * blocks + hopPrice;
  if (exactFees) return (feeMsat(amount, load<u32>(record + A_BASE), load<u32>(record + A_PPM)) as f64) + limits;
  const fee = (load<u32>(record + A_BASE) as f64) + x * (load<u32>(record + A_PPM) as f64) * 1e-6;
  const low = load<i64>(record + A_MIN);
  const risk =
    amount > low ? negLogComplement(((amount - low) as f64) * load<f64>(record + A_INV_RANGE)) : 0.0;
  return factorOf(record) * (feeWeight * fee + riskPrice * risk + delayRate * (x * blocks)) + limits;
}
