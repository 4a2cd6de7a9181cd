/**
 * The alert rules, tested by Prometheus' own `promtool`. Hours of ordinary refusals raise no alert, and each
 * fault raises exactly its own alert, once. Series begin with the values of a real scrape. The increments of
 * ordinary traffic are measured on a daemon that receives queries for routes that do not exist and requests
 * for payments that are refused.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DaemonHere } from '../commands/daemon-here.ts';
import { describeNeeding } from '../needs.ts';
import { temporaryDirectory } from '../rpc/support.ts';
import { readScrape } from './exposition.ts';

const RULES = fileURLToPath(new URL('../../examples/prometheus/fulgurite-alerts.yml', import.meta.url));
const hasPromtool = spawnSync('promtool', ['--version']).status === 0;
const rules = readFileSync(RULES, 'utf8');
const names = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name]) => name!);
/** The metrics that the rules read. Leaving out the thousands of other series saves seconds of promtool. */
const read = new Set(rules.match(/\b(?:fulgurite_|nodejs_)\w+/g));

/** Several nodes, so that the series of several nodes exist too. */
const OPTIONS = ['--graph', 'synthetic:120', '--node', 'a=simulated', '--node', 'b=simulated'];

/** Minutes of ordinary traffic, and the minutes that a fault lasts after that. */
const [QUIET, FAULTY] = [180, 260];
/** Failing requests per minute. */
const ORDINARY_PER_MINUTE = 30;

/** A series: its start value, its increment per minute, and its increment per minute during a fault. */
interface Series {
  readonly start: number;
  readonly step: number;
  /**
   * The change during a fault: the first value is `times` the previous value, plus `plus`. After that, the series
   * grows by `step` per minute.
   */
  readonly wrong?: { readonly times: number; readonly plus: number; readonly step: number };
}

