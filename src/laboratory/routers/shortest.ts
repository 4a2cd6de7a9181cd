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

/**
 * The nodes reached by a search, in columns indexed by node. Every search uses the same columns: a node counts as
 * reached if its mark is that of the current search.
 */
class ReachedNodes {
  readonly #mark: Uint32Array;
  #current = 0;
  /** Amount of the HTLC that arrives at the node. */
  readonly amountMsat: BigUint64Array;
  /** Remaining blocks of the HTLC that arrives at the node. */
  readonly blocks: Int32Array;
  /** Direction from the node towards the receiver, `NO_DIRECTION` for the receiver itself. */
  readonly direction: Int32Array;
  /** Number of hops from the node to the receiver. */
  readonly hops: Uint8Array;

  constructor(nodes: number) {
    this.#mark = new Uint32Array(nodes);
    this.amountMsat = new BigUint64Array(nodes);
    this.blocks = new Int32Array(nodes);
    this.direction = new Int32Array(nodes);
    this.hops = new Uint8Array(nodes);
  }

  clear(): void {
    this.#current++;
    if (this.#current <= 0xffff_ffff) return;
    this.#mark.fill(0);
    this.#current = 1;
  }

  has(node: number): boolean {
    return this.#mark[node] === this.#current;
  }

  set(node: number, amountMsat: bigint, blocks: number, direction: number, hops: number): void {
    this.#mark[node] = this.#current;
    this.amountMsat[node] = amountMsat;
    this.blocks[node] = blocks;
    this.direction[node] = direction;
    this.hops[node] = hops;
  }
}

/** The value of `direction` for the receiver, where the search starts. */
const NO_DIRECTION = -1;

/**
 * Breadth-first search over the public graph. Besides that graph, it uses only the sender's own balances, and the
 * directions that failed during the payment.
 */
export class ShortestRouter implements PaymentRouter {
  readonly name: string;
  readonly #channels: TrueChannels;
  readonly #avoided = new Map<number, Set<number>>();
  readonly #reached: ReachedNodes;

  constructor(channels: TrueChannels, name: string) {
    this.#channels = channels;
    this.#reached = new ReachedNodes(channels.graph.nodeCount);
    this.name = name;
  }

  begin(payment: number): void {
    this.#avoided.set(payment, new Set());
  }

  plan(question: PlanQuestion): Plan {
    const route = this.#search(question) ? this.#route(question) : undefined;
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

  /** Finds the nodes from which the receiver can be reached, layer by layer. @returns whether the sender is one */
  #search(question: PlanQuestion): boolean {
    const { sender, receiver, amountMsat, finalCltv } = question;
    const reached = this.#reached;
    reached.clear();
    reached.set(receiver, amountMsat, finalCltv, NO_DIRECTION, 0);
    let layer = [receiver];
    for (let hop = 1; hop <= MAX_HOPS && layer.length > 0; hop++) {
      const next: number[] = [];
      for (const node of layer) this.#relax(node, hop, next, question);
      if (reached.has(sender)) return true;
      layer = next;
    }
    return false;
  }

  /**
   * Examines every channel into `node`, and keeps the cheapest route from each new neighbour.
   * @param next the neighbours found in this layer so far
   */
  #relax(node: number, hop: number, next: number[], question: PlanQuestion): void {
    const { graph } = this.#channels;
    const { node1, node2 } = graph;
    const reached = this.#reached;
    const avoided = this.#avoided.get(question.payment)!;
    const amountMsat = reached.amountMsat[node]!;
    const blocks = reached.blocks[node]!;
    for (const channel of graph.channelsOf(node)) {
      const isForth = node1[channel] !== node;
      const tail = isForth ? node1[channel]! : node2[channel]!;
      const isKnown = reached.has(tail);
      if (isKnown && reached.hops[tail]! < hop) continue;
      const direction = 2 * channel + (isForth ? 0 : 1);
      if (avoided.has(direction) || !this.#takes(direction, tail, amountMsat, question)) continue;
      const isOwn = tail === question.sender;
      const neededBlocks = blocks + (isOwn ? 0 : graph.cltvExpiryDelta[direction]!);
      if (neededBlocks > question.maxDelayBlocks) continue;
      const neededMsat = amountMsat + (isOwn ? 0n : this.#feeMsat(direction, amountMsat));
      if (!isKnown) next.push(tail);
      else if (neededMsat >= reached.amountMsat[tail]!) continue;
      reached.set(tail, neededMsat, neededBlocks, direction, hop);
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
  #route({ sender, receiver }: PlanQuestion): PlannedRoute | undefined {
    const { graph } = this.#channels;
    const reached = this.#reached;
    const directions: number[] = [];
    const amountsMsat: bigint[] = [];
    const expiries: number[] = [];
    for (let node = sender; node !== receiver; ) {
      const direction = reached.direction[node]!;
      if (direction === NO_DIRECTION) return undefined;
      node = (direction & 1) === 0 ? graph.node2[direction >>> 1]! : graph.node1[direction >>> 1]!;
      directions.push(direction);
      amountsMsat.push(reached.amountMsat[node]!);
      expiries.push(reached.blocks[node]!);
    }
    return { directions, amountsMsat, expiries, probabilityPpm: undefined };
  }
}
