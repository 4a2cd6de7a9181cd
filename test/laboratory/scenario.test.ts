/** Scenario files: errors are reported with file, line and field; valid files can be run. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadScenario, parseSetting } from '../../src/laboratory/scenario/load-scenario.ts';
import { simulate } from '../../src/laboratory/simulate.ts';
import { FulguriteError } from '../../src/model/errors.ts';
import { CLOTH, writeCloth } from './cloth-folder.ts';

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'fulgurite-scenario-'));
});
afterAll(() => {
  rmSync(directory, { recursive: true, force: true });
});

function written(name: string, text: string): string {
  const path = join(directory, name);
  writeFileSync(path, text);
  return path;
}

async function refusal(path: string, ...settings: string[]): Promise<Record<string, unknown>> {
  try {
    await loadScenario(path, settings.map(parseSetting));
  } catch (error) {
    if (error instanceof FulguriteError && error.name === 'scenario')
      return error.data as Record<string, unknown>;
    throw error;
  }
  throw new Error('the scenario was not refused');
}

const YAML = `# A comment.
graph: synthetic:20
traffic:
  kind: random
  payments: 10
  amount: { kind: fixed, msat: 1000 }
network:
  offline: 0.1
`;

describe('a scenario file of the laboratory', () => {
  test('reads the same from YAML and from JSON', async () => {
    const json =
      '{"graph":"synthetic:20","traffic":{"kind":"random","payments":10,"amount":{"kind":"fixed","msat":1000}},"network":{"offline":0.1}}';
    const [first, second] = [written('a.yaml', YAML), written('a.json', json)];
    expect((await loadScenario(first)).scenario).toEqual((await loadScenario(second)).scenario);
  });

  test('is refused as YAML of more than 4 MiB, counted in bytes', async () => {
    const filler = '# é'.padEnd(2 * 1024 * 1024 + 2, 'é');
    expect(await refusal(written('long.yaml', `${YAML}${filler}\n`))).toMatchObject({
      line: 1,
      expected: 'YAML of at most 4194304 bytes, or JSON',
      found: `${YAML.length + 2 * filler.length - 2 + 1}`,
    });
  });

  test.each([
    ['a misspelt field', YAML.replace('payments', 'paymnts'), 4, 'traffic', 'no such field'],
    ['an unknown field', `${YAML}  ofline: 1\n`, 9, 'network.ofline', 'the field ofline'],
    ['a share beyond 1', YAML.replace('0.1', '1.5'), 8, 'network.offline', '1.5'],
    ['a negative amount', YAML.replace('1000', '-5'), 6, 'traffic.amount.msat', '-5'],
    ['a text for a number', YAML.replace('payments: 10', 'payments: ten'), 5, 'traffic.payments', '"ten"'],
    ['an unknown router', `${YAML}routers: [best]\n`, 9, 'routers[0]', '"best"'],
    ['two routers of one name', `${YAML}routers: [cheapest, cheapest]\n`, 9, 'routers[1]', 'cheapest twice'],
  ])('is refused for %s, with its line', async (name, text, line, field, found) => {
    const path = written(`${name}.yaml`, text);
    expect(await refusal(path)).toMatchObject({ file: path, line, field, found });
  });

  test('is refused for invalid settings', async () => {
    const path = written('b.yaml', YAML);
    expect(await refusal(path, 'payment.max_parts=0')).toMatchObject({
      field: 'payment.max_parts',
      found: '0',
    });
    expect(await refusal(path, 'traffic=7')).toMatchObject({
      field: 'traffic',
      expected: 'a map',
      found: '7',
    });
    expect(() => parseSetting('payment.max_parts')).toThrow('KEY=VALUE');
  });

  test('allows settings for elements of its lists, by index', async () => {
    const routers = [
      { kind: 'cheapest' },
      { kind: 'fulgurite', objective: { delay_billionths_per_block: 5 } },
    ];
    const traffic = { kind: 'random', payments: 1 };
    const path = written('places.json', JSON.stringify({ graph: 'synthetic:20', traffic, routers }));
    const settings = [
      parseSetting('routers.1.objective.risk_ppm_per_nat=7'),
      parseSetting('routers.0=shortest'),
    ];
    const { scenario } = await loadScenario(path, settings);
    expect(scenario.routers.map(({ kind }) => kind)).toEqual(['shortest', 'fulgurite']);
    expect(scenario.routers[1]!.objective).toEqual({ riskPpmPerNat: 7, delayBillionthsPerBlock: 5 });
    expect(await refusal(path, 'routers.2.name=third')).toMatchObject({
      file: '--set',
      field: 'routers.2.name',
      found: 'index 2 of a list of 2',
    });
  });

  test('is refused for a graph without channels, and for a file of payments that is missing', async () => {
    const header = written('no-channels.csv', 'scid,node1,node2,capacity_msat\n');
    expect(await refusal(written('a.yaml', YAML), `graph=${header}`)).toMatchObject({
      field: 'graph',
      expected: 'a network with channels',
    });
    const absent = join(directory, 'absent.csv');
    const traffic = `traffic=${JSON.stringify({ kind: 'file', file: absent })}`;
    expect(await refusal(written('a.yaml', YAML), traffic)).toMatchObject({
      file: absent,
      expected: 'a readable file',
    });
  });

  test('is refused for a graph that lacks a column, with the columns that it has', async () => {
    const graph = written('short.csv', 'scid,node1, node2 ,capacity_sat\n1x1x1,02,03,5000\n');
    expect(await refusal(written('a.yaml', YAML), `graph=${graph}`)).toMatchObject({
      file: graph,
      line: 1,
      field: 'capacity_msat',
      expected: 'a column capacity_msat',
      found: 'columns scid, node1, node2, capacity_sat',
    });
  });

  test('may begin with a byte order mark, and so may its files', async () => {
    const mark = '\ufeff';
    const ids = ['02', '03'].map((parity) => parity.padEnd(66, '7'));
    const graph = `${mark}scid,node1,node2,capacity_msat\r\n1x1x1,${ids.join(',')},5000000\r\n`;
    const path = written('marked.yaml', `${mark}${YAML}`);
    const { scenario, network, inputs } = await loadScenario(path, [
      parseSetting(`graph=${written('marked.csv', graph)}`),
    ]);
    expect([scenario.traffic.kind, network.graph.channelCount]).toEqual(['random', 1]);
    // The hash is that of the file, including the mark.
    expect(inputs[path]).toBe(createHash('sha256').update(`${mark}${YAML}`).digest('hex'));
  });

  test('is refused for a graph that is a directory', async () => {
    expect(await refusal(written('c.yaml', YAML), 'graph=.')).toMatchObject({
      field: 'graph',
      expected: 'synthetic:NODES or a readable file',
      found: expect.stringContaining('EISDIR'),
    });
  });

  test('with any part mutated, runs or is refused with a named error, and never hangs', async () => {
    const base = `{"graph":"synthetic:20","seed":3,"balances":{"kind":"bimodal","scale":0.2},"traffic":{"kind":"random","payments":3,"rate_per_s":5,"senders":{"by":"degree"},"amount":{"kind":"pareto","minimum_msat":1000,"alpha":2}},"payment":{"max_parts":3},"network":{"latency":{"kind":"fixed","mean_us":5},"offline":0.1},"routers":["shortest"],"measure":{"batches":3}}`;
    const mutation = fc.oneof(
      fc.tuple(fc.nat(base.length - 1), fc.constantFrom(...'{}[]":,0-9.eE+tfn\\u00001e99'), fc.nat(3)),
      fc.tuple(fc.nat(base.length - 1), fc.string({ maxLength: 5 }), fc.nat(12)),
    );
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(mutation, { minLength: 1, maxLength: 3 }), async (mutations) => {
        const text = mutations.reduce(
          (all, [at, put, cut]) => all.slice(0, at) + put + all.slice(at + cut),
          base,
        );
        try {
          const { scenario, network, inputs } = await loadScenario(written('mutated', text));
          const { traffic } = scenario;
          const payments = traffic.kind === 'random' ? Math.min(traffic.payments, 20) : 0;
          if (network.graph.channelCount > 1000 || traffic.kind !== 'random') return;
          await simulate(
            { scenario: { ...scenario, traffic: { ...traffic, payments } }, network, inputs },
            { workers: 1 },
          );
        } catch (error) {
          if (!(error instanceof FulguriteError)) throw error;
          expect(['scenario', 'graphSource']).toContain(error.name);
          refused++;
        }
      }),
      { numRuns: 500 * Number(process.env.FULGURITE_TEST_RUNS ?? 1) },
    );
    expect(refused).toBeGreaterThan(100);
  });
});

const KEYS = ['02', '03'].map(
  (prefix) => `${prefix}${'79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798'}`,
);
const end = (pubkey: string, alias: string, more: object = {}) => ({
  pubkey,
  alias,
  max_htlc_count: 15,
  max_in_flight_msat: 500_000,
  min_htlc_size_msat: 1,
  max_htlc_size_msat: 500_000,
  cltv_expiry_delta: 40,
  base_fee: 1000,
  fee_rate_prop: 100,
  ...more,
});
/** One channel between two keys, a and b, of 1,000,001 msat. */
const SIM = {
  sim_network: [
    { scid: 1000, capacity_msat: 1_000_001, node_1: end(KEYS[1]!, 'a'), node_2: end(KEYS[0]!, 'b') },
  ],
  activity: [{ source: 'a', destination: 'b', interval_secs: 10, amount_msat: [1000, 2000], count: 3 }],
};
const sim = (change: object): string => JSON.stringify({ ...SIM, ...change });
const channel = (change: object): string => sim({ sim_network: [{ ...SIM.sim_network[0], ...change }] });

