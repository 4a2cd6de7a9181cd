/**
 * The reference search as a solver. It is slow and explains nothing, but is as good as the properties
 * require. So it shows that the properties can be satisfied before they are applied to other solvers.
 */
import { FulguriteError } from '../../src/model/errors.ts';
import { msat, U64_MAX } from '../../src/model/msat.ts';
import { bestSplit, objectiveMsat, singleParts } from './exhaustive.ts';
import { answerOf } from './naive-solver.ts';
import type { Solver } from './solver.ts';

const PRICES = { riskPriceMsatPerNat: 500_000, delayRate: 1e-8, partPriceMsat: 1_000 };

export const searchSolver: Solver = {
  name: 'reference search',
  solve(graph, query) {
    const splits = [bestSplit(graph.directions, query, PRICES), ...singleParts(graph.directions, query)];
    const answers = splits.filter((answer) => answer !== undefined);
    const costs = answers.map((answer) => objectiveMsat(answer, PRICES));
    const best = answers[costs.indexOf(Math.min(...costs))];
    if (best !== undefined) return answerOf(query, best.parts);
    const relaxed = { ...query, maxfeeMsat: msat(U64_MAX), maxdelay: 2 ** 31 };
    return bestSplit(graph.directions, relaxed, PRICES) === undefined
      ? new FulguriteError('routeNotFound', 'no set of paths found')
      : new FulguriteError('routeTooExpensive', 'only beyond the limits');
  },
  prices: () => PRICES,
};
