/**
 * A small world in which random steps happen: a graph, a layer book, and a kernel that follows both as a
 * worker does (feed, slots, publications). Any query can be compared with the reference rules, direction by
 * direction, and with a kernel that has no history.
 *
 * Ids, amounts and times come from short lists, so that steps interact: a layer creates a channel that gossip
 * also has, a node exists only in layers, a reserved direction vanishes, or two bounds are equal.
 */
import fc from 'fast-check';
import { LayerFeed } from '../../../src/engine/host/layer-feed.ts';
import { Kernel } from '../../../src/engine/solver/kernel.ts';
import {
  createSharedKernel,
  GraphPublisher,
  type KernelBuild,
} from '../../../src/engine/solver/kernel-memory.ts';
import { LayerSlots } from '../../../src/engine/solver/layer-slots.ts';
import type { EffectiveArc } from '../../../src/engine/solver/solution.ts';
import { baseGraphOf } from '../../../src/layers/base-graph.ts';
import { AMOUNT_CAP_MSAT } from '../../../src/layers/bounds-fold.ts';
import { effectiveDirection } from '../../../src/layers/combine.ts';
import type { Layer } from '../../../src/layers/layer.ts';
import { LayerBook, LEARNED_LAYER_ID, LOCAL_CHANNELS_LAYER_ID } from '../../../src/layers/layer-book.ts';
import { SOURCEFREE } from '../../../src/layers/resolved-layers.ts';
import { ChannelGraph } from '../../../src/model/channel-graph.ts';
import { msat } from '../../../src/model/msat.ts';
import { type NodeId, nodeIdToBytes } from '../../../src/model/node-id.ts';
import type { Policy, PolicyUpdate } from '../../../src/model/policy.ts';
import {
  type Direction,
  formatShortChannelIdDir,
  type ShortChannelId,
  shortChannelId,
} from '../../../src/model/short-channel-id.ts';
import { nodeId } from '../../reference/tiny-graph.ts';

const NODES = 7;
const CHANNELS = 9;
const LAYERS = 5;
/** The smallest base fee that does not fit in the kernel's records. Directions with this fee or more are unused. */
const BASE_BEYOND = 0xffffffffn;
const AMOUNTS = [0n, 1n, 400n, 1000n, 1001n, 700_000n, 1_000_000n, 2n ** 62n, 2n ** 63n, 2n ** 64n - 1n];
const BASES = [0n, 1n, 1000n, 0xfffffffen, 0xffffffffn, 2n ** 40n];

const SCIDS = Array.from({ length: CHANNELS }, (_, i) => shortChannelId(500 + i, i % 3, i % 2));
export const IDS = Array.from({ length: NODES }, (_, i) => nodeId(i));

const at = <T>(list: readonly T[], index: number): T => list[index % list.length]!;

/** One step. `kind` chooses what it does. The numbers select its operands from the lists. */
export interface Step {
  readonly kind: number;
  readonly layer: number;
  readonly channel: number;
  readonly node: number;
  readonly value: number;
  readonly flag: boolean;
}

export interface Query {
  /**
   * Numbers of layers; -1 for `auto.sourcefree`, -2 for our own channels, -3 for learned bounds. Layers that
   * do not exist are left out.
   */
  readonly layers: readonly number[];
  readonly source: number;
  readonly destination: number;
}

const NUMBERS = Array.from({ length: NODES }, (_, i) => i);
const small = fc.nat(1000);

export const steps = fc.array(
  fc.record({
    kind: small,
    layer: fc.nat(LAYERS - 1),
    channel: small,
    node: small,
    value: small,
    flag: fc.boolean(),
  }),
  { maxLength: 12, size: 'max' },
);

export const queries: fc.Arbitrary<Query> = fc
  .record({
    layers: fc.array(fc.integer({ min: -3, max: LAYERS - 1 }), { maxLength: 6 }),
    // Most queries use the same few ends, to show whether state left by one query changes the next.
    ends: fc.oneof(
      { weight: 3, arbitrary: fc.constant([0, 1]) },
      fc.shuffledSubarray(NUMBERS, { minLength: 2, maxLength: 2 }),
    ),
  })
  .map(({ layers, ends }) => ({ layers, source: ends[0]!, destination: ends[1]! }));

