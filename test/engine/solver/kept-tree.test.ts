/**
 * The tree of lower bounds from a source outlives its search (assembly/solve/path/kept-tree.ts). Regardless
 * of what changes between two questions, a kernel with such a tree gives the same answers as a kernel without
 * history.
 */
import { describe, expect, it } from 'vitest';
import { LayerFeed } from '../../../src/engine/host/layer-feed.ts';
import { Kernel } from '../../../src/engine/solver/kernel.ts';
import { SOURCEFREE_SLOT } from '../../../src/engine/solver/kernel-layout.ts';
import {
  createSharedKernel,
  GraphPublisher,
  type KernelBuild,
} from '../../../src/engine/solver/kernel-memory.ts';
import { LayerSlots } from '../../../src/engine/solver/layer-slots.ts';
import { seededRandom } from '../../../src/gossip/random.ts';
import { generateSyntheticGraph } from '../../../src/gossip/synthetic.ts';
import { LayerBook } from '../../../src/layers/layer-book.ts';
import type { ChannelGraph } from '../../../src/model/channel-graph.ts';
import { msat } from '../../../src/model/msat.ts';
import type { NodeId } from '../../../src/model/node-id.ts';
import {
  parseShortChannelId,
  type ShortChannelId,
  shortChannelId,
} from '../../../src/model/short-channel-id.ts';
import { nodeNamed, tinyGraph } from '../../reference/tiny-graph.ts';

const SEED = Number(process.env.FULGURITE_TEST_SEED ?? 1);

/** A question with the kernel's prices and the numbers of the applied layers. */
interface Asked {
  readonly source: NodeId;
  readonly destination: NodeId;
  readonly amountMsat: bigint;
  readonly maxfeeMsat: bigint;
  readonly maxPathDelay: number;
  readonly maxparts: number;
  readonly maxhops: number;
  readonly layers: readonly number[];
  readonly isSourceFree: boolean;
  /** The prices w, R and D (assembly/solve/question/prices.ts). */
  readonly prices: readonly [number, number, number];
  /** Whether the question stands alone, outside a batch, so that no tree is kept. */
  readonly isAlone?: boolean;
  /** Seed of the noise, whose width is 0.9; undefined for none. */
  readonly noise?: bigint;
}

const PLAIN: Asked = {
  source: nodeNamed('A'),
  destination: nodeNamed('D'),
  amountMsat: 1_000_000n,
  maxfeeMsat: 10n ** 9n,
  maxPathDelay: 5000,
  maxparts: 1,
  maxhops: 20,
  layers: [0, 1],
  isSourceFree: false,
  prices: [1, 0, 0],
};

/** A graph, three layers, and a kernel that follows their changes. */
class Subject {
  readonly #build: KernelBuild;
  readonly #publisher: GraphPublisher;
  readonly book = new LayerBook(() => 1000);
  readonly layers = ['a', 'b', 'c'].map((name) => this.book.createLayer(name, false));
  readonly #feed = new LayerFeed(this.book);
  readonly kernel: Kernel;
  readonly #slots: LayerSlots;
  #at = -1;
  #graph: ChannelGraph;

  constructor(build: KernelBuild, graph: ChannelGraph) {
    this.#build = build;
    const shared = createSharedKernel(build);
    this.#publisher = new GraphPublisher(shared);
    this.#graph = graph;
    this.#publisher.publish(graph);
    this.kernel = new Kernel(shared, 0);
    this.#slots = new LayerSlots(this.kernel);
  }

  publish(graph: ChannelGraph): void {
    this.#graph = graph;
    this.#publisher.publish(graph);
  }

