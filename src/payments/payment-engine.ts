/**
 * The payment engine: all payments in progress, the journal of all payments ever made, and the services that payments
 * share.
 *
 * Steps are taken in this order, so that a crash at any moment loses no HTLC and no outcome:
 *   1. an attempt is in the journal, durably, before its HTLC is handed to the network;
 *   2. its outcome and its lessons go to the journal in one transaction;
 *   3. the payment's outcome is durable before its caller is answered.
 * Before anything else, `start` queries the network about every attempt that may have left. A payment that was in
 * progress when the process ended becomes complete if one of its HTLCs settles. It makes further attempts only if its
 * caller can find its outcome with an idempotency key (resumption.ts). The same is true of a payment taken over from
 * another daemon that shares the journal (takeover.ts).
 */

import { equalBytes } from '../bolt/bytes.ts';
import type { RouteEngine } from '../engine/host/engine.ts';
import type { Route } from '../engine/question/route.ts';
import type { LayerBook } from '../layers/layer-book.ts';
import type { ChannelGraph } from '../model/channel-graph.ts';
import { type Clock, type Moment, momentOf, monotonicTimeOf, realClock } from '../model/clock.ts';
import { deferred } from '../model/deferred.ts';
import { randomBytes } from '../model/random-bytes.ts';
import type { NetworkPort, OwnChannelReport } from '../network/port.ts';
import type { OwnNodes } from '../network/several/index.ts';
import type { InDoubt } from '../store/payment-leases.ts';
import type { PaymentRepository } from '../store/payment-repository.ts';
import { doubtOf, requireCertainty, requireNode, requirePayable } from './admission.ts';
import { type KeyHolder, withKeyOf } from './books/idempotency-keys.ts';
import { InvoiceTaken } from './books/invoice-guard.ts';
import { Journal } from './books/journal.ts';
import { PaymentClaims } from './books/payment-claims.ts';
import { LearnedBeliefs } from './learn/learned-beliefs.ts';
import { FADING_FORGOTTEN_S, Learning, nodeLayers } from './learn/learning.ts';
import type { OddsModel } from './learn/odds-model.ts';
import { type OddsSplit, PathOdds } from './learn/path-odds.ts';
import { newPayment } from './new-payment.ts';
import {
  type Attempt,
  isUnfetched,
  type Payment,
  PaymentFailed,
  type PaymentRequest,
  type PaymentTarget,
  type ShadowOffset,
} from './payment.ts';
import type { QueuePlace } from './plan/plan-query.ts';
import { Planner } from './plan/planner.ts';
import { Purse } from './plan/purse.ts';
import { type FeeQuote, quoteFee } from './quotes/fee-quote.ts';
import { hopBeliefs } from './quotes/hop-beliefs.ts';
import { PaymentRefused } from './refusal.ts';
import { requireSame } from './same-request.ts';
import { ChannelPresence } from './send/channel-return.ts';
import { Failover } from './send/failover.ts';
import { finalOutcome } from './send/final-outcome.ts';
import { type GivenPart, planPart } from './send/given-route.ts';
import { HtlcOutcomes } from './send/htlc-outcomes.ts';
import { type InFlight, inFlightOf } from './send/in-flight.ts';
import { type LiveOptions, LivePayment } from './send/live-payment.ts';
import { nodeReturned } from './send/node-return.ts';
import { Pauses } from './send/pauses.ts';
import { ReportQueue } from './send/report-queue.ts';
import { isContinued } from './send/resumption.ts';
import { Takeover, type TakeoverCounts } from './send/takeover.ts';
import type { PaymentLifecycleListener, PaymentListener, RequestRelease, Services } from './services.ts';
import type { Trial } from './trials/trial.ts';

/** Maximum number of payments in progress. Further payments are refused as `busy`. */
const MAX_LIVE = 20_000;

/**
 * Maximum number of times that a part looks for a payment to join while other parts with its payment hash are starting.
 */
const MAX_PART_LOOKS = 4;

/** Maximum time for which a new payment waits for a restarting node, in milliseconds. */
const RETURN_MS = 15_000;

