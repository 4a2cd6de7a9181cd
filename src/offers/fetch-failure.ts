/**
 * Why a fetch got no invoice, as data: which ways to the issuer failed, and what was received. A way is a route for
 * onion messages, or a connection to the node. The commands add the texts (src/commands/offers/fetch-failure-words.ts).
 */
import type { StaticInvoice } from '../bolt/invoice/bolt12-static-invoice.ts';
import { type ErrorName, ReasonedError } from '../model/errors.ts';
import type { FetchStep } from './fetch-steps.ts';
import type { InvoiceFault } from './invoice-fault.ts';
import type { WayFailure } from './way-failure.ts';

/** Why a fetch got no invoice. */
export type FetchFailure =
  /** Nothing could be sent. `why` is the failure of the last way; absent if the maximum number of tries was reached. */
  | {
      readonly kind: 'unreachable';
      /** The node to reach, or the channel that identifies it. */
      readonly target: string;
      /** Whether the target is the first node of a path of the offer, and not the issuer itself. */
      readonly isPath: boolean;
      readonly why: WayFailure | undefined;
    }
  | { readonly kind: 'timedOut'; readonly timeoutMs: number }
  /** The request is too long for an onion message. */
  | { readonly kind: 'requestTooLong'; readonly cause: string }
  | IssuerError
  /** The issuer sent an error that cannot be read. */
  | { readonly kind: 'unreadableError'; readonly bytes: Uint8Array }
  /** The reply is neither an invoice nor an error. */
  | { readonly kind: 'noInvoice' }
  /** The invoice breaks a rule of BOLT 12 or does not match the request. */
  | { readonly kind: 'wrongInvoice'; readonly fault: InvoiceFault; readonly invoice: Uint8Array }
  /** A server answered this request with a static invoice (bolts#1149). */
  | { readonly kind: 'staticInvoice'; readonly staticInvoice: StaticInvoice; readonly request: Uint8Array }
  /** The reply is a static invoice that breaks a rule or belongs to a different offer. */
  | { readonly kind: 'wrongStaticInvoice'; readonly fault: InvoiceFault; readonly bytes: Uint8Array };

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
    case 'staticInvoice':
      return 'staticInvoice';
    default:
      return 'issuerError';
  }
}

/** Thrown when a fetch got no invoice. */
export class FetchFailed extends ReasonedError<FetchFailure> {
  /** The ways that were tried. Undefined if the request was too long for a message. */
  readonly steps: readonly FetchStep[] | undefined;

  constructor(failure: FetchFailure, steps?: readonly FetchStep[]) {
    super(errorOf(failure), failure);
    this.steps = steps;
  }
}
