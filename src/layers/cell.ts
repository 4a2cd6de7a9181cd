/**
 * Cells. A cell contains all entries of one layer for one channel or one node, as absolute state. The kernel's workers
 * keep copies of the layers. The owner of a copy is notified of each changed cell, and reads the cell once, regardless
 * of the number of mutations.
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
  /** Biases from -100 to 100. 0 means no bias. */
  readonly bias: PerDirection<number>;
  readonly bounds: PerDirection<BoundsFold>;
  /** Sum of the reservations tagged with this layer, or, in the global pseudo-layer, of the global reservations. */
  readonly reservedMsat: PerDirection<bigint>;
  /** Only for own channels: msat of commitment fees by which each HTLC after the first reduces our balance. */
  readonly extraHtlcCostMsat?: PerDirection<bigint>;
}

/**
 * All entries of one layer for one node. The biases, from -100 to 100, apply to every direction into (`inBias`) or out
 * of (`outBias`) the node.
 */
export interface NodeCell {
  readonly disabled: boolean;
  readonly inBias: number;
  readonly outBias: number;
  /** The cost of passing the node besides its fees, as a level of learned odds (learned-odds.ts). Default: level 0. */
  readonly burden?: number;
}

/**
 * Called synchronously after each change of cells. An implementation only records the call, and reads the cell when it
 * next updates its copy. It must not change the book.
 */
export interface LayerSubscriber {
  channelChanged(layerId: number, shortChannelId: ShortChannelId): void;
  nodeChanged(layerId: number, nodeId: NodeId): void;
  /** The layer's odds for all directions changed. Subscribers that do not copy them can ignore it. */
  oddsChanged?(layerId: number): void;
  /** The layer was removed with all its cells. Its id will not be used again. */
  layerRemoved(layerId: number): void;
}

/** The read side of a layer, regardless of where the layer is stored. */
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
