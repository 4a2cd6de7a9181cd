/**
 * The router `oracle`: it knows the true balances and which nodes are online, and finds the cheapest routes that
 * certainly carry the amount. So it shows which payments are possible. The share of payments that fail although they
 * were possible is the main figure of a simulation.
 *
 * Its kernel has the spendable amount of every direction as exact bounds, and is updated before each search.
 */

import { packCell } from '../../engine/question/messages.ts';
import { SOURCEFREE_SLOT } from '../../engine/solver/kernel-layout.ts';
import { createSharedKernel, GraphPublisher } from '../../engine/solver/kernel-memory.ts';
import { exactly } from '../../layers/bounds-fold.ts';
import { KernelHost } from '../kernel/kernel-host.ts';
import type { SlotChange } from '../kernel/messages.ts';
import type { LabWorld } from '../truth/world.ts';
import { FEES_ALONE } from './kernel-router.ts';
import {
  type AttemptVerdict,
  type EndedAttempt,
  NO_ROUTE,
  type PaymentRouter,
  type Plan,
  type PlanQuestion,
} from './router.ts';

const TRUTH_SLOT = 1;
/** Layer slot for nodes that turned out to be offline during a question. */
const AWAY_SLOT = 2;
/** Maximum number of searches for a question. Each one avoids the nodes that turned out to be offline before it. */
const MAX_DETOURS = 20;

/** A router that searches with the true state of the network. */
export class OracleRouter implements PaymentRouter {
  readonly name: string;
  readonly #world: LabWorld;
  readonly #host: KernelHost;
  #hasAll = false;
  /** Channels that changed since the last search. */
  readonly #changed: Set<number>;

  constructor(world: LabWorld, name: string) {
    this.name = name;
    this.#world = world;
    const shared = createSharedKernel();
    new GraphPublisher(shared).publish(world.graph);
    this.#host = new KernelHost(shared, { index: 0, isShared: false, keptStacksBytes: 0 }, world.graph);
    this.#changed = world.channels.watch();
  }

  begin(): void {}

  plan(question: PlanQuestion): Plan {
    if (!this.#canEndsCarry(question)) return NO_ROUTE;
    const away = new Set<number>();
    let changes = this.#truth();
    for (let detour = 0; detour < MAX_DETOURS; detour++) {
      const plan = this.#host.answer({
        changes,
        stack: [TRUTH_SLOT, SOURCEFREE_SLOT, AWAY_SLOT],
        source: question.sender,
        destination: question.receiver,
        amountMsat: question.amountMsat,
        maxfeeMsat: question.maxfeeMsat,
        finalCltv: question.finalCltv,
        maxdelay: question.maxDelayBlocks,
        maxparts: question.maxparts,
        noise: undefined,
        knobs: FEES_ALONE,
      });
      const met = this.#awayOn(plan);
      if (met.length === 0) return plan;
      for (const node of met) away.add(node);
      changes = met.map((node) => [
        'node',
        AWAY_SLOT,
        this.#world.graph.nodeId(node),
        { disabled: true, inBias: 0, outBias: 0 },
      ]);
      if (met.includes(question.receiver)) return NO_ROUTE;
    }
    return NO_ROUTE;
  }

  /** Whether the sender can send the amount at all, and the receiver can receive it. Much faster than a search. */
  #canEndsCarry({ sender, receiver, amountMsat }: PlanQuestion): boolean {
    const { graph } = this.#world;
    const directionFrom = (node: number, channel: number): number =>
      2 * channel + (graph.node1[channel] === node ? 0 : 1);
    const outgoing = Array.from(graph.channelsOf(sender), (channel) => directionFrom(sender, channel));
    const incoming = Array.from(
      graph.channelsOf(receiver),
      (channel) => directionFrom(receiver, channel) ^ 1,
    );
    return this.#sumMsat(outgoing) >= amountMsat && this.#sumMsat(incoming) >= amountMsat;
  }

  /** What these directions can carry together. */
  #sumMsat(directions: readonly number[]): bigint {
    const { channels, policies } = this.#world;
    return directions.reduce(
      (sum, direction) => (policies.isEnabled(direction) ? sum + channels.spendableMsat(direction) : sum),
      0n,
    );
  }

  sent(): void {}

  ended({ end }: EndedAttempt): AttemptVerdict {
    const isFinal = end.kind === 'failed' && end.failure.name === 'incorrect_or_unknown_payment_details';
    return isFinal ? 'hopeless' : 'retry';
  }

  finish(): void {}

  async close(): Promise<void> {}

  /** The nodes of a plan that are offline now. */
  #awayOn(plan: Plan): number[] {
    const nodes = plan.routes.flatMap(({ directions }) =>
      directions.map((direction) => this.#world.head(direction)),
    );
    return [...new Set(nodes)].filter((node) => !this.#world.isOnline(node));
  }

  /**
   * The changes that the kernel has not received yet. The first one clears the offline nodes, which may be online
   * again.
   */
  #truth(): SlotChange[] {
    const { graph } = this.#world;
    const changes: SlotChange[] = [['clear', AWAY_SLOT]];
    if (!this.#hasAll)
      for (let channel = 0; channel < graph.channelCount; channel++) this.#changed.add(channel);
    this.#hasAll = true;
    const { channels } = this.#world;
    for (const channel of this.#changed) {
      const bounds = [
        exactly(channels.spendableMsat(2 * channel)),
        exactly(channels.spendableMsat(2 * channel + 1)),
      ];
      const cell = packCell({
        updates: [undefined, undefined],
        bias: [0, 0],
        bounds: [bounds[0]!, bounds[1]!],
        reservedMsat: [0n, 0n],
      });
      changes.push(['channel', TRUTH_SLOT, graph.shortChannelIds[channel]!, cell]);
    }
    this.#changed.clear();
    return changes;
  }
}
