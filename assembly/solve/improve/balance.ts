/**
 * Distributes a fixed total among given paths so that the objective is minimal.
 *
 * At the optimum all parts that can still change have the same price of one more msat delivered, and no path is cheaper
 * at the margin (the conditions of Karush, Kuhn and Tucker; in traffic assignment, Wardrop's equilibrium of 1952). The
 * marginal price of a part is
 *
 *   λ = Σ over its hops  g_i · F'(y_i) + V_i      g_i = x_i / x, what crosses the hop for each msat delivered
 *
 * with F' from objective.ts. So take the parts with the highest and the lowest λ. Move from the part with the highest λ
 * to the other until both are equal or a limit is reached. Repeat. F is convex in the shares, so every such move lowers
 * it, except for rounding of fees. A lane that both parts cross keeps its load and cancels out.
 *
 * Invariants: a move keeps the sum of what both parts deliver (asserted in debug builds); a lane that could pass its
 * load still can; a part that reaches zero is removed. Work: a round takes one step per hop of all parts, and for each
 * move tried up to 24 steps per hop of two parts. There are at most ROUNDS_PER_PART rounds for each of up to MANY_PARTS
 * parts.
 *
 * A part that crosses a full lane can only take from parts that cross the same lane. Such pairs are tried when no other
 * move is left.
 *
 * Failure modes: marginal prices ignore base fees and HTLC minimums, so a part that should be removed stays at its
 * minimum. The caller tries to remove parts one by one (improve.ts).
 */

import { Workspace } from '../../workspace';
import { laneAt, laneFits, laneRoom } from '../flow/lanes';
import {
  Hop,
  Part,
  partAt,
  refreshLoads,
  removePart,
  setAmount,
  shiftLoads,
  totalAmount,
} from '../flow/parts';
import { Effort, hasEffort, spend } from '../question/effort';
import { Bias, laneSlope } from './objective';

/** Marks of a lane (lanes.ts): which of the two parts cross the lane. */
const GIVER: i16 = 1;
const TAKER: i16 = 2;

/** Marginal prices within this relative difference count as equal. */
const TOLERANCE: f64 = 1e-3;
const ROOT_STEPS: u32 = 24;
/**
 * Moves below 1 / LEAST_SHARE of the total, or below LEAST_MOVE msat (a tenth of a satoshi), are not made unless they
 * leave the giver with nothing.
 */
const LEAST_SHARE: i64 = 50000;
const LEAST_MOVE: i64 = 100;

const ROUNDS_PER_PART: u32 = 24;
/**
 * Parts beyond this number add no rounds: where there are many parts, most are alike, and each round scans all of them.
 */
const MANY_PARTS: u32 = 8;
/** Maximum number of parts with which shared full lanes are examined: every pair of parts is tried. */
const FEW_PARTS: u32 = 16;

/** Msat that cross the hop per msat delivered by the part. */
function gain(part: Part, hop: Hop): f64 {
  return (hop.amountMsat as f64) / (part.amountMsat as f64);
}

/** Marginal price of the part per msat delivered. The slopes of its lanes must be fresh. */
function slopeOf(work: Workspace, part: Part): f64 {
  spend(work.effort, part.hopCount);
  let slope: f64 = 0.0;
  for (let i = part.hopCount; i-- > 0; ) {
    const hop = part.hop(i);
    slope += (hop.amountMsat as f64) * hop.lane.slope;
  }
  return slope / (part.amountMsat as f64) + Bias.slope(work, part);
}

/** Computes the slopes of all lanes at their current loads. `shift` updates those of a part. */
function refreshSlopes(work: Workspace): void {
  const lanes = work.lanes;
  for (let i: u32 = 0; i < lanes.count; i++) {
    const lane = laneAt(lanes, i);
    lane.slope = laneSlope(work, lane, 0.0);
  }
}

/** How much more the part could deliver, msat. */
function roomOf(effort: Effort, part: Part): i64 {
  spend(effort, part.hopCount);
  let room = part.mostMsat - part.amountMsat;
  for (let i = part.hopCount; i-- > 0 && room > 0; ) {
    const hop = part.hop(i);
    room = min<i64>(room, ((laneRoom(hop.lane) as f64) / gain(part, hop)) as i64);
  }
  return room;
}

/** Adds `value` to the marks of the lanes that the part crosses; 0 clears them. */
function mark(part: Part, value: i16): void {
  for (let i = part.hopCount; i-- > 0; ) {
    const lane = part.hop(i).lane;
    lane.mark = value === 0 ? 0 : lane.mark + value;
  }
}

