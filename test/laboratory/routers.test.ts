/**
 * Routers on one small network, drawn and computed by hand, and programs behind a socket.
 *
 *         B (1000 msat + 0)            balances of 600,000 each way, but B → D has 50,000
 *       /   \                          A's own channels cost A nothing
 *     A       D
 *       \   /
 *         C (5000 msat + 0)
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { snapshotNodeIds } from '../../src/gossip/node-keys.ts';
import { writeNetwork } from '../../src/laboratory/formats/write-network.ts';
import { loadScenario, parseSetting } from '../../src/laboratory/scenario/load-scenario.ts';
import { simulate } from '../../src/laboratory/simulate.ts';
import { NODE_ID_BYTES } from '../../src/model/node-id.ts';
import { CIRCLE_END } from '../../src/payments/plan/circle.ts';
import { haveLdk } from '../interop/ldk/ldk-process.ts';
import { describeNeeding } from '../needs.ts';

let directory: string;
const children: ChildProcess[] = [];
const servers: Server[] = [];
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'fulgurite-routers-'));
});
afterAll(() => {
  for (const child of children) child.kill();
  for (const server of servers) server.close();
  rmSync(directory, { recursive: true, force: true });
});

const ids = snapshotNodeIds(4);
const [A, B, C, D] = [0, 1, 2, 3]
  .map((node) => Buffer.from(ids.subarray(node * NODE_ID_BYTES, (node + 1) * NODE_ID_BYTES)).toString('hex'))
  .sort() as [string, string, string, string];

/** The network of this file as a CSV file of channels, and one payment of 100,000 msat from A to D. `b` is node B. */
function scenarioFile(b = B): string {
  const policy = (base: number) => [base, 0, 40, 1, 1_200_000, 1].join(',');
  const channel = (scid: string, nodes: readonly string[], fees: readonly number[], balance: number) =>
    [scid, ...nodes, 1_200_000, policy(fees[0]!), policy(fees[1]!), balance].join(',');
  const names = ['base_fee_msat', 'fee_ppm', 'cltv_delta', 'htlc_min_msat', 'htlc_max_msat', 'enabled'];
  const columns = [0, 1].flatMap((direction) => names.map((name) => `${name}_${direction}`));
  const rows = [
    `scid,node1,node2,capacity_msat,${columns.join(',')},balance_msat`,
    channel('1x1x1', [A, b].sort(), [9, 9], 600_000),
    channel('1x1x2', [A, C], [9, 9], 600_000),
    channel('1x1x3', [b, D], [1000, 1000], 50_000),
    channel('1x1x4', [C, D], [5000, 5000], 600_000),
  ];
  writeFileSync(join(directory, 'network.csv'), `${rows.join('\n')}\n`);
  writeFileSync(
    join(directory, 'payments.csv'),
    `start_us,sender,receiver,amount_msat\n10,${A},${D},100000\n`,
  );
  const path = join(directory, 'diamond.json');
  const scenario = {
    graph: 'network.csv',
    traffic: { kind: 'file', file: 'payments.csv' },
    payment: { fee_limit_ppm: 100_000, noise: false },
    network: { reserve: 0, latency: { kind: 'fixed', mean_us: 1000 } },
  };
  writeFileSync(path, JSON.stringify(scenario));
  return path;
}

/** Attempts of the payment: the directions and outcome of each. */
async function attemptsBy(
  router: string,
  file = scenarioFile(),
): Promise<{ attempts: [string, string][]; outcome: string; feeMsat: bigint }> {
  const loaded = await loadScenario(file, [parseSetting(`routers=[${router}]`)]);
  let found = { attempts: [] as [string, string][], outcome: 'none', feeMsat: 0n };
  await simulate(loaded, {
    workers: 1,
    onEvent: (event) => {
      if (event.kind !== 'payment') return;
      const { attempts, outcome, feeMsat } = event.outcome;
      found = {
        attempts: attempts.map(({ route, end }) => [
          route.directions.map((direction) => 'BCbd'[direction >>> 1]).join(''),
          end.kind === 'settled' ? 'settled' : `${end.index}:${end.failure.name}`,
        ]),
        outcome,
        feeMsat,
      };
    },
  });
  return found;
}

const OVER_B: [string, string] = ['Bb', '1:temporary_channel_failure'];
const OVER_C: [string, string] = ['Cd', 'settled'];

