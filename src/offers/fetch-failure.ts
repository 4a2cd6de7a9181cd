/**
 * Why a fetch brought no invoice, as data: which ways to the issuer failed, and what came back. A way is a route of
 * onion messages, or a connection to the node. The commands turn these reasons into words
 * (src/commands/offers/fetch-failure-words.ts).
 */
import { type ErrorName, ReasonedError } from '../model/errors.ts';
import type { NodeId } from '../model/node-id.ts';
import type { ShortChannelIdDir } from '../model/short-channel-id.ts';
import type { FetchStep } from './fetch-steps.ts';
import type { InvoiceFault } from './invoice-fault.ts';

/** Why one way to an issuer failed. */
export type WayFailure =
  /** The path begins at a channel that the graph does not have. */
  | { readonly kind: 'unknownFirstNode'; readonly of: ShortChannelIdDir }
  /** There is no route, and the configuration forbids connections (`fetchinvoice-noconnect`). */
  | { readonly kind: 'mayNotConnect' }
  /** The network could not connect and says why, or it did and the peer takes no onion messages. */
  | { readonly kind: 'connectFailed'; readonly why: NetworkRefusal | PeerWithoutMessages }
  /** None of our peers took the message from us. */
  | { readonly kind: 'notHandedOver'; readonly cause: string }
  | PeerWithoutMessages;

/** An error of the network port: its name, and its message as the cause. */
export interface NetworkRefusal {
  readonly kind: 'network';
  readonly error: ErrorName;
  readonly cause: string;
}

/** The node is connected, but its features say that it takes no onion messages. */
export interface PeerWithoutMessages {
  readonly kind: 'takesNoMessages';
  readonly node: NodeId;
}

/** Thrown when one way to an issuer failed. Another way may succeed. */
export class WayFailed extends ReasonedError<WayFailure> {
  constructor(failure: WayFailure) {
    const isOurs = failure.kind === 'notHandedOver' || failure.kind === 'takesNoMessages';
    super(isOurs ? 'unspecified' : 'offerUnreachable', failure);
  }
}

/** Why a fetch brought no invoice. */
export type FetchFailure =
  /** Nothing could be sent. `why` is the failure of the last way. It is absent when the ways were too many to try. */
  | {
      readonly kind: 'unreachable';
      /** The node that was to be reached, or the channel that names it. */
      readonly target: string;
      /** Whether the target is the first node of a path of the offer. If not, it is the issuer itself. */
      readonly isPath: boolean;
      readonly why: WayFailure | undefined;
    }
  | { readonly kind: 'timedOut'; readonly timeoutMs: number }
  /** The request is too long for an onion message. */
  | { readonly kind: 'requestTooLong'; readonly cause: string }
  | IssuerError
  /** The issuer sent an error that cannot be read. */
  | { readonly kind: 'unreadableError'; readonly bytes: Uint8Array }
  /** What came back is neither an invoice nor an error. */
  | { readonly kind: 'noInvoice' }
  /** The invoice breaks a rule of BOLT 12 or differs from what was asked. */
  | { readonly kind: 'wrongInvoice'; readonly fault: InvoiceFault; readonly invoice: Uint8Array };

/** The issuer refused with an `invoice_error` (BOLT 12). */
export interface IssuerError {
  readonly kind: 'issuerError';
  readonly erroneousField: bigint | undefined;
  readonly suggestedValue: Uint8Array | undefined;
  readonly error: string;
}

function errorOf(failure: FetchFailure): ErrorName {
  switch (failure.kind) {
    case 'unreachable':
      return failure.why?.kind === 'notHandedOver' ? 'unspecified' : 'offerUnreachable';
    case 'timedOut':
      return 'offerTimedOut';
    case 'requestTooLong':
      return 'invalidParams';
    default:
      return 'issuerError';
  }
}

/** Thrown when a fetch brought no invoice. */
export class FetchFailed extends ReasonedError<FetchFailure> {
  /** The ways that were tried. Undefined when none was tried. */
  readonly steps: readonly FetchStep[] | undefined;

  constructor(failure: FetchFailure, steps?: readonly FetchStep[]) {
    super(errorOf(failure), failure);
    this.steps = steps;
  }
}