/** Marginal price of `to` minus that of `from`, after `moved` msat have moved. */
function slopeDifference(work: Workspace, from: Part, to: Part, moved: f64): f64 {
  spend(work.effort, from.hopCount + to.hopCount);
  let difference: f64 = 0.0;
  for (let i = to.hopCount; i-- > 0; ) {
    const hop = to.hop(i);
    const g = gain(to, hop);
    difference += g * (hop.lane.mark === TAKER ? laneSlope(work, hop.lane, moved * g) : hop.lane.slope);
  }
  for (let i = from.hopCount; i-- > 0; ) {
    const hop = from.hop(i);
    const g = gain(from, hop);
    difference -= g * (hop.lane.mark === GIVER ? laneSlope(work, hop.lane, -moved * g) : hop.lane.slope);
  }
  return Bias.counts(work) ? difference + Bias.slope(work, to) - Bias.slope(work, from) : difference;
}

/**
 * Maximum amount that can move from one part to the other, msat: limited by the giver's amount, the taker's HTLC
 * maximums and the room of lanes that only the taker crosses.
 */
function mostMovable(from: Part, to: Part): i64 {
  let most = min<i64>(from.amountMsat, to.mostMsat - to.amountMsat);
  for (let i = to.hopCount; i-- > 0 && most > 0; ) {
    const hop = to.hop(i);
    if (hop.lane.mark === TAKER) most = min<i64>(most, ((laneRoom(hop.lane) as f64) / gain(to, hop)) as i64);
  }
  return most;
}

/**
 * The amount at which the two parts' marginal prices are equal, at most `most`: false position with the Illinois
 * correction. The method keeps the root bracketed, which is needed because prices jump at a known minimum.
 */
function meetingPoint(work: Workspace, from: Part, to: Part, most: i64): i64 {
  let high = most as f64;
  let above = slopeDifference(work, from, to, high);
  if (above <= 0.0) return most;
  let low: f64 = 0.0;
  let below = slopeDifference(work, from, to, 0.0);
  if (below >= 0.0) return 0;
  const close = max<f64>((most as f64) * 1e-4, 1.0);
  let side = 0;
  for (let i: u32 = 0; i < ROOT_STEPS && high - low > close; i++) {
    // Every third step bisects, regardless of the slopes.
    const middle = i % 3 === 2 ? (low + high) * 0.5 : (low * above - high * below) / (above - below);
    const difference = slopeDifference(work, from, to, middle);
    if (difference <= 0.0) {
      low = middle;
      below = difference;
      if (side === -1) above *= 0.5;
      side = -1;
    } else {
      high = middle;
      above = difference;
      if (side === 1) below *= 0.5;
      side = 1;
    }
    if (abs(difference) <= TOLERANCE * abs(slopeOf(work, from) - Bias.slope(work, from)) * 0.1)
      return middle as i64;
  }
  return low as i64;
}

/**
 * Moves the amount that makes the marginal prices of two parts equal. Returns whether a worthwhile amount was moved.
 * The giver may end at zero.
 */
function transfer(work: Workspace, from: Part, to: Part, leastMove: i64): bool {
  mark(from, GIVER);
  mark(to, TAKER);
  const most = mostMovable(from, to);
  let moved: i64 = most > 0 ? meetingPoint(work, from, to, most) : 0;
  mark(from, 0);
  mark(to, 0);
  const held = from.amountMsat;
  const least = from.leastMsat;
  // A part cannot be below its minimum: it gives everything or keeps the minimum.
  if (held - moved < least) moved = held <= most ? held : held - least;
  if (moved < leastMove && moved !== held) return false;
  return moveExactly(work, from, to, held, moved);
}

/**
 * Moves `wanted` msat from one part to the other, or slightly less if rounding of fees would overfill a lane. Returns
 * whether anything was moved.
 */
function moveExactly(work: Workspace, from: Part, to: Part, held: i64, wanted: i64): bool {
  const had = to.amountMsat;
  let moved = wanted;
  for (let guard = 0; guard < 4 && moved > 0; guard++) {
    shift(work, from, held - moved);
    shift(work, to, had + moved);
    if (!ASC_NO_ASSERT)
      assert(from.amountMsat + to.amountMsat === held + had, 'a move keeps the sum of both amounts');
    if (fits(to) && fits(from)) return true;
    shift(work, to, had);
    shift(work, from, held);
    moved = held - moved === 0 ? 0 : moved - max<i64>(moved >> 6, 1000);
  }
  return false;
}

/** Changes the amount of a part, and the loads and slopes of its lanes. */
function shift(work: Workspace, part: Part, amount: i64): void {
  shiftLoads(part, -1);
  setAmount(part, amount);
  shiftLoads(part, 1);
  for (let i = part.hopCount; i-- > 0; ) {
    const lane = part.hop(i).lane;
    lane.slope = laneSlope(work, lane, 0.0);
  }
}

function fits(part: Part): bool {
  for (let i = part.hopCount; i-- > 0; ) if (!laneFits(part.hop(i).lane)) return false;
  return true;
}

