/**
 * What every payment works with: the parts of the program below, reduced to what payments need, and what payments
 * share.
 */

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
import type { OutcomeDesk } from './send/outcome-desk.ts';
import type { Trial } from './trials/trial.ts';

/** The parts of one payment engine that its payments share. */
export interface Services {
  readonly network: NetworkPort;
  readonly graph: () => ChannelGraph;
  readonly book: LayerBook;
  readonly planner: Planner;
  /** Only where several nodes pay. */
  readonly purse: Purse | undefined;
  readonly learning: Learning;
  /** Undefined where stated odds are not to be corrected. */
  readonly odds: PathOdds | undefined;
  readonly journal: Journal;
  /** Undefined where no settings are on trial. */
  readonly trial: Trial | undefined;
  /** Only where several daemons share the journal: which payments are ours. */
  readonly leases: PaymentLeases | undefined;
  readonly desk: OutcomeDesk;
  readonly clock: Clock;
  /** Source of secure random bytes. Simulations give a generator of their own. */
  readonly randomBytes: (length: number) => Uint8Array;
  /** Calls back once a report of our channels with this revision, or a later one, is in the book. */
  readonly afterReport: (revision: number, callback: () => void) => void;
  /** Resolves when the chain next grows. */
  readonly nextBlock: () => Promise<void>;
  readonly log: { unusual(message: string): void };
  /**
   * Told of every payment and attempt, in order, at once. Listeners of single payments are notified as well.
   */
  readonly news: PaymentNewsListener;
}

/** News of a payment for its listeners. `height` is the block that a waiting payment waits for. */
export type PaymentEvent =
  | { readonly kind: 'sent'; readonly payment: Payment; readonly attempt: Attempt }
  | { readonly kind: 'settled'; readonly payment: Payment; readonly attempt: Attempt }
  | { readonly kind: 'failed'; readonly payment: Payment; readonly attempt: Attempt }
  | { readonly kind: 'waiting'; readonly payment: Payment; readonly height: number };

/** Called for each event, in order, at once. It must not throw. */
export type PaymentListener = (event: PaymentEvent) => void;

/**
 * Notifications for watchers of all payments. A payment that begins is journaled with its first attempt.
 * `ended` comes once, when the outcome is on disk, or when the disk has refused it. Parts of a payment may end
 * after that. An attempt of an earlier process is reported as sent when it is resumed.
 */
export type PaymentNews =
  | PaymentEvent
  /** `isResumed`: an earlier process began it, and its attempts are only followed. */
  | { readonly kind: 'began'; readonly payment: Payment; readonly isResumed: boolean }
  | { readonly kind: 'ended'; readonly payment: Payment };

/** Called for each update. It must neither throw nor keep the payment, which changes and holds secrets. */
export type PaymentNewsListener = (news: PaymentNews) => void;
