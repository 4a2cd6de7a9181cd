/**
 * Compares us with LDK's router: the same graph, pairs, amounts and limits, in the same run and thread. Both routers
 * answer once with a single path and once with up to ten.
 */
import { Kernel } from '../src/engine/solver/kernel.ts';
import type { ChannelGraph } from '../src/model/channel-graph.ts';
import type { BenchContext } from './context.ts';
import { type Figures, figuresOf, type Part, partsOf, possible } from './figures.ts';
import { mainGraph } from './graphs.ts';
import { ask, warmUp } from './kernel.ts';
import { isLdkFed, type LdkRouter, loadLdkRouter } from './ldk.ts';
import { meanOf, quantile, timed, timedAsync } from './measure.ts';
import { AMOUNTS_SAT, PAIR_CLASSES, type PairClass, pairsOf, queryFor } from './pairs.ts';

/** Number of searches before those that are measured. LDK's code is slower until the compiler has seen this many. */
const LDK_WARMUP = 15;
const MODES = { single: 1, multi: 10 } as const;
type Mode = keyof typeof MODES;

/** A router's result for one pair. Figures are `undefined` if it found no route. */
interface Outcome {
  readonly figures: Figures | undefined;
  readonly ms: number;
}

/** Runs the benchmark area `peers`. */
export async function peersBench(context: BenchContext): Promise<void> {
  const { graph, name } = mainGraph();
  if (context.quick && !isLdkFed(graph, context.directory)) {
    const hint = 'one `npm run bench -- peers` keeps it for later';
    context.report.note(
      'peers',
      `skipped, loading the graph into LDK takes too long for a quick run: ${hint}`,
    );
    return;
  }
  const loaded = await timedAsync(() => loadLdkRouter(graph, context.directory)).catch(
    (error: Error) => error,
  );
  if (loaded instanceof Error) {
    context.report.note('peers', `skipped, LDK cannot be used: ${loaded.message}`);
    return;
  }
  const ldk = loaded.result;
  context.report.note('peers', `LDK has the graph after ${loaded.ms.toFixed(0)} ms`);
  const kernel = Kernel.inProcess(graph);
  warmUp(kernel, mainGraph());
  for (const pair of pairsOf(graph, 'big', 1_000, LDK_WARMUP)) ldk.find(queryFor(pair, 1_000, 1));
  const rows = [];
  for (const cls of PAIR_CLASSES) {
    for (const amountSat of AMOUNTS_SAT) {
      for (const mode of ['single', 'multi'] as const) {
        rows.push(compare(context, kernel, ldk, graph, cls, amountSat, mode));
      }
    }
  }
  context.report.table('peers', `ours / LDK, both in process, ${name}`, rows);
}

function compare(
  { quick, report, plots }: BenchContext,
  kernel: Kernel,
  ldk: LdkRouter,
  graph: ChannelGraph,
  cls: PairClass,
  amountSat: number,
  mode: Mode,
) {
  const pairs = pairsOf(graph, cls, amountSat, quick ? 3 : 60);
  const queries = pairs.map((pair) => queryFor(pair, amountSat, MODES[mode]));
  const judged = (work: () => readonly Part[] | undefined): Outcome => {
    const { result, ms } = timed(work);
    return { figures: result && possible(figuresOf(graph, result)), ms };
  };
  const ours = queries.map((query) =>
    judged(() => {
      const outcome = ask(kernel, query);
      return 'answer' in outcome ? partsOf(outcome.answer) : undefined;
    }),
  );
  const theirs = queries.map((query) =>
    judged(() => {
      const answer = ldk.find(query);
      return 'parts' in answer ? answer.parts : undefined;
    }),
  );
  const lineName = mode === 'single' ? 'one path' : 'parts';
  plots.addLatencies(
    `LDK, ${lineName}`,
    amountSat,
    theirs.map(({ ms }) => ms),
  );
  if (mode === 'multi') {
    for (const { figures } of ours) if (figures) plots.addAnswer('ours', 'LDK’s requests', figures);
    for (const { figures } of theirs) if (figures) plots.addAnswer('LDK', 'LDK’s requests', figures);
  }
  const times = ours.map(({ ms }, index) => theirs[index]!.ms / ms);
  report.figure('peers', {
    name: `latency, LDK against ours, ${cls}, ${amountSat} sat, ${mode}, p50`,
    value: quantile(times, 0.5),
    unit: 'times',
  });
  return { pairs: cls, mode, sat: amountSat, ...columns(ours, theirs) };
}

/** Fee, risk and parts over the pairs for which both found routes. */
function columns(ours: readonly Outcome[], theirs: readonly Outcome[]) {
  const both = ours.flatMap(({ figures }, index) => {
    const other = theirs[index]!.figures;
    return figures && other ? [{ ours: figures, theirs: other }] : [];
  });
  const found = (outcomes: readonly Outcome[]) => outcomes.filter(({ figures }) => figures).length;
  const mean = (of: (figures: Figures) => number, digits: number) =>
    both.length === 0
      ? '-'
      : `${meanOf(both.map((pair) => of(pair.ours))).toFixed(digits)} / ` +
        `${meanOf(both.map((pair) => of(pair.theirs))).toFixed(digits)}`;
  const latency = (share: number) =>
    `${quantile(
      ours.map(({ ms }) => ms),
      share,
    ).toFixed(2)} / ` +
    `${quantile(
      theirs.map(({ ms }) => ms),
      share,
    ).toFixed(0)}`;
  const beats = (a: Figures, b: Figures) => a.feeMsat < b.feeMsat && a.riskNats < b.riskNats;
  return {
    found: `${found(ours)} / ${found(theirs)} of ${ours.length}`,
    'p50 ms': latency(0.5),
    'p95 ms': latency(0.95),
    'mean fee ppm': mean((figures) => figures.feePpm, 0),
    'mean -ln P': mean((figures) => figures.riskNats, 3),
    'mean parts': mean((figures) => figures.parts, 1),
    'better on both': `${both.filter((pair) => beats(pair.ours, pair.theirs)).length} / ${both.filter((pair) => beats(pair.theirs, pair.ours)).length}`,
  };
}
