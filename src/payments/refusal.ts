/**
 * Why a payment is not begun, as data. The commands make the texts (src/commands/payments/refusal-words.ts).
 */
import { type ErrorName, ReasonedError } from '../model/errors.ts';
import type { NodeId } from '../model/node-id.ts';
import type { NetworkKind } from '../network/port.ts';
import type { RequestPart } from './request-parts.ts';

/** The reasons why a payment is not begun. */
export type PaymentRefusal =
  /** The service is stopping. */
  | { readonly kind: 'closed' }
  /** So many payments are in progress already. */
  | { readonly kind: 'tooMany'; readonly live: number }
  /** The network behind this node is of a kind that has no channels to pay with. */
  | { readonly kind: 'noChannels'; readonly network: NetworkKind }
  /** The node that has the channels cannot pay at the moment. The text says why, for people. */
  | { readonly kind: 'nodeAway'; readonly nodeId: NodeId; readonly problem: string }
  /** The recipient is one of our own nodes, and the caller did not ask for a transfer. */
  | { readonly kind: 'toOurselves'; readonly node: string }
  /** The amount is more than all bitcoin there will ever be. */
  | { readonly kind: 'amountTooLarge' }
  /** The fee limit is given in two ways that exclude each other: as an amount, and as a share or an exemption. */
  | { readonly kind: 'twoFeeLimits' }
  /** A share of the amount as fee limit does not fit 64 bits. */
  | { readonly kind: 'feeShareTooLarge' }
  /** The recipient's payload fits no onion, because of the caller's records or the invoice's fields. */
  | {
      readonly kind: 'payloadTooLarge';
      readonly isInvoices: boolean;
      readonly bytes: number;
      readonly room: number;
    }
  /** The node that builds the onions cannot send records of such low types. */
  | {
      readonly kind: 'recordTypeTooLow';
      readonly network: NetworkKind;
      readonly type: bigint;
      readonly least: bigint;
    }
  /** The node that builds the onions cannot send the payment metadata that the invoice asks for. */
  | { readonly kind: 'metadataNotSent'; readonly network: NetworkKind }
  /** The idempotency key was used for a payment that was deleted. */
  | { readonly kind: 'keySpent'; readonly paymentHash: Uint8Array; readonly status: string }
  /** The idempotency key was used by another caller. */
  | { readonly kind: 'keyOfAnother' }
  /** The idempotency key was used for a request that differs in these. */
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

/** Thrown when a payment is not begun. */
export class PaymentRefused extends ReasonedError<PaymentRefusal> {
  constructor(refusal: PaymentRefusal) {
    super(ERRORS_OF[refusal.kind], refusal);
  }
}
