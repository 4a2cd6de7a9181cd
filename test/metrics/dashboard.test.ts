/**
 * The metrics of a working daemon, read by a strict parser, and every query of the dashboard and the alert rules. Each
 * query is valid PromQL, names only exported metrics, and gives numbers on two scrapes. The expected numbers follow
 * from the requests to the daemon.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { DaemonHere } from '../commands/daemon-here.ts';
import { temporaryDirectory } from '../rpc/support.ts';
import { readScrape, type Scrape } from './exposition.ts';
import { evaluate, type Recording, seriesIn } from './promql.ts';

const read = (path: string): string =>
  readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8');

interface Panel {
  readonly id: number;
  readonly title: string;
  readonly type: string;
  readonly gridPos: { readonly h: number; readonly w: number; readonly x: number; readonly y: number };
  readonly targets?: readonly { readonly expr: string; readonly refId: string }[];
}

const PAYMENTS = 40;
const dashboard = JSON.parse(read('examples/grafana/fulgurite.json')) as {
  panels: readonly Panel[];
  uid: string;
};
const panels = dashboard.panels.filter(({ type }) => type !== 'row');
const queries = panels.flatMap(({ title, targets }) => targets!.map(({ expr }) => [title, expr] as const));
const alerts = [...read('examples/prometheus/fulgurite-alerts.yml').matchAll(/^\s+expr: (.*)$/gm)].map(
  ([, expr]) => expr!,
);

/** The query as Grafana sends it. A scrape of one node has neither job nor instance. */
const asSent = (expr: string): string =>
  expr
    .replaceAll('job="$job",instance=~"$instance",', '')
    .replaceAll('{job="$job",instance=~"$instance"}', '')
    .replaceAll('$__rate_interval', '5m');

const directory = temporaryDirectory();
let recording: Recording;
let answered = 0;
let refused = 0;

beforeAll(async () => {
  const options = ['--graph', 'synthetic:120', '--node', 'a=simulated', '--node', 'b=simulated'];
  const daemon = await DaemonHere.start(directory.path, options);
  const scrape = async (): Promise<Scrape> => readScrape((await daemon.result('getmetrics')).metrics);
  try {
    const before = await scrape();
    const { nodes } = await daemon.result('listnodes');
    const done = (): void => void answered++;
    for (let n = 0; n < PAYMENTS; n++) {
      const destination = nodes[n % nodes.length].nodeid;
      daemon
        .call(n % 2 === 0 ? 'keysend' : 'xkeysend', { destination, amount_msat: 5000 + n })
        .then(done, done);
    }
    // The simulated network has no faults here, so every payment ends.
    await vi.waitFor(() => expect(answered).toBe(PAYMENTS), { timeout: 50_000 });
    const { offers } = await daemon.result('listsimulatedoffers');
    await daemon.call('fetchinvoice', { offer: offers[0].bolt12, timeout: 5 });
    for (; refused < 3; refused++) await daemon.error('keysend', { destination: 'nobody' });
    await daemon.call('nosuchmethod');
    recording = { before, after: await scrape(), seconds: 10 };
  } finally {
    await daemon.stop();
  }
}, 60_000);
afterAll(() => directory.remove());

/** The single value of a query. */
function numberOf(query: string): number {
  const value = evaluate(query, recording);
  if (typeof value === 'number') return value;
  expect(value).toHaveLength(1);
  return value[0]!.value;
}

describe('metrics', () => {
  it('match the requests to the daemon', () => {
    const { paid, failed } = {
      paid: numberOf('sum(fulgurite_payments_total{outcome="complete"})'),
      failed: numberOf('sum(fulgurite_payments_total{outcome=~"failed.*"})'),
    };
    expect(paid + failed).toBeGreaterThanOrEqual(answered - 1);
    expect(paid + failed).toBeLessThanOrEqual(PAYMENTS);
    expect(numberOf('sum(fulgurite_payment_duration_seconds_count)')).toBe(paid + failed);
    expect(numberOf('sum(fulgurite_payment_attempts_count)')).toBe(paid + failed);
    const settled = numberOf('fulgurite_attempts_total{outcome="settled"}');
    expect(settled).toBeGreaterThanOrEqual(paid);
    expect(numberOf('fulgurite_payment_amount_msat_total')).toBeGreaterThanOrEqual(5000 * paid);
    expect(
      numberOf('fulgurite_attempt_predicted_probability_count{outcome="arrived"}'),
    ).toBeGreaterThanOrEqual(settled);
    expect(numberOf('fulgurite_rpc_requests_total{method="keysend",outcome="error"}')).toBeGreaterThanOrEqual(
      refused,
    );
    expect(numberOf('fulgurite_rpc_requests_total{method="other",outcome="error"}')).toBe(1);
    expect(numberOf('fulgurite_rpc_duration_seconds_count{method="listnodes"}')).toBe(1);
    expect(numberOf('fulgurite_graph_nodes')).toBe(120);
    expect(numberOf('sum(fulgurite_fetchinvoice_total)')).toBe(1);
    expect(numberOf('fulgurite_onion_messages_total{direction="out",outcome="ok"}')).toBeGreaterThan(0);
    expect(numberOf('fulgurite_rpc_in_flight')).toBeGreaterThanOrEqual(1);
    expect(numberOf('fulgurite_store_bytes')).toBeGreaterThan(0);
    expect(numberOf('sum(fulgurite_journal_commit_seconds_count)')).toBeGreaterThan(0);
    expect(numberOf('sum(fulgurite_route_search_seconds_count)')).toBeGreaterThanOrEqual(paid);
  });

  it('have few series, which all exist from the start and identify no nodes or channels', () => {
    const namesOf = ({ samples }: Scrape) =>
      samples
        .filter(({ name }) => name.startsWith('fulgurite_'))
        .map(({ name, labels }) => name + JSON.stringify(labels));
    expect(namesOf(recording.after)).toEqual(namesOf(recording.before));
    const labelSets = new Map<string, Set<string>>();
    for (const { name, labels } of recording.after.samples) {
      const { le: _, ...rest } = labels;
      labelSets.set(name, (labelSets.get(name) ?? new Set()).add(JSON.stringify(rest)));
      for (const value of Object.values(labels)) expect(value).not.toMatch(/[0-9a-f]{16}|\d+x\d+x\d+/);
    }
    const many = [...labelSets].filter(([, sets]) => sets.size >= 100).map(([name]) => name);
    // These families have one series per command. Only the counter of requests has one per command and outcome.
    const duration = 'fulgurite_rpc_duration_seconds';
    expect(many).toEqual([
      'fulgurite_rpc_requests_total',
      ...['bucket', 'sum', 'count'].map((part) => `${duration}_${part}`),
    ]);
  });
});

