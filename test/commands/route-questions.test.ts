/**
 * `askrene-score`, `getroutes-batch` and `getroutes` with `pareto`, through the socket. The expected answers
 * come from single `getroutes` calls.
 *
 *           1,000 msat   5,000 msat   50,000 msat       fee of the second hop; the first is free
 *   A ─── B ─────────── D
 *   A ─── C ──────────────────────── D                  B-D 1,100 sat, C-D 3,000 sat, E-D 1,000,000 sat
 *   A ─── E ───────────────────────────────────── D     A-B, A-C, A-E 1,000,000 sat; 6 blocks each
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { NodeContext } from '../../src/commands/context.ts';
import { COMMANDS } from '../../src/commands/index.ts';
import { RouteEngine } from '../../src/engine/host/engine.ts';
import { generateSyntheticGraph } from '../../src/gossip/synthetic.ts';
import { LayerBook } from '../../src/layers/layer-book.ts';
import type { ChannelGraph } from '../../src/model/channel-graph.ts';
import { inProcessSolvers } from '../engine/host/in-process-solvers.ts';
import { nodeNamed, tinyGraph } from '../reference/tiny-graph.ts';
import { RawClient, serve, type TestServer } from '../rpc/support.ts';
import { randomFrom } from '../store/layer-actions.ts';

const tiny = tinyGraph([
  'A-B 1x1x1 fee=0+0',
  'B-D 2x2x2 cap=1100sat fee=1000+0',
  'A-C 3x3x3 fee=0+0',
  'C-D 4x4x4 cap=3000sat fee=5000+0',
  'A-E 5x5x5 fee=0+0',
  'E-D 6x6x6 fee=50000+0',
]).graph;
const [A, B, C, D] = [nodeNamed('A'), nodeNamed('B'), nodeNamed('C'), nodeNamed('D')] as const;
const along = (channel: string, from: string, to: string): string => `${channel}/${from < to ? 0 : 1}`;
const [AB, BD] = [along('1x1x1', A, B), along('2x2x2', B, D)];
const [AC, CD] = [along('3x3x3', A, C), along('4x4x4', C, D)];

let graph: ChannelGraph;
let book: LayerBook;
let engine: RouteEngine;
let server: TestServer;
let client: RawClient;
const context = {
  get graph() {
    return graph;
  },
  get engine() {
    return engine;
  },
  get layers() {
    return book;
  },
  layersDurable: async () => undefined,
} as unknown as NodeContext;

async function open(now: ChannelGraph): Promise<void> {
  await engine?.close();
  graph = now;
  book = new LayerBook(() => 1_800_000_000);
  engine = new RouteEngine({ book, solvers: inProcessSolvers() });
  engine.publish(graph);
}

beforeAll(async () => {
  server = await serve(COMMANDS, context);
  client = new RawClient(server.path);
});
afterAll(async () => {
  client.close();
  await server.stop();
  await engine.close();
});

// biome-ignore lint/suspicious/noExplicitAny: answers are JSON, compared whole or member by member
async function ask(method: string, params: object): Promise<any> {
  return JSON.parse((await client.ask(JSON.stringify({ id: 1, method, params })))!);
}
// biome-ignore lint/suspicious/noExplicitAny: as above
async function result(method: string, params: object): Promise<any> {
  const { result: found, error } = await ask(method, params);
  if (error !== undefined) throw new Error(`${method}: ${error.code} ${error.message}`);
  return found;
}

const request = { source: A, destination: D, amount_msat: 1_000_000, layers: [], final_cltv: 18 };
const GENEROUS = { ...request, maxfee_msat: 1_000_000, maxparts: 1 };

/** floor(10^6 · ∏ (capacity − amount) / capacity) */
function ppm(...hops: readonly [amountMsat: bigint, capacityMsat: bigint][]): number {
  let [above, below] = [1_000_000n, 1n];
  for (const [amount, capacity] of hops) [above, below] = [above * (capacity - amount), below * capacity];
  return Number(above / below);
}

