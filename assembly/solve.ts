/**
 * From a question to parts: convex min-cost flow by path generation.
 *
 *   1. construct   the cheapest path for the whole amount; where none can carry it, several, largest first
 *   2. improve     price a new path for a share s of the amount while everybody else gives up s (column
 *                  generation: `search` is the pricing problem), balance all shares (balance.ts), keep the
 *                  path if the objective fell; then try to do with fewer parts
 *   3. constrain   the fee cap by Lagrange multiplier: two answers, one too dear and one within the cap,
 *                  define the weight of fees at which both cost the same; solve there; repeat (LARAC,
 *                  Jüttner et al. 2001). Delay and hop limits are kept by the path search itself.
 *
 * Compared with arc-flow solvers over linearised pieces: shares are continuous and exact, the last 5 % of a
 * channel are usable, HTLC limits, fees and the 20-hop limit hold per path while it is chosen, and each step
 * is one 0.5 ms search instead of a rebuild of the graph.
 */
import { balance, spread } from './balance';
import {
  A_FLAGS,
  A_HTLC_MAX,
  A_MAX,
  arcCount,
  FLAG_ENABLED,
  inStart,
  nodeCount,
  outArcs,
  outStart,
} from './graph';
import { arcList } from './explore';
import { maxFlow, NO_PATH_FITS, pathFlow, takePath } from './flow';
import { searchLabels } from './labels';
import {
  addFoundPath,
  addListedPath,
  applyLoads,
  hasRoom,
  keepBest,
  MAX_PARTS,
  mostThrough,
  objective,
  P_AMOUNT,
  P_DELAY,
  P_LEAST,
  P_MOST,
  partAt,
  partCount,
  partsClear,
  refreshLoads,
  releaseLoads,
  removePart,
  restoreBest,
  restoreParts,
  saveParts,
  setAmount,
  totalAmount,
  totalFee,
  twinOf,
  withinLimits,
} from './parts';
import { cancelled, delayRate, feeWeight, riskPrice, search, setPrices } from './search';
import { recordOf, S_DELAY, S_EXTRA_IN, S_EXTRA_OUT, S_HOPS, stateOf } from './scratch';

export const OK: u32 = 0;
/** Nothing connects source and destination within the limits, whatever the amount's share. */
export const NO_PATH: u32 = 1;
/** The known bounds cannot pass the amount; `deliverable` tells how much they can at most, or how much was placed. */
export const NO_CAPACITY: u32 = 2;
/** Only answers above the fee cap exist; `cheapestFee` tells the least found. */
export const TOO_DEAR: u32 = 3;
/** Only answers above the delay cap exist; `shortestDelay` tells the least. */
export const TOO_SLOW: u32 = 4;
/** More parts than allowed are needed; `partsNeeded` tells how many. */
export const TOO_MANY_PARTS: u32 = 5;
export const CANCELLED: u32 = 6;
/** Only paths of more hops than an onion holds exist; `fewestHops` tells the least. */
export const TOO_LONG: u32 = 7;

const NO_LIMIT: u32 = 0x7fffffff;
/** An answer counts as better when the objective falls by this much (relative). */
const WORTHWHILE: f64 = 5e-4;
/** Amounts up to this (1,000 sat) go in one part whenever one path can carry them. */
const SINGLE_PART_AMOUNT: i64 = 1000000;
const FAILURES_BEFORE_PROOF: u32 = 3;
const WEIGHT_ROUNDS: u32 = 8;

let source: u32 = 0;
let destination: u32 = 0;
let amount: i64 = 0;
let maxDelay: u32 = 0;
let maxParts: u32 = 0;
let maxHops: u32 = 0;

/** Why the last path search failed: 0 no path, else TOO_SLOW. */
let pathFailure: u32 = 0;
let shortestDelay: u32 = 0;
let fewestHops: u32 = 0;
let cheapestFee: i64 = 0;
let partsNeeded: u32 = 0;
let deliverable: i64 = 0;

/** The number that goes with the last failure's status. */
export function failureNumber(status: u32): i64 {
  if (status == NO_CAPACITY) return deliverable;
  if (status == TOO_DEAR) return cheapestFee;
  if (status == TOO_SLOW) return shortestDelay;
  if (status == TOO_MANY_PARTS) return partsNeeded;
  return status == TOO_LONG ? (fewestHops as i64) : 0;
}

