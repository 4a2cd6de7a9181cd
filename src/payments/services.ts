/** What every payment needs: lower parts of the program, reduced to what payments use, and what payments share. */

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
import type { OutcomeDesk } from './send/outcome-desk.ts';
import type { Trial } from './trials/trial.ts';

/** The parts of a payment engine that its payments share. */
export interface Services {
  readonly network: NetworkPort;
  readonly graph: () => ChannelGraph;
  readonly book: LayerBook;
  readonly planner: Planner;
  /** Only with several nodes. */
  readonly purse: Purse | undefined;
  readonly learning: Learning;
  /** Undefined if predicted probabilities are not corrected. */
  readonly odds: PathOdds | undefined;
  readonly journal: Journal;
  /** Undefined without a trial. */
  readonly trial: Trial | undefined;
  /** Only if several daemons share the journal: which payments are ours. */
  readonly leases: PaymentLeases | undefined;
  readonly desk: OutcomeDesk;
  readonly presence: ChannelPresence;
  readonly clock: Clock;
  /** Source of secure random bytes. Simulations pass their own generator. */
  readonly randomBytes: (length: number) => Uint8Array;
  /** Calls back once a report of our channels with this revision, or a later one, is in the book. */
  readonly afterReport: (revision: number, callback: () => void) => void;
  /**
   * Asks the recipient of a static invoice to release our payment, and waits for that, for at most `timeoutMs`. Undefined
   * if static invoices are not paid.
   */
  readonly requestRelease: RequestRelease | undefined;
  /** Resolves when the next block arrives. */
  readonly nextBlock: () => Promise<void>;
  readonly log: { unusual(message: string): void };
  /**
   * Notified of every payment and attempt, synchronously and in order. Listeners of single payments are notified too.
   */
  readonly news: PaymentNewsListener;
}

/**
 * Starts a wait for the release of a payment. `released` never rejects, and stays pending without a release. `isAsked`
 * tells whether the recipient's server was reached.
 */
export type RequestRelease = (
  invoice: string,
  timeoutMs: number,
) => { readonly released: Promise<void>; isAsked(): boolean; end(): void };

/**
 * An event of a payment, for its listeners. `height` is the block that a payment waits for. Without it, the payment waits
 * until the recipient of its static invoice comes online.
 */
export type PaymentEvent =
  | { readonly kind: 'sent'; readonly payment: Payment; readonly attempt: Attempt }
  | { readonly kind: 'settled'; readonly payment: Payment; readonly attempt: Attempt }
  | { readonly kind: 'failed'; readonly payment: Payment; readonly attempt: Attempt }
  | { readonly kind: 'waiting'; readonly payment: Payment; readonly height?: number };

/** Called synchronously for each event, in order. It must not throw. */
export type PaymentListener = (event: PaymentEvent) => void;

/**
 * Events for observers of all payments. A new payment is journaled with its first attempt. `ended` comes once, when the
 * outcome is on disk or the disk has refused it. Parts of a payment may end after that. An attempt of an earlier
 * process is reported as sent when it is resumed.
 */
export type PaymentNews =
  | PaymentEvent
  /** `isResumed`: an earlier process started it, and its attempts are only followed. */
  | { readonly kind: 'began'; readonly payment: Payment; readonly isResumed: boolean }
  | { readonly kind: 'ended'; readonly payment: Payment };

/** Called for each event. It must not throw, and must not keep the payment, which changes and contains secrets. */
export type PaymentNewsListener = (news: PaymentNews) => void;
