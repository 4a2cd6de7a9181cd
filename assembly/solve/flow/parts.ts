/**
 * The parts of an answer under construction.
 *
 * A part is a path and the amount x that it delivers. The amount at each hop follows exactly from x, backwards, by the
 * fee formula of BOLT 7 (graph/numbers.ts):
 *
 *   x_last = x,   x_(i−1) = x_i + feeMsat(x_i) of hop i
 *
 * The bounds of x follow in the same way: `leastMsat` and `mostMsat` are the HTLC limits of all hops, converted to the
 * delivered amount. Room and risk belong to the directions, which parts share (lanes.ts). objective.ts computes the
 * cost of a set of parts.
 *
 * There are four sets of parts: the current one, the one to restore when a change did not help (`saveParts`), the one
 * at the start of an improvement (`keepStart`), and the best of the question (`keepBest`). Each is one table, copied
 * whole. A single part can be kept as well, so that others can follow its path (`keepPart`).
 *
 * Invariants: at most 128 parts of at most 20 hops (sizes.ts); a path crosses no direction twice; after
 * `refreshLoads` a lane's load is the sum of what the current parts send across it. Debug builds check the first two.
 * Work: changing an amount takes one step per hop, `refreshLoads` one per hop of each part.
 */
import { takePages } from '../../graph/arena';
import { Column } from '../../graph/column';
import { AMOUNT_LIMIT, beforeFee, feeMsat } from '../../graph/numbers';
import { headOfArc } from '../../overlay/created-channels';
import { recordOf, stateOf } from '../../overlay/scratch';
import { Workspace } from '../../workspace';
import { spend } from '../question/effort';
import { MAX_HOPS, MAX_PARTS } from '../question/sizes';
import {
  extraForNext,
  hasLanesLeft,
  Lane,
  laneAt,
  laneOfArc,
  laneRoom,
  lanesClear,
  lanesInit,
  releaseLoads,
} from './lanes';

/** A path and the amount it delivers. MAX_HOPS `Hop`s follow in memory, listed from the source on. */
@unmanaged
export class Part {
  /** Delivered amount, msat. */
  amountMsat: i64;
  hopCount: u32;
  /** Total delay of all hops, blocks. */
  delay: u32;
  /** Minimum delivered amount within the path's HTLC limits, msat. */
  leastMsat: i64;
  /** Maximum delivered amount within the path's HTLC limits, msat. */
  mostMsat: i64;
  /** All fees, including the first hop's own, msat. The first hop carries the amount plus all fees except its own. */
  feeMsat: i64;
  /** The amount before the part was merged with others on the same path (shares.ts), msat. */
  unmergedMsat: i64;

  /** A hop, counted from the source. */
  @inline
  hop(index: u32): Hop {
    return changetype<Hop>(changetype<usize>(this) + offsetof<Part>() + (index as usize) * offsetof<Hop>());
  }
}

/** A direction on a part's path. */
@unmanaged
export class Hop {
  arc: u32;
  lane: Lane;
  /** Amount that crosses the direction, msat. */
  amountMsat: i64;
}

/** Bytes from one part to the next: whole cache lines. */
const PART_BYTES: usize = 384;
const TABLE_BYTES: u64 = (MAX_PARTS as u64) * (PART_BYTES as u64);

/** The four sets of parts. */
@unmanaged
export class PartSets {
  table: usize;
  count: u32;
  savedParts: usize;
  savedCount: u32;
  startParts: usize;
  startCount: u32;
  bestParts: usize;
  bestCount: u32;
  /** A copy of one part, whose path further parts may use (repeat.ts). */
  keptPart: Part;
}

/** Initialises empty tables. Called once per instance. */
export function partsInit(work: Workspace): void {
  const parts = work.parts;
  assert(
    offsetof<Part>() + (MAX_HOPS as usize) * offsetof<Hop>() <= PART_BYTES,
    'a part has room for its hops',
  );
  parts.table = takePages(TABLE_BYTES);
  parts.savedParts = takePages(TABLE_BYTES);
  parts.startParts = takePages(TABLE_BYTES);
  parts.bestParts = takePages(TABLE_BYTES);
  parts.keptPart = changetype<Part>(takePages(PART_BYTES as u64));
  lanesInit(work.lanes);
}

