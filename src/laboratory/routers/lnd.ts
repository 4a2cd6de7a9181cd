/**
 * The router `lnd`: a model of LND's path finding (0.21: `routing/pathfind.go`, `unified_edges.go`,
 * `payment_session.go`; read as facts). An instance serves many senders, each with its own memory.
 *
 * Dijkstra's algorithm backwards from the recipient, minimising
 *
 *     distance = Σ (fee + amount · delta · 15 / 10⁹) + (100 sat + 0.1 % of the amount) / P
 *
 * where P is the product of the probabilities of the path's pairs. Paths with P below 0.01 are left out. Distances are
 * not additive, so the path found is not always the best; LND searches the same way. An amount without a path is
 * halved, down to 10,000 sat. Channels between the same two nodes count as a single channel, with the highest fee,
 * delay and capacity of those that can carry the amount.
 */
import { embeddedChannelUpdate } from '../../bolt/peer/gossip-messages.ts';
import { POLICY_ENABLED, POLICY_KNOWN } from '../../model/channel-graph.ts';
import { forwardingFeeMsat } from '../../model/policy.ts';
import type { TrueChannels } from '../truth/true-channels.ts';
import { blameFor, LndMemory } from './lnd-memory.ts';
import {
  type AttemptVerdict,
  type EndedAttempt,
  NO_ROUTE,
  type PaymentRouter,
  type Plan,
  type PlannedRoute,
  type PlanQuestion,
} from './router.ts';

const ATTEMPT_COST_MSAT = 100_000;
const ATTEMPT_COST_SHARE = 1 / 1000;
const RISK_FACTOR = 15e-9;
const MIN_PROBABILITY = 0.01;
const MIN_PART_MSAT = 10_000_000n;
const MAX_HOPS = 20;

/** The directions from one node to another. */
interface Pair {
  readonly tail: number;
  readonly directions: readonly number[];
}

/** What the search knows about a node: the best route from the node to the recipient. */
interface NodeDistance {
  readonly node: number;
  readonly distance: number;
  /** Fees and the price of delay, without the price of failures. */
  readonly weight: number;
  readonly probability: number;
  readonly amountMsat: bigint;
  readonly blocks: number;
  readonly hops: number;
  readonly direction: number | undefined;
  readonly next: NodeDistance | undefined;
}

/** Fees that a node reported in a failure. Only the sender that received the failure uses them. */
interface ToldFees {
  readonly feeBaseMsat: number;
  readonly feeProportionalMillionths: number;
}

interface LndSender {
  readonly memory: LndMemory;
  readonly fees: Map<number, ToldFees>;
}

/** A model of LND for many senders. */
export class LndRouter implements PaymentRouter {
  readonly name: string;
  readonly #channels: TrueChannels;
  readonly #pairs: (readonly Pair[] | undefined)[] = [];
  readonly #senders = new Map<number, LndSender>();

  constructor(channels: TrueChannels, name: string) {
    this.#channels = channels;
    this.name = name;
  }

  begin(): void {}

  plan(question: PlanQuestion): Plan {
    const routes: PlannedRoute[] = [];
    const planned = new Map<number, bigint>();
    let missingMsat = question.amountMsat;
    let feeLeftMsat = question.maxfeeMsat;
    while (missingMsat > 0n) {
      const isLast = routes.length + 1 >= question.maxparts;
      const route = this.#part(question, missingMsat, feeLeftMsat, planned, isLast);
      if (route === undefined) return NO_ROUTE;
      routes.push(route);
      const [first, last] = [route.amountsMsat[0]!, route.amountsMsat.at(-1)!];
      planned.set(route.directions[0]!, (planned.get(route.directions[0]!) ?? 0n) + first);
      missingMsat -= last;
      feeLeftMsat -= first - last;
    }
    const probabilityPpm = routes.reduce((product, route) => product * (route.probabilityPpm! / 1e6), 1e6);
    return { routes, probabilityPpm: Math.floor(probabilityPpm) };
  }

  sent(): void {}

