/**
 * Measures any graph: one query for each pair, amount and `maxparts`, to the kernel in this thread. Options:
 *
 *     --graph FILE       gossip_store, compressed snapshot, LND's describegraph JSON or LDK's rapid gossip sync
 *     --pairs FILE       CSV of node ids (question-pairs.ts); without it both classes of pairs.ts are drawn
 *     --count N          how many pairs of each class are drawn (default 200)
 *     --amounts SAT,…    default 1000,100000,1000000,10000000
 *     --maxparts N,…     default 1,16
 *     --out FILE         one row for each query, as CSV (.csv) or as JSON lines (.jsonl)
 *
 * Queries without a route are measured like the others, and are distinguished in table and rows. The limits are 1 % for
 * fees, but at least 5 sat, and 2016 blocks for paths. The source's own fees do not count.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { errorOf, type RouteOutcome } from '../src/engine/question/no-route.ts';
import type { RouteAnswer } from '../src/engine/question/route.ts';
import { Kernel } from '../src/engine/solver/kernel.ts';
import { createSharedKernel, GraphPublisher } from '../src/engine/solver/kernel-memory.ts';
import { openGraphSource } from '../src/gossip/source.ts';
import type { ChannelGraph } from '../src/model/channel-graph.ts';
import { ERRORS, FulguriteError } from '../src/model/errors.ts';
import { type AnswerRow, ROW_FORMATS } from './answer-rows.ts';
import { ask, milliseconds } from './kernel.ts';
import { quantile, spreadOf, timed } from './measure.ts';
import { AMOUNTS_SAT, PAIR_CLASSES, type Pair, pairsOf, queryFor } from './pairs.ts';
import { pairsOfCsv } from './question-pairs.ts';
import { describe, Report } from './report.ts';

const DEFAULT_COUNT = 200;
const MAX_COUNT = 100_000;
const DEFAULT_MAXPARTS = [1, 16];
/** Maximum number of parts that `getroutes` allows by default. */
const MAX_MAXPARTS = 100;
/** Maximum amount in sat whose msat value a number can represent exactly, rounded down: 90,000 BTC. */
const MAX_AMOUNT_SAT = 9_000_000_000_000;
/** Maximum number of queries of a run, whose rows are kept until its end. */
const MAX_QUERIES = 1_000_000;
/** Number of queries before the first one that is measured, since code becomes faster after it has run for a while. */
const WARMUP = 100;

const option = { type: 'string' } as const;
const OPTIONS = {
  graph: option,
  pairs: option,
  count: option,
  amounts: option,
  maxparts: option,
  out: option,
};
/** Names of the options, without dashes. */
export const RESEARCH_OPTION_NAMES: readonly string[] = Object.keys(OPTIONS);

/** The questions of a run. */
export interface Questions {
  readonly amountsSat: readonly number[];
  readonly maxparts: readonly number[];
  /** Pairs from a list. When absent, `count` pairs of each class are drawn. */
  readonly pairs?: readonly Pair[];
  readonly count: number;
}

/** The questions of one line of the table. */
interface CellOfQuestions {
  readonly pairs: string;
  readonly amountSat: number;
  readonly maxparts: number;
  readonly ends: readonly Pair[];
}

class UsageError extends Error {}

/** Whether this command line is for `research`. */
export const isResearch = (argv: readonly string[]): boolean =>
  argv.some((argument) => argument === '--graph' || argument.startsWith('--graph='));

/**
 * Runs the command line. Tables go to standard output and into `research/` of the directory.
 * @returns the exit code: 0, 1 for a file that cannot be used, 2 for a wrong command line.
 */
export async function research(argv: readonly string[], directory: string): Promise<number> {
  try {
    const { graphFile, questions, out } = parse(argv);
    const { graph, describe: what, follow } = await openGraphSource(graphFile);
    await follow?.stop();
    const report = new Report();
    console.log(`${describe(report.started)}\n${what}`);
    let rows: AnswerRow[] = [];
    await report.within('research', async () => {
      rows = answerAll(graph, questions);
    });
    report.table('research', 'getroutes in process', tableOf(rows));
    if (out !== undefined) writeFileSync(out, ROW_FORMATS[extname(out)]!(rows));
    report.finish(join(directory, 'research'));
    return 0;
  } catch (error) {
    const isExpected = error instanceof UsageError || error instanceof FulguriteError || isSystemError(error);
    if (!isExpected) throw error;
    process.stderr.write(`${(error as Error).message}\n`);
    return error instanceof UsageError ? 2 : 1;
  }
}

const isSystemError = (error: unknown): boolean => error instanceof Error && 'syscall' in error;

