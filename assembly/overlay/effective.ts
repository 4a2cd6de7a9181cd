/**
 * What gossip and all applied layers make of one direction, computed from nothing each time, so that it never
 * depends on how the stack came to be:
 *
 *   terms   gossip's, then per layer in order: a disabled end disables; `auto.sourcefree` clears fee and delay
 *           of what leaves the source; the layer's update overwrites field by field
 *   bounds  (0, capacity), then each layer's steps in order, none of which leads out of it, then reservations
 *           subtracted from both
 *   bias    sum of channel biases, out-bias of the tail, in-bias of the head, clamped to ±100
 *
 * Source of the rules: askrene, see the layer book's reference implementation, which a property test compares.
 */
import { capacityOf, endOf, scidOf } from './created';
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
  ARC_BYTES,
  arcCount,
  baseRecord,
  FLAG_ENABLED,
  FLAG_KNOWN,
  inverseRange,
} from '../graph/graph';
import {
  B_MAX,
  B_MIN,
  B_NEXT,
  C_BIAS,
  C_BOUNDS,
  C_CREATED,
  C_HELD,
  C_UPDATE,
  channelCell,
  H_EXTRA_HTLC,
  H_RESERVED,
  hasNodeCells,
  MASK_BASE,
  MASK_CLTV,
  MASK_ENABLED,
  MASK_HTLC_MAX,
  MASK_HTLC_MIN,
  MASK_PPM,
  N_DISABLED,
  N_IN_BIAS,
  N_OUT_BIAS,
  nodeCell,
  T_HIGH,
  T_LOW,
  T_SHIFT,
  U_BASE,
  U_CLTV,
  U_ENABLED,
  U_HTLC_MAX,
  U_HTLC_MIN,
  U_MASK,
  U_PPM,
} from './layers';
import { clampedAdd, exp, floorSub } from '../graph/numbers';
import { S_ENTRY, stateOf } from './scratch';
import { firstTime, layerAt, payableNode, SOURCEFREE, sourceFree, stackLength } from './stack';

/** The slot of global reservations: they always apply. */
export const GLOBAL_LAYER: u32 = 0;
/** Override flag: each HTLC after the first costs extra (own channels). */
export const FLAG_EXTRA_HTLC: u32 = 16;
/** A layer's base fee that does not fit 32 bits arrives as this. */
const BASE_BEYOND: u32 = 0xffffffff;
/** A bias of 100 makes a direction 30 times dearer or cheaper. */
const BIAS_SCALE: f64 = 3.4011973816621555 / 100.0;

/** Computes the direction from gossip and all applied layers into `record`. */
export function writeEffective(record: usize, slot: u32, arc: u32, scid: u64, head: u32): void {
  const tail = endOf(slot >> 1, slot & 1);
  const direction = slot & 1;
  if (slot < arcCount) memory.copy(record, baseRecord(arc), ARC_BYTES);
  else {
    memory.fill(record, 0, ARC_BYTES);
    store<u32>(record + A_TAIL, tail);
    store<u32>(record + A_SLOT, slot);
  }
  let low: i64 = 0;
  const capacity = capacityOf(slot >> 1);
  let high = capacity;
  let reserved = reservedIn(GLOBAL_LAYER, scid, direction);
  let bias: i32 = 0;
  // What a layer says of a channel's terms before any layer creates the channel is lost.
  let exists = slot < arcCount;
  const tailEntry = load<u32>(stateOf(tail) + S_ENTRY) as usize;
  const headEntry = load<u32>(stateOf(head) + S_ENTRY) as usize;
  for (let i: u32 = 0; i < stackLength; i++) {
    const layer = layerAt(i);
    if (layer == SOURCEFREE) {
      if (tail == sourceFree) clearFee(record);
      continue;
    }
    if (hasNodeCells(layer)) bias += applyNodes(record, layer, tailEntry, headEntry, head);
    const cell = channelCell(layer, scid);
    if (cell == 0) continue;
    exists = exists || load<u32>(cell + C_CREATED) != 0;
    const update = load<u32>(cell + C_UPDATE + (direction << 2)) as usize;
    if (update != 0 && exists) applyUpdate(record, update);
    bias += load<i32>(cell + C_BIAS + (direction << 2));
    let step = load<u32>(cell + C_BOUNDS + (direction << 2)) as usize;
    for (; step != 0; step = load<u32>(step + B_NEXT) as usize) {
      low = min<i64>(capacity, shifted(low, step + B_MIN));
      high = min<i64>(capacity, shifted(high, step + B_MAX));
    }
    const held = load<u32>(cell + C_HELD + (direction << 2)) as usize;
    if (held == 0) continue;
    if (load<i64>(held + H_EXTRA_HTLC) != 0) {
      store<u16>(record + A_FLAGS, load<u16>(record + A_FLAGS) | (FLAG_EXTRA_HTLC as u16));
    }
    if (firstTime(i)) reserved = clampedAdd(reserved, load<i64>(held + H_RESERVED));
  }
  low = floorSub(low, reserved);
  high = floorSub(high, reserved);
  store<i64>(record + A_MIN, low);
  store<i64>(record + A_MAX, high);
  store<f64>(record + A_INV_RANGE, inverseRange(low, high));
  // A base fee the record cannot hold makes the direction useless rather than cheap.
  if (load<u32>(record + A_BASE) == BASE_BEYOND) disable(record);
  bias = max<i32>(-100, min<i32>(100, bias));
  store<f32>(record + A_FACTOR, bias == 0 ? 1.0 : (exp(-BIAS_SCALE * (bias as f64)) as f32));
}