/**
 * Solves for the applied stack of layers and the prices set. `delayLimit` counts channel delays only (the
 * final hop's CLTV is the caller's). Returns a status; with OK the parts are the answer.
 */
export function solve(
  from: u32,
  to: u32,
  total: i64,
  feeLimit: i64,
  delayLimit: u32,
  partLimit: u32,
  hopLimit: u32,
): u32 {
  source = from;
  destination = to;
  amount = total;
  maxDelay = delayLimit;
  maxParts = min<u32>(partLimit, MAX_PARTS);
  maxHops = hopLimit;
  const fee = feeWeight;
  const risk = riskPrice;
  const delay = delayRate;
  partsClear();
  let status = answer();
  if (status == OK && totalFee() > feeLimit) status = capFee(feeLimit, fee, risk, delay);
  releaseLoads();
  setPrices(fee, risk, delay);
  return cancelled ? CANCELLED : status;
}

/** Constructs and improves at the present prices, from what parts there are. */
function answer(): u32 {
  const status = partCount == 0 ? construct() : OK;
  if (status != OK) return status;
  if (maxParts > 1 && (amount > SINGLE_PART_AMOUNT || partCount > 1)) {
    improve();
    dropNeedless();
  }
  return OK;
}

/** Finds a path for `share` within delay and hop limits; the labels hold it afterwards. */
function findPath(share: i64): bool {
  pathFailure = NO_PATH;
  if (!search(source, destination, share, NO_LIMIT, NO_LIMIT)) return false;
  const state = stateOf(source);
  if (load<u32>(state + S_DELAY) <= maxDelay && load<u32>(state + S_HOPS) <= maxHops) return true;
  if (searchLabels(source, destination, share, maxHops, maxDelay)) return true;
  pathFailure = TOO_SLOW;
  return false;
}

function construct(): u32 {
  if (findPath(amount)) {
    addFoundPath(source, destination, amount);
    refreshLoads();
    return OK;
  }
  if (cancelled) return CANCELLED;
  const failure = pathFailure;
  const widest = min<i64>(widestArc(true), widestArc(false));
  deliverable = widest;
  if (widest == 0) return NO_PATH;
  if (maxParts == 1) return failure == TOO_SLOW ? overLimit(widest) : NO_CAPACITY;
  const bound = min<i64>(totalRoom(true), totalRoom(false));
  if (bound < amount) {
    deliverable = bound;
    return NO_CAPACITY;
  }
  return fill(min<i64>(amount, widest));
}

/** Adds parts until the amount is placed, each as large as a path can be found for, at most `largest`. */
function fill(largest: i64): u32 {
  let left = amount;
  let share = largest;
  // Below this share more parts than allowed would be needed.
  const least = max<i64>(amount / (4 * (maxParts as i64)), 1);
  let failures: u32 = 0;
  while (left > 0 && !cancelled) {
    share = min<i64>(share, left);
    applyLoads();
    if (hasRoom() && findPath(share)) {
      addOrMerge(share);
      left = amount - totalAmount();
      refreshLoads();
      balance();
      continue;
    }
    const before = left;
    if (partCount > 0) left = spread(left);
    if (left > 0 && left == before) {
      if (share <= least) break;
      share = max<i64>(share >> 1, least);
      // Where paths are hard to find, first make sure that there is anything to be found.
      if (++failures == FAILURES_BEFORE_PROOF && !enoughCapacity()) return NO_CAPACITY;
    }
  }
  if (left > 0 && !cancelled) left = fillFromFlow(left);
  if (left == 0) {
    refreshLoads();
    return limitParts() ? OK : TOO_MANY_PARTS;
  }
  return partCount == 0 && pathFailure == TOO_SLOW ? overLimit(least) : NO_CAPACITY;
}

/** Whether a maximum flow reaches the amount; if not, `deliverable` is the proven bound. */
function enoughCapacity(): bool {
  releaseLoads();
  deliverable = maxFlow(source, destination, amount);
  return deliverable >= amount;
}

/**
 * Greedy filling can lock itself in; a maximum flow cannot. Starts over from the flow's paths. Returns what
 * could not be placed, and sets `deliverable`: with a flow below the amount, a proven bound.
 */
