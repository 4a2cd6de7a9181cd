/** Randomised searches: the effect of noise of a given width, counted over seeds and compared with its model. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RouteQuery } from '../../../src/engine/question/route.ts';
import { Kernel } from '../../../src/engine/solver/kernel.ts';
import { msat } from '../../../src/model/msat.ts';
import { formatShortChannelId } from '../../../src/model/short-channel-id.ts';
import { instances, realized } from '../../reference/arbitrary.ts';
import { MEDIUM, TINY } from '../../reference/shapes.ts';
import { nodeNamed, tinyGraph } from '../../reference/tiny-graph.ts';
import { binomialRange, chanceOfTurning, countWithin } from '../../statistics.ts';
import { askKernel, kernelSolver } from './kernel-solver.ts';

const SEED = Number(process.env.FULGURITE_TEST_SEED ?? 1);
const PPM = 1_000_000;

const between = (from: string, to: string, amountMsat: bigint, maxparts: number): RouteQuery => ({
  source: nodeNamed(from),
  destination: nodeNamed(to),
  amountMsat: msat(amountMsat),
  layers: [],
  maxfeeMsat: msat(10_000_000_000n),
  finalCltv: 18,
  maxdelay: 2016,
  maxparts,
});

describe.each(['release', 'debug'] as const)('the %s build of the kernel', (build) => {
  const solver = kernelSolver(build);

  it('answers with noise of width 0 as without noise', () => {
    for (const shape of [TINY, MEDIUM]) {
      fc.assert(
        fc.property(instances(shape), fc.bigInt(0n, 2n ** 64n - 1n), (instance, seed) => {
          const { graph, query } = realized(instance);
          const randomize = { seed, spreadPpm: 0 };
          const usual = solver.solve(graph, query);
          // The maximum distance from the best answer is not computed for randomised searches.
          if ('unfinished' in usual) Reflect.deleteProperty(usual, 'unfinished');
          expect(solver.solve(graph, { ...query, randomize })).toEqual(usual);
        }),
        { seed: SEED, numRuns: 60 },
      );
    }
  });

  /**
   *     B ── A    three channels, whose best split of 32,701 sat takes more than the 100 parts that are allowed
   */
  it('refuses with the same text with and without noise', () => {
    const graph = tinyGraph([
      'A-B cap=12801sat > fee=0+1 delay=0 min=3000sat < fee=0+0 delay=0',
      'A-B cap=10000sat > fee=0+0 delay=500 < fee=0+0 delay=0',
      'B-A cap=20000sat > fee=0+0 delay=0 < fee=0+0 delay=0 max=100sat',
    ]);
    const query = between('A', 'B', 32_701_001n, 100);
    const refusal = solver.solve(graph, query);
    // With one part in each of the other channels, the last would have to carry 9,900.001 sat in parts of 100
    // sat.
    expect(refusal).toMatchObject({ name: 'routeNotFound', data: { binding: { kind: 'parts_cap' } } });
    for (const spreadPpm of [0, 350_000])
      expect(solver.solve(graph, { ...query, randomize: { seed: 1n, spreadPpm } })).toEqual(refusal);
  });

  it('gives the same answer for the same seed', () => {
    const other = kernelSolver(build);
    fc.assert(
      fc.property(instances(MEDIUM), fc.bigInt(0n, 2n ** 64n - 1n), (instance, seed) => {
        const { graph, query } = realized(instance);
        const noisy = { ...query, randomize: { seed, spreadPpm: 350_000 } };
        const answer = solver.solve(graph, noisy);
        // A search with a different seed in between has no effect.
        solver.solve(graph, { ...query, randomize: { seed: seed ^ 1n, spreadPpm: 350_000 } });
        expect(solver.solve(graph, noisy)).toEqual(answer);
        expect(other.solve(graph, noisy)).toEqual(answer);
      }),
      { seed: SEED, numRuns: 60 },
    );
  });
});

/**
 *     A ══ B    two channels of 10,000,000 sat without delay, at 10,000 and 15,000 msat
 *
 * For 1 sat, only the fees matter: the risk over either channel costs 2·10⁻⁴ msat. The costlier channel is
 * chosen if 10,000·(1 + s·u) > 15,000·(1 + s·v).
 */
describe('noise of half-width s', () => {
  const [CHEAP, DEAR, SEEDS] = [10_000, 15_000, 4_000];
  const { graph } = tinyGraph([
    `A-B 1x1x1 cap=10000000sat fee=${CHEAP}+0 delay=0`,
    `A-B 2x2x2 cap=10000000sat fee=${DEAR}+0 delay=0`,
  ]);
  const kernel = Kernel.inProcess(graph);
  const query = between('A', 'B', 1_000n, 1);

  const turned = (spreadPpm: number): number => {
    let count = 0;
    for (let seed = 0n; seed < SEEDS; seed++) {
      const answer = askKernel(kernel, { ...query, randomize: { seed, spreadPpm } });
      if (answer instanceof Error) throw answer;
      const { shortChannelId } = answer.routes[0]!.path[0]!.shortChannelIdDir;
      if (formatShortChannelId(shortChannelId) === '2x2x2') count++;
    }
    return count;
  };

  it.each([0.1, 0.3, 0.35, 0.4, 0.7])('%d reverses a choice as often as expected', (s) => {
    const range = binomialRange(SEEDS, chanceOfTurning(CHEAP, DEAR, s));
    const count = turned(s * PPM);
    expect(countWithin(count, range), `seeds 0 to ${SEEDS - 1}`).toBe(count);
  });

  it('gives counts that distinguish 0.3 and 0.35', () => {
    const [narrow, wide] = [0.3, 0.35].map((s) => binomialRange(SEEDS, chanceOfTurning(CHEAP, DEAR, s)));
    expect(narrow!.most < wide!.least).toBe(true);
  });
});