  ended({ sender, route, end, nowUs }: EndedAttempt): AttemptVerdict {
    const { memory, fees } = this.#senderOf(sender);
    const nodes = [sender, ...route.directions.map((direction) => this.#head(direction))];
    const succeeded = (hops: number): void => {
      for (let hop = 0; hop < hops; hop++) {
        memory.succeeded(nodes[hop]!, nodes[hop + 1]!, Number(route.amountsMsat[hop]!), nowUs);
      }
    };
    if (end.kind === 'settled') {
      succeeded(route.directions.length);
      return 'retry';
    }
    const { index, failure } = end;
    if (index === 0) return 'retry';
    succeeded(index === route.directions.length ? index : index - 1);
    if (index === route.directions.length) return failure.name === 'mpp_timeout' ? 'retry' : 'hopeless';
    const [at, next, before] = [nodes[index]!, nodes[index + 1]!, nodes[index - 1]!];
    switch (blameFor(failure.name)) {
      case 'balance':
        succeeded(index);
        memory.failed(at, next, Number(route.amountsMsat[index]!), nowUs);
        break;
      case 'policy':
        if (!this.#believed(fees, route.directions[index]!, failure.fields.channelUpdate)) {
          memory.failed(at, next, 0, nowUs);
          memory.failed(next, at, 0, nowUs);
        }
        break;
      case 'pair':
        memory.failed(at, next, 0, nowUs);
        memory.failed(next, at, 0, nowUs);
        break;
      case 'node':
        this.#failNode(memory, at, nowUs);
        break;
      case 'both':
        memory.failed(at, next, 0, nowUs);
        memory.failed(before, at, 0, nowUs);
    }
    return 'retry';
  }

  finish(): void {}

  async close(): Promise<void> {}

  memoryOf(sender: number): LndMemory {
    return this.#senderOf(sender).memory;
  }

  /**
   * Records the fees reported in a failure. Returns false if none are reported, or if they were already known, because
   * a node that reports the same fees again contradicts itself.
   */
  #believed(fees: Map<number, ToldFees>, direction: number, bytes: Uint8Array | undefined): boolean {
    const update = bytes === undefined ? undefined : embeddedChannelUpdate(bytes);
    if (update === undefined) return false;
    const { feeBaseMsat, feeProportionalMillionths } = update;
    const known = fees.get(direction);
    const isSame =
      known?.feeBaseMsat === feeBaseMsat && known.feeProportionalMillionths === feeProportionalMillionths;
    fees.set(direction, { feeBaseMsat, feeProportionalMillionths });
    return !isSame;
  }

  #failNode(memory: LndMemory, node: number, nowUs: number): void {
    for (const { tail } of this.#pairsInto(node)) {
      memory.failed(tail, node, 0, nowUs);
      memory.failed(node, tail, 0, nowUs);
    }
  }

