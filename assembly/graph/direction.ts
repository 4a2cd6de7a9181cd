/**
 * One direction of a channel: the record that every search reads.
 *
 * One cache line of 64 bytes holds all that a look at a direction needs: where it comes from, its terms, and what it is
 * known to pass. Gossip's records stand in one table of the graph. A layer that changes a direction supplies another
 * record of the same shape (overlay/overlay.ts), so the inner loops see no difference.
 *
 * A direction has two numbers. Its *direction index*, 2 · channel + direction, is given by the channel; direction 0
 * leaves node 1, the end with the smaller id. Its *arc* is its place among all directions sorted by the node they lead
 * to (graph.ts), which is the order in which searches walk.
 *
 * Invariants: both bounds lie within 0 … 2^62 − 1 msat, and `inverseRange` follows from them. Bounds are only changed
 * by `setBounds`, which asserts the range in debug builds. Layers may contradict themselves, so that the minimum
 * exceeds the maximum. Then the maximum counts, since no search puts more than that across. The factor is positive.
 */
import { AMOUNT_LIMIT } from './numbers';

/** Gossip or a layer has given the direction terms. */
export const FLAG_KNOWN: u32 = 1;
/** The direction may be used. */
export const FLAG_ENABLED: u32 = 2;
/** The tail has a single neighbour, so no route leads on through it. */
export const FLAG_DEAD_END: u32 = 4;
/** Override only: the arc hangs in the list of what enters its head (overlay/links.ts). */
export const FLAG_LINKED: u32 = 8;
/** Override only: each HTLC after the first takes something off the bounds (own channels). */
export const FLAG_EXTRA_HTLC: u32 = 16;
/** Override only: a layer knows bounds within the capacity. */
export const FLAG_BELIEFS: u32 = 32;
/** Override only: the bounds are lowered by a load, for learned odds (solve/question/odds.ts). */
export const FLAG_LOADED: u32 = 64;
/**
 * Two bits: the class of the direction for learned odds, by its fee beside that of the way back
 * (src/layers/direction-class.ts).
 */
export const CLASS_SHIFT: u32 = 7;

/** Terms and bounds of one direction. */
@unmanaged
export class DirectionRecord {
  /** Node that the direction leaves. */
  tail: u32;
  /** Base fee, msat. */
  feeBaseMsat: u32;
  /** Proportional fee, millionths of the amount. */
  feeProportionalMillionths: u32;
  /** The `cltv_expiry_delta` that the tail asks for, blocks. */
  cltvExpiryDelta: u16;
  /** Bits FLAG_…. */
  flags: u16;
  /** Least HTLC, msat. */
  htlcMinimumMsat: i64;
  /** Largest HTLC, msat. */
  htlcMaximumMsat: i64;
  /** What the direction surely passes, msat. */
  minMsat: i64;
  /** The maximum that the direction may pass, msat; it surely passes no more. */
  maxMsat: i64;
  /** 1 / (maxMsat + 1 − minMsat), per msat: what the probability needs of the bounds. */
  inverseRange: f64;
  /** 2 · channel + direction. */
  directionIndex: u32;
  /** Multiplier of the direction's cost, from biases; 1 without. */
  factor: f32;
}

/** Bytes from one record to the next in a table. */
export const DIRECTION_BYTES: usize = 64;

/** The record at a place of a table of records. */
export function recordIn(table: usize, place: u32): DirectionRecord {
  return changetype<DirectionRecord>(table + (place as usize) * DIRECTION_BYTES);
}

/** Whether the direction may be used. */
export function isEnabled(record: DirectionRecord): bool {
  return ((record.flags as u32) & FLAG_ENABLED) !== 0;
}

/**
 * Sets what the direction is known to pass.
 * @param lowest surely passes, msat
 * @param highest surely passes no more, msat
 */
export function setBounds(record: DirectionRecord, lowest: i64, highest: i64): void {
  assert(lowest >= 0 && lowest <= AMOUNT_LIMIT, 'a known minimum is an amount');
  assert(highest >= 0 && highest <= AMOUNT_LIMIT, 'a known maximum is an amount');
  record.minMsat = lowest;
  record.maxMsat = highest;
  record.inverseRange = inverseRange(lowest, highest);
}

/**
 * 1 / (max + 1 − min), per msat; 1 where the minimum is not below the maximum. The + 1 keeps the risk finite for a
 * direction that must carry its whole maximum, so that such a path stays possible.
 */
export function inverseRange(lowest: i64, highest: i64): f64 {
  return highest > lowest ? 1.0 / (((highest - lowest) as f64) + 1.0) : 1.0;
}
