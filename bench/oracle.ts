/**
 * What a payer could do if it saw every balance: whether some route carries a payment at this moment.
 *
 * It searches from the recipient back (Dijkstra) for the route of the lowest fee, over the directions that really
 * hold what would cross them. Fees are those of BOLT 7, exact, since amounts stay below 2^53 msat. If even that fee
 * exceeds the limit, no single HTLC arrives. Hops and delay are checked only on that route. So "possible" is certain,
 * and "impossible" is nearly certain. Payments in several parts are not considered.
 */
import { type ChannelGraph, POLICY_ENABLED, POLICY_KNOWN } from '../src/model/channel-graph.ts';
import type { Msat } from '../src/model/msat.ts';
import type { NodeId } from '../src/model/node-id.ts';
import type { Direction, ShortChannelId } from '../src/model/short-channel-id.ts';
import { ANNOUNCED, ANNOUNCED_KEYSEND, type NetworkMap } from '../src/network/simulated/network-map.ts';
import type { Simulation } from '../src/network/simulated/simulation.ts';

const MAX_HOPS = 20;
const ENABLED = POLICY_KNOWN | POLICY_ENABLED;

/** The payment in question. */
export interface Wish {
  readonly destination: NodeId;
  readonly amountMsat: Msat;
  readonly maxfeeMsat: Msat;
  readonly maxdelay: number;
}

/** Whether a payment can arrive, and if not, why. */
export type Verdict = 'possible' | 'no keysend' | 'no liquidity' | 'too dear' | 'too long';

/** Answers for one simulated network. */
export class Oracle {
  readonly #graph: ChannelGraph;
  readonly #map: NetworkMap;
  readonly #simulation: Simulation;
  /**
   * Directions into each node as direction indexes: those of node n are `#into[#from[n]]` to `#into[#from[n + 1] - 1]`.
   */
  readonly #from: Uint32Array;
  readonly #into: Uint32Array;
  readonly #balanceMsat: Float64Array;
  readonly #htlcMinimumMsat: Float64Array;
  readonly #htlcMaximumMsat: Float64Array;
  /**
   * For each node: the amount that must reach it, and the delay and hops from there to the recipient. An entry is valid
   * only for the search whose stamp it has.
   */
  readonly #reachMsat: Float64Array;
  readonly #delay: Uint32Array;
  readonly #hops: Uint8Array;
  readonly #stamp: Uint32Array;
  #search = 0;

  constructor(graph: ChannelGraph, map: NetworkMap, simulation: Simulation) {
    this.#graph = graph;
    this.#map = map;
    this.#simulation = simulation;
    const { nodeCount, channelCount } = map;
    this.#from = new Uint32Array(nodeCount + 1);
    this.#into = new Uint32Array(2 * channelCount);
    this.#linkDirections();
    this.#balanceMsat = new Float64Array(2 * channelCount);
    for (let directionIndex = 0; directionIndex < 2 * channelCount; directionIndex++)
      this.#refresh(directionIndex);
    this.#htlcMinimumMsat = Float64Array.from(map.htlcMinimumMsat, Number);
    this.#htlcMaximumMsat = Float64Array.from(map.htlcMaximumMsat, Number);
    this.#reachMsat = new Float64Array(nodeCount);
    this.#delay = new Uint32Array(nodeCount);
    this.#hops = new Uint8Array(nodeCount);
    this.#stamp = new Uint32Array(nodeCount);
  }

  /** Reads the balances of these channels again after payments. Channels outside the graph are ours. */
  refresh(shortChannelIds: Iterable<ShortChannelId>): void {
    for (const scid of shortChannelIds) {
      const channel = this.#graph.channelIndex(scid);
      if (channel < 0) continue;
      this.#refresh(2 * channel);
      this.#refresh(2 * channel + 1);
    }
  }

  judge({ destination, amountMsat, maxfeeMsat, maxdelay }: Wish): Verdict {
    const node = this.#graph.nodeIndex(destination);
    const features = this.#map.nodeFeatures[node]!;
    if ((features & ANNOUNCED) !== 0 && (features & ANNOUNCED_KEYSEND) === 0) return 'no keysend';
    const amount = Number(amountMsat);
    const first = this.#cheapest(node, amount, amount + Number(maxfeeMsat));
    if (first === undefined) {
      return this.#cheapest(node, amount, 2 * amount + 1e6) === undefined ? 'no liquidity' : 'too dear';
    }
    return this.#hops[first]! + 1 <= MAX_HOPS && this.#delay[first]! <= maxdelay ? 'possible' : 'too long';
  }

