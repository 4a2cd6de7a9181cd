/**
 * What one layer says of one channel or node: a *cell*, and the blocks that it refers to. 64 bytes each.
 *
 * The host sends each cell whole (src/layers/cell.ts), so setting one twice does no harm. It folds a layer's records of
 * liquidity for each direction into a chain of steps (src/layers/bounds-fold.ts), hardly ever more than one or two:
 *
 *   min' = min(capacity, minHigh, max(minLow, min + minShift))
 *   max' = min(capacity, maxHigh, max(maxLow, max + maxShift))
 *
 * so that applying a layer costs the same whether it holds one record of a channel or a thousand. All amounts are msat
 * within ±(2^62 − 1).
 */
import { NodeEntry } from './entries';

/** What cells of channels and of nodes have in common. */
@unmanaged
export class Cell {
  /** Short channel id, or the address of the node's entry. */
  key: u64;
  /** Layer slot. */
  layer: u32;
  /** The next cell in the same place of the hash table. */
  hashNext: Cell | null;
  /** The neighbours in the layer's list. */
  next: Cell | null;
  previous: Cell | null;
  /** KIND_CHANNEL or KIND_NODE. */
  kind: u32;
}

/** `Cell.kind` of a channel's cell. */
export const KIND_CHANNEL: u32 = 1;
/** `Cell.kind` of a node's cell. */
export const KIND_NODE: u32 = 2;

/** What a layer says of a channel; two `DirectionCell` follow, for direction 0 and 1. */
@unmanaged
export class ChannelCell extends Cell {
  /** Null where the layer does not create the channel. */
  created: CreatedBlock | null;

  /** What the layer says of one direction (0 or 1). */
  @inline
  side(direction: u32): DirectionCell {
    return changetype<DirectionCell>(
      changetype<usize>(this) + offsetof<ChannelCell>() + (direction as usize) * offsetof<DirectionCell>(),
    );
  }
}

/** What a layer says of one direction of a channel. */
@unmanaged
export class DirectionCell {
  /** Null where the layer does not update the terms. */
  update: UpdateBlock | null;
  /** The first step of the chain; null without records. */
  bounds: BoundsStep | null;
  /** −100 … 100: 100 makes the direction 30 times cheaper, −100 costlier. */
  bias: i32;
  /** Null where nothing is reserved. */
  held: HeldBlock | null;
}

/** What a layer says of a node. */
@unmanaged
export class NodeCell extends Cell {
  /** Whether all channels of the node are disabled. */
  disabled: bool;
  /** Bias of all directions that enter the node. */
  inBias: i32;
  /** Bias of all directions that leave it. */
  outBias: i32;
  /** What it costs to pass the node besides its fees, a level of learned odds (solve/question/odds.ts). 0: as any other node. */
  burden: u32;

  /** Whether the cell changes directions of the node. A burden alone does not (burdens.ts). */
  @inline
  get changesTerms(): bool {
    return this.disabled || this.inBias !== 0 || this.outBias !== 0;
  }
}

/** New terms of a direction; `mask` says which of them hold. */
@unmanaged
export class UpdateBlock {
  /** Bits UPDATES_…. */
  mask: u32;
  enabled: u32;
  /** msat. */
  htlcMinimumMsat: i64;
  /** msat. */
  htlcMaximumMsat: i64;
  /** Msat; BASE_BEYOND where 32 bits cannot hold the fee. */
  feeBaseMsat: u32;
  /** Millionths of the amount. */
  feeProportionalMillionths: u32;
  /** Blocks. */
  cltvExpiryDelta: u32;
}

/** Bits of `UpdateBlock.mask`: which fields hold. */
export const UPDATES_ENABLED: u32 = 1;
/** See UPDATES_ENABLED. */
export const UPDATES_HTLC_MINIMUM: u32 = 2;
/** See UPDATES_ENABLED. */
export const UPDATES_HTLC_MAXIMUM: u32 = 4;
/** See UPDATES_ENABLED. */
export const UPDATES_FEE_BASE: u32 = 8;
/** See UPDATES_ENABLED. */
export const UPDATES_FEE_PROPORTIONAL: u32 = 16;
/** See UPDATES_ENABLED. */
export const UPDATES_CLTV_EXPIRY_DELTA: u32 = 32;

/** Stands for a base fee that 32 bits cannot hold. The direction is taken out of use. */
export const BASE_BEYOND: u32 = 0xffffffff;

/** A step of what a layer's records do to the bounds of a direction; see the head of this file. msat. */
@unmanaged
export class BoundsStep {
  minShift: i64;
  minLow: i64;
  minHigh: i64;
  maxShift: i64;
  maxLow: i64;
  maxHigh: i64;
  /** The step that applies after this one. */
  next: BoundsStep | null;
}

/** What is held of a direction's bounds. */
@unmanaged
export class HeldBlock {
  /** Taken off both bounds, msat. */
  reservedMsat: i64;
  /** What each HTLC after the first takes off besides its amount, msat (own channels: commitment fees). */
  extraHtlcMsat: i64;
}

/** A channel that a layer creates. */
@unmanaged
export class CreatedBlock {
  /** msat. */
  capacityMsat: i64;
  /** The end with the smaller id. */
  node1: NodeEntry;
  node2: NodeEntry;

  /** End 0 or 1. */
  @inline
  end(side: u32): NodeEntry {
    return side === 0 ? this.node1 : this.node2;
  }
}
