/**
 * The kernel alone, called in this thread, on the main graph and on one ten times as large: single searches, whole
 * route queries, and memory.
 */

import { errorOf, type RouteOutcome } from '../src/engine/question/no-route.ts';
import { pricesFor } from '../src/engine/question/objective.ts';
import type { RouteQuery } from '../src/engine/question/route.ts';
import { Kernel } from '../src/engine/solver/kernel.ts';
import { SOURCEFREE_SLOT } from '../src/engine/solver/kernel-layout.ts';
import { createSharedKernel, GraphPublisher } from '../src/engine/solver/kernel-memory.ts';
import { solveRoute } from '../src/engine/solver/solve-route.ts';
import type { BenchContext } from './context.ts';
import { type BenchGraph, mainGraph, tenfoldGraph } from './graphs.ts';
import { meanOf, repeated, type Spread, spreadOf, timed } from './measure.ts';
import { AMOUNTS_SAT, PAIR_CLASSES, type PairClass, pairsOf, queryFor } from './pairs.ts';

const MAXHOPS = 20;
const BLOCKS = 1998;
/** Number of queries before the first one that is measured, since code becomes faster after it has run for a while. */
const WARMUP = 100;

/** Sends a query to a kernel in this thread, which has no layer except `auto.sourcefree`. */
export function ask(kernel: Kernel, query: RouteQuery): RouteOutcome {
  const isFree = query.layers.includes('auto.sourcefree');
  return solveRoute(kernel, {
    ...query,
    maxhops: MAXHOPS,
    layerIds: isFree ? [SOURCEFREE_SLOT] : [],
    layerNames: isFree ? ['auto.sourcefree'] : [],
    includeFees: false,
  });
}

/** Runs this many queries without measuring them. */
export function warmUp(kernel: Kernel, { graph }: BenchGraph, queries = WARMUP): void {
  for (const pair of pairsOf(graph, 'big', AMOUNTS_SAT[1], queries))
    ask(kernel, queryFor(pair, AMOUNTS_SAT[1]));
}

/** Runs the benchmark area `kernel`. */
export async function kernelBench(context: BenchContext): Promise<void> {
  await measureGraph(context, mainGraph(), context.quick ? 40 : 200);
  await measureGraph(context, tenfoldGraph(), context.quick ? 3 : 50);
}

async function measureGraph(context: BenchContext, bench: BenchGraph, pairs: number): Promise<void> {
  const shared = createSharedKernel();
  const publisher = new GraphPublisher(shared);
  const published = timed(() => publisher.publish(bench.graph));
  const afterPublish = publisher.memoryBytes;
  const kernel = new Kernel(shared, 0);
  warmUp(kernel, bench, Math.min(WARMUP, pairs));
  await measureSearch(context, bench, kernel, pairs);
  measureQueries(context, bench, kernel, pairs);
  const { graph } = bench;
  const regionMb = kernel.exports.regionBytes(graph.nodeCount, graph.channelCount) / 1e6;
  const scratchMb = (publisher.memoryBytes - afterPublish) / 1e6;
  context.report.table('kernel', `memory, ${bench.name}`, [
    {
      nodes: graph.nodeCount,
      channels: graph.channelCount,
      'graph MB': regionMb,
      'scratch MB': scratchMb,
      'all MB': publisher.memoryBytes / 1e6,
      'publish ms': published.ms,
    },
  ]);
  const tenfold = bench.name === 'tenfold';
  const figure = (name: string, value: number, target: string) =>
    context.report.figure('kernel', { name: `${name}, ${bench.name}`, value, unit: 'MB', target });
  figure('published graph', regionMb, tenfold ? '<= 320' : '<= 32');
  figure('scratch of one kernel', scratchMb, tenfold ? '<= 160' : '<= 16');
}

/** Measures the search for one shortest path with exact amounts, and nothing else. */
async function measureSearch(
  { report, quick }: BenchContext,
  { graph, name }: BenchGraph,
  kernel: Kernel,
  pairs: number,
): Promise<void> {
  const rows = [];
  for (const cls of PAIR_CLASSES) {
    const amountSat = AMOUNTS_SAT[0];
    const ends = pairsOf(graph, cls, amountSat, pairs);
    const amountMsat = BigInt(amountSat) * 1000n;
    const prices = pricesFor(amountMsat);
    const nodes = kernel.reading(() => {
      kernel.applyStack([]);
      return ends.map((pair) => [kernel.nodeIndex(pair.source)!, kernel.nodeIndex(pair.destination)!]);
    });
    let next = 0;
    let searches = 0;
    const settledBefore = kernel.exports.nodesSettled();
    const spread = await repeated(
      () => {
        const [source, destination] = nodes[next++ % nodes.length]!;
        searches++;
        kernel.exports.search(
          ...([source!, destination!, amountMsat, MAXHOPS, BLOCKS] as const),
          ...([prices.riskPriceMsatPerNat, prices.delayRate] as const),
        );
      },
      quick ? 200 : 2000,
    );
    const settled = kernel.exports.nodesSettled() - settledBefore;
    rows.push({
      pairs: cls,
      sat: amountSat,
      ...milliseconds(spread),
      'nodes settled': Math.round(settled / searches),
    });
  }
  report.table('kernel', `one search, ${name}`, rows);
}

function measureQueries({ report }: BenchContext, bench: BenchGraph, kernel: Kernel, pairs: number): void {
  const rows = [];
  for (const cls of PAIR_CLASSES) {
    for (const amountSat of AMOUNTS_SAT) rows.push(queryRow(bench, kernel, cls, amountSat, pairs));
  }
  report.table('kernel', `getroutes in process, ${bench.name}`, rows);
}

function queryRow({ graph }: BenchGraph, kernel: Kernel, cls: PairClass, amountSat: number, pairs: number) {
  const parts: number[] = [];
  const latenciesMs: number[] = [];
  let slowest = { ms: 0, outcome: '' };
  const { exports } = kernel;
  const [searches, settled] = [exports.searchesRun(), exports.nodesSettled()];
  for (const pair of pairsOf(graph, cls, amountSat, pairs)) {
    const query = queryFor(pair, amountSat);
    const { result, ms } = timed(() => ask(kernel, query));
    latenciesMs.push(ms);
    if (ms > slowest.ms) slowest = { ms, outcome: outcomeOf(result) };
    if ('answer' in result) parts.push(result.answer.routes.length);
  }
  return {
    pairs: cls,
    sat: amountSat,
    answered: `${parts.length}/${pairs}`,
    ...milliseconds(spreadOf(latenciesMs)),
    parts: meanOf(parts),
    searches: (exports.searchesRun() - searches) / pairs,
    'nodes settled': Math.round((exports.nodesSettled() - settled) / pairs),
    'slowest was': slowest.outcome,
  };
}

const outcomeOf = (outcome: RouteOutcome): string =>
  'answer' in outcome ? `${outcome.answer.routes.length} parts` : errorOf(outcome.noRoute.binding);

/** The columns that every table of latencies has. */
export function milliseconds({ p50, p95, p99, max }: Spread) {
  return { 'p50 ms': p50, 'p95 ms': p95, 'p99 ms': p99, 'max ms': max };
}