function parse(argv: readonly string[]): { graphFile: string; questions: Questions; out?: string } {
  const { values } = orUsage('', () => parseArgs({ args: [...argv], options: OPTIONS }));
  const { graph, pairs, out } = values;
  if (out !== undefined && !Object.hasOwn(ROW_FORMATS, extname(out))) {
    throw new UsageError(`--out: the name must end in ${Object.keys(ROW_FORMATS).join(' or ')}`);
  }
  const list = (name: 'amounts' | 'maxparts', most: number, otherwise: readonly number[]) =>
    values[name]?.split(',').map((text) => positive(name, text, most)) ?? otherwise;
  const questions: Questions = {
    amountsSat: list('amounts', MAX_AMOUNT_SAT, AMOUNTS_SAT),
    maxparts: list('maxparts', MAX_MAXPARTS, DEFAULT_MAXPARTS),
    count: positive('count', values.count ?? String(DEFAULT_COUNT), MAX_COUNT),
    ...(pairs !== undefined && {
      pairs: orUsage(`${pairs}: `, () => pairsOfCsv(readFileSync(pairs, 'utf8'))),
    }),
  };
  const most = questions.pairs?.length ?? questions.count * PAIR_CLASSES.length;
  if (most * questions.amountsSat.length * questions.maxparts.length > MAX_QUERIES) {
    throw new UsageError(`pairs, amounts and maxparts make more than ${MAX_QUERIES} queries`);
  }
  return { graphFile: graph!, questions, ...(out !== undefined && { out }) };
}

function orUsage<T>(prefix: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new UsageError(`${prefix}${(error as Error).message}`);
  }
}

function positive(name: string, text: string, most: number): number {
  const value = /^\d{1,16}$/.test(text) ? Number(text) : 0;
  if (value < 1 || value > most)
    throw new UsageError(`--${name}: "${text}" is not an integer from 1 to ${most}`);
  return value;
}

/**
 * Runs all queries, after warming up with the ends of the pairs swapped. Returns one row for each query, in the order
 * of the table.
 */
export function answerAll(graph: ChannelGraph, questions: Questions): AnswerRow[] {
  const shared = createSharedKernel();
  new GraphPublisher(shared).publish(graph);
  const kernel = new Kernel(shared, 0);
  const cells = cellsOf(graph, questions);
  for (const { ends, amountSat, maxparts } of cells.slice(0, 1)) {
    for (const { source, destination } of ends.slice(0, WARMUP)) {
      ask(kernel, queryFor({ source: destination, destination: source }, amountSat, maxparts));
    }
  }
  return cells.flatMap((cell) => cell.ends.map((pair) => rowOf(kernel, cell, pair)));
}

function cellsOf(graph: ChannelGraph, { amountsSat, maxparts, pairs, count }: Questions): CellOfQuestions[] {
  const classes = pairs === undefined ? PAIR_CLASSES : (['csv'] as const);
  return classes.flatMap((cls) =>
    amountsSat.flatMap((amountSat) => {
      const ends = cls === 'csv' ? pairs! : pairsOf(graph, cls, amountSat, count);
      return maxparts.map((parts) => ({ pairs: cls, amountSat, maxparts: parts, ends }));
    }),
  );
}

function rowOf(kernel: Kernel, { pairs, amountSat, maxparts }: CellOfQuestions, pair: Pair): AnswerRow {
  const query = queryFor(pair, amountSat, maxparts);
  const before = process.cpuUsage();
  const { result, ms } = timed(() => ask(kernel, query));
  const { user, system } = process.cpuUsage(before);
  const asked = { pairs, ...pair, amount_msat: amountSat * 1000, maxparts };
  return { ...asked, ...outcomeOf(result), processor_us: user + system, ms: Number(ms.toFixed(3)) };
}

function outcomeOf(outcome: RouteOutcome) {
  if ('answer' in outcome) return { status: 'route' as const, code: null, ...figuresOf(outcome.answer) };
  const code = ERRORS[errorOf(outcome.noRoute.binding)].code;
  const none = { fee_msat: null, probability: null, parts: null, delay: null };
  return { status: 'no route' as const, code, ...none };
}

function figuresOf({ routes, probabilityPpm }: RouteAnswer) {
  const fees = routes.map(({ path, amountMsat }) => path[0]!.amountInMsat - amountMsat);
  return {
    fee_msat: Number(fees.reduce((sum, fee) => sum + fee, 0n)),
    probability: probabilityPpm / 1e6,
    parts: routes.length,
    delay: Math.max(...routes.map(({ path }) => path[0]!.cltvIn)),
  };
}

/**
 * For each cell, and within it also for the queries with and without a route: the number of queries, and the spread of
 * their times.
 */
function tableOf(rows: readonly AnswerRow[]) {
  const groups = new Map<string, AnswerRow[]>();
  for (const row of rows) {
    const key = [row.pairs, row.amount_msat, row.maxparts, row.status].join(' ');
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [row]);
    else group.push(row);
  }
  return [...groups.values()].map((group) => {
    const { pairs, amount_msat, maxparts, status } = group[0]!;
    const processor = group.map((row) => row.processor_us);
    return {
      pairs,
      sat: amount_msat / 1000,
      maxparts,
      answer: status,
      queries: group.length,
      ...milliseconds(spreadOf(group.map((row) => row.ms))),
      'p50 processor us': quantile(processor, 0.5),
      'p99 processor us': quantile(processor, 0.99),
    };
  });
}
