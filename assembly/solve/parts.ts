/**
 * The parts of an answer under construction, and the directions they cross.
 *
 * A part is a path and the amount x it delivers; the amounts at its hops follow exactly from x, backwards
 * (`feeMsat`). Directions in use are collected once in a table of *lanes*; a lane's load is the sum of what
 * all parts put across it. The objective of a set of parts is
 *
 *   Σ over hops  factor · (feeWeight · fee + delayRate · amount · cltvExpiryDelta)
 * + Σ over lanes factor · riskPrice · −ln P(load)
 * + partPrice · (number of parts − 1)
 *
 * which for one part is exactly what `search` minimises, and which in the loads is convex but for base fees.
 */
import { allocateBlock, allocatePages, freeBlock } from '../graph/arena';
import {
  A_BASE,
  A_CLTV,
  A_FLAGS,
  A_HTLC_MAX,
  A_HTLC_MIN,
  A_INV_RANGE,
  A_MAX,
  A_MIN,
  A_PPM,
  A_SLOT,
  ARC_BYTES,
  inverseRange,
} from '../graph/graph';
import { spend } from './effort';
import { AMOUNT_LIMIT, feeMsat, floorSub, negLogComplement } from '../graph/numbers';
import { headOfArc } from '../overlay/created';
import { extraHtlcCost, FLAG_EXTRA_HTLC } from '../overlay/effective';
import { overrides, recordOf, S_ARC, S_DELAY, stateOf } from '../overlay/scratch';
import { delayRate, factorOf, feeWeight, partPrice, riskPrice } from './search';

export const MAX_HOPS: u32 = 20;
export const MAX_PARTS: u32 = 128;

// Part.
export const P_BYTES: u32 = 384;
export const P_AMOUNT: usize = 0; // i64, delivered
export const P_HOPS: usize = 8;
export const P_DELAY: usize = 12;
/** Least and most the path's HTLC limits let it deliver. */
export const P_LEAST: usize = 16; // i64
export const P_MOST: usize = 24; // i64
export const P_FEE: usize = 32; // i64
/** The amount before it was merged with others of the same path. */
export const P_UNMERGED: usize = 40; // i64
export const P_ARCS: usize = 64; // u32[20], from the source on
const P_LANES: usize = 144; // u32[20]
export const P_OUT: usize = 224; // i64[20], what crosses each hop

// Lane.
const MAX_LANES: u32 = MAX_PARTS * MAX_HOPS;
const LANE_BYTES: u32 = 64;
const L_ARC: usize = 0;
const L_OVERRIDE: usize = 4; // override this lane made for itself, 0 if there was one
const L_LOW: usize = 8; // i64
const L_HIGH: usize = 16; // i64
const L_LOAD: usize = 24; // i64
const L_FACTOR: usize = 32; // f64
const L_BASE: usize = 40;
const L_PPM: usize = 44;
const L_CLTV: usize = 48;
/** Which of two parts between which an amount moves cross the lane: 1 the giver, 2 the taker, 3 both, else 0. */
export const L_MARK: usize = 52; // i32
const L_USERS: usize = 56; // parts that cross the lane
const L_EXTRA: usize = 60; // msat off the bounds for each of them after the first

const HASH_MASK: u32 = 0x1fff;

let parts: usize = 0;
let savedParts: usize = 0;
let savedCount: u32 = 0;
export let partCount: u32 = 0;
let bestParts: usize = 0;
let bestCount: u32 = 0;
let startParts: usize = 0;
let startCount: u32 = 0;
let lanes: usize = 0;
export let laneCount: u32 = 0;
let laneHash: usize = 0;

export function partsInit(): void {
  parts = allocatePages((MAX_PARTS as u64) * (P_BYTES as u64));
  savedParts = allocatePages((MAX_PARTS as u64) * (P_BYTES as u64));
  bestParts = allocatePages((MAX_PARTS as u64) * (P_BYTES as u64));
  startParts = allocatePages((MAX_PARTS as u64) * (P_BYTES as u64));
  lanes = allocatePages((MAX_LANES as u64) * (LANE_BYTES as u64));
  laneHash = allocatePages(((HASH_MASK as u64) + 1) * 4);
  if (parts == 0 || savedParts == 0 || bestParts == 0 || startParts == 0 || lanes == 0 || laneHash == 0) unreachable();
}

