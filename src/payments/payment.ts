/**
 * The types of this folder: a payment request, each HTLC sent for it, and their outcomes.
 *
 *   payment   pending → complete | failed
 *   attempt   sent → settled | failed          (journaled as sent before its HTLC leaves)
 *
 * A payment is complete once one attempt has settled: the preimage is known, so the payment can no longer fail. It has
 * failed once it makes no further attempt and none is in flight. Both states are final.
 */
import type { FailureName } from '../bolt/onion/failure.ts';
import type { TlvRecord } from '../bolt/tlv.ts';
import type { RouteHop } from '../engine/question/route.ts';
import type { ErrorName } from '../model/errors.ts';
import type { Msat } from '../model/msat.ts';
import type { NodeId } from '../model/node-id.ts';
import type { Toll } from '../model/policy.ts';
import type { ShortChannelId, ShortChannelIdDir } from '../model/short-channel-id.ts';
import type { RefusalCause } from '../network/port.ts';
import type { Learned } from './learn/lesson.ts';
import type { Circle } from './plan/circle.ts';
import type { FeeTerms } from './plan/fee-terms.ts';
import type { AskedInvoice, InvoiceTerms } from './plan/invoice-terms.ts';
import type { NoPlan, RefusedPlan } from './plan/no-plan.ts';

/**
 * The requesting command, which determines the texts of errors and the numbering of parts. A `sendpay` plans nothing:
 * its caller gives the route of each part. A `probe` is requested by this node itself (probes/prober.ts); its
 * preimage is known to no one, and lists and books do not show it as a payment.
 */
export type PaymentKind = 'keysend' | 'xkeysend' | 'xpay' | 'pay' | 'sendpay' | 'probe';

/** An onion built by the caller. */
export interface GivenOnion {
  /** The packet for the first peer. */
  readonly packet: Uint8Array;
  /** One secret per hop, for decrypting failures. Empty if the caller keeps the secrets to itself. */
  readonly sharedSecrets: readonly Uint8Array[];
}

/** One hop of a route hint: the channel that leaves `nodeId`, and its terms. */
export interface HintHop extends Toll {
  readonly nodeId: NodeId;
  readonly shortChannelId: ShortChannelId;
}

/** A payment request with all limits resolved. The journal stores it unchanged. */
export interface PaymentRequest {
  readonly kind: PaymentKind;
  readonly destination: NodeId;
  readonly amountMsat: Msat;
  readonly label: string | undefined;
  readonly maxfeeMsat: Msat;
  /**
   * The parameter with which the caller limited the fees. Remedies for a fee limit that is too low name this parameter.
   */
  readonly feeTerms?: FeeTerms;
  /**
   * Delay limit, as in `RouteQuery`: maximum blocks for which any HTLC may be locked, including the recipient's final
   * delay.
   */
  readonly maxdelay: number;
  /** Seconds after the request during which new attempts may start. The first attempt may also start later. */
  readonly retryForS: number;
  readonly extraTlvs: readonly TlvRecord[];
  readonly routeHints: readonly (readonly HintHop[])[];
  /** Names of layers added by the caller. */
  readonly layers: readonly string[];
  /** Our nodes that may send parts. Undefined if all may. */
  readonly ourNodes?: readonly NodeId[] | undefined;
  /** Whether all parts must leave from the same node of ours. */
  readonly oneNode?: boolean | undefined;
  /**
   * Whether this is a transfer between two of our own nodes. If we have several nodes, any other payment to one of them
   * is refused.
   */
  readonly isTransfer?: boolean | undefined;
  /** Only for a payment to ourselves: the channels over which it leaves and returns. */
  readonly circle?: Circle | undefined;
  /** Nodes and directions that the caller forbids. */
  readonly exclude?: readonly (NodeId | ShortChannelIdDir)[];
  /** The invoice being paid. Undefined for a payment without an invoice, such as a keysend. */
  readonly invoice?: InvoiceTerms | undefined;
  /** What the caller requested to pay, such as the text of the invoice or offer. */
  readonly asked?: AskedInvoice | undefined;
  /** Only for a `sendpay` with one part: the onion to send unchanged. Its route is then only the first hop. */
  readonly onion?: GivenOnion | undefined;
  /** A seed of 64 bits. The same seed gives the same plan while graph, layers and balances are the same. */
  readonly seed: bigint;
  /** Whether the caller chose the seed. Undefined in old journals, which did not record it. */
  readonly isSeedChosen: boolean | undefined;
  readonly useShadow: boolean;
  readonly randomize: boolean;
  /**
   * Chosen by the caller. A repeated request with the same key returns the outcome of the first request, unless the key
   * may be reused (idempotency-keys.ts). Core Lightning has no such key.
   */
  readonly idempotencyKey: string | undefined;
}