/** Forgets all parts and lanes; `releaseLoads` must have been called if loads were applied. */
export function partsClear(work: Workspace): void {
  work.parts.count = 0;
  lanesClear(work.lanes);
}

/** A part by its number. */
export function partAt(parts: PartSets, part: u32): Part {
  return changetype<Part>(parts.table + (part as usize) * PART_BYTES);
}

/** Whether there is room for one more part. */
export function hasRoom(work: Workspace): bool {
  return work.parts.count < MAX_PARTS && hasLanesLeft(work.lanes);
}

/**
 * Adds the path of the last search, from `source`, as a part delivering `amount` msat. Loads are not refreshed. Check
 * `hasRoom` first.
 */
export function addFoundPath(work: Workspace, source: u32, destination: u32, amount: i64): Part {
  const parts = work.parts;
  const scratch = work.scratch;
  const part = partAt(parts, parts.count);
  let hops: u32 = 0;
  for (let node = source; node !== destination; ) {
    const arc = stateOf(scratch, node).arc;
    setHop(work, part, hops++, arc);
    node = headOfArc(work, arc);
  }
  part.delay = stateOf(scratch, source).delay;
  return finishPart(work, part, hops, amount);
}

/**
 * Adds a part along the first `hops` arcs of `list`, which start at the source. It delivers nothing yet, and loads do
 * not change.
 */
export function addListedPath(work: Workspace, list: Column<u32>, hops: u32): Part {
  const parts = work.parts;
  const part = partAt(parts, parts.count);
  let delay: u32 = 0;
  for (let i: u32 = 0; i < hops; i++) {
    setHop(work, part, i, list[i]);
    delay += part.hop(i).lane.cltvExpiryDelta;
  }
  part.delay = delay;
  return finishPart(work, part, hops, 0);
}

function setHop(work: Workspace, part: Part, index: u32, arc: u32): void {
  assert(index < MAX_HOPS, 'a path has at most 20 hops');
  const hop = part.hop(index);
  hop.arc = arc;
  hop.lane = laneOfArc(work, arc);
}

function finishPart(work: Workspace, part: Part, hops: u32, amount: i64): Part {
  const parts = work.parts;
  assert(parts.count < MAX_PARTS, 'there is room for the part');
  part.hopCount = hops;
  if (!ASC_NO_ASSERT) assert(crossesOnce(part), 'a path crosses no direction twice');
  parts.count++;
  findLimits(work, part);
  setAmount(part, amount);
  return part;
}

/** Whether the path crosses no direction twice; for debug builds. */
function crossesOnce(part: Part): bool {
  for (let i: u32 = 0; i < part.hopCount; i++) {
    for (let k: u32 = 0; k < i; k++) if (part.hop(k).arc === part.hop(i).arc) return false;
  }
  return true;
}

/** Changes the amount of a part, msat, and computes the exact amount at each hop and the fee. */
export function setAmount(part: Part, amount: i64): void {
  part.amountMsat = amount;
  let reach = amount;
  for (let i = part.hopCount; i-- > 0; ) {
    const hop = part.hop(i);
    const lane = hop.lane;
    hop.amountMsat = reach;
    reach += feeMsat(reach, lane.feeBaseMsat, lane.feeProportionalMillionths);
  }
  part.feeMsat = reach - amount;
}

/** Whether every hop's amount lies within its HTLC limits. */
export function withinLimits(work: Workspace, part: Part): bool {
  for (let i = part.hopCount; i-- > 0; ) {
    const hop = part.hop(i);
    const record = recordOf(work, hop.arc);
    if (hop.amountMsat < record.htlcMinimumMsat || hop.amountMsat > record.htlcMaximumMsat) return false;
  }
  return true;
}