/** Number of parts of the answer. */
export function answerParts(): u32 {
  return partCount;
}

/** Forgets all parts and lanes; `releaseLoads` must have been called if loads were applied. */
export function partsClear(): void {
  partCount = 0;
  laneCount = 0;
  memory.fill(laneHash, 0, (HASH_MASK + 1) << 2);
}

// @ts-ignore: decorator
@inline
export function partAt(part: u32): usize {
  return parts + (part as usize) * (P_BYTES as usize);
}

// @ts-ignore: decorator
@inline
function laneAt(lane: u32): usize {
  return lanes + (lane as usize) * (LANE_BYTES as usize);
}

// @ts-ignore: decorator
@inline
export function laneOf(part: usize, hop: u32): usize {
  return laneAt(load<u32>(part + P_LANES + ((hop as usize) << 2)));
}

/** The lane of an arc, made from its present record on first use. */
function laneIndex(arc: u32): u32 {
  let at = (arc * 2654435761) & HASH_MASK;
  let entry = load<u32>(laneHash + ((at as usize) << 2));
  while (entry != 0 && load<u32>(laneAt(entry - 1) + L_ARC) != arc) {
    at = (at + 1) & HASH_MASK;
    entry = load<u32>(laneHash + ((at as usize) << 2));
  }
  if (entry != 0) return entry - 1;
  assert(laneCount < MAX_LANES, 'more lanes than parts have hops');
  const lane = laneAt(laneCount);
  const record = recordOf(arc);
  store<u32>(lane + L_ARC, arc);
  store<u32>(lane + L_OVERRIDE, 0);
  store<i64>(lane + L_LOW, load<i64>(record + A_MIN));
  store<i64>(lane + L_HIGH, load<i64>(record + A_MAX));
  store<i64>(lane + L_LOAD, 0);
  store<f64>(lane + L_FACTOR, factorOf(record));
  store<u32>(lane + L_BASE, load<u32>(record + A_BASE));
  store<u32>(lane + L_PPM, load<u32>(record + A_PPM));
  store<u32>(lane + L_CLTV, load<u16>(record + A_CLTV));
  store<i32>(lane + L_MARK, 0);
  const costly = ((load<u16>(record + A_FLAGS) as u32) & FLAG_EXTRA_HTLC) != 0;
  store<u32>(lane + L_USERS, 0);
  store<u32>(lane + L_EXTRA, costly ? (min<i64>(extraHtlcCost(load<u32>(record + A_SLOT)), 0xffffffff) as u32) : 0);
  laneCount++;
  store<u32>(laneHash + ((at as usize) << 2), laneCount);
  return laneCount - 1;
}

/** Room for another part, and lanes for all its hops whatever they are. */
export function hasRoom(): bool {
  return partCount < MAX_PARTS && laneCount + MAX_HOPS <= MAX_LANES && laneCount + MAX_HOPS < HASH_MASK - (HASH_MASK >> 2);
}

/**
 * Adds the path the last search left (from `source`) as a part delivering `amount`.
 * Loads are not refreshed. Check `hasRoom` before.
 */
export function addFoundPath(source: u32, destination: u32, amount: i64): usize {
  const part = partAt(partCount);
  let node = source;
  let hops: u32 = 0;
  while (node != destination) {
    const arc = load<u32>(stateOf(node) + S_ARC);
    setHop(part, hops++, arc);
    node = headOfArc(arc);
  }
  store<u32>(part + P_DELAY, load<u32>(stateOf(source) + S_DELAY));
  return finishPart(part, hops, amount);
}