/** A payment request without the members that only the recipient or its invoice can provide. */
export type PaymentTerms = Omit<PaymentRequest, 'destination' | 'routeHints' | 'invoice'>;

/**
 * A payment whose invoice must be fetched first. Until then, the recipient is known only for a transfer: it is one of
 * our own nodes.
 */
export interface UnfetchedPayment extends PaymentTerms {
  readonly destination?: NodeId;
  /** Fetches the invoice. @returns the request that pays it */
  readonly fetch: () => Promise<PaymentRequest>;
}

/**
 * What to pay: a node, an invoice, or something whose invoice must be fetched first, such as an offer. A BIP 353 name
 * must already have been resolved to its offer.
 */
export type PaymentTarget = PaymentRequest | UnfetchedPayment;

/** Whether an invoice must be fetched before anything can be sent. */
export const isUnfetched = (target: PaymentTarget): target is UnfetchedPayment => 'fetch' in target;

/** Blocks and msat added to a route, so that it looks longer than it is; see shadow.ts. */
export interface ShadowOffset {
  readonly delayBlocks: number;
  readonly amountMsat: Msat;
}

/**
 * How an attempt failed. Node indexes along the route: 0 is our own node, 1 the first peer; the recipient's index is
 * the number of hops.
 */
export interface AttemptFailure {
  /** The failure message without padding. Undefined unless we decrypted one. */
  readonly rawMessage: Uint8Array | undefined;
  readonly failcode: number | undefined;
  readonly failcodename: FailureName | undefined;
  /** Undefined if the failing node is unknown, because the packet could not be decrypted. */
  readonly erringIndex: number | undefined;
  readonly erringNode: NodeId | undefined;
  readonly erringChannel: ShortChannelIdDir | undefined;
  /** Whether the recipient itself reported the failure. */
  readonly isFinal: boolean;
  /** Why the HTLC did not leave, if no node of the route received it. */
  readonly notSent?: NotSent;
  /** Only in journals of earlier versions: the text that the network reported. */
  readonly message?: string;
}

/** Why an HTLC did not leave us. */
export type NotSent =
  /**
   * Our own node or channel refused the HTLC. `reason` is the node's text, from which `cause` is derived if possible.
   */
  | {
      readonly kind: 'byNode';
      readonly reason: string;
      readonly cause?: RefusalCause;
      /** Preimage of the payment, in hex. Only with the cause `paidElsewhere`. */
      readonly preimage?: string;
    }
  /** The payment had already finished. */
  | { readonly kind: 'concluded' }
  /** The service stopped, or lost its connection to the network before anything was sent. */
  | { readonly kind: 'stopped' }
  | RefusedPlan;

/** An attempt is `sent` until the network reports its outcome, and `settled` once the preimage was received. */
export type AttemptStatus = 'sent' | 'settled' | 'failed';

/** One HTLC of a payment. */
export interface Attempt {
  /** 128 random bits as 32 hex digits, unique across machines. The network identifies the attempt by this id. */
  readonly id: string;
  /** Number of this attempt in the store, from 1. The attempts of one daemon have increasing numbers. */
  readonly createdIndex: number;
  /**
   * Only with a database that several daemons can share: place of this attempt in the order in which attempts were
   * committed.
   */
  createdOrder?: number | undefined;
  /** Only if we have several nodes: name of the node that sends the HTLC. */
  readonly ownNode?: string | undefined;
  readonly partId: number;
  readonly path: readonly RouteHop[];
  /** Amount that arrives at the end of the route, including the shadow amount (shadow.ts). */
  readonly amountMsat: Msat;
  /** Amount that enters our first channel, including fees. */
  readonly amountSentMsat: Msat;
  /** Probability that the route can carry the amount, as estimated when it was chosen. */
  readonly probabilityPpm: number;
  /**
   * The probability before it was corrected by the outcomes of earlier predictions. Undefined if odds are not learned.
   */
  readonly uncorrectedPpm?: number | undefined;
  /** Chain height when the attempt was planned. Delays count from the next block. */
  readonly height: number;
  /** Whether the payload marks the payment as multi-part. */
  readonly partOfSeveral: boolean;
  /** Session key of the onion. It decrypts failures, even after a restart. */
  readonly sessionKey: Uint8Array;
  readonly createdAtMs: number;
  status: AttemptStatus;
  completedAtMs: number | undefined;
  /** Number of this attempt's latest change among the changes of all attempts. Undefined before its first change. */
  updatedIndex: number | undefined;
  failure: AttemptFailure | undefined;
  /** What this attempt taught. In journals of earlier versions, each lesson is a line of text. */
  learned: readonly (Learned | string)[];
}