/** The fault for each alert: its series, the factor and the addend for its value, and its increment per minute. */
const FAULTS: Readonly<Record<string, readonly [series: RegExp, times: number, plus: number, step: number]>> =
  {
    FulguriteDown: [/^up\b/, 0, 0, 0],
    FulguriteErrors: [/rpc_requests_total\{method="getroutes".*"fault"/, 1, 0, 5],
    FulguriteFailedPayments: [/payments_total\{kind="xpay".*"failed_out_of_time"/, 1, 0, 20],
    FulguriteStuckHtlc: [/oldest_htlc_seconds/, 1, 0, 60],
    FulguriteOddsDrifted: [/odds_drifted/, 1, 1, 0],
    FulguriteNodeAway: [/node_ready/, 0, 0, 0],
    FulguriteNodeBehindChain: [/block_height/, 1, 0, 0],
    FulguriteLowBalance: [/channel_spendable_msat/, 0.05, 0, 0],
    FulguriteOwnNodeSilent: [/own_node_up\{node="a"/, 0, 0, 0],
    FulguriteOwnNodeBehind: [/own_node_height_lag\{node="a"/, 1, 10, 0],
    FulguriteOwnNodeAtFloor: [/own_node_at_floor\{node="a"/, 1, 1, 0],
    FulguriteSlowDisk: [/journal_commit_seconds_bucket\{le="\+Inf"/, 1, 0, 600],
    FulguriteOldGraph: [/graph_age_seconds/, 1, 0, 200],
    FulguriteBusy: [/eventloop_lag_p99/, 1, 0.2, 0],
    FulguriteWorkerReplaced: [/worker_restarts_total/, 1, 1, 0],
    FulguriteDatabaseDown: [/database_down/, 1, 1, 0],
    FulguriteNotReady: [/fleet_not_ready/, 1, 1, 0],
    FulguriteBusDown: [/bus_down/, 1, 1, 0],
    FulguriteFalseAnswers: [/fleet_rejected_total/, 1, 0, 1],
    FulguriteSchemaDiffers: [/database_schema_differs/, 1, 1, 0],
    FulguriteUnknownHtlcs: [/unknown_htlcs/, 1, 1, 0],
  };

const isFaulty = (key: string): boolean => Object.values(FAULTS).some(([pattern]) => pattern.test(key));

describeNeeding('promtool', hasPromtool, 'alert rules', () => {
  const directory = temporaryDirectory();
  const series = new Map<string, Series>();

  beforeAll(async () => {
    const daemon = await DaemonHere.start(directory.path, OPTIONS);
    try {
      const { id } = await daemon.result('getinfo');
      const { nodes } = await daemon.result('listnodes');
      const counted = async () => readScrape((await daemon.result('getmetrics')).metrics).samples;
      const before = await counted();
      // Requests with an amount beyond the capacity of the network, an unknown destination, and an invalid
      // parameter.
      for (const { nodeid } of nodes.slice(0, ORDINARY_PER_MINUTE / 3)) {
        const route = { source: id, layers: [], maxfee_msat: 1000, final_cltv: 18, amount_msat: 10n ** 15n };
        await daemon.call('getroutes', { ...route, amount_msat: 1e15, destination: nodeid });
        await daemon.call('xkeysend', { destination: nodeid, amount_msat: 1e15 });
        await daemon.call('getroutes', { destination: 'nobody' });
      }
      const values = new Map(before.map(({ name, labels, value }) => [name + JSON.stringify(labels), value]));
      for (const { name, labels, value } of await counted()) {
        if (!read.has(name)) continue;
        const was = values.get(name + JSON.stringify(labels)) ?? 0;
        const isCounter = /_(?:total|count|sum|bucket)$/.test(name);
        const key = keyOf(name, labels);
        const one = { start: isCounter ? 0 : value, step: isCounter ? value - was : 0 };
        if (one.start !== 0 || one.step !== 0 || isFaulty(key)) series.set(key, one);
      }
    } finally {
      await daemon.stop();
    }
    // Unlike a real node, this network has no growing block height.
    const [build] = [...series.keys()].filter((key) => key.startsWith('fulgurite_build_info'));
    series.delete(build!);
    series.set('fulgurite_build_info{network="cln",chain="bitcoin"}', { start: 1, step: 0 });
    series.set('fulgurite_block_height', { start: 900_000, step: 0.1 });
    series.set('fulgurite_graph_age_seconds', { start: 60, step: 0 });
    series.set('nodejs_eventloop_lag_p99_seconds', { start: 0.012, step: 0 });
    series.set('up{job="fulgurite"}', { start: 1, step: 0 });
  }, 60_000);
  afterAll(() => directory.remove());

  /**
   * Runs promtool to check which alerts fire during these series.
   * @returns the output of promtool, or nothing if exactly `expected` fired, each once
   */
  function judged(now: ReadonlyMap<string, Series>, expected: readonly string[]): string {
    const folder = mkdtempSync(join(tmpdir(), 'fulgurite-rules-'));
    try {
      const input = [...now].map(([name, one]) => `      - {series: '${name}', values: '${valuesOf(one)}'}`);
      const samples = expected.map((alertname) => `{labels: '{alertname="${alertname}"}', value: 1}`);
      const fired = `count by (alertname) (max_over_time(ALERTS{alertstate="firing"}[${QUIET + FAULTY}m]))`;
      const file = join(folder, 'test.yml');
      writeFileSync(
        file,
        [
          `rule_files: ['${RULES}']`,
          'evaluation_interval: 1m',
          'tests:',
          '  - interval: 1m',
          '    input_series:',
          ...input,
          '    promql_expr_test:',
          `      - {expr: '${fired}', eval_time: ${QUIET + FAULTY}m, exp_samples: [${samples.join(', ')}]}`,
          '',
        ].join('\n'),
      );
      const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', file], { encoding: 'utf8' });
      return status === 0 ? '' : stdout + stderr;
    } finally {
      rmSync(folder, { recursive: true });
    }
  }

  test('are rules that Prometheus accepts', () => {
    const { status, stdout } = spawnSync('promtool', ['check', 'rules', RULES], { encoding: 'utf8' });
    expect([status, stdout]).toEqual([0, expect.stringContaining(`${names.length} rules found`)]);
    expect(Object.keys(FAULTS).toSorted()).toEqual(names.toSorted());
  });

  test('do not fire during hours of ordinary refusals', () => {
    const refused = [...series].filter(([name]) => /rpc_requests_total.*getroutes.*error/.test(name));
    expect(refused.some(([, { step }]) => step >= ORDINARY_PER_MINUTE / 3)).toBe(true);
    expect(judged(series, [])).toBe('');
  });

  test.each(Object.entries(FAULTS))(
    '%s fires for its own fault, once and alone',
    (alert, [pattern, times, plus, step]) => {
      const [name, ...others] = [...series.keys()].filter((key) => pattern.test(key));
      expect([typeof name, others]).toEqual(['string', []]);
      const one = series.get(name!)!;
      const faulty = new Map(series).set(name!, { ...one, wrong: { times, plus, step } });
      expect(judged(faulty, [alert])).toBe('');
    },
  );
});

/** In promtool's notation `a+bxn` is the value a, followed by n more values, each larger by b. */
function valuesOf({ start, step, wrong }: Series): string {
  const last = start + step * QUIET;
  if (wrong === undefined) return `${start}+${step}x${QUIET + FAULTY}`;
  return `${start}+${step}x${QUIET} ${last * wrong.times + wrong.plus}+${wrong.step}x${FAULTY}`;
}

const keyOf = (name: string, labels: Readonly<Record<string, string>>): string => {
  const pairs = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
  return pairs.length === 0 ? name : `${name}{${pairs.join(',')}}`;
};
