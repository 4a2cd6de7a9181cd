/** Why one way to an issuer failed, as data. */
import { type ErrorName, ReasonedError } from '../model/errors.ts';
import type { NodeId } from '../model/node-id.ts';
import type { ShortChannelIdDir } from '../model/short-channel-id.ts';

/** Why one way to an issuer failed. */
export type WayFailure =
  /** The path begins at a channel that is not in the graph. */
  | { readonly kind: 'unknownFirstNode'; readonly of: ShortChannelIdDir }
  /** There is no route, and the configuration forbids new connections (`fetchinvoice-noconnect`). */
  | { readonly kind: 'mayNotConnect' }
  /**
   * The connection failed, for the reason that the network reports, or it leads to a peer that accepts no onion
   * messages.
   */
  | { readonly kind: 'connectFailed'; readonly why: NetworkRefusal | PeerWithoutMessages }
  /** The message could not be made, or could not be handed to the first peer of the route. */
  | { readonly kind: 'notHandedOver'; readonly cause: string }
  | PeerWithoutMessages;

/** An error of the network port. `error` is its name, and `cause` its message. */
export interface NetworkRefusal {
  readonly kind: 'network';
  readonly error: ErrorName;
  readonly cause: string;
}

/** The node is connected, but does not announce onion messages. */
export interface PeerWithoutMessages {
  readonly kind: 'takesNoMessages';
  readonly node: NodeId;
}

/** Thrown when one way to an issuer failed. A different way may succeed. */
export class WayFailed extends ReasonedError<WayFailure> {
  constructor(failure: WayFailure) {
    const isOurs = failure.kind === 'notHandedOver' || failure.kind === 'takesNoMessages';
    super(isOurs ? 'unspecified' : 'offerUnreachable', failure);
  }
}
