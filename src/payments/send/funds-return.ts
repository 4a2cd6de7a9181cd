/**
 * Waits while other payments of ours hold the money that a payment needs. Most HTLCs end within seconds, and those that
 * fail return their amount to our channels, and end the reservations of their routes.
 *
 *     the channels that the refusal names have too little, and young HTLCs of our other payments
 *     hold at least what they lack                                          search again after a pause
 *     these HTLCs are older than a minute, or hold too little               the payment has no route
 *
 * Each pause is twice as long as the last, so that hundreds of payments may wait without many searches.
 */
import type { EndShortage } from '../../engine/question/no-route.ts';
import { monotonicTimeOf } from '../../model/clock.ts';
import { formatShortChannelIdDir, type ShortChannelIdDir } from '../../model/short-channel-id.ts';
import type { Attempt, Payment } from '../payment.ts';
import type { NoPlan } from '../plan/no-plan.ts';
import type { Services } from '../services.ts';
import type { ExpectedReturn } from './expected-return.ts';
import { holdingsOf } from './path-reservation.ts';
import type { Pauses } from './pauses.ts';

/** An HTLC that has been in flight for longer is probably held by the recipient. In milliseconds. */
export const YOUNG_MS = 60_000;
/** First pause and longest pause before another search, in milliseconds. */
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 8_000;

/** Directions that carry too little for a payment, and what they lack, if known. */
interface MissingFunds {
  readonly directions: readonly ShortChannelIdDir[];
  readonly lackingMsat: bigint | undefined;
}

/** Waits, on behalf of one payment, for HTLCs of our other payments. */
export class FundsReturn implements ExpectedReturn {
  readonly endsLessons = false;
  readonly #services: Pick<Services, 'live' | 'purse' | 'clock'>;
  readonly #payment: Payment;
  readonly #pauses: Pauses;
  #pauseMs = FIRST_PAUSE_MS;

  constructor(services: Pick<Services, 'live' | 'purse' | 'clock'>, payment: Payment, pauses: Pauses) {
    this.#services = services;
    this.#payment = payment;
    this.#pauses = pauses;
  }

  /** Whether a payment that found no route, for this reason, should wait. */
  isWorthwhile(noPlan: NoPlan): boolean {
    const missing = missingFundsOf(noPlan, this.#payment.totalMsat);
    if (missing === undefined) return false;
    const heldMsat = this.#heldMsat(missing.directions);
    return heldMsat > 0n && heldMsat >= (missing.lackingMsat ?? 0n);
  }

  /**
   * Resolves after a pause, or once the pauses are ended.
   * @param waitMs maximum wait in milliseconds
   */
  async wait(waitMs: number): Promise<void> {
    await this.#pauses.wait(Math.min(this.#pauseMs, Math.max(0, waitMs)));
    this.#pauseMs = Math.min(2 * this.#pauseMs, LONGEST_PAUSE_MS);
  }

  /** What young HTLCs of our other payments hold in these directions. */
  #heldMsat(directions: readonly ShortChannelIdDir[]): bigint {
    const wanted = new Set(directions.map(formatShortChannelIdDir));
    const { live, purse } = this.#services;
    let heldMsat = 0n;
    for (const { id, attempts } of live()) {
      if (id === this.#payment.id) continue;
      for (const attempt of attempts) {
        if (!this.#isYoung(attempt)) continue;
        const { own, rest } = holdingsOf(attempt.path, purse);
        for (const { shortChannelIdDir, amountMsat } of [...own, ...rest]) {
          if (wanted.has(formatShortChannelIdDir(shortChannelIdDir))) heldMsat += amountMsat;
        }
      }
    }
    return heldMsat;
  }

  #isYoung({ status, createdAtMs }: Attempt): boolean {
    const { clock } = this.#services;
    return status === 'sent' && clock.monotonicMs() - monotonicTimeOf(clock, createdAtMs) < YOUNG_MS;
  }
}

/** The directions that lack money, if that is why there is no route. */
function missingFundsOf(noPlan: NoPlan, amountMsat: bigint): MissingFunds | undefined {
  if (noPlan.kind !== 'noRoute') return undefined;
  const { binding } = noPlan.noRoute;
  switch (binding.kind) {
    case 'endCapacity':
      return { directions: binding.channels, lackingMsat: amountMsat - availableMsat(binding.shortage) };
    case 'direction':
      return binding.fault.kind === 'constraint'
        ? { directions: [binding.of], lackingMsat: binding.amountMsat - binding.fault.limitMsat }
        : undefined;
    case 'capacity':
      return { directions: binding.cut, lackingMsat: undefined };
    default:
      return undefined;
  }
}

/** What the channels of one end can carry together. */
function availableMsat(shortage: EndShortage): bigint {
  switch (shortage.kind) {
    case 'total':
      return shortage.totalMsat;
    case 'gossip':
      return shortage.announcedMsat;
    case 'disabled':
      return shortage.enabledMsat;
    case 'known':
    case 'usable':
      return shortage.limitMsat;
  }
}
