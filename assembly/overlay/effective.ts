/**
 * Combines gossip and all applied layers into the record of one direction. The record is always computed from
 * scratch, so it never depends on earlier stacks:
 *
 *   terms   gossip's, then layer by layer in the order of the stack: a disabled end disables the direction;
 *           `auto.sourcefree` clears the fees and delays of directions that leave the source; the layer's update
 *           overwrites field by field
 *   bounds  (0, capacity), then each layer's steps in order, each result cut off at the capacity; then
 *           reservations are subtracted from both
 *   factor  30^(−bias/100); bias is the sum of the channel's biases, the tail's out-bias and the head's in-bias, kept
 *           within ±100
 *
 * Work: proportional to the layers of the stack plus their steps for the direction. The rules are those of askrene; a
 * property test compares them with the readable version in src/layers/combine.ts.
 */
import {
  copyRecord,
  DIRECTION_BYTES,
  DirectionRecord,
  FLAG_BELIEFS,
  FLAG_ENABLED,
  FLAG_EXTRA_HTLC,
  FLAG_KNOWN,
  setBounds,
} from '../graph/direction';
import { baseRecord } from '../graph/graph';
import { clampedAdd, exp, floorSub } from '../graph/numbers';
import { Region } from '../graph/region';
import { Workspace } from '../workspace';
import {
  BASE_BEYOND,
  HeldBlock,
  UPDATES_CLTV_EXPIRY_DELTA,
  UPDATES_ENABLED,
  UPDATES_FEE_BASE,
  UPDATES_FEE_PROPORTIONAL,
  UPDATES_HTLC_MAXIMUM,
  UPDATES_HTLC_MINIMUM,
  UpdateBlock,
} from './cells';
import { capacityOf, endOf, shortChannelIdOf } from './created-channels';
import { NodeEntry } from './entries';
import { CellTable, channelCell, hasNodeCells, nodeCell } from './layers';
import { stateOf } from './scratch';
import { firstTime, layerAt, SOURCEFREE } from './stack';

/** Slot of the global reservations, which always apply. */
export const GLOBAL_LAYER: u32 = 0;
/** ln 30 / 100: a bias of 100 makes a direction 30 times cheaper, one of −100 30 times costlier. */
const BIAS_SCALE: f64 = 3.4011973816621555 / 100.0;
/** The smallest possible factor: that of the maximum bias, minus a margin for the rounding of 32-bit floats. */
export const LEAST_BIAS_FACTOR: f64 = 0.999999 / 30.0;

/** Computes the direction from gossip and all applied layers into `record`. */
export function writeEffective(
  work: Workspace,
  record: DirectionRecord,
  directionIndex: u32,
  arc: u32,
  shortChannelId: u64,
  head: u32,
): void {
  const graph = work.graph;
  const stack = work.stack;
  const cells = work.cells;
  const scratch = work.scratch;
  const side = directionIndex & 1;
  const tail = endOf(work, directionIndex >> 1, side);
  const capacity = capacityOf(work, directionIndex >> 1);
  beginRecord(graph, record, directionIndex, arc, tail);
  let low: i64 = 0;
  let high = capacity;
  let reserved = reservedIn(cells, GLOBAL_LAYER, shortChannelId, side);
  let bias: i32 = 0;
  let isBelieved = false;
  // A layer's update of a created channel counts only if that layer, or one before it, creates the channel.
  let exists = directionIndex < graph.arcCount;
  const tailEntry = stateOf(scratch, tail).entry;
  const headEntry = stateOf(scratch, head).entry;
  for (let i: u32 = 0; i < stack.stackLength; i++) {
    const layer = layerAt(stack, i);
    if (layer === SOURCEFREE) {
      if (tail === stack.sourceFree) clearFee(record);
      continue;
    }
    if (hasNodeCells(cells, layer)) bias += applyNodes(work, record, layer, tailEntry, headEntry, head);
    const cell = channelCell(cells, layer, shortChannelId);
    if (cell === null) continue;
    exists = exists || cell.created !== null;
    const said = cell.side(side);
    const update = said.update;
    if (update !== null && exists) applyUpdate(record, update);
    bias += said.bias;
    let step = said.bounds;
    isBelieved = isBelieved || step !== null;
    while (step !== null) {
      low = min<i64>(capacity, shifted(low, step.minShift, step.minLow, step.minHigh));
      high = min<i64>(capacity, shifted(high, step.maxShift, step.maxLow, step.maxHigh));
      step = step.next;
    }
    const held = said.held;
    if (held === null) continue;
    if (held.extraHtlcMsat !== 0) record.flags |= FLAG_EXTRA_HTLC as u16;
    if (firstTime(stack, i)) reserved = clampedAdd(reserved, held.reservedMsat);
  }
  if (isBelieved && (low > 0 || high < capacity)) record.flags |= FLAG_BELIEFS as u16;
  setBounds(record, floorSub(low, reserved), floorSub(high, reserved));
  // A base fee above what the record can hold disables the direction instead of making it cheap.
  if (record.feeBaseMsat === BASE_BEYOND) disable(record);
  bias = max<i32>(-100, min<i32>(100, bias));
  record.factor = bias === 0 ? 1.0 : (exp(-BIAS_SCALE * (bias as f64)) as f32);
}

