/**
 * One direction of a channel: the record that every search reads.
 *
 * One cache line of 64 bytes contains everything a search needs: the start node, the terms, and the bounds. Gossip's
 * records are in a table of the graph. A layer that changes a direction supplies another record of the same shape
 * (overlay/overlay.ts), so the inner loops are the same.
 *
 * A direction has two numbers. Its *direction index* is 2 · channel + direction; direction 0 starts at node 1, the end
 * with the smaller id. Its *arc* is its index among all directions sorted by end node (graph.ts), the order in which
 * searches read them.
 *
 * Invariants: both bounds lie within 0 … 2^62 − 1 msat, and `inverseRange` follows from them, except with FLAG_LOADED.
 * Only `setBounds` changes bounds; it asserts the range in debug builds. Layers may contradict each other, so the
 * minimum may exceed the maximum. The maximum then decides, since no search sends more than the maximum. The factor is
 * positive.
 */
import { AMOUNT_LIMIT } from './numbers';

/** The direction's terms are known, from gossip or from a layer. */
export const FLAG_KNOWN: u32 = 1;
/** The direction may be used. */
export const FLAG_ENABLED: u32 = 2;
/** The start node has a single neighbour, so no route continues through it. */
export const FLAG_DEAD_END: u32 = 4;
/** Only in overrides: the arc is in the list of additional arcs into its end node (overlay/links.ts). */
export const FLAG_LINKED: u32 = 8;
/** Only in overrides of our own channels: each HTLC after the first lowers the bounds. */
export const FLAG_EXTRA_HTLC: u32 = 16;
/** Only in overrides: layers make the bounds narrower than the capacity does. */
export const FLAG_BELIEFS: u32 = 32;
/** Only in overrides: for learned odds, the bounds are lowered by a load (solve/question/odds.ts). */
export const FLAG_LOADED: u32 = 64;
/**
 * Position of two bits: the direction's class for learned odds (src/layers/direction-class.ts), which depends on how
 * its fee compares with that of the opposite direction.
 */
export const CLASS_SHIFT: u32 = 7;
/**
 * Only in overrides: the direction may cost less than gossip's record, because of its fees or bias, or because only
 * layers enable it (overlay/overridden.ts).
 */
export const FLAG_CHEAPER: u32 = 512;
/** Only in overrides: with uniform balances, the direction may be likelier to pass an amount than gossip's record. */
export const FLAG_LIKELIER: u32 = 1024;

/** Terms and bounds of one direction. */
@unmanaged
export class DirectionRecord {
  /** Start node of the direction. */
  tail: u32;
  feeBaseMsat: u32;
  feeProportionalMillionths: u32;
  /** The `cltv_expiry_delta` that the start node requires, blocks. */
  cltvExpiryDelta: u16;
  /** A combination of FLAG_… bits, and the class of the direction at CLASS_SHIFT. */
  flags: u16;
  htlcMinimumMsat: i64;
  htlcMaximumMsat: i64;
  /** Lower bound of the amount that the direction can forward, msat. */
  minMsat: i64;
  /** Upper bound of the amount that the direction can forward, msat. */
  maxMsat: i64;
  /**
   * 1 / (maxMsat + 1 − minMsat), per msat, used to compute the probability of success. With FLAG_LOADED: the load by
   * which the bounds are lowered, msat.
   */
  inverseRange: f64;
  /** 2 · channel + direction. */
  directionIndex: u32;
  /** Multiplier of the direction's cost, from biases; 1 without biases. */
  factor: f32;
}

/** Bytes from one record to the next in a table. */
export const DIRECTION_BYTES: usize = 64;

/** The record at index `place` of a table. */
export function recordIn(table: usize, place: u32): DirectionRecord {
  return changetype<DirectionRecord>(table + (place as usize) * DIRECTION_BYTES);
}

/**
 * Copies a record. V8 calls a C function for `memory.copy`, which takes longer than copying one record with vector
 * instructions.
 */
export function copyRecord(to: DirectionRecord, from: DirectionRecord): void {
  const target = changetype<usize>(to);
  const source = changetype<usize>(from);
  for (let at: usize = 0; at < DIRECTION_BYTES; at += 16) v128.store(target + at, v128.load(source + at));
}

/** Whether the direction may be used. */
export function isEnabled(record: DirectionRecord): bool {
  return ((record.flags as u32) & FLAG_ENABLED) !== 0;
}

/**
 * Sets the bounds of the direction.
 * @param lowest lower bound of the amount that it can forward, msat
 * @param highest upper bound of that amount, msat
 */
export function setBounds(record: DirectionRecord, lowest: i64, highest: i64): void {
  assert(lowest >= 0 && lowest <= AMOUNT_LIMIT, 'a known minimum is an amount');
  assert(highest >= 0 && highest <= AMOUNT_LIMIT, 'a known maximum is an amount');
  record.minMsat = lowest;
  record.maxMsat = highest;
  record.inverseRange = inverseRange(lowest, highest);
}

/**
 * 1 / (max + 1 − min), per msat; 1 if the minimum is not below the maximum. The + 1 keeps the risk finite for a
 * direction that must carry its whole maximum, so that a path through it stays possible.
 */
export function inverseRange(lowest: i64, highest: i64): f64 {
  return highest > lowest ? 1.0 / (((highest - lowest) as f64) + 1.0) : 1.0;
}
