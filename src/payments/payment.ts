/**
 * The nouns of this folder: what is asked for, each HTLC sent for it, and how it ended.
 *
 *   payment   pending → complete | failed
 *   attempt   sent → settled | failed          (journaled as sent before its HTLC leaves)
 *
 * A payment is complete with its first settled attempt: the preimage is out, so nothing can fail it any more.
 * It is failed when it will make no attempt any more and none is in flight. Both are final.
 */
import type { FailureName } from '../bolt/failure.ts';
import type { TlvRecord } from '../bolt/tlv.ts';
import type { RouteHop } from '../engine/route.ts';
import type { ErrorName } from '../model/errors.ts';
import type { Msat } from '../model/msat.ts';
import type { NodeId } from '../model/node-id.ts';
import type { Toll } from '../model/policy.ts';
import type { ShortChannelId, ShortChannelIdDir } from '../model/short-channel-id.ts';
import type { Obstacle } from './next-step.ts';
import type { NoRoute } from './planner.ts';
import type { FeeTerms } from './remedy.ts';

/** The way in, which decides how errors read and how parts are numbered. */
export type PaymentKind = 'keysend' | 'xkeysend';

/** One hop of a route hint: the channel that leaves `nodeId`, and its terms. */
export interface HintHop extends Toll {
  readonly nodeId: NodeId;
  readonly shortChannelId: ShortChannelId;
}

export interface PaymentRequest {
  readonly kind: PaymentKind;
  readonly destination: NodeId;
  readonly amountMsat: Msat;
  readonly label: string | undefined;
  readonly maxfeeMsat: Msat;
  /** How the caller said it: what a remedy for the fee limit is called. */
  readonly feeTerms?: FeeTerms;
  /** Delay limit, as in `RouteQuery`: most blocks that any HTLC of it may be locked, the recipient's own included. */
  readonly maxdelay: number;
  /** No attempt starts later than this many seconds after the request; the first always does. */
  readonly retryForS: number;
  readonly extraTlvs: readonly TlvRecord[];
  readonly routeHints: readonly (readonly HintHop[])[];
  /** Layers of the caller's own. */
  readonly layers: readonly string[];
  /** 64 bits; with the same graph, layers and balances the same seed gives the same plan. */
  readonly seed: bigint;
  /** Whether the caller chose the seed. Journals from before this was asked do not say. */
  readonly isSeedChosen: boolean | undefined;
  readonly useShadow: boolean;
  readonly randomize: boolean;
  /** Ours: a repeated request with the same key gets the outcome of the first. */
  readonly idempotencyKey: string | undefined;
}

/** What a route is made to look like beyond its end; see shadow.ts. */
export interface ShadowOffset {
  readonly delayBlocks: number;
  readonly amountMsat: Msat;
}

/** How an attempt failed. Indexes count nodes: 0 we ourselves, 1 the first peer, …, the number of hops the recipient. */
export interface AttemptFailure {
  /** The failure message, without padding; absent when no node's message could be read. */
  readonly rawMessage: Uint8Array | undefined;
  readonly failcode: number | undefined;
  readonly failcodename: FailureName | undefined;
  /** Absent when nobody knows: an unreadable packet. */
  readonly erringIndex: number | undefined;
  readonly erringNode: NodeId | undefined;
  readonly erringChannel: ShortChannelIdDir | undefined;
  /** The recipient itself spoke. */
  readonly isFinal: boolean;
  /** For people: "failed: WIRE_… (reply from remote)". */
  readonly message: string;
}

export type AttemptStatus = 'sent' | 'settled' | 'failed';

export interface Attempt {
  /** 128 random bits as 32 hex digits, unique over machines: what the network knows it by. */
  readonly id: string;
  /** Its place among all attempts that were ever made here; from 1. */
  readonly createdIndex: number;
  readonly partId: number;
  readonly path: readonly RouteHop[];
  /** What arrives at the end of the route, shadow included. */
  readonly amountMsat: Msat;
  /** What enters our first channel. */
  readonly amountSentMsat: Msat;
  /** Probability that the route can carry the amount, as believed when it was chosen. */
  readonly probabilityPpm: number;
  /** Delays count from the block after this one. */
  readonly height: number;
  /** The recipient is told of other parts. */
  readonly partOfSeveral: boolean;
  /** Of the onion: decrypts failures, also after a restart. */
  readonly sessionKey: Uint8Array;
  readonly createdAtMs: number;
  status: AttemptStatus;
  completedAtMs: number | undefined;
  /** Counts changes of attempts; undefined before the first. */
  updatedIndex: number | undefined;
  failure: AttemptFailure | undefined;
  /** What it taught, one line each. */
  learned: readonly string[];
}

/**
 * Why a payment failed: why no further attempt was made. Together with the attempts that is all there is to tell; the
 * words are made where they are asked for.
 */
export type PaymentFailure = FailureReason | FailureInWords;

export interface FailureReason {
  readonly obstacle: Obstacle;
  /** Where the obstacle is that no route was found: why. */
  readonly noRoute?: NoRoute;
}

/** As journals of earlier versions have it: what the caller was told, in whole. */
export interface FailureInWords {
  readonly error: ErrorName;
  readonly message: string;
  readonly data?: Readonly<Record<string, unknown>>;
}

export type PaymentStatus = 'pending' | 'complete' | 'failed';

export interface Payment {
  /** 128 random bits as 32 hex digits, unique over machines. */
  readonly id: string;
  /** From 1, in the order in which payments were begun here. */
  readonly createdIndex: number;
  readonly request: PaymentRequest;
  readonly paymentHash: Uint8Array;
  readonly preimage: Uint8Array;
  /** Ties the parts of one payment together; 0 for keysend. */
  readonly groupId: bigint;
  /** Ties parts together for the recipient; there when it takes several. */
  readonly paymentSecret: Uint8Array | undefined;
  /** What arrives in all: the amount asked for, plus the shadow's. */
  totalMsat: Msat;
  readonly createdAtMs: number;
  readonly attempts: Attempt[];
  status: PaymentStatus;
  completedAtMs: number | undefined;
  failure: PaymentFailure | undefined;
}

/** The expiry of an HTLC with `delay` blocks left to it, when the chain is at `height`. */
export function absoluteExpiry(height: number, delay: number): number {
  return height + 1 + delay;
}

/** Blocks that the whole route locks our money for. */
export function routeDelay(path: readonly RouteHop[]): number {
  return path[0]!.cltvOut;
}

/** A payment that failed, for whoever asked for no more than its plan. */
export class PaymentFailed extends Error {
  readonly payment: Payment;

  constructor(payment: Payment) {
    super(`payment ${payment.createdIndex} failed`);
    this.payment = payment;
  }
}
