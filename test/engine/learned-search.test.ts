/**
 * Searches with learned odds (assembly/solve/question/odds.ts), compared with a reference that tries every
 * path and computes the same objective from the model's own chances, without tables.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { oddsChange, unpackOdds } from '../../src/engine/question/messages.ts';
import { DEFAULT_OBJECTIVE, pricesFor } from '../../src/engine/question/objective.ts';
import { Kernel } from '../../src/engine/solver/kernel.ts';
import { findRoute } from '../../src/engine/solver/solve-route.ts';
import { exactly } from '../../src/layers/bounds-fold.ts';
import { directionClass } from '../../src/layers/direction-class.ts';
import { LearnedLayer } from '../../src/layers/learned-layer.ts';
import { burdenLevel, ODDS_CELLS, oddsTable } from '../../src/layers/learned-odds.ts';
import type { ChannelGraph } from '../../src/model/channel-graph.ts';
import { msat } from '../../src/model/msat.ts';
import type { Direction } from '../../src/model/short-channel-id.ts';
import { type BalancePrior, passingChance } from '../../src/payments/learn/balance-prior.ts';
import { nodeNamed, tinyGraph } from '../reference/tiny-graph.ts';

const RUNS = Number(process.env.FULGURITE_TEST_RUNS ?? 1);
const LAYER = 1;
const USUAL = 0.03;

const PRIORS: readonly BalancePrior[] = [
  { kind: 'uniform' },
  { kind: 'bimodal', scale: 0.05 },
  { kind: 'bimodal', scale: 0.3 },
  { kind: 'onesided', share: 0.8 },
];
/** The odds if each class of channels has the given prior. */
const tableOf = (priors: readonly BalancePrior[]) =>
  oddsTable(USUAL, (ofClass) =>
    Float64Array.from({ length: ODDS_CELLS + 1 }, (_, cell) =>
      passingChance(priors[ofClass]!, { least: 0, most: 1, amount: cell / ODDS_CELLS }),
    ),
  );

interface Known {
  readonly minMsat: bigint;
  readonly maxMsat: bigint;
}

interface World {
  readonly graph: ChannelGraph;
  readonly priors: readonly BalancePrior[];
  /** By channel: the known bounds of direction 0. */
  readonly known: ReadonlyMap<number, Known>;
  /** By node index: the node's burden in nats. */
  readonly burdens: ReadonlyMap<number, number>;
}