describe('on six channels', () => {
  beforeEach(() => open(tiny));

  it('the front consists of the three routes, cheapest first', async () => {
    const { front } = await result('getroutes', { ...GENEROUS, pareto: true });
    const wide = 10n ** 9n;
    expect(
      front.map((point: { fee_msat: number; probability_ppm: number }) => [
        point.fee_msat,
        point.probability_ppm,
      ]),
    ).toEqual([
      [1000, ppm([1_001_000n, wide], [1_000_000n, 1_100_000n])],
      [5000, ppm([1_005_000n, wide], [1_000_000n, 3_000_000n])],
      [50_000, ppm([1_050_000n, wide], [1_000_000n, wide])],
    ]);
    expect(
      front[1].routes[0].path.map((hop: { short_channel_id_dir: string }) => hop.short_channel_id_dir),
    ).toEqual([AC, CD]);
  });

  it('the front respects the limits of the request, and an error is that of a single request', async () => {
    const { front } = await result('getroutes', { ...GENEROUS, maxfee_msat: 5000, pareto: true });
    expect(front.map(({ fee_msat }: { fee_msat: number }) => fee_msat)).toEqual([1000, 5000]);
    const none = { ...GENEROUS, maxfee_msat: 999 };
    expect((await ask('getroutes', { ...none, pareto: true })).error).toEqual(
      (await ask('getroutes', none)).error,
    );
    expect(await result('getroutes', GENEROUS)).not.toHaveProperty('front');
  });

  it('a score counts fee, delay and probability hop by hop', async () => {
    const score = await result('askrene-score', { path: [AC, CD], amount_msat: 1_000_000, layers: [] });
    expect(score).toMatchObject({
      probability_ppm: ppm([1_005_000n, 10n ** 9n], [1_000_000n, 3_000_000n]),
      amount_sent_msat: 1_005_000,
      fee_msat: 5000,
      delay: 18 + 6 + 6,
      faults: [],
      path: [
        { node_id_in: A, node_id_out: C, amount_in_msat: 1_005_000, cltv_in: 30, probability_ppm: 998_995 },
        { node_id_in: C, amount_out_msat: 1_000_000, maximum_msat: 3_000_000, probability_ppm: 666_666 },
      ],
    });
  });

  it('a score names each violated limit, and the hop that violates it', async () => {
    const faults = async (more: object) =>
      (await result('askrene-score', { path: [AB, BD], amount_msat: 1_000_000, layers: [], ...more })).faults;
    expect(await faults({ amount_msat: 1_100_001 })).toEqual([
      { fault: 'above_htlc_maximum', hop: 1, short_channel_id_dir: BD, limit_msat: 1_100_000 },
      { fault: 'too_little_liquidity', hop: 1, short_channel_id_dir: BD, limit_msat: 1_100_000 },
    ]);
    expect(await faults({ maxfee_msat: 999, maxdelay: 29 })).toEqual([
      { fault: 'fee', limit_msat: 999 },
      { fault: 'delay', limit: 29 },
    ]);
    expect(await faults({ maxfee_msat: 1000, maxdelay: 30 })).toEqual([]);
    const back = along('2x2x2', D, B);
    expect(await faults({ path: [AB, BD, back] })).toEqual([{ fault: 'loop', hop: 2 }]);
    expect(await faults({ path: [AB, ...Array(10).fill([BD, back]).flat()] })).toEqual(
      expect.arrayContaining([
        { fault: 'hops', limit: 20 },
        { fault: 'loop', hop: 2 },
      ]),
    );
  });

  it('a score takes layers into account', async () => {
    const layer = 'said';
    await result('askrene-create-layer', { layer });
    const known = { layer, short_channel_id_dir: AB, amount_msat: 900_000, inform: 'constrained' };
    await result('askrene-inform-channel', known);
    await result('askrene-update-channel', { layer, short_channel_id_dir: BD, enabled: false });
    const scored = { path: [AB, BD], amount_msat: 1_000_000 };
    expect(await result('askrene-score', { ...scored, layers: [layer] })).toMatchObject({
      probability_ppm: 0,
      faults: [
        { fault: 'too_little_liquidity', hop: 0, limit_msat: 899_999 },
        { fault: 'disabled', hop: 1, short_channel_id_dir: BD },
      ],
    });
    expect((await result('askrene-score', { ...scored, layers: [] })).faults).toEqual([]);
  });

  it.each([
    [{ path: [] }, 'path: should have a hop'],
    [{ path: ['9x9x9/0'] }, 'path: no such channel: 9x9x9/0'],
    [{ path: [AB, CD] }, `path: ${CD} does not start where the previous hop ends`],
    [{ amount_msat: 0 }, 'amount_msat: amount must be non-zero'],
    [{ layers: ['auto.include_fees'] }, /does not apply/],
    [{ path: [7] }, /short_channel_id_dir/],
    [{ path: [{}] }, /short_channel_id_dir/],
  ])('a score of %j is refused', async (wrong, message) => {
    const { error } = await ask('askrene-score', { path: [AB, BD], amount_msat: 1, layers: [], ...wrong });
    expect(error).toMatchObject({ code: -32602, message: expect.stringMatching(message) });
  });

  it.each([
    [{ destination: D }, /should have a member amount_msat/],
    [{ destination: D, amount_msat: 1, label: 'x' }, /unknown member label/],
    [{ destination: D, amount_msat: 0 }, /requests\[1\]: amount must be non-zero/],
    [{ destination: A, amount_msat: 1 }, /requests\[1\]: source and destination/],
    [{ destination: 'x', amount_msat: 1 }, /destination: should be a node id/],
  ])('a batch with %j is refused whole', async (wrong, message) => {
    const requests = [{ destination: D, amount_msat: 1 }, wrong];
    const { error } = await ask('getroutes-batch', { source: A, requests, layers: [], maxfee_msat: 1000 });
    expect(error).toMatchObject({ code: -32602, message: expect.stringMatching(message) });
  });

  it('answers of a batch equal those of single requests, including errors, in order', async () => {
    const requests = [
      { destination: D, amount_msat: 1_000_000 },
      { destination: D, amount_msat: 1_000_000, maxfee_msat: 10 },
      { destination: B, amount_msat: 5000, maxparts: 1 },
      { destination: nodeNamed('Z'), amount_msat: 5 },
      { source: C, destination: A, amount_msat: 7, maxdelay: 20 },
    ];
    const shared = { source: A, layers: [], maxfee_msat: 100_000, final_cltv: 18 };
    const { answers } = await result('getroutes-batch', { ...shared, requests });
    for (const [index, one] of requests.entries()) {
      const { destination, amount_msat } = one;
      const single = await ask('getroutes', { ...shared, ...one });
      const told = single.error === undefined ? single.result : { error: single.error };
      expect(answers[index], `request ${index}`).toEqual({ destination, amount_msat, ...told });
    }
  });
});

