/**
 * Searches read the arcs of large nodes in order of cost, and stop early (assembly/graph/order.ts). On random graphs
 * with such nodes, no answer costs more than the path that Dijkstra's algorithm finds here, from the destination, with
 * one label for each node, and reading every direction.
 *
 * Three hubs have channels with each other and with up to 70 leaves, whose channels may be parallel. A layer changes
 * some directions: their terms differ from those by which they are in order.
 */
import { describe, expect, it } from 'vitest';
import { pricesFor } from '../../../src/engine/question/objective.ts';
import { Kernel } from '../../../src/engine/solver/kernel.ts';
import { SOURCEFREE_SLOT } from '../../../src/engine/solver/kernel-layout.ts';
import { createSharedKernel, GraphPublisher } from '../../../src/engine/solver/kernel-memory.ts';
import { solveRoute } from '../../../src/engine/solver/solve-route.ts';
import { seededRandom } from '../../../src/gossip/random.ts';
import { IDENTITY_FOLD } from '../../../src/layers/bounds-fold.ts';
import { type Msat, msat } from '../../../src/model/msat.ts';
import { shortChannelId } from '../../../src/model/short-channel-id.ts';
import { nodeId, tinyGraph } from '../../reference/tiny-graph.ts';

const SEED = Number(process.env.FULGURITE_TEST_SEED ?? 1);
const RUNS = Number(process.env.FULGURITE_TEST_RUNS ?? 1);
const GRAPHS = 12 * RUNS;
const QUESTIONS = 40;
const HUBS = 3;
const LEAVES = 70;
const LAYER = 1;

/** One direction, with what searches read of it. */
interface Terms {
  readonly tail: number;
  readonly head: number;
  readonly capacity: number;
  feeBase: number;
  feePpm: number;
  readonly delay: number;
  readonly minimum: number;
  readonly maximum: number;
  isEnabled: boolean;
}

type Random = () => number;

const below = (random: Random, limit: number): number => Math.floor(random() * limit);
/** Uniform on a logarithmic scale, at least 1. */
const spread = (random: Random, most: number): number => Math.floor(most ** random());
const oneOf = <T>(random: Random, values: readonly T[]): T => values[below(random, values.length)]!;

function drawTerms(random: Random, tail: number, head: number, capacity: number): Terms {
  return {
    ...{ tail, head, capacity },
    feeBase: oneOf(random, [0, 0, 1, spread(random, 5000), 1000]),
    feePpm: oneOf(random, [0, 1, spread(random, 5000), spread(random, 5000)]),
    delay: oneOf(random, [0, 6, 40, 144]),
    minimum: oneOf(random, [0, 1, 1000, spread(random, 1e8)]),
    maximum: oneOf(random, [capacity, capacity, Math.floor(capacity * random())]),
    isEnabled: random() < 0.95,
  };
}

/** Both directions of each channel. */
function drawNetwork(random: Random): Terms[][] {
  const channels: Terms[][] = [];
  const add = (a: number, b: number) => {
    const capacity = 1000 * spread(random, 1e8);
    channels.push([drawTerms(random, a, b, capacity), drawTerms(random, b, a, capacity)]);
  };
  for (let hub = 0; hub < HUBS; hub++)
    for (let other = 0; other < hub; other++)
      for (let count = below(random, 12); count > 0; count--) add(hub, other);
  for (let leaf = HUBS; leaf < HUBS + LEAVES; leaf++)
    for (let count = 1 + below(random, 3); count > 0; count--) add(below(random, HUBS), leaf);
  for (let count = below(random, 30); count > 0; count--) {
    const [a, b] = [HUBS + below(random, LEAVES), HUBS + below(random, LEAVES)];
    if (a !== b) add(a, b);
  }
  return channels;
}

const written = ({ feeBase, feePpm, delay, minimum, maximum, isEnabled }: Terms): string =>
  `fee=${feeBase}+${feePpm} delay=${delay} min=${minimum}msat max=${maximum}msat${isEnabled ? '' : ' off'}`;

const lineOf = ([along, against]: readonly Terms[], index: number): string =>
  `${along!.tail}-${along!.head} ${index + 1}x1x1 cap=${along!.capacity}msat > ${written(along!)} < ${written(against!)}`;