  /** The kernel's answer, and the nodes of its parts. */
  ask(asked: Asked): object {
    const delta = this.#feed.since(this.#at);
    this.kernel.reading(() => this.#slots.apply(delta));
    this.#at = delta.to;
    return this.#answer(this.kernel, this.#slots, asked);
  }

  /** The answer of a kernel without earlier questions, and the nodes of its parts. */
  askAfresh(asked: Asked): object {
    const kernel = Kernel.inProcess(this.#graph, this.#build);
    const slots = new LayerSlots(kernel);
    kernel.reading(() => slots.apply(this.#feed.since(-1)));
    return this.#answer(kernel, slots, asked);
  }

  #answer(kernel: Kernel, slots: LayerSlots, asked: Asked): object {
    return kernel.reading(() => {
      const { layerIds: stack } = slots.resolve(
        asked.layers.map((layer) => this.layers[layer]!.id),
        [],
      );
      kernel.applyStack(asked.isSourceFree ? [...stack, SOURCEFREE_SLOT] : stack);
      const [source, destination] = [kernel.nodeIndex(asked.source), kernel.nodeIndex(asked.destination)];
      if (source === undefined || destination === undefined) return {};
      kernel.exports.setEffort(Number.POSITIVE_INFINITY);
      const [feeWeight, riskPrice, delayRate] = asked.prices;
      const { status, parts } = kernel.solve({
        ...asked,
        source,
        destination,
        ...{ feeWeight, riskPrice, delayRate },
        ...(asked.noise !== undefined && { noiseSeed: asked.noise, noiseSpread: 0.9 }),
        inBatch: asked.isAlone !== true,
      });
      // The paths are not part of the result: if two paths have the same cost, either may be returned.
      return { status, costMsat: Math.round(kernel.answerCost * 1e3), parts: parts.length };
    });
  }

  /** Number of steps that the kernel takes for a question. */
  stepsFor(asked: Asked): number {
    const before = this.kernel.effort;
    this.ask(asked);
    return this.kernel.effort - before;
  }
}

/**
 *       ┌── B ──┐
 *   A ──┤       ├── D      through B for 5,000 msat; through C for 20,000, all of it the fee of A-C
 *       └── C ──┘
 */
const LINES = {
  'A-B': '',
  'B-D': 'fee=5000+0',
  'A-C': 'fee=0+20000',
  'C-D': '',
  'E-B': '< off',
  'E-C': '< off',
};
type Lines = Readonly<Record<string, string>>;

const world = (lines: Lines = {}): ChannelGraph =>
  tinyGraph(Object.entries({ ...LINES, ...lines }).map(([ends, words]) => `${ends} fee=0+0 ${words}`)).graph;

/** The direction from A to C. */
const A_TO_C = (() => {
  const scid = parseShortChannelId('2x2x2') as ShortChannelId;
  return { shortChannelId: scid, direction: nodeNamed('A') < nodeNamed('C') ? 0 : 1 } as const;
})();
/** With this capacity, 1,000 sat cost 4.6 nats. */
const RISKY = 'cap=1010sat';

interface Change {
  readonly name: string;
  readonly lines?: Lines;
  /** The question that is asked first, several times. */
  readonly first?: Partial<Asked>;
  readonly prepare?: (subject: Subject) => void;
  readonly change?: (subject: Subject) => void;
  /** The question whose answer is compared. */
  readonly last?: Partial<Asked>;
}

/** Changes after each of which the path through C is cheaper, or the only one. */
const CHANGES: readonly Change[] = [
  {
    name: 'a layer changes a channel',
    change: ({ book, layers }) => book.updateChannel(layers[0]!, A_TO_C, { feeProportionalMillionths: 0 }),
  },
  {
    name: 'a layer favours a node',
    change: ({ book, layers }) =>
      void book.biasNode(layers[0]!, nodeNamed('C'), 'in', {
        bias: 100,
        description: undefined,
        relative: false,
      }),
  },
  {
    name: 'a layer creates a channel',
    change: ({ book, layers }) => {
      const scid = shortChannelId(900, 1, 1);
      book.createChannel(layers[0]!, nodeNamed('A'), nodeNamed('D'), scid, msat(10n ** 9n));
      for (const direction of [0, 1] as const)
        book.updateChannel(
          layers[0]!,
          { shortChannelId: scid, direction },
          {
            enabled: true,
            htlcMinimumMsat: 0n,
            htlcMaximumMsat: 10n ** 9n,
            feeBaseMsat: 1n,
            feeProportionalMillionths: 0,
            cltvExpiryDelta: 6,
          },
        );
    },
  },
  {
    name: 'a layer that disables a node is left out',
    lines: { 'A-C': '' },
    prepare: ({ book, layers }) => book.disableNode(layers[1]!, nodeNamed('C')),
    last: { layers: [0] },
  },
  {
    name: 'a layer is applied that was not',
    prepare: ({ book, layers }) => book.updateChannel(layers[2]!, A_TO_C, { feeProportionalMillionths: 0 }),
    last: { layers: [0, 1, 2] },
  },
  {
    name: 'a reservation ends',
    lines: { 'A-C': '' },
    prepare: ({ book }) => book.reserve([{ shortChannelIdDir: A_TO_C, amountMsat: msat(10n ** 9n) }], 'x'),
    change: ({ book }) => book.unreserveAll(),
  },
  { name: 'the source pays no fees of its own', last: { isSourceFree: true } },
  { name: 'a graph is published', change: (subject) => subject.publish(world({ 'A-C': '' })) },
  { name: 'another source asks', last: { source: nodeNamed('E') } },
  { name: 'a smaller amount is asked for', last: { amountMsat: 100_000n } },
  {
    name: 'risk is cheaper',
    lines: { 'A-C': RISKY },
    first: { prices: [1, 10_000, 0] },
    last: { prices: [1, 10, 0] },
  },
  {
    name: 'delay is cheaper',
    lines: { 'A-C': 'delay=2000' },
    first: { prices: [1, 0, 1e-5] },
    last: { prices: [1, 0, 1e-9] },
  },
  {
    name: 'fees count less',
    lines: { 'B-D': RISKY },
    first: { prices: [1, 1100, 0] },
    last: { prices: [0.1, 1100, 0] },
  },
  {
    name: 'only fees count',
    lines: { 'A-C': RISKY },
    first: { prices: [1, 10_000, 0] },
    last: { prices: [1, 10_000, 0], maxfeeMsat: 0n },
  },
  {
    name: 'only fees count, without biases',
    lines: { 'A-C': 'fee=1000+0' },
    prepare: ({ book, layers }) =>
      void book.biasNode(layers[0]!, nodeNamed('C'), 'in', {
        bias: -100,
        description: undefined,
        relative: false,
      }),
    last: { maxfeeMsat: 2000n },
  },
  {
    name: 'a limit on delay is lifted',
    lines: { 'A-C': 'fee=1000+0 delay=500' },
    first: { maxPathDelay: 300 },
  },
  {
    name: 'a limit on hops is lifted',
    lines: { 'A-B': 'fee=3000+0', 'A-C': 'fee=4000+0', 'C-D': 'off', 'E-C': '', 'E-D': '' },
    first: { maxhops: 2 },
  },
];

describe.each(['release', 'debug'] as const)('the %s build', (build) => {
  it.each(CHANGES)('keeps no tree when $name', ({ lines, first = {}, prepare, change, last = {} }) => {
    const subject = new Subject(build, world(lines));
    prepare?.(subject);
    const before = { ...PLAIN, ...first };
    const after = { ...PLAIN, ...last };
    for (let i = 0; i < 4; i++) subject.ask(before);
    const answer = subject.ask(before);
    change?.(subject);
    const expected = subject.askAfresh(after);
    expect(expected, 'the change matters').not.toEqual(answer);
    expect(expected).toMatchObject({ status: 'ok' });
    expect(subject.ask(after)).toEqual(expected);
  });

  it('keeps no tree between questions if either of them uses noise', () => {
    const subject = new Subject(build, world({ 'A-C': 'fee=6000+0' }));
    const costs = new Set<string>();
    for (let seed = 0n; seed < 20n; seed++) {
      for (let i = 0; i < 3; i++) subject.ask(PLAIN);
      const expected = subject.askAfresh({ ...PLAIN, noise: seed });
      for (let i = 0; i < 3; i++) expect(subject.ask({ ...PLAIN, noise: seed })).toEqual(expected);
      expect(subject.ask(PLAIN)).toEqual(subject.askAfresh(PLAIN));
      costs.add(JSON.stringify(expected));
    }
    expect(costs.size).toBeGreaterThan(1);
  });

  it('does less work for further amounts from the same source', () => {
    const graph = generateSyntheticGraph({ nodeCount: 400, seed: 1 });
    const subject = new Subject(build, graph);
    const batch = Array.from({ length: 50 }, (_, i) => ({
      ...between(graph, 7, 20 + 7 * i),
      amountMsat: 10_000n,
    }));
    const kept = batch.reduce((steps, asked) => steps + subject.stepsFor(asked), 0);
    // A different amount for each question.
    const apart = batch.reduce(
      (steps, asked, i) => steps + subject.stepsFor({ ...asked, amountMsat: 10_001n + BigInt(i) }),
      0,
    );
    expect(kept).toBeLessThan(0.85 * apart);
  });

  it('takes the same number of steps for a single question, regardless of earlier questions', () => {
    const graph = generateSyntheticGraph({ nodeCount: 400, seed: 1 });
    const subject = new Subject(build, graph);
    const asked = { ...between(graph, 7, 90), amountMsat: 10_000n };
    const alone = { ...asked, isAlone: true };
    const first = subject.stepsFor(alone);
    // If this tree were kept, the next question would take fewer steps.
    expect(subject.stepsFor(alone)).toBe(first);
    subject.stepsFor(asked);
    subject.stepsFor(asked);
    expect(subject.stepsFor(asked)).toBeLessThan(first);
    expect(subject.stepsFor(alone)).toBe(first);
  });

  it('answers batches from one source like a kernel without history, for any events in between', () => {
    const random = seededRandom(SEED, 0);
    const drawn = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
    const graph = generateSyntheticGraph({ nodeCount: 120, seed: 2 });
    const subject = new Subject(build, graph);
    const statuses = new Map<string, number>();
    for (let batch = 0; batch < 15; batch++) {
      const amountMsat = BigInt(Math.floor(10 ** (3 + 7 * random())));
      const common = {
        ...between(graph, drawn([3, 11, 30]), 0),
        layers: drawn([[], [0], [0, 1, 2], [2, 1]]),
      };
      const prices = drawn([
        [1, 2000, 1e-9],
        [1, 0, 0],
        [1, 100_000, 1e-7],
      ] as const);
      for (let i = 0; i < 12; i++) {
        if (random() < 0.25) happen(subject, graph, drawn, random);
        const { destination } = between(graph, 0, Math.floor(random() * graph.channelCount));
        const asked: Asked = {
          ...common,
          destination,
          prices,
          amountMsat: random() < 0.85 ? amountMsat : amountMsat / drawn([2n, 3n]),
          maxfeeMsat: drawn([amountMsat, amountMsat / 100n + 5000n, amountMsat / 1000n]),
          maxPathDelay: drawn([2016, 2016, 400, 200]),
          maxparts: drawn([1, 3, 20]),
          isSourceFree: batch % 2 === 0,
          ...(random() < 0.1 && { noise: BigInt(i) }),
        };
        if (asked.source === destination) continue;
        const answer = subject.ask(asked);
        expect(answer, `seed ${SEED}, batch ${batch}, question ${i}`).toEqual(subject.askAfresh(asked));
        const status = 'status' in answer ? String(answer.status) : 'unknown';
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    }
    expect(statuses.get('ok')).toBeGreaterThan(100);
    expect(statuses.size).toBeGreaterThan(1);
  }, 60_000);
});

/** A question from the first node of one channel to the first node of a second channel. */
function between(graph: ChannelGraph, from: number, to: number): Asked {
  const end = (place: number) => graph.nodeId(graph.node1[place % graph.channelCount]!);
  return { ...PLAIN, source: end(from), destination: end(to), layers: [], prices: [1, 2000, 1e-9] };
}

/** A change of something on which a tree depends: a layer, a reservation, or the published graph. */
function happen(
  subject: Subject,
  graph: ChannelGraph,
  drawn: <T>(list: readonly T[]) => T,
  random: () => number,
): void {
  const { book } = subject;
  const layer = drawn(subject.layers);
  const channel = Math.floor(random() * graph.channelCount);
  const of = {
    shortChannelId: graph.shortChannelIds[channel] as ShortChannelId,
    direction: drawn([0, 1] as const),
  };
  const node = graph.nodeId(graph.node1[channel]!);
  const amount = msat(BigInt(Math.floor(10 ** (3 + 6 * random()))));
  const bias = { bias: drawn([-100, -20, 30, 100]), description: undefined, relative: false };
  drawn([
    () => void book.biasChannel(layer, of, bias),
    () => void book.biasNode(layer, node, drawn(['in', 'out'] as const), bias),
    () => void book.informChannel(layer, of, amount, 'constrained'),
    () => book.updateChannel(layer, of, { enabled: random() < 0.7, feeBaseMsat: amount % 5000n }),
    () => book.disableNode(layer, node),
    () => book.reserve([{ shortChannelIdDir: of, amountMsat: amount }], 'x'),
    () => book.unreserveAll(),
    () => subject.publish(graph),
  ])();
}
