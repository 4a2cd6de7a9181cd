/**
 * If only the search for minimum fees finds an answer, that answer is improved at the true prices.
 *
 *        6,000 sat                                    20,000 sat, free
 *   A ═══════════════════════════════════════ E ═══════════════════════ B
 *     ╲  10,000 sat          6,000 sat       ╱        20,000 sat, 500 msat, HTLCs up to 5,000 sat
 *      ╲──────────── C ─────────────────────╱
 *        HTLCs of 1,000 to 5,000 sat, and of at least 1,000 sat
 *
 * 11,000 sat in three parts. The minimum fee is 0, over the free channel to B, which then succeeds with P =
 * 0.45. Let x sat go from A to E directly, and w = 11,000 − x through C in two parts:
 *
 *   P = (1 − x/6000) · (1 − w/6000) · (1 − w/10000) · 0.45
 *
 * An answer that only minimises fees may fill the channel of 6,000 sat: then P = 0. The derivative of ln P is
 * 0 where
 *
 *   1/(6000 − x) = 1/(6000 − w) + 1/(10000 − w)   x = 5527.5: 0.0021164 = 0.0018957 + 0.0002209
 *
 * and there P = 0.07875 · 0.087917 · 0.45275 · 0.45 = 0.0014105. Using the costlier channel may increase P
 * further.
 */
import { describe, expect, test } from 'vitest';
import type { RouteAnswer, RouteQuery } from '../../../src/engine/question/route.ts';
import { msatFromSat } from '../../../src/model/msat.ts';
import { referee } from '../../reference/referee.ts';
import { nodeNamed, tinyGraph } from '../../reference/tiny-graph.ts';
import { kernelSolver } from './kernel-solver.ts';

const DRAWN = tinyGraph([
  'A-E cap=6000sat fee=0+0',
  'A-C cap=10000sat fee=0+0 min=1000sat max=5000sat',
  'C-E cap=6000sat fee=0+0 min=1000sat',
  'E-B cap=20000sat fee=500+0 max=5000sat',
  'E-B cap=20000sat fee=0+0',
]);

const QUERY: RouteQuery = {
  source: nodeNamed('A'),
  destination: nodeNamed('B'),
  amountMsat: msatFromSat(11_000),
  layers: [],
  maxfeeMsat: msatFromSat(1_000),
  finalCltv: 18,
  maxdelay: 2016,
  maxparts: 3,
};

describe.each(['release', 'debug'] as const)('the %s build', (build) => {
  test('does not fill a channel just to save small fees', () => {
    const answer = kernelSolver(build).solve(DRAWN, QUERY) as RouteAnswer;
    expect(referee(DRAWN.lookup, QUERY, answer)).toEqual([]);
    expect(answer.probabilityPpm).toBeGreaterThanOrEqual(1_410);
  });
});