/** Adds a part along `hops` arcs listed from the source on at `list`, delivering nothing yet; loads stay as they are. */
export function addListedPath(list: usize, hops: u32): usize {
  const part = partAt(partCount);
  let delay: u32 = 0;
  for (let hop: u32 = 0; hop < hops; hop++) {
    setHop(part, hop, load<u32>(list + ((hop as usize) << 2)));
    delay += load<u32>(laneOf(part, hop) + L_CLTV);
  }
  store<u32>(part + P_DELAY, delay);
  return finishPart(part, hops, 0);
}

export function setHop(part: usize, hop: u32, arc: u32): void {
  assert(hop < MAX_HOPS, 'a path has at most 20 hops');
  store<u32>(part + P_ARCS + ((hop as usize) << 2), arc);
  store<u32>(part + P_LANES + ((hop as usize) << 2), laneIndex(arc));
}

export function finishPart(part: usize, hops: u32, amount: i64): usize {
  store<u32>(part + P_HOPS, hops);
  partCount++;
  pathLimits(part);
  setAmount(part, amount);
  return part;
}

/** Gives a part another amount: recomputes, exactly, what crosses each hop, and the fee. */
export function setAmount(part: usize, amount: i64): void {
  store<i64>(part + P_AMOUNT, amount);
  let reach = amount;
  for (let hop = load<u32>(part + P_HOPS); hop-- > 0; ) {
    store<i64>(part + P_OUT + ((hop as usize) << 3), reach);
    const lane = laneOf(part, hop);
    reach += feeMsat(reach, load<u32>(lane + L_BASE), load<u32>(lane + L_PPM));
  }
  store<i64>(part + P_FEE, reach - amount);
}

/** Whether every hop's amount lies within its HTLC limits. */
export function withinLimits(part: usize): bool {
  for (let hop = load<u32>(part + P_HOPS); hop-- > 0; ) {
    const record = recordOf(load<u32>(part + P_ARCS + ((hop as usize) << 2)));
    const out = load<i64>(part + P_OUT + ((hop as usize) << 3));
    if (out < load<i64>(record + A_HTLC_MIN) || out > load<i64>(record + A_HTLC_MAX)) return false;
  }
  return true;
}

/** Largest y with y + fee(y) ≤ total; 0 when not even the base fee fits. */
export function beforeFee(total: i64, base: u32, ppm: u32): i64 {
  if (total < (base as i64)) return 0;
  let y = min<i64>(total, (((total - (base as i64)) as f64) * (1e6 / (1e6 + (ppm as f64)))) as i64);
  // The estimate is off by rounding only; each correction at least halves the distance.
  for (let guard = 0; guard < 64; guard++) {
    const excess = y + feeMsat(y, base, ppm) - total;
    if (excess <= 0) break;
    y -= max<i64>(1, ((excess as f64) * (1e6 / (1e6 + (ppm as f64)))) as i64);
  }
  for (let guard = 0; guard < 64; guard++) {
    if (y + 1 + feeMsat(y + 1, base, ppm) > total) break;
    const slack = total - y - feeMsat(y, base, ppm);
    const step = max<i64>(1, ((slack as f64) * (1e6 / (1e6 + (ppm as f64)))) as i64);
    y = y + step + feeMsat(y + step, base, ppm) <= total ? y + step : y + 1;
  }
  return max<i64>(y, 0);
}

/** Computes P_LEAST and P_MOST: the HTLC limits of all hops seen from the destination. */
function pathLimits(part: usize): void {
  const hops = load<u32>(part + P_HOPS);
  let most: i64 = AMOUNT_LIMIT;
  for (let hop: u32 = 0; hop < hops; hop++) {
    const lane = laneOf(part, hop);
    const record = recordOf(load<u32>(lane + L_ARC));
    if (hop > 0) most = beforeFee(most, load<u32>(lane + L_BASE), load<u32>(lane + L_PPM));
    most = min<i64>(most, load<i64>(record + A_HTLC_MAX));
  }
  // The least: raise x until every hop meets its minimum (amounts only grow upstream).
  let least: i64 = 1;
  for (let hop = hops; hop-- > 0; ) least = max<i64>(least, leastFor(part, hop));
  store<i64>(part + P_MOST, most);
  store<i64>(part + P_LEAST, least);
}