test('the program ends if the folder of results cannot be created', () => {
  const [scenario, out] = [written('a.yaml', YAML), written('occupied', '')];
  const program = join(import.meta.dirname, '../../bin/fulgurite.mjs');
  const { status, stderr } = spawnSync(process.execPath, [program, 'simulate', scenario, '--out', out], {
    encoding: 'utf8',
    timeout: 20_000,
  });
  expect([status, stderr]).toEqual([1, expect.stringContaining('file already exists')]);
});

describe('a sim.json of sim-ln', () => {
  test('runs: three payments from a to b, one attempt each', async () => {
    const loaded = await loadScenario(written('sim.json', sim({})), [parseSetting('total_time=100')]);
    expect(loaded.network.graph.nodeId(loaded.network.aliases.get('a')!)).toBe(KEYS[1]);
    const paid: [number, bigint][] = [];
    await simulate(loaded, {
      onEvent: (event) => {
        if (event.kind !== 'payment') return;
        const { order, attempts, outcome } = event.outcome;
        expect([outcome, attempts.length]).toEqual(['complete', 1]);
        paid.push([order.startUs, order.amountMsat]);
      },
    });
    expect(paid.map(([startUs]) => startUs)).toEqual([10e6, 20e6, 30e6]);
    expect(paid.every(([, amount]) => amount >= 1000n && amount < 2000n)).toBe(true);
  });

  test('has the hashes of files named by settings among its inputs', async () => {
    const beliefs = written('beliefs.json', '{}');
    const named = parseSetting(`routers=[{"kind":"fulgurite","beliefs":${JSON.stringify(beliefs)}}]`);
    const file = written('with-beliefs.json', sim({}));
    const { inputs } = await loadScenario(file, [named]);
    expect(Object.keys(inputs).sort()).toEqual([beliefs, file].sort());
  });

  test('splits an odd capacity into halves that add up', async () => {
    const { network } = await loadScenario(written('odd.json', sim({})));
    expect(network.balances![0]).toBe(500_000n);
  });

  test.each([
    [
      'a repeated channel id',
      sim({ sim_network: [SIM.sim_network[0], SIM.sim_network[0]] }),
      'sim_network[1].scid',
    ],
    [
      'more in flight than the capacity',
      channel({ node_1: end(KEYS[0]!, '', { max_in_flight_msat: 2_000_000 }) }),
      'sim_network[0].node_1.max_in_flight_msat',
    ],
    ['both ends the same', channel({ node_2: end(KEYS[1]!, '') }), 'sim_network[0].node_2'],
    ['a channel id as text', channel({ scid: '600x1x0' }), 'sim_network[0].scid'],
    [
      'a reversed range',
      sim({ activity: [{ ...SIM.activity[0], amount_msat: [9, 3] }] }),
      'activity[0].amount_msat',
    ],
    [
      'an amount of zero',
      sim({ activity: [{ ...SIM.activity[0], amount_msat: 0 }] }),
      'activity[0].amount_msat',
    ],
    ['real nodes', sim({ nodes: [{ id: 'x', address: 'y' }] }), 'nodes'],
  ])('is refused for %s', async (name, text, field) => {
    expect(await refusal(written(`sim-${name}.json`, text))).toMatchObject({ field });
  });

  test('runs with a warning if its capacities look like sat', async () => {
    const small = end(KEYS[0]!, 'b', { max_in_flight_msat: 1000, max_htlc_size_msat: 1000 });
    const other = { ...small, pubkey: KEYS[1]!, alias: 'a' };
    const { network } = await loadScenario(
      written('sat.json', channel({ capacity_msat: 1000, node_1: small, node_2: other })),
    );
    expect(network.warnings[0]).toMatch(/look like sat/);
  });
});

