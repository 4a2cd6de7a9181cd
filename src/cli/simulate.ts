/** `fulgurite simulate`: runs a laboratory scenario and shows its progress. */
import { copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { writeNetwork } from '../laboratory/formats/write-network.ts';
import { compressed } from '../laboratory/results/csv-file.ts';
import type { PairedDifference } from '../laboratory/results/figures.ts';
import type { Estimate } from '../laboratory/results/statistics.ts';
import type { RouterSummary, Summary } from '../laboratory/results/summary.ts';
import {
  type LoadedScenario,
  loadScenario,
  parseSetting,
  type ScenarioSetting,
} from '../laboratory/scenario/load-scenario.ts';
import { type RunOptions, type SimulationEvent, simulate } from '../laboratory/simulate.ts';
import { combinations, compare, sweep } from '../laboratory/sweep.ts';
import { UsageError } from './client/client-arguments.ts';
import type { Screen } from './client/live-table.ts';
import { parseOptions } from './options/command-line.ts';

/** What `fulgurite simulate --help` prints. */
export const SIMULATE_USAGE = `fulgurite simulate SCENARIO [options]
  Simulate payments of many senders over hidden balances, with any router, and measure the results. SCENARIO is a
  YAML or JSON file, a sim.json of sim-ln, or a folder of CLoTH. No daemon, key or network is needed.
  --out DIR               besides printing a summary, write results to DIR: payments.csv, attempts.csv, channels.csv,
                          nodes.csv, balances.csv (if the scenario asks for snapshots), summary.json, summary.csv,
                          report.html, and scenario.json with every default
  --seed N                seed of all random draws (default: the scenario's seed, or 1)
  --workers N             number of threads that search routes (default 2); results do not depend on N
  --set KEY=VALUE         change a value of the scenario, such as payment.max_parts=1. A list, such as
                          payment.max_parts=[1,4,16], runs the scenario once per value (may be repeated)
  --against SCENARIO2     also run the payment rules and routers of SCENARIO2 on the same network, balances and
                          traffic, and compare both payment by payment
  --resume                resume the interrupted run in the folder of --out, with the same scenario and options;
                          the results are the same as without the interruption
  --compress              also write each CSV file of --out as .csv.gz
  --dry-run               run only the first payments, and print the time per payment, the memory used and, for
                          random traffic, an estimate of the duration of the whole run
  --write-network FILE    only write the scenario's network: as GraphML if FILE ends in .graphml, otherwise as a CSV
                          of channels that the scenario key \`graph\` accepts
  --example NAME          copy the commented example NAME to NAME.yaml; --example list lists the examples
`;

/** Where the output goes, and a signal that ends the run early. */
export interface SimulateTerminal {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  readonly screen: Screen | undefined;
  readonly interrupted: AbortSignal;
}

const text = { type: 'string' } as const;
const OPTIONS = {
  out: text,
  seed: text,
  workers: text,
  set: { type: 'string', multiple: true },
  against: text,
  resume: { type: 'boolean' },
  compress: { type: 'boolean' },
  'dry-run': { type: 'boolean' },
  'write-network': text,
  example: text,
} as const;

/** Names of all options, for the test that checks the options named in the documentation. */
export const SIMULATE_OPTION_NAMES = Object.keys(OPTIONS);

const EXIT_INTERRUPTED = 130;
const MAX_WORKERS = 64;
/** Maximum number of payments in a dry run. */
const SAMPLE_PAYMENTS = 500;
const PROGRESS_EVERY_MS = 200;
/** In runs of at most this many payments, speed matters more than memory. */
const SHORT_RUN_PAYMENTS = 200_000;

/**
 * Runs `fulgurite simulate`.
 * @returns the exit code: 0, or 130 after an interruption
 * @throws UsageError, FulguriteError
 */
export async function runSimulate(argv: readonly string[], terminal: SimulateTerminal): Promise<number> {
  const { values, positionals } = parsed(argv);
  if (values.example !== undefined) return writeExample(values.example, terminal);
  const [path, ...others] = positionals;
  if (path === undefined || others.length > 0)
    throw new UsageError('give one scenario; see fulgurite simulate --help');
  const settings = (values.set ?? []).map(parseSetting);
  if (values.seed !== undefined) settings.push(parseSetting(`seed=${values.seed}`));
  const networkFile = values['write-network'];
  if (networkFile !== undefined) {
    await writeNetwork((await loadScenario(path, settings)).network.graph, networkFile);
    return 0;
  }
  if (values.resume === true && values.out === undefined)
    throw new UsageError('--resume needs --out, the folder of the interrupted run');
  const workers = wholeNumber(values.workers ?? '2', 1, MAX_WORKERS, '--workers');
  if (values['dry-run'] === true) return dryRun(path, settings, workers, terminal);
  const progress = new RunProgress(terminal.screen);
  const options: RunOptions = {
    workers,
    signal: terminal.interrupted,
    onEvent: (event) => progress.show(event),
    ...(values.out !== undefined && { out: values.out }),
    resume: values.resume === true,
  };
  const summaries = await played(path, values.against, settings, options, terminal);
  progress.clear();
  if (values.compress === true && values.out !== undefined) compressAll(values.out);
  if (values.out !== undefined) terminal.out(`results in ${values.out}\n`);
  return summaries.every(({ isFinished }) => isFinished) ? 0 : EXIT_INTERRUPTED;
}

/**
 * Makes V8 collect garbage earlier and compact more. In a long run, there is much garbage between small long-lived
 * objects. By default the heap could grow to four times the memory in use, and a page would be compacted only when most
 * of it is garbage. A short run takes a sixth more time with these flags. They must be set before threads start.
 */
function saveMemory(): void {
  setFlagsFromString('--heap-growing-percent=50');
  setFlagsFromString('--optimize-for-size');
}

function parsed(argv: readonly string[]) {
  try {
    return parseOptions(argv, OPTIONS);
  } catch (error) {
    throw new UsageError(`${(error as Error).message}; see fulgurite simulate --help`);
  }
}

function wholeNumber(given: string, least: number, most: number, name: string): number {
  const value = /^\d{1,9}$/.test(given) ? Number(given) : Number.NaN;
  if (!(value >= least && value <= most))
    throw new UsageError(`${name} must be a number from ${least} to ${most}`);
  return value;
}

async function played(
  path: string,
  against: string | undefined,
  settings: readonly ScenarioSetting[],
  options: RunOptions,
  terminal: SimulateTerminal,
): Promise<readonly Summary[]> {
  if (against !== undefined) {
    saveMemory();
    const { summaries, pairs } = await compare(path, against, settings, options);
    for (const summary of summaries) terminal.out(summaryText(summary));
    terminal.out(pairsText(pairs));
    return summaries;
  }
  if (settings.some(({ value }) => (value.elements?.length ?? 0) > 1)) {
    saveMemory();
    const rows = await sweep(path, settings, options);
    for (const { values, summary } of rows) {
      terminal.out(
        `${Object.entries(values)
          .map(([key, value]) => `${key}=${value}`)
          .join(' ')}\n`,
      );
      terminal.out(summaryText(summary));
    }
    return rows.map(({ summary }) => summary);
  }
  const [only] = combinations(settings);
  const loaded = await loadScenario(path, only);
  warn(loaded, terminal);
  const { traffic } = loaded.scenario;
  if (traffic.kind !== 'random' || traffic.payments > SHORT_RUN_PAYMENTS) saveMemory();
  const summary = await simulate(loaded, options);
  terminal.out(summaryText(summary));
  terminal.out(pairsText(summary.pairs));
  return [summary];
}

function warn({ network }: LoadedScenario, { err }: SimulateTerminal): void {
  for (const warning of network.warnings) err(`warning: ${warning}\n`);
}

/**
 * Runs the first payments, and reports their speed and the memory used. For random traffic, also estimates the duration
 * of the whole run.
 */
async function dryRun(
  path: string,
  settings: readonly ScenarioSetting[],
  workers: number,
  terminal: SimulateTerminal,
): Promise<number> {
  const loaded = await loadScenario(path, settings);
  warn(loaded, terminal);
  const controller = new AbortController();
  const startMs = performance.now();
  let count = 0;
  await simulate(loaded, {
    workers,
    signal: controller.signal,
    onEvent: ({ kind }) => {
      if (kind === 'payment' && ++count >= SAMPLE_PAYMENTS) controller.abort();
    },
  });
  const msEach = (performance.now() - startMs) / Math.max(1, count);
  const { traffic, routers } = loaded.scenario;
  const { graph } = loaded.network;
  const megabytes = Math.round(process.memoryUsage().rss / 1e6);
  terminal.out(
    `${graph.nodeCount} nodes, ${graph.channelCount} channels, ${routers.length} routers\n` +
      `${count} payments took ${msEach.toFixed(2)} ms each, and the process used ${megabytes} MB of memory\n`,
  );
  if (traffic.kind === 'random') {
    const seconds = (msEach * traffic.payments * routers.length) / 1000;
    terminal.out(
      `the whole run: ${traffic.payments} payments per router, about ${Math.ceil(seconds)} s in total\n`,
    );
  }
  return 0;
}

/** Redraws one line of a terminal. */
class RunProgress {
  readonly #screen: Screen | undefined;
  readonly #startMs = performance.now();
  #shownMs = 0;
  #router = '';
  #payments = 0;
  #complete = 0;
  #expected: number | undefined;
  #routerMs = performance.now();

  constructor(screen: Screen | undefined) {
    this.#screen = screen;
  }

  show(event: SimulationEvent): void {
    if (event.kind === 'router') {
      this.#router = event.of > 1 ? `${event.name} (${event.index + 1} of ${event.of})` : event.name;
      this.#expected = event.payments;
      this.#payments = 0;
      this.#complete = 0;
      this.#routerMs = performance.now();
      return;
    }
    if (event.kind !== 'payment') return;
    this.#payments++;
    if (event.outcome.outcome === 'complete') this.#complete++;
    if (this.#screen === undefined) return;
    const nowMs = performance.now();
    if (nowMs - this.#shownMs < PROGRESS_EVERY_MS) return;
    this.#shownMs = nowMs;
    const success = ((100 * this.#complete) / this.#payments).toFixed(1);
    const hours = (event.nowUs / 3.6e9).toFixed(2);
    const elapsed = ((nowMs - this.#startMs) / 1000).toFixed(0);
    const line = `${this.#router}: ${this.#payments} payments, ${success} % complete, ${hours} h simulated, ${elapsed} s${this.#left(nowMs)}`;
    this.#screen.write(`\r\x1b[K${line.slice(0, (this.#screen.size().columns ?? 80) - 1)}`);
  }

  /** The time left for this router at the speed so far, as text. Empty if the number of payments is unknown. */
  #left(nowMs: number): string {
    if (this.#expected === undefined || this.#payments === 0) return '';
    const seconds = ((nowMs - this.#routerMs) / 1000 / this.#payments) * (this.#expected - this.#payments);
    return `, ${Math.max(0, Math.ceil(seconds))} s left`;
  }

  clear(): void {
    this.#screen?.write('\r\x1b[K');
  }
}

const shown = ({ mean, low, high }: Estimate, digits: number, factor = 1): string => {
  const one = (value: number): string => (Number.isFinite(value) ? (factor * value).toFixed(digits) : '–');
  return `${one(mean)} (${one(low)} … ${one(high)})`;
};

/** The summary as text: one paragraph per router. */
export function summaryText({ routers, isFinished }: Summary): string {
  const unfinished = isFinished ? '' : 'interrupted: results cover only the finished part\n';
  return unfinished + routers.map(routerText).join('');
}

function routerText(figures: RouterSummary): string {
  const { router, payments, complete, success, attempts, feePpm, settleUs, possible } = figures;
  const seconds = (us: number): string => (us / 1e6).toFixed(2);
  return (
    `${router}: ${complete} of ${payments} payments complete\n` +
    `  success          ${shown(success, 2, 100)} %\n` +
    `  attempts         ${shown(attempts, 3)}\n` +
    `  fee              ${shown(feePpm, 1)} ppm\n` +
    `  time to settle   p50 ${seconds(settleUs.p50)} s, p95 ${seconds(settleUs.p95)} s, p99 ${seconds(settleUs.p99)} s\n` +
    (possible.checked === 0
      ? ''
      : ` failed though possible ${possible.possible} of ${possible.checked} failed payments\n`) +
    (Number.isFinite(figures.ofAttempts.logLoss)
      ? ` predictions Brier ${figures.ofAttempts.brier.toFixed(4)}, log loss ${figures.ofAttempts.logLoss.toFixed(4)}\n`
      : '')
  );
}

const pairsText = (pairs: readonly PairedDifference[]): string =>
  pairs
    .map(
      ({ first, second, success, feePpm, onlyFirst, onlySecond }) =>
        `${second} minus ${first}, payment by payment\n` +
        `  success ${shown(success, 2, 100)} %, fee ${shown(feePpm, 1)} ppm; ` +
        `completed by ${first} only: ${onlyFirst}, by ${second} only: ${onlySecond}\n`,
    )
    .join('');

function compressAll(directory: string): void {
  for (const name of readdirSync(directory, { recursive: true, encoding: 'utf8' })) {
    if (name.endsWith('.csv'))
      writeFileSync(join(directory, `${name}.gz`), compressed(join(directory, name)));
  }
}

/** The examples are in the package, next to the program. */
const examplesDirectory = (): string => fileURLToPath(new URL('../../../examples/simulate', import.meta.url));

function writeExample(name: string, { out }: SimulateTerminal): number {
  const directory = examplesDirectory();
  const names = readdirSync(directory)
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => file.slice(0, -'.yaml'.length))
    .sort();
  if (name === 'list') {
    for (const each of names) out(`${each.padEnd(16)} ${firstComment(join(directory, `${each}.yaml`))}\n`);
    return 0;
  }
  if (!names.includes(name)) throw new UsageError(`no example ${name}; the examples are ${names.join(', ')}`);
  const target = `${name}.yaml`;
  if (existsSync(target)) throw new UsageError(`${target} already exists`);
  copyFileSync(join(directory, target), target);
  out(`wrote ${target}; run it with: fulgurite simulate ${target}\n`);
  return 0;
}

const firstComment = (file: string): string => readFileSync(file, 'utf8').split('\n')[0]!.replace(/^# /, '');
