/**
 * Whole runs of the laboratory on small synthetic networks. They are repeatable byte for byte, conserve money,
 * respect limits, and agree with their output files.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { loadNetwork } from '../../src/laboratory/formats/load-network.ts';
import { KernelHost } from '../../src/laboratory/kernel/kernel-host.ts';
import type { PaymentOutcome } from '../../src/laboratory/payment-run.ts';
import { PLANS_FILE } from '../../src/laboratory/results/plan-journal.ts';
import type { RouterSummary } from '../../src/laboratory/results/summary.ts';
import { Field } from '../../src/laboratory/scenario/fields.ts';
import {
  type LoadedScenario,
  loadScenario,
  parseSetting,
} from '../../src/laboratory/scenario/load-scenario.ts';
import { parseLocated } from '../../src/laboratory/scenario/located.ts';
import { readScenario } from '../../src/laboratory/scenario/read-scenario.ts';
import { playScenario, simulate } from '../../src/laboratory/simulate.ts';
import { combinations } from '../../src/laboratory/sweep.ts';

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'fulgurite-simulate-'));
});
afterAll(() => {
  rmSync(directory, { recursive: true, force: true });
});

async function loaded(fields: Record<string, unknown>): Promise<LoadedScenario> {
  const file = parseLocated(JSON.stringify({ graph: 'synthetic:120', ...fields }), 'test.json');
  const scenario = readScenario(new Field(file, file.root, ''));
  return { scenario, network: await loadNetwork(scenario), inputs: {} };
}

const TRAFFIC = { kind: 'random', payments: 300, rate_per_s: 20 };
const FAULTS = { offline: 0.05, stuck: 0.002, stuck_us: 90_000_000, unreported_fees: 0.05 };

describe('a run', () => {
  test('gives the same bytes for any number of threads, and again from its resolved scenario', async () => {
    const traffic = { ...TRAFFIC, payments: 150 };
    const scenario = await loaded({ traffic, network: FAULTS, routers: ['fulgurite', 'cheapest'] });
    const files = async (workers: number, from = scenario) => {
      const out = join(directory, `workers-${workers}-${from === scenario}`);
      return (await simulate(from, { workers, out })).files;
    };
    const one = await files(1);
    expect(Object.keys(one).sort()).toEqual(['attempts.csv', 'channels.csv', 'nodes.csv', 'payments.csv']);
    expect(await files(3)).toEqual(one);
    const again = await loadScenario(join(directory, 'workers-1-true', 'scenario.json'));
    expect(await files(2, again)).toEqual(one);
  });

  test('does not depend on searches made in advance, even when lessons fade with time', async () => {
    // Layers are refreshed by the clock of the simulation. Runs with more threads search in advance more often.
    const network = { ...FAULTS, faulty: 0.01, fee_change_us: 60_000_000 };
    const scenario = await loaded({ traffic: { kind: 'random', payments: 450 }, network });
    const run = async (workers: number) => {
      const out = join(directory, `fading-${workers}`);
      return (await simulate(scenario, { workers, out })).files;
    };
    expect(await run(2)).toEqual(await run(1));
  });

  test('gives different results for a different seed', async () => {
    const run = async (seed: number) =>
      (await simulate(await loaded({ seed, traffic: TRAFFIC }))).routers[0]!;
    const [first, second] = [await run(1), await run(2)];
    expect(first.feeMsat).not.toBe(second.feeMsat);
  });

  test('plays every payment once, within its fee limit, and never delivers more than the amount to pay', async () => {
    const outcomes: PaymentOutcome[] = [];
    const scenario = await loaded({
      traffic: { ...TRAFFIC, amount: { kind: 'fixed', msat: 300_000_000 } },
      network: FAULTS,
    });
    await simulate(scenario, {
      onEvent: (event) => {
        if (event.kind === 'payment') outcomes.push(event.outcome);
      },
    });
    expect(outcomes.map(({ order }) => order.id).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 300 }, (_, id) => id),
    );
    for (const { order, outcome, attempts, feeMsat } of outcomes) {
      const settled = attempts.filter(({ end }) => end.kind === 'settled');
      const delivered = settled.reduce((sum, { route }) => sum + route.amountsMsat.at(-1)!, 0n);
      expect(delivered).toBe(outcome === 'complete' ? order.amountMsat : 0n);
      expect(feeMsat <= 1_500_000n).toBe(true);
    }
    expect(
      outcomes.some(({ attempts }) => attempts.filter(({ end }) => end.kind === 'settled').length > 1),
    ).toBe(true);
  });

  test('reports the same counts in its summary as in its files', async () => {
    const out = join(directory, 'counts');
    const scenario = await loaded({ traffic: TRAFFIC, network: FAULTS, routers: ['fulgurite', 'shortest'] });
    const { routers, pairs } = await simulate(scenario, { out });
    const rows = readFileSync(join(out, 'payments.csv'), 'utf8')
      .trim()
      .split('\n')
      .slice(1)
      .map((row) => row.split(','));
    for (const { router, payments, complete, feeMsat } of routers) {
      const own = rows.filter((row) => row[1] === router);
      const done = own.filter((row) => row[7] === 'complete');
      expect([own.length, done.length]).toEqual([payments, complete]);
      expect(done.reduce((sum, row) => sum + BigInt(row[11]!), 0n)).toBe(feeMsat);
    }
    const of = (router: string) =>
      new Map(rows.filter((row) => row[1] === router).map((row) => [row[0], row[7]]));
    const [first, second] = [of('fulgurite'), of('shortest')];
    const only = [...first].filter(
      ([id, state]) => state === 'complete' && second.get(id) === 'failed',
    ).length;
    expect(pairs[0]!.onlyFirst).toBe(only);
    const rate = ({ complete, payments }: RouterSummary): number => complete / payments;
    expect(pairs[0]!.success.mean).toBeCloseTo(rate(routers[1]!) - rate(routers[0]!), 12);
    expect(readFileSync(join(out, 'report.html'), 'utf8')).not.toMatch(/<script|src=|href=/);
  });

  test('moves money from sender to recipient and pays forwarding nodes exactly, to the msat', async () => {
    const out = join(directory, 'books');
    await simulate(await loaded({ traffic: TRAFFIC }), { out });
    const cells = (name: string) =>
      readFileSync(join(out, name), 'utf8')
        .trim()
        .split('\n')
        .slice(1)
        .map((row) => row.split(','));
    const worth = new Map<string, bigint>();
    const add = (node: string, msat: bigint) => worth.set(node, (worth.get(node) ?? 0n) + msat);
    for (const [, , node1, node2, , start, end] of cells('channels.csv')) {
      add(node1!, BigInt(end!) - BigInt(start!));
      add(node2!, BigInt(start!) - BigInt(end!));
    }
    for (const [, , sender, receiver, amount, , , outcome, , , , fee] of cells('payments.csv')) {
      if (outcome !== 'complete') continue;
      add(sender!, BigInt(amount!) + BigInt(fee!));
      add(receiver!, -BigInt(amount!));
    }
    for (const [node, , , , , fees] of cells('nodes.csv')) add(node!, -BigInt(fees!));
    expect(new Set(worth.values())).toEqual(new Set([0n]));
  });

  test('that is interrupted writes only complete rows and reports that it was interrupted', async () => {
    const out = join(directory, 'interrupted');
    const controller = new AbortController();
    let ended = 0;
    const summary = await simulate(await loaded({ traffic: TRAFFIC }), {
      out,
      signal: controller.signal,
      onEvent: ({ kind }) => {
        if (kind === 'payment' && ++ended === 50) controller.abort();
      },
    });
    expect(summary.isFinished).toBe(false);
    const text = readFileSync(join(out, 'payments.csv'), 'utf8');
    expect(text.endsWith('\n')).toBe(true);
    const rows = text.trim().split('\n');
    expect(new Set(rows.map((row) => row.split(',').length))).toEqual(new Set([15]));
    expect(JSON.parse(readFileSync(join(out, 'summary.json'), 'utf8')).is_finished).toBe(false);
  });

  describe('that is interrupted and resumed', () => {
    const MIXED = { traffic: TRAFFIC, network: FAULTS, routers: ['fulgurite', 'lnd'] };

    /** Plays until `after` payments have ended in all worlds together. */
    async function interrupted(scenario: LoadedScenario, out: string, after: number, resume = false) {
      const controller = new AbortController();
      let ended = 0;
      await simulate(scenario, {
        out,
        resume,
        workers: 1,
        signal: controller.signal,
        onEvent: ({ kind }) => {
          if (kind === 'payment' && ++ended === after) controller.abort();
        },
      });
    }

    test('gives the bytes of an uninterrupted run, wherever it stopped and even if its record was cut off', async () => {
      const scenario = await loaded(MIXED);
      const whole = await simulate(scenario, { out: join(directory, 'whole') });
      expect(existsSync(join(directory, 'whole', PLANS_FILE))).toBe(false);
      for (const [first, second, lost] of [
        [1, 30, 0],
        [290, 310, 5000],
        [2, 3, Number.MAX_SAFE_INTEGER],
      ] as const) {
        const out = join(directory, `resumed-${first}`);
        await interrupted(scenario, out, first);
        await interrupted(scenario, out, second, true);
        const record = join(out, PLANS_FILE);
        truncateSync(record, Math.max(0, statSync(record).size - lost));
        const { files, isFinished } = await simulate(scenario, { out, resume: true, workers: 3 });
        expect(isFinished).toBe(true);
        expect(files).toEqual(whole.files);
      }
    });

    /** Whether a run that stops after `after` payments and is resumed gives the same bytes as a whole run. */
    async function isRestored(scenario: LoadedScenario, name: string, after: number): Promise<boolean> {
      const { files } = await simulate(scenario, { out: join(directory, `whole-${name}`) });
      const out = join(directory, `resumed-${name}`);
      await interrupted(scenario, out, after);
      const resumed = await simulate(scenario, { out, resume: true });
      expect(resumed.files).toEqual(files);
      return resumed.isFinished;
    }
    const LESSONS = { offline: 0.05, faulty: 0.02, unreported_fees: 0.05 };
    const LARGE = { kind: 'lognormal', mean_msat: 200_000_000, sigma: 1 };

    test('continues with beliefs refreshed at each recorded plan', async () => {
      // There is only one sender, so that it learns enough to affect its searches.
      const graph = 'synthetic:100';
      const { network } = await loaded({ graph, traffic: TRAFFIC });
      const senders = { by: 'list', nodes: [network.graph.nodeId(3)] };
      const traffic = { kind: 'random', payments: 80, senders, amount: LARGE };
      const scenario = await loaded({ graph, seed: 3, traffic, network: LESSONS });
      expect(await isRestored(scenario, 'refreshed', 48)).toBe(true);
    });

    test('forgets idle senders at the same moments, even though it searches in advance at different ones', async () => {
      // Payments are so rare that senders are forgotten between two of them.
      const traffic = { kind: 'random', payments: 200, rate_per_s: 0.005, amount: LARGE };
      const scenario = await loaded({ graph: 'synthetic:12', traffic, network: LESSONS });
      expect(await isRestored(scenario, 'idle', 160)).toBe(true);
    });

    test('searches only for plans that the record lacks', async () => {
      const scenario = await loaded({ ...MIXED, routers: ['fulgurite'] });
      const out = join(directory, 'counted');
      const asked = vi.spyOn(KernelHost.prototype, 'answer');
      try {
        await interrupted(scenario, out, 250);
        const before = asked.mock.calls.length;
        asked.mockClear();
        await simulate(scenario, { out, resume: true, workers: 1 });
        expect(asked.mock.calls.length).toBeLessThan(before / 2);
        expect(asked.mock.calls.length).toBeGreaterThan(0);
      } finally {
        asked.mockRestore();
      }
    });

    test('is refused if the record belongs to a different scenario', async () => {
      const out = join(directory, 'other');
      await interrupted(await loaded(MIXED), out, 50);
      await expect(
        simulate(await loaded({ ...MIXED, seed: 2 }), { out, resume: true }),
      ).rejects.toMatchObject({ name: 'scenario' });
    });
  });
});

