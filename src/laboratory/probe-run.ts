/**
 * Probes of a simulation: after each payment begins, its sender sends some HTLCs that no node can settle, and its
 * router learns from how they fail.
 *
 * A random probe goes to a uniformly drawn node, if the sender has a route to it. An informed probe is chosen from
 * `CANDIDATES` routes as the one from which the router expects to learn most; half of these routes repeat the sender's
 * earlier payments, and half go to random nodes. Both kinds of probes have the amounts of earlier payments. Probes are
 * excluded from figures of payments.
 */
import { msat } from '../model/msat.ts';
import { FIRST_PROBE_ID } from './payment-ids.ts';
import { feeLimitOf } from './payment-run.ts';
import { PURPOSE } from './purposes.ts';
import type { PaymentRouter, PlannedRoute, PlanQuestion } from './routers/router.ts';
import type { PaymentScenario, ProbeScenario } from './scenario/scenario.ts';
import type { TrafficPayment } from './traffic/traffic.ts';
import { failureOf } from './truth/forwarding.ts';
import { type HtlcEnd, LabHtlc } from './truth/htlc-flow.ts';
import type { LabWorld } from './truth/world.ts';

/** Number of routes from which an informed probe is chosen. */
const CANDIDATES = 8;
/** Number of a sender's payments that its probes may repeat. */
const REMEMBERED = 64;

/** A possible destination of a probe, with its amount. */
interface ProbedReceiver {
  readonly receiver: number;
  readonly amountMsat: bigint;
}

/** Sends the probes of a world. */
export class Probes {
  readonly #world: LabWorld;
  readonly #rules: PaymentScenario;
  readonly #paid = new Map<number, ProbedReceiver[]>();
  #count = 0;
  #nextId = FIRST_PROBE_ID;

  constructor(world: LabWorld, rules: PaymentScenario) {
    this.#world = world;
    this.#rules = rules;
  }

  /** Sends the probes that accompany a payment. Resolves when they are sent. */
  async after(
    { sender, receiver, amountMsat }: TrafficPayment,
    router: PaymentRouter,
    scenario: ProbeScenario,
  ): Promise<void> {
    const paid = this.#paid.get(sender) ?? [];
    this.#paid.set(sender, paid);
    paid.push({ receiver, amountMsat });
    if (paid.length > REMEMBERED) paid.shift();
    for (let left = scenario.perPayment; left > 0; left--)
      await this.#probe(sender, paid, router, scenario.choice);
  }

  async #probe(
    sender: number,
    paid: readonly ProbedReceiver[],
    router: PaymentRouter,
    choice: ProbeScenario['choice'],
  ): Promise<void> {
    const probe = this.#count++;
    const count = choice === 'random' ? 1 : CANDIDATES;
    let best: { readonly id: number; readonly route: PlannedRoute; readonly lesson: number } | undefined;
    for (let candidate = 0; candidate < count; candidate++) {
      const id = this.#nextId++;
      const target = this.#target(
        sender,
        paid,
        probe,
        candidate,
        choice === 'informed' && candidate < CANDIDATES / 2,
      );
      router.begin(id, sender, this.#world.nowUs);
      const plan =
        target.receiver === sender ? undefined : await router.plan(this.#question(id, sender, target));
      const route = plan?.routes[0];
      const lesson = route === undefined ? 0 : (router.expectedLesson?.(sender, route) ?? 0);
      if (route !== undefined && (best === undefined || lesson > best.lesson)) {
        if (best !== undefined) router.finish(best.id, sender);
        best = { id, route, lesson };
      } else router.finish(id, sender);
    }
    if (best !== undefined) this.#send(best.id, sender, best.route, router);
  }

  #target(
    sender: number,
    paid: readonly ProbedReceiver[],
    probe: number,
    candidate: number,
    repeats: boolean,
  ): ProbedReceiver {
    const { draws, graph } = this.#world;
    const draw = (which: number): number =>
      draws.uniform(PURPOSE.probes, sender, (probe * CANDIDATES + candidate) * 2 + which);
    const earlier = paid[Math.floor(draw(0) * paid.length)]!;
    return repeats ? earlier : { ...earlier, receiver: Math.floor(draw(1) * graph.nodeCount) };
  }

  #question(id: number, sender: number, { receiver, amountMsat }: ProbedReceiver): PlanQuestion {
    const rules = this.#rules;
    return {
      payment: id,
      sender,
      receiver,
      amountMsat,
      maxfeeMsat: feeLimitOf({ id, startUs: 0, sender, receiver, amountMsat: msat(amountMsat) }, rules),
      maxparts: 1,
      maxDelayBlocks: rules.maxDelayBlocks,
      finalCltv: rules.finalCltv,
      round: 0,
      nowUs: this.#world.nowUs,
    };
  }

  #send(payment: number, sender: number, route: PlannedRoute, router: PaymentRouter): void {
    const world = this.#world;
    const { height } = world;
    router.sent(payment, sender, route, world.nowUs);
    const path = { ...route, expiries: route.expiries.map((blocks) => blocks + height) };
    const ended = (end: HtlcEnd): void => {
      router.ended({ payment, sender, route, end, severalParts: false, height, nowUs: world.nowUs });
      router.finish(payment, sender);
    };
    const unknown = failureOf('incorrect_or_unknown_payment_details', { height });
    new LabHtlc(world, world.nextHtlc(), path, (arrived) => arrived.fail(unknown), ended).send();
  }
}
