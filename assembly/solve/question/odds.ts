/**
 * Learned odds: the risk that searches use if the request has the layer `auto.learned`.
 *
 * The host provides a table (src/layers/learned-odds.ts): for each class of directions a survival function S and its
 * risk R = −ln S, at POINTS shares of the capacity, and a burden per node level. A direction with bounds a ≤ b, as
 * shares, then carries the share y with
 *
 *   p(y) = (S(y) − S(b)) / (S(a) − S(b))          risk(y) = burden(tail) + (−ln p(y))
 *
 * If no layer has bounds, p = S, and R is read from the table, which is cheaper than the logarithm that uniform
 * balances require. The burden is that of the forwarding node, which may be offline or slow. Our own channels have
 * none; their bounds are equal.
 *
 * S is a mixture of priors, so −ln p need not be convex. Searches for one path do not need that. To share an amount
 * among parts, each lane uses the lower convex hull of its risk (`layHull`) for the price of one more msat. The
 * objective itself counts the risk, not the hull. The certificate (prove/certificate.ts) ignores learned risk, so it is
 * valid but weak: an answer with learned odds that is strained or cut short is reported as possibly not the best.
 *
 * All of this only ranks alternatives. The host computes the reported probabilities.
 */
import { takePages } from '../../graph/arena';
import { Column, newColumn } from '../../graph/column';
import { CLASS_SHIFT, DirectionRecord, FLAG_BELIEFS, FLAG_LOADED } from '../../graph/direction';
import { AMOUNT_LIMIT, ln } from '../../graph/numbers';
import { burdenOf } from '../../overlay/burdens';
import { capacityOf } from '../../overlay/created-channels';
import { Workspace } from '../../workspace';

/** Number of intervals of a table, whose points are the shares 0, 1/CELLS … 1. */
export const ODDS_CELLS: u32 = 512;
const POINTS: u32 = ODDS_CELLS + 1;
/** Number of classes of directions. */
export const ODDS_CLASSES: u32 = 4;
/** Number of burden levels. Level 0 is for unknown nodes. */
export const ODDS_LEVELS: u32 = 32;
/** Maximum risk, nats. */
const MOST_RISK: f64 = 30.0;
/** A lower probability than this has the risk MOST_RISK. */
const LEAST_CHANCE: f64 = 1e-12;

/** Where the host writes the table, as 32-bit floats: burdens, S of each class, R of each class. */
export function oddsInput(work: Workspace): Column<f32> {
  const prices = work.prices;
  if (changetype<usize>(prices.oddsTable) === 0)
    prices.oddsTable = newColumn<f32>(ODDS_LEVELS + 2 * ODDS_CLASSES * POINTS);
  return prices.oddsTable;
}

/** Sets whether questions use the odds of the table. Also call this after writing the table. */
export function setOdds(work: Workspace, isLearned: bool): void {
  const prices = work.prices;
  prices.areOddsLearned = isLearned;
  prices.oddsVersion++;
}

function classOf(flags: u32): u32 {
  return (flags >> CLASS_SHIFT) & (ODDS_CLASSES - 1);
}

/** Five bits above the flags of a record hold the burden level of the tail. */
const LEVEL_SHIFT: u32 = 16;

/** Input of learned odds besides bounds: the flags of a direction, and above them the burden level of its tail. */
export function flagsAndBurden(work: Workspace, record: DirectionRecord): u32 {
  return (record.flags as u32) | (burdenOf(work.scratch, record.tail) << LEVEL_SHIFT);
}

/** Burden of a node, nats. */
function natsOf(table: Column<f32>, flags: u32): f64 {
  return table[flags >> LEVEL_SHIFT] as f64;
}

/** A table's value at a share, interpolated. */
function at(table: Column<f32>, first: u32, share: f64): f64 {
  const place = max<f64>(0.0, min<f64>(share, 1.0)) * (ODDS_CELLS as f64);
  const cell = min<u32>(place as u32, ODDS_CELLS - 1);
  const low = table[first + cell] as f64;
  return low + ((table[first + cell + 1] as f64) - low) * (place - (cell as f64));
}

