/**
 * Files of other simulators: rows of sim-ln as its sources define them, CLoTH's outputs checked by its own
 * rules, fields that only forks have, and a network that networkx reads.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { generateSyntheticGraph } from '../../src/gossip/synthetic.ts';
import { writeNetwork } from '../../src/laboratory/formats/write-network.ts';
import { clothFigures } from '../../src/laboratory/results/cloth-files.ts';
import { loadScenario, parseSetting } from '../../src/laboratory/scenario/load-scenario.ts';
import { simulate } from '../../src/laboratory/simulate.ts';
import type { ChannelGraph } from '../../src/model/channel-graph.ts';
import { formatShortChannelId } from '../../src/model/short-channel-id.ts';
import { describeNeeding } from '../needs.ts';
import { CLOTH, writeCloth } from './cloth-folder.ts';

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'fulgurite-foreign-'));
});
afterAll(() => {
  rmSync(directory, { recursive: true, force: true });
});

const X = '79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798';
const [A, B] = [`02${X}`, `03${X}`];
const end = (pubkey: string) => ({
  pubkey,
  max_htlc_count: 15,
  max_in_flight_msat: 500_000,
  min_htlc_size_msat: 1,
  max_htlc_size_msat: 300_000,
  cltv_expiry_delta: 40,
  base_fee: 1000,
  fee_rate_prop: 100,
});
const SIM = {
  sim_network: [
    {
      scid: 7,
      _comment: 'of a fork',
      capacity_msat: 1_000_000,
      forward_only: true,
      node_1: end(A),
      node_2: end(B),
    },
  ],
  activity: [{ source: A, destination: B, interval_secs: 10, amount_msat: 200_000, count: 4 }],
};

test('a sim.json gets the rows of sim-ln: 200,000 of 500,000 msat pass twice, then the first channel refuses', async () => {
  const [file, out] = [join(directory, 'sim.json'), join(directory, 'sim')];
  writeFileSync(file, JSON.stringify(SIM));
  const settings = ['total_time=100', 'routers=["shortest"]'].map(parseSetting);
  const loaded = await loadScenario(file, settings);
  expect(loaded.network.warnings).toHaveLength(2);
  expect(loaded.network.warnings.join()).toMatch(/field _comment .*1 times.*field forward_only .*1 times/);
  const { files } = await simulate(loaded, { out });
  const name = 'sim-ln/shortest/simulation_0.csv';
  const rows = readFileSync(join(out, name), 'utf8').trim().split('\n');
  expect(rows[0]).toBe('source,destination,amount_msat,hash,dispatch_time,htlc_count,payment_outcome');
  const row = (dispatchMs: number, htlcs: number, outcome: string) =>
    expect.stringMatching(new RegExp(`^${A},${B},200000,[0-9a-f]{64},${dispatchMs},${htlcs},${outcome}$`));
  expect(rows.slice(1)).toEqual([
    row(10_000, 1, 'Success'),
    row(20_000, 1, 'Success'),
    row(30_000, 0, '(RouteNotFound|0)'),
    row(40_000, 0, '(RouteNotFound|0)'),
  ]);
  // Running the resolved scenario again yields the same bytes.
  const again = await simulate(await loadScenario(join(out, 'scenario.json')), {
    out: join(directory, 'sim-2'),
  });
  expect(again.files).toEqual(files);
  expect(Object.keys(files)).toContain(name);
});

test('rebalancing resets a channel to equal halves: all four payments succeed', async () => {
  const file = join(directory, 'rebalance.json');
  const rebalance = { trigger_below: 0.4, interval_secs: 15 };
  writeFileSync(file, JSON.stringify({ ...SIM, rebalance }));
  const settings = ['total_time=100', 'routers=["shortest"]'].map(parseSetting);
  const { routers } = await simulate(await loadScenario(file, settings));
  expect(routers[0]!.complete).toBe(4);
});

test('a folder of CLoTH gets its output files, computed by hand', async () => {
  const payments = CLOTH['payments.csv']!.replace('350000,9', '450000,9');
  const folder = writeCloth(join(directory, 'cloth'), { 'payments.csv': payments });
  const out = join(directory, 'cloth-out');
  const loaded = await loadScenario(folder, [parseSetting('routers=["cheapest"]')]);
  await simulate(loaded, { out });
  const read = (name: string) => readFileSync(join(out, 'cloth/cheapest', name), 'utf8');
  // Node 0 pays 100,000 msat to node 2, and 1000 + 10 msat to node 1. Four hops take 100 ms each. 450,000 msat do
  // not fit through edge 3, as node 2 knows. Payment 1 ends first, but rows are in the order of ids.
  expect(read('payments_output.csv').split('\n').slice(1, 3)).toEqual([
    '0,0,2,100000,5,405,0,1,0,0,0,1,0-2,1010',
    '1,2,0,450000,9,9,0,0,0,0,0,0,-1,',
  ]);
  expect(read('edges_output.csv').trim().split('\n').slice(1)).toEqual([
    '0,0,1,0,1,498990,1000,1,1,40,0,1',
    '1,0,0,1,0,501010,1000,1,1,40,0,0',
    '2,1,3,1,2,600000,1000,100,1,40,0,1',
    '3,1,2,2,1,400000,1000,1,1,40,0,0',
  ]);
  expect(read('channels_output.csv')).toBe(
    'id,edge1,edge2,node1,node2,capacity,is_closed\n0,0,1,0,1,1000000,0\n1,2,3,1,2,1000000,0\n',
  );
  expect(read('nodes_output.csv')).toBe('id,open_edges\n0,0\n1,1-2\n2,3\n');
});

test('a file of CLoTH that cannot be written is an error with its path', async () => {
  const folder = writeCloth(join(directory, 'cloth-blocked'));
  const out = join(directory, 'cloth-blocked-out');
  const file = join(out, 'cloth/cheapest/cloth_output.json');
  mkdirSync(file, { recursive: true });
  const run = simulate(await loadScenario(folder, [parseSetting('routers=["cheapest"]')]), { out });
  await expect(run).rejects.toMatchObject({ name: 'storeFailed', data: { file } });
});

test('a channel of CLoTH keeps the order of its edges', async () => {
  const channels = CLOTH['channels.csv']!.replace('1,2,3,1,2,', '1,3,2,2,1,');
  const folder = writeCloth(join(directory, 'cloth-order'), { 'channels.csv': channels });
  const out = join(directory, 'cloth-order-out');
  await simulate(await loadScenario(folder, [parseSetting('routers=["cheapest"]')]), { out });
  expect(readFileSync(join(out, 'cloth/cheapest/channels_output.csv'), 'utf8').split('\n')[2]).toBe(
    '1,3,2,2,1,1000000,0',
  );
});

test('the figures of CLoTH have a mean, a variance and an interval of 95 %', () => {
  // 31 batches of 100 ms with two payments each; the first batch is left out. In the other batches, alternately one
  // payment or both payments arrive.
  const rows = Array.from({ length: 62 }, (_, index) => ({
    startMs: index * 50 + (index === 61 ? 50 : 0),
    timeMs: 300,
    attempts: 2,
    edges: 3,
    end: index % 2 === 0 || index % 4 === 1 ? ('Success' as const) : ('FailNoPath' as const),
  }));
  const figures = JSON.parse(clothFigures(rows));
  expect(figures.Success.Mean).toBe('0.7500000000');
  expect(figures.Success.Variance).toBe('0.0625000000');
  // s = 0.25 · √(30/29), t(29; 0.975) = 2.0452: half width s / √30 · t = 0.0949.
  expect(Number(figures.Success.ConfidenceMax) - 0.75).toBeCloseTo(0.09494, 4);
  expect(figures.RouteLength.Mean).toBe('3.0000000000');
});

test('written GraphML is read back unchanged, and errors are reported with the line', async () => {
  const graph = generateSyntheticGraph({ nodeCount: 60, seed: 3 });
  const file = join(directory, 'again.graphml');
  await writeNetwork(graph, file);
  const scenario = join(directory, 'again.json');
  const traffic = { kind: 'random', payments: 0 };
  writeFileSync(scenario, JSON.stringify({ graph: file, traffic }));
  const { network } = await loadScenario(scenario);
  const again = join(directory, 'again.csv');
  const original = join(directory, 'original.csv');
  await writeNetwork(network.graph, again);
  await writeNetwork(graph, original);
  const rows = (name: string) => readFileSync(name, 'utf8').split('\n').sort();
  expect(rows(again)).toEqual(rows(original));
  const text = readFileSync(file, 'utf8');
  const line = text.split('\n').findIndex((row) => row.startsWith('<edge')) + 1;
  for (const [wrong, field] of [
    [text.replace(/<data key="fee_base_msat">/, '<data key="fee_base_msat">-'), 'fee_base_msat'],
    [text.replace(/<data key="capacity_msat">\d+/, '<data key="capacity_msat">0'), 'capacity_msat'],
    [text.replace(/source="02|source="03/, 'source="05'), 'source'],
  ] as const) {
    writeFileSync(file, wrong);
    await expect(loadScenario(scenario)).rejects.toMatchObject({ data: { file, field, line } });
  }
  writeFileSync(file, text.slice(0, text.length / 2));
  await expect(loadScenario(scenario)).rejects.toMatchObject({ name: 'scenario' });
});

test("the output of Core Lightning's listchannels is read unchanged, and errors are reported with the line", async () => {
  const graph = generateSyntheticGraph({ nodeCount: 60, seed: 5 });
  const rows: Record<string, unknown>[] = [];
  for (let direction = 0; direction < 2 * graph.channelCount; direction++) {
    const policy = graph.policy(direction);
    if (policy === undefined) continue;
    const channel = direction >>> 1;
    const ends = [graph.node1[channel]!, graph.node2[channel]!].map((node) => graph.nodeId(node));
    rows.push({
      source: ends[direction & 1],
      destination: ends[1 - (direction & 1)],
      short_channel_id: formatShortChannelId(graph.shortChannelIds[channel]!),
      direction: direction & 1,
      public: true,
      // Older releases of Core Lightning wrote amounts as texts; newer ones write numbers.
      amount_msat:
        direction % 3 === 0 ? `${graph.capacityMsat[channel]}msat` : Number(graph.capacityMsat[channel]),
      message_flags: 1,
      channel_flags: direction & 1,
      active: policy.enabled,
      last_update: 1_700_000_000,
      base_fee_millisatoshi: policy.feeBaseMsat,
      fee_per_millionth: policy.feeProportionalMillionths,
      delay: policy.cltvExpiryDelta,
      htlc_minimum_msat: Number(policy.htlcMinimumMsat),
      htlc_maximum_msat: `${policy.htlcMaximumMsat}msat`,
      features: '',
    });
  }
  const file = join(directory, 'listchannels.json');
  const scenario = join(directory, 'listchannels-scenario.json');
  writeFileSync(scenario, JSON.stringify({ graph: file, traffic: { kind: 'random', payments: 0 } }));
  const text = JSON.stringify({ channels: rows }, undefined, 3);
  writeFileSync(file, text);
  const { network } = await loadScenario(scenario);
  const written = async (each: ChannelGraph, name: string) => {
    await writeNetwork(each, join(directory, name));
    return readFileSync(join(directory, name), 'utf8').split('\n').sort();
  };
  expect(await written(network.graph, 'listed.csv')).toEqual(await written(graph, 'given.csv'));
  const lineOf = (name: string) => text.split('\n').findIndex((row) => row.includes(`"${name}"`)) + 1;
  for (const [name, wrong] of [
    ['short_channel_id', '"short_channel_id": "7"'],
    ['direction', '"direction": 2'],
    ['amount_msat', '"amount_msat": "5sat"'],
    ['delay', '"delay": 70000'],
    ['active', '"active": 1'],
  ] as const) {
    writeFileSync(file, text.replace(new RegExp(`"${name}": [^,]*`), wrong));
    await expect(loadScenario(scenario)).rejects.toMatchObject({
      data: { file, field: `channels[0].${name}`, line: lineOf(name) },
    });
  }
});

const hasNetworkx = spawnSync('python3', ['-c', 'import networkx']).status === 0;
describeNeeding('networkx', hasNetworkx, 'GraphML', () => {
  test('is read by networkx with the same nodes, edges and sums', async () => {
    const graph = generateSyntheticGraph({ nodeCount: 300, seed: 4 });
    const file = join(directory, 'network.graphml');
    await writeNetwork(graph, file);
    const script = `
import networkx, sys
g = networkx.read_graphml(sys.argv[1], force_multigraph=True)
edges = [d for _, _, d in g.edges(data=True)]
print(g.is_directed(), g.number_of_nodes(), g.number_of_edges(), sum(d["capacity_msat"] for d in edges),
      sum(d["fee_base_msat"] for d in edges), sum(d["fee_proportional_millionths"] for d in edges),
      sum(d["htlc_maximum_msat"] for d in edges), all(k == d["scid"] for _, _, k, d in g.edges(keys=True, data=True)))`;
    const run = spawnSync('python3', ['-c', script, file], { encoding: 'utf8' });
    const sums = { nodes: 0, edges: 0, capacity: 0n, base: 0, rate: 0, most: 0n };
    for (let node = 0; node < graph.nodeCount; node++) if (graph.nodeDegree[node]! > 0) sums.nodes++;
    for (let direction = 0; direction < 2 * graph.channelCount; direction++) {
      const policy = graph.policy(direction);
      if (policy === undefined) continue;
      sums.edges++;
      sums.capacity += graph.capacityMsat[direction >>> 1]!;
      sums.base += policy.feeBaseMsat;
      sums.rate += policy.feeProportionalMillionths;
      sums.most += policy.htlcMaximumMsat;
    }
    const { nodes, edges, capacity, base, rate, most } = sums;
    expect(run.stdout.trim()).toBe(`True ${nodes} ${edges} ${capacity} ${base} ${rate} ${most} True`);
  });
});
