/**
 * Goals of the kernel other than the best answer, which only decide whether an answer exists. `first` must come to
 * the same status as `best`, because it is used to confirm remedies. `any` uses a different search, and must agree
 * with `best` on whether there is an answer. Both must take less work than `best`, or they are useless. Also tested
 * is a search from both ends, which settles only a small share of the nodes.
 */
import { describe, expect, it } from 'vitest';
import { pricesFor } from '../../../src/engine/question/objective.ts';
import { Kernel } from '../../../src/engine/solver/kernel.ts';
import type { SolveGoal } from '../../../src/engine/solver/kernel-layout.ts';
import type { Solution } from '../../../src/engine/solver/solution.ts';
import { generateSyntheticGraph } from '../../../src/gossip/synthetic.ts';

const NODES = 3_000;
const QUERIES = 240;
const ENOUGH = 1e9;

const graph = generateSyntheticGraph({ nodeCount: NODES, seed: 1 });

/**
 * Query number `index`: its ends are far apart in the list of nodes; amounts from 1 sat to 1,000,000 sat and
 * limits alternate.
 */
function question(kernel: Kernel, index: number) {
  const end = (place: number) => kernel.nodeIndex(graph.nodeId(graph.node1[place % graph.channelCount]!))!;
  const amountMsat = BigInt(10 ** (3 + (index % 7)));
  return {
    source: end(index * 37),
    destination: end(index * 101 + 13),
    amountMsat,
    maxfeeMsat: [0n, amountMsat / 10_000n, amountMsat / 3000n, amountMsat / 500n][index % 4]!,
    maxPathDelay: [170, 300, 2016][index % 3]!,
    maxparts: [1, 3, 100][(index >> 2) % 3]!,
    maxhops: 20,
  };
}

interface Solved {
  readonly solution: Solution;
  readonly steps: number;
}

function solve(kernel: Kernel, index: number, goal: SolveGoal): Solved {
  return kernel.reading(() => {
    kernel.applyStack([]);
    const asked = question(kernel, index);
    const prices = pricesFor(asked.amountMsat);
    kernel.exports.setEffort(ENOUGH);
    const before = kernel.effort;
    const solution = kernel.solve({
      ...asked,
      goal,
      riskPrice: prices.riskPriceMsatPerNat,
      delayRate: prices.delayRate,
      partPrice: prices.partPriceMsat,
    });
    return { solution, steps: kernel.effort - before };
  });
}

describe.each(['release', 'debug'] as const)(
  'the %s build, asked only whether there is an answer,',
  (build) => {
    const kernel = Kernel.inProcess(graph, build);

    it('agrees with the search for the best, and takes less work', () => {
      const steps = { best: 0, first: 0, any: 0 };
      const seen = { answered: 0, refused: 0 };
      for (let index = 0; index < QUERIES; index++) {
        const best = solve(kernel, index, 'best');
        const first = solve(kernel, index, 'first');
        const any = solve(kernel, index, 'any');
        const isAnswered = best.solution.status === 'ok';
        expect(first.solution.status, `query ${index}`).toBe(best.solution.status);
        expect(any.solution.status === 'ok', `query ${index}`).toBe(isAnswered);
        seen[isAnswered ? 'answered' : 'refused']++;
        steps.best += best.steps;
        steps.first += first.steps;
        steps.any += any.steps;
      }
      // Graph and queries are fixed. Different counts mean that the kernel's answers have changed.
      expect(seen).toEqual({ answered: 108, refused: 132 });
      expect(steps.first).toBeLessThan(steps.best);
      expect(steps.any).toBeLessThan(steps.best * 0.8);
    }, 60_000);

    it('finds single paths from both ends, and settles few nodes', () => {
      kernel.reading(() => {
        kernel.applyStack([]);
        kernel.exports.setEffort(ENOUGH);
        const before = kernel.exports.nodesSettled();
        let found = 0;
        for (let index = 0; index < QUERIES; index++) {
          const { source, destination, amountMsat } = question(kernel, index);
          found += kernel.exports.search(source, destination, amountMsat, 2 ** 31 - 1, 2 ** 31 - 1, 0, 0);
        }
        // Without limits on fee and delay, more queries have an answer.
        expect(found).toBe(214);
        // A search from one end settles half of the nodes on average.
        expect(kernel.exports.nodesSettled() - before).toBeLessThan((QUERIES * NODES) / 8);
      });
    });
  },
);