/** Starts the record from gossip. A created channel starts without terms. */
function beginRecord(graph: Region, record: DirectionRecord, directionIndex: u32, arc: u32, tail: u32): void {
  if (directionIndex < graph.arcCount) {
    copyRecord(record, baseRecord(graph, arc));
    return;
  }
  memory.fill(changetype<usize>(record), 0, DIRECTION_BYTES);
  record.tail = tail;
  record.directionIndex = directionIndex;
}

function reservedIn(cells: CellTable, layer: u32, shortChannelId: u64, side: u32): i64 {
  const held = heldIn(cells, layer, shortChannelId, side);
  return held === null ? 0 : held.reservedMsat;
}

function heldIn(cells: CellTable, layer: u32, shortChannelId: u64, side: u32): HeldBlock | null {
  const cell = channelCell(cells, layer, shortChannelId);
  return cell === null ? null : cell.side(side).held;
}

/** A bound after a step, before it is limited to the capacity. */
function shifted(bound: i64, shift: i64, low: i64, high: i64): i64 {
  return min<i64>(high, max<i64>(low, clampedAdd(bound, shift)));
}

/** Whether the direction has neither fees nor a delay. */
export function isFree(record: DirectionRecord): bool {
  return record.feeBaseMsat === 0 && record.feeProportionalMillionths === 0 && record.cltvExpiryDelta === 0;
}

/** Removes fees and delay. */
export function clearFee(record: DirectionRecord): void {
  record.feeBaseMsat = 0;
  record.feeProportionalMillionths = 0;
  record.cltvExpiryDelta = 0;
}

/**
 * Applies a layer's node cells. A disabled node disables the directions that leave it, and also those that enter it
 * unless it is the destination of the payment. Returns the sum of the biases of both ends.
 */
function applyNodes(
  work: Workspace,
  record: DirectionRecord,
  layer: u32,
  tailEntry: NodeEntry | null,
  headEntry: NodeEntry | null,
  head: u32,
): i32 {
  const cells = work.cells;
  let bias: i32 = 0;
  let isDisabled = false;
  const tailCell = tailEntry !== null ? nodeCell(cells, layer, tailEntry) : null;
  if (tailCell !== null) {
    isDisabled = tailCell.disabled;
    bias += tailCell.outBias;
  }
  const headCell = headEntry !== null ? nodeCell(cells, layer, headEntry) : null;
  if (headCell !== null) {
    isDisabled = isDisabled || (headCell.disabled && head !== work.stack.payableNode);
    bias += headCell.inBias;
  }
  if (isDisabled) disable(record);
  return bias;
}

function disable(record: DirectionRecord): void {
  record.flags &= ~(FLAG_ENABLED as u16);
}

/**
 * Msat subtracted from the direction's bounds for each HTLC after the first. The last applied layer that sets an amount
 * wins.
 */
export function extraHtlcCost(work: Workspace, directionIndex: u32): i64 {
  const stack = work.stack;
  const shortChannelId = shortChannelIdOf(work, directionIndex >> 1);
  for (let i = stack.stackLength; i-- > 0; ) {
    const layer = layerAt(stack, i);
    const held: HeldBlock | null =
      layer === SOURCEFREE ? null : heldIn(work.cells, layer, shortChannelId, directionIndex & 1);
    if (held !== null && held.extraHtlcMsat !== 0) return held.extraHtlcMsat;
  }
  return 0;
}

/** Overwrites the record's terms with those that the update contains, and marks the terms as known. */
function applyUpdate(record: DirectionRecord, update: UpdateBlock): void {
  const mask = update.mask;
  let flags = (record.flags as u32) | FLAG_KNOWN;
  if (mask & UPDATES_ENABLED) flags = update.enabled ? flags | FLAG_ENABLED : flags & ~FLAG_ENABLED;
  record.flags = flags as u16;
  if (mask & UPDATES_HTLC_MINIMUM) record.htlcMinimumMsat = update.htlcMinimumMsat;
  if (mask & UPDATES_HTLC_MAXIMUM) record.htlcMaximumMsat = update.htlcMaximumMsat;
  if (mask & UPDATES_FEE_BASE) record.feeBaseMsat = update.feeBaseMsat;
  if (mask & UPDATES_FEE_PROPORTIONAL) record.feeProportionalMillionths = update.feeProportionalMillionths;
  if (mask & UPDATES_CLTV_EXPIRY_DELTA) record.cltvExpiryDelta = update.cltvExpiryDelta as u16;
}

/** Whether any applied layer disables the node. */
export function isDisabled(work: Workspace, node: u32): bool {
  const stack = work.stack;
  if (stateOf(work.scratch, node).entry === null) return false;
  for (let i: u32 = 0; i < stack.stackLength; i++) {
    const layer = layerAt(stack, i);
    if (layer !== SOURCEFREE && layerDisablesNode(work, layer, node)) return true;
  }
  return false;
}

/** Whether a layer disables a node. */
export function layerDisablesNode(work: Workspace, layer: u32, node: u32): bool {
  const cells = work.cells;
  const entry = stateOf(work.scratch, node).entry;
  if (entry === null || !hasNodeCells(cells, layer)) return false;
  const cell = nodeCell(cells, layer, entry);
  return cell !== null && cell.disabled;
}