  /** Plans a part: the whole missing amount if it has a path, otherwise the amount halved until it has one. */
  #part(
    question: PlanQuestion,
    missingMsat: bigint,
    feeLeftMsat: bigint,
    planned: ReadonlyMap<number, bigint>,
    isLast: boolean,
  ): PlannedRoute | undefined {
    for (let amountMsat = missingMsat; ; amountMsat /= 2n) {
      const found = this.#search(question, amountMsat, feeLeftMsat, planned);
      if (found !== undefined) return this.#route(found);
      if (isLast || amountMsat / 2n < MIN_PART_MSAT) return undefined;
    }
  }

  #search(
    { sender, receiver, finalCltv, maxDelayBlocks, nowUs }: PlanQuestion,
    amountMsat: bigint,
    feeLimitMsat: bigint,
    planned: ReadonlyMap<number, bigint>,
  ): NodeDistance | undefined {
    const { memory, fees } = this.#senderOf(sender);
    const attemptCost = ATTEMPT_COST_MSAT + Number(amountMsat) * ATTEMPT_COST_SHARE;
    const start = { distance: 0, weight: 0, probability: 1, hops: 0, direction: undefined, next: undefined };
    const best = new Map<number, NodeDistance>();
    const heap = new DistanceHeap();
    heap.push({ ...start, node: receiver, amountMsat, blocks: finalCltv });
    for (let at = heap.pop(); at !== undefined; at = heap.pop()) {
      if (at.node === sender) return at;
      if ((best.get(at.node) ?? at) !== at || at.hops >= MAX_HOPS) continue;
      for (const { tail, directions } of this.#pairsInto(at.node)) {
        if (tail === receiver) continue;
        const isOwn = tail === sender;
        const edge = isOwn
          ? this.#ownEdge(directions, at.amountMsat, planned)
          : this.#networkEdge(directions, at.amountMsat, fees);
        if (edge === undefined) continue;
        const probability =
          at.probability *
          (isOwn
            ? memory.localProbability(tail, at.node, nowUs)
            : memory.pairProbability(tail, at.node, Number(at.amountMsat), edge.capacityMsat, nowUs));
        const blocks = at.blocks + edge.delta;
        const totalMsat = at.amountMsat + edge.feeMsat;
        const isAllowed = blocks <= maxDelayBlocks && totalMsat - amountMsat <= feeLimitMsat;
        if (probability < MIN_PROBABILITY || !isAllowed) continue;
        const weight = at.weight + Number(edge.feeMsat) + Number(at.amountMsat) * edge.delta * RISK_FACTOR;
        const distance = weight + attemptCost / probability;
        const known = best.get(tail);
        if (known !== undefined && known.distance <= distance) continue;
        const { direction } = edge;
        const entry = { node: tail, distance, weight, probability, amountMsat: totalMsat, blocks, direction };
        // In V8 11.3, members after a leading spread take 1 to 2 µs each.
        const reached: NodeDistance = { hops: at.hops + 1, next: at, ...entry };
        best.set(tail, reached);
        heap.push(reached);
      }
    }
    return undefined;
  }

  /** Of the sender's own channels that can carry the amount, the one with the largest spendable amount. */
  #ownEdge(directions: readonly number[], amountMsat: bigint, planned: ReadonlyMap<number, bigint>) {
    let [chosen, most] = [-1, -1n];
    for (const direction of directions) {
      const spendableMsat = this.#channels.spendableMsat(direction) - (planned.get(direction) ?? 0n);
      if (!this.#takes(direction, amountMsat) || spendableMsat < amountMsat || spendableMsat <= most)
        continue;
      [chosen, most] = [direction, spendableMsat];
    }
    return chosen < 0 ? undefined : { direction: chosen, feeMsat: 0n, delta: 0, capacityMsat: 0 };
  }

  /**
   * Combines the channels between two other nodes: the highest value of each term, and the direction with the highest
   * fee.
   */
  #networkEdge(directions: readonly number[], amountMsat: bigint, fees: ReadonlyMap<number, ToldFees>) {
    const { graph } = this.#channels;
    let edge: { direction: number; feeMsat: bigint; delta: number; capacityMsat: number } | undefined;
    for (const direction of directions) {
      if (!this.#takes(direction, amountMsat) || graph.capacityMsat[direction >>> 1]! < amountMsat) continue;
      const told = fees.get(direction);
      const feeBaseMsat = told?.feeBaseMsat ?? graph.feeBaseMsat[direction]!;
      const feeProportionalMillionths =
        told?.feeProportionalMillionths ?? graph.feeProportionalMillionths[direction]!;
      const feeMsat = forwardingFeeMsat({ feeBaseMsat, feeProportionalMillionths }, amountMsat);
      const delta = graph.cltvExpiryDelta[direction]!;
      const capacityMsat = Number(graph.capacityMsat[direction >>> 1]!);
      if (edge === undefined) edge = { direction, feeMsat, delta, capacityMsat };
      else {
        if (feeMsat > edge.feeMsat) [edge.direction, edge.feeMsat] = [direction, feeMsat];
        edge.delta = Math.max(edge.delta, delta);
        edge.capacityMsat = Math.max(edge.capacityMsat, capacityMsat);
      }
    }
    return edge;
  }

  #takes(direction: number, amountMsat: bigint): boolean {
    const { graph } = this.#channels;
    return (
      graph.policyFlags[direction] === (POLICY_KNOWN | POLICY_ENABLED) &&
      amountMsat >= graph.htlcMinimumMsat[direction]! &&
      amountMsat <= graph.htlcMaximumMsat[direction]!
    );
  }

  /**
   * Builds the route from the entries of the search. Beginning with the sender's entry, the direction of each entry
   * leads to the next entry, which contains the amount that must arrive there.
   */
  #route(found: NodeDistance): PlannedRoute {
    const directions: number[] = [];
    const amountsMsat: bigint[] = [];
    const expiries: number[] = [];
    for (let at = found; at.next !== undefined; at = at.next) {
      directions.push(at.direction!);
      amountsMsat.push(at.next.amountMsat);
      expiries.push(at.next.blocks);
    }
    return { directions, amountsMsat, expiries, probabilityPpm: Math.floor(found.probability * 1e6) };
  }

  #senderOf(sender: number): LndSender {
    const known = this.#senders.get(sender);
    if (known !== undefined) return known;
    const fresh = { memory: new LndMemory(), fees: new Map() };
    this.#senders.set(sender, fresh);
    return fresh;
  }

  #head(direction: number): number {
    const { node1, node2 } = this.#channels.graph;
    return (direction & 1) === 0 ? node2[direction >>> 1]! : node1[direction >>> 1]!;
  }

  /** The directions that lead to a node, grouped by start node. */
  #pairsInto(node: number): readonly Pair[] {
    const known = this.#pairs[node];
    if (known !== undefined) return known;
    const { graph } = this.#channels;
    const byTail = new Map<number, number[]>();
    for (const channel of graph.channelsOf(node)) {
      const leavesFirst = graph.node2[channel] === node;
      const tail = leavesFirst ? graph.node1[channel]! : graph.node2[channel]!;
      const directions = byTail.get(tail) ?? [];
      directions.push(2 * channel + (leavesFirst ? 0 : 1));
      byTail.set(tail, directions);
    }
    const pairs = [...byTail].map(([tail, directions]) => ({ tail, directions }));
    this.#pairs[node] = pairs;
    return pairs;
  }
}

/** A binary heap by distance. Outdated entries stay in the heap and are skipped. */
class DistanceHeap {
  readonly #entries: NodeDistance[] = [];

  push(entry: NodeDistance): void {
    const entries = this.#entries;
    let place = entries.length;
    entries.push(entry);
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (entries[parent]!.distance <= entry.distance) break;
      entries[place] = entries[parent]!;
      place = parent;
    }
    entries[place] = entry;
  }

  pop(): NodeDistance | undefined {
    const entries = this.#entries;
    const first = entries[0];
    const last = entries.pop();
    if (first === undefined || last === undefined || entries.length === 0) return first;
    let place = 0;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= entries.length) break;
      if (child + 1 < entries.length && entries[child + 1]!.distance < entries[child]!.distance) child++;
      if (entries[child]!.distance >= last.distance) break;
      entries[place] = entries[child]!;
      place = child;
    }
    entries[place] = last;
    return first;
  }
}
