/**
 * Why a payment is refused at the start, as data. The commands add the texts (src/commands/payments/refusal-words.ts).
 */
import { type ErrorName, ReasonedError } from '../model/errors.ts';
import type { NodeId } from '../model/node-id.ts';
import type { NetworkKind } from '../network/port.ts';
import type { RequestPart } from './request-parts.ts';

/** The reasons for refusing a payment at the start. */
export type PaymentRefusal =
  /** The service is stopping. */
  | { readonly kind: 'closed' }
  /** `live` payments, which is the maximum, are already in progress. */
  | { readonly kind: 'tooMany'; readonly live: number }
  /** This kind of network has no channels to pay with. */
  | { readonly kind: 'noChannels'; readonly network: NetworkKind }
  /** The node that has the channels cannot pay at the moment, for the reason in `problem`. */
  | { readonly kind: 'nodeAway'; readonly nodeId: NodeId; readonly problem: string }
  /** The recipient is one of our own nodes, and the caller did not request a transfer. */
  | { readonly kind: 'toOurselves'; readonly node: string }
  /** The amount exceeds the total supply of bitcoin. */
  | { readonly kind: 'amountTooLarge' }
  /** The fee limit is given both as an amount and as a share or an exemption, which cannot be combined. */
  | { readonly kind: 'twoFeeLimits' }
  /** The fee limit, as a share of the amount, does not fit in 64 bits. */
  | { readonly kind: 'feeShareTooLarge' }
  /** The recipient's payload does not fit in an onion, because of the caller's records or the invoice's fields. */
  | {
      readonly kind: 'payloadTooLarge';
      readonly isInvoices: boolean;
      readonly bytes: number;
      readonly room: number;
    }
  /** The node that builds the onions cannot send records with types below `least`. */
  | {
      readonly kind: 'recordTypeTooLow';
      readonly network: NetworkKind;
      readonly type: bigint;
      readonly least: bigint;
    }
  /** The node that builds the onions cannot send the payment metadata that the invoice requires. */
  | { readonly kind: 'metadataNotSent'; readonly network: NetworkKind }
  /** The idempotency key was used for a payment that was deleted. */
  | { readonly kind: 'keySpent'; readonly paymentHash: Uint8Array; readonly status: string }
  /** The idempotency key was used by another caller. */
  | { readonly kind: 'keyOfAnother' }
  /** The idempotency key was used for an earlier request, from which this request differs in these parts. */
  | { readonly kind: 'otherRequest'; readonly differing: readonly RequestPart[] };

const ERRORS_OF = {
  closed: 'shuttingDown',
  tooMany: 'busy',
  noChannels: 'notSupported',
  nodeAway: 'nodeAway',
  toOurselves: 'invalidParams',
  amountTooLarge: 'invalidParams',
  twoFeeLimits: 'invalidParams',
  feeShareTooLarge: 'invalidParams',
  payloadTooLarge: 'invalidParams',
  recordTypeTooLow: 'invalidParams',
  metadataNotSent: 'notSupported',
  keySpent: 'invalidParams',
  keyOfAnother: 'invalidParams',
  otherRequest: 'invalidParams',
} as const satisfies Record<PaymentRefusal['kind'], ErrorName>;

/** Thrown when a payment is refused at the start. */
export class PaymentRefused extends ReasonedError<PaymentRefusal> {
  constructor(refusal: PaymentRefusal) {
    super(ERRORS_OF[refusal.kind], refusal);
  }
}
