/**
 * How much a query may cost where limits bind, counted in nodes and labels settled: on a network of mainnet's shape,
 * with amounts from one satoshi to a tenth of a bitcoin and caps from tight to none.
 */
import { describe, expect, it } from 'vitest';
import { Kernel } from '../../src/engine/kernel.ts';
import type { RouteQuery } from '../../src/engine/route.ts';
import { generateSyntheticGraph } from '../../src/gossip/synthetic.ts';
import type { ChannelGraph } from '../../src/model/channel-graph.ts';
import { FulguriteError } from '../../src/model/errors.ts';
import { msat } from '../../src/model/msat.ts';
import { directionsOf } from '../reference/graph-directions.ts';
import { referee } from '../reference/referee.ts';
import { askKernel } from './kernel-solver.ts';

const NODES = 3_000;
const QUERIES = 200;
/** A search settles at most every node once: so many searches' worth. */
const MOST_SEARCHES = 100;

/** Query number `index`: ends of two channels far apart in the list, and caps in turn. */
function constrained(graph: ChannelGraph, index: number): RouteQuery {
  const end = (place: number) => graph.nodeId(graph.node1[place % graph.channelCount]!);
  const amountMsat = BigInt(Math.floor(10 ** (3 + (index % 8))));
  return {
    source: end(index * 37),
    destination: end(index * 101 + 13),
    amountMsat: msat(amountMsat),
    layers: [],
    maxfeeMsat: msat([amountMsat / 1000n, amountMsat / 100n + 5000n, amountMsat + 10_000_000n][index % 3]!),
    finalCltv: 18,
    maxdelay: [170, 300, 500][index % 3]!,
    maxparts: [1, 3, 100, 10][index % 4]!,
  };
}

describe('a query under tight limits', () => {
  const graph = generateSyntheticGraph({ nodeCount: NODES, seed: 1 });
  const kernel = Kernel.inProcess(graph);

  it(`settles no more than ${MOST_SEARCHES} searches would, and keeps the rules`, () => {
    const lookup = directionsOf(graph);
    let answered = 0;
    let refused = 0;
    for (let index = 0; index < QUERIES; index++) {
      const query = constrained(graph, index);
      if (query.source === query.destination) continue;
      const before = kernel.exports.nodesSettled();
      const answer = askKernel(kernel, query);
      const settled = kernel.exports.nodesSettled() - before;
      expect(settled, `nodes settled by query ${index}`).toBeLessThan(MOST_SEARCHES * NODES);
      if (answer instanceof FulguriteError) refused++;
      else {
        answered++;
        expect(referee(lookup, query, answer), `query ${index}`).toEqual([]);
      }
    }
    expect(answered).toBeGreaterThan(QUERIES / 10);
    expect(refused).toBeGreaterThan(QUERIES / 10);
  }, 60_000);
});
