/**
 * CLoTH itself (compiled from its own sources, outside this repository) as the reference: it plays payments
 * that do not overlap in time on a network of its format. The routes that it writes are replayed here, one
 * after the other. Every outcome, fee and balance must be the same.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { generateSyntheticGraph } from '../../src/gossip/synthetic.ts';
import { readCloth } from '../../src/laboratory/formats/cloth.ts';
import { loadScenario } from '../../src/laboratory/scenario/load-scenario.ts';
import { startingBalances } from '../../src/laboratory/truth/balances.ts';
import { type HtlcEnd, LabHtlc } from '../../src/laboratory/truth/htlc-flow.ts';
import { LabWorld } from '../../src/laboratory/truth/world.ts';
import { Draws } from '../../src/model/draws.ts';
import { describeNeeding } from '../needs.ts';

const CLOTH = process.env.FULGURITE_CLOTH;
/** Milliseconds between two payments: more than CLoTH's minute of retries plus its latencies. */
const GAP_MS = 200_000;
const PAYMENTS = Number(process.env.FULGURITE_CLOTH_PAYMENTS ?? 1500);

/** Writes a synthetic network with uniform balances, and payments, as a folder in CLoTH's format. */
function writeFolder(folder: string, seed: number): void {
  const graph = generateSyntheticGraph({ nodeCount: 200, seed });
  const balances = startingBalances(graph, { kind: 'uniform' }, new Draws(seed));
  const rows = { channels: ['header'], edges: ['header'], payments: ['header'], nodes: ['id'] };
  for (let node = 0; node < graph.nodeCount; node++) rows.nodes.push(String(node));
  for (let channel = 0; channel < graph.channelCount; channel++) {
    const ends = [graph.node1[channel]!, graph.node2[channel]!];
    const [forth, back] = [2 * channel, 2 * channel + 1];
    rows.channels.push([channel, forth, back, ...ends, graph.capacityMsat[channel]!].join(','));
    for (const side of [0, 1]) {
      const direction = forth + side;
      const balance = side === 0 ? balances[channel]! : graph.capacityMsat[channel]! - balances[channel]!;
      const policy = [
        graph.feeBaseMsat[direction]!,
        graph.feeProportionalMillionths[direction]!,
        graph.htlcMinimumMsat[direction]!,
        graph.cltvExpiryDelta[direction]!,
      ];
      rows.edges.push(
        [direction, channel, direction ^ 1, ends[side]!, ends[1 - side]!, balance, ...policy].join(','),
      );
    }
  }
  const draws = new Draws(seed);
  const node = (payment: number, what: number) => Math.floor(draws.uniform(what, payment) * graph.nodeCount);
  for (let payment = 0; payment < PAYMENTS; payment++) {
    const sender = node(payment, 1);
    const receiver =
      (sender + 1 + Math.floor(draws.uniform(2, payment) * (graph.nodeCount - 1))) % graph.nodeCount;
    const amount = Math.floor(Math.exp(9 + 13 * draws.uniform(3, payment)));
    rows.payments.push([payment, sender, receiver, amount, payment * GAP_MS].join(','));
  }
  for (const [name, lines] of Object.entries(rows)) {
    writeFileSync(join(folder, `${name}.csv`), `${lines.join('\n')}\n`);
  }
  writeFileSync(
    join(folder, 'cloth_input.txt'),
    'generate_network_from_file=true\nnodes_filename=nodes.csv\nchannels_filename=channels.csv\n' +
      'edges_filename=edges.csv\nn_additional_nodes=\nn_channels_per_node=\ncapacity_per_channel=\n' +
      'faulty_node_probability=0.0\ngenerate_payments_from_file=true\npayments_filename=payments.csv\n' +
      'payment_rate=\nn_payments=\naverage_payment_amount=\nmpp=0\n',
  );
}

const table = (file: string): Record<string, string>[] => {
  const [header, ...rows] = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((row) => row.split(','));
  return rows.map((row) => Object.fromEntries(header!.map((name, index) => [name, row[index] ?? ''])));
};

/** Replays one route, and returns its outcome. */
function replayed(world: LabWorld, directions: readonly number[], amountMsat: bigint, htlc: number): HtlcEnd {
  const amountsMsat = [amountMsat];
  const expiries = [world.height + 40];
  for (const direction of directions.slice(1).toReversed()) {
    amountsMsat.unshift(amountsMsat[0]! + world.policies.feeMsat(direction, amountsMsat[0]!));
    expiries.unshift(expiries[0]! + world.graph.cltvExpiryDelta[direction]!);
  }
  let end: HtlcEnd | undefined;
  const path = { directions, amountsMsat, expiries };
  const arrived = (delivered: { settle(): void }): void => delivered.settle();
  new LabHtlc(world, htlc, path, arrived, (how) => {
    end = how;
  }).send();
  while (world.step());
  return end!;
}

describeNeeding('cloth', CLOTH !== undefined, 'CLoTH', () => {
  test.each([1, 2])('yields the same outcomes, fees and balances for its routes (seed %i)', async (seed) => {
    const folder = mkdtempSync(join(tmpdir(), 'fulgurite-cloth-'));
    try {
      writeFolder(folder, seed);
      mkdirSync(join(folder, 'out'));
      const env = { ...process.env, GSL_RNG_SEED: '1992' };
      const run = spawnSync(CLOTH!, ['out/'], { cwd: folder, env, timeout: 600_000 });
      expect(run.status).toBe(0);
      const { network } = readCloth(folder);
      const { cloth, graph, balances } = network;
      const { scenario } = await loadScenario(folder);
      const world = new LabWorld(graph, balances!, scenario.network, 1n);
      const directionOf = new Map([...cloth!.idOf].map((edge, direction) => [edge, direction]));
      const counts = { settled: 0, failed: 0 };
      for (const [index, row] of table(join(folder, 'out/payments_output.csv')).entries()) {
        if (row.route === '-1') continue;
        const directions = row.route!.split('-').map((edge) => directionOf.get(Number(edge))!);
        const end = replayed(world, directions, BigInt(row.amount!), index);
        expect([row.id, end.kind]).toEqual([row.id, row.is_success === '1' ? 'settled' : 'failed']);
        counts[end.kind]++;
      }
      for (const row of table(join(folder, 'out/edges_output.csv'))) {
        const balance = world.channels.balanceMsat(directionOf.get(Number(row.id))!);
        expect([row.id, balance]).toEqual([row.id, BigInt(row.balance!)]);
      }
      expect(counts.settled).toBeGreaterThan(PAYMENTS / 3);
      expect(counts.failed).toBeGreaterThan(10);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
