/**
 * One attempt on its way: journaled, handed to the network, and brought to an outcome whatever happens in between.
 *
 *     journal durable ──▶ send ──▶ taken ──▶ outcome
 *                          └─ nobody knows whether it left ──▶ reconcile ──▶ outcome, or proof that it never left
 *
 * To reconcile, an attempt is sent again under the same id where the network repeats sends; elsewhere the network is
 * asked until it knows, or can promise that the HTLC never left. Nothing else ends an attempt.
 */
import { FAILURES } from '../bolt/failure.ts';
import { FulguriteError } from '../model/errors.ts';
import type { HtlcOutcome, TakenHtlc } from '../network/port.ts';
import { htlcKey, outgoingHtlc } from './outgoing-htlc.ts';
import type { Pauses } from './pauses.ts';
import type { Attempt, Payment } from './payment.ts';
import type { Services } from './services.ts';

/** Between questions to a network that does not answer: one second at first, at most a minute. */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

export interface SendOptions {
  /** Asked at the last moment: whether it shall still leave. */
  readonly isWanted: () => boolean;
  /** Told when the network has the HTLC. */
  readonly onTaken: (taken: TakenHtlc) => void;
}

export class HtlcSender {
  readonly #services: Services;
  readonly #pauses: Pauses;

  /** @param pauses ended when the payment is closed: nothing is asked of the network any more. */
  constructor(services: Services, pauses: Pauses) {
    this.#services = services;
    this.#pauses = pauses;
  }

  /**
   * Sends an attempt that is in the journal already, as soon as that is on disk.
   * @returns undefined when it was not wanted any more, and did not leave. Rejects when it did not leave because
   *   the journal cannot be written.
   * @throws FulguriteError shuttingDown when the payment is closed meanwhile.
   */
  async send(payment: Payment, attempt: Attempt, options: SendOptions): Promise<HtlcOutcome | undefined> {
    const { journal, desk, network, log } = this.#services;
    await journal.durable(payment);
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
   * Finds out what became of an attempt that may have left, and waits for its outcome. An attempt that may be under
   * way is never given up.
   * @throws FulguriteError shuttingDown when the payment is closed meanwhile.
   */
  async reconcile(payment: Payment, attempt: Attempt, onTaken: SendOptions['onTaken']): Promise<HtlcOutcome> {
    const outcome = this.#services.desk.outcomeOf(attempt.id);
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      if (this.#pauses.isEnded) throw new FulguriteError('shuttingDown', 'the service is stopping');
      try {
        const found = await this.#askOnce(payment, attempt, onTaken);
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
  ): Promise<HtlcOutcome | 'underWay' | 'unknown'> {
    const { network, desk } = this.#services;
    const state = await desk.stateOf(htlcKey(payment, attempt));
    switch (state.status) {
      case 'pending':
        onTaken({ channelsRevision: network.ownChannels().revision });
        return 'underWay';
      case 'neverLeft':
        return neverLeft('the service was stopped before');
      case 'unknown':
        if (!network.capabilities.repeatsSends) return 'unknown';
        onTaken(await network.send(outgoingHtlc(payment, attempt)));
        return 'underWay';
      default:
        return state;
    }
  }
}

/** An attempt that was never handed to the network: its outcome is known, and says nothing about any channel. */
export function neverLeft(why: string): HtlcOutcome {
  const failureCode = FAILURES.temporary_node_failure.code;
  return { status: 'refused', failureCode, reason: `It never left: ${why}` };
}
