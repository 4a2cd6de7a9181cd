/**
 * One payment in progress. It executes what `nextStep` decides, until the payment has an outcome and no attempt is in
 * flight.
 */

import { equalBytes } from '../../bolt/bytes.ts';
import { sha256 } from '../../bolt/crypto/hashes.ts';
import type { Route } from '../../engine/question/route.ts';
import { monotonicTimeOf } from '../../model/clock.ts';
import { deferred } from '../../model/deferred.ts';
import { FulguriteError } from '../../model/errors.ts';
import { type Msat, msat } from '../../model/msat.ts';
import type { TakenHtlc } from '../../network/port.ts';
import { hasNotLeft } from '../books/idempotency-keys.ts';
import { AttemptLessons } from '../learn/attempt-lessons.ts';
import { PrivateLayer } from '../learn/learning.ts';
import type { Judgement } from '../learn/lesson.ts';
import { OutcomeOpen } from '../outcome-open.ts';
import type { Attempt, AttemptFailure, Payment, ShadowOffset } from '../payment.ts';
import { type NoPlan, noPlanOf, type RefusedPlan, refusedPlan } from '../plan/no-plan.ts';
import type { QueuePlace } from '../plan/plan-query.ts';
import type { Search } from '../plan/planner.ts';
import { RouteSearch } from '../plan/route-search.ts';
import { PaymentRefused } from '../refusal.ts';
import type { PaymentListener, Services } from '../services.ts';
import { type ExpectedReturn, ExpectedReturns } from './expected-return.ts';
import { type Release, released } from './held-release.ts';
import { HtlcSender } from './htlc-sender.ts';
import { newAttempt } from './new-attempt.ts';
import { type Circumstances, nextStep, type Step } from './next-step.ts';
import { nodeReturned } from './node-return.ts';
import type { AttemptOutcome } from './outgoing-htlc.ts';
import { PathReservation } from './path-reservation.ts';
import { Pauses } from './pauses.ts';
import { isContinued } from './resumption.ts';
import { isDisowned } from './takeover.ts';

/**
 * `new`: requested by a caller of this process. `continued`: started by an earlier process or another daemon, and may
 * make new attempts. `interrupted`: like `continued`, but makes no new attempts, and only waits for those in flight
 * (resumption.ts).
 */
export type PaymentStart = 'new' | 'continued' | 'interrupted';

/** Options of `LivePayment`. */
export interface LiveOptions {
  readonly start: PaymentStart;
  /** When the payment was requested, in milliseconds of the monotonic clock. Its `retry_for` counts from then. */
  readonly startedAtMs: number;
  readonly listener: PaymentListener | undefined;
  /** The lane and the client of the payment's searches in the route engine's queue. */
  readonly asker: QueuePlace;
  /** Part number of the first attempt, higher than the part numbers of earlier payments of the same invoice. */
  readonly firstPartId: number;
}

/** Milliseconds between attempts to write a failure that must be on disk before it is reported. */
const WRITE_AGAIN_MS = 1_000;
/** First pause, in milliseconds, before another search for the rest of a payment that has parts in flight. */
const SEARCH_AGAIN_MS = 2_000;

/** Runs one payment: executes the decisions made by `next-step.ts`. */
export class LivePayment {
  readonly payment: Payment;
  readonly #services: Services;
  readonly #options: LiveOptions;
  readonly #pauses: Pauses;
  readonly #sender: HtlcSender;
  readonly #layer: PrivateLayer;
  readonly #lessons: AttemptLessons;
  readonly #search: RouteSearch;
  readonly #returns: ExpectedReturns;
  readonly #listeners = new Set<PaymentListener>();
  /** The payment's deadline, in milliseconds of the monotonic clock. */
  readonly #deadlineMs: number;
  /** When the latest attempt ended, in milliseconds of the monotonic clock. Undefined if none has. */
  #endedAtMs: number | undefined;
  /** Reservations of the attempts in flight. */
  readonly #reservations = new Set<PathReservation>();
  #isHopeless = false;
  #isDeclined = false;
  /**
   * State of the wait for the recipient of a static invoice. Undefined for other payments, and for those of an earlier
   * process.
   */
  #release: Release | undefined;
  #isNodeAway = false;
  /** What the payment waits for, if it has no route but may soon have one. */
  #expected: ExpectedReturn | undefined;
  #noPlan: NoPlan | undefined;
  /** Pause, in milliseconds, before the next search if the last one found no route while parts were in flight. */
  #againMs = SEARCH_AGAIN_MS;
  #awaitHeight: number | undefined;
  #changed = deferred();
  readonly #answered = deferred();
  #isAnswered = false;

