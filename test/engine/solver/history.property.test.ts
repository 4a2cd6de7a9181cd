/**
 * Answers and refusals do not depend on the questions that a kernel was asked before: a kernel with a history gives
 * the same answers as a new one.
 */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FulguriteError } from '../../../src/model/errors.ts';
import { type Instance, instances, realized } from '../../reference/arbitrary.ts';
import { TINY } from '../../reference/shapes.ts';
import type { Solver } from '../../reference/solver.ts';
import { kernelSolver } from './kernel-solver.ts';

const SEED = Number(process.env.FULGURITE_TEST_SEED ?? 1);
const RUNS = Number(process.env.FULGURITE_TEST_RUNS ?? 0.5);

/** What differs between the questions of one instance. */
const VARIANTS: readonly Partial<Instance>[] = [
  {},
  { maxparts: 1 },
  { layers: ['auto.no_mpp_support'] },
  { layers: ['auto.include_fees'] },
];

function outcome(solver: Solver, instance: Instance): unknown {
  const { graph, query } = realized(instance);
  const answer = solver.solve(graph, query);
  if (answer instanceof FulguriteError) return { code: answer.code, data: answer.data };
  return answer;
}

describe('a kernel with a history', () => {
  it('answers and refuses like a new one', () => {
    const used = kernelSolver('release');
    const check = (instance: Instance): void => {
      for (const variant of VARIANTS) {
        const asked = { ...instance, ...variant };
        expect(outcome(used, asked)).toEqual(outcome(kernelSolver('release'), asked));
      }
    };
    fc.assert(fc.property(instances(TINY), check), { seed: SEED, numRuns: 200 * RUNS });
  });

  it('of a question in one part, claims no more about the fee of an answer in several parts', () => {
    const used = kernelSolver('release');
    const direct = (lines: readonly string[], rest: Partial<Instance>): Instance => ({
      lines,
      amountMsat: 39_999_996n,
      maxfeeMsat: 0n,
      maxdelay: 200,
      maxparts: 100,
      layers: [],
      source: 0,
      destination: 1,
      ...rest,
    });
    outcome(used, direct(['A-B cap=10000sat > fee=0+11 delay=0'], { maxparts: 1, amountMsat: 1_000_000n }));
    const several = direct(
      [
        'A-B cap=100000sat > fee=0+10 delay=14 max=1000sat',
        'A-B cap=20000sat > fee=5000+500 delay=80 max=5000sat',
      ],
      {},
    );
    const refused = outcome(used, several);
    expect(refused).toEqual(outcome(kernelSolver('release'), several));
    expect(refused).toMatchObject({ data: { remedy: { maxfee_msat: expect.anything() } } });
  });
});