/**
 * Balances all parts; loads must be fresh and feasible, and stay so. The total delivered does not change. Parts that
 * reach zero are removed.
 */
export function balance(work: Workspace): void {
  const parts = work.parts;
  const effort = work.effort;
  const leastMove = max<i64>(LEAST_MOVE, totalAmount(parts) / LEAST_SHARE);
  const rounds = ROUNDS_PER_PART * min<u32>(parts.count, MANY_PARTS);
  if (parts.count > 1) refreshSlopes(work);
  for (let round: u32 = 0; round < rounds && parts.count > 1 && hasEffort(effort); round++) {
    let dearest: Part | null = null;
    let cheapest: Part | null = null;
    let highest: f64 = -Infinity;
    let lowest: f64 = Infinity;
    let isLaneFull = false;
    for (let i: u32 = 0; i < parts.count; i++) {
      const part = partAt(parts, i);
      const slope = slopeOf(work, part);
      if (slope > highest) {
        highest = slope;
        dearest = part;
      }
      if (slope >= lowest) continue;
      if (roomOf(effort, part) >= leastMove) {
        lowest = slope;
        cheapest = part;
      } else if (part.mostMsat - part.amountMsat >= leastMove) isLaneFull = true;
    }
    let isMoved = false;
    if (dearest !== null && cheapest !== null && cheapest !== dearest)
      // A bias that all parts pay is a large constant that would make every difference look small.
      isMoved =
        highest - lowest > TOLERANCE * (highest - Bias.slope(work, dearest)) &&
        (transfer(work, dearest, cheapest, leastMove) || transferAny(work, cheapest, lowest, leastMove));
    if (!isMoved && (!isLaneFull || !transferShared(work, leastMove))) return;
    dropEmpty(work);
  }
}

/**
 * Moves an amount to `to` from any part whose marginal price is higher than `lowest`. Returns whether a part could give
 * one.
 */
function transferAny(work: Workspace, to: Part, lowest: f64, leastMove: i64): bool {
  const parts = work.parts;
  for (let i: u32 = 0; i < parts.count; i++) {
    const from = partAt(parts, i);
    if (
      from !== to &&
      slopeOf(work, from) > lowest * (1.0 + TOLERANCE) &&
      transfer(work, from, to, leastMove)
    )
      return true;
  }
  return false;
}

/**
 * When nothing else can move: moves an amount to a part that crosses a full lane, from another part that crosses the
 * same lane. Returns whether an amount was moved.
 */
function transferShared(work: Workspace, leastMove: i64): bool {
  const parts = work.parts;
  if (parts.count > FEW_PARTS) return false;
  for (let i: u32 = 0; i < parts.count; i++) {
    const to = partAt(parts, i);
    if (to.mostMsat - to.amountMsat < leastMove || roomOf(work.effort, to) >= leastMove) continue;
    const lowest = slopeOf(work, to);
    if (transferAny(work, to, lowest, leastMove)) return true;
  }
  return false;
}

function dropEmpty(work: Workspace): void {
  const parts = work.parts;
  const before = parts.count;
  for (let i = parts.count; i-- > 0; ) if (partAt(parts, i).amountMsat === 0) removePart(parts, i);
  if (parts.count === before) return;
  refreshLoads(work);
  refreshSlopes(work);
}

/**
 * Distributes a further `amount` msat over the parts, lowest marginal prices first; loads stay fresh. Returns the msat
 * for which there is no room.
 */
export function spread(work: Workspace, amount: i64): i64 {
  const parts = work.parts;
  const effort = work.effort;
  let left = amount;
  refreshSlopes(work);
  // Parts whose marginal price is at most this have no room left once fees are rounded.
  let exhausted: f64 = -Infinity;
  for (let guard: u32 = 0; guard < 5 * parts.count + 4 && left > 0; guard++) {
    let best: Part | null = null;
    let lowest: f64 = Infinity;
    for (let i: u32 = 0; i < parts.count; i++) {
      const part = partAt(parts, i);
      const slope = slopeOf(work, part);
      if (slope > exhausted && slope < lowest && roomOf(effort, part) > 0) {
        lowest = slope;
        best = part;
      }
    }
    if (best === null) return left;
    const given = giveUpTo(work, best, min<i64>(left, roomOf(effort, best)));
    if (given === 0) exhausted = lowest;
    left -= given;
  }
  return left;
}

/** Raises a part by as much of `amount` as exact fees allow. Returns the increase, msat. */
function giveUpTo(work: Workspace, part: Part, amount: i64): i64 {
  const had = part.amountMsat;
  let more = amount;
  for (let guard = 0; guard < 8 && more > 0; guard++) {
    shift(work, part, had + more);
    if (fits(part)) return more;
    more -= max<i64>(more >> 4, 1);
  }
  shift(work, part, had);
  return 0;
}
