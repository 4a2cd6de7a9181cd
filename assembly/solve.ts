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
import { arcList, fewestHopPath } from './explore';
import { maxFlow, NO_PATH_FITS, pathFlow, takePath } from './flow';
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
import { forgetBounds, searchLabels } from './labels';
import {
  addFoundPath,
  addListedPath,
  applyLoads,
  hasRoom,
  keepBest,
  MAX_HOPS,
  MAX_PARTS,
  mostThrough,
  objective,
  P_AMOUNT,
  P_DELAY,
  P_FEE,
  P_LEAST,
  P_MOST,
  P_UNMERGED,
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
  totalRisk,
  twinAfter,
  twinOf,
  withinLimits,
  worstDelay,
} from './parts';
import { recordOf, S_DELAY, S_EXTRA_IN, S_EXTRA_OUT, S_HOPS, stateOf } from './scratch';
import { cancelled, delayRate, feeWeight, priceFeesOnly, riskPrice, searchBelow, setPrices } from './search';

export const OK: u32 = 0;
/** Nothing connects source and destination, whatever the amount's share. */
export const NO_PATH: u32 = 1;
/** The known bounds cannot pass the amount. */
export const NO_CAPACITY: u32 = 2;
/** Only answers above the fee cap exist (above the delay or parts cap too, if those numbers are given). */
export const TOO_DEAR: u32 = 3;
/** Only answers above the delay cap exist. */
export const TOO_SLOW: u32 = 4;
/** More parts than allowed are needed. */
export const TOO_MANY_PARTS: u32 = 5;
export const CANCELLED: u32 = 6;
/** Only paths of more hops than allowed exist. */
export const TOO_LONG: u32 = 7;

const NO_LIMIT: u32 = 0x7fffffff;
/** An answer counts as better when the objective falls by this much (relative). */
const WORTHWHILE: f64 = 2e-3;
/** Amounts up to this (1,000 sat) go in one part whenever one path can carry them. */
const SINGLE_PART_AMOUNT: i64 = 1000000;
const FAILURES_BEFORE_PROOF: u32 = 3;
/** Trials in a row that may fail. */
const PATIENCE: u32 = 3;
const PATIENCE_STRAINED: u32 = 9;
/** −ln P above which an answer counts as strained: below 1 in 150. */
const STRAINED: f64 = 5.0;
/** Tightenings of a delay cap while its least value is sought. */
const DELAY_STEPS: u32 = 8;
/** HTLC minimums above this (10,000 sat) are too rare to look for ways to lift an amount over them. */
const SMALL_AMOUNT: i64 = 10000000;
const WEIGHT_ROUNDS: u32 = 12;
const BALANCE_STEPS: u32 = 10;
/** A fee this close to the cap uses it well enough. */
const CLOSE_TO_CAP: f64 = 0.995;

let source: u32 = 0;
let destination: u32 = 0;
let amount: i64 = 0;
let maxDelay: u32 = 0;
let maxParts: u32 = 0;
let maxHops: u32 = 0;

/** The request's caps; `maxDelay` and `maxParts` are lifted while a failure is diagnosed. */
let maxFee: i64 = 0;
/** Whether a delay, hop or parts limit stood in the way of anything since the query began. */
let limited: bool = false;
/** What steps of improvement may not exceed: only the caller of `answer` that has an answer within the cap sets it. */
let feeAllowed: i64 = i64.MAX_VALUE;

// Numbers that go with a failure; 0 where they say nothing.
let deliverable: i64 = 0;
/** Whether `deliverable` is proven: no more can pass, whatever the caps. */
let proven: bool = false;
let byFlow: bool = false;
let neededFee: i64 = 0;
let neededDelay: u32 = 0;
let neededParts: u32 = 0;

/** Whether a maximum flow proved it: then its cut can be listed. */
export function provenByFlow(): bool {
  return byFlow;
}

/** How much can be delivered: a proven bound, or (if nothing proves more impossible) what was placed. */
export function deliverableAmount(): i64 {
  return deliverable;
}

/** Caps that would do, all together: the least fee found, delay and parts; 0 where the present cap does. */
export function remedyFee(): i64 {
  return neededFee;
}

export function remedyDelay(): u32 {
  return neededDelay;
}