describe('one payment that the cheaper route cannot carry', () => {
  test.each(['"fulgurite"', '"cheapest"', '"shortest"', '"lnd"'])(
    '%s fails over B, then pays over C',
    async (router) => {
      expect(await attemptsBy(router)).toEqual({
        attempts: [OVER_B, OVER_C],
        outcome: 'complete',
        feeMsat: 5000n,
      });
    },
  );

  test('the id of a node may be that of the made-up node at which circles end', async () => {
    expect(await attemptsBy('"fulgurite"', scenarioFile(CIRCLE_END))).toMatchObject({
      attempts: [OVER_B, OVER_C],
      outcome: 'complete',
    });
  });

  test('the oracle foresees this and pays over C at once', async () => {
    expect(await attemptsBy('"oracle"')).toEqual({ attempts: [OVER_C], outcome: 'complete', feeMsat: 5000n });
  });
});

describe("LND's mission control as knowledge of the router fulgurite", () => {
  const history = (fields: object) => ({ fail_time: '0', fail_amt_sat: '0', success_time: '0', ...fields });
  const router = (pairs: object[]): string => {
    writeFileSync(join(directory, 'mc.json'), JSON.stringify({ pairs }, undefined, 1));
    return '{"kind":"fulgurite","beliefs":"mc.json"}';
  };
  const failed = history({ fail_time: '1700000000', fail_amt_sat: '80', fail_amt_msat: '80000' });

  test.each([
    ['hex, as lncli writes it', { node_from: B, node_to: D, history: failed }],
    [
      'base64 and sat, as REST and older versions do',
      {
        node_from: Buffer.from(B, 'hex').toString('base64'),
        node_to: Buffer.from(D, 'hex').toString('base64'),
        history: history({ fail_time: 1_700_000_000, fail_amt_sat: 80 }),
      },
    ],
  ])('a pair in %s that failed is not tried', async (_, pair) => {
    expect(await attemptsBy(router([pair]))).toMatchObject({ attempts: [OVER_C], outcome: 'complete' });
  });

  test('a pair that failed in the other direction, or at a larger amount, is tried', async () => {
    const elsewhere = [
      { node_from: D, node_to: B, history: failed },
      { node_from: B, node_to: D, history: { ...failed, fail_amt_msat: '1100000' } },
    ];
    for (const pair of elsewhere)
      expect(await attemptsBy(router([pair]))).toMatchObject({ attempts: [OVER_B, OVER_C] });
  });

  test('errors in the file are reported with line and field, and only fulgurite accepts the file', async () => {
    const good = { node_from: B, node_to: D, history: failed };
    for (const [pair, field] of [
      [{ ...good, node_to: '02' }, 'pairs[0].node_to'],
      [{ ...good, node_to: B }, 'pairs[0].node_to'],
      [{ node_from: B, node_to: D }, 'pairs[0]'],
      [{ ...good, history: { ...failed, fail_amt_msat: '-1' } }, 'pairs[0].history.fail_amt_msat'],
      [{ ...good, history: { ...failed, success_time: 'now' } }, 'pairs[0].history.success_time'],
    ] as const) {
      await expect(attemptsBy(router([pair]))).rejects.toMatchObject({ name: 'scenario', data: { field } });
    }
    await expect(attemptsBy('{"kind":"lnd","beliefs":"mc.json"}')).rejects.toMatchObject({
      name: 'scenario',
      data: { field: 'routers[0].beliefs' },
    });
  });
});

describeNeeding('ldk', haveLdk, 'the router ldk', () => {
  test('fails over B, then pays over C', async () => {
    expect(await attemptsBy('"ldk"')).toEqual({
      attempts: [OVER_B, OVER_C],
      outcome: 'complete',
      feeMsat: 5000n,
    });
  });

  test('gives the same results when a scenario is repeated, including parts and failures', async () => {
    const file = join(directory, 'ldk.json');
    const traffic = { kind: 'random', payments: 150, amount: { kind: 'fixed', msat: 400_000_000 } };
    const scenario = { graph: 'synthetic:60', balances: { kind: 'bimodal' }, traffic, routers: ['ldk'] };
    writeFileSync(file, JSON.stringify(scenario));
    const [one, two] = [join(directory, 'ldk-1'), join(directory, 'ldk-2')];
    const first = await simulate(await loadScenario(file), { out: one, workers: 1 });
    const second = await simulate(await loadScenario(file), { out: two, workers: 2 });
    expect(second.files).toEqual(first.files);
    const { attempts } = first.routers[0]!;
    expect(attempts.mean).toBeGreaterThan(0.3);
  });
});

