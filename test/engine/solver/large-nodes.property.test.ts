/**
 * Searches read the arcs of large nodes in order of cost, and stop early (assembly/graph/order.ts). On random graphs
 * with such nodes, no answer costs more than the path that Dijkstra's algorithm finds here, from the destination, with
 * one label for each node, and reading every direction. Questions have uniform or learned odds, some have noise, and each
 * is also asked under the lowest limit on fees that this algorithm can keep.
 *
 * Three hubs have channels with each other and with up to 70 leaves, whose channels may be parallel. A layer changes
 * some directions: their terms, bounds and biases differ from those by which they are in order.
 */
import { describe, expect, it } from 'vitest';
import { pricesFor } from '../../../src/engine/question/objective.ts';
import { Kernel } from '../../../src/engine/solver/kernel.ts';
import { SOURCEFREE_SLOT } from '../../../src/engine/solver/kernel-layout.ts';
import { createSharedKernel, GraphPublisher } from '../../../src/engine/solver/kernel-memory.ts';
import { solveRoute } from '../../../src/engine/solver/solve-route.ts';
import { seededRandom } from '../../../src/gossip/random.ts';
import { exactly } from '../../../src/layers/bounds-fold.ts';
import { type DirectionClass, directionClass } from '../../../src/layers/direction-class.ts';
import { ODDS_CELLS, ODDS_LEVELS, type OddsTable, oddsTable } from '../../../src/layers/learned-odds.ts';
import type { ChannelGraph } from '../../../src/model/channel-graph.ts';
import { type Msat, msat } from '../../../src/model/msat.ts';
import { type Direction, shortChannelId } from '../../../src/model/short-channel-id.ts';
import { nodeId, tinyGraph } from '../../reference/tiny-graph.ts';

const SEED = Number(process.env.FULGURITE_TEST_SEED ?? 1);
const RUNS = Number(process.env.FULGURITE_TEST_RUNS ?? 1);
const GRAPHS = 12 * RUNS;
const QUESTIONS = 40;
const HUBS = 3;
const LEAVES = 70;
const LAYER = 1;
const SPREAD = 0.35;

/** One direction, with what searches read of it. */
interface Terms {
  readonly channel: number;
  readonly tail: number;
  readonly head: number;
  readonly capacity: number;
  feeBase: number;
  feePpm: number;
  readonly delay: number;
  readonly minimum: number;
  readonly maximum: number;
  isEnabled: boolean;
  /** Known bounds of what it can pass, msat. */
  least: number;
  most: number;
  bias: number;
}

type Random = () => number;

const below = (random: Random, limit: number): number => Math.floor(random() * limit);
/** Uniform on a logarithmic scale, at least 1. */
const spread = (random: Random, most: number): number => Math.floor(most ** random());
const oneOf = <T>(random: Random, values: readonly T[]): T => values[below(random, values.length)]!;

function drawTerms(
  random: Random,
  channel: number,
  tail: number,
  head: number,
  capacity: number,
  leastBase: number,
): Terms {
  return {
    ...{ channel, tail, head, capacity, least: 0, most: capacity, bias: 0 },
    feeBase: leastBase + oneOf(random, [0, 0, 1, spread(random, 5000), 1000]),
    feePpm: oneOf(random, [0, 1, spread(random, 5000), spread(random, 5000)]),
    delay: oneOf(random, [0, 6, 40, 144]),
    minimum: oneOf(random, [0, 1, 1000, spread(random, 1e8)]),
    maximum: oneOf(random, [capacity, capacity, Math.floor(capacity * random())]),
    isEnabled: random() < 0.95,
  };
}

