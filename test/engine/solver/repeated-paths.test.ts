/**
 * Parts that HTLC maximums make small share a path, and are found without a search for each:
 *
 *         ┌── C ── E ──┐      cheap, but each HTLC carries at most 1/40 of the amount
 *     S ──┤            ├── D
 *         └──── B ─────┘      carries the whole amount, at a higher fee
 *
 * In the second network another path of this kind becomes the cheaper one while parts fill the first.
 */
import { expect, test } from 'vitest';
import { pricesFor } from '../../../src/engine/question/objective.ts';
import { Kernel } from '../../../src/engine/solver/kernel.ts';
import type { KernelBuild } from '../../../src/engine/solver/kernel-memory.ts';
import { msatFromSat } from '../../../src/model/msat.ts';
import { nodeNamed, tinyGraph } from '../../reference/tiny-graph.ts';

const AMOUNT = msatFromSat(400_000);
const WIDE = ['S-B cap=100000000sat', 'B-D cap=100000000sat fee=0+20000'];
const cheap = (node: string, next: string, capacity = '100000000sat') => [
  `S-${node} cap=${capacity}`,
  `${node}-${next} cap=${capacity} max=10000sat fee=0+10`,
  `${next}-D cap=${capacity} fee=0+0`,
];

function solved(lines: readonly string[], build: KernelBuild) {
  const kernel = Kernel.inProcess(tinyGraph(lines).graph, build);
  const { riskPriceMsatPerNat, delayRate, partPriceMsat } = pricesFor(AMOUNT);
  return kernel.reading(() => {
    kernel.applyStack([]);
    const before = kernel.exports.searchesRun();
    const { status, parts } = kernel.solve({
      source: kernel.nodeIndex(nodeNamed('S'))!,
      destination: kernel.nodeIndex(nodeNamed('D'))!,
      ...{ amountMsat: AMOUNT, maxfeeMsat: AMOUNT, maxPathDelay: 2016, maxparts: 100, maxhops: 20 },
      ...{ riskPrice: riskPriceMsatPerNat, delayRate, partPrice: partPriceMsat },
    });
    const paths = new Map<string, bigint>();
    for (const { arcs, amountMsat } of parts)
      paths.set(String(arcs), (paths.get(String(arcs)) ?? 0n) + amountMsat);
    const searches = kernel.exports.searchesRun() - before;
    return { status, parts: parts.length, byPath: [...paths.values()], searches, cost: kernel.answerCost };
  });
}

test.each(['release', 'debug'] as const)(
  'many parts on one path need few searches, in the %s build',
  (build) => {
    const { status, parts, byPath, searches } = solved([...WIDE, ...cheap('C', 'E')], build);
    expect({ status, parts, paths: byPath.length }).toEqual({ status: 'ok', parts: 40, paths: 1 });
    expect(searches).toBeLessThan(12);
  },
);

test('parts leave a path as soon as another one is cheaper', () => {
  const lines = [...WIDE, ...cheap('C', 'E', '600000sat'), ...cheap('F', 'G', '600000sat')];
  const { status, byPath, searches } = solved(lines, 'release');
  expect(status).toBe('ok');
  expect(byPath.map((msat) => Math.round(Number(msat) / 1e6))).toEqual([200, 200]);
  expect(searches).toBeLessThan(25);
});