/** Least delivered amount that puts the hop's HTLC minimum across it. */
function leastFor(part: usize, hop: u32): i64 {
  let need = load<i64>(recordOf(load<u32>(part + P_ARCS + ((hop as usize) << 2))) + A_HTLC_MIN);
  const hops = load<u32>(part + P_HOPS);
  for (let later = hop + 1; later < hops && need > 0; later++) {
    const lane = laneOf(part, later);
    const y = beforeFee(need, load<u32>(lane + L_BASE), load<u32>(lane + L_PPM));
    need = y + feeMsat(y, load<u32>(lane + L_BASE), load<u32>(lane + L_PPM)) < need ? y + 1 : y;
  }
  return need;
}

/** Most a path can deliver through the room its lanes have left, within its HTLC limits; not for paths that cross a lane twice. */
export function mostThrough(part: usize): i64 {
  const hops = load<u32>(part + P_HOPS);
  let most: i64 = AMOUNT_LIMIT;
  for (let hop: u32 = 0; hop < hops; hop++) {
    const lane = laneOf(part, hop);
    if (hop > 0) most = beforeFee(most, load<u32>(lane + L_BASE), load<u32>(lane + L_PPM));
    const extra: i64 = load<u32>(lane + L_USERS) > 0 ? load<u32>(lane + L_EXTRA) : 0;
    most = min<i64>(most, laneRoom(lane) - extra);
  }
  return min<i64>(most, load<i64>(part + P_MOST));
}

/** Recomputes every lane's load. Returns whether all stay within what their lane can pass. */
export function refreshLoads(): bool {
  spend(laneCount);
  for (let lane: u32 = 0; lane < laneCount; lane++) {
    store<i64>(laneAt(lane) + L_LOAD, 0);
    store<u32>(laneAt(lane) + L_USERS, 0);
  }
  let fits = true;
  for (let i: u32 = 0; i < partCount; i++) {
    const part = partAt(i);
    spend(load<u32>(part + P_HOPS));
    for (let hop = load<u32>(part + P_HOPS); hop-- > 0; ) {
      const lane = laneOf(part, hop);
      const users = load<u32>(lane + L_USERS);
      const extra: i64 = users > 0 ? load<u32>(lane + L_EXTRA) : 0;
      const total = load<i64>(lane + L_LOAD) + load<i64>(part + P_OUT + ((hop as usize) << 3)) + extra;
      store<u32>(lane + L_USERS, users + 1);
      store<i64>(lane + L_LOAD, total);
      fits = fits && total <= load<i64>(lane + L_HIGH);
    }
  }
  return fits;
}

/** Adds or takes a part's amounts to or from its lanes' loads. */
export function shiftLoads(part: usize, sign: i64): void {
  for (let hop = load<u32>(part + P_HOPS); hop-- > 0; ) {
    const lane = laneOf(part, hop);
    store<i64>(lane + L_LOAD, load<i64>(lane + L_LOAD) + sign * load<i64>(part + P_OUT + ((hop as usize) << 3)));
  }
}

export function laneFits(lane: usize): bool {
  return load<i64>(lane + L_LOAD) <= load<i64>(lane + L_HIGH);
}

/** How much more a lane can take. */
export function laneRoom(lane: usize): i64 {
  return load<i64>(lane + L_HIGH) - load<i64>(lane + L_LOAD);
}

/** −ln of the probability that the lane passes its load. */
function laneRisk(lane: usize): f64 {
  const low = load<i64>(lane + L_LOW);
  const over = load<i64>(lane + L_LOAD) - low;
  if (over <= 0) return 0.0;
  return negLogComplement((over as f64) * inverseRange(low, load<i64>(lane + L_HIGH)));
}

