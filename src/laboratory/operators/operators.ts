/**
 * The operators of a world. Once per interval, each operator rebalances its channels by the rule of the active router.
 * Its payments to itself are ordinary HTLCs, so they depend on hidden balances, pay fees, and shift the liquidity of
 * the nodes on the way.
 *
 * A rule runs as an asynchronous function beside the events of the world. Whenever a payment of the rule ends, the next
 * event waits for the rule's next step, so the order is the same in each run.
 */
import { msat } from '../../model/msat.ts';
import type { NodeId } from '../../model/node-id.ts';
import type { PlanCircle } from '../../payments/plan/rebalance.ts';
import type { Moved } from '../../payments/send/rebalance-run.ts';
import type { KernelPool } from '../kernel/kernel-pool.ts';
import { ownChannelsOf } from '../own-channels.ts';
import { FIRST_OPERATOR_ID } from '../payment-ids.ts';
import { firstQuestion, type PaymentOutcome, PaymentRun } from '../payment-run.ts';
import { hopsOf, NodeIds } from '../route-hops.ts';
import { FEES_ALONE, KernelRouter } from '../routers/kernel-router.ts';
import type { OperatorsScenario, PaymentScenario, RebalancingRule } from '../scenario/scenario.ts';
import type { TrafficPayment } from '../traffic/traffic.ts';
import type { Tick } from '../truth/ticker.ts';
import type { LabWorld } from '../truth/world.ts';
import type { IncomeBooks } from './income.ts';
import { type Operator, rebalanceByEarnings, rebalanceLikeSling } from './rebalancing-rule.ts';

/** What the operators of a world need. */
export interface OperatorsOptions {
  readonly world: LabWorld;
  readonly pool: KernelPool;
  readonly nodes: readonly number[];
  readonly rules: OperatorsScenario;
  readonly rule: RebalancingRule;
  readonly payment: PaymentScenario;
  readonly seed: bigint;
  readonly books: IncomeBooks;
}

/** Simulates the operators of a world. */
export class Operators {
  readonly #options: OperatorsOptions;
  readonly #ids: NodeIds;
  readonly #router: KernelRouter;
  readonly #payment: PaymentScenario;
  /** Nodes whose rule is still running. */
  readonly #busy = new Set<number>();
  #payments = 0;
  #fault: unknown;

  constructor(options: OperatorsOptions) {
    const { world, pool, rule, payment, seed } = options;
    this.#options = options;
    this.#ids = new NodeIds(world.graph);
    const { channels } = world;
    const isSling = rule === 'sling';
    this.#payment = { ...payment, shadow: false, ...(isSling && { maxParts: 1 }) };
    const ofSling = { knobs: FEES_ALONE, searchesLearned: false, maxparts: 1, noise: false };
    const ofOurs = { noise: payment.noise };
    this.#router = new KernelRouter(pool, channels, {
      name: 'operators',
      learn: true,
      seed,
      ...(isSling ? ofSling : ofOurs),
    });
  }

  /** The periodic task that makes the operators rebalance. */
  get tick(): Tick {
    const { rules, world, nodes, rule } = this.#options;
    return {
      everyUs: rule === 'none' ? 0 : rules.intervalUs,
      run: (atUs) => {
        for (const node of nodes) {
          world.queue.schedule(atUs, FIRST_OPERATOR_ID + node, () => {
            this.#settle(this.#rebalance(node));
          });
        }
      },
    };
  }

  /** Ends the simulation of the operators. @throws the first error of a rule */
  async close(): Promise<void> {
    await this.#router.close();
    if (this.#fault !== undefined) throw this.#fault;
  }

  async #rebalance(node: number): Promise<void> {
    if (this.#busy.has(node)) return;
    this.#busy.add(node);
    const { rule, rules } = this.#options;
    try {
      if (rule === 'sling') await rebalanceLikeSling(this.#operator(node), rules);
      else await rebalanceByEarnings(this.#operator(node), rules);
    } finally {
      this.#busy.delete(node);
    }
  }

  /**
   * Delays the next event until all searches that rules started have ended, and no rule can proceed without further
   * events.
   * @param rule a rule that has just started
   */
  #settle(rule?: Promise<void>): void {
    rule?.catch((error: unknown) => {
      this.#fault ??= error;
    });
    const { world } = this.#options;
    const before = world.awaited ?? Promise.resolve();
    world.awaited = before.then(async () => {
      let awaited: Promise<unknown>;
      do {
        awaited = this.#searching;
        await awaited;
        await new Promise((resolve) => setImmediate(resolve));
      } while (awaited !== this.#searching);
    });
  }

  /** Resolves when the last search that a rule started has ended. The search may run in a different thread. */
  #searching: Promise<unknown> = Promise.resolve();

  #operator(node: number): Operator {
    const { world, rules, books } = this.#options;
    const nodeId = this.#ids.of(node) as NodeId;
    const isUsable = (direction: number): boolean =>
      world.policies.isEnabled(direction) && world.isOnline(world.head(direction));
    return {
      nodeId,
      channels: () => ownChannelsOf(world.channels, this.#ids, node, isUsable),
      forwards: () => books.forwardsSince(node, world.nowUs - rules.earnedUs),
      periodS: () => Math.floor(Math.min(rules.earnedUs, world.nowUs) / 1e6),
      plan: this.#planner(node),
      pay: (circle, amountMsat, maxfeeMsat) =>
        this.#pay({ ...this.#order(node, amountMsat), maxfeeMsat, circle }),
    };
  }

  #order(node: number, amountMsat: bigint): TrafficPayment {
    const { nowUs } = this.#options.world;
    return {
      id: FIRST_OPERATOR_ID + this.#payments++,
      startUs: nowUs,
      sender: node,
      receiver: node,
      amountMsat,
    };
  }

  /** The function that searches for the routes of a plan. It sends nothing. */
  #planner(node: number): PlanCircle<string> {
    const { world } = this.#options;
    return async ({ amountMsat, maxfeeMsat, circle }) => {
      const order = { ...this.#order(node, amountMsat), maxfeeMsat, circle: circle! };
      this.#router.begin(order.id, node, world.nowUs);
      const search = Promise.resolve(this.#router.plan(firstQuestion(world, order, this.#payment)));
      this.#searching = search;
      const { routes } = await search;
      this.#router.finish(order.id, node);
      if (routes.length === 0) return { obstacle: 'noRoute' };
      return {
        routes: routes.map((route) => ({
          probabilityPpm: route.probabilityPpm ?? 0,
          amountMsat: msat(route.amountsMsat.at(-1)!),
          finalCltv: this.#payment.finalCltv,
          path: hopsOf(world.graph, this.#ids, route),
        })),
      };
    };
  }

  #pay(order: TrafficPayment): Promise<Moved> {
    const { world, books } = this.#options;
    return new Promise((resolve) => {
      const ended = (outcome: PaymentOutcome): void => {
        const isComplete = outcome.outcome === 'complete';
        const moved = isComplete
          ? { amountMsat: order.amountMsat, feeMsat: outcome.feeMsat }
          : { amountMsat: 0n, feeMsat: 0n };
        books.moved(moved.amountMsat, moved.feeMsat);
        books.forwarded(outcome);
        resolve(moved);
        this.#settle();
      };
      new PaymentRun(world, this.#router, this.#payment, order, { ended }).play();
    });
  }
}