/** Six nodes, up to twelve channels, each with a fee, a capacity, and in some cases known bounds. */
const worlds = fc
  .record({
    ends: fc.uniqueArray(
      fc.tuple(fc.nat(5), fc.nat(5)).filter(([a, b]) => a !== b),
      {
        minLength: 6,
        maxLength: 12,
        selector: ([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`,
      },
    ),
    terms: fc.array(fc.tuple(fc.nat(800), fc.nat(800), fc.integer({ min: 1_000, max: 50_000 })), {
      minLength: 12,
      maxLength: 12,
    }),
    priors: fc.tuple(...[0, 1, 2, 3].map(() => fc.constantFrom(...PRIORS))),
    known: fc.array(fc.tuple(fc.nat(11), fc.nat(100), fc.nat(100)), { maxLength: 5 }),
    burdens: fc.array(fc.tuple(fc.nat(5), fc.double({ min: 0.003, max: 3, noNaN: true })), { maxLength: 3 }),
  })
  .map(({ ends, terms, priors, known, burdens }): World => {
    const letter = (n: number): string => String.fromCharCode(65 + n);
    const lines = ends.map(([a, b], at) => {
      const [forth, back, capacity] = terms[at]!;
      return `${letter(a)}-${letter(b)} cap=${capacity}sat > fee=0+${forth} < fee=0+${back}`;
    });
    const { graph } = tinyGraph(lines);
    const bounds = new Map<number, Known>();
    for (const [channel, one, two] of known) {
      if (channel >= graph.channelCount) continue;
      const capacity = graph.capacityMsat[channel]!;
      const [low, high] = [Math.min(one, two), Math.max(one, two)];
      if (low === high) continue;
      bounds.set(channel, {
        minMsat: (capacity * BigInt(low)) / 100n,
        maxMsat: (capacity * BigInt(high)) / 100n,
      });
    }
    // The kernel receives each burden rounded to a level, so the reference uses the burden of that level too.
    const nats = new Map(burdens.map(([node, each]) => [node, tableOf(priors)[burdenLevel(each)]!]));
    return { graph, priors, known: bounds, burdens: nats };
  });

function kernelOf(world: World, build: 'release' | 'debug'): Kernel {
  const kernel = Kernel.inProcess(world.graph, build);
  kernel.reading(() => {
    kernel.ensureLayerSlots(LAYER + 1);
    for (const [channel, { minMsat, maxMsat }] of world.known) {
      const step = { ...exactly(0n)[0]!, minLow: minMsat, maxHigh: maxMsat };
      kernel.setChannelCell(LAYER, world.graph.shortChannelIds[channel]!, {
        updates: [undefined, undefined],
        bias: [0, 0],
        bounds: [[step], []],
        reservedMsat: [0n, 0n],
      });
    }
    for (const [node, nats] of world.burdens) {
      if (node >= world.graph.nodeCount) continue;
      kernel.setNodeCell(LAYER, world.graph.nodeId(node), {
        disabled: false,
        inBias: 0,
        outBias: 0,
        burden: burdenLevel(nats),
      });
    }
  });
  return kernel;
}

function queryOf(world: World, amountMsat: bigint, maxparts: number, isLearned: boolean) {
  return {
    source: world.graph.nodeId(0),
    destination: world.graph.nodeId(1),
    amountMsat: msat(amountMsat),
    maxfeeMsat: msat(10n ** 12n),
    finalCltv: 18,
    maxdelay: 2016,
    maxparts,
    maxhops: 20,
    layerIds: [LAYER],
    layerNames: ['x'],
    includeFees: false,
    ...(isLearned && { odds: tableOf(world.priors) }),
  };
}

/**
 * Cost of the amount that crosses a direction: fee and risk, without a price for delay. Undefined if the amount
 * cannot cross.
 */
function costOf(world: World, channel: number, direction: Direction, amountMsat: bigint, risk: number) {
  const { graph } = world;
  const capacity = graph.capacityMsat[channel]!;
  const known = direction === 0 ? world.known.get(channel) : undefined;
  const { minMsat, maxMsat } = known ?? { minMsat: 0n, maxMsat: capacity };
  if (amountMsat > maxMsat) return undefined;
  const share = (amount: bigint): number => Number(amount) / (Number(capacity) + 1);
  const tail = direction === 0 ? graph.node1[channel]! : graph.node2[channel]!;
  const prior = world.priors[directionClass(graph, channel, direction)]!;
  const chance = passingChance(prior, {
    least: minMsat === 0n ? 0 : share(minMsat),
    most: known === undefined ? 1 : share(maxMsat),
    amount: share(amountMsat),
  });
  const nats = (world.burdens.get(tail) ?? USUAL) + Math.min(30, -Math.log(Math.max(1e-12, chance)));
  const ppm = graph.feeProportionalMillionths[2 * channel + direction]!;
  const feeMsat = (amountMsat * BigInt(ppm)) / 1_000_000n;
  return { feeMsat, cost: Number(amountMsat) * ppm * 1e-6 + risk * nats + Number(amountMsat) * 6e-9 };
}

/** The minimum objective of any path, found by trying all paths backwards from the destination. */
function leastCost(world: World, amountMsat: bigint): number {
  const { graph } = world;
  const { riskPriceMsatPerNat } = pricesFor(amountMsat, DEFAULT_OBJECTIVE);
  let least = Number.POSITIVE_INFINITY;
  const walk = (node: number, amount: bigint, cost: number, seen: ReadonlySet<number>): void => {
    if (node === 0) {
      least = Math.min(least, cost);
      return;
    }
    for (let channel = 0; channel < graph.channelCount; channel++) {
      const [one, two] = [graph.node1[channel]!, graph.node2[channel]!];
      if (one !== node && two !== node) continue;
      const direction: Direction = two === node ? 0 : 1;
      const tail = two === node ? one : two;
      if (seen.has(tail)) continue;
      const crossing = costOf(world, channel, direction, amount, riskPriceMsatPerNat);
      if (crossing !== undefined)
        walk(tail, amount + crossing.feeMsat, cost + crossing.cost, new Set([...seen, tail]));
    }
  };
  walk(1, amountMsat, 0, new Set([1]));
  return least;
}

describe('searches under learned odds', () => {
  it('find the path with the minimum objective', () => {
    let found = 0;
    fc.assert(
      fc.property(worlds, fc.integer({ min: 100, max: 20_000 }), (world, sat) => {
        fc.pre(world.graph.nodeCount >= 2);
        const amountMsat = BigInt(sat) * 1000n;
        const kernel = kernelOf(world, 'debug');
        const answer = findRoute(kernel, queryOf(world, amountMsat, 1, true));
        const least = leastCost(world, amountMsat);
        expect(answer === undefined).toBe(least === Number.POSITIVE_INFINITY);
        if (answer === undefined) return;
        found++;
        const { riskPriceMsatPerNat } = pricesFor(amountMsat, DEFAULT_OBJECTIVE);
        const { path } = answer.routes[0]!;
        const cost = path.reduce((sum, { shortChannelIdDir: of, amountOutMsat }) => {
          const channel = world.graph.channelIndex(of.shortChannelId);
          return sum + costOf(world, channel, of.direction, amountOutMsat, riskPriceMsatPerNat)!.cost;
        }, 0);
        // The tables are interpolated: the difference may be 2 % of a nat per hop, plus rounding of fees.
        expect(cost).toBeLessThanOrEqual(least + riskPriceMsatPerNat * 0.02 * (path.length + 1) + 10);
      }),
      { numRuns: 60 * RUNS },
    );
    expect(found).toBeGreaterThan(20 * RUNS);
  });

  it('answer a query without the layer the same way, regardless of queries in between', () => {
    fc.assert(
      fc.property(
        worlds,
        fc.integer({ min: 100, max: 40_000 }),
        fc.constantFrom(1, 4),
        (world, sat, parts) => {
          fc.pre(world.graph.nodeCount >= 2);
          const amountMsat = BigInt(sat) * 1000n;
          const kernel = kernelOf(world, 'release');
          const plain = () => findRoute(kernel, queryOf(world, amountMsat, parts, false));
          const before = plain();
          findRoute(kernel, queryOf(world, amountMsat, parts, true));
          expect(plain()).toEqual(before);
          expect(findRoute(kernelOf(world, 'release'), queryOf(world, amountMsat, parts, false))).toEqual(
            before,
          );
        },
      ),
      { numRuns: 40 * RUNS },
    );
  });

  it('divide amounts among parts without violating assertions of the debug build', () => {
    let split = 0;
    fc.assert(
      fc.property(worlds, fc.integer({ min: 5_000, max: 60_000 }), (world, sat) => {
        fc.pre(world.graph.nodeCount >= 2);
        const amountMsat = BigInt(sat) * 1000n;
        const answer = findRoute(kernelOf(world, 'debug'), queryOf(world, amountMsat, 8, true));
        if (answer === undefined) return;
        if (answer.routes.length > 1) split++;
        expect(answer.routes.reduce((sum, route) => sum + route.amountMsat, 0n)).toBe(amountMsat);
        const { unfinished } = answer;
        if (unfinished !== undefined)
          expect(unfinished.leastCostMsat).toBeLessThanOrEqual(unfinished.costMsat);
      }),
      { numRuns: 60 * RUNS },
    );
    expect(split).toBeGreaterThan(0);
  });

  it('split over two channels that are mostly empty or full only if one is not enough', () => {
    // Two channels A==B of 10,000 sat each. Half of all directions are empty, so a second channel adds a
    // second risk of one half.
    const { graph } = tinyGraph(['A-B cap=10000sat', 'A-B cap=10000sat']);
    const odds = tableOf([0, 1, 2, 3].map(() => ({ kind: 'onesided', share: 1 }) as const));
    const world: World = { graph, priors: [], known: new Map(), burdens: new Map() };
    const kernel = kernelOf(world, 'debug');
    const ask = (sat: bigint, table: typeof odds | undefined) => {
      const query = {
        ...queryOf(world, sat * 1000n, 4, false),
        destination: nodeNamed('B'),
        source: nodeNamed('A'),
      };
      return findRoute(kernel, table === undefined ? query : { ...query, odds: table })!.routes.length;
    };
    expect(ask(6_000n, odds)).toBe(1);
    expect(ask(6_000n, undefined)).toBe(2);
    expect(ask(12_000n, odds)).toBe(2);
  });

  it('reach solvers unchanged', () => {
    const layer = new LearnedLayer(3, {
      channelChanged: () => undefined,
      nodeChanged: () => undefined,
      layerRemoved: () => undefined,
    });
    expect(oddsChange({ odds: () => layer.odds }, 3)).toEqual(['odds', 3, null]);
    layer.setOdds(tableOf(PRIORS));
    const [, , bytes] = oddsChange({ odds: () => layer.odds }, 3);
    expect(unpackOdds(bytes as Uint8Array)).toEqual(layer.odds);
    expect(() => unpackOdds(new Uint8Array(12))).toThrow(RangeError);
  });
});