const clothFolder = (name: string, changes: Readonly<Record<string, string>> = {}): string =>
  writeCloth(join(directory, name), changes);

describe('a folder of CLoTH', () => {
  test('sets how often nodes do not answer, and how long forwarding takes', async () => {
    const settings = CLOTH['cloth_input.txt']!;
    const plain = await loadScenario(clothFolder('plain'));
    expect(plain.scenario.network).toMatchObject({ faulty: 0, latency: { meanUs: 100_000 } });
    const changed = `${settings.replace('probability=0.0', 'probability=0.02')}average_payment_forward_interval=30\n`;
    const { scenario } = await loadScenario(clothFolder('changed', { 'cloth_input.txt': changed }));
    expect(scenario.network).toMatchObject({ faulty: 0.02, latency: { meanUs: 30_000 } });
  });

  test.each(['cloth_input.txt', 'nodes.csv', 'channels.csv', 'edges.csv', 'payments.csv'])(
    'has the hash of %s among its inputs',
    async (file) => {
      const folder = clothFolder(`hashed-${file}`);
      const hashOf = async () => (await loadScenario(folder)).inputs[join(folder, file)];
      const hash = await hashOf();
      expect(hash).toMatch(/^[0-9a-f]{64}$/);
      writeFileSync(join(folder, file), `${CLOTH[file]}\n`);
      expect(await hashOf()).not.toBe(hash);
    },
  );

  test('runs with exact fees: 1000 + floor(100 · 0.1) at node 1', async () => {
    const loaded = await loadScenario(clothFolder('cloth'), [parseSetting('routers=["cheapest"]')]);
    const rows: [string, bigint, number][] = [];
    await simulate(loaded, {
      onEvent: (event) => {
        if (event.kind === 'payment')
          rows.push([event.outcome.outcome, event.outcome.feeMsat, event.outcome.order.startUs]);
      },
    });
    // The second payment needs 351,000 msat across channel 1. Node 2 has only 300,000 msat in this channel, plus the
    // first payment.
    expect(rows).toEqual([
      ['noRoute', 0n, 9000],
      ['complete', 1010n, 5000],
    ]);
  });

  test.each([
    [
      'balances that do not add up to the capacity',
      { 'edges.csv': CLOTH['edges.csv']!.replace('600000', '600001') },
      'channels.csv',
      2,
      'capacity',
    ],
    [
      'an id that is not a row number',
      { 'edges.csv': CLOTH['edges.csv']!.replace('\n2,1', '\n7,1') },
      'edges.csv',
      4,
      'id',
    ],
    [
      'an unknown node',
      { 'payments.csv': CLOTH['payments.csv']!.replace('0,0,2', '0,0,9') },
      'payments.csv',
      2,
      'receiver_id',
    ],
    [
      'a negative amount',
      { 'payments.csv': CLOTH['payments.csv']!.replace('100000', '-1') },
      'payments.csv',
      2,
      'amount',
    ],
  ])('is refused for %s', async (name, change, file, line, field) => {
    const folder = clothFolder(name, change);
    const refused = await (async () => {
      try {
        const loaded = await loadScenario(folder, [parseSetting('routers=["cheapest"]')]);
        await simulate(loaded, { workers: 1 });
      } catch (error) {
        return (error as FulguriteError).data;
      }
      return undefined;
    })();
    expect(refused).toMatchObject({ file: join(folder, file), line, field });
  });
});