/** What the engine is built from. By default, the clock and the random bytes are real, and nothing is logged. */
export interface PaymentEngineOptions {
  readonly network: NetworkPort;
  readonly engine: Pick<RouteEngine, 'getroutes'>;
  readonly book: LayerBook;
  readonly graph: () => ChannelGraph;
  readonly repository: PaymentRepository;
  /** Our nodes, if there are several. Searches then start at them instead of the network's own node. */
  readonly ownNodes?: OwnNodes;
  /** Learns the odds of attempts. Default: the search's own probabilities are used. */
  readonly odds?: OddsModel;
  /** Settings on trial. Default: none. */
  readonly trial?: Trial | undefined;
  readonly clock?: Clock;
  readonly randomBytes?: (length: number) => Uint8Array;
  /** Asks recipients of static invoices to release payments. Default: static invoices are not paid. */
  readonly requestRelease?: RequestRelease | undefined;
  /**
   * Called when a payment for an invoice request that this service published is complete, and its outcome is on disk or
   * could not be written.
   */
  readonly onRequestPaid?: (requestId: Uint8Array) => void;
  /** Whether the layer of shared lessons is created by the first payment rather than immediately. Default: false. */
  readonly makesLayerLater?: boolean;
  readonly log?: { unusual(message: string): void };
  /** Notified of every payment and attempt, but not of probes. Default: no listener. */
  readonly onEvent?: PaymentLifecycleListener;
}

/**
 * The first attempts that a payment would make. `probabilityPpm` is the probability that all routes together succeed,
 * in parts per million.
 */
export interface PaymentPlan {
  readonly request: PaymentRequest;
  readonly routes: readonly Route[];
  readonly probabilityPpm: number;
  readonly shadow: ShadowOffset;
  /** Layers of lessons that the plan ignores, because they left no route. Undefined if there are none. */
  readonly disregardedLayers?: readonly string[] | undefined;
}

/** Who requested a payment, and who is notified of its progress. */
export interface PaymentOrder {
  readonly listener?: PaymentListener | undefined;
  /** The requesting client. The search queue gives each client its fair share. */
  readonly client?: object | undefined;
  /** Scope of the request's idempotency key. Callers with the same scope share keys. Undefined for socket clients. */
  readonly keyScope?: string | undefined;
  /** Id of the request, for logs. */
  readonly askedBy?: string | undefined;
}

interface Beginning {
  readonly started: Moment;
  readonly firstPartId: number;
  /** Only if the caller gives the routes: the payment's group id, and a function that sends the first part. */
  readonly given?: {
    readonly groupId: bigint;
    readonly send: (live: LivePayment) => void;
  };
}

/** Makes, plans and quotes payments, which share its journal, planner and lessons. */
export class PaymentEngine {
  readonly journal: Journal;
  /** What attempts taught about odds. Undefined if odds are not learned. */
  readonly learnedOdds: OddsModel | undefined;
  /** All our nodes, treated as one. Undefined if there is only one node. */
  readonly purse: Purse | undefined;
  readonly #services: Services;
  readonly #live = new Map<string, LivePayment>();
  readonly #claims: PaymentClaims;
  readonly #onRequestPaid: NonNullable<PaymentEngineOptions['onRequestPaid']>;
  readonly #reports = new ReportQueue();
  /** Undefined unless the journal is in a database that several daemons can share. */
  readonly #takeover: Takeover | undefined;
  /** Undefined unless a failover of the journal may lose rows. */
  readonly #failover: Failover | undefined;
  readonly #unsubscribe: (() => void)[];
  readonly #pauses: Pauses;
  #nextBlock = deferred();
  #start: Promise<void> | undefined;
  #isStarted = false;
  #isClosed = false;
  readonly #beliefs: LearnedBeliefs | undefined;