describe('routers', () => {
  test('the oracle beats every other router, and no payment that it failed was possible', async () => {
    const scenario = await loaded({
      balances: { kind: 'bimodal' },
      traffic: { ...TRAFFIC, rate_per_s: 0.05, amount: { kind: 'fixed', msat: 50_000_000 } },
      routers: ['oracle', 'fulgurite', 'cheapest', 'shortest'],
    });
    const failedAttempts: string[] = [];
    const { routers } = await simulate(scenario, {
      onEvent: (event) => {
        if (event.kind !== 'payment' || event.router !== 'oracle') return;
        for (const { end } of event.outcome.attempts)
          if (end.kind === 'failed') failedAttempts.push(end.failure.name!);
      },
    });
    const [oracle, ...others] = routers;
    for (const { success } of others) expect(oracle!.success.mean).toBeGreaterThanOrEqual(success.mean);
    // Intervals of shares that are nearly 1 end at 1.
    const shares = routers.flatMap(({ success, successByAmount }) => [success, successByAmount]);
    expect(Math.max(...shares.map(({ high }) => high))).toBe(1);
    expect(Math.min(...shares.map(({ low }) => low))).toBeGreaterThanOrEqual(0);
    expect(failedAttempts).toEqual([]);
    expect(oracle!.possible.possible).toBe(0);
  });

  test('the oracle misses no possible payment, even though its payments change balances one after the other', async () => {
    const scenario = await loaded({
      graph: 'synthetic:30',
      traffic: { ...TRAFFIC, payments: 400, rate_per_s: 0.05, amount: { kind: 'fixed', msat: 200_000_000 } },
      routers: ['oracle'],
      measure: { privacy: 0 },
    });
    const [{ complete, payments, possible }] = (await simulate(scenario)).routers as [RouterSummary];
    expect(complete).toBeLessThan(payments);
    expect(possible).toEqual({ possible: 0, checked: payments - complete });
  });

  test('in one world share its senders', async () => {
    const scenario = await loaded({
      traffic: TRAFFIC,
      routers: [
        { kind: 'cheapest', share: 0.3 },
        { kind: 'fulgurite', share: 0.7 },
      ],
    });
    const { summary, collectors } = await playScenario(scenario, {});
    const [cheapest, ours] = collectors.map(([, collector]) => collector.rows.length);
    expect(cheapest! + ours!).toBe(300);
    expect(cheapest).toBeGreaterThan(0);
    expect(ours).toBeGreaterThan(cheapest!);
    expect(summary.routers.map(({ router }) => router)).toEqual(['cheapest', 'fulgurite']);
  });
});