  constructor(services: Services, payment: Payment, options: LiveOptions) {
    this.payment = payment;
    this.#services = services;
    this.#options = options;
    if (payment.request.invoice?.held !== undefined && options.start === 'new') this.#release = 'unasked';
    this.#pauses = new Pauses(services.clock);
    this.#sender = new HtlcSender(services, this.#pauses);
    const { clock } = services;
    this.#deadlineMs = options.startedAtMs + 1000 * payment.request.retryForS;
    const endedAtMs = payment.attempts.at(-1)?.completedAtMs;
    if (endedAtMs !== undefined) this.#endedAtMs = monotonicTimeOf(clock, endedAtMs);
    this.#returns = new ExpectedReturns(services, payment, this.#pauses);
    this.#layer = new PrivateLayer(services.book, nameOf(payment));
    this.#lessons = new AttemptLessons(services, payment, this.#layer);
    this.#search = new RouteSearch(services, payment, this.#layer, this.#pauses, options.asker);
    if (options.listener !== undefined) this.#listeners.add(options.listener);
    if (options.start !== 'interrupted' && payment.request.kind !== 'sendpay') this.#search.begin();
    // No caller awaits a payment of an earlier process. This handler keeps its rejection from being unhandled.
    this.answered.catch(() => undefined);
  }

  /**
   * Resolves once the payment is complete or failed, and its outcome is on disk or could not be written. Rejects after
   * `close` (with OutcomeOpen, or with PaymentRefused if no attempt was made), `withdraw` and `fail`.
   */
  get answered(): Promise<void> {
    return this.#answered.promise;
  }

  /** Resolves at the next change of the payment. */
  get changed(): Promise<void> {
    return this.#changed.promise;
  }

  listen(listener: PaymentListener): void {
    this.#listeners.add(listener);
  }

  /**
   * Stops the payment: nothing more is sent or learned. The next start of the service follows its attempts in flight.
   */
  close(): void {
    this.#pauses.end();
    const { payment } = this;
    const nothingSent = payment.attempts.length === 0;
    const refused = new PaymentRefused({ kind: 'closed' });
    this.#answered.reject(nothingSent ? refused : new OutcomeOpen({ kind: 'stopping', payment }));
    this.#wake();
  }