  constructor(options: PaymentEngineOptions) {
    const { network, book, graph, engine } = options;
    this.journal = new Journal(options.repository);
    this.#claims = new PaymentClaims(this.journal);
    this.#onRequestPaid = options.onRequestPaid ?? (() => undefined);
    const { odds: model } = options;
    const learning = new Learning(book, graph, model && FADING_FORGOTTEN_S);
    this.learnedOdds = model;
    const odds = model && new PathOdds({ model, book, graph });
    const beliefs = model && new LearnedBeliefs({ model, book, graph });
    this.#beliefs = beliefs;
    const { ownNodes, clock = realClock } = options;
    const purse = ownNodes && new Purse(ownNodes, book);
    this.purse = purse;
    this.#services = {
      network,
      graph,
      book,
      planner: new Planner({
        ...{ engine, graph, ourId: network.identity.nodeId, purse, odds, beliefs },
        nodeLayers: () => nodeLayers(book),
      }),
      purse,
      learning,
      odds,
      trial: options.trial,
      journal: this.journal,
      leases: options.repository.leases,
      outcomes: new HtlcOutcomes(network),
      clock,
      presence: new ChannelPresence(clock),
      live: () => this.#all(),
      randomBytes: options.randomBytes ?? randomBytes,
      afterReport: (revision, callback) => this.#reports.after(revision, callback),
      requestRelease: options.requestRelease,
      nextBlock: () => this.#nextBlock.promise,
      log: options.log ?? { unusual: () => undefined },
      onEvent: (event) => {
        if (event.payment.request.kind === 'probe') return;
        if (event.kind === 'began' && !event.isResumed && model !== undefined)
          options.trial?.began(event.payment, model.awayChance(event.payment.request.destination));
        if (event.kind === 'ended') options.trial?.ended(event.payment);
        options.onEvent?.(event);
      },
    };
    this.#pauses = new Pauses(clock);
    this.#takeover = this.#newTakeover();
    this.#failover = this.#newFailover();
    if (options.makesLayerLater !== true) this.#services.learning.shared();
    this.#onReport(network.ownChannels());
    this.#unsubscribe = [
      network.onOwnChannels((report) => this.#onReport(report)),
      network.onBlock(() => this.#onBlock()),
      ownNodes?.onChange(() => purse?.refresh()) ?? (() => undefined),
    ];
  }