/**
 * Why a payment failed, that is, why it made no further attempt. Error texts are derived from this reason and the
 * attempts on demand.
 */
export type PaymentFailure = FailureReason | FailureInWords;

/** The reason as data, without texts. */
export interface FailureReason {
  readonly obstacle: Obstacle;
  /** Why there is no route, if that is the obstacle. */
  readonly noPlan?: NoPlan;
  /**
   * Whether the recipient of a static invoice was never asked for a release, because no message to its server was sent.
   */
  readonly isUnasked?: boolean;
  /** Only in journals of earlier versions: why there is no route, as text. */
  readonly noRoute?: NoRouteInWords;
}

/** Why there was no route, in journals of an earlier version. */
export type NoRouteInWords = Required<FailureInWords>;

/** Only in journals of earlier versions: the reason as the complete error for the caller. */
export interface FailureInWords {
  readonly error: ErrorName;
  readonly message: string;
  readonly data?: Readonly<Record<string, unknown>>;
}

/** States of a payment; see the top of this file. */
export type PaymentStatus = 'pending' | 'complete' | 'failed';

/** A payment: its request, and everything that happened to it. Attempts are in order of creation. */
export interface Payment {
  /** 128 random bits as 32 hex digits, unique across machines. */
  readonly id: string;
  /** Number of this payment in the store, from 1. The payments that one daemon starts have increasing numbers. */
  readonly createdIndex: number;
  /** Place of this payment in the order in which payments were recorded. Undefined until it is recorded. */
  createdOrder?: number | undefined;
  readonly request: PaymentRequest;
  readonly paymentHash: Uint8Array;
  /**
   * For a keysend and a static invoice, we choose the preimage, and know it from the start. For any other invoice, it
   * is known once an attempt has settled.
   */
  preimage: Uint8Array | undefined;
  /** Identifies the parts of one payment to our node. 0 for a keysend, and for a `sendpay` whose caller chose 0. */
  readonly groupId: bigint;
  /**
   * Identifies the parts of one payment to the recipient. Undefined if a keysend can have only one part, and for a BOLT
   * 12 invoice, whose blinded paths identify the payment.
   */
  readonly paymentSecret: Uint8Array | undefined;
  /** Total amount to deliver: the requested amount plus the shadow amount (shadow.ts). */
  totalMsat: Msat;
  readonly createdAtMs: number;
  /** Id of the original request, for logs. Undefined for a payment read from the journal. */
  readonly askedBy?: string | undefined;
  readonly attempts: Attempt[];
  status: PaymentStatus;
  completedAtMs: number | undefined;
  failure: PaymentFailure | undefined;
}

/** The members of an attempt that lists show. */
export type AttemptOutline = Pick<
  Attempt,
  | 'createdIndex'
  | 'createdOrder'
  | 'ownNode'
  | 'partId'
  | 'amountMsat'
  | 'amountSentMsat'
  | 'createdAtMs'
  | 'status'
  | 'completedAtMs'
  | 'updatedIndex'
>;

/** The members of a payment that lists show. A `Payment` has all of them. */
export interface PaymentOutline
  extends Pick<
    Payment,
    'id' | 'createdIndex' | 'request' | 'paymentHash' | 'preimage' | 'groupId' | 'createdAtMs' | 'status'
  > {
  readonly attempts: readonly AttemptOutline[];
}

/**
 * The block height at which an HTLC expires if it is sent at chain height `height` with a delay of `delay` blocks.
 * Delays count from the next block.
 */
export function absoluteExpiry(height: number, delay: number): number {
  return height + 1 + delay;
}

/** Blocks for which a route locks our money. */
export function routeDelay(path: readonly RouteHop[]): number {
  return path[0]!.cltvOut;
}

/**
 * Thrown to a caller that requested a plan or a quote when there is no plan. Contains the payment that would have
 * failed.
 */
export class PaymentFailed extends Error {
  readonly payment: Payment;

  constructor(payment: Payment) {
    super(`payment ${payment.createdIndex} failed`);
    this.payment = payment;
  }
}

/** Why a payment makes no further attempt. */
export type Obstacle =
  | 'recipientRefused'
  | 'noRoute'
  | 'outOfTime'
  | 'outOfAttempts'
  /** The invoice has expired by now. */
  | 'invoiceExpired'
  /** The recipient of a static invoice did not release the payment in time. Nothing was sent. */
  | 'notReleased'
  /** An earlier process, or another daemon, started the payment, and it may make no further attempt (resumption.ts). */
  | 'interrupted'
  /** Our own node refuses this payment, or is unreachable. */
  | 'ownNodeRefused'
  /** The caller gave the routes, and no attempt has settled. */
  | 'givenRouteFailed';