test('jamming occupies slots of other payments, pays nothing, and does not count as traffic', async () => {
  const plain = await loaded({ graph: 'synthetic:60', traffic: TRAFFIC });
  const { graph } = plain.network;
  const [sender, receiver] = [
    graph.nodeId(graph.node1[0]!),
    graph.nodeId(graph.node2[graph.channelCount - 1]!),
  ];
  const jamming = [{ sender, receiver, rate_per_s: 30, amount_msat: 10_000_000, hold_us: 30_000_000 }];
  const run = async (network: object) => {
    const scenario = await loaded({
      graph: 'synthetic:60',
      traffic: TRAFFIC,
      network: { slots: 3, ...network },
    });
    return (await simulate(scenario)).routers[0]!;
  };
  const [free, jammed] = [await run({}), await run({ jamming })];
  expect([free.payments, jammed.payments]).toEqual([300, 300]);
  expect(jammed.complete).toBeLessThan(free.complete);
});

test('a sweep runs every combination of its settings', () => {
  const settings = ['payment.max_parts=[1,4]', 'seed=[1,2,3]', 'network.offline=0.1'].map(parseSetting);
  const rows = combinations(settings).map((row) => row.map(({ value }) => Number(value.scalar)));
  expect(rows).toEqual([
    [1, 1, 0.1],
    [1, 2, 0.1],
    [1, 3, 0.1],
    [4, 1, 0.1],
    [4, 2, 0.1],
    [4, 3, 0.1],
  ]);
});