  #newTakeover(): Takeover | undefined {
    const { leases, clock, log } = this.#services;
    if (leases === undefined) return undefined;
    return new Takeover({
      ...{ leases, journal: this.journal, clock, log },
      carryOn: (payment) => this.#resume(payment),
      letGo: (paymentIndex, error) => {
        for (const live of this.#live.values()) {
          if (live.payment.createdIndex === paymentIndex) live.withdraw(error);
        }
      },
    });
  }

  #newFailover(): Failover | undefined {
    const { leases, network, clock, log } = this.#services;
    if (leases?.doubt === undefined) return undefined;
    return new Failover({
      ...{ doubt: leases.doubt, leaseMs: leases.leaseMs, network, clock, log },
      rewrite: () => {
        for (const { payment } of this.#live.values()) {
          if (payment.attempts.length > 0) this.journal.put(payment, payment.attempts);
        }
      },
    });
  }

  /**
   * Resumes the payments that were unfinished when the process last ended. Resolves once all of them are in progress
   * again. Payments requested in the meantime wait until then.
   */
  start(): Promise<void> {
    this.#start ??= this.#takeUp();
    return this.#start;
  }

  async #takeUp(): Promise<void> {
    const unfinished = await this.journal.open();
    this.#isStarted = true;
    if (this.#isClosed) return;
    for (const payment of unfinished) this.#resume(payment);
    void this.#takeover?.run();
    void this.#takeover?.watch();
    void this.#failover?.run();
  }

  /** Continues a payment that an earlier process or another daemon started. */
  #resume(payment: Payment): void {
    if (this.#isClosed || this.#live.has(payment.id)) return;
    const live = this.#begin(payment, {
      start: isContinued(payment, this.#services) ? 'continued' : 'interrupted',
      startedAtMs: monotonicTimeOf(this.#services.clock, payment.createdAtMs),
      listener: undefined,
      asker: { lane: 'payment' },
      firstPartId: payment.attempts[0]?.partId ?? 0,
    });
    this.#claims.resumed(live);
    this.#services.onEvent({ kind: 'began', payment, isResumed: true });
    this.#run(live);
  }

  /**
   * @throws PaymentRefused when the payload does not fit in an onion, when our nodes cannot pay or cannot send the
   *   payload, when the payment goes to one of our own nodes without being a transfer, or when the engine is closed.
   *   Before the invoice is fetched, neither payload nor recipient is checked.
   */
  check(target: PaymentTarget): void {
    if (this.#isClosed) throw new PaymentRefused({ kind: 'closed' });
    requirePayable(target, this.#services);
  }

  /**
   * Makes a payment.
   * @returns the payment, once it is complete or failed, and its outcome is on disk or could not be written
   * @throws PaymentRefused when the payment cannot be attempted, when too many are in progress, when its idempotency
   *   key cannot be used for this request, or when the engine is closed; InvoiceTaken when the invoice, or one for the
   *   same single-use request, is being paid or was paid; OutcomeOpen when the service stops, or a bug ends the run,
   *   before the outcome is known; any error of `fetch`, or of a database that several daemons can share
   */
  async pay(asked: PaymentTarget, order: PaymentOrder = {}): Promise<Payment> {
    const target = withKeyOf(asked, order.keyScope);
    const started = momentOf(this.#services.clock);
    this.check(target);
    if (!this.#isStarted) await this.start();
    await this.#settled(Math.min(1000 * target.retryForS, RETURN_MS));
    const holder = await this.#holderOf(target, order, started).catch((error: unknown) => {
      // Nothing has started. If the engine was closed in the meantime, its closing caused the error.
      throw this.#isClosed ? new PaymentRefused({ kind: 'closed' }) : error;
    });
    return finalOutcome(holder, this.journal, this.#takeover);
  }

  /**
   * Sends one part along a route chosen by the caller (given-route.ts). Resolves once the network has the part, or the
   * part has ended.
   * @throws PartRefused when earlier parts with its payment hash prevent it; PaymentRefused as in `pay`; InvoiceTaken
   *   when another command, or another daemon, is paying this hash
   */
  async sendPart(
    part: GivenPart,
    order: PaymentOrder = {},
  ): Promise<{ readonly payment: Payment; readonly attempt: Attempt }> {
    this.check(part.request);
    if (!this.#isStarted) await this.start();
    await this.#settled(0);
    const { paymentHash } = part.request.invoice!;
    for (let looks = 1; ; looks++) {
      const plan = planPart(part, await this.#paymentsOfHash(paymentHash));
      if (plan.kind === 'repeat') return plan;
      try {
        const live = plan.kind === 'join' ? this.#live.get(plan.payment.id) : undefined;
        if (plan.kind === 'join' && live === undefined) throw new InvoiceTaken(plan.payment, 'invoice');
        const { payment, attempt, handed } =
          live === undefined
            ? await this.#beginPart(part, plan.kind === 'begin' ? plan.groupId : 1n, order)
            : { payment: live.payment, ...live.sendAlong(part.route, part.partId) };
        await handed;
        return { payment, attempt };
      } catch (error) {
        const isTaken =
          error instanceof InvoiceTaken &&
          (error.payment.request.kind === 'sendpay' || error.payment.status === 'complete');
        if (!isTaken || looks === MAX_PART_LOOKS) throw error;
      }
    }
  }

  /** All payments with this hash, in order of creation and in their current state. */
  async #paymentsOfHash(paymentHash: Uint8Array): Promise<Payment[]> {
    const found: Payment[] = [];
    for await (const payment of this.journal.payments({ paymentHash })) found.push(payment);
    const live = [...this.#live.values()].map(({ payment }) => payment);
    const unstored = live.filter(
      (one) => equalBytes(one.paymentHash, paymentHash) && found.every(({ id }) => id !== one.id),
    );
    return [...found.map((one) => this.#live.get(one.id)?.payment ?? one), ...unstored];
  }

  async #beginPart(part: GivenPart, groupId: bigint, order: PaymentOrder) {
    let sent: ReturnType<LivePayment['sendAlong']> | undefined;
    const send = (live: LivePayment): void => {
      sent = live.sendAlong(part.route, part.partId);
    };
    const started = momentOf(this.#services.clock);
    const given = { groupId, send };
    const { payment } = await this.#claims.beginInvoice(part.request, () =>
      this.#beginRequest(part.request, order, { started, firstPartId: 0, given }),
    );
    return { payment, ...sent! };
  }

  /**
   * The payment for this request: an earlier one with the same idempotency key, or else a new one, which starts now.
   */
  async #holderOf(target: PaymentTarget, order: PaymentOrder, started: Moment): Promise<KeyHolder> {
    const { idempotencyKey } = target;
    const { listener } = order;
    const begin = async (): Promise<LivePayment> => {
      // Of several equal requests, only the first fetches the invoice.
      const whole = isUnfetched(target) ? withKeyOf(await target.fetch(), order.keyScope) : target;
      const start = (firstPartId: number): LivePayment =>
        this.#beginRequest(whole, order, { started, firstPartId });
      if (whole.invoice === undefined) return start(whole.kind === 'keysend' ? 0 : 1);
      return this.#claims.beginInvoice(whole, start);
    };
    if (idempotencyKey === undefined) {
      const live = await begin();
      return { live, payment: live.payment };
    }
    // There must be no await between looking up the key and claiming it. Otherwise two equal requests that arrive
    // together could both claim it.
    const earlier = this.#claims.holderOf(idempotencyKey);
    if (earlier === undefined) this.#requireRoom(this.#claims.pending);
    const holder = await (earlier ?? this.#claims.claimKey(idempotencyKey, begin));
    requireSame(holder.payment.request, target);
    if (earlier !== undefined && listener !== undefined) holder.live?.listen(listener);
    return holder;
  }

  #requireRoom(claims = 0): void {
    if (this.#live.size + claims >= MAX_LIVE) {
      throw new PaymentRefused({ kind: 'tooMany', live: MAX_LIVE });
    }
  }

  /**
   * Waits until the list of our channels is current, including channels that return after a restart of our node. Waits
   * up to `waitMs` milliseconds for a node that is down.
   */
  async #settled(waitMs: number): Promise<void> {
    const { network, clock } = this.#services;
    await nodeReturned(network, clock, this.#pauses, waitMs);
  }

  #beginRequest(
    request: PaymentRequest,
    { listener, client, askedBy }: PaymentOrder,
    { started, firstPartId, given }: Beginning,
  ): LivePayment {
    // The engine may have been closed while the store was queried.
    this.check(request);
    this.#requireRoom();
    requireNode(this.#services);
    this.#services.learning.age();
    const lane = request.kind === 'probe' ? 'query' : 'payment';
    const asker: QueuePlace = { lane, ...(client && { client }) };
    const groupId = given?.groupId;
    const payment = newPayment(request, { createdAtMs: started.unixMs, askedBy, groupId }, this.#services);
    requireCertainty(payment, this.#services);
    const live = this.#begin(payment, {
      ...{ start: 'new', startedAtMs: started.monotonicMs, listener, asker, firstPartId },
    });
    this.#services.onEvent({ kind: 'began', payment, isResumed: false });
    given?.send(live);
    this.#run(live);
    return live;
  }

  /**
   * Plans the first attempts that `pay` would make for this request. Like other queries, this queues behind the
   * searches of payments.
   * @param client the requesting client, as in `PaymentOrder`
   * @throws PaymentRefused as in `pay`; PaymentFailed when there is no route
   */
  async plan(request: PaymentRequest, client?: object): Promise<PaymentPlan> {
    this.check(request);
    if (!this.#isStarted) await this.start();
    await this.#settled(0);
    // Many probes are planned for each one that is sent. Their plans use no index, so that the indexes of payments have
    // few gaps.
    const index = request.kind === 'probe' ? 0 : undefined;
    const started = momentOf(this.#services.clock);
    const payment = newPayment(request, { createdAtMs: started.unixMs, index }, this.#services);
    const asker: QueuePlace = { lane: 'query', ...(client && { client }) };
    const live = this.#begin(payment, {
      ...{ start: 'new', startedAtMs: started.monotonicMs, listener: undefined, asker, firstPartId: 0 },
    });
    this.#live.delete(payment.id);
    const { search, shadow } = await live.plan();
    if ('noPlan' in search) {
      payment.failure = { obstacle: 'noRoute', noPlan: search.noPlan };
      throw new PaymentFailed(payment);
    }
    const { routes, probabilityPpm, disregardedLayers } = search;
    return { request, routes, probabilityPpm, shadow, disregardedLayers };
  }

  /**
   * Estimates what a payment for this request will cost, and the fee limit within which it completes with this
   * confidence. Sends nothing.
   * @param confidence 0 … 1: the share of simulated networks in which the payment must complete within the limit.
   *   Networks in which it does not complete within the caller's limit do not count.
   * @throws PaymentRefused as in `pay`; PaymentFailed when there is no route
   */
  async quote(request: PaymentRequest, confidence: number, client?: object): Promise<FeeQuote> {
    this.check(request);
    if (!this.#isStarted) await this.start();
    await this.#settled(0);
    const services = this.#services;
    const blank = newPayment(request, { createdAtMs: services.clock.nowMs() }, services);
    const quote = await quoteFee(request, {
      services,
      beliefs: hopBeliefs(services, request.layers),
      asker: { lane: 'query', ...(client && { client }) },
      paymentOf: (one) => ({ ...blank, request: one, totalMsat: one.amountMsat, attempts: [] }),
      confidence,
    });
    if (!('noPlan' in quote)) return quote;
    blank.failure = { obstacle: 'noRoute', noPlan: quote.noPlan };
    throw new PaymentFailed(blank);
  }

  /** Updates the layer `auto.learned`, for a query that names it. */
  refreshLearned(): void {
    this.#beliefs?.refresh();
  }

  /** The components of a route's odds. Undefined if odds are not learned. */
  oddsOf(path: Route['path'], layers: readonly string[]): OddsSplit | undefined {
    return this.#services.odds?.split(path, layers);
  }

  /** The probability that each hop of a route carries its amount. Undefined if odds are not learned. */
  hopChances(path: Route['path'], layers: readonly string[]): readonly number[] | undefined {
    return this.#services.odds?.hopChances(path, layers);
  }

  /** Whether this engine can pay static invoices. */
  get paysStaticInvoices(): boolean {
    return this.#services.requestRelease !== undefined;
  }

  /** Totals of all payments in progress. */
  inFlight(): InFlight {
    return inFlightOf(this.#all());
  }

  /** Payments in progress without probes, in the order in which this process started or resumed them. */
  live(): Iterable<Payment> {
    return this.#underWay(false);
  }

  /** Probes in progress, including those of an earlier process. */
  liveProbes(): readonly Payment[] {
    return this.#underWay(true);
  }

  #underWay(areProbes: boolean): Payment[] {
    return this.#all().filter(({ request }) => (request.kind === 'probe') === areProbes);
  }

  #all(): Payment[] {
    return [...this.#live.values()].map(({ payment }) => payment);
  }

  /**
   * Resolves at the next change of a payment in progress. Undefined if the payment is not in progress. Another daemon
   * does not report the changes of its payments, so for its payments, this resolves when it is time to read the journal
   * again.
   */
  nextChange(payment: Payment): Promise<void> | undefined {
    const here = this.#live.get(payment.id)?.changed;
    return here ?? (payment.status === 'pending' ? this.#takeover?.nextLook() : undefined);
  }

  /** Counts of payments that we took over from other daemons, and that they took over from us. */
  get takeovers(): TakeoverCounts {
    return this.#takeover?.counts ?? { takenOver: 0, lost: 0 };
  }

  /** Why no new payments are made at the moment. Undefined unless a failover caused doubt that is not resolved yet. */
  get doubt(): InDoubt | undefined {
    return doubtOf(this.#services);
  }

  /** Stops all payments in their current state. Their callers get the error `shuttingDown`. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#pauses.end();
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    for (const live of this.#live.values()) live.close();
    this.#live.clear();
    this.#takeover?.close();
    this.#failover?.close();
    this.#services.outcomes.close();
    this.#beliefs?.close();
  }

  #begin(payment: Payment, options: LiveOptions): LivePayment {
    const live = new LivePayment(this.#services, payment, options);
    this.#live.set(payment.id, live);
    return live;
  }

  #run(live: LivePayment): void {
    const done = (): void => {
      this.#live.delete(live.payment.id);
      this.#claims.ended(live);
    };
    live.answered.then(() => this.#noteRequestPaid(live.payment)).catch(() => undefined);
    live.run().then(done, (error) => {
      done();
      live.fail(error);
    });
  }

  #noteRequestPaid({ status, request }: Payment): void {
    const { localRequest } = request.asked ?? {};
    if (status === 'complete' && localRequest?.publisher === 'us') this.#onRequestPaid(localRequest.id);
  }

  #onReport(report: OwnChannelReport): void {
    const { revision, channels } = report;
    const { book, network, presence } = this.#services;
    presence.reported(report);
    book.localChannels.refresh(network.identity.nodeId, channels);
    this.purse?.refresh();
    this.#reports.arrived(revision);
  }

  #onBlock(): void {
    const before = this.#nextBlock;
    this.#nextBlock = deferred();
    before.resolve();
  }
}