  /**
   * Gives up the payment, because another daemon continues it: nothing more is sent, written or learned here.
   * @param error the error with which `answered` rejects
   */
  withdraw(error: Error): void {
    if (this.#isClosed) return;
    this.#pauses.end();
    for (const reservation of this.#reservations) reservation.ended(false);
    this.#layer.remove();
    this.#answered.reject(error);
    this.#wake();
  }

  /** Ends the run after a bug of ours. The next start of the service follows its attempts in flight. */
  fail(error: unknown): void {
    this.#services.log.unusual(`${nameOf(this.payment)}: ${error}`);
    const { payment } = this;
    const isOpen = payment.status === 'pending' && payment.attempts.length > 0;
    const plain = error instanceof Error ? error : new Error(String(error));
    this.#answered.reject(isOpen ? new OutcomeOpen({ kind: 'defect', payment }) : plain);
  }

  /** The routes that the payment would take now. Sends nothing, and removes its private layer. */
  async plan(): Promise<{ search: Search; shadow: ShadowOffset }> {
    try {
      const search = await this.#search.next(this.payment.totalMsat);
      return { search, shadow: this.#search.shadow };
    } finally {
      this.#layer.remove();
    }
  }

  /** Runs the payment. Resolves once it has an outcome and no attempt is in flight, or after `close` or `withdraw`. */
  async run(): Promise<void> {
    try {
      for (const attempt of this.payment.attempts) {
        if (attempt.status === 'sent' && !this.#lessons.isOurs(attempt)) this.#follow(attempt);
      }
      if (this.#options.start === 'continued') await this.#takeUp();
      await this.#loop();
    } finally {
      if (!this.#isClosed) this.#layer.remove();
    }
  }

  /**
   * Learns again what failed attempts taught this payment, and waits for our node, which may have restarted as well.
   */
  async #takeUp(): Promise<void> {
    const { changed } = this;
    for (const attempt of this.payment.attempts) {
      const { status, failure } = attempt;
      if (status !== 'failed' || failure === undefined) continue;
      this.#heed(attempt, failure, this.#lessons.again(attempt, failure));
    }
    await Promise.race([this.#nodeOrDeadline(), changed]);
  }

  async #loop(): Promise<void> {
    while (!this.#isClosed) {
      const changed = this.changed;
      const step = nextStep(this.payment, this.#circumstances());
      switch (step.kind) {
        case 'succeed':
        case 'fail':
          this.#conclude(step);
          this.#services.journal.put(this.payment, []);
          break;
        case 'plan':
          await this.#planAndSend(msat(step.remainingMsat));
          break;
        case 'awaitHeight':
          await this.#blockOrDeadline();
          break;
        case 'awaitNode':
          await this.#nodeOrDeadline();
          break;
        case 'awaitReturn':
          await this.#returnOrDeadline();
          break;
        case 'awaitRelease':
          await this.#releaseOrDeadline();
          break;
        case 'awaitAttempt':
          if (!(await this.#answer())) await this.#attemptOrSearch(changed);
          break;
        case 'rest':
          await this.#answer();
          return;
      }
    }
  }

  /**
   * Waits for the next block, the next change of the payment, or the deadline. Called if the recipient's chain is
   * longer than ours.
   */
  async #blockOrDeadline(): Promise<void> {
    await Promise.race([
      this.#services.nextBlock(),
      this.#pauses.wait(Math.max(0, this.#leftMs)),
      this.changed,
    ]);
  }

  /**
   * Waits until an attempt ends. If parts are in flight and the last search found no route for the rest, the payment
   * searches again after a while, because failed parts may have returned money to our channels, and other payments may
   * have learned something. Each pause is twice as long as the last, so a recipient that holds parts for a minute
   * causes few searches.
   */
  async #attemptOrSearch(changed: Promise<void>): Promise<void> {
    if (this.#noPlan === undefined || this.payment.status !== 'pending' || this.#againMs >= this.#leftMs) {
      await changed;
      return;
    }
    await Promise.race([changed, this.#pauses.wait(this.#againMs)]);
    if (this.changed !== changed) return;
    this.#againMs *= 2;
    this.#noPlan = undefined;
  }

  /** Waits until our unreachable node returns, at most until the deadline. */
  async #nodeOrDeadline(): Promise<void> {
    const { network, clock } = this.#services;
    if (await nodeReturned(network, clock, this.#pauses, this.#leftMs)) this.#isNodeAway = false;
  }

  /**
   * Waits until there may be a route again, at most until the deadline. Then begins the search again, unless the payment
   * has lessons that still hold.
   */
  async #returnOrDeadline(): Promise<void> {
    const expected = this.#expected;
    await expected?.wait(this.#leftMs);
    const hasLessons = this.payment.attempts.length > 0 && expected?.endsLessons !== true;
    if (!this.#isClosed && !hasLessons) this.#search.restart();
    this.#expected = undefined;
  }

  /** Waits until the recipient of the static invoice releases the payment, at most until the deadline. */
  async #releaseOrDeadline(): Promise<void> {
    this.#tell({ kind: 'waiting', payment: this.payment });
    try {
      this.#release = await released(this.payment, this.#services, this.#pauses, this.#leftMs);
    } catch (error) {
      if (isDisowned(error)) this.withdraw(error);
      else this.#noPlan = refusedPlan(error);
    }
  }

  /** Milliseconds until the payment's deadline. 0 or less if it has passed. */
  get #leftMs(): number {
    return this.#deadlineMs - this.#services.clock.monotonicMs();
  }

  #circumstances(): Circumstances {
    const { clock, network } = this.#services;
    return {
      leftMs: this.#leftMs,
      nowMs: clock.nowMs(),
      expiresAtMs: expiryMs(this.payment),
      height: network.blockHeight(),
      isHopeless: this.#isHopeless,
      isDeclined: this.#isDeclined,
      isHeld: this.#release !== undefined && this.#release !== 'released',
      isNodeAway: this.#isNodeAway,
      isReturnExpected: this.#expected !== undefined,
      isRouteless: this.#noPlan !== undefined,
      isInterrupted: this.#options.start === 'interrupted',
      awaitHeight: this.#awaitHeight,
    };
  }

  // ---------------------------------------------------------------- planning

  async #planAndSend(remainingMsat: Msat): Promise<void> {
    // Our chain may now have the height that the recipient requires, so failed routes are worth another try.
    if (this.#awaitHeight !== undefined) this.#search.forgive();
    this.#awaitHeight = undefined;
    const search = await this.#search.next(remainingMsat).catch((error) => this.#withoutSearch(error));
    await this.#ownLease();
    if (this.#isClosed || this.#isSettled()) return;
    if ('noPlan' in search) {
      // If our node is unreachable, it has no channels, so the failed search does not mean that the payment has no
      // route.
      if (this.#services.network.nodeBehind()?.problem !== undefined) {
        this.#isNodeAway = true;
        return;
      }
      if (this.#leftMs > 0) this.#expected = this.#returns.after(search.noPlan, this.#endedAtMs);
      if (this.#expected === undefined) this.#noPlan = search.noPlan;
      return;
    }
    // During the search, the amount may have been sent, or the time may have run out.
    const step = nextStep(this.payment, this.#circumstances());
    if (step.kind !== 'plan') return;
    const several = search.routes.length > 1 || this.payment.attempts.some(({ status }) => status === 'sent');
    // All parts of a plan are journaled in one write, so that a crash leaves either all of them or none.
    const attempts = search.routes.map((route) => this.#newAttempt(route, several));
    this.#services.journal.put(this.payment, attempts);
    for (const attempt of attempts) void this.#send(attempt);
  }

  /**
   * Waits while the last confirmation of our leases by the database is more than half a lease old: another daemon may
   * be about to take over the payment, so no attempt may start. Also waits while a failover may have lost rows.
   */
  async #ownLease(): Promise<void> {
    const { leases } = this.#services;
    if (leases === undefined) return;
    const isUncertain = (): boolean =>
      leases.doubt?.isOpen === true || leases.confirmedMsAgo > leases.leaseMs / 2;
    while (!this.#isClosed && isUncertain()) {
      await this.#pauses.wait(leases.leaseMs / 20);
    }
  }

  /** The result of a search that a bug ended: no routes, so that the payment still gets an outcome. */
  #withoutSearch(error: unknown): Search {
    if (error instanceof FulguriteError && error.name === 'shuttingDown') throw error;
    this.#services.log.unusual(`${nameOf(this.payment)}: ${error}`);
    return { noPlan: noPlanOf(error) };
  }

  /**
   * Sends a part along a route chosen by the caller of `sendpay`. `handed` resolves once the network has the part, or
   * the attempt has ended.
   */
  sendAlong(route: Route, partId: number): { readonly attempt: Attempt; readonly handed: Promise<void> } {
    const { amountMsat } = route;
    const attempt = this.#newAttempt(route, partId > 0, { partId, amountMsat });
    this.#services.journal.put(this.payment, [attempt]);
    const handed = deferred();
    void this.#send(attempt, handed.resolve).finally(handed.resolve);
    return { attempt, handed: handed.promise };
  }

  /** @param given number and amount of the part; only for `sendpay` */
  #newAttempt(route: Route, partOfSeveral: boolean, given?: Pick<Attempt, 'partId' | 'amountMsat'>): Attempt {
    const { attempts } = this.payment;
    const partId = given?.partId ?? attempts.length + this.#options.firstPartId;
    const amountMsat = given?.amountMsat ?? route.path.at(-1)!.amountOutMsat;
    const attempt = newAttempt(route, { partId, amountMsat, partOfSeveral }, this.#services);
    attempts.push(attempt);
    this.#lessons.planned(attempt);
    return attempt;
  }

  // ---------------------------------------------------------------- attempts

  /** @param onTaken called when the network has the HTLC */
  async #send(attempt: Attempt, onTaken = (): void => undefined): Promise<void> {
    const reservation = this.#reserve(attempt);
    this.#tell({ kind: 'sent', payment: this.payment, attempt });
    const isWanted = (): boolean =>
      !this.#isClosed && this.payment.status === 'pending' && !this.#isSettled();
    let outcome: AttemptOutcome | undefined;
    let broken: RefusedPlan | undefined;
    try {
      outcome = await this.#sender.send(this.payment, attempt, {
        isWanted,
        onTaken: ({ channelsRevision }) => {
          this.#taken(reservation, channelsRevision);
          onTaken();
        },
      });
    } catch (error) {
      if (isDisowned(error)) {
        this.withdraw(error);
        return;
      }
      broken = refusedPlan(error);
      outcome = { status: 'neverLeft', why: broken };
    }
    if (this.#isClosed) return;
    this.#end(attempt, outcome ?? { status: 'neverLeft', why: { kind: 'concluded' } }, reservation);
    this.#noPlan = broken;
  }

  #follow(attempt: Attempt): void {
    this.#services.onEvent({ kind: 'sent', payment: this.payment, attempt });
    const reservation = this.#reserve(attempt);
    const onTaken = ({ channelsRevision }: TakenHtlc): void => this.#taken(reservation, channelsRevision);
    const isTakenOver = this.#services.leases !== undefined;
    this.#sender.reconcile(this.payment, attempt, onTaken, isTakenOver).then(
      (outcome) => {
        if (!this.#isClosed) this.#end(attempt, outcome, reservation);
      },
      (error) => {
        if (!this.#isClosed) this.#services.log.unusual(`error while following an HTLC: ${error}`);
      },
    );
  }

  #reserve(attempt: Attempt): PathReservation {
    const owner = `${nameOf(this.payment)}/${attempt.partId}`;
    const { book, purse } = this.#services;
    const reservation = new PathReservation(book, attempt.path, owner, purse);
    this.#reservations.add(reservation);
    return reservation;
  }

  #taken(reservation: PathReservation, channelsRevision: number): void {
    reservation.taken((callback) => this.#services.afterReport(channelsRevision, callback));
  }

  /**
   * Ends an attempt: releases its reservation, learns its lessons, and journals it. If the attempt decides the outcome
   * of the payment, that outcome is journaled in the same transaction, so no crash can leave a settled attempt in a
   * pending payment.
   */
  #end(attempt: Attempt, outcome: AttemptOutcome, reservation: PathReservation): void {
    const { journal, clock, outcomes } = this.#services;
    outcomes.forget(attempt.id);
    this.#reservations.delete(reservation);
    reservation.ended(outcome.status === 'settled');
    attempt.completedAtMs = clock.nowMs();
    this.#endedAtMs = clock.monotonicMs();
    attempt.updatedIndex = journal.nextUpdate();
    if (outcome.status === 'settled') {
      this.#takePreimage(outcome.preimage);
      attempt.status = 'settled';
      this.#lessons.settled(attempt, outcome.attribution);
    } else {
      attempt.status = 'failed';
      const { failure, judgement } = this.#lessons.failed(attempt, outcome);
      this.#heed(attempt, failure, judgement);
    }
    // The end of an attempt may have changed something, so a search that found no route may now succeed.
    this.#noPlan = undefined;
    const step = nextStep(this.payment, this.#circumstances());
    if (step.kind === 'succeed' || step.kind === 'fail') {
      this.#conclude(step);
      journal.put(this.payment, [attempt]);
    } else {
      journal.putAttempts(this.payment, [attempt]);
    }
    this.#tell({ kind: attempt.status, payment: this.payment, attempt } as Parameters<PaymentListener>[0]);
    this.#wake();
  }

  /** Applies the judgement of a failed attempt to the next step and the next search. */
  #heed(attempt: Attempt, failure: AttemptFailure, judgement: Judgement): void {
    if (judgement.isHopeless) this.#isHopeless = true;
    if (judgement.isDeclined && !this.#search.leaveOut(attempt)) {
      if (isAway(failure) && this.#services.network.nodeBehind() !== undefined) this.#isNodeAway = true;
      else this.#isDeclined = true;
    }
    if (judgement.awaitHeight !== undefined) {
      this.#awaitHeight = Math.max(judgement.awaitHeight, this.#awaitHeight ?? 0);
      this.#tell({ kind: 'waiting', payment: this.payment, height: this.#awaitHeight });
    } else if (isLessonless(failure)) {
      this.#search.forgive();
    } else if (judgement.lessons.some(({ kind }) => kind === 'suspected')) {
      this.#search.doubt(attempt);
    } else {
      this.#search.spend(attempt);
    }
  }

  #takePreimage(preimage: Uint8Array): void {
    this.payment.preimage ??= preimage;
    if (!equalBytes(sha256(preimage), this.payment.paymentHash)) {
      this.#services.log.unusual(`${nameOf(this.payment)}: settled with a wrong preimage`);
    }
  }

  // ---------------------------------------------------------------- the end

  /** Sets the payment's outcome. The caller journals it. */
  #conclude(step: Extract<Step, { kind: 'succeed' | 'fail' }>): void {
    const { payment } = this;
    payment.completedAtMs = this.#services.clock.nowMs();
    payment.status = step.kind === 'succeed' ? 'complete' : 'failed';
    if (step.kind !== 'fail') return;
    const noPlan = this.#noPlan;
    payment.failure = {
      obstacle: step.obstacle,
      ...(noPlan !== undefined && { noPlan }),
      ...(step.obstacle === 'notReleased' && this.#release === 'unasked' && { isUnasked: true }),
    };
  }

  /**
   * Answers all waiting callers once the outcome is on disk. @returns whether this call answered them; false if there
   * is no outcome, if they were answered earlier, or if the payment was closed and may be continued elsewhere
   */
  async #answer(): Promise<boolean> {
    const { payment } = this;
    if (payment.status === 'pending' || this.#isAnswered) return false;
    this.#isAnswered = true;
    await this.#write();
    if (this.#isClosed && (this.#services.leases !== undefined || this.#mayContinue())) return false;
    this.#services.onEvent({ kind: 'ended', payment });
    this.#answered.resolve();
    this.#wake();
    return true;
  }

  /**
   * Waits until the outcome is on disk. An outcome that cannot be written is valid too, because the next start of the
   * service learns it again from the network. But a failure must be on disk before it is reported if the payment might
   * otherwise be continued, and then succeed.
   */
  async #write(): Promise<void> {
    const { journal, log } = this.#services;
    const { payment } = this;
    for (let isFirst = true; !this.#isClosed; isFirst = false) {
      try {
        await journal.durable(payment);
        return;
      } catch (error) {
        if (isDisowned(error)) {
          this.withdraw(error);
          return;
        }
        if (isFirst) log.unusual(`${nameOf(payment)}: ${error}`);
        if (!this.#mayContinue()) return;
        await this.#pauses.wait(WRITE_AGAIN_MS);
      }
    }
  }

  /**
   * Whether the payment may be continued if its failure is not on disk: by another daemon, which may be sending the last
   * attempt again, or by the next start of this service.
   */
  #mayContinue(): boolean {
    const { payment } = this;
    const services = this.#services;
    if (payment.status === 'complete') return false;
    if (services.leases !== undefined) return true;
    return !payment.attempts.every(hasNotLeft) && isContinued({ ...payment, status: 'pending' }, services);
  }

  get #isClosed(): boolean {
    return this.#pauses.isEnded;
  }

  #isSettled(): boolean {
    return this.payment.attempts.some(({ status }) => status === 'settled');
  }

  #tell(event: Parameters<PaymentListener>[0]): void {
    this.#services.onEvent(event);
    for (const listener of this.#listeners) listener(event);
  }

  #wake(): void {
    const before = this.#changed;
    this.#changed = deferred();
    before.resolve();
  }
}

/** Time in UNIX milliseconds from which the recipient may refuse the payment because its invoice has expired. */
const expiryMs = ({ request }: Payment): number =>
  request.invoice === undefined ? Number.POSITIVE_INFINITY : 1000 * (Number(request.invoice.expiresAt) + 1);

/**
 * Whether a failure teaches nothing about the route, so that the same route may be tried again: the recipient waited in
 * vain for other parts, the HTLC never left, or our node was unreachable.
 */
const isLessonless = ({ failcodename, notSent }: AttemptFailure): boolean =>
  failcodename === 'mpp_timeout' ||
  notSent?.kind === 'stopped' ||
  (notSent?.kind === 'byNode' && (notSent.cause === 'neverLeft' || notSent.cause === 'nodeAway'));

/** Whether the attempt was not sent because our node was unreachable. */
const isAway = ({ notSent }: AttemptFailure): boolean =>
  notSent?.kind === 'byNode' && notSent.cause === 'nodeAway';

/** Name of the payment in logs, layers and reservations: its kind and index. */
function nameOf({ request, createdIndex }: Payment): string {
  return `${request.kind}-${createdIndex}`;
}