/** S of a class. */
function survival(table: Column<f32>, ofClass: u32, share: f64): f64 {
  return at(table, ODDS_LEVELS + ofClass * POINTS, share);
}

/** R of a class. */
function riskOf(table: Column<f32>, ofClass: u32, share: f64): f64 {
  return at(table, ODDS_LEVELS + (ODDS_CLASSES + ofClass) * POINTS, share);
}

/** −ln of the probability that `amount` msat pass within known bounds, without the burden. */
function boundedRisk(table: Column<f32>, flags: u32, low: i64, high: i64, capacity: i64, amount: i64): f64 {
  const unit = 1.0 / ((capacity as f64) + 1.0);
  const ofClass = classOf(flags);
  const above = survival(table, ofClass, (high as f64) * unit);
  const width = survival(table, ofClass, (low as f64) * unit) - above;
  const uniform = ((high - amount) as f64) / max<f64>((high - low) as f64, 1.0);
  const chance = width > 1e-6 ? (survival(table, ofClass, (amount as f64) * unit) - above) / width : uniform;
  return chance < LEAST_CHANCE ? MOST_RISK : min<f64>(MOST_RISK, max<f64>(0.0, -ln(min<f64>(chance, 1.0))));
}

/** The risk of a direction without a load, nats, for `amount` msat within its bounds `low` and `high`. */
function plainRisk(work: Workspace, flags: u32, directionIndex: u32, low: i64, high: i64, amount: i64): f64 {
  if (low === high) return 0.0;
  const table = work.prices.oddsTable;
  const burden = natsOf(table, flags);
  if (amount <= low) return burden;
  if ((flags & FLAG_BELIEFS) === 0)
    return burden + riskOf(table, classOf(flags), (amount as f64) / ((high as f64) + 1.0));
  const capacity = capacityOf(work, directionIndex >> 1);
  return burden + boundedRisk(table, flags, low, high, capacity, amount);
}

/**
 * The risk of a direction, nats, when `amount` msat cross it on top of its load. Not inlined, to keep searches without
 * learned odds fast.
 */
export function learnedRisk(work: Workspace, record: DirectionRecord, amount: i64): f64 {
  const flags = record.flags as u32;
  if ((flags & FLAG_LOADED) !== 0) return furtherRisk(work, record, amount);
  return plainRisk(
    work,
    flagsAndBurden(work, record),
    record.directionIndex,
    record.minMsat,
    record.maxMsat,
    amount,
  );
}

/**
 * Risk that `amount` more msat add to a direction with a load. Its bounds are lowered by the load, which `markLoaded`
 * stores in the field `inverseRange`. The load already accounts for the node's burden.
 */
function furtherRisk(work: Workspace, record: DirectionRecord, amount: i64): f64 {
  if (amount <= record.minMsat) return 0.0;
  const taken = record.inverseRange as i64;
  const capacity = capacityOf(work, record.directionIndex >> 1);
  return boundedRisk(
    work.prices.oddsTable,
    record.flags as u32,
    record.minMsat + taken,
    record.maxMsat + taken,
    capacity,
    amount + taken,
  );
}

/** Records in a direction that its bounds were lowered by a load, msat. `setBounds` and `unmarkLoaded` undo it. */
export function markLoaded(record: DirectionRecord, taken: i64): void {
  record.flags |= FLAG_LOADED as u16;
  record.inverseRange = taken as f64;
}

/** Undoes `markLoaded`, except for `inverseRange`, which `setBounds` computes. */
export function unmarkLoaded(record: DirectionRecord): void {
  record.flags &= ~(FLAG_LOADED as u16);
}

