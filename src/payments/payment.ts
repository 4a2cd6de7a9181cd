/**
 * The nouns of this folder: what is requested, each HTLC sent for it, and how it ended.
 *
 *   payment   pending → complete | failed
 *   attempt   sent → settled | failed          (journaled as sent before its HTLC leaves)
 *
 * A payment is complete with its first settled attempt: the preimage is out, so nothing can fail it any more.
 * It is failed when it makes no further attempt and none is in flight. Both states are final.
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
 * The command that asked. It decides how errors read and how parts are numbered. A `sendpay` plans nothing: its caller
 * gives the route of each part. A `probe` was requested by this node itself (probes/prober.ts); it has no preimage that
 * anyone knows, and it is no payment in lists and books.
 */
export type PaymentKind = 'keysend' | 'xkeysend' | 'xpay' | 'pay' | 'sendpay' | 'probe';

/** An onion that the caller made. */
export interface GivenOnion {
  /** The packet for the first peer. */
  readonly packet: Uint8Array;
  /** One secret per hop, which decrypt failures. Empty when the caller keeps them. */
  readonly sharedSecrets: readonly Uint8Array[];
}

/** One hop of a route hint: the channel that leaves `nodeId`, and its terms. */
export interface HintHop extends Toll {
  readonly nodeId: NodeId;
  readonly shortChannelId: ShortChannelId;
}

/** What a caller asks for, with all limits resolved. It is kept in the journal as it is. */
export interface PaymentRequest {
  readonly kind: PaymentKind;
  readonly destination: NodeId;
  readonly amountMsat: Msat;
  readonly label: string | undefined;
  readonly maxfeeMsat: Msat;
  /** The parameter by which the caller limited the fees. A remedy for the fee limit speaks of it. */
  readonly feeTerms?: FeeTerms;
  /**
   * Delay limit, as in `RouteQuery`: most blocks for which any HTLC may be locked, including those of the
   * recipient.
   */
  readonly maxdelay: number;
  /** Seconds after the request in which new attempts may begin. The first attempt is always made. */
  readonly retryForS: number;
  readonly extraTlvs: readonly TlvRecord[];
  readonly routeHints: readonly (readonly HintHop[])[];
  /** Names of layers that the caller adds. */
  readonly layers: readonly string[];
  /** Those of our nodes that may send parts. Undefined: all. */
  readonly ourNodes?: readonly NodeId[] | undefined;
  /** Whether all parts must leave from one of our nodes. */
  readonly oneNode?: boolean | undefined;
  /** Whether it moves money between two of our own nodes. Otherwise a payment to one of them is refused. */
  readonly isTransfer?: boolean | undefined;
  /** Only for a payment to ourselves: the channels by which it leaves and comes back. */
  readonly circle?: Circle | undefined;
  /** Nodes and directions that the caller forbids. */
  readonly exclude?: readonly (NodeId | ShortChannelIdDir)[];
  /** The invoice that is paid. Absent when the recipient needs none. */
  readonly invoice?: InvoiceTerms | undefined;
  /** How its caller gave it. */
  readonly asked?: AskedInvoice | undefined;
  /** Only for a `sendpay` of one part: the onion that is sent as it is. Its route is then only the first hop. */
  readonly onion?: GivenOnion | undefined;
  /** 64 bits. The same seed gives the same plan while graph, layers and balances are the same. */
  readonly seed: bigint;
  /** Whether the caller chose the seed. Undefined in old journals, which do not say. */
  readonly isSeedChosen: boolean | undefined;
  readonly useShadow: boolean;
  readonly randomize: boolean;
  /**
   * Chosen by the caller. A repeated request with the same key gets the outcome of the first. Core Lightning
   * has no such key.
   */
  readonly idempotencyKey: string | undefined;
}

/** What a caller asks for, apart from what only the recipient or its invoice says. */
export type PaymentTerms = Omit<PaymentRequest, 'destination' | 'routeHints' | 'invoice'>;

/**
 * A payment whose invoice must be fetched first. The recipient of an offer is unknown until then. That of a transfer is
 * one of our own nodes.
 */
export interface UnfetchedPayment extends PaymentTerms {
  readonly destination?: NodeId;
  /** Fetches the invoice. @returns the request that pays it */
  readonly fetch: () => Promise<PaymentRequest>;
}

/** What can be paid: a node, an invoice, or something whose invoice is fetched first. A name becomes its offer before. */
export type PaymentTarget = PaymentRequest | UnfetchedPayment;

/** Whether an invoice must be fetched before anything can be sent. */
export const isUnfetched = (target: PaymentTarget): target is UnfetchedPayment => 'fetch' in target;

/** How much a route is made to look longer than it is; see shadow.ts. */
export interface ShadowOffset {
  readonly delayBlocks: number;
  readonly amountMsat: Msat;
}

/**
 * How an attempt failed. Indexes count nodes: 0 is ourselves, 1 the first peer, and the number of hops is the
 * recipient.
 */
export interface AttemptFailure {
  /** The failure message without padding. Undefined when no message of a node could be read. */
  readonly rawMessage: Uint8Array | undefined;
  readonly failcode: number | undefined;
  readonly failcodename: FailureName | undefined;
  /** Undefined if unknown, because the packet could not be read. */
  readonly erringIndex: number | undefined;
  readonly erringNode: NodeId | undefined;
  readonly erringChannel: ShortChannelIdDir | undefined;
  /** Whether the recipient itself reported the failure. */
  readonly isFinal: boolean;
  /** Why the HTLC did not leave, when no node of the route got it. */
  readonly notSent?: NotSent;
  /** Only in journals of earlier versions: the failure as it was reported. */
  readonly message?: string;
}