function fillFromFlow(left: i64): i64 {
  const placed = amount - left;
  if (!enoughCapacity()) return amount - deliverable;
  partsClear();
  for (;;) {
    const hops = takePath(source, destination, maxHops);
    if (hops == 0) break;
    if (hops != NO_PATH_FITS) addFlowPath(hops, pathFlow());
  }
  refreshLoads();
  let rest = amount - totalAmount();
  if (rest > 0 && partCount > 0) rest = spread(rest);
  // What fees made the flow's paths fall short of may fit elsewhere.
  let share = rest;
  while (rest > 0 && share > 0 && hasRoom() && !cancelled) {
    applyLoads();
    share = min<i64>(share, rest);
    if (findPath(share)) {
      addOrMerge(share);
      refreshLoads();
      rest = amount - totalAmount();
    } else share >>= 1;
  }
  deliverable = max<i64>(placed, amount - rest);
  return rest;
}

/** Adds the listed path as often as its HTLC limits demand, for `total` msat at most, and what lanes have room for. */
function addFlowPath(hops: u32, total: i64): void {
  let left = total;
  while (left > 0 && hasRoom()) {
    const part = addListedPath(arcList(), hops);
    const most = min<i64>(left, mostThrough(part));
    if (load<u32>(part + P_DELAY) > maxDelay || most < max<i64>(load<i64>(part + P_LEAST), 1)) {
      removePart(partCount - 1);
      refreshLoads();
      return;
    }
    setAmount(part, most);
    refreshLoads();
    left -= most;
  }
}

/** Adds the found path with `share`, or raises the part that uses the same path already. */
function addOrMerge(share: i64): void {
  const part = addFoundPath(source, destination, share);
  const twin = twinOf(part);
  if (twin == MAX_PARTS) return;
  const other = partAt(twin);
  const together = load<i64>(other + P_AMOUNT) + share;
  if (together > load<i64>(other + P_MOST)) return;
  setAmount(other, together);
  removePart(partCount - 1);
}

/** The largest amount one direction out of the source (or into the destination) can take. */
function widestArc(leaving: bool): i64 {
  return overArcs(leaving, true);
}

/** What all directions out of the source (or into the destination) can take together. */
function totalRoom(leaving: bool): i64 {
  return overArcs(leaving, false);
}

function overArcs(leaving: bool, widest: bool): i64 {
  const node = leaving ? source : destination;
  let result: i64 = 0;
  if (node < nodeCount) {
    const at = (node as usize) << 2;
    const first = load<u32>((leaving ? outStart : inStart) + at);
    const end = load<u32>((leaving ? outStart : inStart) + at + 4);
    for (let k = first; k < end; k++) {
      result = accumulate(result, leaving ? load<u32>(outArcs + ((k as usize) << 2)) : k, widest);
    }
  }
  let link = load<u32>(stateOf(node) + (leaving ? S_EXTRA_OUT : S_EXTRA_IN)) as usize;
  while (link != 0) {
    const arc = load<u32>(link);
    // Re-enabled arcs of the graph are in the first loop already.
    if (arc >= arcCount) result = accumulate(result, arc, widest);
    link = load<u32>(link + 4);
  }
  return result;
}

function accumulate(result: i64, arc: u32, widest: bool): i64 {
  const record = recordOf(arc);
  if (((load<u16>(record + A_FLAGS) as u32) & FLAG_ENABLED) == 0) return result;
  const highest = load<i64>(record + A_MAX);
  if (load<i64>(record + A_HTLC_MAX) == 0) return result;
  if (widest) return max<i64>(result, min<i64>(highest, load<i64>(record + A_HTLC_MAX)));
  return min<i64>(result + highest, i64.MAX_VALUE >> 1);
}

/**
 * Column generation. A trial takes share s from everybody in proportion, prices a path for s under the loads
 * left, balances, and is undone unless the objective fell. Two failures in a row at falling s end it.
 */
function improve(): void {
  let failures: u32 = 0;
  let share = amount / (partCount as i64 + 1);
  for (let round: u32 = 0; round < 4 * maxParts && failures < 3 && !cancelled; round++) {
    const before = objective();
    saveParts();
    if (tryShare(share) && objective() < before * (1.0 - WORTHWHILE)) {
      failures = 0;
      share = amount / (partCount as i64 + 1);
      continue;
    }
    restoreParts();
    failures++;
    share = share / 3;
    if (share < 1) break;
  }
}