export function remedyParts(): u32 {
  return neededParts;
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
  maxFee = feeLimit;
  maxDelay = delayLimit;
  maxParts = min<u32>(partLimit, MAX_PARTS);
  maxHops = min<u32>(hopLimit, MAX_HOPS);
  // Lanes of the last query may belong to another graph; their loads were released when it ended.
  partsClear();
  forgetBounds();
  deliverable = 0;
  proven = false;
  byFlow = false;
  limited = false;
  neededFee = 0;
  neededDelay = 0;
  neededParts = 0;
  const fee = feeWeight;
  const risk = riskPrice;
  const delay = delayRate;
  let status = attempt(fee, risk, delay);
  if (status != OK && !cancelled) status = diagnose(status, fee, risk, delay);
  releaseLoads();
  setPrices(fee, risk, delay);
  return cancelled ? CANCELLED : status;
}

/** The best answer within all caps. */
function attempt(fee: f64, risk: f64, delay: f64): u32 {
  startOver();
  setPrices(fee, risk, delay);
  const status = answer();
  if (status == OK) return totalFee() > maxFee ? capFee(fee, risk, delay) : OK;
  // Fewest fees are often found along fewest parts, where the balanced search ran out of them.
  return !proven && !cancelled && cheapest() == OK && totalFee() <= maxFee ? OK : status;
}

function startOver(): void {
  releaseLoads();
  partsClear();
}

/** Constructs and improves at the present prices, from what parts there are. */
function answer(): u32 {
  const status = partCount == 0 ? construct() : OK;
  if (status != OK) return status;
  if (maxParts > 1 && (amount > SINGLE_PART_AMOUNT || partCount > 1)) {
    improve();
    reroutePinned();
    dropNeedless();
    mergeTwins();
  }
  return OK;
}

/** Finds a path for `share` within delay and hop limits; the labels hold it afterwards. */
function findPath(share: i64): bool {
  return findPathBelow(share, Infinity);
}

/** As `findPath`, for paths that cost less than `limit`. */
function findPathBelow(share: i64, limit: f64): bool {
  if (searchBelow(source, destination, share, NO_LIMIT, NO_LIMIT, limit)) {
    const state = stateOf(source);
    if (load<u32>(state + S_DELAY) <= maxDelay && load<u32>(state + S_HOPS) <= maxHops) return true;
    if (searchLabels(source, destination, share, maxHops, maxDelay, false)) return true;
    limited = true;
  }
  return false;
}

/** Whether the whole amount is too little for some HTLC minimum which a dearer way on would lift it over. */
function findLiftedPath(): bool {
  return amount <= SMALL_AMOUNT && !cancelled && searchLabels(source, destination, amount, maxHops, maxDelay, true);
}

function construct(): u32 {
  if (findPath(amount) || findLiftedPath()) {
    addFoundPath(source, destination, amount);
    refreshLoads();
    return OK;
  }
  const widest = min<i64>(widestArc(true), widestArc(false));
  deliverable = min<i64>(totalRoom(true), totalRoom(false));
  proven = widest == 0 || deliverable < amount;
  if (widest == 0) return NO_PATH;
  if (proven || maxParts == 1) return NO_CAPACITY;
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
  return NO_CAPACITY;
}

/** Whether a maximum flow reaches the amount; if not, `deliverable` is the proven bound. */
function enoughCapacity(): bool {
  releaseLoads();
  deliverable = maxFlow(source, destination, amount);
  proven = deliverable < amount;
  byFlow = proven;
  return !proven;
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
    else limited = true;
  }
  refreshLoads();
  trim(totalAmount() - amount);
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

/**
 * Adds the listed path as often as its HTLC limits demand, for `total` msat (at least the path's minimum), and
 * what lanes have room for.
 */
function addFlowPath(hops: u32, total: i64): void {
  let left = total;
  while (left > 0 && hasRoom()) {
    const part = addListedPath(arcList(), hops);
    const least = max<i64>(load<i64>(part + P_LEAST), 1);
    const most = min<i64>(max<i64>(left, least), mostThrough(part));
    limited = limited || load<u32>(part + P_DELAY) > maxDelay;
    if (load<u32>(part + P_DELAY) > maxDelay || most < least) {
      removePart(partCount - 1);
      refreshLoads();
      return;
    }
    setAmount(part, most);
    refreshLoads();
    left -= most;
  }
}

/** Takes what is too much from the largest parts, down to their minimum. */
function trim(excess: i64): void {
  let left = excess;
  for (let guard: u32 = 0; guard < partCount && left > 0; guard++) {
    let largest: usize = partAt(0);
    for (let i: u32 = 1; i < partCount; i++) {
      if (load<i64>(partAt(i) + P_AMOUNT) > load<i64>(largest + P_AMOUNT)) largest = partAt(i);
    }
    const held = load<i64>(largest + P_AMOUNT);
    const taken = min<i64>(left, max<i64>(held - max<i64>(load<i64>(largest + P_LEAST), 1), 0));
    setAmount(largest, held - taken);
    left -= taken;
  }
  refreshLoads();
}

