/**
 * Carries one attempt to its outcome: it is journaled, handed to the network, and followed to its end.
 *
 *     journal durable ──▶ send ──▶ taken ──▶ outcome
 *                          └─ unknown whether it was sent ──▶ reconcile ──▶ outcome, or proof that it never left
 *
 * To reconcile means to find out what became of an attempt that may have left. Where the network recognises a
 * repeated send, the attempt is sent again under the same id. Elsewhere the network is asked until it knows
 * the outcome, or can promise that the HTLC never left. An attempt ends in no other way.
 *
 * Takeover. Where several daemons share the journal, another one may have begun the attempt. It may be paused between
 * its journal and its HTLC, and may send it at any later moment. Then "it never left" proves nothing, unless the HTLC
 * would have expired. The attempt is sent again under its id, so that the second sender sends nothing. A network
 * that does not recognise repeated sends is asked until it knows the outcome, or until the expiry has passed.
 */
import type { TakenHtlc } from '../../network/port.ts';
import { type Attempt, absoluteExpiry, type Payment } from '../payment.ts';
import { PaymentRefused } from '../refusal.ts';
import type { Services } from '../services.ts';
import { type AttemptOutcome, htlcKey, outgoingHtlc } from './outgoing-htlc.ts';
import type { Pauses } from './pauses.ts';

/** First pause between questions to a network that does not answer. Pauses grow to a minute. */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

/** What an attempt asks of its owner, and reports to it. */
export interface SendOptions {
  /** Asked at the last moment before the attempt leaves. False keeps it from leaving. */
  readonly isWanted: () => boolean;
  /** Told when the network has the HTLC. */
  readonly onTaken: (taken: TakenHtlc) => void;
}

/** Sends the attempts of one payment. See the head of this file for the steps. */
export class HtlcSender {
  readonly #services: Services;
  readonly #pauses: Pauses;

  /** @param pauses the payment's waits. Once they are ended, the network is asked nothing more. */
  constructor(services: Services, pauses: Pauses) {
    this.#services = services;
    this.#pauses = pauses;
  }

  /**
   * Sends an attempt that is in the journal already, as soon as the journal is on disk.
   * @returns the outcome; undefined when the attempt was not wanted any more and so did not leave. Rejects
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
   * Waits while a failover may have lost the row of the attempt, or while the database has not confirmed our leases for
   * a whole one: this process may have stood still, and others may have counted the HTLCs meanwhile.
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
   * Finds out what became of an attempt that may have left, and waits for its outcome. An attempt that may be
   * in progress is never given up.
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

  /** Whether the expiry of its first HTLC has passed. From then on no node takes it. */
  #isExpired({ path, height }: Attempt): boolean {
    const expiry = absoluteExpiry(height, path[0]!.cltvOut);
    return this.#services.network.blockHeight() > expiry;
  }
}