  #linkDirections(): void {
    const { channelCount, node1, node2, policyFlags } = this.#map;
    const head = (directionIndex: number): number =>
      ((directionIndex & 1) === 0 ? node2 : node1)[directionIndex >> 1]!;
    for (let directionIndex = 0; directionIndex < 2 * channelCount; directionIndex++)
      this.#from[head(directionIndex) + 1]!++;
    for (let node = 1; node < this.#from.length; node++) this.#from[node]! += this.#from[node - 1]!;
    const next = this.#from.slice();
    for (let directionIndex = 0; directionIndex < 2 * channelCount; directionIndex++) {
      // Disabled directions are left out.
      this.#into[next[head(directionIndex)]!++] =
        policyFlags[directionIndex] === ENABLED ? directionIndex : NO_SLOT;
    }
  }

  #refresh(directionIndex: number): void {
    const shortChannelId = this.#map.shortChannelIds[directionIndex >> 1]! as ShortChannelId;
    const direction = (directionIndex & 1) as Direction;
    this.#balanceMsat[directionIndex] = Number(this.#simulation.balanceMsat({ shortChannelId, direction }));
  }

  /** Our peer that needs the least amount to deliver the payment, if that is at most `limit`. */
  #cheapest(destination: number, amount: number, limit: number): number | undefined {
    const spendable = this.#spendable();
    const heap = new Heap();
    this.#search++;
    this.#reach(destination, amount, 0, 0);
    heap.push(amount, destination);
    for (let node = heap.pop(); node !== undefined; node = heap.pop()) {
      if (heap.key > this.#reachMsat[node]!) continue;
      if ((spendable.get(node) ?? -1) >= heap.key) return node;
      if (this.#hops[node] === MAX_HOPS) continue;
      for (let i = this.#from[node]!; i < this.#from[node + 1]!; i++)
        this.#relax(this.#into[i]!, node, limit, heap);
    }
    return undefined;
  }

  #relax(directionIndex: number, head: number, limit: number, heap: Heap): void {
    const crossing = this.#reachMsat[head]!;
    if (directionIndex === NO_SLOT || crossing > this.#balanceMsat[directionIndex]!) return;
    if (
      crossing > this.#htlcMaximumMsat[directionIndex]! ||
      crossing < this.#htlcMinimumMsat[directionIndex]!
    )
      return;
    const { node1, node2, feeBaseMsat, feeProportionalMillionths, cltvExpiryDelta } = this.#map;
    const fee =
      feeBaseMsat[directionIndex]! +
      Math.floor((crossing * feeProportionalMillionths[directionIndex]!) / 1e6);
    const tail = ((directionIndex & 1) === 0 ? node1 : node2)[directionIndex >> 1]!;
    const needed = crossing + fee;
    if (needed > limit || (this.#stamp[tail] === this.#search && this.#reachMsat[tail]! <= needed)) return;
    this.#reach(tail, needed, this.#delay[head]! + cltvExpiryDelta[directionIndex]!, this.#hops[head]! + 1);
    heap.push(needed, tail);
  }

  #reach(node: number, reachMsat: number, delay: number, hops: number): void {
    this.#stamp[node] = this.#search;
    this.#reachMsat[node] = reachMsat;
    this.#delay[node] = delay;
    this.#hops[node] = hops;
  }

  /** The maximum that one HTLC of ours can bring to each peer. */
  #spendable(): Map<number, number> {
    const most = new Map<number, number>();
    for (const { peerId, spendableMsat, usable } of this.#simulation.ownChannels().channels) {
      const node = this.#graph.nodeIndex(peerId);
      if (usable) most.set(node, Math.max(most.get(node) ?? 0, Number(spendableMsat)));
    }
    return most;
  }
}

const NO_SLOT = 0xffff_ffff;

/** A binary heap of nodes by key, smallest first. A node may be in the heap several times. */
class Heap {
  /** Key of the node last taken out. */
  key = 0;
  readonly #keys: number[] = [];
  readonly #nodes: number[] = [];

  push(key: number, node: number): void {
    let at = this.#keys.length;
    for (; at > 0; at = (at - 1) >> 1) {
      const parent = (at - 1) >> 1;
      if (this.#keys[parent]! <= key) break;
      this.#keys[at] = this.#keys[parent]!;
      this.#nodes[at] = this.#nodes[parent]!;
    }
    this.#keys[at] = key;
    this.#nodes[at] = node;
  }

  pop(): number | undefined {
    const node = this.#nodes[0];
    if (node === undefined) return undefined;
    this.key = this.#keys[0]!;
    const [key, last] = [this.#keys.pop()!, this.#nodes.pop()!];
    if (this.#keys.length > 0) this.#sink(key, last);
    return node;
  }

  #sink(key: number, node: number): void {
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= this.#keys.length) break;
      if (child + 1 < this.#keys.length && this.#keys[child + 1]! < this.#keys[child]!) child++;
      if (this.#keys[child]! >= key) break;
      this.#keys[at] = this.#keys[child]!;
      this.#nodes[at] = this.#nodes[child]!;
      at = child;
    }
    this.#keys[at] = key;
    this.#nodes[at] = node;
  }
}