function tryShare(share: i64): bool {
  if (!hasRoom()) return false;
  const keep = 1.0 - (share as f64) / (amount as f64);
  let kept: i64 = 0;
  for (let i: u32 = 0; i < partCount; i++) {
    const part = partAt(i);
    const scaled = max<i64>(1, ((load<i64>(part + P_AMOUNT) as f64) * keep) as i64);
    setAmount(part, scaled);
    kept += scaled;
  }
  refreshLoads();
  applyLoads();
  const given = amount - kept;
  if (given <= 0 || !findPath(given)) return false;
  const part = addFoundPath(source, destination, given);
  const twin = twinOf(part);
  if (twin != MAX_PARTS && load<i64>(part + P_MOST) >= load<i64>(partAt(twin) + P_AMOUNT) + given) return false;
  if (!refreshLoads()) return false;
  balance();
  return limitParts() && partsValid();
}

/** Scaling may have left a part below its minimum: such an answer does not count. */
function partsValid(): bool {
  for (let i: u32 = 0; i < partCount; i++) if (!withinLimits(partAt(i))) return false;
  return totalAmount() == amount;
}

/** Removes smallest parts while there are more than allowed. False when the rest cannot take their share. */
function limitParts(): bool {
  partsNeeded = partCount;
  while (partCount > maxParts) if (!removeSmallest()) return false;
  return true;
}

function removeSmallest(): bool {
  let smallest: u32 = 0;
  for (let i: u32 = 1; i < partCount; i++) {
    if (load<i64>(partAt(i) + P_AMOUNT) < load<i64>(partAt(smallest) + P_AMOUNT)) smallest = i;
  }
  const share = load<i64>(partAt(smallest) + P_AMOUNT);
  removePart(smallest);
  refreshLoads();
  if (spread(share) != 0) return false;
  balance();
  return true;
}

/** Fewer parts are better when they cost (nearly) the same: base fees and attempts are saved. */
function dropNeedless(): void {
  while (partCount > 1) {
    const before = objective();
    saveParts();
    if (removeSmallest() && partsValid() && objective() <= before * (1.0 + WORTHWHILE)) continue;
    restoreParts();
    return;
  }
}

/** Finds the best answer whose fee keeps within the cap, by the weight of fees. */
function capFee(limit: i64, weight: f64, risk: f64, delay: f64): u32 {
  let dearFee = totalFee() as f64;
  let dearRest = restCost(risk, delay);
  setPrices(weight, risk * 1e-9, delay * 1e-3);
  releaseLoads();
  partsClear();
  const status = answer();
  if (status != OK) return status;
  cheapestFee = totalFee();
  if (cheapestFee > limit) return TOO_DEAR;
  let cheapFee = cheapestFee as f64;
  let cheapRest = restCost(risk, delay);
  keepBest();
  for (let round: u32 = 0; round < WEIGHT_ROUNDS && !cancelled; round++) {
    const heavier = dearFee > cheapFee ? (cheapRest - dearRest) / (dearFee - cheapFee) : 0.0;
    if (!(heavier > weight)) break;
    setPrices(heavier, risk, delay);
    releaseLoads();
    partsClear();
    if (answer() != OK) break;
    const fee = totalFee() as f64;
    const rest = restCost(risk, delay);
    const gain = heavier * cheapFee + cheapRest - (heavier * fee + rest);
    if (fee <= (limit as f64)) {
      if (rest < cheapRest) keepBest();
      if (gain <= 1e-6 * cheapRest) break;
      cheapFee = fee;
      cheapRest = rest;
    } else {
      if (gain <= 1e-6 * cheapRest) break;
      dearFee = fee;
      dearRest = rest;
    }
  }
  restoreBest();
  return OK;
}

/** A path for the share exists, but only over a limit: measures the least delay and the fewest hops. */
function overLimit(share: i64): u32 {
  const weight = feeWeight;
  const risk = riskPrice;
  const delay = delayRate;
  setPrices(0.0, 0.0, 1.0 / (share as f64));
  shortestDelay = search(source, destination, share, NO_LIMIT, NO_LIMIT) ? load<u32>(stateOf(source) + S_DELAY) : 0;
  setPrices(weight, risk, delay);
  if (shortestDelay > maxDelay) return TOO_SLOW;
  fewestHops = maxHops + 1;
  return TOO_LONG;
}

/** What the present parts cost apart from fees. */
function restCost(risk: f64, delay: f64): f64 {
  const weight = feeWeight;
  const usedRisk = riskPrice;
  const usedDelay = delayRate;
  setPrices(0.0, risk, delay);
  const cost = objective();
  setPrices(weight, usedRisk, usedDelay);
  return cost;
}
