/**
 * Sweeps: a scenario is played once for each combination of the listed `--set` values, and the summaries are combined
 * into a table. Comparisons: two scenarios are played on the same network, balances and traffic.
 */
import { join } from 'node:path';
import { type PairedDifference, pairedDifference } from './results/figures.ts';
import { plotSvg } from './results/plot.ts';
import { SUMMARY_COLUMNS, type Summary, summaryCsv } from './results/summary.ts';
import { makeFolder, writeResult } from './results/whole-file.ts';
import { loadScenario, type ScenarioSetting } from './scenario/load-scenario.ts';
import type { Located, Scalar } from './scenario/located.ts';
import { scenarioError } from './scenario/scenario-error.ts';
import { playScenario, type RunOptions } from './simulate.ts';

const MAX_RUNS = 1000;

/** A run of a sweep: the settings that distinguish it, and its summary. */
export interface SweepRow {
  readonly values: Readonly<Record<string, string>>;
  readonly summary: Summary;
}

/**
 * All combinations of the listed values. To set a field to a list, give a list whose only element is that list.
 * @throws FulguriteError `scenario` for more than `MAX_RUNS` combinations
 */
export function combinations(settings: readonly ScenarioSetting[]): ScenarioSetting[][] {
  let rows: ScenarioSetting[][] = [[]];
  for (const setting of settings) {
    const values = setting.value.elements ?? [setting.value];
    rows = rows.flatMap((row) => values.map((value) => [...row, { path: setting.path, value }]));
    if (rows.length > MAX_RUNS) {
      const found = String(rows.length);
      throw scenarioError({ file: '--set', field: '', expected: `at most ${MAX_RUNS} runs`, found });
    }
  }
  return rows;
}

/** Plays every combination. With `out`, each run has its own folder, and `sweep.csv` has the rows of all runs. */
export async function sweep(
  path: string,
  settings: readonly ScenarioSetting[],
  options: RunOptions,
): Promise<SweepRow[]> {
  const swept = settings
    .filter(({ value }) => value.elements !== undefined)
    .map(({ path: key }) => key.join('.'));
  const rows: SweepRow[] = [];
  for (const [index, row] of combinations(settings).entries()) {
    if (options.signal?.aborted === true) break;
    const named = row.map(({ path: key, value }) => [key.join('.'), shown(value)] as const);
    const out = options.out === undefined ? {} : { out: join(options.out, String(index + 1)) };
    const { summary } = await playScenario(await loadScenario(path, row), { ...options, ...out });
    rows.push({ values: Object.fromEntries(named.filter(([key]) => swept.includes(key))), summary });
  }
  if (options.out !== undefined) writeSweep(options.out, swept, rows);
  return rows;
}

/** A value as text, for the table. */
function shown({ scalar, elements }: Located): string {
  return elements === undefined ? String(scalar as Scalar) : elements.map(shown).join(' ');
}

function writeSweep(directory: string, swept: readonly string[], rows: readonly SweepRow[]): void {
  makeFolder(directory);
  const header = ['run', ...swept, SUMMARY_COLUMNS].join(',');
  const lines = rows.map(({ values, summary }, index) =>
    summaryCsv(summary, [index + 1, ...swept.map((key) => values[key])].join(',')),
  );
  writeResult(directory, 'sweep.csv', `${header}\n${lines.join('')}`);
  const [key] = swept;
  if (key === undefined || swept.length > 1 || rows.some(({ values }) => Number.isNaN(Number(values[key]))))
    return;
  writeResult(directory, 'sweep.svg', `${sweepPlot(key, rows)}\n`);
}

/** A plot of success against the swept value, with a line for each router. */
function sweepPlot(key: string, rows: readonly SweepRow[]): string {
  const names = rows[0]!.summary.routers.map(({ router }) => router);
  return plotSvg({
    title: `Success against ${key}`,
    xLabel: key,
    yLabel: 'share of payments that succeed',
    series: names.map((name, index) => ({
      name,
      points: rows.flatMap(({ values, summary }) => {
        const figures = summary.routers[index];
        if (figures === undefined) return [];
        const { mean, low, high } = figures.success;
        return [{ x: Number(values[key]), y: mean, low, high }];
      }),
    })),
  });
}

/**
 * The results of two scenarios on the network, balances and traffic of the first, and their differences payment by
 * payment.
 */
export interface ScenarioComparison {
  readonly summaries: readonly [Summary, Summary];
  readonly pairs: readonly PairedDifference[];
}

/**
 * Plays two scenarios. Of the second, only the name, the payment rules and the routers are used.
 * @throws FulguriteError `scenario`
 */
export async function compare(
  first: string,
  second: string,
  settings: readonly ScenarioSetting[],
  options: RunOptions,
): Promise<ScenarioComparison> {
  const base = await loadScenario(first, settings);
  const { scenario: other } = await loadScenario(second, settings);
  const inOut = (name: string): RunOptions =>
    options.out === undefined ? options : { ...options, out: join(options.out, name) };
  const one = await playScenario(base, inOut('first'));
  const { payment, routers, name } = other;
  const changed = { ...base, scenario: { ...base.scenario, payment, routers, name } };
  const two = await playScenario(changed, inOut('second'));
  const { batches } = base.scenario.measure;
  const pairs = one.collectors.flatMap(([ofFirst, a]) =>
    two.collectors.map(([ofSecond, b]) =>
      pairedDifference([`${base.scenario.name}: ${ofFirst}`, a], [`${name}: ${ofSecond}`, b], batches),
    ),
  );
  return { summaries: [one.summary, two.summary], pairs };
}