describe('on a synthetic network', () => {
  const seed = 20_260_203;
  const SCALES = [1000, 100_000, 10_000_000];
  /** Random requests between nodes that have channels. */
  function randomRequests(count: number): { source: string; destination: string; amount_msat: number }[] {
    const random = randomFrom(seed);
    const nodes = Array.from({ length: graph.nodeCount }, (_, node) => node).filter(
      (node) => graph.nodeDegree[node]! > 0,
    );
    const some = () => graph.nodeId(nodes[random(nodes.length)]!);
    return Array.from({ length: count }, () => ({
      source: some(),
      destination: some(),
      amount_msat: SCALES[random(SCALES.length)]! * (1 + random(9)),
    })).filter(({ source, destination }) => source !== destination);
  }
  const shared = { layers: [], maxfee_msat: 10_000_000, final_cltv: 18 };

  beforeEach(() => open(generateSyntheticGraph({ nodeCount: 150, seed: 3 })));

  it('the score of a route from getroutes equals the figures that getroutes gives for it', async () => {
    let routes = 0;
    for (const one of randomRequests(25)) {
      const { result: answer } = await ask('getroutes', { ...shared, ...one });
      for (const route of answer?.routes ?? []) {
        const { path, amount_msat, probability_ppm } = route;
        const score = await result('askrene-score', { path, amount_msat, layers: [], final_cltv: 18 });
        expect(score, JSON.stringify(one)).toMatchObject({
          probability_ppm,
          amount_sent_msat: path[0].amount_in_msat,
          delay: path[0].cltv_in,
          faults: [],
        });
        expect(score.path).toMatchObject(
          path.map(({ next_node_id, amount_msat: _, delay, ...hop }: Record<string, unknown>) => hop),
        );
        routes++;
      }
    }
    expect(routes).toBeGreaterThan(20);
  });

  it('no point of a front is dominated by a different point or by what getroutes finds at its fee', async () => {
    let points = 0;
    for (const one of randomRequests(12)) {
      const { result: answer } = await ask('getroutes', { ...shared, ...one, pareto: true });
      if (answer === undefined) continue;
      const front: { fee_msat: number; probability_ppm: number }[] = answer.front;
      for (const [index, point] of front.entries()) {
        const next = front[index + 1];
        if (next !== undefined) {
          expect(next.fee_msat).toBeGreaterThan(point.fee_msat);
          expect(next.probability_ppm).toBeGreaterThan(point.probability_ppm);
        }
        const again = await result('getroutes', { ...shared, ...one, maxfee_msat: point.fee_msat });
        expect(again.probability_ppm, JSON.stringify(one)).toBeLessThanOrEqual(point.probability_ppm);
        points++;
      }
    }
    expect(points).toBeGreaterThan(12);
  });

  it('a batch returns what its requests return one by one', async () => {
    const requests = randomRequests(60);
    const { source } = requests[0]!;
    const { answers } = await result('getroutes-batch', { source, requests, ...shared });
    for (const [index, one] of requests.entries()) {
      const { destination, amount_msat } = one;
      const single = await ask('getroutes', { ...shared, ...one });
      const told = single.error === undefined ? single.result : { error: single.error };
      expect(answers[index], `request ${index}`).toEqual({ destination, amount_msat, ...told });
    }
  });
});