describe('the dashboard', () => {
  it.each(queries)('%s: %s', (_, expr) => {
    const names = new Set(recording.after.samples.map(({ name }) => name));
    expect(seriesIn(asSent(expr)).filter((name) => !names.has(name))).toEqual([]);
    const value = evaluate(asSent(expr), recording);
    const values = typeof value === 'number' ? [value] : value.map((one) => one.value);
    expect(values.length).toBeGreaterThan(0);
    // Without events, a mean is 0/0, which Grafana does not draw.
    for (const one of values) expect(Number.isNaN(one) || Number.isFinite(one)).toBe(true);
  });

  it('shows every family of our own metrics', () => {
    const shown = new Set(
      [...queries.map(([, expr]) => asSent(expr)), ...alerts].flatMap(seriesIn).map(familyOf),
    );
    const ours = [...recording.after.types.keys()].filter((name) => name.startsWith('fulgurite_'));
    expect(ours.filter((name) => !shown.has(name))).toEqual([]);
  });

  it('has panels that do not overlap, on 24 columns, with distinct ids', () => {
    const ids = dashboard.panels.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const taken = new Set<string>();
    for (const { gridPos } of dashboard.panels) {
      expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++) {
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
          expect(taken.has(`${x} ${y}`)).toBe(false);
          taken.add(`${x} ${y}`);
        }
      }
    }
  });
});

it('docs/metrics.md has a row for each family, with its type', () => {
  const rows = [...read('docs/metrics.md').matchAll(/^\| `(fulgurite_\w+)`.*? \| (\w+) \|/gm)];
  const described = rows.map(([, name, type]) => [name, type]);
  const exported = [...recording.after.types].filter(([name]) => name.startsWith('fulgurite_'));
  expect(described.toSorted()).toEqual(exported.toSorted());
});

describe('alert rules', () => {
  it.each(alerts)('%s', (expr) => {
    const names = new Set([...recording.after.samples.map(({ name }) => name), 'up']);
    const used = seriesIn(expr);
    expect(used.length).toBeGreaterThan(0);
    expect(used.filter((name) => !names.has(name))).toEqual([]);
  });
});

it('the evaluator handles sums, rates, quantiles and quotients', () => {
  const hist = (low: number, all: number) =>
    `# HELP h h\n# TYPE h histogram\nh_bucket{le="1"} ${low}\nh_bucket{le="3"} ${all}\nh_bucket{le="+Inf"} ${all}\nh_sum ${all}\nh_count ${all}\n`;
  const counter = (x: number, y: number) => `# HELP c c\n# TYPE c counter\nc{a="x"} ${x}\nc{a="y"} ${y}\n`;
  const small: Recording = {
    before: readScrape(counter(1, 2) + hist(0, 0)),
    after: readScrape(counter(11, 4) + hist(2, 4)),
    seconds: 2,
  };
  expect(evaluate('rate(c[5m])', small)).toEqual([
    { labels: { a: 'x' }, value: 5 },
    { labels: { a: 'y' }, value: 1 },
  ]);
  expect(evaluate('sum(increase(c[5m]))', small)).toEqual([{ labels: {}, value: 12 }]);
  expect(evaluate('sum by (a) (rate(c{a=~"x|z"}[5m])) / scalar(sum(rate(c[5m])))', small)).toEqual([
    { labels: { a: 'x' }, value: 5 / 6 },
  ]);
  // Three of the four values are at most 2: two up to 1, and half of the two between 1 and 3.
  expect(evaluate('histogram_quantile(0.75, sum by (le) (rate(h_bucket[5m])))', small)).toEqual([
    { labels: {}, value: 2 },
  ]);
  expect(() => evaluate('rate(c[5m]', small)).toThrow('not PromQL');
});

/** The family of a series. The series of a histogram have three suffixes. */
const familyOf = (name: string): string => name.replace(/_(?:bucket|sum|count)$/, '');
