/**
 * Why a change of layers is refused, as data. The commands make the texts
 * (src/commands/layers/refusal-words.ts).
 */
import { ReasonedError } from '../model/errors.ts';
import type { ShortChannelIdDir } from '../model/short-channel-id.ts';

/** Why a change of layers is refused, or why a request under layers is not answered. */
export type LayerRefusal =
  /** The name belongs to automatic layers, present or future. */
  | { readonly kind: 'automaticName' }
  /** A layer of that name exists. */
  | { readonly kind: 'nameTaken' }
  /** The layer was removed. */
  | { readonly kind: 'removed'; readonly name: string }
  /** A request names a layer that does not exist. */
  | { readonly kind: 'unknownLayer'; readonly name: string }
  /** Both ends of the channel are one node. */
  | { readonly kind: 'sameEnds' }
  /** The layer has made that channel already. */
  | { readonly kind: 'channelExists' }
  /** The amount and what is reserved exceed 64 bits together. */
  | { readonly kind: 'amountOverflow' }
  /** There is no such reservation: for everyone, or of this layer. */
  | { readonly kind: 'notReserved'; readonly of: ShortChannelIdDir; readonly layer?: string };

/** Thrown when a change of layers is refused. Nothing has changed. */
export class LayerRefused extends ReasonedError<LayerRefusal> {
  constructor(refusal: LayerRefusal) {
    super('invalidParams', refusal);
  }
}
