/**
 * The effect of negative biases on answers (assembly/solve/question/prices.ts has the rule).
 *
 * Core Lightning's askrene chooses by probability first. So there, even a small bias moves a payment if the
 * alternative is nearly as likely. Here fees always count, and a bias also has a price in addition to the
 * factor.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RouteAnswer, RouteQuery } from '../../../src/engine/question/route.ts';
import { Kernel } from '../../../src/engine/solver/kernel.ts';
import { IDENTITY_FOLD } from '../../../src/layers/bounds-fold.ts';
import type { ChannelCell } from '../../../src/layers/cell.ts';
import { FulguriteError } from '../../../src/model/errors.ts';
import { msat, msatFromSat } from '../../../src/model/msat.ts';
import { type ShortChannelIdDir, shortChannelId } from '../../../src/model/short-channel-id.ts';
import { type Instance, instances, realized } from '../../reference/arbitrary.ts';
import { referee, withAutomaticLayers } from '../../reference/referee.ts';
import { nodeNamed, type TinyGraph, tinyGraph } from '../../reference/tiny-graph.ts';
import { AUTOMATIC, askKernel } from './kernel-solver.ts';

/** Slot of the layer with the bias. */
const SLOT = 1;
const SLOTS = new Map([...AUTOMATIC, ['biased', SLOT]]);
const CELL: ChannelCell = {
  updates: [undefined, undefined],
  bias: [0, 0],
  bounds: [IDENTITY_FOLD, IDENTITY_FOLD],
  reservedMsat: [0n, 0n],
};

/** A kernel with one layer, which contains one cell at a time. */
class Biased {
  readonly #kernel: Kernel;

  constructor({ graph }: TinyGraph, build: 'release' | 'debug' = 'debug') {
    this.#kernel = Kernel.inProcess(graph, build);
    this.#kernel.reading(() => this.#kernel.ensureLayerSlots(SLOT + 1));
  }