describe('a program behind a socket', () => {
  /** An answer with one route over these directions. */
  const answerWith = (id: string, ...directions: string[]): string => {
    const path = directions.map((name) => ({ short_channel_id_dir: name, amount_msat: 100_000, delay: 22 }));
    return JSON.stringify({ id, result: { routes: [{ amount_msat: 100_000, path }] } });
  };

  /** A program that answers every call with the same text, or not at all. */
  async function program(answer: (id: string, method: string) => string): Promise<string> {
    const path = join(directory, `${servers.length}.sock`);
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.on('data', (bytes) => {
        const { id, method } = JSON.parse(bytes.toString()) as { id: string; method: string };
        socket.end(answer(id, method));
      });
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(path, resolve));
    return JSON.stringify({ kind: 'layers', socket: path });
  }

  test.each<[string, (id: string, method: string) => string]>([
    ['nonsense', () => 'nonsense\n\n'],
    ['nothing', () => ''],
    [
      'an unknown channel',
      (id) =>
        JSON.stringify({
          id,
          result: {
            routes: [
              { amount_msat: 1, path: [{ short_channel_id_dir: '9x9x9/0', amount_msat: 1, delay: 1 }] },
            ],
          },
        }),
    ],
    ['no amounts', (id) => JSON.stringify({ id, result: { routes: [{ path: [{}] }] } })],
    ['a route that starts elsewhere', (id) => answerWith(id, '1x1x4/0')],
    ['a route that ends elsewhere', (id) => answerWith(id, '1x1x1/0')],
    ['a route with a gap', (id) => answerWith(id, '1x1x1/0', '1x1x4/0')],
    ['an empty route', (id) => answerWith(id)],
    ['an error of its own', (id) => JSON.stringify({ id, error: { code: -32601, message: 'no' } })],
  ])('that answers %s fails the payment, with its name', async (_, answer) => {
    expect(await attemptsBy(await program(answer))).toEqual({
      attempts: [],
      outcome: 'routerFailed',
      feeMsat: 0n,
    });
  });

  test('that reports no route is believed', async () => {
    const router = await program((id, method) =>
      JSON.stringify(
        method === 'getroutes' ? { id, error: { code: 205, message: 'no' } } : { id, result: {} },
      ),
    );
    expect((await attemptsBy(router)).outcome).toBe('noRoute');
  });

  test('that is missing is refused before the first payment, even if another router comes first', async () => {
    const absent = join(directory, 'absent.sock');
    const router = JSON.stringify({ kind: 'layers', name: 'mine', socket: absent });
    const loaded = await loadScenario(scenarioFile(), [parseSetting(`routers=["shortest",${router}]`)]);
    const out = join(directory, 'refused');
    await expect(simulate(loaded, { workers: 1, out })).rejects.toMatchObject({
      name: 'scenario',
      data: { field: 'router mine', found: `connect ENOENT ${absent}` },
    });
    expect(existsSync(out)).toBe(false);
  });

  test('that ends during the run fails the payment, with its name', async () => {
    const router = await program(() => {
      const server = servers.pop()!;
      server.close();
      return '';
    });
    expect((await attemptsBy(router)).outcome).toBe('routerFailed');
  });
});

describeNeeding('python', spawnSync('python3', ['--version']).status === 0, 'the Python example', () => {
  test('finds the same routes', async () => {
    const socket = join(directory, 'python.sock');
    const { network } = await loadScenario(scenarioFile());
    const csv = join(directory, 'written.csv');
    await writeNetwork(network.graph, csv);
    const child = spawn('python3', ['examples/simulate/router.py', csv, socket]);
    children.push(child);
    await new Promise((resolve) => child.stdout.once('data', resolve));
    const router = JSON.stringify({ kind: 'layers', socket });
    expect(await attemptsBy(router)).toEqual({
      attempts: [OVER_B, OVER_C],
      outcome: 'complete',
      feeMsat: 5000n,
    });
  });
});

test('a written network is read back unchanged', async () => {
  const path = join(directory, 'synthetic.json');
  writeFileSync(path, '{"graph":"synthetic:50","traffic":{"kind":"random","payments":0}}');
  const { network } = await loadScenario(path);
  const csv = join(directory, 'synthetic.csv');
  await writeNetwork(network.graph, csv);
  const again = await loadScenario(path, [parseSetting(`graph=${csv}`)]);
  const { graph } = network;
  expect(again.network.graph.channelCount).toBe(graph.channelCount);
  for (let channel = 0; channel < graph.channelCount; channel++) {
    const other = again.network.graph.channelIndex(graph.shortChannelIds[channel]!);
    expect(again.network.graph.capacityMsat[other]).toBe(graph.capacityMsat[channel]);
    for (const direction of [0, 1]) {
      const { timestamp: _, ...terms } = graph.policy(2 * channel + direction)!;
      expect(again.network.graph.policy(2 * other + direction)).toMatchObject(terms);
    }
  }
});