/** The risk of a lane with given bounds at a load, nats; 0 without a load. */
export function laneOdds(
  work: Workspace,
  flags: u32,
  directionIndex: u32,
  low: i64,
  high: i64,
  load: i64,
): f64 {
  return load <= 0 ? 0.0 : plainRisk(work, flags, directionIndex, low, min<i64>(high, AMOUNT_LIMIT), load);
}

/** Convex hull of a lane's risk: points from load 0 on, with non-decreasing slopes. */
@unmanaged
export class Hull {
  /** Points in use. */
  points: u32;
}

/**
 * Number of loads at which the risk is sampled, as shares of the range between the known bounds. Their denominators are
 * powers of two, so they are exact.
 */
const LOOKS: u32 = 12;
/** Maximum number of points of a hull: no load, the known minimum, and the samples. */
const HULL_POINTS: u32 = LOOKS + 2;
const HULL_BYTES: usize = (8 + HULL_POINTS * 16) as usize;

/** The hull of the lane at a place; `room` is the number of places. */
export function hullAtPlace(work: Workspace, place: u32, room: u32): Hull {
  const prices = work.prices;
  if (room > prices.hullRoom) {
    prices.hulls = takePages((room as u64) * (HULL_BYTES as u64));
    prices.hullRoom = room;
  }
  return changetype<Hull>(prices.hulls + (place as usize) * HULL_BYTES);
}

function pointsOf(hull: Hull): Column<f64> {
  return changetype<Column<f64>>(changetype<usize>(hull) + 8);
}

/** Sampled share: 1/512, 1/256 … 1/2, 3/4, 15/16, 1. */
function look(k: u32): f64 {
  if (k < 9) return 1.0 / ((512 >> k) as f64);
  return k === 9 ? 0.75 : k === 10 ? 0.9375 : 1.0;
}

/** Computes the hull of a direction's risk without its burden, which is a jump like a base fee. */
export function layHull(
  work: Workspace,
  hull: Hull,
  flags: u32,
  directionIndex: u32,
  low: i64,
  high: i64,
): void {
  hull.points = 0;
  addPoint(hull, 0.0, 0.0);
  if (high <= low) return;
  if (low > 0) addPoint(hull, low as f64, 0.0);
  const burden = natsOf(work.prices.oddsTable, flags);
  const range = (high - low) as f64;
  for (let k: u32 = 0; k < LOOKS; k++) {
    const load = low + max<i64>(1, (look(k) * range) as i64);
    addPoint(
      hull,
      load as f64,
      max<f64>(0.0, laneOdds(work, flags, directionIndex, low, high, load) - burden),
    );
  }
}

/** Adds a point at the right end, and drops the points above the line to the new point (Andrew 1979). */
function addPoint(hull: Hull, load: f64, risk: f64): void {
  const at = pointsOf(hull);
  let count = hull.points;
  if (count > 0 && load <= at[2 * count - 2]) return;
  while (count > 1) {
    const slope = (risk - at[2 * count - 1]) / (load - at[2 * count - 2]);
    const before = (at[2 * count - 1] - at[2 * count - 3]) / (at[2 * count - 2] - at[2 * count - 4]);
    if (slope > before) break;
    count--;
  }
  at[2 * count] = load;
  at[2 * count + 1] = risk;
  hull.points = count + 1;
}

/** First point of the hull segment that contains a load. */
function pieceAt(hull: Hull, load: f64): u32 {
  const at = pointsOf(hull);
  const last = hull.points - 2;
  let piece: u32 = 0;
  while (piece < last && at[2 * piece + 2] <= load) piece++;
  return piece;
}

/** The slope of the hull at a load, nats per msat. */
export function hullSlope(hull: Hull, load: f64): f64 {
  if (hull.points < 2) return 0.0;
  const at = pointsOf(hull);
  const p = 2 * pieceAt(hull, load);
  return (at[p + 3] - at[p + 1]) / (at[p + 2] - at[p]);
}
