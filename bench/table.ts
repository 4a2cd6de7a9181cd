/**
 * One table for all: route queries of this build and of an older one, LDK's router, recorded answers of Core Lightning,
 * and the plain search in C++ as the floor. Each cell has p50, p95 and p99 in milliseconds. No pair occurs twice, and
 * all solvers get the pairs of one list, from its beginning. Slow solvers get fewer of them.
 *
 * `BENCH_OTHER` is the `cli/main.js` of the older build, whose times are the column "before".
 *
 * Core Lightning was recorded on another machine with two cores, over its socket, with pairs of its own (cln.ts).
 * Compare only the order of magnitude of its times. LDK and the plain search run here, one query after the other,
 * within a process.
 */
import { pathToFileURL } from 'node:url';
import { pricesFor } from '../src/engine/question/objective.ts';
import type { Route, RouteQuery } from '../src/engine/question/route.ts';
import { Kernel } from '../src/engine/solver/kernel.ts';
import type { ChannelGraph } from '../src/model/channel-graph.ts';
import { recordedAnswers } from './cln.ts';
import type { BenchContext } from './context.ts';
import { getroutesRequest, startDaemonProcess } from './daemon.ts';
import { compiledFloorSearch, plainSearches } from './floor-search.ts';
import { mainGraph } from './graphs.ts';
import { ask } from './kernel.ts';
import { isLdkFed, loadLdkRouter } from './ldk.ts';
import { quantile, timed, timedAsync } from './measure.ts';
import { PAIR_CLASSES, type PairClass, pairsOf, queryFor } from './pairs.ts';

const AMOUNTS_SAT = [1_000, 100_000, 1_000_000] as const;
const MAX_PARTS = [1, 16] as const;
/** Number of pairs before those that are measured, until code is compiled. */
const WARM_UP = 300;
const MEASURED = 1_000;
const QUICK_MEASURED = 100;
const LDK_WARM_UP = 15;
const LDK_MEASURED = 100;
/** The class whose rows show Core Lightning's times, although its pairs were drawn differently. */
const CLN_PAIRS = 'big';
/** Our search does not round fees down, so it may prefer a path that is costlier by up to one msat for each hop. */
const ROUNDING_MSAT_PER_HOP = 1;

interface Class {
  readonly pairs: PairClass;
  readonly amountSat: number;
  readonly maxparts: number;
}

/**
 * Measures one solver with queries of one class.
 * @returns the time of each query in milliseconds
 */
type Solver = (
  queries: readonly RouteQuery[],
  asked: Class,
) => Promise<readonly number[]> | readonly number[];

/** Runs the benchmark area `table`. */
export async function tableBench(context: BenchContext): Promise<void> {
  const { graph, name, source } = mainGraph();
  const solvers = new Map<string, Solver>();
  const kernel = Kernel.inProcess(graph);
  const other = process.env.BENCH_OTHER;
  const daemons = [await startDaemonProcess(source)];
  solvers.set(
    'kernel',
    timesOf(WARM_UP, (query) => ask(kernel, query)),
  );
  if (other !== undefined) {
    solvers.set('kernel, before', timesOf(WARM_UP, await otherKernel(other)));
    daemons.push(await startDaemonProcess(source, [], { executable: other }));
  }
  for (const [index, { client }] of daemons.entries()) {
    solvers.set(index === 0 ? 'socket' : 'socket, before', async (queries) => {
      const ms = [];
      for (const query of queries) ms.push((await timedAsync(() => client.call(getroutesRequest(query)))).ms);
      return ms.slice(WARM_UP);
    });
  }
  await addLdk(context, graph, solvers);
  addCln(solvers);
  addFloor(context, graph, kernel, solvers);
  try {
    const rows = [];
    for (const pairs of PAIR_CLASSES) {
      for (const amountSat of AMOUNTS_SAT) {
        for (const maxparts of MAX_PARTS) {
          rows.push(await rowOf(context, graph, solvers, { pairs, amountSat, maxparts }));
        }
      }
    }
    context.report.table('table', `p50 / p95 / p99 in ms, ${name}`, rows);
  } finally {
    for (const daemon of daemons) await daemon.stop();
  }
}

async function rowOf(
  { quick }: BenchContext,
  graph: ChannelGraph,
  solvers: ReadonlyMap<string, Solver>,
  asked: Class,
) {
  const count = WARM_UP + (quick ? QUICK_MEASURED : MEASURED);
  const queries = pairsOf(graph, asked.pairs, asked.amountSat, count).map((pair) =>
    queryFor(pair, asked.amountSat, asked.maxparts),
  );
  const cells: Record<string, string> = {};
  for (const [solver, times] of solvers) cells[solver] = cellOf(await times(queries, asked));
  return { pairs: asked.pairs, sat: asked.amountSat, maxparts: asked.maxparts, ...cells };
}

