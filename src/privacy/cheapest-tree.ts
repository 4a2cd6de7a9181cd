/**
 * Cheapest routes from one node to all others, or from all others to one node, for an attacker who assumes that senders
 * use them. The cost of a direction is its fee and LND's documented price of time:
 *
 *     base + rate · amount + 15 · 10⁻⁹ · amount · cltv_expiry_delta
 *
 * The same amount is used for all directions, so fees do not accumulate along a route. Uses Dijkstra's algorithm: O(E
 * log V).
 */
import type { PassableGraph } from './passable.ts';

/** LND's risk factor (`RiskFactorBillionths`), per msat and block. */
const TIME_PRICE = 15e-9;

/** Whether the root is the source or the destination of all routes. */
export type RootEnd = 'source' | 'destination';

/** The tree of cheapest routes. */
export class CheapestTree {
  readonly #passable: PassableGraph;
  readonly root: number;
  readonly #end: RootEnd;
  readonly #amountMsat: number;
  /**
   * For each node, the direction that connects it to its parent in the tree. -1 for the root and for nodes without a
   * route.
   */
  readonly link: Int32Array;
  /** For each node, the sum of the deltas of all directions on its route. */
  readonly blocks: Float64Array;
  /** The nodes that have a route, in order of the route's cost. The root is first. */
  readonly order: number[] = [];
  readonly #cost: Float64Array;

  constructor(passable: PassableGraph, root: number, end: RootEnd, amountMsat: bigint) {
    this.#passable = passable;
    this.root = root;
    this.#end = end;
    this.#amountMsat = Number(amountMsat);
    const { nodeCount } = passable.graph;
    this.link = new Int32Array(nodeCount).fill(-1);
    this.blocks = new Float64Array(nodeCount);
    this.#cost = new Float64Array(nodeCount).fill(Number.POSITIVE_INFINITY);
    this.#grow();
  }

  /** The next node on the route between this node and the root. -1 for the root and for nodes without a route. */
  parent(node: number): number {
    const link = this.link[node]!;
    if (link < 0) return -1;
    return this.#end === 'source' ? this.#passable.tail(link) : this.#passable.head(link);
  }

  #grow(): void {
    const heap = new CostHeap();
    const isSettled = new Uint8Array(this.#cost.length);
    this.#cost[this.root] = 0;
    heap.push(0, this.root);
    for (;;) {
      const node = heap.pop();
      if (node < 0) return;
      if (isSettled[node] === 1) continue;
      isSettled[node] = 1;
      this.order.push(node);
      this.#relax(node, heap);
    }
  }

  #relax(node: number, heap: CostHeap): void {
    const { graph } = this.#passable;
    for (const channel of graph.channelsOf(node)) {
      const leaving = this.#passable.leaving(channel, node);
      const direction = this.#end === 'source' ? leaving : leaving ^ 1;
      if (!this.#passable.passes(direction, this.#amountMsat, this.#amountMsat)) continue;
      const other = this.#end === 'source' ? this.#passable.head(direction) : this.#passable.tail(direction);
      const delta = graph.cltvExpiryDelta[direction]!;
      const rate = graph.feeProportionalMillionths[direction]! / 1e6 + TIME_PRICE * delta;
      const cost = this.#cost[node]! + graph.feeBaseMsat[direction]! + rate * this.#amountMsat;
      if (cost >= this.#cost[other]!) continue;
      this.#cost[other] = cost;
      this.link[other] = direction;
      this.blocks[other] = this.blocks[node]! + delta;
      heap.push(cost, other);
    }
  }
}

/** A binary heap of nodes by cost. Nodes with equal costs are in the order of their indexes. */
class CostHeap {
  readonly #costs: number[] = [];
  readonly #nodes: number[] = [];

  push(cost: number, node: number): void {
    let place = this.#nodes.length;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (!isBefore(cost, node, this.#costs[parent]!, this.#nodes[parent]!)) break;
      this.#costs[place] = this.#costs[parent]!;
      this.#nodes[place] = this.#nodes[parent]!;
      place = parent;
    }
    this.#costs[place] = cost;
    this.#nodes[place] = node;
  }

  /** Removes and returns the cheapest node. -1 if there is none. */
  pop(): number {
    const first = this.#nodes[0];
    if (first === undefined) return -1;
    const [cost, node] = [this.#costs.pop()!, this.#nodes.pop()!];
    const length = this.#nodes.length;
    if (length === 0) return first;
    let place = 0;
    for (let child = 1; child < length; child = 2 * place + 1) {
      const [costs, nodes] = [this.#costs, this.#nodes];
      if (child + 1 < length && isBefore(costs[child + 1]!, nodes[child + 1]!, costs[child]!, nodes[child]!))
        child++;
      if (!isBefore(costs[child]!, nodes[child]!, cost, node)) break;
      costs[place] = costs[child]!;
      nodes[place] = nodes[child]!;
      place = child;
    }
    this.#costs[place] = cost;
    this.#nodes[place] = node;
    return first;
  }
}

const isBefore = (cost: number, node: number, otherCost: number, other: number): boolean =>
  cost < otherCost || (cost === otherCost && node < other);
