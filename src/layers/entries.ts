/**
 * The entries of a layer as listed, and the mutations that create them.
 *
 * A mutation is a change that passed every check, and contains its time. Applying the same mutations in the same order
 * always rebuilds the same layer. So the store keeps mutations and replays them.
 */
import type { NodeId } from '../model/node-id.ts';
import type { PolicyUpdate } from '../model/policy.ts';
import type { Direction, ShortChannelId } from '../model/short-channel-id.ts';
import type { LiquidityKind } from './bounds-fold.ts';
import type { CreatedChannel } from './cell.ts';

/** The direction that an entry is about. */
export interface OfDirection {
  readonly shortChannelId: ShortChannelId;
  readonly direction: Direction;
}

/** A channel that exists only in the layer. */
export interface CreatedChannelEntry extends CreatedChannel {
  readonly shortChannelId: ShortChannelId;
}

/** The fields of one direction's policy that the layer replaces. */
export interface ChannelUpdateEntry extends OfDirection {
  readonly update: PolicyUpdate;
}

/** `bias` is from -100 to 100, and not 0 in a listed entry. `timestamp` is in UNIX seconds. */
export interface ChannelBiasEntry extends OfDirection {
  readonly bias: number;
  readonly description: string | undefined;
  readonly timestamp: number;
}

/**
 * Biases from -100 to 100, not both 0 in a listed entry. They share one description and one time, those of the latest
 * change.
 */
export interface NodeBiasEntry {
  readonly node: NodeId;
  readonly inBias: number;
  readonly outBias: number;
  readonly description: string | undefined;
  readonly timestamp: number;
}

/** One checked change of a layer. */
export type LayerMutation =
  | ({ readonly type: 'createChannel' } & CreatedChannelEntry)
  /** The given fields are merged into the layer's existing fields for the direction. */
  | ({ readonly type: 'updateChannel' } & ChannelUpdateEntry)
  | ({ readonly type: 'removeChannelUpdate' } & OfDirection)
  | ({
      readonly type: 'inform';
      readonly kind: LiquidityKind;
      readonly amountMsat: bigint;
      readonly timestamp: number;
    } & OfDirection)
  /** `bias` is the new absolute value. 0 removes the entry. */
  | ({ readonly type: 'biasChannel' } & ChannelBiasEntry)
  /** Both biases are new absolute values. 0 for both removes the entry. */
  | ({ readonly type: 'biasNode' } & NodeBiasEntry)
  | { readonly type: 'disableNode'; readonly node: NodeId }
  /** Removes records and biases with timestamp < cutoff. */
  | { readonly type: 'age'; readonly cutoff: bigint };
