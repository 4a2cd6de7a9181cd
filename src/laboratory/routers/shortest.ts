/**
 * The router `shortest`: fewest hops, then lowest fees, in a single part. It learns nothing across payments. A failed
 * direction is left out for the rest of the payment.
 *
 * Search: breadth first backwards from the receiver, since amounts grow towards the sender. O(channels).
 */
import { POLICY_ENABLED, POLICY_KNOWN } from '../../model/channel-graph.ts';
import { forwardingFeeMsat } from '../../model/policy.ts';
import type { TrueChannels } from '../truth/true-channels.ts';
import {
  type AttemptVerdict,
  type EndedAttempt,
  NO_ROUTE,
  type PaymentRouter,
  type Plan,
  type PlannedRoute,
  type PlanQuestion,
} from './router.ts';

const MAX_HOPS = 20;

/** A node reached by the search, which starts at the receiver. */
interface ReachedNode {
  /** Amount and remaining blocks of the HTLC that arrives at this node. */
  readonly amountMsat: bigint;
  readonly blocks: number;
  /** Direction from this node towards the receiver. Undefined for the receiver. */
  readonly direction: number | undefined;
}

/** Breadth-first search over the public graph. Besides that graph, it uses only the sender's own balances. */
export class ShortestRouter implements PaymentRouter {
  readonly name: string;
  readonly #channels: TrueChannels;
  readonly #avoided = new Map<number, Set<number>>();

  constructor(channels: TrueChannels, name: string) {
    this.#channels = channels;
    this.name = name;
  }

  begin(payment: number): void {
    this.#avoided.set(payment, new Set());
  }

  plan(question: PlanQuestion): Plan {
    const found = this.#search(question);
    const route = found === undefined ? undefined : this.#route(question, found);
    if (route === undefined || route.amountsMsat[0]! - question.amountMsat > question.maxfeeMsat)
      return NO_ROUTE;
    return { routes: [route], probabilityPpm: undefined };
  }

  sent(): void {}

  ended({ payment, route, end }: EndedAttempt): AttemptVerdict {
    if (end.kind === 'settled') return 'retry';
    const direction = route.directions[end.index];
    if (direction === undefined) return 'hopeless';
    this.#avoided.get(payment)?.add(direction);
    return 'retry';
  }

  finish(payment: number): void {
    this.#avoided.delete(payment);
  }

  async close(): Promise<void> {}

  #search(question: PlanQuestion): Map<number, ReachedNode> | undefined {
    const { sender, receiver, amountMsat, finalCltv, maxDelayBlocks } = question;
    const reached = new Map<number, ReachedNode>([
      [receiver, { amountMsat, blocks: finalCltv, direction: undefined }],
    ]);
    let layer = [receiver];
    for (let hop = 0; hop < MAX_HOPS && layer.length > 0; hop++) {
      const next = new Map<number, ReachedNode>();
      for (const node of layer) this.#relax(node, reached, next, question);
      for (const [node, best] of next) if (best.blocks <= maxDelayBlocks) reached.set(node, best);
      if (reached.has(sender)) return reached;
      layer = [...next.keys()].filter((node) => reached.has(node));
    }
    return undefined;
  }

  /** Examines every channel into `node`, and keeps the cheapest route from each new neighbour. */
  #relax(
    node: number,
    reached: Map<number, ReachedNode>,
    next: Map<number, ReachedNode>,
    question: PlanQuestion,
  ): void {
    const { graph } = this.#channels;
    const avoided = this.#avoided.get(question.payment)!;
    const { amountMsat, blocks } = reached.get(node)!;
    for (const channel of graph.channelsOf(node)) {
      const direction = 2 * channel + (graph.node1[channel] === node ? 1 : 0);
      const tail = (direction & 1) === 0 ? graph.node1[channel]! : graph.node2[channel]!;
      if (reached.has(tail) || avoided.has(direction) || !this.#takes(direction, tail, amountMsat, question))
        continue;
      const isOwn = tail === question.sender;
      const feeMsat = isOwn ? 0n : this.#feeMsat(direction, amountMsat);
      const delta = isOwn ? 0 : graph.cltvExpiryDelta[direction]!;
      const candidate: ReachedNode = { amountMsat: amountMsat + feeMsat, blocks: blocks + delta, direction };
      const known = next.get(tail);
      if (known === undefined || candidate.amountMsat < known.amountMsat) next.set(tail, candidate);
    }
  }

  #takes(direction: number, tail: number, amountMsat: bigint, { sender }: PlanQuestion): boolean {
    const { graph } = this.#channels;
    if (graph.policyFlags[direction] !== (POLICY_KNOWN | POLICY_ENABLED)) return false;
    if (amountMsat < graph.htlcMinimumMsat[direction]! || amountMsat > graph.htlcMaximumMsat[direction]!)
      return false;
    if (tail === sender) return amountMsat <= this.#channels.spendableMsat(direction);
    return amountMsat <= graph.capacityMsat[direction >>> 1]!;
  }

  #feeMsat(direction: number, amountMsat: bigint): bigint {
    const { graph } = this.#channels;
    const feeBaseMsat = graph.feeBaseMsat[direction]!;
    const feeProportionalMillionths = graph.feeProportionalMillionths[direction]!;
    return forwardingFeeMsat({ feeBaseMsat, feeProportionalMillionths }, amountMsat);
  }

  /**
   * Walks from the sender to the receiver. The HTLC on each direction has the amount and blocks that the direction's
   * end node needs.
   */
  #route({ sender, receiver }: PlanQuestion, reached: Map<number, ReachedNode>): PlannedRoute | undefined {
    const { graph } = this.#channels;
    const directions: number[] = [];
    const amountsMsat: bigint[] = [];
    const expiries: number[] = [];
    for (let node = sender; node !== receiver; ) {
      const { direction } = reached.get(node)!;
      if (direction === undefined) return undefined;
      node = (direction & 1) === 0 ? graph.node2[direction >>> 1]! : graph.node1[direction >>> 1]!;
      const { amountMsat, blocks } = reached.get(node)!;
      directions.push(direction);
      amountsMsat.push(amountMsat);
      expiries.push(blocks);
    }
    return { directions, amountsMsat, expiries, probabilityPpm: undefined };
  }
}
