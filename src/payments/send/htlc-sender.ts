/**
 * Carries one attempt to its outcome: journals it, hands it to the network, and follows it to its end.
 *
 *     journal durable ──▶ send ──▶ taken ──▶ outcome
 *                          └─ unknown whether it was sent ──▶ reconcile ──▶ outcome, or proof that it never left
 *
 * Reconciling means finding out the fate of an attempt that may have left. If the network recognises repeated sends,
 * the attempt is sent again under the same id. Otherwise the network is queried until it knows the outcome, or can
 * promise that the HTLC never left. An attempt ends in no other way.
 *
 * Takeover. If several daemons share the journal, another one may have started the attempt. It may be paused between
 * journaling and sending, and may send the HTLC at any later moment. Then "it never left" proves nothing, unless the
 * HTLC would have expired. The attempt is sent again under its id, so that the second sender sends nothing. A network
 * that does not recognise repeated sends is queried until it knows the outcome, or until the expiry has passed.
 */
import type { TakenHtlc } from '../../network/port.ts';
import { type Attempt, absoluteExpiry, type Payment } from '../payment.ts';
import { PaymentRefused } from '../refusal.ts';
import type { Services } from '../services.ts';
import { type AttemptOutcome, htlcKey, outgoingHtlc } from './outgoing-htlc.ts';
import type { Pauses } from './pauses.ts';

/** First pause between queries to a network that does not respond. Pauses grow to a minute. */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

/** What an attempt needs from its owner, and reports to it. */
export interface SendOptions {
  /** Called at the last moment before the attempt leaves. False prevents sending. */
  readonly isWanted: () => boolean;
  /** Called once the network has the HTLC. */
  readonly onTaken: (taken: TakenHtlc) => void;
}

/** Sends the attempts of one payment. The head of this file describes the steps. */
export class HtlcSender {
  readonly #services: Services;
  readonly #pauses: Pauses;

  /** @param pauses the payment's waits. Once they are ended, the network is no longer queried. */
  constructor(services: Services, pauses: Pauses) {
    this.#services = services;
    this.#pauses = pauses;
  }

  /**
   * Sends a journaled attempt, once the journal is on disk.
   * @returns the outcome; undefined when the attempt was no longer wanted and so did not leave. Rejects
   *   with the journal's error when the journal cannot be written; then it did not leave either.
   * @throws PaymentRefused when the payment is closed meanwhile.
   */
  async send(payment: Payment, attempt: Attempt, options: SendOptions): Promise<AttemptOutcome | undefined> {
    const { journal, desk, network, log } = this.#services;
    await journal.durable(payment);
    await this.#certainty(payment);
    if (!options.isWanted()) return undefined;
    const outcome = desk.outcomeOf(attempt.id);
    try {
      options.onTaken(await network.send(outgoingHtlc(payment, attempt)));
    } catch (error) {
      if (!this.#pauses.isEnded) log.unusual(`sending an HTLC: ${error}`);
      return this.reconcile(payment, attempt, options.onTaken);
    }
    return outcome;
  }

  /**
   * Waits while a failover may have lost the attempt's row, or while the database has not confirmed our leases for a
   * whole lease: this process may have been paused, and others may have counted the HTLCs meanwhile.
   */
  async #certainty(payment: Payment): Promise<void> {
    const { leases, journal } = this.#services;
    if (leases === undefined) return;
    while (leases.doubt?.isOpen === true || leases.confirmedMsAgo > leases.leaseMs) {
      if (this.#pauses.isEnded) throw new PaymentRefused({ kind: 'closed' });
      await this.#pauses.wait(leases.leaseMs / 20);
      await journal.durable(payment);
    }
  }

  /**
   * Finds out the fate of an attempt that may have left, and waits for its outcome. Never gives up an attempt that may
   * be in flight.
   * @throws PaymentRefused when the payment is closed meanwhile.
   */
  async reconcile(
    payment: Payment,
    attempt: Attempt,
    onTaken: SendOptions['onTaken'],
    isTakenOver = false,
  ): Promise<AttemptOutcome> {
    const outcome = this.#services.desk.outcomeOf(attempt.id);
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      if (this.#pauses.isEnded) throw new PaymentRefused({ kind: 'closed' });
      try {
        const found = await this.#askOnce(payment, attempt, onTaken, isTakenOver);
        if (found === 'underWay') return await outcome;
        if (found !== 'unknown') return found;
      } catch (error) {
        if (!this.#pauses.isEnded) this.#services.log.unusual(`asking what became of an HTLC: ${error}`);
      }
      const early = await Promise.race([outcome, this.#pauses.wait(pauseMs)]);
      if (early !== undefined) return early;
    }
  }

  async #askOnce(
    payment: Payment,
    attempt: Attempt,
    onTaken: SendOptions['onTaken'],
    isTakenOver: boolean,
  ): Promise<AttemptOutcome | 'underWay' | 'unknown'> {
    const { network, desk } = this.#services;
    const state = await desk.stateOf(htlcKey(payment, attempt));
    switch (state.status) {
      case 'pending':
        onTaken({ channelsRevision: network.ownChannels().revision });
        return 'underWay';
      case 'neverLeft':
      case 'unknown': {
        const isProof = isTakenOver ? this.#isExpired(attempt) : state.status === 'neverLeft';
        if (isProof) return { status: 'neverLeft', why: { kind: 'stopped' } };
        if (!network.capabilities.repeatsSends) return 'unknown';
        onTaken(await network.send(outgoingHtlc(payment, attempt)));
        return 'underWay';
      }
      default:
        return state;
    }
  }

  /** Whether the expiry of its first HTLC has passed. From then on no node accepts it. */
  #isExpired({ path, height }: Attempt): boolean {
    const expiry = absoluteExpiry(height, path[0]!.cltvOut);
    return this.#services.network.blockHeight() > expiry;
  }
}