/** Computes `leastMsat` and `mostMsat` from the HTLC limits of all hops. */
function findLimits(work: Workspace, part: Part): void {
  let most: i64 = AMOUNT_LIMIT;
  for (let i: u32 = 0; i < part.hopCount; i++) {
    const lane = part.hop(i).lane;
    if (i > 0) most = beforeFee(most, lane.feeBaseMsat, lane.feeProportionalMillionths);
    most = min<i64>(most, recordOf(work, lane.arc).htlcMaximumMsat);
  }
  // Amounts only grow upstream, so the minimum is the largest that any hop requires.
  let least: i64 = 1;
  for (let i = part.hopCount; i-- > 0; ) least = max<i64>(least, leastFor(work, part, i));
  part.mostMsat = most;
  part.leastMsat = least;
}

/** Smallest delivered amount that meets the hop's HTLC minimum, msat. */
function leastFor(work: Workspace, part: Part, index: u32): i64 {
  let need = recordOf(work, part.hop(index).arc).htlcMinimumMsat;
  for (let later = index + 1; later < part.hopCount && need > 0; later++) {
    const lane = part.hop(later).lane;
    const y = beforeFee(need, lane.feeBaseMsat, lane.feeProportionalMillionths);
    need = y + feeMsat(y, lane.feeBaseMsat, lane.feeProportionalMillionths) < need ? y + 1 : y;
  }
  return need;
}

/** Maximum that a path can deliver through the remaining room of its lanes, within its HTLC limits, msat. */
export function mostThrough(part: Part): i64 {
  let most: i64 = AMOUNT_LIMIT;
  for (let i: u32 = 0; i < part.hopCount; i++) {
    const lane = part.hop(i).lane;
    if (i > 0) most = beforeFee(most, lane.feeBaseMsat, lane.feeProportionalMillionths);
    most = min<i64>(most, laneRoom(lane) - extraForNext(lane));
  }
  return min<i64>(most, part.mostMsat);
}

/** Recomputes the load of every lane. Returns whether all lanes can pass their load. */
export function refreshLoads(work: Workspace): bool {
  const lanes = work.lanes;
  const parts = work.parts;
  const effort = work.effort;
  spend(effort, lanes.count);
  for (let i: u32 = 0; i < lanes.count; i++) {
    const lane = laneAt(lanes, i);
    lane.loadMsat = 0;
    lane.users = 0;
  }
  let fits = true;
  for (let i: u32 = 0; i < parts.count; i++) {
    const part = partAt(parts, i);
    spend(effort, part.hopCount);
    for (let k = part.hopCount; k-- > 0; ) {
      const hop = part.hop(k);
      const lane = hop.lane;
      const load = lane.loadMsat + hop.amountMsat + extraForNext(lane);
      lane.users += 1;
      lane.loadMsat = load;
      fits = fits && load <= lane.maxMsat;
    }
  }
  return fits;
}

/** Adds (`sign` 1) or subtracts (−1) a part's amounts to or from the loads of its lanes. */
export function shiftLoads(part: Part, sign: i64): void {
  for (let i = part.hopCount; i-- > 0; ) {
    const hop = part.hop(i);
    hop.lane.loadMsat += sign * hop.amountMsat;
  }
}

/** Total fee of all parts, msat. */
export function totalFee(parts: PartSets): i64 {
  let fee: i64 = 0;
  for (let i: u32 = 0; i < parts.count; i++) fee += partAt(parts, i).feeMsat;
  return fee;
}

/** Total delivered amount, msat. */
export function totalAmount(parts: PartSets): i64 {
  let amount: i64 = 0;
  for (let i: u32 = 0; i < parts.count; i++) amount += partAt(parts, i).amountMsat;
  return amount;
}

/** Delay of the slowest part, blocks. */
export function worstDelay(parts: PartSets): u32 {
  let delay: u32 = 0;
  for (let i: u32 = 0; i < parts.count; i++) delay = max<u32>(delay, partAt(parts, i).delay);
  return delay;
}

