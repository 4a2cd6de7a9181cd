/**
 * Payments of a fleet: several daemons share one journal, and each payment belongs to one of them at a time
 * (payment-leases.ts of the store). Here is what that adds to the payments of one daemon.
 *
 *   - What is found unowned is taken over: it is carried to the end of what is open, and makes no new attempt.
 *   - What another daemon has taken over from us is let go. Local waiters get its outcome.
 *   - A request whose idempotency key another daemon has used follows the payment of that daemon.
 *   - A request for an invoice that another daemon began to pay at the same moment gets that payment.
 */
import { Abandonment } from '../../model/abandonment.ts';
import type { Clock } from '../../model/clock.ts';
import {
  type ClaimedPayment,
  KeyTaken,
  LeaseLost,
  OutcomeAway,
  PaidElsewhere,
  type PaymentLeases,
} from '../../store/payment-leases.ts';
import type { Journal } from '../books/journal.ts';
import type { Payment } from '../payment.ts';
import { PaymentRefused } from '../refusal.ts';
import { Pauses } from './pauses.ts';

/** Maximum number of payments claimed at once. */
const CLAIM_LIMIT = 50;
/** Pauses between two looks at a payment that another daemon carries on: the first one, and the longest. */
const FIRST_LOOK_MS = 50;
const LONGEST_LOOK_MS = 1_000;

/** Whether the error says that another daemon has the payment, or one that is in its place. */
export const isDisowned = (error: unknown): error is LeaseLost | KeyTaken | PaidElsewhere =>
  error instanceof LeaseLost || error instanceof KeyTaken || error instanceof PaidElsewhere;

/** What happened to leases so far. */
export interface TakeoverCounts {
  /** Payments of other daemons that were taken over here. */
  readonly takenOver: number;
  /** Payments of ours that other daemons took over. */
  readonly lost: number;
}

/** What the payment engine does with payments that come and go. */
export interface TakeoverOptions {
  readonly leases: PaymentLeases;
  readonly journal: Journal;
  readonly clock: Clock;
  readonly log: { unusual(message: string): void };
  /** Carries a claimed payment on. */
  readonly carryOn: (payment: Payment) => void;
  /** Lets a payment of ours go. */
  readonly letGo: (paymentIndex: number, error: LeaseLost) => void;
}

/** Why callers are let go. */
class StoreSilent extends Error {}

/** Looks at the store, in each half of a lease, before callers hear that it does not answer. */
const LOOKS = 10;

/** Looks for payments without an owner, and follows those of other daemons. */
export class Takeover {
  readonly #options: TakeoverOptions;
  readonly #pauses: Pauses;
  /** Callers that wait for outcomes. */
  #callers = new Abandonment();
  readonly #unsubscribe: () => void;
  #takenOver = 0;
  #lost = 0;

  constructor(options: TakeoverOptions) {
    this.#options = options;
    this.#pauses = new Pauses(options.clock);
    this.#unsubscribe = options.leases.onLost((paymentIndex) => {
      this.#lost++;
      options.log.unusual(`payment ${paymentIndex} belongs to another daemon now`);
      options.letGo(paymentIndex, new LeaseLost(paymentIndex));
    });
  }

  get counts(): TakeoverCounts {
    return { takenOver: this.#takenOver, lost: this.#lost };
  }

  /** Claims payments without an owner, now and a few times per lease, until `close`. */
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
   * Lets callers go when the store has not confirmed our leases for half of their time. It counts looks and not time, so
   * that a process that was paused gives the store a chance to answer first.
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
   * What the promise brings, while the store answers.
   * @throws OutcomeAway when it has not confirmed our leases for half of their time; the error of the promise
   */
  async whileAnswered<T>(outcome: Promise<T>, { paymentHash, request }: Payment): Promise<T> {
    try {
      return await this.#callers.or(outcome);
    } catch (error) {
      if (!(error instanceof StoreSilent)) throw error;
      const { idempotencyKey } = request;
      throw new OutcomeAway({ paymentHash, idempotencyKey }, 'silentStore');
    }
  }

  #carryOn(claimed: readonly ClaimedPayment[]): number {
    const { leases, journal, log, carryOn } = this.#options;
    for (const { record, before } of claimed) {
      if (this.#pauses.isEnded) break;
      const payment = journal.take(record);
      if (before !== leases.daemon) {
        this.#takenOver++;
        log.unusual(`takes over payment ${payment.createdIndex} of daemon ${before}`);
      }
      carryOn(payment);
    }
    return claimed.length;
  }

  /**
   * Waits for the outcome of a payment that another daemon carries on.
   * @throws PaymentRefused when the service stops meanwhile; OutcomeAway when the store does not answer, or when no
   *   daemon of its Lightning node is there to carry it on
   */
  follow(payment: Payment): Promise<Payment> {
    return this.whileAnswered(this.#follow(payment), payment);
  }

  async #follow({ createdIndex, paymentHash, request }: Payment): Promise<Payment> {
    const { leases } = this.#options;
    for (let pauseMs = FIRST_LOOK_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_LOOK_MS)) {
      if (this.#pauses.isEnded) throw new PaymentRefused({ kind: 'closed' });
      // While the store cannot be asked, the outcome is not known.
      const payment = await this.#options.journal.paymentAt(createdIndex).catch(() => undefined);
      if (payment !== undefined && payment.status !== 'pending') return payment;
      const isLeft = await leases.isLeft?.(createdIndex).catch(() => false);
      if (isLeft === true) {
        const { idempotencyKey } = request;
        throw new OutcomeAway({ paymentHash, idempotencyKey }, 'noDaemon');
      }
      await this.#pauses.wait(pauseMs);
    }
  }

  /** Resolves after the time in which a payment elsewhere is looked at again. */
  nextLook(): Promise<void> {
    return this.#pauses.wait(LONGEST_LOOK_MS / 4);
  }

  close(): void {
    this.#unsubscribe();
    this.#pauses.end();
  }
}
