/**
 * The references check each other and are checked by hand: no answer of one may be better than a bound that
 * another proves. On problems without integer decisions, the best answer and the bound must be equal.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RouteQuery } from '../../src/engine/question/route.ts';
import { FulguriteError } from '../../src/model/errors.ts';
import { msat } from '../../src/model/msat.ts';
import { countWithin, likeDrawn } from '../statistics.ts';
import { type Instance, instances, realized, type Shape } from './arbitrary.ts';
import { amountInMsat, amountOutMsat, type PlainDirection } from './direction.ts';
import { bestSplit, objectiveMsat, paretoFront, singleParts } from './exhaustive.ts';
import { floorPpm, nats } from './fraction.ts';
import {
  isCertainlyFeasible,
  maximumDeliverableMsat,
  minimumFeeMsat,
  minimumObjectiveMsat,
  roundingMsat,
} from './linear-bound.ts';
import { answerOf, naiveSolver } from './naive-solver.ts';
import { referee, withAutomaticLayers } from './referee.ts';
import { TINY, TINY_SMOOTH } from './shapes.ts';
import { nodeNamed, tinyGraph } from './tiny-graph.ts';

const SEED = Number(process.env.FULGURITE_TEST_SEED ?? 1);
const PRICES = { riskPriceMsatPerNat: 500_000, delayRate: 1e-8, partPriceMsat: 0 };

function always(shape: Shape, numRuns: number, check: (instance: Instance) => void): void {
  fc.assert(fc.property(instances(shape), check), { seed: SEED, numRuns });
}

const query = (source: string, destination: string, amountMsat: bigint): RouteQuery => ({
  source: nodeNamed(source),
  destination: nodeNamed(destination),
  amountMsat: msat(amountMsat),
  layers: [],
  maxfeeMsat: msat(10_000_000),
  finalCltv: 18,
  maxdelay: 2016,
  maxparts: 100,
});

describe('amounts of a direction', () => {
  it('pass the maximum that the arriving amount can pay for', () => {
    const input = fc.tuple(
      fc.bigInt({ min: 0n, max: 1n << 40n }),
      fc.bigInt({ min: 0n, max: 1n << 24n }),
      fc.bigInt({ min: 0n, max: 1n << 21n }),
    );
    fc.assert(
      fc.property(input, ([amountIn, feeBaseMsat, feeProportionalMillionths]) => {
        const direction = { feeBaseMsat, feeProportionalMillionths } as PlainDirection;
        const amountOut = amountOutMsat(direction, amountIn);
        expect(amountOut === 0n || amountInMsat(direction, amountOut) <= amountIn).toBe(true);
        expect(amountInMsat(direction, amountOut + 1n) > amountIn).toBe(true);
      }),
      { seed: SEED },
    );
  });
});

describe('exhaustive search', () => {
  /*
   *          1000 ppm, 10,000 sat
   *     A ═══════════════════════════ B     and a second channel of 500 ppm, 5,000 sat, and a third, worse than both
   *
   * 1,000,000 msat: the first costs 1,000 at P = 0.9; the second 500 at P = 0.8; the third 2,000 at P = 0.5.
   */
  it('keeps the Pareto front', () => {
    const graph = tinyGraph([
      'A-B cap=10000sat fee=0+1000',
      'A-B cap=5000sat fee=0+500',
      'A-B cap=2000sat fee=0+2000',
    ]);
    const answers = singleParts(graph.directions, query('A', 'B', 1_000_000n));
    expect(answers.length).toBe(3);
    const front = paretoFront(answers).map((answer) => [answer.feeMsat, floorPpm(answer.probability)]);
    expect(front).toEqual([
      [1000n, 900_000],
      [500n, 800_000],
    ]);
  });

  /* Equal fees: the best split leaves equal residuals. The channels have 100, 90, 80, 70 and 60 thousand sat. */
  it.each([
    [20_000n, 802_777],
    [50_000n, 547_736],
    [100_000n, 257_142],
    [150_000n, 103_339],
    [200_000n, 33_862],
    [300_000n, 1058],
  ])('spreads %i sat over five parallel channels at P = %i ppm', (sat, ppm) => {
    const graph = tinyGraph([100, 90, 80, 70, 60].map((size) => `A-B cap=${size}000sat fee=0+0`));
    const best = bestSplit(graph.directions, query('A', 'B', sat * 1000n), PRICES)!;
    // The published values are rounded results of a search. Ours may only be better, by at most 0.1 %.
    expect(floorPpm(best.probability)).toBeGreaterThanOrEqual(ppm - 1);
    expect(floorPpm(best.probability)).toBeLessThanOrEqual(ppm * 1.001);
  });

  it('sends two HTLCs over one path if the HTLC maximum requires it', () => {
    const graph = tinyGraph(['A-B cap=500000sat max=5000sat']);
    const best = bestSplit(graph.directions, query('A', 'B', 8_000_000n), PRICES)!;
    expect(best.parts.length).toBe(2);
    expect(floorPpm(best.probability)).toBe(984_000);
  });
});