/** The least cost of a path for `amount` msat, with one label for each node; Infinity if it finds none. */
function leastCost(
  directions: readonly Terms[],
  source: number,
  destination: number,
  amount: number,
  isSourceFree: boolean,
): number {
  const { riskPriceMsatPerNat, delayRate } = pricesFor(BigInt(amount));
  const labels = new Map([[destination, { cost: 0, amount }]]);
  const settled = new Set<number>();
  for (;;) {
    const open = [...labels].filter(([node]) => !settled.has(node));
    if (open.length === 0) return Number.POSITIVE_INFINITY;
    const [node, label] = open.reduce((a, b) => (b[1].cost < a[1].cost ? b : a));
    if (node === source) return label.cost;
    settled.add(node);
    for (const direction of directions) {
      const { tail, capacity } = direction;
      const x = label.amount;
      if (direction.head !== node || !direction.isEnabled || settled.has(tail)) continue;
      if (x < direction.minimum || x > direction.maximum || x > capacity) continue;
      const isFree = isSourceFree && tail === source;
      const [base, ppm, delay] = isFree ? [0, 0, 0] : [direction.feeBase, direction.feePpm, direction.delay];
      const risk = -Math.log1p(-x / (capacity + 1));
      const cost = label.cost + base + (x * ppm) / 1e6 + riskPriceMsatPerNat * risk + delayRate * x * delay;
      if (cost >= (labels.get(tail)?.cost ?? Number.POSITIVE_INFINITY)) continue;
      labels.set(tail, { cost, amount: x + base + Math.floor((x * ppm) / 1e6) });
    }
  }
}

/** Changes the fees of a twentieth of the channels, and disables some of their directions, in a layer. */
function changeSome(random: Random, kernel: Kernel, channels: Terms[][]): void {
  for (const [index, channel] of channels.entries()) {
    if (random() > 0.05) continue;
    for (const terms of channel) {
      terms.feeBase = oneOf(random, [0, spread(random, 5000)]);
      terms.feePpm = oneOf(random, [0, spread(random, 5000)]);
      terms.isEnabled = random() < 0.8;
    }
    // Direction 0 leaves the node with the smaller id.
    const sorted = [...channel].sort((a, b) => (nodeId(a.tail) < nodeId(b.tail) ? -1 : 1));
    const updates = sorted.map((terms) => ({
      enabled: terms.isEnabled,
      feeBaseMsat: BigInt(terms.feeBase),
      feeProportionalMillionths: terms.feePpm,
    }));
    kernel.setChannelCell(LAYER, shortChannelId(index + 1, 1, 1), {
      updates: [updates[0]!, updates[1]!],
      bias: [0, 0],
      bounds: [IDENTITY_FOLD, IDENTITY_FOLD],
      reservedMsat: [0n, 0n],
    });
  }
}

describe.each(['release', 'debug'] as const)('the %s build', (build) => {
  it('answers at the least cost where searches stop before they have read all arcs of a node', () => {
    const random = seededRandom(SEED, 0);
    let answered = 0;
    for (let run = 0; run < GRAPHS; run++) {
      const channels = drawNetwork(random);
      const { graph } = tinyGraph(channels.map(lineOf));
      const shared = createSharedKernel(build);
      new GraphPublisher(shared).publish(graph);
      const kernel = new Kernel(shared, 0);
      kernel.ensureLayerSlots(LAYER + 1);
      const hasLayer = random() < 0.6;
      if (hasLayer) kernel.reading(() => changeSome(random, kernel, channels));
      const terms = channels.flat();
      for (let question = 0; question < QUESTIONS; question++) {
        const [source, destination] = [below(random, HUBS + LEAVES), below(random, HUBS + LEAVES)];
        if (source === destination) continue;
        const amount = 1 + spread(random, 4e8);
        const isSourceFree = random() < 0.7;
        const least = leastCost(terms, source, destination, amount, isSourceFree);
        const outcome = solveRoute(kernel, {
          source: nodeId(source),
          destination: nodeId(destination),
          amountMsat: msat(BigInt(amount)) as Msat,
          maxfeeMsat: msat(10n ** 15n),
          finalCltv: 18,
          maxdelay: 100_000,
          maxparts: 1,
          maxhops: 20,
          layerIds: [...(hasLayer ? [LAYER] : []), ...(isSourceFree ? [SOURCEFREE_SLOT] : [])],
          layerNames: [],
          includeFees: false,
        });
        if (least === Number.POSITIVE_INFINITY) continue;
        answered++;
        expect('answer' in outcome, `graph ${run}, question ${question}`).toBe(true);
        expect(kernel.answerCost, `graph ${run}, question ${question}`).toBeLessThanOrEqual(
          least * (1 + 1e-6) + 1e-3,
        );
      }
    }
    expect(answered).toBeGreaterThan(GRAPHS * 10);
  });
});