/** Removes a part; the last part takes its number. */
export function removePart(parts: PartSets, index: u32): void {
  assert(index < parts.count, 'the part to remove exists');
  parts.count--;
  if (index !== parts.count)
    copyParts(changetype<usize>(partAt(parts, index)), changetype<usize>(partAt(parts, parts.count)), 1);
}

/** Index of a different part on the same path as `part`, or MAX_PARTS. */
export function twinOf(parts: PartSets, part: Part): u32 {
  for (let i: u32 = 0; i < parts.count; i++)
    if (partAt(parts, i) !== part && samePath(partAt(parts, i), part)) return i;
  return MAX_PARTS;
}

/** Index of a part after `index` on the same path, or MAX_PARTS. */
export function twinAfter(work: Workspace, index: u32): u32 {
  const parts = work.parts;
  spend(work.effort, parts.count - index);
  for (let i = index + 1; i < parts.count; i++)
    if (samePath(partAt(parts, i), partAt(parts, index))) return i;
  return MAX_PARTS;
}

function samePath(a: Part, b: Part): bool {
  if (a.hopCount !== b.hopCount) return false;
  for (let i: u32 = 0; i < a.hopCount; i++) if (a.hop(i).arc !== b.hop(i).arc) return false;
  return true;
}

function copyParts(to: usize, from: usize, count: u32): void {
  memory.copy(to, from, (count as usize) * PART_BYTES);
}

/** Keeps a copy of a part. Its path is valid until lanes are removed. */
export function keepPart(parts: PartSets, part: Part): void {
  memory.copy(changetype<usize>(parts.keptPart), changetype<usize>(part), PART_BYTES);
}

/** Adds a part on the path of the kept part. Loads are not refreshed. Check `hasRoom` first. */
export function addOnKeptPath(parts: PartSets, amount: i64): void {
  assert(parts.count < MAX_PARTS, 'there is room for the part');
  const part = partAt(parts, parts.count++);
  memory.copy(changetype<usize>(part), changetype<usize>(parts.keptPart), PART_BYTES);
  setAmount(part, amount);
}

/** Saves the current parts for `restoreParts`. No lane is removed in between, so the saved parts stay valid. */
export function saveParts(parts: PartSets): void {
  parts.savedCount = parts.count;
  copyParts(parts.savedParts, parts.table, parts.count);
}

/** Restores the parts of `saveParts` and refreshes the loads. */
export function restoreParts(work: Workspace): void {
  const parts = work.parts;
  parts.count = parts.savedCount;
  copyParts(parts.table, parts.savedParts, parts.savedCount);
  refreshLoads(work);
}

/** As `saveParts`, in a separate table: for code that calls functions which use `saveParts`. */
export function keepStart(parts: PartSets): void {
  parts.startCount = parts.count;
  copyParts(parts.startParts, parts.table, parts.count);
}

/** Restores the parts of `keepStart` and refreshes the loads. */
export function restoreStart(work: Workspace): void {
  const parts = work.parts;
  parts.count = parts.startCount;
  copyParts(parts.table, parts.startParts, parts.startCount);
  refreshLoads(work);
}

/** Saves the current parts as the best answer so far; survives `partsClear`. */
export function keepBest(parts: PartSets): void {
  parts.bestCount = parts.count;
  copyParts(parts.bestParts, parts.table, parts.count);
}

/** Restores the best answer, in fresh lanes. */
export function restoreBest(work: Workspace): void {
  const parts = work.parts;
  releaseLoads(work);
  partsClear(work);
  copyParts(parts.table, parts.bestParts, parts.bestCount);
  for (; parts.count < parts.bestCount; parts.count++) {
    const part = partAt(parts, parts.count);
    for (let i = part.hopCount; i-- > 0; ) setHop(work, part, i, part.hop(i).arc);
  }
  refreshLoads(work);
}
