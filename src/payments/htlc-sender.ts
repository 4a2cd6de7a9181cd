/**
 * One attempt on its way: journaled, reserved, sent, and brought to an outcome whatever happens in between.
 *
 * The HTLC is known to the network by `attemptKey`, which is never used twice: the payment's hash is random,
 * and attempts are numbered.
 */
import { toHex } from '../bolt/bytes.ts';
import { FAILURES } from '../bolt/failure.ts';
import { createOnion } from '../bolt/sphinx.ts';
import { FulguriteError } from '../model/errors.ts';
import type { HtlcOutcome } from '../network/port.ts';
import { reservationsOf } from './learning.ts';
import { onionHops } from './onion-hops.ts';
import type { Pauses } from './pauses.ts';
import { type Attempt, firstHtlc, type Payment } from './payment.ts';
import type { Services } from './services.ts';

/** Between questions to a network that does not answer: one second at first, at most a minute. */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

/** How an attempt came back, and what reads its failure. */
export interface Returned {
  readonly outcome: HtlcOutcome;
  readonly sharedSecrets: readonly Uint8Array[];
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
   * @param isWanted asked at the last moment: whether it shall still leave.
   * @returns undefined when it did not leave for that reason. Rejects when it did not leave because the
   *   journal cannot be written.
   */
  async send(payment: Payment, attempt: Attempt, isWanted: () => boolean): Promise<Returned | undefined> {
    const [onion] = await Promise.all([
      this.#services.onions.build(orderOf(payment, attempt)),
      this.#services.journal.durable(payment),
    ]);
    if (!isWanted()) return undefined;
    const outcome = await this.#offer(payment, attempt, onion.packet);
    return { outcome, sharedSecrets: onion.sharedSecrets };
  }

  /** Asks what became of an attempt that may have left before a restart, and waits for its outcome. */
  async follow(payment: Payment, attempt: Attempt): Promise<Returned> {
    const { packet, sharedSecrets } = onionOf(payment, attempt);
    return { outcome: await this.#lookUp(payment, attempt, packet), sharedSecrets };
  }

  async #offer(payment: Payment, attempt: Attempt, onion: Uint8Array): Promise<HtlcOutcome> {
    const offer = {
      ...firstHtlc(attempt),
      paymentHash: payment.paymentHash,
      onion,
      attemptId: attemptKey(payment, attempt),
    };
    try {
      return await this.#services.network.sendHtlc(offer);
    } catch (error) {
      if (!this.#pauses.isEnded) this.#services.log.unusual(`sending an HTLC: ${error}`);
      return this.#lookUp(payment, attempt, onion);
    }
  }

  /**
   * Asks until there is an answer: an attempt that may be under way is never given up.
   * @throws FulguriteError shuttingDown when the payment is closed meanwhile.
   */
  async #lookUp(payment: Payment, attempt: Attempt, onion: Uint8Array): Promise<HtlcOutcome> {
    const { network } = this.#services;
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      if (this.#pauses.isEnded) throw new FulguriteError('shuttingDown', 'the service is stopping');
      try {
        const found = await network.lookUpHtlc(attemptKey(payment, attempt));
        if (found.status === 'unknown') return neverLeft('the service was stopped before').outcome;
        if (found.status !== 'pending') return found;
        // Sending what is under way sends nothing, and tells the outcome.
        return await this.#offer(payment, attempt, onion);
      } catch (error) {
        if (!this.#pauses.isEnded) this.#services.log.unusual(`asking what became of an HTLC: ${error}`);
      }
      await this.#pauses.wait(pauseMs);
    }
  }

  /**
   * Reserves what the attempt puts across each direction.
   * @returns what releases all of it. The first hop's reservation goes as soon as the network's own figures
   *   show the HTLC.
   */
  reserve(payment: Payment, attempt: Attempt): () => void {
    const { book, onNextReport } = this.#services;
    const all = reservationsOf(attempt.path);
    let held = all;
    book.reserve(all, `${payment.request.kind}-${payment.id}/${attempt.partId}`);
    onNextReport(() => {
      if (held !== all) return;
      book.unreserve(all.slice(0, 1));
      held = all.slice(1);
    });
    return () => {
      book.unreserve(held);
      held = [];
    };
  }
}

/** An attempt that was never handed to the network: its outcome is known, and says nothing about any channel. */
export function neverLeft(why: string): Returned {
  const failureCode = FAILURES.temporary_node_failure.code;
  return { outcome: { status: 'refused', failureCode, reason: `It never left: ${why}` }, sharedSecrets: [] };
}

export function attemptKey(payment: Payment, attempt: Attempt): string {
  return `${toHex(payment.paymentHash)}-${attempt.id}`;
}

function orderOf(payment: Payment, attempt: Attempt) {
  const { preimage, totalMsat, request, paymentHash } = payment;
  const paymentSecret = attempt.partOfSeveral ? payment.paymentSecret : undefined;
  const final = { preimage, extraTlvs: request.extraTlvs, paymentSecret, totalMsat };
  return {
    hops: onionHops(attempt.path, attempt.height, final),
    sessionKey: attempt.sessionKey,
    paymentHash,
  };
}

/** The same packet again, from the same session key. */
function onionOf(payment: Payment, attempt: Attempt) {
  const { hops, sessionKey, paymentHash } = orderOf(payment, attempt);
  return createOnion(hops, { sessionKey, associatedData: paymentHash });
}