/** Why an HTLC did not leave us. */
export type NotSent =
  /** Our own node or channel refused it, in its words. The cause is read from the words, if they contain one. */
  | {
      readonly kind: 'byNode';
      readonly reason: string;
      readonly cause?: RefusalCause;
      /** In hex. Only with the cause `paidElsewhere`. */
      readonly preimage?: string;
    }
  /** The payment had its outcome already. */
  | { readonly kind: 'concluded' }
  /** The service was stopped, or lost the network, before. */
  | { readonly kind: 'stopped' }
  | RefusedPlan;

/** Sent until the network reports its outcome. Settled means that the preimage came back. */
export type AttemptStatus = 'sent' | 'settled' | 'failed';

/** One HTLC of a payment. */
export interface Attempt {
  /** 128 random bits as 32 hex digits, unique over machines. The network knows the attempt by this id. */
  readonly id: string;
  /** Its number among all attempts that were ever made here, from 1. */
  readonly createdIndex: number;
  /** Its place in the order of creation, where several daemons share a store: the order of commits. */
  createdOrder?: number | undefined;
  /** Name of the node of ours that sends it. Only where several may. */
  readonly ownNode?: string | undefined;
  readonly partId: number;
  readonly path: readonly RouteHop[];
  /** Amount that arrives at the end of the route, shadow included. */
  readonly amountMsat: Msat;
  /** Amount that enters our first channel, fees included. */
  readonly amountSentMsat: Msat;
  /** Probability that the route can carry the amount, as believed when it was chosen. */
  readonly probabilityPpm: number;
  /** The same before it was corrected by how earlier odds held. Undefined where odds are not learned. */
  readonly uncorrectedPpm?: number | undefined;
  /** Height of the chain when it was planned. Delays count from the block after it. */
  readonly height: number;
  /** Whether the payload marks the payment as multi-part. */
  readonly partOfSeveral: boolean;
  /** Session key of the onion. It decrypts failures, even after a restart. */
  readonly sessionKey: Uint8Array;
  readonly createdAtMs: number;
  status: AttemptStatus;
  completedAtMs: number | undefined;
  /** Number of its latest change among all changes of attempts. Undefined before the first change. */
  updatedIndex: number | undefined;
  failure: AttemptFailure | undefined;
  /** What it taught. Journals of earlier versions have one line of text for each. */
  learned: readonly (Learned | string)[];
}

/**
 * Why a payment failed, that is, why no further attempt was made. Together with the attempts this is all
 * there is to tell. Words are made from it where they are requested.
 */
export type PaymentFailure = FailureReason | FailureInWords;

/** The reason as a value, without words. */
export interface FailureReason {
  readonly obstacle: Obstacle;
  /** Why there is no route, when that is the obstacle. */
  readonly noPlan?: NoPlan;
  /** The same in journals of earlier versions: in words. */
  readonly noRoute?: NoRouteInWords;
}

/** Why there was no route, in journals of an earlier version. */
export type NoRouteInWords = Required<FailureInWords>;

/** The reason in journals of earlier versions: the whole error that the caller got. */
export interface FailureInWords {
  readonly error: ErrorName;
  readonly message: string;
  readonly data?: Readonly<Record<string, unknown>>;
}

/** See the head of this file for what the states promise. */
export type PaymentStatus = 'pending' | 'complete' | 'failed';

/**
 * A payment: its request, and everything that happened to it. Attempts are in the order they were
 * made.
 */
export interface Payment {
  /** 128 random bits as 32 hex digits, unique over machines. */
  readonly id: string;
  /** Its number among all payments started by this daemon, from 1. */
  readonly createdIndex: number;
  /** Its place in the order in which payments were recorded. Undefined before that. */
  createdOrder?: number | undefined;
  readonly request: PaymentRequest;
  readonly paymentHash: Uint8Array;
  /**
   * For a keysend, ours from the beginning. For an invoice, the recipient's, which is known when the payment
   * has settled.
   */
  preimage: Uint8Array | undefined;
  /** Ties the parts of one payment together. 0 for keysend. */
  readonly groupId: bigint;
  /** Ties the parts together for the recipient. Undefined when the recipient takes only one part. */
  readonly paymentSecret: Uint8Array | undefined;
  /** Amount that is to arrive in all: the amount asked for, plus that of the shadow. */
  totalMsat: Msat;
  readonly createdAtMs: number;
  /** Id of the request that began it, for logs. Undefined for a payment that was read from the journal. */
  readonly askedBy?: string | undefined;
  readonly attempts: Attempt[];
  status: PaymentStatus;
  completedAtMs: number | undefined;
  failure: PaymentFailure | undefined;
}

/** What lists of payments show of an attempt. */
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

/** What they show of a payment. A whole payment is one too. */
export interface PaymentOutline
  extends Pick<
    Payment,
    'id' | 'createdIndex' | 'request' | 'paymentHash' | 'preimage' | 'groupId' | 'createdAtMs' | 'status'
  > {
  readonly attempts: readonly AttemptOutline[];
}

/** The block height at which an HTLC expires that has `delay` blocks left when the chain is at `height`. */
export function absoluteExpiry(height: number, delay: number): number {
  return height + 1 + delay;
}

/** Blocks for which a route locks our money. */
export function routeDelay(path: readonly RouteHop[]): number {
  return path[0]!.cltvOut;
}

/**
 * Thrown to a caller who asked only for a plan and gets none; it carries the payment that would have failed.
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
  /** The invoice has expired meanwhile. */
  | 'invoiceExpired'
  /** An earlier process began it. Its caller is gone, so it makes no further attempt. */
  | 'interrupted'
  /** Our own node does not make this payment, or is away. */
  | 'ownNodeRefused'
  /** The caller gave the routes, and none of them led to the recipient. */
  | 'givenRouteFailed';
