/** What every payment needs: lower parts of the program, and the state that payments share. */

import type { LayerBook } from '../layers/layer-book.ts';
import type { ChannelGraph } from '../model/channel-graph.ts';
import type { Clock } from '../model/clock.ts';
import type { NetworkPort } from '../network/port.ts';
import type { PaymentLeases } from '../store/payment-leases.ts';
import type { Journal } from './books/journal.ts';
import type { Learning } from './learn/learning.ts';
import type { PathOdds } from './learn/path-odds.ts';
import type { Attempt, Payment } from './payment.ts';
import type { Planner } from './plan/planner.ts';
import type { Purse } from './plan/purse.ts';
import type { ChannelPresence } from './send/channel-return.ts';
import type { HtlcOutcomes } from './send/htlc-outcomes.ts';
import type { Trial } from './trials/trial.ts';

/** What all payments of an engine share. */
export interface Services {
  readonly network: NetworkPort;
  readonly graph: () => ChannelGraph;
  readonly book: LayerBook;
  readonly planner: Planner;
  /** Undefined unless we have several nodes. */
  readonly purse: Purse | undefined;
  readonly learning: Learning;
  /** Undefined if odds are not learned. */
  readonly odds: PathOdds | undefined;
  readonly journal: Journal;
  /** Undefined if no settings are on trial. */
  readonly trial: Trial | undefined;
  /** Leases of our payments. Undefined unless the journal is in a database that several daemons can share. */
  readonly leases: PaymentLeases | undefined;
  readonly outcomes: HtlcOutcomes;
  readonly presence: ChannelPresence;
  /** All payments in progress, including probes. */
  readonly live: () => Iterable<Payment>;
  readonly clock: Clock;
  /** Source of secure random bytes. Simulations pass their own generator. */
  readonly randomBytes: (length: number) => Uint8Array;
  /** Calls back once a report of our channels with this revision, or a later one, is in `book`. */
  readonly afterReport: (revision: number, callback: () => void) => void;
  /** Asks the recipient of a static invoice to release our payment. Undefined if static invoices cannot be paid. */
  readonly requestRelease: RequestRelease | undefined;
  /** Resolves when the next block arrives. */
  readonly nextBlock: () => Promise<void>;
  readonly log: { unusual(message: string): void };
  /**
   * Notified of every payment and attempt, synchronously and in order. A listener for a single payment does not replace
   * it: both are notified.
   */
  readonly onEvent: PaymentLifecycleListener;
}

/**
 * Asks the recipient to release a payment, and waits for the release for at most `timeoutMs`. `released` never rejects,
 * and stays pending if there is no release. `isAsked` returns whether a message was sent to the recipient's server.
 * `end` ends the wait.
 */
export type RequestRelease = (
  invoice: string,
  timeoutMs: number,
) => { readonly released: Promise<void>; isAsked(): boolean; end(): void };

/**
 * An event of a payment, for its listeners. If `waiting` has a `height`, the payment waits for the block with this
 * height. If not, it waits until the recipient of its static invoice releases it.
 */
export type PaymentEvent =
  | { readonly kind: 'sent'; readonly payment: Payment; readonly attempt: Attempt }
  | { readonly kind: 'settled'; readonly payment: Payment; readonly attempt: Attempt }
  | { readonly kind: 'failed'; readonly payment: Payment; readonly attempt: Attempt }
  | { readonly kind: 'waiting'; readonly payment: Payment; readonly height?: number };

/** Called synchronously for each event, in order. It must not throw. */
export type PaymentListener = (event: PaymentEvent) => void;

/**
 * Events for observers of all payments. A new payment is journaled with its first attempt, or with its outcome if it
 * made none. The payment of a static invoice is journaled before its recipient is asked to release it. `ended` is
 * reported once, when the outcome is on disk, or could not be written. Parts of the payment may end later. An attempt
 * of an earlier process is reported as `sent` when this process starts to follow it.
 */
export type PaymentLifecycleEvent =
  | PaymentEvent
  /** `isResumed`: whether an earlier process or another daemon started the payment. */
  | { readonly kind: 'began'; readonly payment: Payment; readonly isResumed: boolean }
  | { readonly kind: 'ended'; readonly payment: Payment };

/** Called for each event. It must not throw, and must not keep the payment, which changes and contains secrets. */
export type PaymentLifecycleListener = (event: PaymentLifecycleEvent) => void;
