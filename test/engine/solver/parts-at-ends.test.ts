/**
 * Parallel channels without fees, whose HTLC maximums are below their capacities. An amount can be paid in k
 * parts if and only if the k largest parts that the channels can take add up to it. The reference finds these
 * by listing all parts. A larger amount is always refused with a proof. The largest possible amount is never
 * refused, but the search may leave it undecided, because it has to use every channel to the last msat.
 */
import { expect, it } from 'vitest';
import { FulguriteError } from '../../../src/model/errors.ts';
import { msat } from '../../../src/model/msat.ts';
import { randomNumbers } from '../../interop/random-ends.ts';
import { nodeNamed, tinyGraph } from '../../reference/tiny-graph.ts';
import { kernelSolver } from './kernel-solver.ts';

const SEED = Number(process.env.FULGURITE_TEST_SEED ?? 1);
const CASES = 600 * Number(process.env.FULGURITE_TEST_RUNS ?? 1);

interface ParallelChannel {
  readonly capacitySat: number;
  readonly maximumSat: number;
}

/** The sum of the k largest parts of all channels, in sat. */
function largestParts(channels: readonly ParallelChannel[], k: number): number {
  const parts = channels.flatMap(({ capacitySat, maximumSat }) => [
    ...Array.from({ length: Math.floor(capacitySat / maximumSat) }, () => maximumSat),
    capacitySat % maximumSat,
  ]);
  return parts
    .sort((a, b) => b - a)
    .slice(0, k)
    .reduce((sum, part) => sum + part, 0);
}

it.each(['release', 'debug'] as const)(
  'the %s build proves that the parts of an end cannot carry more',
  (build) => {
    const solver = kernelSolver(build);
    const random = randomNumbers(SEED);
    const integer = (least: number, most: number) => least + Math.floor(random() * (most - least + 1));
    const seen = { payable: 0, refused: 0 };
    for (let run = 0; run < CASES; run++) {
      const channels = Array.from({ length: integer(1, 6) }, (): ParallelChannel => {
        const capacitySat = integer(1_000, 20_000);
        return { capacitySat, maximumSat: integer(Math.ceil(capacitySat / 7), capacitySat) };
      });
      const maxparts = integer(2, 8);
      const most = largestParts(channels, maxparts);
      const amountSat = random() < 0.5 ? most : most + integer(1, 500);
      // A third node behind the destination or before the source, so that either end can be the bottleneck.
      const isWideFirst = random() < 0.5;
      const wide = `${isWideFirst ? 'A-B' : 'B-C'} cap=1000000sat fee=0+0 delay=1`;
      const between = isWideFirst ? 'B-C' : 'A-B';
      const narrow = channels.map(
        ({ capacitySat, maximumSat }) =>
          `${between} cap=${capacitySat}sat fee=0+0 delay=1 max=${maximumSat}sat`,
      );
      const text = `${amountSat} sat in ${maxparts} parts of at most ${most}: ${narrow.join('; ')}`;
      const answer = solver.solve(tinyGraph([wide, ...narrow]), {
        ...{ source: nodeNamed('A'), destination: nodeNamed('C'), layers: [] },
        ...{ amountMsat: msat(BigInt(amountSat) * 1000n), maxfeeMsat: msat(0n) },
        ...{ finalCltv: 0, maxdelay: 2016, maxparts },
      });
      const isRefused = answer instanceof FulguriteError && answer.name !== 'undecided';
      expect(isRefused, text).toBe(amountSat > most);
      if (isRefused) seen.refused++;
      else seen.payable++;
    }
    expect(seen.payable + seen.refused).toBe(CASES);
    expect(Math.min(seen.payable, seen.refused)).toBeGreaterThan(CASES / 4);
  },
);
