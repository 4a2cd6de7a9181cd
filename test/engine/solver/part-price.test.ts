/**
 * A split has to be worth its parts: each additional part costs 10 msat + 3 ppm of the amount (objective.ts).
 *
 *            ┌─ B ─ C ─┐
 *          A ─ D ─ E ──── Z      five paths of three channels of 1,000,000 sat each, all free
 *            └─  ...  ─┘
 *
 * A path that carries x sat has P = (1 − x/10⁶)³, and a nat of −ln P costs 2 sat + 0.1 % of the amount.
 */
import { describe, expect, it } from 'vitest';
import { pricesFor } from '../../../src/engine/question/objective.ts';
import type { RouteAnswer, RouteQuery } from '../../../src/engine/question/route.ts';
import { Kernel } from '../../../src/engine/solver/kernel.ts';
import { msatFromSat } from '../../../src/model/msat.ts';
import { nodeId, tinyGraph } from '../../reference/tiny-graph.ts';
import { askKernel } from './kernel-solver.ts';

const FIVE_WAYS = tinyGraph(
  [1, 3, 5, 7, 9].flatMap((node) => [
    `0-${node} fee=0+0`,
    `${node}-${node + 1} fee=0+0`,
    `${node + 1}-20 fee=0+0`,
  ]),
);

function ask(sat: number): RouteAnswer {
  const query: RouteQuery = {
    source: nodeId(0),
    destination: nodeId(20),
    amountMsat: msatFromSat(sat),
    layers: [],
    maxfeeMsat: msatFromSat(sat),
    finalCltv: 18,
    maxdelay: 2016,
    maxparts: 100,
  };
  return askKernel(Kernel.inProcess(FIVE_WAYS.graph), query) as RouteAnswer;
}

describe('the price of an additional part', () => {
  it('is 10 msat + 3 ppm', () => {
    expect(pricesFor(10_000_000n).partPriceMsat).toBe(40);
    expect(pricesFor(100_000_000n).partPriceMsat).toBe(310);
  });

  it('keeps 10,000 sat in one part', () => {
    // 0.99³ = 0.970299; five parts of 2,000 sat: 0.998¹⁵ = 0.970414. The gain of 0.000118 nats at 12,000 msat
    // per nat is 1.4 msat, but each of the four additional parts costs 40 msat.
    const answer = ask(10_000);
    expect(answer.routes.length).toBe(1);
    expect(answer.probabilityPpm).toBe(970_299);
  });

  it('still splits 500,000 sat over all five', () => {
    // One part: 0.5³ = 0.125. Five of 100,000 sat: 0.9¹⁵ = 0.205891. The gain of 0.499 nats at 502,000 msat
    // per nat is 250,000 msat, and each of the four additional parts costs 1,510 msat. The fifth part alone,
    // from four of 125,000 sat (12 · −ln 0.875 = 1.6024 nats) to five (15 · −ln 0.9 = 1.5804), saves 11,000
    // msat.
    const answer = ask(500_000);
    expect(answer.routes.length).toBe(5);
    expect(answer.probabilityPpm).toBeGreaterThan(205_800);
  });
});
