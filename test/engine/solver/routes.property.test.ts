/**
 * The kernel on random graphs, in both builds: its answers against the referee, an exhaustive search and
 * HiGHS.
 *
 * With FULGURITE_TEST_RUNS=1 there are over 10,000 instances (default: 0.5). Both builds answer each, and the
 * answer is checked once. FULGURITE_TEST_SEED sets a different seed. A failure prints a drawing of its graph.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { detours, type Instance, instances, type Shape } from '../../reference/arbitrary.ts';
import {
  isBestPath,
  isGoodSplit,
  obeysRules,
  reachesBound,
  remedyHelps,
  USUAL_GAP,
  WORST_GAP,
} from '../../reference/properties.ts';
import { MEDIUM, SMALL, SMALL_SMOOTH, TINY } from '../../reference/shapes.ts';
import { countWithin, likeDrawn } from '../../statistics.ts';
import { bothBuilds } from './kernel-solver.ts';

const SEED = Number(process.env.FULGURITE_TEST_SEED ?? 1);
const RUNS = Number(process.env.FULGURITE_TEST_RUNS ?? 0.5);

function always(shape: Shape, runs: number, check: (instance: Instance) => void): void {
  fc.assert(fc.property(instances(shape), check), { seed: SEED, numRuns: runs * RUNS });
}

/**
 * Checks each answer with `always`. With seed 1, `compared` of the runs have an answer. In addition, at most
 * the share `rare` of the gaps to the best known answer may exceed `usual`.
 */
function mostlyClose(
  shape: Shape,
  [runs, compared]: readonly [runs: number, compared: number],
  usual: number,
  rare: number,
  gapOf: (instance: Instance) => number | undefined,
): void {
  const gaps: number[] = [];
  always(shape, runs, (instance) => {
    const gap = gapOf(instance);
    if (gap !== undefined) gaps.push(gap);
  });
  // The number of runs without an answer depends only on the draw.
  const drawn = likeDrawn({ seed: 1, trials: runs, count: compared }, SEED, runs * RUNS);
  expect(gaps.length, `seed ${SEED}`).toBe(countWithin(gaps.length, drawn));
  expect(gaps.filter((gap) => gap > usual).length).toBeLessThanOrEqual(gaps.length * rare);
}

describe('the kernel, whose two builds answer alike,', () => {
  const solver = bothBuilds();

  it('obeys the rules on tiny graphs', () => {
    always(TINY, 2500, (instance) => obeysRules(solver, instance));
  });

  it('obeys the rules on graphs with many paths', () => {
    always(MEDIUM, 1500, (instance) => obeysRules(solver, instance));
  });

  it('names remedies that work', () => {
    const kinds = new Set<string>();
    const check = (instance: Instance) => void kinds.add(remedyHelps(solver, instance) ?? 'none');
    always(TINY, 2000, check);
    always(TINY, 1000, (instance) => check({ ...instance, maxparts: 1 }));
    always(TINY, 1000, (instance) => check({ ...instance, layers: ['auto.no_mpp_support'] }));
    always(TINY, 1000, (instance) => check({ ...instance, layers: ['auto.include_fees'] }));
    // The fee limit, the delay limit, the number of parts and the amount each prevented an answer, alone and in
    // combination.
    for (const kind of ['maxfee_msat', 'maxdelay', 'maxparts', 'maxfee_msat+maxdelay', 'amount_msat']) {
      expect(kinds).toContain(kind);
    }
  });

  it('finds the best single path', () => {
    always(TINY, 2500, (instance) => isBestPath(solver, instance));
  });

  it('finds the best single path even if the cheapest onward path delivers too little or too much', () => {
    const check = (instance: Instance) => isBestPath(solver, instance);
    fc.assert(fc.property(detours, check), { seed: SEED, numRuns: 800 * RUNS });
  });

  it('splits as well as an exhaustive search', () => {
    mostlyClose(TINY, [800, 270], WORST_GAP, 0.02, (instance) => isGoodSplit(solver, instance));
  });

  it('refuses only amounts that no flow delivers', () => {
    always(SMALL, 800, (instance) => void reachesBound(solver, instance));
  });

  it('reaches the convex bound', () => {
    mostlyClose(SMALL_SMOOTH, [600, 405], USUAL_GAP, 0.01, (instance) => reachesBound(solver, instance));
  });
});
