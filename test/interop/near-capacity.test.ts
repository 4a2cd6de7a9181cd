/**
 * Requests near the capacity of their source or destination, on the mainnet snapshot. Their answers use the network
 * to its limits. An earlier search, which improved answers one part at a time, returned answers to them that cost
 * far more than a point of their own front. Each row contains the odds of such an earlier answer, in ppm.
 *
 * Random requests at 40 to 98 % of an end's capacity follow, with their fronts, as `getroutes` gives them with
 * `pareto`. FULGURITE_NEAR_CAPACITY sets their number (400 by hand, 20 usually), and FULGURITE_TEST_SEED the seed.
 */
import { expect, it } from 'vitest';
import { bestBeside, type FrontSearch, feeOf, routeFront } from '../../src/engine/question/front.ts';
import { NoRouteError } from '../../src/engine/question/no-route.ts';
import type { RouteAnswer, RouteQuery } from '../../src/engine/question/route.ts';
import { Kernel } from '../../src/engine/solver/kernel.ts';
import type { ChannelGraph } from '../../src/model/channel-graph.ts';
import { FulguriteError } from '../../src/model/errors.ts';
import { msat } from '../../src/model/msat.ts';
import type { NodeId } from '../../src/model/node-id.ts';
import { askKernel } from '../engine/solver/kernel-solver.ts';
import { describeNeeding } from '../needs.ts';
import { hasSample, snapshotGraph } from './cln/cln-sample.ts';
import { randomNode, randomNumbers } from './random-ends.ts';

const COUNT = Number(process.env.FULGURITE_NEAR_CAPACITY ?? 20);
const SEED = Number(process.env.FULGURITE_TEST_SEED ?? 1);
/** Range of the total capacity of the ends of random requests, in msat: 0.001 to 0.2 BTC. */
const ROOM = { least: 100_000_000n, most: 20_000_000_000n };

const REQUESTS: [source: string, destination: string, amountMsat: bigint, oddsBefore: number][] = [
  [
    '02ec99a74a8c8d10853e1a3b0806556abda6798a68a0cedca4c766b5f6cf314f22',
    '023a75de3310185d5e36362fd393655cb8bb5ed70c18809d36fa40220abc88a3d5',
    540_034_881n,
    0,
  ],
  [
    '034baf307a790ea4f71a5665bef3e3eca1b18b52e878d8579eff0010fd5b6075f3',
    '023ab4dd7e41d0263c4a118f17e798ba7e1df5c46a34418116c3daa6f1f460d0ed',
    218_399_541n,
    32,
  ],
];

const LIMITS = { layers: [], finalCltv: 18, maxdelay: 2016, maxparts: 100 };

/** By node: the maximum that its enabled channels pass, outgoing and incoming, msat. */
function roomOfNodes(graph: ChannelGraph): Record<'out' | 'into', Map<NodeId, bigint>> {
  const room = { out: new Map<NodeId, bigint>(), into: new Map<NodeId, bigint>() };
  const add = (sums: Map<NodeId, bigint>, node: number, capacity: bigint) => {
    const id = graph.nodeId(node);
    sums.set(id, (sums.get(id) ?? 0n) + capacity);
  };
  for (let channel = 0; channel < graph.channelCount; channel++) {
    const ends = [graph.node1[channel]!, graph.node2[channel]!] as const;
    for (const direction of [0, 1] as const) {
      if (graph.policy(2 * channel + direction)?.enabled !== true) continue;
      add(room.out, ends[direction], graph.capacityMsat[channel]!);
      add(room.into, ends[1 - direction]!, graph.capacityMsat[channel]!);
    }
  }
  return room;
}

describeNeeding('routes', hasSample, 'near the capacity of an end', () => {
  it.each(REQUESTS)('%s to %s, %i msat', (source, destination, amount, oddsBefore) => {
    const kernel = Kernel.inProcess(snapshotGraph());
    const amountMsat = msat(amount);
    const maxfeeMsat = msat(amount / 20n);
    const query = { ...LIMITS, source, destination, amountMsat, maxfeeMsat };
    const answer = askKernel(kernel, query as unknown as RouteQuery) as RouteAnswer;
    expect(answer.probabilityPpm).toBeGreaterThan(10 * oddsBefore + 100);
  });

  it(`no answer is dominated by its own front (${COUNT} requests of seed ${SEED})`, async () => {
    const graph = snapshotGraph();
    const kernel = Kernel.inProcess(graph);
    const room = roomOfNodes(graph);
    const random = randomNumbers(SEED);
    const search: FrontSearch = (asked, { knobs }) => {
      const found = askKernel(kernel, { ...asked, ...(knobs && { knobs }) } as RouteQuery);
      return found instanceof FulguriteError
        ? Promise.reject(new NoRouteError({ binding: { kind: 'unconnected' } }))
        : Promise.resolve(found);
    };
    const dominated: string[] = [];
    for (let answered = 0; answered < COUNT; ) {
      const [source, destination] = [randomNode(graph, random), randomNode(graph, random)];
      const [out, into] = [room.out.get(source) ?? 0n, room.into.get(destination) ?? 0n];
      const least = out < into ? out : into;
      const share = BigInt(Math.floor(400 + random() * 580));
      if (source === destination || least < ROOM.least || least > ROOM.most) continue;
      const amountMsat = msat((least * share) / 1000n);
      const query = { ...LIMITS, source, destination, amountMsat, maxfeeMsat: msat(amountMsat / 20n) };
      const usual = askKernel(kernel, query);
      if (usual instanceof FulguriteError) continue;
      answered++;
      const front = await routeFront(search, query, {}, usual);
      const given = bestBeside(front, usual);
      const [feeMsat, odds] = [feeOf(given), given.probabilityPpm];
      const better = front.filter(
        ({ feeMsat: fee, answer }) =>
          fee <= feeMsat && answer.probabilityPpm >= odds && (fee < feeMsat || answer.probabilityPpm > odds),
      );
      if (better.length > 0) dominated.push(`${source} to ${destination}, ${amountMsat} msat`);
    }
    expect(dominated).toEqual([]);
  }, 600_000);
});
