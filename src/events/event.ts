/**
 * The events of the node: one type for each kind.
 *
 * An event is a fact about one moment, and never changes. It contains no secret: no preimage, session key, payment
 * secret, or text from a payer. So every event may be logged, counted and sent to clients with permission. The code
 * that shows events creates texts and names of members. Amounts are msat, times UNIX milliseconds.
 */
import type { RouteHop } from '../engine/question/route.ts';
import type { InvoicePaid } from '../invoices/index.ts';
import type { NodeId } from '../model/node-id.ts';
import type { FetchEnd, FetchFacts } from '../offers/fetch-news.ts';
import type { FetchStep } from '../offers/fetch-steps.ts';
import type { Learned } from '../payments/learn/lesson.ts';
import type { AttemptFailure, AttemptStatus, PaymentFailure, PaymentKind } from '../payments/payment.ts';

/** What identifies a payment, and what was requested. */
export interface PaymentFacts {
  readonly id: string;
  /** Its number among all payments begun here, from 1. */
  readonly createdIndex: number;
  readonly kind: PaymentKind;
  readonly paymentHash: Uint8Array;
  readonly destination: NodeId;
  /** The requested amount, without shadow. */
  readonly amountMsat: bigint;
  readonly label: string | undefined;
  /** Id of the request that began it. Undefined if an earlier process began it. */
  readonly askedBy: string | undefined;
  readonly createdAtMs: number;
}

/** The outcome of a payment. Its amounts are sums over the attempts that did not fail. */
export interface PaymentResult {
  readonly completedAtMs: number;
  readonly deliveredMsat: bigint;
  readonly sentMsat: bigint;
  readonly attempts: number;
  /** Attempts that did not fail. */
  readonly parts: number;
  /** Why it failed. Undefined if it is complete. */
  readonly failure: PaymentFailure | undefined;
}

/** A payment began, or was resumed after a restart. */
export interface PaymentBegan {
  readonly type: 'payment';
  readonly status: 'pending';
  readonly payment: PaymentFacts;
  /** Whether an earlier process began it. Then its attempts are only followed. */
  readonly isResumed: boolean;
}

/**
 * A payment waits for a block that its recipient has seen and we have not. Without a height, it waits until the recipient
 * of its static invoice comes online.
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
  /** Its number among all attempts made here, from 1. */
  readonly createdIndex: number;
  /** Name of our node that sends it. Only if there are several. */
  readonly ownNode?: string | undefined;
  readonly partId: number;
  readonly path: readonly RouteHop[];
  /** The amount that arrives at the end of the route, and the amount that enters our first channel. */
  readonly amountMsat: bigint;
  readonly amountSentMsat: bigint;
  /** Predicted probability that the route can carry the amount, when it was chosen. */
  readonly probabilityPpm: number;
  readonly createdAtMs: number;
  readonly completedAtMs: number | undefined;
  readonly failure: AttemptFailure | undefined;
}

/** What the learner recorded at the end of an attempt. */
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

/** What identifies an invoice of our own node. */
export interface OwnInvoiceFacts {
  readonly label: string;
  readonly createdIndex: number;
  readonly paymentHash: Uint8Array;
  /** Undefined if the payer chooses. */
  readonly amountMsat: bigint | undefined;
  /** UNIX seconds. */
  readonly expiresAt: number;
}

/**
 * An invoice of our own node was paid, or has expired. An expired one may be paid later, if the node had accepted the
 * payment in time.
 */
export type InvoiceChanged = { readonly type: 'invoice'; readonly invoice: OwnInvoiceFacts } & (
  | { readonly status: 'paid'; readonly paid: InvoicePaid }
  | { readonly status: 'expired' }
);

/** Figures of the whole node, since its start and at this moment. Published once a second while a client follows. */
export interface Figures {
  readonly paymentsInFlight: number;
  readonly paymentsComplete: number;
  readonly paymentsFailed: number;
  readonly htlcsInFlight: number;
  readonly htlcsInFlightMsat: bigint;
  /** When the oldest HTLC in flight was sent, in UNIX milliseconds. Undefined if there is none. */
  readonly oldestHtlcAtMs: number | undefined;
  readonly attemptsSettled: number;
  readonly attemptsFailed: number;
  readonly fetchesInFlight: number;
  /** Route searches: answered since the start, waiting, running; and replaced workers. */
  readonly searchesAnswered: number;
  readonly searchesQueued: number;
  readonly searchesRunning: number;
  readonly workers: number;
  readonly workersReplaced: number;
  /** Median and 99th percentile of search times in the last ten seconds, in milliseconds. Undefined without searches. */
  readonly searchMsP50: number | undefined;
  readonly searchMsP99: number | undefined;
  /** Commits to the database since the start, and the durations of those in the last ten seconds, as above. */
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

/** What happened, without number and time. */
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
