/** Why a change of layers is refused, as data. The commands add the texts (src/commands/layers/refusal-words.ts). */
import { ReasonedError } from '../model/errors.ts';
import type { ShortChannelIdDir } from '../model/short-channel-id.ts';

/** Why a change of layers, or a request with layers, is refused. */
export type LayerRefusal =
  /** The name is reserved for automatic layers. */
  | { readonly kind: 'automaticName' }
  /** A layer with this name exists. */
  | { readonly kind: 'nameTaken' }
  | { readonly kind: 'removed'; readonly name: string }
  /** A request names a layer that does not exist. */
  | { readonly kind: 'unknownLayer'; readonly name: string }
  /** Both ends of the channel are the same node. */
  | { readonly kind: 'sameEnds' }
  /** The layer has already created a channel with this id. */
  | { readonly kind: 'channelExists' }
  /** The sum of amount and reservations exceeds 64 bits. */
  | { readonly kind: 'amountOverflow' }
  /** There is no such reservation, either global or in this layer. */
  | { readonly kind: 'notReserved'; readonly of: ShortChannelIdDir; readonly layer?: string };

/** Thrown when a change of layers, or a request with layers, is refused. Nothing has changed. */
export class LayerRefused extends ReasonedError<LayerRefusal> {
  constructor(refusal: LayerRefusal) {
    super('invalidParams', refusal);
  }
}