  /** Returns the answer without the layer. */
  plain(query: RouteQuery): RouteAnswer | FulguriteError {
    return askKernel(this.#kernel, query, SLOTS);
  }

  /** Returns the answer with a bias on one direction. */
  with(query: RouteQuery, of: ShortChannelIdDir, bias: number): RouteAnswer | FulguriteError {
    return this.#withCell(query, of, { ...CELL, bias: sided(of, bias, 0) });
  }

  /** Returns the answer with one direction disabled. */
  without(query: RouteQuery, of: ShortChannelIdDir): RouteAnswer | FulguriteError {
    return this.#withCell(query, of, { ...CELL, updates: sided(of, { enabled: false }, undefined) });
  }

  #withCell(query: RouteQuery, { shortChannelId }: ShortChannelIdDir, cell: ChannelCell) {
    this.#kernel.reading(() => this.#kernel.setChannelCell(SLOT, shortChannelId, cell));
    const answer = askKernel(this.#kernel, { ...query, layers: [...query.layers, 'biased'] }, SLOTS);
    this.#kernel.reading(() => this.#kernel.setChannelCell(SLOT, shortChannelId, CELL));
    return answer;
  }
}

const sided = <T>({ direction }: ShortChannelIdDir, value: T, other: T): [T, T] =>
  direction === 0 ? [value, other] : [other, value];

/** The total amount that crosses the direction in all routes. */
function crossing({ routes }: RouteAnswer, { shortChannelId, direction }: ShortChannelIdDir): bigint {
  const hops = routes.flatMap(({ path }) => path);
  const ofIt = hops.filter(
    ({ shortChannelIdDir: each }) => each.shortChannelId === shortChannelId && each.direction === direction,
  );
  return ofIt.reduce((sum, { amountOutMsat }) => sum + amountOutMsat, 0n);
}

const query = (amountSat: number, maxfeeSat: number): RouteQuery => ({
  source: nodeNamed('A'),
  destination: nodeNamed('B'),
  amountMsat: msatFromSat(amountSat),
  layers: [],
  maxfeeMsat: msatFromSat(maxfeeSat),
  finalCltv: 18,
  maxdelay: 2016,
  maxparts: 100,
});

/**
 * The weakest negative bias that lowers the amount over the answer's first direction; undefined if even −100 does
 * not.
 */
function weakest(drawn: TinyGraph, asked: RouteQuery): number | undefined {
  const biased = new Biased(drawn);
  const usual = biased.plain(asked) as RouteAnswer;
  const of = usual.routes[0]!.path[0]!.shortChannelIdDir;
  const moves = (bias: number): boolean =>
    crossing(biased.with(asked, of, bias) as RouteAnswer, of) < crossing(usual, of);
  return Array.from({ length: 100 }, (_, step) => -1 - step).find(moves);
}

describe('the smallest bias that moves a payment', () => {
  test.each([
    // Fee of the usual path, fee of the alternative, and the bias at which Core Lightning switches to the
    // alternative.
    [2_100, 4_200, -1],
    [2_100, 105_000, -35],
    [0, 2_000, -1],
    [0, 500_000, -100],
  ])('from %i to %i msat on 100,000 sat is at most %i', (fee, other, most) => {
    const drawn = tinyGraph([`A-B cap=1000000sat fee=${fee}+0`, `A-B cap=1000000sat fee=${other}+0`]);
    expect(weakest(drawn, query(100_000, 5_000))).toBeGreaterThanOrEqual(most);
  });

  test('moves 1 sat even against base fees', () => {
    const drawn = tinyGraph(['A-B fee=0+0', 'A-B fee=30000000+0']);
    expect(weakest(drawn, query(1, 1_000_000))).toBeGreaterThanOrEqual(-100);
  });

  // Of the 38 ppm, 3.6 ppm come from the factor: 3.5 % of the risk of 105 ppm.
  test('is priced by amount: −1 is worth 38 ppm, and not 40', () => {
    const drawn = (ppm: number) => tinyGraph(['A-B fee=0+0', `A-B fee=0+${ppm}`]);
    expect(weakest(drawn(37), query(100_000, 5_000))).toBe(-1);
    expect(weakest(drawn(40), query(100_000, 5_000))).toBe(-2);
  });

  test('avoids a cheap node with −50 by an expensive two-hop path', () => {
    const drawn = tinyGraph([
      'A-C fee=0+10',
      ...['D', 'E', 'F'].flatMap((node) => [`C-${node} fee=0+10`, `${node}-B fee=0+10`]),
      'A-G fee=0+1000',
      'G-B fee=0+1000',
    ]);
    expect(weakest(drawn, query(10_000, 1_000))).toBeGreaterThanOrEqual(-50);
  });
});

/**
 * 12,000 sat over two channels of 10,000 sat. At the price of risk R = 14 sat per nat, marginal prices are equal where
 * f · R / (10,000 − x) + V = R / (x − 2,000), with f = 30^0.05 = 1.1854 and V = 186 ppm: at x = 5,564 sat. Without V it
 * would be 5,661 sat.
 */
test('a split gives a biased channel less', () => {
  const drawn = tinyGraph(['A-B cap=10000sat fee=0+0', 'A-B cap=10000sat fee=0+0']);
  const biased = new Biased(drawn);
  const asked = query(12_000, 100);
  const of = (biased.plain(asked) as RouteAnswer).routes[0]!.path[0]!.shortChannelIdDir;
  const amount = crossing(biased.with(asked, of, -5) as RouteAnswer, of);
  expect(Number(amount) / 1_000).toBeGreaterThan(5_544);
  expect(Number(amount) / 1_000).toBeLessThan(5_584);
});

test('a bias that no answer can avoid does not change the rest of the answer', () => {
  const drawn = tinyGraph([
    'A-S cap=100000sat fee=0+0',
    ...['C', 'D', 'E'].flatMap((node, n) => [
      `S-${node} cap=12000sat fee=0+${100 * n}`,
      `${node}-B cap=12000sat fee=0+50`,
    ]),
  ]);
  const biased = new Biased(drawn);
  const asked = query(10_500, 1_000);
  const usual = biased.plain(asked) as RouteAnswer;
  expect(usual.routes.length).toBeGreaterThan(1);
  const of = usual.routes[0]!.path[0]!.shortChannelIdDir;
  for (const bias of [-1, -30, -100]) {
    const { routes } = biased.with(asked, of, bias) as RouteAnswer;
    const shifts = usual.routes.map(({ path }, n) => {
      expect(routes[n]!.path.map(({ shortChannelIdDir: hop }) => hop)).toEqual(
        path.map(({ shortChannelIdDir: hop }) => hop),
      );
      return Math.abs(Number(routes[n]!.amountMsat - usual.routes[n]!.amountMsat));
    });
    expect(Math.max(...shifts)).toBeLessThan(20_000);
  }
});

const isRight = ({ lookup }: TinyGraph, asked: RouteQuery, answer: RouteAnswer): boolean =>
  referee(withAutomaticLayers(lookup, asked), asked, answer).length === 0;

/** A request whose usual answer crosses a direction that a single route could avoid. */
function avoidable(instance: Instance) {
  const { graph, query: asked } = realized(instance);
  const biased = new Biased(graph);
  const usual = biased.plain(asked);
  if (usual instanceof FulguriteError) return undefined;
  const hops = usual.routes.flatMap(({ path }) => path);
  const of = hops[hops.length >> 1]!.shortChannelIdDir;
  const other = biased.without(asked, of);
  if (other instanceof FulguriteError || other.routes.length > 1) return undefined;
  return { graph, asked, biased, usual, of };
}

describe.each([
  ['plain', { nodes: 6, channels: 12, baseFees: true, htlcLimits: false, tightLimits: false }],
  ['limited', { nodes: 6, channels: 12, baseFees: true, htlcLimits: true, tightLimits: true }],
] as const)('%s random graphs', (_, shape) => {
  test('−100 always has an effect if a single route can avoid the direction', () => {
    let seen = 0;
    const holds = (instance: Instance): boolean => {
      const found = avoidable(instance);
      if (found === undefined) return true;
      seen++;
      const { graph, asked, biased, usual, of } = found;
      const answer = biased.with(asked, of, -100);
      if (answer instanceof FulguriteError || !isRight(graph, asked, answer)) return false;
      return crossing(answer, of) < crossing(usual, of);
    };
    fc.assert(fc.property(instances(shape), holds), {
      numRuns: Number(process.env.FULGURITE_BIAS_RUNS ?? 150),
    });
    expect(seen).toBeGreaterThan(20);
  }, 120_000);
});

test('amounts behind a biased direction are exact', () => {
  const drawn = tinyGraph(['A-B cap=1000000sat fee=7+3', 'A-B cap=1000000sat fee=1000+100']);
  const biased = new Biased(drawn, 'release');
  const asked = { ...query(100_000, 5_000), amountMsat: msat(99_999_999n) };
  const usual = biased.plain(asked) as RouteAnswer;
  const answer = biased.with(asked, usual.routes[0]!.path[0]!.shortChannelIdDir, -50) as RouteAnswer;
  expect(referee(drawn.lookup, asked, answer)).toEqual([]);
});

test('under a fee cap, biased fees are weighed as the objective counts them', () => {
  // The biased channel of C costs least, but its fee is above the cap. That of D costs less than the free one of E, which
  // has almost no room.
  const { graph } = tinyGraph([
    ...['A-C', 'A-D', 'A-E'].map((ends) => `${ends} cap=100000000sat fee=0+0`),
    ...['C-B 7x1x1 cap=100000000sat fee=0+110', 'D-B 7x1x2 cap=115650sat fee=0+99'],
    'E-B cap=100001sat fee=0+0',
  ]);
  const kernel = Kernel.inProcess(graph, 'debug');
  kernel.reading(() => {
    kernel.ensureLayerSlots(SLOT + 1);
    for (const output of [1, 2])
      kernel.setChannelCell(SLOT, shortChannelId(7, 1, output), { ...CELL, bias: [100, 100] });
  });
  const answer = askKernel(kernel, { ...query(100_000, 10), maxparts: 1, layers: ['biased'] }, SLOTS);
  expect((answer as RouteAnswer).routes.map(({ path }) => path[0]?.nodeIdOut)).toEqual([nodeNamed('D')]);
});