function reservedIn(layer: u32, scid: u64, direction: u32): i64 {
  const cell = channelCell(layer, scid);
  if (cell == 0) return 0;
  const held = load<u32>(cell + C_HELD + (direction << 2)) as usize;
  return held == 0 ? 0 : load<i64>(held + H_RESERVED);
}

/** A bound after a step's shift, low and high at `by`, before the capacity cuts it off. */
// @ts-ignore: decorator
@inline
function shifted(bound: i64, by: usize): i64 {
  return min<i64>(
    load<i64>(by, T_HIGH),
    max<i64>(load<i64>(by, T_LOW), clampedAdd(bound, load<i64>(by, T_SHIFT))),
  );
}

function clearFee(record: usize): void {
  store<u32>(record + A_BASE, 0);
  store<u32>(record + A_PPM, 0);
  store<u16>(record + A_CLTV, 0);
}

/** A disabled end disables, unless it is the payment's own destination. Returns the ends' biases. */
function applyNodes(record: usize, layer: u32, tailEntry: usize, headEntry: usize, head: u32): i32 {
  let bias: i32 = 0;
  let disabled = false;
  const tailCell: usize = tailEntry != 0 ? nodeCell(layer, tailEntry) : 0;
  if (tailCell != 0) {
    disabled = load<u32>(tailCell + N_DISABLED) != 0;
    bias += load<i32>(tailCell + N_OUT_BIAS);
  }
  const headCell: usize = headEntry != 0 ? nodeCell(layer, headEntry) : 0;
  if (headCell != 0) {
    disabled = disabled || (load<u32>(headCell + N_DISABLED) != 0 && head != payableNode);
    bias += load<i32>(headCell + N_IN_BIAS);
  }
  if (disabled) disable(record);
  return bias;
}

function disable(record: usize): void {
  store<u16>(record + A_FLAGS, load<u16>(record + A_FLAGS) & ~(FLAG_ENABLED as u16));
}

/** What each HTLC after the first costs the direction's bounds: the last applied layer that says so. */
export function extraHtlcCost(slot: u32): i64 {
  const scid = scidOf(slot >> 1);
  for (let i = stackLength; i-- > 0; ) {
    const layer = layerAt(i);
    const cell: usize = layer == SOURCEFREE ? 0 : channelCell(layer, scid);
    const held: usize = cell == 0 ? 0 : load<u32>(cell + C_HELD + ((slot & 1) << 2));
    if (held != 0 && load<i64>(held + H_EXTRA_HTLC) != 0) return load<i64>(held + H_EXTRA_HTLC);
  }
  return 0;
}

function applyUpdate(record: usize, update: usize): void {
  const mask = load<u32>(update + U_MASK);
  let flags = (load<u16>(record + A_FLAGS) as u32) | FLAG_KNOWN;
  if (mask & MASK_ENABLED) flags = load<u32>(update + U_ENABLED) ? flags | FLAG_ENABLED : flags & ~FLAG_ENABLED;
  store<u16>(record + A_FLAGS, flags as u16);
  if (mask & MASK_HTLC_MIN) store<i64>(record + A_HTLC_MIN, load<i64>(update + U_HTLC_MIN));
  if (mask & MASK_HTLC_MAX) store<i64>(record + A_HTLC_MAX, load<i64>(update + U_HTLC_MAX));
  if (mask & MASK_BASE) store<u32>(record + A_BASE, load<u32>(update + U_BASE));
  if (mask & MASK_PPM) store<u32>(record + A_PPM, load<u32>(update + U_PPM));
  if (mask & MASK_CLTV) store<u16>(record + A_CLTV, load<u16>(update + U_CLTV));
}

/** Whether some applied layer disables the node. */
export function isDisabled(node: u32): bool {
  if (load<u32>(stateOf(node) + S_ENTRY) == 0) return false;
  for (let i: u32 = 0; i < stackLength; i++) {
    const layer = layerAt(i);
    if (layer != SOURCEFREE && layerDisablesNode(layer, node)) return true;
  }
  return false;
}

/** Whether a layer disables a node. */
export function layerDisablesNode(layer: u32, node: u32): bool {
  const entry = load<u32>(stateOf(node) + S_ENTRY) as usize;
  if (entry == 0 || !hasNodeCells(layer)) return false;
  const cell = nodeCell(layer, entry);
  return cell != 0 && load<u32>(cell + N_DISABLED) != 0;
}
