/**
 * The rules by which a list of layers changes one direction of one channel, written to be easy to read. The kernel does
 * the same for whole graphs at once, and tests check that it agrees with this file.
 *
 * Existence   A channel of the gossiped graph keeps its ends and capacity, regardless of layers. Any other channel
 *             exists from the place of the first layer in the list that creates it.
 * Policy      Layers apply in order. Each does two things. First, it disables the direction if it disables the
 *             start node, or an end node that is not the destination of the payment. Second, it
 *             overrides the fields in its update, if the channel exists at that point. A
 *             direction without a policy starts disabled, with every amount, fee and delay 0. `auto.sourcefree`,
 *             at its place in the list, clears the fees and delay of directions that leave the source.
 * Bias        For each layer, the direction's bias, the out bias of its start and the in bias of its end are
 *             added. The sum over all layers is clamped to -100..100.
 * Bounds      They start from 0..capacity. Each layer's records (bounds-fold.ts) apply in order, and no bound
 *             leaves 0..capacity on the way.
 * Reservations  At the end, global reservations and those of each layer in the list are subtracted from both
 *             bounds, once each.
 *
 * A layer that is listed twice applies twice: its impressions and biases double. Its reservations do not.
 */
import type { NodeId } from '../model/node-id.ts';
import type { Policy } from '../model/policy.ts';
import type { ShortChannelId, ShortChannelIdDir } from '../model/short-channel-id.ts';
import { applyFold, type Bounds, clampAmount } from './bounds-fold.ts';
import type { ChannelCell, NodeCell, PerDirection } from './cell.ts';
import { GLOBAL_LAYER_ID } from './layer-book.ts';
import { SOURCEFREE } from './resolved-layers.ts';

/** A channel as announced in gossip. A direction without a `channel_update` has no policy. */
export interface BaseChannel {
  readonly node1: NodeId;
  readonly node2: NodeId;
  readonly capacityMsat: bigint;
  readonly policies: PerDirection<Policy<bigint> | undefined>;
}

/** The graph without layers: channels by id, with capacity and policies. */
export interface BaseGraph {
  channel(shortChannelId: ShortChannelId): BaseChannel | undefined;
}

/** The cells of a layer book, or of anything with the same interface. */
export interface CellSource {
  channelCell(layerId: number, shortChannelId: ShortChannelId): ChannelCell | undefined;
  nodeCell(layerId: number, nodeId: NodeId): NodeCell | undefined;
}

/** One direction of a channel after all layers, as a search sees it. */
export interface EffectiveDirection {
  readonly nodeFrom: NodeId;
  readonly nodeTo: NodeId;
  readonly capacityMsat: bigint;
  /** Also false for a direction without a policy. */
  readonly enabled: boolean;
  readonly policy: Policy<bigint>;
  /** Minimum after reservations. If it exceeds `maxMsat`, `maxMsat` counts as the minimum too. */
  readonly minMsat: bigint;
  readonly maxMsat: bigint;
  readonly bias: number;
  /** The amount by which each HTLC after the first reduces the bounds (own channels only). */
  readonly extraHtlcCostMsat: bigint;
}

/** The initial policy of a direction without a policy. */
export const NO_POLICY: Policy<bigint> = {
  enabled: false,
  htlcMinimumMsat: 0n,
  htlcMaximumMsat: 0n,
  feeBaseMsat: 0n,
  feeProportionalMillionths: 0,
  cltvExpiryDelta: 0,
};

const FREE = { feeBaseMsat: 0n, feeProportionalMillionths: 0, cltvExpiryDelta: 0 };

/**
 * The direction as a route request with these layers sees it.
 * @param layers ids in order; `SOURCEFREE` is the id of `auto.sourcefree` (resolved-layers.ts)
 * @returns undefined if the channel does not exist
 */
export function effectiveDirection(
  graph: BaseGraph,
  book: CellSource,
  layers: readonly number[],
  query: { readonly source: NodeId; readonly destination: NodeId },
  scidd: ShortChannelIdDir,
): EffectiveDirection | undefined {
  const { shortChannelId, direction } = scidd;
  const cells: (ChannelCell | undefined)[] = [];
  let creator = -1;
  for (const [index, layerId] of layers.entries()) {
    const cell = layerId === SOURCEFREE ? undefined : book.channelCell(layerId, shortChannelId);
    if (creator < 0 && cell?.created !== undefined) creator = index;
    cells.push(cell);
  }
  const gossiped = graph.channel(shortChannelId);
  const channel = gossiped ?? cells[creator]?.created;
  if (channel === undefined) return undefined;
  const existsFrom = gossiped === undefined ? creator : 0;
  const [nodeFrom, nodeTo] =
    direction === 0 ? [channel.node1, channel.node2] : [channel.node2, channel.node1];

  const mostMsat = clampAmount(channel.capacityMsat);
  let policy = gossiped?.policies[direction] ?? NO_POLICY;
  let bias = 0;
  let bounds: Bounds = { minMsat: 0n, maxMsat: mostMsat };
  let reservedMsat = book.channelCell(GLOBAL_LAYER_ID, shortChannelId)?.reservedMsat[direction] ?? 0n;
  let extraHtlcCostMsat = 0n;
  for (const [index, layerId] of layers.entries()) {
    if (layerId === SOURCEFREE) {
      if (index >= existsFrom && nodeFrom === query.source) policy = { ...policy, ...FREE };
      continue;
    }
    const [from, to] = [book.nodeCell(layerId, nodeFrom), book.nodeCell(layerId, nodeTo)];
    const blocked = from?.disabled || (to?.disabled && nodeTo !== query.destination);
    if (blocked) policy = { ...policy, enabled: false };
    bias += (from?.outBias ?? 0) + (to?.inBias ?? 0);
    const cell = cells[index];
    if (cell === undefined) continue;
    const update = cell.updates[direction];
    if (index >= existsFrom && update !== undefined) policy = { ...policy, ...update };
    bias += cell.bias[direction];
    bounds = applyFold(cell.bounds[direction], bounds, mostMsat);
    const isRepeated = layers.indexOf(layerId) < index;
    if (!isRepeated) reservedMsat += cell.reservedMsat[direction];
    extraHtlcCostMsat = cell.extraHtlcCostMsat?.[direction] ?? extraHtlcCostMsat;
  }
  return {
    nodeFrom,
    nodeTo,
    capacityMsat: channel.capacityMsat,
    enabled: policy.enabled,
    policy,
    minMsat: clampAmount(bounds.minMsat - reservedMsat),
    maxMsat: clampAmount(bounds.maxMsat - reservedMsat),
    bias: Math.max(-100, Math.min(100, bias)),
    extraHtlcCostMsat,
  };
}
