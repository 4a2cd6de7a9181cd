/**
 * Random questions of all kinds to a kernel, and a hash of its answers: the outcome, the nodes settled and
 * the effort spent. A kernel change that should not alter answers leaves every hash unchanged.
 *
 * The questions vary ends, amount, every limit, layers (whose content changes now and then), randomisation,
 * prices, remedies and batches. Everything follows from the seed and the graph. A session asks its questions
 * in order, because state that a kernel keeps after one question can save work in the next.
 */
import { createHash } from 'node:crypto';
import type { Question } from '../../../src/engine/question/question.ts';
import { ANY_REMEDY } from '../../../src/engine/question/remedy-rules.ts';
import { Kernel } from '../../../src/engine/solver/kernel.ts';
import { SOURCEFREE_SLOT } from '../../../src/engine/solver/kernel-layout.ts';
import type { KernelBuild } from '../../../src/engine/solver/kernel-memory.ts';
import { solveRoute } from '../../../src/engine/solver/solve-route.ts';
import { seededRandom } from '../../../src/gossip/random.ts';
import { AMOUNT_CAP_MSAT, type BoundsFold, IDENTITY_FOLD } from '../../../src/layers/bounds-fold.ts';
import type { ChannelCell } from '../../../src/layers/cell.ts';
import { type ChannelGraph, POLICY_ENABLED } from '../../../src/model/channel-graph.ts';
import { msat } from '../../../src/model/msat.ts';
import type { NodeId } from '../../../src/model/node-id.ts';
import { shortChannelId } from '../../../src/model/short-channel-id.ts';

/** Number of questions per hash. */
export const GROUP = 20;
/** Number of layers, in slots 1 to LAYERS. Slot 0 contains the global reservations. */
const LAYERS = 6;
/** Initial number of entries of each layer, from a small layer to one that the kernel caches. */
const ENTRIES = [2, 8, 20, 60, 200, 600];
/** Number of characters of a hash in the fixture. */
const HASH_CHARS = 8;

/** A kernel with layers that answers a sequence of random questions. */
export class Recording {
  readonly #kernel: Kernel;
  readonly #graph: ChannelGraph;
  readonly #random: () => number;
  /** By node: the total capacity of its channels, msat. */
  readonly #capacities: Float64Array;
  /** The common part of the current batch, and the number of its remaining questions. */
  #batch: { readonly query: Question; left: number } | undefined;