/** What the tangents of all lanes' risks, laid at what crosses them, cost where nothing crosses; at most 0. */
export function tangentAtZero(): f64 {
  let total: f64 = 0.0;
  for (let i: u32 = 0; i < laneCount; i++) {
    const lane = laneAt(i);
    const taken = takenBy(lane);
    const low = load<i64>(lane + L_LOW);
    if (taken < low) continue;
    const high = load<i64>(lane + L_HIGH);
    const risk = negLogComplement(((taken - low) as f64) * inverseRange(low, high));
    const slope = 1.0 / max<f64>(((high - taken) as f64) + 1.0, 1.0);
    total += load<f64>(lane + L_FACTOR) * riskPrice * (risk - slope * (taken as f64));
  }
  return total;
}

/** Price of one more msat across the lane when `shift` msat are added to its load first. */
export function laneSlope(lane: usize, shift: f64): f64 {
  const factor = load<f64>(lane + L_FACTOR);
  const flat = feeWeight * (load<u32>(lane + L_PPM) as f64) * 1e-6 + delayRate * (load<u32>(lane + L_CLTV) as f64);
  const loaded = (load<i64>(lane + L_LOAD) as f64) + shift;
  if (loaded < (load<i64>(lane + L_LOW) as f64)) return factor * flat;
  const left = (load<i64>(lane + L_HIGH) as f64) + 1.0 - loaded;
  return factor * (flat + riskPrice / max<f64>(left, 1.0));
}

/** The objective of all parts at their present amounts; loads must be fresh. */
export function objective(): f64 {
  let total: f64 = partCount > 1 ? partPrice() * ((partCount - 1) as f64) : 0.0;
  for (let i: u32 = 0; i < partCount; i++) {
    const part = partAt(i);
    for (let hop = load<u32>(part + P_HOPS); hop-- > 0; ) {
      const lane = laneOf(part, hop);
      const out = load<i64>(part + P_OUT + ((hop as usize) << 3));
      const fee = feeMsat(out, load<u32>(lane + L_BASE), load<u32>(lane + L_PPM)) as f64;
      const delay = (out as f64) * (load<u32>(lane + L_CLTV) as f64);
      total += load<f64>(lane + L_FACTOR) * (feeWeight * fee + delayRate * delay);
    }
  }
  for (let lane: u32 = 0; lane < laneCount; lane++) {
    total += load<f64>(laneAt(lane) + L_FACTOR) * riskPrice * laneRisk(laneAt(lane));
  }
  return total;
}

/** Sum over lanes of −ln P(load), without prices and biases. */
export function totalRisk(): f64 {
  let risk: f64 = 0.0;
  for (let lane: u32 = 0; lane < laneCount; lane++) risk += laneRisk(laneAt(lane));
  return risk;
}

export function totalFee(): i64 {
  let fee: i64 = 0;
  for (let i: u32 = 0; i < partCount; i++) fee += load<i64>(partAt(i) + P_FEE);
  return fee;
}

export function totalAmount(): i64 {
  let amount: i64 = 0;
  for (let i: u32 = 0; i < partCount; i++) amount += load<i64>(partAt(i) + P_AMOUNT);
  return amount;
}

export function worstDelay(): u32 {
  let delay: u32 = 0;
  for (let i: u32 = 0; i < partCount; i++) delay = max<u32>(delay, load<u32>(partAt(i) + P_DELAY));
  return delay;
}

export function removePart(index: u32): void {
  partCount--;
  if (index != partCount) memory.copy(partAt(index), partAt(partCount), P_BYTES);
}

/** Index of another part on the same path as `part`, or MAX_PARTS. */
export function twinOf(part: usize): u32 {
  for (let i: u32 = 0; i < partCount; i++) if (partAt(i) != part && samePath(partAt(i), part)) return i;
  return MAX_PARTS;
}

/** Index of a part after `index` on the same path, or MAX_PARTS. */
export function twinAfter(index: u32): u32 {
  spend(partCount - index);
  for (let i = index + 1; i < partCount; i++) if (samePath(partAt(i), partAt(index))) return i;
  return MAX_PARTS;
}

function samePath(a: usize, b: usize): bool {
  const hops = load<u32>(a + P_HOPS);
  if (load<u32>(b + P_HOPS) != hops) return false;
  for (let hop: u32 = 0; hop < hops; hop++) {
    const at = P_ARCS + ((hop as usize) << 2);
    if (load<u32>(a + at) != load<u32>(b + at)) return false;
  }
  return true;
}

