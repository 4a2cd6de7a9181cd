/**
 * Plays a world: all payments of the traffic through one router or a mix of routers, in the order of events.
 *
 * Other threads search for routes of the next few payments while this thread plays events. An answer is used only if
 * neither the sender's beliefs nor its balances have changed in the meantime. So the number of threads affects only the
 * duration of a run.
 */
import { MAX_REACH } from './kernel/kernel-pool.ts';
import { firstQuestion, type PaymentOutcome, PaymentRun, type PlayedAttempt } from './payment-run.ts';
import { Probes } from './probe-run.ts';
import type { PaymentRouter } from './routers/router.ts';
import type { PaymentScenario, ProbeScenario } from './scenario/scenario.ts';
import type { TrafficPayment } from './traffic/traffic.ts';
import { type Tick, Ticker } from './truth/ticker.ts';
import type { LabWorld } from './truth/world.ts';

/** A payment that will begin soon. */
interface Upcoming {
  readonly order: TrafficPayment;
  /** The payment is announced this many payments before it begins. */
  readonly reach: number;
  isAnnounced: boolean;
}

/** Receives the events of a run. */
export interface PlayListener {
  ended(outcome: PaymentOutcome): void;
  /** Called for each HTLC that ends. */
  attempted?(order: TrafficPayment, attempt: PlayedAttempt): void;
  /** Called for each payment that begins. @returns whether to end the run */
  begun?(order: TrafficPayment): boolean;
}

/** What to play. */
export interface WorldPlayOptions {
  readonly world: LabWorld;
  /** The payments in the order of their start. */
  readonly orders: Iterable<TrafficPayment>;
  readonly rules: PaymentScenario;
  /** Returns the router of a sender. */
  readonly routerOf: (sender: number) => PaymentRouter;
  readonly listener: PlayListener;
  /** Periodic tasks. */
  readonly ticks: readonly Tick[];
  /** Returns the probes that accompany a payment, if any. */
  readonly probesOf: (order: TrafficPayment) => ProbeScenario | undefined;
}

/** Plays all payments to their end, unless `begun` of the listener ends the run. */
export async function play(options: WorldPlayOptions): Promise<void> {
  const { world, orders, rules, routerOf, listener, probesOf } = options;
  const ticker = new Ticker(options.ticks);
  const ahead: Upcoming[] = [];
  const upcoming = orders[Symbol.iterator]();
  const probes = new Probes(world, rules);
  const look = (): void => {
    while (ahead.length < MAX_REACH) {
      const next = upcoming.next();
      if (next.done === true) break;
      const order = next.value;
      ahead.push({ order, reach: routerOf(order.sender).reachOf?.(order.sender) ?? 0, isAnnounced: false });
    }
    for (const [index, next] of ahead.entries()) {
      if (next.isAnnounced || index >= next.reach) continue;
      next.isAnnounced = true;
      const router = routerOf(next.order.sender);
      const question = firstQuestion(world, next.order, rules);
      router.announce?.(question);
      router.anticipate?.(question);
    }
  };
  look();
  for (;;) {
    const order = ahead[0]?.order;
    const nextUs = world.queue.nextAt;
    const dueUs = Math.min(order?.startUs ?? Number.POSITIVE_INFINITY, nextUs ?? Number.POSITIVE_INFINITY);
    if (Number.isFinite(dueUs) && dueUs >= ticker.nextUs) {
      // A tick may schedule events, so look again for the next event.
      ticker.runUntil(dueUs);
      continue;
    }
    if (order !== undefined && (nextUs === undefined || order.startUs <= nextUs)) {
      ahead.shift();
      world.nowUs = order.startUs;
      if (listener.begun?.(order) === true) return;
      new PaymentRun(world, routerOf(order.sender), rules, order, listener).play();
      const probing = probesOf(order);
      if (probing !== undefined) await probes.after(order, routerOf(order.sender), probing);
      look();
    } else if (!world.step()) return;
    while (world.awaited !== undefined) {
      const { awaited } = world;
      world.awaited = undefined;
      await awaited;
    }
  }
}
