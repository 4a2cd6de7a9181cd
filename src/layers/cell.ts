/**
 * Cells. A cell contains all entries of one layer for one channel or one node, as absolute state. The kernel's workers
 * keep copies of the layers. Owners of such a copy are notified of the changed cell and read it again, regardless of
 * the number of mutations.
 */
import type { NodeId } from '../model/node-id.ts';
import type { PolicyUpdate } from '../model/policy.ts';
import type { Direction, ShortChannelId } from '../model/short-channel-id.ts';
import type { BoundsFold } from './bounds-fold.ts';
import type { OddsTable } from './learned-odds.ts';

/** One value for each direction of a channel. */
export type PerDirection<T> = readonly [T, T];

/** A channel created by a layer. `node1` is the lexicographically smaller id. */
export interface CreatedChannel {
  readonly node1: NodeId;
  readonly node2: NodeId;
  readonly capacityMsat: bigint;
}

/** All entries of one layer for one channel. */
export interface ChannelCell {
  readonly created?: CreatedChannel;
  /** The policy fields of each direction that the layer overrides. */
  readonly updates: PerDirection<PolicyUpdate | undefined>;
  /** From -100 to 100 each. 0 means no bias. */
  readonly bias: PerDirection<number>;
  readonly bounds: PerDirection<BoundsFold>;
  /** Sum of the reservations tagged with this layer. In the global pseudo-layer, sum of the global ones. */
  readonly reservedMsat: PerDirection<bigint>;
  /** Only for own channels: what each HTLC after the first costs our balance in commitment fees. */
  readonly extraHtlcCostMsat?: PerDirection<bigint>;
}

/** Biases from -100 to 100 that apply to every direction into (`inBias`) or out of (`outBias`) the node. */
export interface NodeCell {
  readonly disabled: boolean;
  readonly inBias: number;
  readonly outBias: number;
  /**
   * The cost of passing the node in addition to its fees, as a level of learned odds (learned-odds.ts). Absent: the
   * default level.
   */
  readonly burden?: number;
}

/**
 * Called with the changed cells, synchronously and after the change. An implementation only records the call, and reads
 * the cell when it next publishes. It must not change the book.
 */
export interface LayerSubscriber {
  channelChanged(layerId: number, shortChannelId: ShortChannelId): void;
  nodeChanged(layerId: number, nodeId: NodeId): void;
  /** The layer's odds for all directions changed. Subscribers that do not copy them can ignore it. */
  oddsChanged?(layerId: number): void;
  /** All cells of the layer are gone. Its id will not be used again. */
  layerRemoved(layerId: number): void;
}

/** The read side of a layer, wherever it is stored. */
export interface LayerCells {
  channelCell(shortChannelId: ShortChannelId): ChannelCell | undefined;
  nodeCell(nodeId: NodeId): NodeCell | undefined;
  /** Odds of all directions. Only the layer `auto.learned` has them. */
  readonly odds?: OddsTable | undefined;
  /** Every channel with a cell, once each. */
  channelIds(): Iterable<ShortChannelId>;
  /** Every node with a cell, once each. */
  nodeIds(): Iterable<NodeId>;
}

/** One direction of a channel as a map key: the channel id and the direction in 65 bits. */
export const directionKey = (shortChannelId: bigint, direction: Direction): bigint =>
  (shortChannelId << 1n) | BigInt(direction);
