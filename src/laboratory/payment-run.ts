/**
 * The life of a payment: plan, send parts, learn, and plan again for the rest, until the recipient has everything or
 * nothing more can be tried.
 *
 *   settled part ──▶ succeed (once)      parts in flight ──▶ await them
 *   otherwise: hopeless, no route, out of time or attempts ──▶ fail, when nothing is in flight ── or ──▶ plan
 *
 * A search takes simulated time: its result is available `planUs` after the request.
 */
import { msat } from '../model/msat.ts';
import type { NodeId } from '../model/node-id.ts';
import { draws as seededDraws, shadowOffset } from '../payments/plan/shadow.ts';
import type { PaymentRouter, Plan, PlannedRoute, PlanQuestion } from './routers/router.ts';
import type { PaymentScenario } from './scenario/scenario.ts';
import type { TrafficPayment } from './traffic/traffic.ts';
import { type HtlcEnd, LabHtlc } from './truth/htlc-flow.ts';
import { PartsRecipient } from './truth/recipient.ts';
import type { LabWorld } from './truth/world.ts';

/** Why a payment failed. */
export type PaymentFailing = 'noRoute' | 'routerFailed' | 'outOfAttempts' | 'outOfTime' | 'recipientRefused';

/** An HTLC, as listed in results. */
export interface PlayedAttempt {
  /** Number of the HTLC in its world. */
  readonly htlc: number;
  readonly part: number;
  readonly route: PlannedRoute;
  readonly sentUs: number;
  readonly endedUs: number;
  readonly end: HtlcEnd;
}

/** How a payment ended. */
export interface PaymentOutcome {
  readonly order: TrafficPayment;
  readonly endedUs: number;
  readonly outcome: 'complete' | PaymentFailing;
  readonly attempts: readonly PlayedAttempt[];
  /** Fees of the settled parts in msat, including the shadow amount. */
  readonly feeMsat: bigint;
  /** Predicted probability of the first plan, in ppm. Undefined if there was no plan, or no prediction. */
  readonly firstProbabilityPpm: number | undefined;
}

/** Receives the events of a payment. */
export interface RunListener {
  /** Called once, when the payment has ended and none of its HTLCs is in flight any more. */
  ended(outcome: PaymentOutcome): void;
  /** Called for each HTLC that ends. */
  attempted?(order: TrafficPayment, attempt: PlayedAttempt): void;
}

/** Additional blocks and amount that hide the recipient (src/payments/plan/shadow.ts). */
interface Shadow {
  readonly delayBlocks: number;
  readonly amountMsat: bigint;
}

const NO_SHADOW: Shadow = { delayBlocks: 0, amountMsat: 0n };
const MILLION = 1_000_000n;

/** The fee limit of a payment: its own, or by default the limit of the scenario. */
export function feeLimitOf({ amountMsat, maxfeeMsat }: TrafficPayment, rules: PaymentScenario): bigint {
  if (maxfeeMsat !== undefined) return maxfeeMsat;
  const proportional = (amountMsat * BigInt(rules.feeLimitPpm)) / MILLION;
  return proportional > rules.feeLimitBaseMsat ? proportional : rules.feeLimitBaseMsat;
}

/** The first question that a payment asks its router. Searches ahead of time ask the same question. */
export function firstQuestion(world: LabWorld, order: TrafficPayment, rules: PaymentScenario): PlanQuestion {
  const shadow = shadowFor(world, order, rules);
  return {
    payment: order.id,
    sender: order.sender,
    receiver: order.receiver,
    amountMsat: order.amountMsat + shadow.amountMsat,
    maxfeeMsat: feeLimitOf(order, rules) - shadow.amountMsat,
    maxparts: rules.maxParts,
    maxDelayBlocks: rules.maxDelayBlocks,
    finalCltv: rules.finalCltv + shadow.delayBlocks,
    round: 0,
    nowUs: order.startUs,
    ...(order.circle !== undefined && { circle: order.circle }),
  };
}

function shadowFor({ graph }: LabWorld, order: TrafficPayment, rules: PaymentScenario): Shadow {
  if (!rules.shadow) return NO_SHADOW;
  const receiver = graph.nodeId(order.receiver) as NodeId;
  const limits = {
    amountMsat: msat(order.amountMsat),
    maxfeeMsat: msat(feeLimitOf(order, rules)),
    maxdelay: rules.maxDelayBlocks,
    finalCltv: rules.finalCltv,
  };
  return shadowOffset(graph, receiver, limits, seededDraws(BigInt(order.id)));
}

/** Plays a payment, from the call of `play` to its end. */
export class PaymentRun {
  readonly #world: LabWorld;
  readonly #router: PaymentRouter;
  readonly #rules: PaymentScenario;
  readonly #order: TrafficPayment;
  readonly #first: PlanQuestion;
  readonly #recipient: PartsRecipient;
  readonly #listener: RunListener;
  readonly #attempts: PlayedAttempt[] = [];
  readonly #feeLimitMsat: bigint;
  /** The sum of the amounts that the parts in flight and the settled parts deliver, and the sum of their fees. */
  #carriedMsat = 0n;
  #carriedFeeMsat = 0n;
  #inFlight = 0;
  #sent = 0;
  #isPlanning = false;
  #settledFeeMsat = 0n;
  #settledMsat = 0n;
  #failing: PaymentFailing | undefined;
  #firstProbabilityPpm: number | undefined;

