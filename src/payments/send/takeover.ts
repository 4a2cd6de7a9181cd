/**
 * Payments of a fleet: several daemons share one journal, and each payment belongs to one of them at a time
 * (payment-leases.ts of the store). Compared to a single daemon:
 *
 *   - Payments without an owner are taken over: their open attempts are followed until they end, and some payments are
 *     continued (resumption.ts).
 *   - Payments that another daemon took over from us are given up. Callers that wait here get the outcome from that
 *     daemon.
 *   - A request whose idempotency key another daemon has used follows the payment of that daemon.
 *   - A request for an invoice that another daemon began to pay at the same time is refused, with that payment.
 */
import { Abandonment } from '../../model/abandonment.ts';
import type { Clock } from '../../model/clock.ts';
import {
  type ClaimedPayment,
  KeyTaken,
  LeaseLost,
  OutcomeUnknownHere,
  PaidElsewhere,
  type PaymentLeases,
} from '../../store/payment-leases.ts';
import type { Journal } from '../books/journal.ts';
import type { Payment } from '../payment.ts';
import { PaymentRefused } from '../refusal.ts';
import { Pauses } from './pauses.ts';

/** Maximum number of payments claimed at once. */
const CLAIM_LIMIT = 50;
/** First pause between two checks of another daemon's payment, in milliseconds. */
const FIRST_LOOK_MS = 50;
/** Longest pause between two checks of another daemon's payment, in milliseconds. */
export const LONGEST_LOOK_MS = 500;

/** Whether the error means that another daemon owns the payment, or a payment that replaces it. */
export const isDisowned = (error: unknown): error is LeaseLost | KeyTaken | PaidElsewhere =>
  error instanceof LeaseLost || error instanceof KeyTaken || error instanceof PaidElsewhere;

/** Counts of payments that changed their owner. */
export interface TakeoverCounts {
  /** Number of payments taken over from other daemons. */
  readonly takenOver: number;
  /** Number of our payments that other daemons took over. */
  readonly lost: number;
}

/** What a takeover needs, including callbacks for payments that change their owner. */
export interface TakeoverOptions {
  readonly leases: PaymentLeases;
  readonly journal: Journal;
  readonly clock: Clock;
  readonly log: { unusual(message: string): void };
  /** Continues a claimed payment. */
  readonly carryOn: (payment: Payment) => void;
  /** Gives up one of our payments. */
  readonly letGo: (paymentIndex: number, error: LeaseLost) => void;
}

/** Why the waits of callers end: the store does not respond. */
class StoreSilent extends Error {}

/**
 * Number of checks per half lease. If this many in a row find no new confirmation, the store counts as unresponsive.
 */
const LOOKS = 10;

/** Claims payments without an owner, and follows payments of other daemons. */
export class Takeover {
  readonly #options: TakeoverOptions;
  readonly #pauses: Pauses;
  /** The callers that wait for outcomes. */
  #callers = new Abandonment();
  readonly #unsubscribe: () => void;
  #takenOver = 0;
  #lost = 0;

  constructor(options: TakeoverOptions) {
    this.#options = options;
    this.#pauses = new Pauses(options.clock);
    this.#unsubscribe = options.leases.onLost((paymentIndex) => {
      this.#lost++;
      options.log.unusual(`payment ${paymentIndex} now belongs to another daemon`);
      options.letGo(paymentIndex, new LeaseLost(paymentIndex));
    });
  }

  get counts(): TakeoverCounts {
    return { takenOver: this.#takenOver, lost: this.#lost };
  }

  /** Claims payments without an owner, now and a few times per lease, until `close` is called. */
  async run(): Promise<void> {
    const { leases, log } = this.#options;
    while (!this.#pauses.isEnded) {
      try {
        for (let claimed = CLAIM_LIMIT; claimed === CLAIM_LIMIT && !this.#pauses.isEnded; ) {
          claimed = this.#carryOn(await leases.claim(CLAIM_LIMIT));
        }
      } catch (error) {
        if (!this.#pauses.isEnded) log.unusual(`cannot look for payments without an owner: ${error}`);
      }
      await this.#pauses.wait(leases.leaseMs / 4);
    }
  }

  /**
   * Ends the waits of callers if the store has not confirmed our leases for half a lease. This is measured in checks
   * instead of time, so that after a pause of this process, the store still has time to respond.
   */
  async watch(): Promise<void> {
    const { leases } = this.#options;
    for (let silent = 0, before = 0; !this.#pauses.isEnded; ) {
      await this.#pauses.wait(leases.leaseMs / 2 / LOOKS);
      const { confirmedMsAgo } = leases;
      silent = confirmedMsAgo < before ? 0 : silent + 1;
      before = confirmedMsAgo;
      if (silent < LOOKS) continue;
      const gone = this.#callers;
      this.#callers = new Abandonment();
      gone.giveUp(new StoreSilent());
    }
  }

  /**
   * The result of the promise, as long as the store responds.
   * @throws OutcomeUnknownHere if the store has not confirmed our leases for half a lease; any error of the promise
   */
  async whileAnswered<T>(outcome: Promise<T>, { paymentHash, request }: Payment): Promise<T> {
    try {
      return await this.#callers.or(outcome);
    } catch (error) {
      if (!(error instanceof StoreSilent)) throw error;
      const { idempotencyKey } = request;
      throw new OutcomeUnknownHere({ paymentHash, idempotencyKey }, 'silentStore');
    }
  }

  #carryOn(claimed: readonly ClaimedPayment[]): number {
    const { leases, journal, log, carryOn } = this.#options;
    for (const { record, before } of claimed) {
      if (this.#pauses.isEnded) break;
      const payment = journal.take(record);
      if (before !== leases.daemon) {
        this.#takenOver++;
        log.unusual(`took over payment ${payment.createdIndex} of daemon ${before}`);
      }
      carryOn(payment);
    }
    return claimed.length;
  }

  /**
   * Waits for the outcome of another daemon's payment.
   * @throws PaymentRefused if the service stops meanwhile; OutcomeUnknownHere if the store does not respond, or no daemon of
   *   the payment's Lightning node is left to continue it
   */
  follow(payment: Payment): Promise<Payment> {
    return this.whileAnswered(this.#follow(payment), payment);
  }

  async #follow({ createdIndex, paymentHash, request }: Payment): Promise<Payment> {
    const { leases } = this.#options;
    for (let pauseMs = FIRST_LOOK_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_LOOK_MS)) {
      if (this.#pauses.isEnded) throw new PaymentRefused({ kind: 'closed' });
      // If the store cannot be queried, the outcome is still unknown, and the check is repeated.
      const payment = await this.#options.journal.paymentAt(createdIndex).catch(() => undefined);
      if (payment !== undefined && payment.status !== 'pending') return payment;
      const isAbandoned = await leases.isAbandoned?.(createdIndex).catch(() => false);
      if (isAbandoned === true) {
        const { idempotencyKey } = request;
        throw new OutcomeUnknownHere({ paymentHash, idempotencyKey }, 'noDaemon');
      }
      await this.#pauses.wait(pauseMs);
    }
  }

  /** Resolves when it is time to check another daemon's payment again. */
  nextLook(): Promise<void> {
    return this.#pauses.wait(LONGEST_LOOK_MS / 2);
  }

  close(): void {
    this.#unsubscribe();
    this.#pauses.end();
  }
}
