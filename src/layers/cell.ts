/**
 * Cells: everything one layer says about one channel, or about one node, as absolute state. Consumers that
 * keep a copy of the layers elsewhere (the kernel's workers) are told which cell changed and read it again,
 * however many mutations led there.
 */
import type { NodeId } from '../model/node-id.ts';
import type { PolicyUpdate } from '../model/policy.ts';
import type { Direction, ShortChannelId } from '../model/short-channel-id.ts';
import type { BoundsFold } from './bounds-fold.ts';

/** One value per direction of a channel. */
export type PerDirection<T> = readonly [T, T];

/** A channel that exists by a layer's word. `node1` is the lexicographically smaller id. */
export interface CreatedChannel {
  readonly node1: NodeId;
  readonly node2: NodeId;
  readonly capacityMsat: bigint;
}

/** Everything one layer says about one channel. */
export interface ChannelCell {
  readonly created?: CreatedChannel;
  /** Fields of the directions' policies that the layer overrides. */
  readonly updates: PerDirection<PolicyUpdate | undefined>;
  /** -100..100 each; 0 is none. */
  readonly bias: PerDirection<number>;
  readonly bounds: PerDirection<BoundsFold>;
  /** Sum of the reservations tagged with this layer (of the global ones in the global pseudo-layer). */
  readonly reservedMsat: PerDirection<bigint>;
  /** Own channels only: what each HTLC after the first costs our balance in commitment fees. */
  readonly extraHtlcCostMsat?: PerDirection<bigint>;
}

/** Biases -100..100 apply to every direction into (`inBias`) or out of (`outBias`) the node. */
export interface NodeCell {
  readonly disabled: boolean;
  readonly inBias: number;
  readonly outBias: number;
}

/**
 * Told which cells changed, synchronously and after the change. Implementations only note it (and read the
 * cell when they next publish); they must not mutate the book.
 */
export interface LayerSubscriber {
  channelChanged(layerId: number, shortChannelId: ShortChannelId): void;
  nodeChanged(layerId: number, nodeId: NodeId): void;
  /** All cells of the layer are gone, and its id will not come back. */
  layerRemoved(layerId: number): void;
}

/** The read side of a layer, whoever keeps it. */
export interface LayerCells {
  channelCell(shortChannelId: ShortChannelId): ChannelCell | undefined;
  nodeCell(nodeId: NodeId): NodeCell | undefined;
  /** Every channel that has a cell, once each. */
  channelIds(): Iterable<ShortChannelId>;
  /** Every node that has a cell, once each. */
  nodeIds(): Iterable<NodeId>;
}

/** One direction of a channel as a map key: the channel id and the direction in 65 bits. */
export const directionKey = (shortChannelId: bigint, direction: Direction): bigint =>
  (shortChannelId << 1n) | BigInt(direction);