  constructor(
    world: LabWorld,
    router: PaymentRouter,
    rules: PaymentScenario,
    order: TrafficPayment,
    listener: RunListener,
  ) {
    this.#world = world;
    this.#router = router;
    this.#rules = rules;
    this.#order = order;
    this.#listener = listener;
    this.#first = firstQuestion(world, order, rules);
    this.#feeLimitMsat = this.#first.maxfeeMsat;
    this.#recipient = new PartsRecipient(world, this.#first.amountMsat, order.id, order.holdUs);
  }

  play(): void {
    this.#router.begin(this.#order.id, this.#order.sender, this.#world.nowUs);
    this.#proceed();
  }

  #proceed(): void {
    if (this.#isPlanning) return;
    const missingMsat = this.#first.amountMsat - this.#carriedMsat;
    const isDone = this.#settledMsat > 0n || this.#recipient.settledAtUs !== undefined;
    if (!isDone && missingMsat > 0n && this.#failing === undefined) this.#failing = this.#obstacle();
    if (isDone || this.#failing !== undefined || missingMsat <= 0n) {
      if (this.#inFlight === 0) this.#finish();
      return;
    }
    this.#plan(missingMsat);
  }

  #obstacle(): PaymentFailing | undefined {
    if (this.#sent >= this.#rules.maxAttempts) return 'outOfAttempts';
    const late = this.#world.nowUs - this.#order.startUs >= this.#rules.timeoutUs;
    return this.#sent > 0 && late ? 'outOfTime' : undefined;
  }

  #plan(missingMsat: bigint): void {
    this.#isPlanning = true;
    const world = this.#world;
    const plan = this.#router.plan({
      ...this.#first,
      amountMsat: missingMsat,
      maxfeeMsat: this.#feeLimitMsat - this.#carriedFeeMsat,
      maxparts: Math.max(1, this.#rules.maxParts - this.#inFlight),
      round: this.#sent,
      nowUs: world.nowUs,
    });
    world.after(this.#rules.planUs, this.#order.id, () => {
      if (!(plan instanceof Promise)) this.#planned(plan);
      else world.awaited = plan.then((found) => this.#planned(found));
    });
  }

  #planned(plan: Plan): void {
    this.#isPlanning = false;
    const { routes, probabilityPpm, reason } = this.#router.restated?.(this.#order.sender, plan) ?? plan;
    if (this.#sent === 0) this.#firstProbabilityPpm = probabilityPpm;
    if (routes.length === 0) this.#failing = reason ?? 'noRoute';
    else if (this.#settledMsat === 0n && this.#recipient.settledAtUs === undefined) {
      for (const route of routes) if (this.#sent < this.#rules.maxAttempts) this.#send(route);
    }
    this.#proceed();
  }

  #send(route: PlannedRoute): void {
    const world = this.#world;
    const part = this.#sent++;
    const { height } = world;
    const sentUs = world.nowUs;
    const deliveredMsat = route.amountsMsat.at(-1)!;
    const feeMsat = route.amountsMsat[0]! - deliveredMsat;
    this.#inFlight++;
    this.#carriedMsat += deliveredMsat;
    this.#carriedFeeMsat += feeMsat;
    this.#router.sent(this.#order.id, this.#order.sender, route, sentUs);
    const path = { ...route, expiries: route.expiries.map((blocks) => blocks + height) };
    const htlc = world.nextHtlc();
    const ended = (end: HtlcEnd): void => {
      const attempt = { htlc, part, route, sentUs, endedUs: world.nowUs, end };
      this.#attempts.push(attempt);
      this.#listener.attempted?.(this.#order, attempt);
      this.#ended(route, end, height, deliveredMsat, feeMsat);
    };
    new LabHtlc(world, htlc, path, (arrived) => this.#recipient.take(arrived), ended).send();
  }

  #ended(route: PlannedRoute, end: HtlcEnd, height: number, deliveredMsat: bigint, feeMsat: bigint): void {
    this.#inFlight--;
    const verdict = this.#router.ended({
      payment: this.#order.id,
      sender: this.#order.sender,
      route,
      end,
      severalParts: this.#rules.maxParts > 1,
      height,
      nowUs: this.#world.nowUs,
    });
    if (end.kind === 'settled') {
      this.#settledMsat += deliveredMsat;
      this.#settledFeeMsat += feeMsat;
    } else {
      this.#carriedMsat -= deliveredMsat;
      this.#carriedFeeMsat -= feeMsat;
      if (verdict === 'hopeless') this.#failing ??= 'recipientRefused';
    }
    this.#proceed();
  }

  #finish(): void {
    const { id, sender, amountMsat } = this.#order;
    this.#router.finish(id, sender);
    const isComplete = this.#settledMsat >= this.#first.amountMsat;
    const overpaidMsat = isComplete ? this.#settledMsat - amountMsat : 0n;
    this.#listener.ended({
      order: this.#order,
      endedUs: this.#world.nowUs,
      outcome: isComplete ? 'complete' : (this.#failing ?? 'outOfTime'),
      attempts: this.#attempts,
      feeMsat: this.#settledFeeMsat + overpaidMsat,
      firstProbabilityPpm: this.#firstProbabilityPpm,
    });
  }
}
