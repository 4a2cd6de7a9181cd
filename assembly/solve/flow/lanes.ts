/**
 * The directions that the parts of an answer cross: *lanes*.
 *
 * A direction becomes a lane when the first part crosses it, with the terms and bounds that the layers give it. The
 * load of a lane is the sum of what all parts send across it. Two HTLCs over one direction compete for the same
 * liquidity, so risk and room belong to the lane, never to a part:
 *
 *   load    y = Σ over parts (amount at the hop) + extraHtlc · (users − 1)
 *   room    M − y
 *   risk    −ln P(y),  P as in objective.ts
 *
 * Searches treat loads like reservations: `applyLoads` lowers the bounds in each lane's record by its load. If balances
 * are assumed to be uniformly distributed, this is exact: P(b after a) · P(a) = P(a + b). So a search prices what is
 * added to the existing load.
 *
 * Invariants: an arc has at most one lane; lanes are only added until `lanesClear`, so a part can hold the address of
 * one; gossip's records are never written (`ownRecord` makes a copy); after `releaseLoads` every record is as the
 * layers define it. Finding a lane takes constant time (open addressing), other operations time proportional to the
 * number of lanes. Memory: 2,560 lanes, one for each hop of each part.
 */
import { allocateBlock, freeBlock, takePages } from '../../graph/arena';
import { Column, newColumn } from '../../graph/column';
import { copyRecord, DirectionRecord, FLAG_EXTRA_HTLC, setBounds } from '../../graph/direction';
import { floorSub } from '../../graph/numbers';
import { extraHtlcCost } from '../../overlay/effective';
import { recordOf } from '../../overlay/scratch';
import { Workspace } from '../../workspace';
import { spend } from '../question/effort';
import { flagsAndBurden, Hull, hullAtPlace, layHull, markLoaded, unmarkLoaded } from '../question/odds';
import { Crossing } from '../question/prices';
import { MAX_HOPS, MAX_PARTS } from '../question/sizes';

/** A direction that at least one part crosses. */
@unmanaged
export class Lane {
  arc: u32;
  /** The override that this lane created; null if the arc already had an override, or needs none yet. */
  ownRecord: DirectionRecord | null;
  /** m and M: known bounds of what the direction can pass, before loads are subtracted, msat. */
  minMsat: i64;
  maxMsat: i64;
  /** Amount that all parts together send across the lane, msat. */
  loadMsat: i64;
  /** Multiplier of the direction's cost: bias and noise. */
  factor: f64;
  /** F' at the current load (objective.ts), while amounts are balanced (balance.ts), msat per msat. */
  slope: f64;
  feeBaseMsat: u32;
  feeProportionalMillionths: u32;
  /** Price of a negative bias (V in prices.ts), msat for each msat delivered; 0 without a negative bias. */
  avoidance: f32;
  cltvExpiryDelta: u16;
  /**
   * While an amount moves between two parts (balance.ts): 1 if only the giver crosses the lane, 2 if only the taker
   * does, 3 if both do. Otherwise 0.
   */
  mark: i16;
  /** Number of parts that cross the lane. */
  users: u32;
  /** Msat that each part after the first subtracts from the bounds in addition to its amount. */
  extraHtlcMsat: u32;
  /** For learned odds: the flags of the lane's record combined with the burden level of its tail (`flagsAndBurden`). */
  flags: u32;
  directionIndex: u32;
}

/** Size of the hash table minus 1. At most three quarters of the table are used. */
const HASH_MASK: u32 = 0x1fff;
const MOST_HASHED: u32 = HASH_MASK - (HASH_MASK >> 2);

/** Maximum number of lanes: one for each hop of each part. */
function mostLanes(): u32 {
  return MAX_PARTS * MAX_HOPS;
}

/** The lanes of the current parts. */
@unmanaged
export class Lanes {
  table: usize;
  count: u32;
  hash: Column<Lane | null>;
  /** Whether searches see loads. */
  areApplied: bool;
}

/** Initialises the empty table. Called once per instance. */
export function lanesInit(lanes: Lanes): void {
  lanes.table = takePages((mostLanes() as u64) * (offsetof<Lane>() as u64));
  lanes.hash = newColumn<Lane | null>(HASH_MASK + 1);
}

/** Forgets all lanes; `releaseLoads` must have been called if loads were applied. */
export function lanesClear(lanes: Lanes): void {
  // Most questions use few lanes, so their places are cleared one by one instead of the whole table.
  for (let i: u32 = 0; i < lanes.count; i++) {
    const lane = laneAt(lanes, i);
    let at = placeOf(lane.arc);
    while (lanes.hash[at] !== lane) at = (at + 1) & HASH_MASK;
    lanes.hash[at] = null;
  }
  lanes.count = 0;
}

/** The lane at a place of the table. */
export function laneAt(lanes: Lanes, place: u32): Lane {
  return changetype<Lane>(lanes.table + (place as usize) * offsetof<Lane>());
}

