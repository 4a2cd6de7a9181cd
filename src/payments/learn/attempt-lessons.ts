/**
 * What the attempts of one payment teach: about liquidity and terms (learning.ts), and about the odds of attempts
 * (path-odds.ts). Both need facts from the time when an attempt was sent, which are kept here until it ends.
 */
import { readAttribution } from '../../bolt/onion/attribution.ts';
import { failureSecrets } from '../../network/onions/htlc-onion.ts';
import type { Attempt, AttemptFailure, Payment } from '../payment.ts';
import { tailOf } from '../plan/recipient.ts';
import { type AttemptOutcome, outgoingHtlc } from '../send/outgoing-htlc.ts';
import type { Services } from '../services.ts';
import { judgeAgain, type Reading, readFailure } from './attempt-failure.ts';
import type { PrivateLayer } from './learning.ts';
import type { Judgement } from './lesson.ts';
import type { KnownHop } from './odds-model.ts';

/** Learns from the attempts of one payment. */
export class AttemptLessons {
  readonly #services: Pick<Services, 'learning' | 'odds' | 'randomBytes'>;
  readonly #payment: Payment;
  readonly #layer: PrivateLayer;
  /** For each attempt of this process, the value of `Learning.now` when it was sent. */
  readonly #sentAt = new Map<Attempt, number>();
  /**
   * What was known about the hops of each attempt when it was sent. Attempts of earlier processes are missing. For them,
   * what is known at the end, before the outcome is learned, is used instead.
   */
  readonly #known = new Map<Attempt, readonly KnownHop[]>();

  /** @param layer receives the lessons that only this payment learns */
  constructor(
    services: Pick<Services, 'learning' | 'odds' | 'randomBytes'>,
    payment: Payment,
    layer: PrivateLayer,
  ) {
    this.#services = services;
    this.#payment = payment;
    this.#layer = layer;
  }

  /** Call for each new attempt, before its path is reserved. */
  planned(attempt: Attempt): void {
    const { odds, learning } = this.#services;
    this.#sentAt.set(attempt, learning.now);
    if (odds !== undefined) this.#known.set(attempt, odds.known(attempt.path, this.#payment.request.layers));
  }

  /** Whether this process made the attempt. */
  isOurs(attempt: Attempt): boolean {
    return this.#sentAt.has(attempt);
  }

  /** Learns from a settled attempt. Call it after releasing the attempt's reservations. */
  settled(attempt: Attempt, attribution: Uint8Array | undefined): void {
    const known = this.#known.get(attempt) ?? this.#knownNow(attempt);
    attempt.learned = this.#services.learning.settled(attempt.path, this.#layer);
    this.#observe(attempt, known, [], () =>
      attribution === undefined ? [] : readAttribution(this.#secrets(attempt), attribution).holdTimesMs,
    );
  }

  /**
   * Reads the failure of an attempt, sets it in the attempt, and learns from it. Call it after releasing the attempt's
   * reservations.
   */
  failed(attempt: Attempt, outcome: Exclude<AttemptOutcome, { status: 'settled' }>): Reading {
    const { learning } = this.#services;
    const knownAtEnd = this.#knownNow(attempt);
    const known = this.#known.get(attempt) ?? knownAtEnd;
    const reading = this.#read(attempt, outcome);
    const { failure, judgement, holdTimesMs = [] } = reading;
    attempt.failure = failure;
    attempt.learned = learning.learn(judgement.lessons, this.#layer, this.#sentAt.get(attempt));
    learning.returned(attempt.path.slice(0, failure.erringIndex));
    this.#observe(attempt, known, knownAtEnd, () => holdTimesMs);
    return reading;
  }

  /** Learns again what an attempt of an earlier process taught this payment. */
  again(attempt: Attempt, failure: AttemptFailure): Judgement {
    const isBlinded = tailOf(this.#payment, attempt.path) !== undefined;
    const severalParts = this.#isOfSeveral(attempt);
    const judgement = judgeAgain(attempt, failure, { severalParts, isBlinded, draw: this.#draw() });
    this.#services.learning.learn(judgement.lessons, this.#layer, undefined);
    return judgement;
  }

  #knownNow({ path }: Attempt): readonly KnownHop[] {
    return this.#services.odds?.known(path, this.#payment.request.layers) ?? [];
  }

  /** Learns odds and times from a finished attempt. A caller's onion teaches nothing, since its nodes are unknown. */
  #observe(
    attempt: Attempt,
    known: readonly KnownHop[],
    knownAtEnd: readonly KnownHop[],
    holdTimesMs: () => readonly number[],
  ): void {
    const { odds } = this.#services;
    if (odds === undefined || this.#payment.request.onion !== undefined) return;
    odds.observe(attempt, known, knownAtEnd, holdTimesMs());
  }

  #read(attempt: Attempt, outcome: Exclude<AttemptOutcome, { status: 'settled' }>): Reading {
    const severalParts = this.#isOfSeveral(attempt);
    const draw = this.#draw();
    const secrets = (): readonly Uint8Array[] => this.#secrets(attempt);
    const blindedHops = tailOf(this.#payment, attempt.path)?.hops.length;
    const onionHops = this.#payment.request.onion?.sharedSecrets.length;
    return readFailure(attempt, outcome, { secrets, severalParts, blindedHops, onionHops, draw });
  }

  /** The secrets shared with each hop of the onion, in order. */
  #secrets(attempt: Attempt): readonly Uint8Array[] {
    const { onion } = this.#payment.request;
    return onion?.sharedSecrets ?? failureSecrets(outgoingHtlc(this.#payment, attempt));
  }

  #isOfSeveral({ partOfSeveral }: Attempt): boolean {
    return partOfSeveral || isPartial(this.#payment);
  }

  #draw(): number {
    return this.#services.randomBytes(1)[0]! / 256;
  }
}

/** Whether other payers pay the rest of the amount, so that the recipient may have waited in vain for their parts. */
const isPartial = ({ request }: Payment): boolean =>
  request.invoice !== undefined && request.amountMsat < request.invoice.totalMsat;