/** Rounds of steps, each followed by queries. */
export const histories = fc.array(
  fc.record({ steps, queries: fc.array(queries, { minLength: 1, maxLength: 5, size: 'max' }) }),
  { minLength: 1, maxLength: 12, size: 'max' },
);

type Action = (
  step: Step,
  layer: Layer,
  of: { shortChannelId: ShortChannelId; direction: Direction },
) => void;

export class World {
  #now = 1000;
  readonly book = new LayerBook(() => this.#now);
  readonly feed = new LayerFeed(this.book);
  readonly #graph = new ChannelGraph(16, 16);
  readonly #publisher: GraphPublisher;
  readonly #build: KernelBuild;
  readonly kernel: Kernel;
  readonly slots: LayerSlots;
  #at = -1;
  #published = -1;
  readonly #layers: (Layer | undefined)[] = Array.from({ length: LAYERS }, () => undefined);

  /** @param cacheBytes size of the memory for cached stacks; if given, the smallest layers are cached too */
  constructor(build: KernelBuild, cacheBytes?: number) {
    this.#build = build;
    for (const [index, scid] of SCIDS.slice(0, 5).entries()) this.#announce(scid, index);
    const shared = createSharedKernel(build);
    this.#publisher = new GraphPublisher(shared);
    this.#publish();
    this.kernel = new Kernel(shared, 0);
    if (cacheBytes !== undefined) this.kernel.exports.reserveShelves(cacheBytes, 1);
    this.slots = new LayerSlots(this.kernel);
  }

  /** Publishes the graph if it changed. The overlay must not be attached again to an unchanged one. */
  #publish(): void {
    if (this.#graph.version === this.#published) return;
    this.#publisher.publish(this.#graph);
    this.#published = this.#graph.version;
  }

  run(step: Step): void {
    const layer = this.#layers[step.layer] ?? this.book.createLayer(`${step.layer}`, false);
    this.#layers[step.layer] = layer;
    const of = { shortChannelId: at(SCIDS, step.channel), direction: (step.value & 1) as Direction };
    at(this.#actions, step.kind)(step, layer, of);
  }

  readonly #actions: readonly Action[] = [
    (step, layer, { shortChannelId: scid }) => {
      const [a, b] = [step.node % NODES, (step.node + 1 + (step.value % (NODES - 1))) % NODES];
      if (layer.createdChannel(scid) === undefined) {
        this.book.createChannel(layer, IDS[a]!, IDS[b]!, scid, msat(at(AMOUNTS, step.value)));
      }
    },
    (step, layer, of) => this.book.updateChannel(layer, of, { ...someFields(step), enabled: step.flag }),
    (step, layer, of) => this.book.updateChannel(layer, of, someFields(step)),
    (_, layer, of) => this.book.removeChannelUpdate(layer, of),
    (step, layer) => this.book.disableNode(layer, at(IDS, step.node)),
    (step, layer, of) => void this.book.biasChannel(layer, of, { ...someBias(step), relative: step.flag }),
    (step, layer) =>
      void this.book.biasNode(layer, at(IDS, step.node), step.flag ? 'in' : 'out', {
        ...someBias(step),
        relative: step.channel % 2 === 0,
      }),
    (step, layer, of) => {
      const amount = at([...AMOUNTS.slice(0, 8)], step.node);
      const inform = at(['constrained', 'unconstrained', 'succeeded'] as const, step.kind >> 4);
      void this.book.informChannel(layer, of, msat(amount), inform);
    },
    (step, layer, shortChannelIdDir) =>
      this.book.reserve(
        [{ shortChannelIdDir, amountMsat: msat(at(AMOUNTS, step.node % 7)), ...(step.flag && { layer }) }],
        'x',
      ),
    (step, layer) => {
      const held = [...this.book.reservations(step.flag ? layer : undefined)];
      if (held.length > 0) this.book.unreserve([at(held, step.value)]);
    },
    (step, layer) => {
      this.#now += 1;
      this.book.age(layer, BigInt(this.#now - (step.value % 4)));
    },
    (step, layer) => {
      this.book.removeLayer(layer);
      this.#layers[step.layer] = undefined;
    },
    (step) => this.book.learned.setBurden(at(IDS, step.node), step.value % 3),
    (step) => this.#refreshOwnChannels(step),
    (step) => this.#gossip(step),
    (step) => this.#gossip(step),
  ];

  #refreshOwnChannels(step: Step): void {
    const policy = {
      htlcMinimumMsat: msat(0),
      htlcMaximumMsat: msat(at(AMOUNTS, step.node)),
      feeBaseMsat: msat(at(BASES, step.value)),
      feeProportionalMillionths: 10,
      cltvExpiryDelta: 6,
    };
    const channels = SCIDS.slice(0, step.channel % 4).map((scid, index) => ({
      peerId: at(IDS.slice(1), step.node + index),
      shortChannelId: step.flag ? scid : shortChannelId(1, 1, index),
      capacityMsat: msat(1_000_000),
      spendableMsat: msat(600_000),
      receivableMsat: msat(300_000),
      theirMaxInFlightMsat: msat(at(AMOUNTS, step.value)),
      ourMaxInFlightMsat: msat(1_000_000),
      usable: step.value % 3 !== 0,
      localPolicy: policy,
      remotePolicy: step.value % 2 === 0 ? undefined : policy,
      openedByUs: step.flag,
      feeratePerKw: 3750,
    }));
    this.book.localChannels.refresh(IDS[0]!, channels);
  }

  /** Makes a channel appear, vanish or change its policy, and publishes the new graph. */
  #gossip(step: Step): void {
    const scid = at(SCIDS, step.channel);
    const known = this.#graph.channelIndex(scid);
    if (known >= 0 && step.value % 3 === 0) this.#graph.removeChannel(known);
    else {
      const channel = known >= 0 ? known : this.#addChannel(step, scid);
      this.#graph.setPolicy(channel, (step.value & 1) as Direction, {
        enabled: step.flag,
        htlcMinimumMsat: msat(at(AMOUNTS, step.node)),
        htlcMaximumMsat: msat(at(AMOUNTS, step.value)),
        feeBaseMsat: step.value,
        feeProportionalMillionths: step.node,
        cltvExpiryDelta: step.channel,
      });
    }
    if (step.kind % 2 === 0) this.#publish();
  }

  #addChannel(step: Step, scid: ShortChannelId): number {
    const ends = [step.node % NODES, (step.node + 1 + (step.value % (NODES - 1))) % NODES];
    const ids = ends.map((n) => IDS[n]!).sort();
    const [a, b] = ids.map((id) => this.#graph.internNode(nodeIdToBytes(id))) as [number, number];
    return this.#graph.addChannel(scid, a, b, msat(at([1000n, 1_000_000n, 700_001n], step.value)));
  }

  /** Announces a channel between node 0 or 1 and a different node, usable in both directions. */
  #announce(scid: ShortChannelId, index: number): void {
    const step = { kind: 0, layer: 0, channel: 7, node: index % 2, value: index + 1, flag: true };
    const channel = this.#addChannel(step, scid);
    for (const direction of [0, 1] as const) {
      this.#graph.setPolicy(channel, direction, {
        enabled: true,
        htlcMinimumMsat: msat(0n),
        htlcMaximumMsat: msat(1_000_000n),
        feeBaseMsat: 10 + index,
        feeProportionalMillionths: 20 + index,
        cltvExpiryDelta: 6,
      });
    }
  }

  layerIds(query: Query): number[] {
    return query.layers.flatMap((layer) => {
      if (layer === -1) return [SOURCEFREE];
      if (layer === -2) return [LOCAL_CHANNELS_LAYER_ID];
      if (layer === -3) return [LEARNED_LAYER_ID];
      const id = this.#layers[layer]?.id;
      return id === undefined ? [] : [id];
    });
  }

  /**
   * Brings the kernel up to date. With `fromNothing`, it starts empty, as a replacement worker does.
   * @param named the layers that the next query names. Default: all layers.
   */
  deliver(fromNothing = false, named?: readonly number[]): void {
    this.#publish();
    const delta = this.feed.since(fromNothing ? -1 : this.#at, named);
    if (!this.kernel.reading(() => this.slots.apply(delta)))
      throw new Error('the delta does not follow the last one');
    this.#at = delta.to;
    this.feed.trim(delta.to);
  }

  /** The directions of the kernel under the query, by name. */
  kernelView(query: Query): View | undefined {
    return viewOf(this.kernel, this.slots.resolve(this.layerIds(query), []).layerIds, query);
  }

  /**
   * The nodes along the kernel's path of fewest hops; empty if the ends are not connected or an end is
   * unknown.
   */
  fewestHops(query: Query): string[] {
    const { layerIds: stack } = this.slots.resolve(this.layerIds(query), []);
    return this.kernel.reading(() => {
      this.kernel.applyStack(stack);
      const [source, destination] = endsOf(this.kernel, query);
      if (source === undefined || destination === undefined) return [];
      this.kernel.exports.applyEnds(source, destination);
      const arcs = this.kernel.fewestHopPath(source, destination).map((arc) => this.kernel.arc(arc));
      const nodes = [...arcs.map(({ tail }) => tail), ...arcs.slice(-1).map(({ head }) => head)];
      if (arcs.some(({ head }, hop) => head !== nodes[hop + 1])) throw new Error('a path with a gap');
      return nodes.map((node) => this.kernel.nodeId(node));
    });
  }

  /**
   * The kernel's answer to the query at the given price of risk: status, and cost of its part. Undefined if
   * an end is unknown.
   */
  solved(query: Query, amountMsat: bigint): string | undefined {
    return solvedBy(this.kernel, this.slots.resolve(this.layerIds(query), []).layerIds, query, amountMsat);
  }

  /** The answer of a kernel without history. */
  solvedAfresh(query: Query, amountMsat: bigint): string | undefined {
    const { kernel, slots } = this.freshKernel();
    return solvedBy(kernel, slots.resolve(this.layerIds(query), []).layerIds, query, amountMsat);
  }

  /** Forgets every layer, reservation and own channel. */
  forgetAll(): void {
    for (const layer of [...this.book.layers()]) this.book.removeLayer(layer);
    this.book.unreserveAll();
    this.book.localChannels.refresh(IDS[0]!, []);
    for (const id of IDS) this.book.learned.setBurden(id, 0);
    this.#layers.fill(undefined);
  }

  freshKernel(): { kernel: Kernel; slots: LayerSlots } {
    const kernel = Kernel.inProcess(this.#graph, this.#build);
    const slots = new LayerSlots(kernel);
    kernel.reading(() => slots.apply(this.feed.since(-1)));
    kernel.reading(() => kernel.applyStack([]));
    return { kernel, slots };
  }

  /** The directions according to the reference rules, by name. */
  referenceView(query: Query): View {
    const source = IDS[query.source]!;
    const ends = { source, destination: IDS[query.destination]! };
    const layerIds = this.layerIds(query);
    const burdens = layerIds.includes(LEARNED_LAYER_ID) ? this.book.learned : undefined;
    const view: View = new Map();
    for (const scid of new Set<ShortChannelId>([...SCIDS, ...this.book.localChannels.channelIds()])) {
      for (const direction of [0, 1] as const) {
        const of = { shortChannelId: scid, direction };
        const it = effectiveDirection(baseGraphOf(this.#graph), this.book, layerIds, ends, of);
        if (it === undefined) continue;
        view.set(formatShortChannelIdDir(of), {
          ...policyOf(it.policy),
          enabled: it.enabled && it.policy.feeBaseMsat < BASE_BEYOND,
          nodeFrom: it.nodeFrom,
          nodeTo: it.nodeTo,
          minMsat: it.minMsat,
          maxMsat: it.maxMsat,
          bias: it.bias,
          burden: burdens?.nodeCell(it.nodeFrom)?.burden ?? 0,
        });
      }
    }
    return view;
  }
}

/** An arc in the terms of the reference. */
function described(kernel: Kernel, arc: EffectiveArc): Described {
  return {
    ...policyOf({ ...arc, feeBaseMsat: BigInt(arc.feeBaseMsat) }),
    nodeFrom: kernel.nodeId(arc.tail),
    nodeTo: kernel.nodeId(arc.head),
    minMsat: arc.minMsat,
    maxMsat: arc.maxMsat,
    bias: biasOf(arc.factor),
    burden: kernel.exports.burdenOf(arc.tail),
  };
}

/** Directions by name. */
export type View = Map<string, Described>;

/** A direction in comparable form. */
export interface Described extends Policy<bigint> {
  readonly nodeFrom: NodeId;
  readonly nodeTo: NodeId;
  readonly minMsat: bigint;
  readonly maxMsat: bigint;
  readonly bias: number;
  /** Level of the burden of the direction's source, `nodeFrom`. */
  readonly burden: number;
}

const atMost = (limit: bigint, amount: bigint): bigint => (amount < limit ? amount : limit);

/** The fields of a policy, as far as the kernel can hold them. */
function policyOf(policy: Policy<bigint>): Policy<bigint> {
  return {
    enabled: policy.enabled,
    htlcMinimumMsat: atMost(AMOUNT_CAP_MSAT, policy.htlcMinimumMsat),
    htlcMaximumMsat: atMost(AMOUNT_CAP_MSAT, policy.htlcMaximumMsat),
    feeBaseMsat: atMost(BASE_BEYOND, policy.feeBaseMsat),
    feeProportionalMillionths: policy.feeProportionalMillionths,
    cltvExpiryDelta: policy.cltvExpiryDelta,
  };
}

/** A bias of ±100 changes the cost of a direction by a factor of 30: factor = 30^(-bias/100). */
function biasOf(factor: number): number {
  const bias = (-100 * Math.log(factor)) / Math.log(30);
  if (Math.abs(bias - Math.round(bias)) > 1e-4) throw new Error(`no bias has the factor ${factor}`);
  return Math.round(bias) + 0;
}

function someFields({ channel, node, value }: Step): PolicyUpdate {
  const fields: PolicyUpdate = {
    htlcMinimumMsat: at(AMOUNTS, node),
    htlcMaximumMsat: at(AMOUNTS, value),
    feeBaseMsat: at(BASES, node),
    feeProportionalMillionths: value,
    cltvExpiryDelta: node,
  };
  return Object.fromEntries(Object.entries(fields).filter((_, bit) => (channel >> bit) & 1));
}

/** The kernel's numbers of the query's ends; undefined for a node that has no channel. */
function endsOf(kernel: Kernel, { source, destination }: Query): [number | undefined, number | undefined] {
  return [kernel.nodeIndex(IDS[source]!), kernel.nodeIndex(IDS[destination]!)];
}

const someBias = ({ value }: Step) => ({ bias: (value % 201) - 100, description: undefined });

/**
 * Every direction of the kernel under a stack, found from each of its two ends. Undefined if an end of the
 * query is unknown.
 */
function viewOf(kernel: Kernel, stack: readonly number[], query: Query): View | undefined {
  return kernel.reading(() => {
    kernel.applyStack(stack);
    const [source, destination] = endsOf(kernel, query);
    if (source === undefined || destination === undefined) return undefined;
    kernel.exports.applyEnds(source, destination);
    const leaving = arcsByName(kernel, true);
    const entering = arcsByName(kernel, false);
    if (String([...leaving.keys()].sort()) !== String([...entering.keys()].sort())) {
      throw new Error('an arc hangs at one end only');
    }
    return leaving;
  });
}

/**
 * One part over the cheapest path. Its cost is the optimum, so it does not depend on the choice between equal
 * paths.
 */
function solvedBy(
  kernel: Kernel,
  stack: readonly number[],
  query: Query,
  amountMsat: bigint,
): string | undefined {
  return kernel.reading(() => {
    kernel.applyStack(stack);
    const [source, destination] = endsOf(kernel, query);
    if (source === undefined || destination === undefined) return undefined;
    const limits = { maxfeeMsat: 2n ** 61n, maxPathDelay: 2016, maxparts: 1, maxhops: 20 };
    const { status, parts } = kernel.solve({ source, destination, amountMsat, ...limits });
    const terms = parts.flatMap(({ arcs }) => arcs.map((arc) => kernel.arc(arc)));
    const sent = terms.reduceRight(
      (out, { feeBaseMsat, feeProportionalMillionths }) =>
        out + BigInt(feeBaseMsat) + (out * BigInt(feeProportionalMillionths)) / 1_000_000n,
      amountMsat,
    );
    // The rank of a biased direction depends on more than its fee. In that case only success can be compared.
    const isBiased = terms.some(({ factor }) => factor !== 1);
    return status === 'ok' ? `ok ${isBiased ? '' : sent}` : status;
  });
}

function arcsByName(kernel: Kernel, leaving: boolean): View {
  const arcs: View = new Map();
  for (const id of IDS) {
    const node = kernel.nodeIndex(id);
    if (node === undefined) continue;
    for (const arc of kernel.arcsOf(node, leaving)) {
      const terms = kernel.arc(arc);
      if (terms[leaving ? 'tail' : 'head'] !== node) throw new Error('an arc hangs at the wrong node');
      arcs.set(formatShortChannelIdDir(terms), described(kernel, terms));
    }
  }
  return arcs;
}
