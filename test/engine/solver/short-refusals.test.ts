/**
 * How much work it takes to refuse amounts that a channel near the source cannot carry, counted in steps, and which
 * smaller amount is named. Next to the destination is a hub, whose other neighbours are no help:
 *
 *   S ──── A ──── B ──── H ──── D
 *                       ╱│╲
 *                     many more
 */
import { expect, test } from 'vitest';
import { pricesFor } from '../../../src/engine/question/objective.ts';
import { ANY_REMEDY } from '../../../src/engine/question/remedy-rules.ts';
import { Kernel } from '../../../src/engine/solver/kernel.ts';
import { solveRoute } from '../../../src/engine/solver/solve-route.ts';
import { msat, msatFromSat } from '../../../src/model/msat.ts';
import { nodeNamed, tinyGraph } from '../../reference/tiny-graph.ts';

const NEIGHBOURS = 1_000;
const spokes = Array.from({ length: NEIGHBOURS }, (_, index) => `H-${100 + index} fee=1+0`);

const AMOUNT = msatFromSat(100_000);
const LIMITS = { amountMsat: AMOUNT, maxfeeMsat: AMOUNT, maxparts: 100, maxhops: 20 };

function kernelWith(lines: readonly string[]): Kernel {
  return Kernel.inProcess(tinyGraph([...lines, 'B-H fee=1+0', 'H-D fee=1+0', ...spokes]).graph);
}

const TOO_SMALL = ['S-A fee=0+0', 'A-B cap=10000sat fee=1+0'];
const NO_ROOM_FOR_FEES = ['S-A cap=100000sat fee=0+0', 'A-B fee=1+0'];
const BELOW_MINIMUM = tinyGraph(['S-A fee=0+0', 'A-H', 'H-D min=100001sat', ...spokes]);
/** The wide channel S-E leads only to E and F. */
const ROOM_TO_DEAD_END = [...NO_ROOM_FOR_FEES, 'S-E fee=0+0', 'E-F fee=1+0'];

test.each([
  ['a channel is too small', kernelWith(TOO_SMALL)],
  ['nothing is left for fees', kernelWith(NO_ROOM_FOR_FEES)],
  ['nothing is left for fees except on the way to a dead end', kernelWith(ROOM_TO_DEAD_END)],
  ['the amount is below an HTLC minimum of the destination', Kernel.inProcess(BELOW_MINIMUM.graph)],
])('a refusal takes few steps if %s', (_, kernel) => {
  const { riskPriceMsatPerNat, delayRate, partPriceMsat } = pricesFor(AMOUNT);
  const solution = kernel.reading(() => {
    kernel.applyStack([]);
    kernel.exports.setEffort(1e9);
    return kernel.solve({
      source: kernel.nodeIndex(nodeNamed('S'))!,
      destination: kernel.nodeIndex(nodeNamed('D'))!,
      ...{ ...LIMITS, maxPathDelay: 2016 },
      ...{ riskPrice: riskPriceMsatPerNat, delayRate, partPrice: partPriceMsat },
    });
  });
  expect(solution.status).toBe('noCapacity');
  expect(kernel.effort).toBeLessThan(NEIGHBOURS);
});

// A part pays 1 msat to B and 1 msat to H. To A it pays 1 msat for A-B, which does not leave S.
test.each([
  ['a channel is too small', TOO_SMALL, msatFromSat(10_000) - 2n],
  ['nothing is left for fees', NO_ROOM_FOR_FEES, AMOUNT - 3n],
])('the remedy leaves no more room than fees need if %s', (_, lines, mostMsat) => {
  const outcome = solveRoute(kernelWith(lines), {
    ...{ source: nodeNamed('S'), destination: nodeNamed('D'), ...LIMITS, finalCltv: 0, maxdelay: 2016 },
    ...{ layerIds: [], layerNames: [], includeFees: false, remedies: ANY_REMEDY },
  });
  const remedy = 'noRoute' in outcome ? outcome.noRoute.remedy : undefined;
  expect(remedy).toEqual({ amountMsat: expect.any(BigInt) });
  expect(remedy!.amountMsat).toBeLessThanOrEqual(mostMsat);
  expect(remedy!.amountMsat).toBeGreaterThan(mostMsat - 3n);
});

test('the fee of the cheapest answer is the remedy, without another search', () => {
  const kernel = kernelWith(['S-A fee=0+0', 'A-D fee=1000+0']);
  let searches = 0;
  const solve = kernel.solve.bind(kernel);
  kernel.solve = (...asked) => {
    searches++;
    return solve(...asked);
  };
  const outcome = solveRoute(kernel, {
    ...{ source: nodeNamed('S'), destination: nodeNamed('D'), ...LIMITS, finalCltv: 0, maxdelay: 2016 },
    ...{ maxfeeMsat: msat(999n), layerIds: [], layerNames: [], includeFees: false, remedies: ANY_REMEDY },
  });
  expect(outcome).toMatchObject({ noRoute: { remedy: { maxfeeMsat: 1000n } } });
  expect(searches).toBe(1);
});
