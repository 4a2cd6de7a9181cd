/**
 * Finds the recipients that are consistent with what a forwarding node sees (Kumble, Epema, Roos, "How Lightning's
 * Routing Diminishes its Anonymity", arXiv 2107.10070, section 4: the remaining timelock).
 *
 * The outgoing HTLC has B blocks left. A recipient requires f final blocks, and each direction on the way subtracts its
 * public `cltv_expiry_delta`. So node r is a candidate if there is a path from the next node to r whose directions can
 * carry the amount, and whose deltas sum to exactly B − f for one of the usual values of f.
 *
 * The sums of deltas over all paths to a node are stored as a set of bits, one for each number of blocks up to B. A
 * direction with delta d shifts the set by d. Each pair of a node and a sum is propagated once, at the lowest number of
 * hops that reaches it: O(E · B / 32) steps, and far fewer for a small B. Paths may cross a node twice, which real
 * routes do not, so a set may be slightly too large, but never too small.
 */
import type { PassableGraph } from './passable.ts';
import type { Sighting } from './sighting.ts';

/** Maximum hops of a route (20 in practice) minus the two that the observer knows. */
const MAX_HOPS = 18;
/** Fees on the rest of the path are assumed to be at most this share of the amount, plus FEE_BASE_MSAT. */
const FEE_SHARE = 0.05;
const FEE_BASE_MSAT = 50_000;

/** The candidate recipients of a sighting. */
export interface PossibleRecipients {
  /** Indexes of the candidates, in ascending order. */
  readonly nodes: readonly number[];
  /** For each candidate, the lowest number of hops from the next node that is consistent with the sighting. */
  readonly hops: readonly number[];
}

/** The minimum and maximum amount on the rest of the path. */
const amountsAhead = ({ outgoingMsat }: Sighting): readonly [least: number, most: number] => {
  const most = Number(outgoingMsat);
  return [Math.max(1, Math.floor(most * (1 - FEE_SHARE)) - FEE_BASE_MSAT), most];
};

/**
 * @param finals the numbers of final blocks that a recipient may require
 * @returns all nodes that could be the recipient, including the next node if the remaining blocks match
 */
export function possibleRecipients(
  passable: PassableGraph,
  sighting: Sighting,
  finals: readonly number[],
): PossibleRecipients {
  const most = sighting.outgoingBlocks - Math.min(...finals);
  if (most < 0) return { nodes: [], hops: [] };
  const sums = new DelaySums(passable, sighting, most);
  const wanted = [...new Set(finals.map((final) => sighting.outgoingBlocks - final))].filter(
    (sum) => sum >= 0,
  );
  const hopsOf = new Map<number, number>();
  for (let hops = 0; hops <= MAX_HOPS && sums.frontier.length > 0; hops++) {
    for (const node of sums.frontier) {
      if (!hopsOf.has(node) && wanted.some((sum) => sums.isFresh(node, sum))) hopsOf.set(node, hops);
    }
    sums.step();
  }
  const nodes = [...hopsOf.keys()].sort((a, b) => a - b);
  return { nodes, hops: nodes.map((node) => hopsOf.get(node)!) };
}

/** For each node, the sums of delays with which paths reach the node, computed hop by hop. */
class DelaySums {
  readonly #passable: PassableGraph;
  readonly #leastMsat: number;
  readonly #mostMsat: number;
  readonly #most: number;
  readonly #words: number;
  /** The observer and the node before it. The path does not cross them again. */
  readonly #closed: readonly number[];
  /** By node: all sums reached so far, the sums reached by the last hop, and the sums reached by the current hop. */
  readonly #seen: Uint32Array;
  #fresh: Uint32Array;
  #next: Uint32Array;
  /** Nodes that got new sums in the last hop. */
  frontier: number[];

  constructor(passable: PassableGraph, sighting: Sighting, most: number) {
    this.#passable = passable;
    [this.#leastMsat, this.#mostMsat] = amountsAhead(sighting);
    this.#most = most;
    this.#words = (most >>> 5) + 1;
    const bits = passable.graph.nodeCount * this.#words;
    this.#seen = new Uint32Array(bits);
    this.#fresh = new Uint32Array(bits);
    this.#next = new Uint32Array(bits);
    this.#closed = [passable.tail(sighting.incoming), passable.head(sighting.incoming)];
    const first = passable.head(sighting.outgoing);
    this.#fresh[first * this.#words] = 1;
    this.#seen[first * this.#words] = 1;
    this.frontier = [first];
  }

  /** Whether the last hop reached the node with this sum for the first time. */
  isFresh(node: number, sum: number): boolean {
    return ((this.#fresh[node * this.#words + (sum >>> 5)]! >>> (sum & 31)) & 1) === 1;
  }

  /** Advances the frontier by one hop. */
  step(): void {
    const { graph } = this.#passable;
    const reached = new Set<number>();
    for (const node of this.frontier) {
      for (const channel of graph.channelsOf(node)) {
        const direction = this.#passable.leaving(channel, node);
        if (!this.#passable.passes(direction, this.#leastMsat, this.#mostMsat)) continue;
        const head = this.#passable.head(direction);
        if (this.#closed.includes(head)) continue;
        if (this.#shift(node, head, graph.cltvExpiryDelta[direction]!)) reached.add(head);
      }
      this.#fresh.fill(0, node * this.#words, (node + 1) * this.#words);
    }
    [this.#fresh, this.#next] = [this.#next, this.#fresh];
    this.frontier = [...reached];
  }

  /**
   * Adds the new sums of node `from`, increased by `delta`, to those of node `to`.
   * @returns whether any of them is new there
   */
  #shift(from: number, to: number, delta: number): boolean {
    const words = this.#words;
    const [skip, bits] = [delta >>> 5, delta & 31];
    let isNew = 0;
    for (let word = words - 1; word >= skip; word--) {
      const source = from * words + word - skip;
      let shifted = this.#fresh[source]! << bits;
      if (bits > 0 && word > skip) shifted |= this.#fresh[source - 1]! >>> (32 - bits);
      if (word === words - 1) shifted &= this.#lastMask();
      const place = to * words + word;
      const added = shifted & ~this.#seen[place]!;
      if (added === 0) continue;
      this.#seen[place]! |= added;
      this.#next[place]! |= added;
      isNew |= added;
    }
    return isNew !== 0;
  }

  /** Mask of the bits in the last word that stand for sums within the limit. */
  #lastMask(): number {
    const used = (this.#most & 31) + 1;
    return used === 32 ? -1 : (1 << used) - 1;
  }
}
