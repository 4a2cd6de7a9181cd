/**
 * Tests of the properties: the reference search has all of them, the naive solver does not, and a solver that
 * cheats in any way is caught.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FulguriteError } from '../../src/model/errors.ts';
import { type Instance, instances } from './arbitrary.ts';
import { naiveSolver } from './naive-solver.ts';
import { isBestPath, isGoodSplit, obeysRules, reachesBound, WORST_GAP } from './properties.ts';
import { searchSolver } from './search-solver.ts';
import { TINY, TINY_SMOOTH } from './shapes.ts';
import type { Solver } from './solver.ts';

const SEED = Number(process.env.FULGURITE_TEST_SEED ?? 1);

type Property = (solver: Solver, instance: Instance) => unknown;

function holds(property: Property, solver: Solver, shape = TINY, numRuns = 300): void {
  const check = (instance: Instance) => void property(solver, instance);
  fc.assert(fc.property(instances(shape), check), { seed: SEED, numRuns, endOnFailure: true });
}

describe('the reference search', () => {
  // HTLC limits may require more parts over one path than the search tries.
  it('obeys the rules', () => holds(obeysRules, searchSolver, { ...TINY, htlcLimits: false }));
  it('finds the best path', () => holds(isBestPath, searchSolver));
  it('splits well', () => holds(splitsWell, searchSolver, TINY, 100));
  it('reaches the linear bound', () => holds(reachesBound, searchSolver, TINY_SMOOTH, 100));
});

/**
 * The gap of one instance, with a strict check. On this small set, a correct solver has no gap above the
 * maximum.
 */
const splitsWell: Property = (solver, instance) => {
  expect(isGoodSplit(solver, instance) ?? 0).toBeLessThanOrEqual(WORST_GAP);
};

const refusing: Solver = { ...searchSolver, solve: () => new FulguriteError('routeNotFound', 'never') };
const crying: Solver = { ...searchSolver, solve: () => new FulguriteError('routeTooExpensive', 'always') };
const dear: Solver = {
  ...naiveSolver,
  prices: () => ({ riskPriceMsatPerNat: 10_000_000, delayRate: 0, partPriceMsat: 0 }),
};

describe('a solver that', () => {
  it.each<[string, Property, Solver]>([
    ['refuses everything', obeysRules, refusing],
    ['refuses everything', isBestPath, refusing],
    ['refuses everything', splitsWell, refusing],
    ['refuses everything', reachesBound, refusing],
    ['calls everything too expensive', obeysRules, crying],
    ['considers only fees', isBestPath, dear],
    ['considers only fees', splitsWell, dear],
    ['considers only fees', reachesBound, dear],
  ])('%s is caught (%o)', (_, property, solver) => {
    expect(() => holds(property, solver, property === reachesBound ? TINY_SMOOTH : TINY)).toThrow();
  });
});
