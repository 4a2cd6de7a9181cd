/**
 * Maximum flow and its minimum cut, compared with the simplest known algorithm, on random small graphs, in
 * both builds.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Kernel } from '../../src/engine/solver/kernel.ts';
import { tinyGraph } from '../reference/tiny-graph.ts';

const NODES = 'ABCDEF';

interface Edge {
  readonly from: number;
  readonly to: number;
  readonly capacitySat: number;
  readonly back: boolean;
}

const edges = fc.array(
  fc.record({
    from: fc.integer({ min: 0, max: NODES.length - 1 }),
    to: fc.integer({ min: 0, max: NODES.length - 1 }),
    capacitySat: fc.integer({ min: 1, max: 50 }),
    back: fc.boolean(),
  }),
  { minLength: 1, maxLength: 14 },
);

/**
 * The graph as lines such as `A-B cap=5sat > fee=0+0 < fee=0+0 off`. An edge in only one direction ends with `off`.
 */
function drawing(list: readonly Edge[]): string[] {
  return list
    .filter(({ from, to }) => from !== to)
    .map(({ from, to, capacitySat, back }) => {
      const ends = `${NODES[from]}-${NODES[to]}`;
      return `${ends} cap=${capacitySat}sat > fee=0+0 < fee=0+0${back ? '' : ' off'}`;
    });
}

/** Ford and Fulkerson (1956), depth first, on a matrix of residual capacities. */
function plainMaxFlow(capacity: number[][], source: number, sink: number): number {
  const push = (node: number, most: number, seen: Set<number>): number => {
    if (node === sink) return most;
    seen.add(node);
    for (let next = 0; next < capacity.length; next++) {
      if (seen.has(next) || capacity[node]![next]! <= 0) continue;
      const pushed = push(next, Math.min(most, capacity[node]![next]!), seen);
      if (pushed === 0) continue;
      capacity[node]![next]! -= pushed;
      capacity[next]![node]! += pushed;
      return pushed;
    }
    return 0;
  };
  let total = 0;
  for (
    let pushed = push(source, Infinity, new Set());
    pushed > 0;
    pushed = push(source, Infinity, new Set())
  ) {
    total += pushed;
  }
  return total;
}

describe.each(['release', 'debug'] as const)('maximum flow, %s build', (build) => {
  it('equals the plain algorithm, and its cut proves it', () => {
    fc.assert(
      fc.property(edges, (list) => {
        const lines = drawing(list);
        const used = [...new Set(list.filter((e) => e.from !== e.to).flatMap((e) => [e.from, e.to]))];
        fc.pre(used.length >= 2);
        const { graph } = tinyGraph(lines);
        const kernel = Kernel.inProcess(graph, build);
        const capacity = NODES.split('').map(() => NODES.split('').map(() => 0));
        kernel.reading(() => {
          const arcs = Array.from({ length: graph.channelCount * 2 }, (_, arc) => kernel.arc(arc));
          for (const arc of arcs) {
            if (arc.enabled) capacity[arc.tail]![arc.head]! += Number(arc.maxMsat);
          }
          const [source, sink] = [0, 1];
          const expected = plainMaxFlow(structuredClone(capacity), source, sink);
          const wanted = 10n ** 12n;
          expect(kernel.exports.maxFlow(source, sink, wanted)).toBe(BigInt(expected));
          const count = kernel.exports.listCut(100);
          const cut = [...new Uint32Array(kernel.view.buffer, kernel.exports.arcList() >>> 0, count)];
          expect(cut.reduce((sum, arc) => sum + Number(kernel.arc(arc).maxMsat), 0)).toBe(expected);
          for (const { from, to } of cut.map((arc) => ({
            from: kernel.arc(arc).tail,
            to: kernel.arc(arc).head,
          }))) {
            capacity[from]![to] = 0;
          }
          expect(plainMaxFlow(capacity, source, sink)).toBe(0);
        });
      }),
      { numRuns: 150 },
    );
  });
});