function cellOf(ms: readonly number[]): string {
  if (ms.length === 0) return '-';
  return [0.5, 0.95, 0.99].map((share) => quantile(ms, share).toPrecision(3)).join(' / ');
}

const timesOf =
  (warmUp: number, solve: (query: RouteQuery) => unknown): Solver =>
  (queries) =>
    queries.map((query) => timed(() => solve(query)).ms).slice(warmUp);

/** The kernel of another build, also in this thread. */
async function otherKernel(executable: string): Promise<(query: RouteQuery) => unknown> {
  const build = new URL('../../', pathToFileURL(executable));
  const load = (module: string) => import(new URL(module, build).href);
  const [their, bench, graphs] = await Promise.all([
    load('src/engine/solver/kernel.js') as Promise<{ Kernel: typeof Kernel }>,
    load('bench/kernel.js') as Promise<{ ask: typeof ask }>,
    load('bench/graphs.js') as Promise<{ mainGraph: typeof mainGraph }>,
  ]);
  const kernel = their.Kernel.inProcess(graphs.mainGraph().graph);
  return (query) => bench.ask(kernel, query);
}

async function addLdk(
  { quick, report, directory }: BenchContext,
  graph: ChannelGraph,
  solvers: Map<string, Solver>,
): Promise<void> {
  if (quick && !isLdkFed(graph, directory)) {
    report.note('table', 'without LDK: loading the graph into it takes too long');
    return;
  }
  const ldk = await loadLdkRouter(graph, directory).catch((error: Error) => error);
  if (ldk instanceof Error) {
    report.note('table', `without LDK: ${ldk.message}`);
    return;
  }
  const times = timesOf(LDK_WARM_UP, (query) => ldk.find(query));
  const most = LDK_WARM_UP + (quick ? LDK_WARM_UP : LDK_MEASURED);
  solvers.set('LDK', (queries, asked) => times(queries.slice(0, most), asked));
}

function addCln(solvers: Map<string, Solver>): void {
  const recorded = recordedAnswers();
  if (recorded === undefined) return;
  solvers.set('CLN, recorded', (_, { pairs, amountSat, maxparts }) => {
    if (pairs !== CLN_PAIRS) return [];
    const variant = maxparts === 1 ? 'no_mpp' : 'sourcefree';
    return recorded.results
      .filter((result) => result.variant === variant && result.amount_sat === amountSat)
      .map(({ latency_ms }) => latency_ms);
  });
}

/**
 * The plain search. It only finds single paths, so it runs only for queries with one part. The costs of its routes are
 * compared with those of ours.
 */
function addFloor(
  { report, directory }: BenchContext,
  graph: ChannelGraph,
  kernel: Kernel,
  solvers: Map<string, Solver>,
): void {
  const program = compiledFloorSearch(directory);
  if (program === undefined) {
    report.note('table', 'without the plain search: no C++ compiler');
    return;
  }
  solvers.set('C++, plain search', (queries, { pairs, amountSat, maxparts }) => {
    if (maxparts > 1) return [];
    const found = plainSearches(program, graph, queries);
    const compared = { same: 0, cheaper: 0, dearer: 0, onlyOurs: 0, onlyTheirs: 0 };
    for (const [index, { costMsat }] of found.entries()) {
      const outcome = ask(kernel, queries[index]!);
      if (!('answer' in outcome)) {
        if (costMsat !== undefined) compared.onlyTheirs++;
      } else if (costMsat === undefined) compared.onlyOurs++;
      else {
        const route = outcome.answer.routes[0]!;
        const ours = costOf(graph, route, queries[index]!);
        if (Math.abs(ours - costMsat) <= ROUNDING_MSAT_PER_HOP * route.path.length) compared.same++;
        else if (ours < costMsat) compared.cheaper++;
        else compared.dearer++;
      }
    }
    report.note(
      'table',
      `one path, ${pairs}, ${amountSat} sat: our path costs the same as the plain search's in ` +
        `${compared.same} queries, less in ${compared.cheaper}, more in ${compared.dearer}; ` +
        `only we found a path in ${compared.onlyOurs}, only the plain search, which ignores limits, in ${compared.onlyTheirs}`,
    );
    return found.slice(WARM_UP).map(({ ms }) => ms);
  });
}

/** What a route costs by the objective (src/engine/question/objective.ts), msat. */
function costOf(graph: ChannelGraph, route: Route, { amountMsat }: RouteQuery): number {
  const { riskPriceMsatPerNat, delayRate } = pricesFor(amountMsat);
  let cost = 0;
  for (const hop of route.path) {
    const amount = Number(hop.amountOutMsat);
    const capacity = Number(graph.capacityMsat[graph.channelIndex(hop.shortChannelIdDir.shortChannelId)]!);
    cost +=
      Number(hop.amountInMsat - hop.amountOutMsat) -
      riskPriceMsatPerNat * Math.log1p(-amount / (capacity + 1)) +
      delayRate * amount * (hop.cltvIn - hop.cltvOut);
  }
  return cost;
}