/** Both directions of each channel. In half of the networks no direction is free. */
function drawNetwork(random: Random): Terms[][] {
  const channels: Terms[][] = [];
  const leastBase = oneOf(random, [0, 500]);
  const add = (a: number, b: number) => {
    const capacity = 1000 * spread(random, 1e8);
    const channel = channels.length;
    channels.push([
      drawTerms(random, channel, a, b, capacity, leastBase),
      drawTerms(random, channel, b, a, capacity, leastBase),
    ]);
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

const idOf = (channel: number) => shortChannelId(channel + 1, 1, 1);
/** Direction 0 leaves the node with the smaller id. */
const sideOf = ({ tail, head }: Terms): Direction => (nodeId(tail) < nodeId(head) ? 0 : 1);

/** What a question is priced with. */
interface Prices {
  readonly deliver: number;
  readonly odds: OddsTable | undefined;
  /** The number that the noise draws for a direction, from -1 to 1; 0 without noise. */
  readonly noise: (terms: Terms) => number;
  readonly burdens: ReadonlyMap<number, number>;
  readonly classOf: (terms: Terms) => DirectionClass;
}

/** A random table. In each class, some directions can send next to nothing, and the others are more or less full. */
function drawOdds(random: Random): OddsTable {
  return oddsTable(oneOf(random, [0, 0.02 * random()]), () => {
    const empty = oneOf(random, [0, 0, random() ** 2]);
    const [speed, power] = [spread(random, 300), 0.5 + 3 * random()];
    return Float64Array.from({ length: ODDS_CELLS + 1 }, (_, cell) => {
      const share = cell / ODDS_CELLS;
      return (1 - empty) * (1 - share ** power) + empty * Math.exp(-speed * share);
    });
  });
}

/** The value of a curve of the table at a share of the capacity. */
function curveAt(odds: OddsTable, curve: number, share: number): number {
  const place = Math.min(share, 1) * ODDS_CELLS;
  const cell = Math.min(Math.floor(place), ODDS_CELLS - 1);
  const at = ODDS_LEVELS + curve * (ODDS_CELLS + 1) + cell;
  return odds[at]! + (odds[at + 1]! - odds[at]!) * (place - cell);
}

/** The risk of a direction that carries `amount` msat, nats. */
function riskOf(terms: Terms, amount: number, { odds, burdens, classOf }: Prices): number {
  const { least, most, capacity } = terms;
  if (odds === undefined) return amount > least ? -Math.log1p(-(amount - least) / (most + 1 - least)) : 0;
  if (least === most) return 0;
  const burden = odds[burdens.get(terms.tail) ?? 0]!;
  if (amount <= least) return burden;
  const ofClass = classOf(terms);
  const share = (msats: number) => msats / (capacity + 1);
  if (least === 0 && most === capacity) return burden + curveAt(odds, 4 + ofClass, share(amount));
  const [low, at, high] = [least, amount, most].map((msats) => curveAt(odds, ofClass, share(msats)));
  const chance = low! - high! > 1e-6 ? (at! - high!) / (low! - high!) : (most - amount) / (most - least);
  return burden + (chance < 1e-12 ? 30 : Math.min(30, Math.max(0, -Math.log(chance))));
}

/** The cost of a direction, msat. */
function costOf(terms: Terms, amount: number, isFree: boolean, prices: Prices): number {
  const { riskPriceMsatPerNat, delayRate } = pricesFor(BigInt(prices.deliver));
  const fee = isFree ? 0 : terms.feeBase + (amount * terms.feePpm) / 1e6;
  const delay = isFree ? 0 : terms.delay;
  const plain = fee + riskPriceMsatPerNat * riskOf(terms, amount, prices) + delayRate * amount * delay;
  const factor = 30 ** (-terms.bias / 100);
  const over = Math.max(factor - 1, 0);
  const avoidance = (1e-3 * over + 1e-4 * over ** 4) * Math.max(prices.deliver, 1e6);
  return factor * (1 + SPREAD * prices.noise(terms)) * plain + avoidance;
}

const exactFee = (terms: Terms, amount: number, isFree: boolean): number =>
  isFree ? 0 : terms.feeBase + Math.floor((amount * terms.feePpm) / 1e6);

/**
 * The least cost of a path for `amount` msat, with one label for each node; Infinity if it finds none. `price` is that
 * of one direction.
 */
function leastCost(
  directions: readonly Terms[],
  [source, destination]: readonly [number, number],
  amount: number,
  isSourceFree: boolean,
  price: (terms: Terms, amount: number, isFree: boolean) => number,
): number {
  const labels = new Map([[destination, { cost: 0, amount }]]);
  const settled = new Set<number>();
  for (;;) {
    const open = [...labels].filter(([node]) => !settled.has(node));
    if (open.length === 0) return Number.POSITIVE_INFINITY;
    const [node, label] = open.reduce((a, b) => (b[1].cost < a[1].cost ? b : a));
    if (node === source) return label.cost;
    settled.add(node);
    for (const direction of directions) {
      const { tail } = direction;
      const x = label.amount;
      if (direction.head !== node || !direction.isEnabled || settled.has(tail)) continue;
      if (x < direction.minimum || x > direction.maximum || x > direction.most) continue;
      const isFree = isSourceFree && tail === source;
      const cost = label.cost + price(direction, x, isFree);
      if (cost >= (labels.get(tail)?.cost ?? Number.POSITIVE_INFINITY)) continue;
      labels.set(tail, { cost, amount: x + exactFee(direction, x, isFree) });
    }
  }
}

/**
 * Changes the fees, bounds or bias of a tenth of the channels, and of those with a disabled direction, in a layer. It
 * also enables and disables some of their directions.
 */
function changeSome(random: Random, kernel: Kernel, channels: Terms[][]): void {
  for (const [index, channel] of channels.entries()) {
    if (random() > 0.1 && channel.every(({ isEnabled }) => isEnabled)) continue;
    const changesTerms = random() < 0.5;
    for (const terms of channel) {
      if (changesTerms) {
        terms.feeBase = oneOf(random, [0, spread(random, 5000)]);
        terms.feePpm = oneOf(random, [0, spread(random, 5000)]);
        terms.isEnabled = random() < 0.8;
      }
      if (random() < 0.3) terms.least = Math.min(spread(random, 1e8), terms.capacity);
      if (random() < 0.3) terms.most = Math.max(terms.least, Math.floor(terms.capacity * random()));
      if (random() < 0.2) terms.bias = oneOf(random, [-60, -5, 20, 90]);
    }
    const sides = [...channel].sort((a, b) => sideOf(a) - sideOf(b));
    const both = <T>(of: (terms: Terms) => T): readonly [T, T] => [of(sides[0]!), of(sides[1]!)];
    kernel.setChannelCell(LAYER, idOf(index), {
      updates: both((terms) =>
        changesTerms
          ? {
              enabled: terms.isEnabled,
              feeBaseMsat: BigInt(terms.feeBase),
              feeProportionalMillionths: terms.feePpm,
            }
          : undefined,
      ),
      bias: both(({ bias }) => bias),
      bounds: both(({ least, most }) => [
        { ...exactly(0n)[0]!, minLow: BigInt(least), maxHigh: BigInt(most) },
      ]),
      reservedMsat: [0n, 0n],
    });
  }
}

/** Sets the burdens of a third of the nodes, in a layer. Returns their levels. */
function burdenSome(random: Random, kernel: Kernel, graph: ChannelGraph): Map<number, number> {
  const levels = new Map<number, number>();
  for (let node = 0; node < HUBS + LEAVES; node++) {
    const id = nodeId(node);
    if (random() > 1 / 3 || graph.nodeIndex(id) < 0) continue;
    const burden = 1 + below(random, 12);
    levels.set(node, burden);
    kernel.setNodeCell(LAYER, id, { disabled: false, inBias: 0, outBias: 0, burden });
  }
  return levels;
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
      const classes = new Map(
        channels
          .flat()
          .map((terms) => [
            terms,
            directionClass(graph, graph.channelIndex(idOf(terms.channel)), sideOf(terms)),
          ]),
      );
      const burdens = kernel.reading(() => {
        if (!hasLayer) return new Map<number, number>();
        changeSome(random, kernel, channels);
        return burdenSome(random, kernel, graph);
      });
      const terms = channels.flat();
      for (let question = 0; question < QUESTIONS; question++) {
        const ends = [below(random, HUBS + LEAVES), below(random, HUBS + LEAVES)] as const;
        if (ends[0] === ends[1]) continue;
        const amount = 1 + spread(random, 4e8);
        const isSourceFree = random() < 0.7;
        const seed = random() < 0.3 ? BigInt(question) : undefined;
        const prices: Prices = {
          ...{ deliver: amount, burdens, classOf: (each) => classes.get(each)! },
          odds: random() < 0.5 ? drawOdds(random) : undefined,
          noise: (each) =>
            seed === undefined
              ? 0
              : kernel.exports.keyedUniform(seed, idOf(each.channel) * 2n + BigInt(sideOf(each))),
        };
        const least = leastCost(terms, ends, amount, isSourceFree, (...of) => costOf(...of, prices));
        const leastFee = leastCost(terms, ends, amount, isSourceFree, exactFee);
        const outcomeWithin = (maxfee: bigint) =>
          solveRoute(kernel, {
            source: nodeId(ends[0]),
            destination: nodeId(ends[1]),
            amountMsat: msat(BigInt(amount)) as Msat,
            maxfeeMsat: msat(maxfee),
            finalCltv: 18,
            maxdelay: 100_000,
            maxparts: 1,
            maxhops: 20,
            layerIds: [...(hasLayer ? [LAYER] : []), ...(isSourceFree ? [SOURCEFREE_SLOT] : [])],
            layerNames: [],
            includeFees: false,
            odds: prices.odds,
            ...(seed !== undefined && { randomize: { seed, spreadPpm: SPREAD * 1e6 } }),
          });
        const outcome = outcomeWithin(10n ** 15n);
        if (least === Number.POSITIVE_INFINITY) continue;
        answered++;
        const at = `graph ${run}, question ${question}`;
        expect('answer' in outcome, at).toBe(true);
        expect(kernel.answerCost, at).toBeLessThanOrEqual(least * (1 + 1e-6) + 1e-3);
        if (leastFee < Number.POSITIVE_INFINITY)
          expect('answer' in outcomeWithin(BigInt(leastFee)), `${at}, within the lowest fee`).toBe(true);
      }
    }
    expect(answered).toBeGreaterThan(GRAPHS * 10);
  });
});
