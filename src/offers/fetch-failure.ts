/**
 * Why a fetch brought no invoice, as data: the ways that led nowhere, and what came back. The words are the commands'
 * (src/commands/offers/fetch-failure-words.ts).
 */
import { type ErrorName, ReasonedError } from '../model/errors.ts';
import type { NodeId } from '../model/node-id.ts';
import type { ShortChannelIdDir } from '../model/short-channel-id.ts';
import type { FetchStep } from './fetch-steps.ts';
import type { InvoiceFault } from './invoice-fault.ts';

/** Why one way to an issuer led nowhere. */
export type WayFailure =
  /** The path begins at a channel that nobody knows. */
  | { readonly kind: 'unknownFirstNode'; readonly of: ShortChannelIdDir }
  /** There is no route, and we are told to make no connections. */
  | { readonly kind: 'mayNotConnect' }
  /** A connection failed: the network says why, or the peer takes no messages. */
  | { readonly kind: 'connectFailed'; readonly why: NetworkRefusal | PeerWithoutMessages }
  /** Nobody took the message from us. */
  | { readonly kind: 'notHandedOver'; readonly cause: string }
  | PeerWithoutMessages;

/** What the network refused, in its words. */
export interface NetworkRefusal {
  readonly kind: 'network';
  readonly error: ErrorName;
  readonly cause: string;
}

/** The node is connected, and takes no onion messages. */
export interface PeerWithoutMessages {
  readonly kind: 'takesNoMessages';
  readonly node: NodeId;
}

/** One way to an issuer led nowhere; another one may do. */
export class WayFailed extends ReasonedError<WayFailure> {
  constructor(failure: WayFailure) {
    const isOurs = failure.kind === 'notHandedOver' || failure.kind === 'takesNoMessages';
    super(isOurs ? 'unspecified' : 'offerUnreachable', failure);
  }
}

/** Why a fetch brought no invoice. */
export type FetchFailure =
  /** Nothing could be sent. `why` is of the last way; absent where there were too many ways to try them all. */
  | {
      readonly kind: 'unreachable';
      /** The node that was to be reached, or the channel that names it. */
      readonly target: string;
      /** Whether it is where a path of the offer begins, and not the issuer itself. */
      readonly isPath: boolean;
      readonly why: WayFailure | undefined;
    }
  | { readonly kind: 'timedOut'; readonly timeoutMs: number }
  /** The request does not fit a message. */
  | { readonly kind: 'requestTooLong'; readonly cause: string }
  | IssuerError
  /** The issuer sent an error that cannot be read. */
  | { readonly kind: 'unreadableError'; readonly bytes: Uint8Array }
  /** What came back is neither an invoice nor an error. */
  | { readonly kind: 'noInvoice' }
  /** The invoice is not what was asked for, or breaks a rule. */
  | { readonly kind: 'wrongInvoice'; readonly fault: InvoiceFault; readonly invoice: Uint8Array };

/** The issuer refused, in its words. */
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

/** A fetch brought no invoice. */
export class FetchFailed extends ReasonedError<FetchFailure> {
  /** The ways that were tried; undefined where none was. */
  readonly steps: readonly FetchStep[] | undefined;

  constructor(failure: FetchFailure, steps?: readonly FetchStep[]) {
    super(errorOf(failure), failure);
    this.steps = steps;
  }
}