  constructor(graph: ChannelGraph, build: KernelBuild, seed = 1) {
    this.#graph = graph;
    this.#kernel = Kernel.inProcess(graph, build);
    this.#random = seededRandom(seed, 0);
    this.#capacities = new Float64Array(graph.nodeCount);
    for (let channel = 0; channel < graph.channelCount; channel++) {
      for (const ends of [graph.node1, graph.node2])
        this.#capacities[ends[channel]!]! += Number(graph.capacityMsat[channel]!);
    }
    this.#kernel.ensureLayerSlots(LAYERS + 1);
    this.#kernel.reading(() => {
      for (const [index, entries] of ENTRIES.entries())
        for (let entry = 0; entry < entries; entry++) this.#change(index + 1);
    });
  }

  /** Asks the next `GROUP` questions. Returns the hash of their answers. */
  group(): string {
    const hash = createHash('sha256');
    for (let question = 0; question < GROUP; question++) hash.update(this.#ask());
    return hash.digest('base64url').slice(0, HASH_CHARS);
  }

  /** Asks one question, and returns its whole outcome. */
  #ask(): string {
    const kernel = this.#kernel;
    if (this.#chance(0.1))
      kernel.reading(() => this.#change(this.#chance(0.1) ? 0 : 1 + this.#below(LAYERS)));
    const query = this.#next();
    const before = [kernel.exports.nodesSettled(), kernel.exports.effortSpent()] as const;
    const outcome = solveRoute(kernel, query);
    const work = [kernel.exports.nodesSettled() - before[0], kernel.exports.effortSpent() - before[1]];
    return JSON.stringify([outcome, work], (_, value) => (typeof value === 'bigint' ? `${value}n` : value));
  }

  #next(): Question {
    const batch = this.#batch;
    if (batch !== undefined && batch.left-- > 0)
      return { ...batch.query, destination: this.#otherNode(batch.query.source) };
    const query = this.#query();
    const inBatch = this.#chance(0.05);
    this.#batch = inBatch ? { query: { ...query, inBatch }, left: 5 + this.#below(20) } : undefined;
    return query;
  }

  #query(): Question {
    const finalCltv = this.#of([0, 18, 18, 40, 144]);
    const slots = Array.from({ length: this.#of([0, 0, 1, 2, 4]) }, () => 1 + this.#below(LAYERS));
    const isFree = this.#chance(0.5);
    const names = slots.map((slot) => `layer ${slot}`);
    const source = this.#node();
    const destination = this.#otherNode(source);
    const amount = this.#amount(source, destination);
    return {
      source,
      destination,
      amountMsat: msat(BigInt(amount)),
      maxfeeMsat: msat(BigInt(this.#feeLimit(amount))),
      finalCltv,
      maxdelay: this.#of([2016, 2016, 2016, 1000, 500, 300, 150, 80]),
      maxparts: this.#of([1, 1, 2, 3, 10, 10, 100]),
      maxhops: this.#of([20, 20, 20, 20, 5, 3]),
      layerIds: isFree ? [...slots, SOURCEFREE_SLOT] : slots,
      layerNames: isFree ? [...names, 'auto.sourcefree'] : names,
      includeFees: this.#chance(0.05),
      ...(this.#chance(0.1) && {
        randomize: { seed: BigInt(this.#below(1 << 30)), spreadPpm: 350_000 },
      }),
      ...(this.#chance(0.15) && { knobs: this.#knobs() }),
      ...(this.#chance(0.5) && { remedies: this.#remedies() }),
    };
  }

  /** A random amount, msat. Half of the time it may need several parts, given the capacity of the ends. */
  #amount(source: NodeId, destination: NodeId): number {
    if (this.#chance(0.5)) return Math.round(10 ** (3 + 4.5 * this.#random()));
    const capacityOf = (node: NodeId): number => this.#capacities[this.#graph.nodeIndex(node)]!;
    const most = Math.min(capacityOf(source), capacityOf(destination));
    return Math.max(1, Math.round(most * 10 ** (-2.4 + 2 * this.#random())));
  }

  #feeLimit(amount: number): number {
    return Math.floor(
      this.#of(
        [0.01 * amount + 5000, 0.05 * amount, 1e-3, 2e-4, 2e-5, 0, 1e9].map((limit) =>
          limit > 0 && limit < 1 ? limit * amount : limit,
        ),
      ),
    );
  }

  #knobs(): Question['knobs'] {
    return {
      riskPpmPerNat: this.#of([0, 100, 1000, 10_000, 10_000_000]),
      riskBaseMsatPerNat: this.#of([0, 2000]),
      delayBillionthsPerBlock: this.#of([0, 1, 100]),
      partPpm: this.#of([0, 3]),
      partBaseMsat: this.#of([0, 10, 1000]),
    };
  }

  #remedies(): Question['remedies'] {
    if (this.#chance(0.5)) return ANY_REMEDY;
    return { ...ANY_REMEDY, parts: false, feeShare: { ppm: 10_000n, leastMsat: 5000n } };
  }

  /** Changes a layer's entry for a channel or a node. */
  #change(slot: number): void {
    switch (this.#kindOfChange(slot)) {
      case 'node': {
        const isGone = this.#chance(0.3);
        const cell = { disabled: this.#chance(0.3), inBias: this.#bias(), outBias: this.#bias() };
        this.#kernel.setNodeCell(slot, this.#node(), isGone ? undefined : cell);
        break;
      }
      case 'created':
        this.#create(slot);
        break;
      case 'channel': {
        const channel = this.#channel();
        const cell = this.#chance(0.1)
          ? undefined
          : this.#cell(slot === 0, this.#graph.capacityMsat[channel]!);
        this.#kernel.setChannelCell(slot, this.#graph.shortChannelIds[channel]!, cell);
      }
    }
  }

  /** The target of the change. Global reservations exist only for channels. */
  #kindOfChange(slot: number): 'channel' | 'node' | 'created' {
    if (slot === 0) return 'channel';
    if (this.#chance(0.1)) return 'node';
    return this.#chance(0.1) ? 'created' : 'channel';
  }

  /** Makes a layer create a channel between two existing nodes. */
  #create(slot: number): void {
    const ends = [this.#node(), this.#node()].sort();
    if (ends[0] === ends[1]) return;
    const capacityMsat = BigInt(Math.round(10 ** (7 + 4 * this.#random())));
    const update = {
      enabled: true,
      htlcMinimumMsat: 0n,
      htlcMaximumMsat: capacityMsat,
      feeBaseMsat: BigInt(this.#below(1000)),
      feeProportionalMillionths: this.#below(500),
      cltvExpiryDelta: this.#below(80),
    };
    const cell = this.#cell(false, capacityMsat);
    this.#kernel.setChannelCell(slot, shortChannelId(1 + this.#below(50), 7, 7), {
      ...cell,
      created: { node1: ends[0]!, node2: ends[1]!, capacityMsat },
      updates: [update, update],
    });
  }

  #cell(onlyReserves: boolean, capacityMsat: bigint): ChannelCell {
    const share = (): bigint => (capacityMsat * BigInt(this.#below(1000))) / 1000n;
    const reserved = (): bigint => (onlyReserves || this.#chance(0.3) ? share() : 0n);
    const reservedMsat = [reserved(), reserved()] as const;
    if (onlyReserves)
      return {
        updates: [undefined, undefined],
        bias: [0, 0],
        bounds: [IDENTITY_FOLD, IDENTITY_FOLD],
        reservedMsat,
      };
    const update = () =>
      this.#chance(0.3)
        ? { enabled: this.#chance(0.7), feeProportionalMillionths: this.#below(3000) }
        : undefined;
    const updates = [update(), update()] as const;
    const bias = [this.#bias(), this.#bias()] as const;
    const bounds = [this.#bounds(share), this.#bounds(share)] as const;
    const extra = this.#chance(0.05) && { extraHtlcCostMsat: [5000n, 5000n] as const };
    return { updates, bias, bounds, reservedMsat, ...extra };
  }

  #bounds(share: () => bigint): BoundsFold {
    if (this.#chance(0.4)) return IDENTITY_FOLD;
    const minLow = this.#chance(0.5) ? share() : 0n;
    const maxHigh = this.#chance(0.5) ? share() : AMOUNT_CAP_MSAT;
    return [{ minShift: 0n, minLow, minHigh: AMOUNT_CAP_MSAT, maxShift: 0n, maxLow: 0n, maxHigh }];
  }

  #bias(): number {
    return this.#of([0, 0, 0, -1, -10, -50, -100, 5, 100]);
  }

  /**
   * A random node: one time in ten any node, otherwise one that a usable direction leaves or enters. Such
   * nodes tend to be well connected.
   */
  #node(): NodeId {
    const { nodeCount, channelCount, policyFlags, node1, node2 } = this.#graph;
    if (this.#chance(0.1)) return this.#graph.nodeId(this.#below(nodeCount));
    let direction = 0;
    do direction = this.#below(2 * channelCount);
    while ((policyFlags[direction]! & POLICY_ENABLED) === 0);
    return this.#graph.nodeId((this.#chance(0.5) ? node1 : node2)[direction >> 1]!);
  }

  #otherNode(than: NodeId): NodeId {
    for (;;) {
      const node = this.#node();
      if (node !== than) return node;
    }
  }

  #channel(): number {
    return this.#below(this.#graph.channelCount);
  }

  #chance(probability: number): boolean {
    return this.#random() < probability;
  }

  #below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }

  #of<T>(choices: readonly T[]): T {
    return choices[this.#below(choices.length)]!;
  }
}