describe('linear bounds', () => {
  /*
   *     A ─ 10,000 sat, 100 ppm ─ B ─ 6,000 sat, 200 ppm ─ C      the cut is B-C and A-C: 6,000 + 3,000 sat
   *     A ─────────── 3,000 sat, 0 ppm ──────────────── C
   */
  const GRAPH = tinyGraph([
    'A-B cap=10000sat fee=0+100',
    'B-C cap=6000sat fee=0+200',
    'A-C cap=3000sat fee=0+0',
  ]);

  it('finds the cut', () => {
    expect(maximumDeliverableMsat(GRAPH.directions, query('A', 'C', 1_000_000n), false)).toBeCloseTo(9e6, 0);
  });

  it('finds the minimum fee', () => {
    // 3,000 sat are free, 1,000 go through B: 1,000,000 * 200 ppm = 200, then 1,000,200 * 100 ppm = 100.02.
    const fee = minimumFeeMsat(GRAPH.directions, query('A', 'C', 4_000_000n));
    expect(fee).toBeCloseTo(300.02, 2);
    expect(minimumFeeMsat(GRAPH.directions, query('A', 'C', 9_000_001n))).toBeUndefined();
  });

  it('equals the risk of the only channel', () => {
    // Half of 6,000 sat: -ln(1/2) nats at 500,000 msat each, no fee, 3,000,000 msat for 6 blocks at 10^-8.
    const single = tinyGraph(['A-B cap=6000sat fee=0+0']);
    const bound = minimumObjectiveMsat(single.directions, query('A', 'B', 3_000_000n), PRICES);
    expect(bound).toBeCloseTo(500_000 * Math.LN2 + 0.18, 1);
  });
});

describe('the references and the naive solver', () => {
  it('agree on the rules: the referee accepts every naive answer', () => {
    always(TINY, 700, (instance) => {
      const { graph, query } = realized(instance);
      const answer = naiveSolver.solve(graph, query);
      if (answer instanceof FulguriteError) return;
      expect(referee(withAutomaticLayers(graph.lookup, query), query, answer)).toEqual([]);
    });
  });

  it('agree on feasibility: no answer beats a linear bound', () => {
    always(TINY, 300, (instance) => {
      const { graph, query } = realized(instance);
      const best = bestSplit(graph.directions, query, PRICES);
      if (best === undefined) return;
      const answer = answerOf(query, best.parts);
      expect(referee(withAutomaticLayers(graph.lookup, query), query, answer)).toEqual([]);
      const amount = Number(query.amountMsat);
      const rounding = roundingMsat(graph.directions, query);
      expect(maximumDeliverableMsat(graph.directions, query, false)).toBeGreaterThanOrEqual(
        amount * (1 - 1e-6),
      );
      const least = minimumFeeMsat(graph.directions, query)!;
      expect(least).toBeLessThanOrEqual(Number(best.feeMsat) + rounding + amount * 1e-6);
      if (best.probability.numerator === 0n) return;
      const bound = minimumObjectiveMsat(graph.directions, query, PRICES)!;
      const ours = objectiveMsat(best, PRICES);
      expect(bound).toBeLessThanOrEqual(ours * (1 + 1e-6) + rounding + amount * 1e-6);
    });
  });

  it('meet if nothing is omitted: the split search reaches the convex bound', () => {
    let compared = 0;
    always(TINY_SMOOTH, 200, (instance) => {
      const { graph, query } = realized(instance);
      const best = bestSplit(graph.directions, query, PRICES);
      if (isCertainlyFeasible(graph.directions, query)) expect(best).toBeDefined();
      // Instances are skipped if the fee limit is tight, because of the rounding of fees, or if the risk is so steep
      // that rounding is expensive.
      const capBinds = query.maxfeeMsat < query.amountMsat;
      if (best === undefined || capBinds || nats(best.probability) > 8) return;
      compared++;
      const bound = minimumObjectiveMsat(graph.directions, query, PRICES)!;
      const allowed = bound * 1.01 + roundingMsat(graph.directions, query) + 1000;
      expect(objectiveMsat(best, PRICES)).toBeLessThanOrEqual(allowed);
    });
    // Number of feasible instances without a tight fee limit, which depends only on the draw and the
    // references.
    const usual = likeDrawn({ seed: 1, trials: 400, count: 275 }, SEED, 200);
    expect(compared, `seed ${SEED}`).toBe(countWithin(compared, usual));
  });

  it('never do worse with several parts than with one', () => {
    always(TINY, 300, (instance) => {
      const { graph, query } = realized(instance);
      const singles = singleParts(graph.directions, query).map((answer) => objectiveMsat(answer, PRICES));
      if (singles.length === 0) return;
      const best = bestSplit(graph.directions, query, PRICES)!;
      // Parts over one path are joined at the end, which may round a fee up.
      expect(objectiveMsat(best, PRICES)).toBeLessThanOrEqual(Math.min(...singles) + 5);
    });
  });
});