/** Remembers the present parts; `restoreParts` brings them back. Lanes only ever grow, so they stay valid. */
export function saveParts(): void {
  savedCount = partCount;
  memory.copy(savedParts, parts, partCount * P_BYTES);
}

export function restoreParts(): void {
  partCount = savedCount;
  memory.copy(parts, savedParts, savedCount * P_BYTES);
  refreshLoads();
}

/** As `saveParts`, for whoever calls others that save. */
export function keepStart(): void {
  startCount = partCount;
  memory.copy(startParts, parts, partCount * P_BYTES);
}

export function restoreStart(): void {
  partCount = startCount;
  memory.copy(parts, startParts, startCount * P_BYTES);
  refreshLoads();
}

/** Remembers the present parts as the best answer so far; survives `partsClear`. */
export function keepBest(): void {
  bestCount = partCount;
  memory.copy(bestParts, parts, partCount * P_BYTES);
}

/** Makes the best answer the present one, in fresh lanes. */
export function restoreBest(): void {
  releaseLoads();
  partsClear();
  for (let i: u32 = 0; i < bestCount; i++) {
    const part = partAt(i);
    memory.copy(part, bestParts + (i as usize) * (P_BYTES as usize), P_BYTES);
    for (let hop = load<u32>(part + P_HOPS); hop-- > 0; ) setHop(part, hop, load<u32>(part + P_ARCS + ((hop as usize) << 2)));
    partCount++;
  }
  refreshLoads();
}

/** What crosses a lane, and what the next part across it takes besides its amount. */
function takenBy(lane: usize): i64 {
  return load<i64>(lane + L_LOAD) + (load<u32>(lane + L_USERS) > 0 ? (load<u32>(lane + L_EXTRA) as i64) : 0);
}

/**
 * Lets searches see the loads: every lane's record gets its bounds lowered by its load, as a reservation
 * would. P(b after a) · P(a) = P(a + b), so a search then prices what comes on top.
 */
export function applyLoads(): void {
  spend(laneCount);
  for (let i: u32 = 0; i < laneCount; i++) {
    const lane = laneAt(i);
    const taken = takenBy(lane);
    const low = floorSub(load<i64>(lane + L_LOW), taken);
    const high = floorSub(load<i64>(lane + L_HIGH), taken);
    const record = ownRecord(lane);
    store<i64>(record + A_MIN, low);
    store<i64>(record + A_MAX, high);
    store<f64>(record + A_INV_RANGE, inverseRange(low, high));
  }
}

function ownRecord(lane: usize): usize {
  const arc = load<u32>(lane + L_ARC);
  const at = overrides + ((arc as usize) << 2);
  const present = load<u32>(at) as usize;
  if (present != 0) return present;
  const record = allocateBlock();
  memory.copy(record, recordOf(arc), ARC_BYTES);
  store<u32>(at, record as u32);
  store<u32>(lane + L_OVERRIDE, record as u32);
  return record;
}

/** Takes all loads back out of the records. */
export function releaseLoads(): void {
  for (let i: u32 = 0; i < laneCount; i++) {
    const lane = laneAt(i);
    const arc = load<u32>(lane + L_ARC);
    const made = load<u32>(lane + L_OVERRIDE);
    if (made != 0) {
      store<u32>(overrides + ((arc as usize) << 2), 0);
      freeBlock(made);
      store<u32>(lane + L_OVERRIDE, 0);
      continue;
    }
    const record = load<u32>(overrides + ((arc as usize) << 2)) as usize;
    // A lane that no `applyLoads` has seen still reads the shared graph, which is never written.
    if (record == 0) continue;
    store<i64>(record + A_MIN, load<i64>(lane + L_LOW));
    store<i64>(record + A_MAX, load<i64>(lane + L_HIGH));
    store<f64>(record + A_INV_RANGE, inverseRange(load<i64>(lane + L_LOW), load<i64>(lane + L_HIGH)));
  }
}
