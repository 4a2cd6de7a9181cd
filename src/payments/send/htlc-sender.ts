/**
 * Carries one attempt to its outcome: waits until it is journaled, hands it to the network, and follows it until it
 * ends.
 *
 *     journal durable ──▶ send ──▶ taken ──▶ outcome
 *                          └─ unknown whether it was sent ──▶ reconcile ──▶ outcome, or proof that it never left
 *
 * Reconciling means finding out what happened to an attempt that may have left. If the network recognises repeated
 * sends, the attempt is sent again under the same id. If not, the network is queried until it reports the outcome, or
 * guarantees that the HTLC never left. An attempt does not end in any other way.
 *
 * Takeover. If several daemons share the journal, another daemon may have started the attempt. That daemon may be
 * paused between journaling and sending, and may send the HTLC at any later time. So a report that the HTLC never left
 * proves nothing before its expiry has passed. The attempt is sent again under its id, so that the other daemon's later
 * send has no effect. A network that does not recognise repeated sends is queried until one of these is true:
 *
 *   - it reports the outcome
 *   - it reports that the HTLC never left, and the process that journaled the attempt has ended: its daemon has started
 *     again, or the operator has retired it
 *   - the expiry has passed
 */
import type { TakenHtlc } from '../../network/port.ts';
import { type Attempt, absoluteExpiry, type Payment } from '../payment.ts';
import { PaymentRefused } from '../refusal.ts';
import type { Services } from '../services.ts';
import { type AttemptOutcome, htlcKey, outgoingHtlc } from './outgoing-htlc.ts';
import type { Pauses } from './pauses.ts';

/**
 * First pause after an unsuccessful query to the network, in milliseconds. Each later pause is twice as long, up to a
 * minute.
 */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
/** Longest pause while only the end of another daemon's process is missing, in milliseconds. */
const LONGEST_UNPROVEN_MS = 5_000;

/** Callbacks to the owner of an attempt. */
export interface SendOptions {
  /** Called just before the attempt is sent, possibly several times. If it returns false, the attempt is not sent. */
  readonly isWanted: () => boolean;
  /** Called once the network has the HTLC. */
  readonly onTaken: (taken: TakenHtlc) => void;
}

/** Sends the attempts of one payment. The comment at the top of this file describes the steps. */
export class HtlcSender {
  readonly #services: Services;
  readonly #pauses: Pauses;

  /** @param pauses the payment's waits. After they are ended, the network is no longer queried. */
  constructor(services: Services, pauses: Pauses) {
    this.#services = services;
    this.#pauses = pauses;
  }

  /**
   * Sends a journaled attempt, once the journal is on disk.
   * @returns the outcome; undefined if the attempt was no longer wanted, and so was not sent
   * @throws any error of the journal, if it cannot be written; then the attempt was not sent. PaymentRefused if the
   *   payment is closed meanwhile.
   */
  async send(payment: Payment, attempt: Attempt, options: SendOptions): Promise<AttemptOutcome | undefined> {
    const { journal, outcomes, network, log } = this.#services;
    await journal.durable(payment);
    await this.#certainty(payment);
    if (!options.isWanted()) return undefined;
    const outcome = outcomes.outcomeOf(attempt.id);
    const mayLeave = (): boolean => options.isWanted() && this.#isCertain();
    try {
      options.onTaken(await network.send(outgoingHtlc(payment, attempt), mayLeave));
    } catch (error) {
      if (!this.#pauses.isEnded) log.unusual(`error while sending an HTLC: ${error}`);
      return this.reconcile(payment, attempt, options.onTaken);
    }
    return outcome;
  }

  /**
   * Waits while a failover may have lost the attempt's row. Also waits if the database has not confirmed our leases for
   * the length of a lease: this process may have been paused, and meanwhile others may have matched HTLCs with rows.
   */
  async #certainty(payment: Payment): Promise<void> {
    const { leases, journal } = this.#services;
    while (leases !== undefined && !this.#isCertain()) {
      if (this.#pauses.isEnded) throw new PaymentRefused({ kind: 'closed' });
      await this.#pauses.wait(leases.leaseMs / 20);
      await journal.durable(payment);
    }
  }

  #isCertain(): boolean {
    const { leases } = this.#services;
    if (leases === undefined) return true;
    return leases.doubt?.isOpen !== true && leases.confirmedMsAgo <= leases.leaseMs;
  }

  /**
   * Finds out what happened to an attempt that may have left, and waits for its outcome. Never gives up an attempt that
   * may be in flight.
   * @throws PaymentRefused if the payment is closed meanwhile
   */
  async reconcile(
    payment: Payment,
    attempt: Attempt,
    onTaken: SendOptions['onTaken'],
    isTakenOver = false,
  ): Promise<AttemptOutcome> {
    const outcome = this.#services.outcomes.outcomeOf(attempt.id);
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      if (this.#pauses.isEnded) throw new PaymentRefused({ kind: 'closed' });
      let waitMs = pauseMs;
      try {
        const found = await this.#askOnce(payment, attempt, onTaken, isTakenOver);
        if (found === 'underWay') return await outcome;
        if (found === 'unproven') waitMs = Math.min(pauseMs, LONGEST_UNPROVEN_MS);
        else if (found !== 'unknown') return found;
      } catch (error) {
        if (!this.#pauses.isEnded)
          this.#services.log.unusual(`cannot query the outcome of an HTLC: ${error}`);
      }
      const early = await Promise.race([outcome, this.#pauses.wait(waitMs)]);
      if (early !== undefined) return early;
    }
  }

  async #askOnce(
    payment: Payment,
    attempt: Attempt,
    onTaken: SendOptions['onTaken'],
    isTakenOver: boolean,
  ): Promise<AttemptOutcome | 'underWay' | 'unknown' | 'unproven'> {
    const { network, outcomes } = this.#services;
    const { repeatsSends } = network.capabilities;
    // Checked before the network is queried, because a process that has not ended may send at any time.
    const canBeProven = !isTakenOver || (!repeatsSends && (await this.#hasRecorderEnded(attempt)));
    const state = await outcomes.stateOf(htlcKey(payment, attempt));
    switch (state.status) {
      case 'pending':
        onTaken({ channelsRevision: network.ownChannels().revision });
        return 'underWay';
      case 'neverLeft':
      case 'unknown': {
        const isProven = canBeProven && state.status === 'neverLeft';
        if (isProven || (isTakenOver && this.#isExpired(attempt)))
          return { status: 'neverLeft', why: { kind: 'stopped' } };
        if (!repeatsSends) return state.status === 'neverLeft' ? 'unproven' : 'unknown';
        onTaken(await network.send(outgoingHtlc(payment, attempt)));
        return 'underWay';
      }
      default:
        return state;
    }
  }

  /** Whether the process that journaled the attempt has ended. If the store cannot be queried, that is unknown. */
  async #hasRecorderEnded({ createdIndex }: Attempt): Promise<boolean> {
    return (await this.#services.leases?.hasRecorderEnded(createdIndex).catch(() => false)) ?? false;
  }

  /** Whether the expiry of the attempt's first HTLC has passed, so that no node accepts it any more. */
  #isExpired({ path, height }: Attempt): boolean {
    const expiry = absoluteExpiry(height, path[0]!.cltvOut);
    return this.#services.network.blockHeight() > expiry;
  }
}