/** Whether enough lanes are left for one more part, even if each of its hops needs a new lane. */
export function hasLanesLeft(lanes: Lanes): bool {
  return lanes.count + MAX_HOPS <= mostLanes() && lanes.count + MAX_HOPS < MOST_HASHED;
}

/** The first place in the hash table for the lane of an arc. */
function placeOf(arc: u32): u32 {
  return (arc * 2654435761) & HASH_MASK;
}

/** The lane of an arc, created from its current record on first use. */
export function laneOfArc(work: Workspace, arc: u32): Lane {
  const lanes = work.lanes;
  let at = placeOf(arc);
  let known = lanes.hash[at];
  while (known !== null && known.arc !== arc) {
    at = (at + 1) & HASH_MASK;
    known = lanes.hash[at];
  }
  if (known !== null) return known;
  assert(lanes.count < mostLanes(), 'more lanes than parts have hops');
  const lane = laneAt(lanes, lanes.count++);
  lanes.hash[at] = lane;
  fillLane(work, lane, arc);
  return lane;
}

/** The hull of the lane's learned risk. */
export function hullOf(work: Workspace, lane: Lane): Hull {
  const place = (changetype<usize>(lane) - work.lanes.table) / offsetof<Lane>();
  return hullAtPlace(work, place as u32, mostLanes());
}

/** Initialises a lane with its arc's terms and bounds and no load. */
function fillLane(work: Workspace, lane: Lane, arc: u32): void {
  const record = recordOf(work, arc);
  const isCostly = ((record.flags as u32) & FLAG_EXTRA_HTLC) !== 0;
  lane.arc = arc;
  lane.ownRecord = null;
  lane.minMsat = record.minMsat;
  lane.maxMsat = record.maxMsat;
  lane.loadMsat = 0;
  lane.factor = Crossing.factor(work, record);
  lane.avoidance = Crossing.avoidance(record) as f32;
  lane.feeBaseMsat = record.feeBaseMsat;
  lane.feeProportionalMillionths = record.feeProportionalMillionths;
  lane.cltvExpiryDelta = record.cltvExpiryDelta;
  lane.mark = 0;
  lane.users = 0;
  lane.flags = flagsAndBurden(work, record);
  lane.directionIndex = record.directionIndex;
  if (work.prices.areOddsLearned)
    layHull(work, hullOf(work, lane), lane.flags, lane.directionIndex, lane.minMsat, lane.maxMsat);
  lane.extraHtlcMsat = isCostly
    ? (min<i64>(extraHtlcCost(work, record.directionIndex), 0xffffffff) as u32)
    : 0;
}

/** Whether a lane can pass its load. */
export function laneFits(lane: Lane): bool {
  return lane.loadMsat <= lane.maxMsat;
}

/** How much more a lane can take, msat; negative where it is overloaded. */
export function laneRoom(lane: Lane): i64 {
  return lane.maxMsat - lane.loadMsat;
}

/** Msat that the next part would take from the lane in addition to its amount. */
export function extraForNext(lane: Lane): i64 {
  return lane.users > 0 ? (lane.extraHtlcMsat as i64) : 0;
}

/** Msat to subtract from the lane's bounds for the next part: the load, and the extra amount of that part. */
export function takenOf(lane: Lane): i64 {
  return lane.loadMsat + extraForNext(lane);
}

/** Makes loads visible to searches: lowers the bounds in every lane's record by what is taken. */
export function applyLoads(work: Workspace): void {
  const lanes = work.lanes;
  spend(work.effort, lanes.count);
  lanes.areApplied = lanes.count > 0;
  for (let i: u32 = 0; i < lanes.count; i++) {
    const lane = laneAt(lanes, i);
    const taken = takenOf(lane);
    const record = ownRecord(work, lane);
    setBounds(record, floorSub(lane.minMsat, taken), floorSub(lane.maxMsat, taken));
    if (work.prices.areOddsLearned && taken > 0) markLoaded(record, taken);
  }
}

/** A writable record of the lane's arc. */
function ownRecord(work: Workspace, lane: Lane): DirectionRecord {
  const scratch = work.scratch;
  const present = scratch.overrides[lane.arc];
  if (present !== null) return present;
  const record = allocateBlock<DirectionRecord>(work.arena);
  copyRecord(record, recordOf(work, lane.arc));
  scratch.overrides[lane.arc] = record;
  lane.ownRecord = record;
  return record;
}

/** Removes all loads from the records. */
export function releaseLoads(work: Workspace): void {
  const lanes = work.lanes;
  const scratch = work.scratch;
  lanes.areApplied = false;
  for (let i: u32 = 0; i < lanes.count; i++) {
    const lane = laneAt(lanes, i);
    const made = lane.ownRecord;
    if (made !== null) {
      scratch.overrides[lane.arc] = null;
      freeBlock<DirectionRecord>(work.arena, made);
      lane.ownRecord = null;
      continue;
    }
    // A lane created after the last `applyLoads` may still read the shared graph, which is never written.
    const record = scratch.overrides[lane.arc];
    if (record === null) continue;
    setBounds(record, lane.minMsat, lane.maxMsat);
    unmarkLoaded(record);
  }
}
