/**
 * The events of the node: one type for each kind.
 *
 * An event is a fact about one moment, and never changes. It contains no secret: no preimage, session key, payment
 * secret, or text from a payer. So every event may be logged, counted and sent to clients with permission. The code
 * that shows events chooses texts and member names. Amounts are msat. Times are UNIX milliseconds.
 */
import type { RouteHop } from '../engine/question/route.ts';
import type { InvoicePaid } from '../invoices/index.ts';
import type { NodeId } from '../model/node-id.ts';
import type { FetchEnd, FetchFacts } from '../offers/fetch-event.ts';
import type { FetchStep } from '../offers/fetch-steps.ts';
import type { Learned } from '../payments/learn/lesson.ts';
import type { AttemptFailure, AttemptStatus, PaymentFailure, PaymentKind } from '../payments/payment.ts';

/** The facts that identify a payment, and what was requested. */
export interface PaymentFacts {
  readonly id: string;
  /** The payment's number in the store, counted from 1. */
  readonly createdIndex: number;
  readonly kind: PaymentKind;
  readonly paymentHash: Uint8Array;
  readonly destination: NodeId;
  /** The requested amount, without the random extra of a shadow route. */
  readonly amountMsat: bigint;
  readonly label: string | undefined;
  /** Id of the client's request that began the payment. Undefined if an earlier process began the payment. */
  readonly askedBy: string | undefined;
  readonly createdAtMs: number;
}

/** The outcome of a payment. The amounts are sums over the attempts that did not fail. */
export interface PaymentResult {
  readonly completedAtMs: number;
  readonly deliveredMsat: bigint;
  readonly sentMsat: bigint;
  readonly attempts: number;
  /** Number of attempts that did not fail. */
  readonly parts: number;
  /** The reason why the payment failed. Undefined if it is complete. */
  readonly failure: PaymentFailure | undefined;
}

/** A payment began, or was resumed after a restart. */
export interface PaymentBegan {
  readonly type: 'payment';
  readonly status: 'pending';
  readonly payment: PaymentFacts;
  /** Whether an earlier process or another daemon began the payment. */
  readonly isResumed: boolean;
}

/**
 * A payment waits for the block with this height, which its recipient has seen and we have not. If `height` is
 * undefined, the payment waits until the recipient of its static invoice comes online.
 */
export interface PaymentWaits {
  readonly type: 'payment';
  readonly status: 'waiting';
  readonly payment: PaymentFacts;
  readonly height: number | undefined;
}

/** The outcome of a payment. It is on disk unless writing failed. Parts may still be in flight. */
export interface PaymentEnded {
  readonly type: 'payment';
  readonly status: 'complete' | 'failed';
  readonly payment: PaymentFacts;
  readonly result: PaymentResult;
}

/** One HTLC of a payment was sent, was settled, or failed. */
export interface AttemptChanged {
  readonly type: 'attempt';
  readonly status: AttemptStatus;
  readonly payment: PaymentFacts;
  /** The attempt's number in the store, counted from 1. */
  readonly createdIndex: number;
  /** Name of the node that sends the HTLC. Undefined if we have only one node. */
  readonly ownNode?: string | undefined;
  readonly partId: number;
  readonly path: readonly RouteHop[];
  /** The amount that arrives at the end of the route, and the amount that enters our first channel. */
  readonly amountMsat: bigint;
  readonly amountSentMsat: bigint;
  /** Probability that the route can carry the amount, as predicted when the route was chosen. */
  readonly probabilityPpm: number;
  readonly createdAtMs: number;
  readonly completedAtMs: number | undefined;
  readonly failure: AttemptFailure | undefined;
}

/** The lessons that were recorded when an attempt ended. */
export interface LessonsLearned {
  readonly type: 'learned';
  readonly payment: PaymentFacts;
  readonly partId: number;
  readonly lessons: readonly (Learned | string)[];
}

/** A named layer was created, removed or changed. Changes within about 200 ms are combined in one event. */
export interface LayerChanged {
  readonly type: 'layer';
  readonly status: 'created' | 'changed' | 'removed';
  readonly name: string;
  readonly isPersistent: boolean;
  /** Number of combined changes. 0 if the layer was created or removed. */
  readonly changes: number;
}

/** A fetch of an invoice began, or ended. */
export type FetchChanged =
  | { readonly type: 'fetch'; readonly status: 'began'; readonly fetch: FetchFacts }
  | {
      readonly type: 'fetch';
      readonly status: 'ended';
      readonly fetch: FetchFacts;
      readonly tookMs: number;
      readonly steps: readonly FetchStep[];
      readonly end: FetchEnd;
    };

/** The facts that identify an invoice of our own node. */
export interface OwnInvoiceFacts {
  readonly label: string;
  readonly createdIndex: number;
  readonly paymentHash: Uint8Array;
  /** Undefined if the payer chooses the amount. */
  readonly amountMsat: bigint | undefined;
  /** Expiry in UNIX seconds. */
  readonly expiresAt: number;
}

/**
 * An invoice of our own node was paid, or has expired. An expired invoice may still be paid later, if the node accepted
 * the payment in time.
 */
export type InvoiceChanged = { readonly type: 'invoice'; readonly invoice: OwnInvoiceFacts } & (
  | { readonly status: 'paid'; readonly paid: InvoicePaid }
  | { readonly status: 'expired' }
);

/**
 * Figures of the whole node: counts since its start, and its state at this moment. Published once a second while a
 * client follows.
 */
export interface Figures {
  readonly paymentsInFlight: number;
  readonly paymentsComplete: number;
  readonly paymentsFailed: number;
  readonly htlcsInFlight: number;
  readonly htlcsInFlightMsat: bigint;
  /** Time at which the oldest HTLC in flight was sent, in UNIX milliseconds. Undefined if none is in flight. */
  readonly oldestHtlcAtMs: number | undefined;
  readonly attemptsSettled: number;
  readonly attemptsFailed: number;
  readonly fetchesInFlight: number;
  /** Numbers of route searches: answered since the start, waiting, and running. */
  readonly searchesAnswered: number;
  readonly searchesQueued: number;
  readonly searchesRunning: number;
  readonly workers: number;
  /** Number of workers replaced since the start. */
  readonly workersReplaced: number;
  /**
   * Median and 99th percentile of search times in the last ten seconds, in milliseconds. Undefined if there were no
   * searches.
   */
  readonly searchMsP50: number | undefined;
  readonly searchMsP99: number | undefined;
  /**
   * Number of commits to the database since the start, and the median and 99th percentile of their durations in the
   * last ten seconds.
   */
  readonly commits: number;
  readonly commitMsP50: number | undefined;
  readonly commitMsP99: number | undefined;
  readonly blockHeight: number;
  readonly residentBytes: number;
}

/** The figures of one moment. */
export interface StatsTaken {
  readonly type: 'stats';
  readonly figures: Figures;
}

/** An event without its id and time. */
export type EventBody =
  | PaymentBegan
  | PaymentWaits
  | PaymentEnded
  | AttemptChanged
  | LessonsLearned
  | LayerChanged
  | FetchChanged
  | InvoiceChanged
  | StatsTaken;

/** One event. `id` increases with each event, and from one run of the node to the next. */
export type NodeEvent = { readonly id: number; readonly atMs: number } & EventBody;