/**
 * Adds the found path with `share`, or raises the part that uses the same path already. The fee of the whole can
 * be an msat above the fees of both, which are rounded down each: where that is too much they stay two.
 */
function addOrMerge(share: i64): void {
  const part = addFoundPath(source, destination, share);
  const twin = twinOf(part);
  if (twin == MAX_PARTS) return;
  const other = partAt(twin);
  const had = load<i64>(other + P_AMOUNT);
  if (had + share > load<i64>(other + P_MOST)) return;
  setAmount(other, had + share);
  removePart(partCount - 1);
  if (refreshLoads()) return;
  setAmount(other, had);
  addFoundPath(source, destination, share);
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
 * left, balances, and is undone unless the objective fell. Failures make s smaller; a few of them end it,
 * more where the answer strains some direction so much that even a small relief would pay, and where nothing
 * but fees counts, since then a cap depends on the last one found.
 */
function improve(): void {
  let failures: u32 = 0;
  let share = amount / ((partCount as i64) + 1);
  const patience = riskPrice == 0.0 || totalRisk() > STRAINED ? PATIENCE_STRAINED : PATIENCE;
  for (let round: u32 = 0; round < 4 * maxParts && failures < patience && share > 0 && !cancelled; round++) {
    const before = objective();
    saveParts();
    if (tryShare(share, before) && totalFee() <= feeAllowed && objective() < before * (1.0 - WORTHWHILE)) {
      failures = 0;
      share = min<i64>(share, amount / ((partCount as i64) + 1));
      continue;
    }
    restoreParts();
    failures++;
    share = share / 3;
  }
}

function tryShare(share: i64, before: f64): bool {
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
  // A path that costs more than the others save cannot pay at this share.
  if (given <= 0 || !findPathBelow(given, before - objective())) return false;
  const part = addFoundPath(source, destination, given);
  const twin = twinOf(part);
  if (twin != MAX_PARTS && load<i64>(part + P_MOST) >= load<i64>(partAt(twin) + P_AMOUNT) + given)
    return false;
  if (!refreshLoads()) return false;
  balance();
  return dropStunted() && limitParts() && partsValid();
}

/** Scaling may have left parts below their paths' minimum: others take over what those carried. */
function dropStunted(): bool {
  for (let i = partCount; i-- > 0; ) {
    if (i < partCount && load<i64>(partAt(i) + P_AMOUNT) < load<i64>(partAt(i) + P_LEAST) && !removeAndShare(i)) return false;
  }
  return true;
}

/** Whether every part keeps its HTLC limits and together they deliver the amount. */
function partsValid(): bool {
  for (let i: u32 = 0; i < partCount; i++) if (!withinLimits(partAt(i))) return false;
  return totalAmount() == amount;
}

/** Removes smallest parts while there are more than allowed. False when the rest cannot take their share. */
function limitParts(): bool {
  if (partCount > maxParts) mergeTwins();
  while (partCount > maxParts) {
    limited = true;
    if (!removeAndShare(smallestPart())) return false;
  }
  return true;
}

/** Gives a part's amount to the others. False, with parts in disorder, when they have no room for it. */
function removeAndShare(index: u32): bool {
  const share = load<i64>(partAt(index) + P_AMOUNT);
  removePart(index);
  refreshLoads();
  if (spread(share) != 0) return false;
  balance();
  return true;
}

/** The part with the highest fee per msat delivered: base fees keep dear parts alive that nobody needs. */
function dearestPart(): u32 {
  let dearest: u32 = 0;
  let highest: f64 = -1.0;
  for (let i: u32 = 0; i < partCount; i++) {
    const rate = (load<i64>(partAt(i) + P_FEE) as f64) / (load<i64>(partAt(i) + P_AMOUNT) as f64);
    if (rate > highest) {
      highest = rate;
      dearest = i;
    }
  }
  return dearest;
}

function smallestPart(): u32 {
  let smallest: u32 = 0;
  for (let i: u32 = 1; i < partCount; i++) {
    if (load<i64>(partAt(i) + P_AMOUNT) < load<i64>(partAt(smallest) + P_AMOUNT)) smallest = i;
  }
  return smallest;
}

/**
 * A part that sits at its path's minimum cannot give a little: takes it out whole, fills the others up, and
 * looks for a new path for what they have no room for. Undone unless the objective falls.
 */
function reroutePinned(): void {
  for (let i: u32 = 0; i < partCount && partCount > 1 && !cancelled; i++) {
    const share = load<i64>(partAt(i) + P_AMOUNT);
    if (share > load<i64>(partAt(i) + P_LEAST)) continue;
    const before = objective();
    saveParts();
    removePart(i);
    refreshLoads();
    if (!placeRest(spread(share)) || !(objective() < before * (1.0 - WORTHWHILE)) || totalFee() > feeAllowed) restoreParts();
  }
}

/** Sends what is left along a path of its own, and balances. */
function placeRest(left: i64): bool {
  if (left > 0) {
    applyLoads();
    if (!hasRoom() || !findPath(left)) return false;
    addOrMerge(left);
    if (!refreshLoads()) return false;
  }
  balance();
  return dropStunted() && limitParts() && partsValid();
}

/** Fewer parts are better when they cost (nearly) the same: base fees and attempts are saved. */
function dropNeedless(): void {
  while (partCount > 1 && !cancelled) {
    if (!dropIfNeedless(smallestPart()) && !dropIfNeedless(dearestPart())) return;
  }
}

function dropIfNeedless(index: u32): bool {
  const before = objective();
  const fee = totalFee();
  saveParts();
  if (
    removeAndShare(index) &&
    partsValid() &&
    objective() <= before * (1.0 + WORTHWHILE) &&
    totalFee() <= max<i64>(fee, feeAllowed)
  )
    return true;
  restoreParts();
  return false;
}

/**
 * Parts on the same path become as few as its HTLC limits allow, filled one after the other; they stay as they
 * are where one fee instead of several, each rounded down, is an msat too much for a lane.
 */
function mergeTwins(): void {
  for (let i: u32 = 0; i < partCount; i++) {
    if (twinAfter(i) == MAX_PARTS || load<i64>(partAt(i) + P_AMOUNT) == 0) continue;
    mergeFrom(i);
    if (refreshLoads()) continue;
    for (let twin = i; twin != MAX_PARTS; twin = twinAfter(twin)) {
      setAmount(partAt(twin), load<i64>(partAt(twin) + P_UNMERGED));
    }
  }
  for (let i = partCount; i-- > 0; ) if (load<i64>(partAt(i) + P_AMOUNT) == 0) removePart(i);
  refreshLoads();
}

/** Fills the parts on the path of the first of them; those that are not needed are left with nothing. */
function mergeFrom(first: u32): void {
  let left: i64 = 0;
  for (let twin = first; twin != MAX_PARTS; twin = twinAfter(twin)) {
    const held = load<i64>(partAt(twin) + P_AMOUNT);
    store<i64>(partAt(twin) + P_UNMERGED, held);
    left += held;
  }
  const most = load<i64>(partAt(first) + P_MOST);
  const least = load<i64>(partAt(first) + P_LEAST);
  let needed = (left + most - 1) / most;
  for (let member = first; member != MAX_PARTS; member = twinAfter(member)) {
    needed--;
    // Whoever comes later must be left at least the path's minimum.
    const share = needed < 0 ? 0 : min<i64>(most, left - needed * least);
    setAmount(partAt(member), share);
    left -= share;
  }
}

/**
 * Finds the best answer whose fee keeps within the cap, by the weight of fees; one above it stands now.
 * `lighter` and `heavier` bracket the weight, the dear and the cheap answer belong to them.
 */
function capFee(weight: f64, risk: f64, delay: f64): u32 {
  let dearFee = totalFee() as f64;
  let dearRest = restCost(risk, delay);
  const status = cheapest();
  if (status != OK) return status;
  if (totalFee() > maxFee) return TOO_DEAR;
  let cheapFee = totalFee() as f64;
  let cheapRest = restCost(risk, delay);
  let lighter = weight;
  let heavier: f64 = 0.0;
  keepBest();
  for (let round: u32 = 0; round < WEIGHT_ROUNDS && !cancelled; round++) {
    // Where both answers cost the same; every other time the middle of the bracket, for smooth trade-offs.
    const even = (cheapRest - dearRest) / (dearFee - cheapFee);
    const next = heavier > 0.0 && (round & 1) != 0 ? sqrt(lighter * heavier) : even;
    if (!(next > lighter * 1.01) || (heavier > 0.0 && next > heavier * 0.999)) break;
    setPrices(next, risk, delay);
    if (!reweigh()) break;
    const fee = totalFee() as f64;
    const rest = restCost(risk, delay);
    if (fee <= (maxFee as f64)) {
      if (rest < cheapRest) keepBest();
      cheapFee = fee;
      cheapRest = rest;
      heavier = next;
      if (fee >= CLOSE_TO_CAP * (maxFee as f64)) break;
    } else {
      dearFee = fee;
      dearRest = rest;
      lighter = next;
    }
    if (dearFee <= cheapFee) break;
  }
  restoreBest();
  // Base fees leave gaps that no weight reaches: improve at the true prices, but never across the cap.
  balanceWithin(weight, heavier > 0.0 ? heavier : weight * 1e6, risk, delay);
  setPrices(weight, risk, delay);
  feeAllowed = maxFee;
  if (!cancelled) answer();
  feeAllowed = i64.MAX_VALUE;
  return OK;
}

/** Shares the amount among the present paths as the lightest weight of fees has it that keeps the cap. */
function balanceWithin(lighter: f64, heavier: f64, risk: f64, delay: f64): void {
  let light = lighter;
  let heavy = heavier;
  for (let step: u32 = 0; step < BALANCE_STEPS && partCount > 1; step++) {
    const weight = step == 0 ? lighter : sqrt(light * heavy);
    setPrices(weight, risk, delay);
    saveParts();
    balance();
    if (totalFee() <= maxFee && partsValid()) {
      if (step == 0) return;
      heavy = weight;
    } else {
      restoreParts();
      light = weight;
    }
  }
}

/** Solves again after prices changed: several parts are a good start, one is found faster anew. */
function reweigh(): bool {
  if (partCount < 2) {
    startOver();
    return answer() == OK;
  }
  balance();
  return answer() == OK;
}

/** The answer of least fee within the other caps. */
function cheapest(): u32 {
  startOver();
  priceFeesOnly();
  return answer();
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

/**
 * There is no answer: finds out which cap to lift, trying the cheapest remedies first, each with all other
 * caps in force, and at last all together. What cannot be remedied is a matter of capacity.
 */
function diagnose(failed: u32, fee: f64, risk: f64, delay: f64): u32 {
  if (proven || (failed == NO_CAPACITY && !limited && maxParts > 1)) return failed;
  if (!enoughCapacity()) return NO_CAPACITY;
  const feeCap = maxFee;
  const delayCap = maxDelay;
  const partCap = maxParts;
  maxFee = i64.MAX_VALUE;
  if (cheapest() == OK) {
    neededFee = totalFee();
    return TOO_DEAR;
  }
  maxFee = feeCap;
  if (leastDelay(fee, risk, delay)) return TOO_SLOW;
  maxDelay = delayCap;
  if (partCap < MAX_PARTS) {
    maxParts = MAX_PARTS;
    if (attempt(fee, risk, delay) == OK) {
      neededParts = partCount;
      return TOO_MANY_PARTS;
    }
  }
  maxFee = i64.MAX_VALUE;
  maxDelay = NO_LIMIT;
  maxParts = partCap;
  if (cheapest() == OK) return remedyOfPresent(feeCap, delayCap, partCap);
  maxParts = MAX_PARTS;
  if (cheapest() == OK) return remedyOfPresent(feeCap, delayCap, partCap);
  deliverable = totalAmount();
  return fewestHopPath(source, destination) > maxHops ? TOO_LONG : NO_CAPACITY;
}

/** The present parts answer, but for several caps: names them all. */
function remedyOfPresent(feeCap: i64, delayCap: u32, partCap: u32): u32 {
  if (totalFee() > feeCap) neededFee = totalFee();
  if (worstDelay() > delayCap) neededDelay = worstDelay();
  if (partCount > partCap) neededParts = partCount;
  if (neededParts > 0) return TOO_MANY_PARTS;
  return neededFee > 0 ? TOO_DEAR : TOO_SLOW;
}

/** Whether lifting the delay cap alone helps; tightens it again while it does. */
function leastDelay(fee: f64, risk: f64, delay: f64): bool {
  maxDelay = NO_LIMIT;
  for (let step: u32 = 0; step < DELAY_STEPS && !cancelled; step++) {
    if (attempt(fee, risk, delay) != OK) break;
    neededDelay = worstDelay();
    if (neededDelay == 0) break;
    maxDelay = neededDelay - 1;
  }
  return neededDelay > 0;
}
