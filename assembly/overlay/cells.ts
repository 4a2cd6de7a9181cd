/**
 * A *cell* holds the data of one layer about one channel or node, together with the blocks to which it refers. Cells
 * and blocks are 64 bytes each.
 *
 * The host sends each cell whole (src/layers/cell.ts), so setting one twice is harmless. For each direction it folds
 * the liquidity records of the layer into a chain of steps (src/layers/bounds-fold.ts), rarely more than two:
 *
 *   min' = min(capacity, minHigh, max(minLow, min + minShift))
 *   max' = min(capacity, maxHigh, max(maxLow, max + maxShift))
 *
 * so applying a layer takes the same time whether it has one record of a channel or a thousand. All amounts are msat
 * within ±(2^62 − 1).
 */
import { NodeEntry } from './entries';

/** Fields that channel cells and node cells share. */
@unmanaged
export class Cell {
  /** Short channel id, or the address of the node's entry. */
  key: u64;
  /** Layer slot. */
  layer: u32;
  /** Next cell in the same hash bucket. */
  hashNext: Cell | null;
  /** Neighbours in the layer's list. */
  next: Cell | null;
  previous: Cell | null;
  /** KIND_CHANNEL or KIND_NODE. */
  kind: u32;
}

/** `Cell.kind` of a channel cell. */
export const KIND_CHANNEL: u32 = 1;
/** `Cell.kind` of a node cell. */
export const KIND_NODE: u32 = 2;

/** A layer's data about a channel. Two `DirectionCell`s follow it in memory, for directions 0 and 1. */
@unmanaged
export class ChannelCell extends Cell {
  /** Null unless the layer creates the channel. */
  created: CreatedBlock | null;

  @inline
  side(direction: u32): DirectionCell {
    return changetype<DirectionCell>(
      changetype<usize>(this) + offsetof<ChannelCell>() + (direction as usize) * offsetof<DirectionCell>(),
    );
  }
}

/** A layer's data about one direction of a channel. */
@unmanaged
export class DirectionCell {
  /** Null unless the layer updates the terms. */
  update: UpdateBlock | null;
  /** The first step of the chain; null without records. */
  bounds: BoundsStep | null;
  /** −100 … 100: 100 makes the direction 30 times cheaper, −100 makes it 30 times costlier. */
  bias: i32;
  /** Null if nothing is reserved. */
  held: HeldBlock | null;
}

/** A layer's data about a node. */
@unmanaged
export class NodeCell extends Cell {
  /** Whether all channels of the node are disabled. */
  disabled: bool;
  /** Bias of all directions that enter the node. */
  inBias: i32;
  /** Bias of all directions that leave the node. */
  outBias: i32;
  /** With learned odds (solve/question/odds.ts): level of the extra cost of passing through the node. Default 0. */
  burden: u32;

  /** Whether the cell affects directions of the node. A burden alone does not (burdens.ts). */
  @inline
  get changesTerms(): bool {
    return this.disabled || this.inBias !== 0 || this.outBias !== 0;
  }
}

/** New terms of a direction; `mask` selects the fields that apply. */
@unmanaged
export class UpdateBlock {
  /** Which fields apply: a combination of UPDATES_… bits. */
  mask: u32;
  enabled: u32;
  htlcMinimumMsat: i64;
  htlcMaximumMsat: i64;
  /** New base fee, msat; BASE_BEYOND if it exceeds 32 bits. */
  feeBaseMsat: u32;
  feeProportionalMillionths: u32;
  /** New `cltv_expiry_delta`, blocks. */
  cltvExpiryDelta: u32;
}

/** Bit of `UpdateBlock.mask`: `enabled` applies. */
export const UPDATES_ENABLED: u32 = 1;
/** Bit of `UpdateBlock.mask`: `htlcMinimumMsat` applies. */
export const UPDATES_HTLC_MINIMUM: u32 = 2;
/** Bit of `UpdateBlock.mask`: `htlcMaximumMsat` applies. */
export const UPDATES_HTLC_MAXIMUM: u32 = 4;
/** Bit of `UpdateBlock.mask`: `feeBaseMsat` applies. */
export const UPDATES_FEE_BASE: u32 = 8;
/** Bit of `UpdateBlock.mask`: `feeProportionalMillionths` applies. */
export const UPDATES_FEE_PROPORTIONAL: u32 = 16;
/** Bit of `UpdateBlock.mask`: `cltvExpiryDelta` applies. */
export const UPDATES_CLTV_EXPIRY_DELTA: u32 = 32;

/** Stands for a base fee that exceeds 32 bits, which disables the direction. */
export const BASE_BEYOND: u32 = 0xffffffff;

/** One step by which a layer changes the bounds of a direction, in msat; the formulas are at the head of this file. */
@unmanaged
export class BoundsStep {
  minShift: i64;
  minLow: i64;
  minHigh: i64;
  maxShift: i64;
  maxLow: i64;
  maxHigh: i64;
  next: BoundsStep | null;
}

/** Amounts reserved on a direction. */
@unmanaged
export class HeldBlock {
  /** Subtracted from both bounds, msat. */
  reservedMsat: i64;
  /**
   * Subtracted from both bounds for each HTLC after the first, in addition to its amount, msat. Set for our own
   * channels, in which each HTLC raises the commitment fee.
   */
  extraHtlcMsat: i64;
}

/** A channel created by a layer. */
@unmanaged
export class CreatedBlock {
  /** Short channel id. */
  key: u64;
  capacityMsat: i64;
  /** Neighbours in the layer's list of created channels. */
  next: CreatedBlock | null;
  previous: CreatedBlock | null;
  /** The end with the smaller id. */
  node1: NodeEntry;
  node2: NodeEntry;

  @inline
  end(side: u32): NodeEntry {
    return side === 0 ? this.node1 : this.node2;
  }
}
