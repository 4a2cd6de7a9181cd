/**
 * The kernel routes random amounts between random nodes of the mainnet snapshot. The referee judges every
 * answer, and no search may crash. FULGURITE_SNAPSHOT_QUERIES sets the number of queries (10,000 by hand, a
 * few hundred usually), and FULGURITE_TEST_SEED sets the seed.
 */
import { expect, it } from 'vitest';
import type { RouteQuery } from '../../src/engine/question/route.ts';
import { Kernel } from '../../src/engine/solver/kernel.ts';
import type { ChannelGraph } from '../../src/model/channel-graph.ts';
import { ERRORS, FulguriteError } from '../../src/model/errors.ts';
import { msat } from '../../src/model/msat.ts';
import { askKernel } from '../engine/solver/kernel-solver.ts';
import { describeNeeding } from '../needs.ts';
import { directionsOf } from '../reference/graph-directions.ts';
import { referee, withAutomaticLayers } from '../reference/referee.ts';
import { countWithin, likeDrawn } from '../statistics.ts';
import { hasSample, snapshotGraph } from './cln/cln-sample.ts';
import { randomNode, randomNumbers } from './random-ends.ts';

const QUERIES = Number(process.env.FULGURITE_SNAPSHOT_QUERIES ?? 300);
const SEED = Number(process.env.FULGURITE_TEST_SEED ?? 1);
const EXPECTED: readonly number[] = [
  ERRORS.routeNotFound.code,
  ERRORS.routeTooExpensive.code,
  ERRORS.sourceCapacity.code,
  ERRORS.destinationCapacity.code,
];

/** Amounts from 1 sat to 0.1 BTC, evenly on a logarithmic scale; limits from tight to none. */
function randomQuery(graph: ChannelGraph, random: () => number): RouteQuery {
  const pick = <T>(values: readonly T[]) => values[Math.floor(random() * values.length)]!;
  const source = randomNode(graph, random);
  let destination = randomNode(graph, random);
  while (destination === source) destination = randomNode(graph, random);
  const amountMsat = msat(Math.floor(10 ** (3 + random() * 7)));
  return {
    source,
    destination,
    amountMsat,
    layers: pick([[], ['auto.sourcefree'], ['auto.no_mpp_support']]),
    maxfeeMsat: msat(pick([amountMsat / 1000n, amountMsat / 100n + 5000n, amountMsat + 10_000_000n])),
    finalCltv: pick([0, 18, 144]),
    maxdelay: pick([2016, 2016, 1008, 400]),
    maxparts: pick([100, 100, 10, 3, 1]),
  };
}

describeNeeding('routes', hasSample, 'random queries on the snapshot', () => {
  it(`are answered by the rules (${QUERIES} of seed ${SEED})`, () => {
    const graph = snapshotGraph();
    const lookup = directionsOf(graph);
    const kernel = Kernel.inProcess(graph);
    const random = randomNumbers(SEED);
    const wrong: string[] = [];
    const latencies: number[] = [];
    let answered = 0;
    for (let index = 0; index < QUERIES; index++) {
      const query = randomQuery(graph, random);
      const start = performance.now();
      const answer = askKernel(kernel, query);
      latencies.push(performance.now() - start);
      const name = `query ${index} (${query.source} to ${query.destination}, ${query.amountMsat} msat)`;
      if (answer instanceof FulguriteError) {
        if (!EXPECTED.includes(answer.code)) wrong.push(`${name}: ${answer.code} ${answer.message}`);
        continue;
      }
      answered++;
      const violations = referee(withAutomaticLayers(lookup, query), query, answer);
      wrong.push(...violations.map((violation) => `${name}: ${violation}`));
    }
    latencies.sort((a, b) => a - b);
    const quantile = (share: number) => latencies[Math.floor(share * (QUERIES - 1))]!.toFixed(2);
    process.stdout.write(
      `${answered} answered; ms p50 ${quantile(0.5)}, p99 ${quantile(0.99)}, most ${quantile(1)}\n`,
    );
    expect(wrong).toEqual([]);
    // Every refusal is proved (210, undecided, is not expected). So the number of answers depends only on the
    // draw.
    const usual = likeDrawn({ seed: 1, trials: 300, count: 104 }, SEED, QUERIES);
    expect(answered, `seed ${SEED}`).toBe(countWithin(answered, usual));
  }, 1_200_000);
});
