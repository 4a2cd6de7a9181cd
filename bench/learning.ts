/**
 * Accuracy of predicted probabilities: one sender, twelve settings (six models of balances, with faithful and with
 * failing nodes). Our router pays. Its estimator, LDK's, LND's, uniform balances and the true distributions predict the
 * odds of the same attempts. Other routers then pay in the same settings, so that success and fees can be compared.
 *
 * `BENCH_PAYMENTS` sets the number of payments per run (default 1,000), `BENCH_ROUTERS` the other routers (default
 * `searched,lnd`; `searched` is ours with searches that assume uniform balances, `ldk` takes hours), `BENCH_SETTINGS` a
 * list of settings by number, 0 … 11, `BENCH_SEED` the seed, `BENCH_NODES` the size of a synthetic network instead of
 * the main network.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generateSyntheticGraph } from '../src/gossip/synthetic.ts';
import type { KernelRouter } from '../src/laboratory/routers/kernel-router.ts';
import { feedLdkGraph, openLdk } from '../src/laboratory/routers/ldk-graph.ts';
import { type Played, playScenario } from '../src/laboratory/simulate.ts';
import type { LabWorld } from '../src/laboratory/truth/world.ts';
import type { ChannelGraph } from '../src/model/channel-graph.ts';
import type { BenchContext } from './context.ts';
import { mainGraph } from './graphs.ts';
import { JudgedRouter, type OddsJudge } from './judges/judge.ts';
import { type LdkView, ldkJudges } from './judges/ldk-judges.ts';
import { lndJudges } from './judges/lnd-judges.ts';
import { learnedJudge, uncorrectedJudge, uniformJudge } from './judges/own-judges.ts';
import { OddsScore } from './judges/score.ts';
import { TrueJudge } from './judges/true-judge.ts';
import { type OddsCurves, oddsPlot } from './odds-plot.ts';
import { benchScenario } from './scenario.ts';

const PAYMENTS = Number(process.env.BENCH_PAYMENTS ?? 1_000);
const QUICK_PAYMENTS = 150;
const QUICK_NODES = 2_000;
/** Number of nodes of a synthetic network. Undefined: the main network's graph. */
const NODES = process.env.BENCH_NODES === undefined ? undefined : Number(process.env.BENCH_NODES);
const SEED = Number(process.env.BENCH_SEED ?? 1);
const OTHERS = (process.env.BENCH_ROUTERS ?? 'searched,lnd').split(',').filter((name) => name !== '');
const BALANCES = [
  { kind: 'uniform' },
  { kind: 'bimodal', scale: 0.01 },
  { kind: 'bimodal', scale: 0.05 },
  { kind: 'bimodal', scale: 0.2 },
  { kind: 'onesided', share: 0.9 },
  { kind: 'mixture', scale: 0.05, share: 0.5 },
] as const;
const FAILING = { offline: 0.03, stuck: 0.005, unreported_fees: 0.03 };
const CHOSEN = process.env.BENCH_SETTINGS?.split(',').map(Number);

/** The distribution of balances, and whether nodes fail. */
export interface LearningSetting {
  readonly name: string;
  readonly balances: (typeof BALANCES)[number];
  readonly network: typeof FAILING | object;
}

const OURS = 'ours';
/** The twelve settings. */
export const LEARNING_SETTINGS: readonly LearningSetting[] = BALANCES.flatMap((balances) =>
  [{}, FAILING].map((network) => ({
    name: `${Object.values(balances).join(' ')}, ${network === FAILING ? 'failing' : 'faithful'}`,
    balances,
    network,
  })),
);

/** What all settings have in common. */
interface Play {
  readonly source: string;
  readonly sender: string;
  readonly payments: number;
}

/** Runs the benchmark area `learning`. */
export async function learningBench({ quick, report, directory }: BenchContext): Promise<void> {
  const payments = quick ? QUICK_PAYMENTS : PAYMENTS;
  const nodes = quick ? QUICK_NODES : NODES;
  const source = nodes === undefined ? mainGraph().source : `synthetic:${nodes}`;
  const sender = senderOf(
    nodes === undefined ? mainGraph().graph : generateSyntheticGraph({ nodeCount: nodes }),
  );
  const of: Play = { source, sender, payments };
  let view: LdkView | undefined;
  const losses: Record<string, string | number>[] = [];
  const outcomes: Record<string, string | number>[] = [];
  const curves: OddsCurves[] = [];
  for (const [number, setting] of LEARNING_SETTINGS.entries()) {
    if (CHOSEN !== undefined && !CHOSEN.includes(number)) continue;
    const first = await load(setting, of, [{ kind: 'fulgurite' }]);
    view ??= await ldkView(first.network.graph);
    const scores = new Map<string, OddsScore>();
    const ours = await playScenario(first, {
      workers: 1,
      watch: (router, world) =>
        watched(router as KernelRouter, judgesOf(setting, view!, router as KernelRouter, world), scores),
    });
    losses.push(lossRow(setting.name, scores));
    curves.push({ title: setting.name, tenths: scores.get(OURS)!.tenths });
    const played: Played[] = [ours];
    for (const name of OTHERS)
      played.push(await playScenario(await load(setting, of, [otherRouter(name)]), { workers: 1 }));
    outcomes.push(...played.flatMap((each) => outcomeRows(setting.name, each)));
    console.log(JSON.stringify(losses.at(-1)));
  }
  const amounts = `${payments} payments of one sender, 50,000 sat on average, seed ${SEED}`;
  report.table('learning', `log loss on the same attempts; ${amounts}`, losses);
  report.table('learning', `success and fees; ${amounts}`, outcomes);
  const tenths = curves.flatMap(({ title, tenths: of }) =>
    of.map((tenth) => ({ setting: title, ...tenth, holds: tenth.holds ? 'yes' : 'no' })),
  );
  report.table('learning', 'our odds by tenths, with 95 % intervals of what arrived', tenths);
  const file = join(directory, 'odds.svg');
  writeFileSync(file, oddsPlot(curves));
  console.log(file);
}

const load = (
  { balances, network }: LearningSetting,
  { source, sender, payments }: Play,
  routers: readonly object[],
) =>
  benchScenario({
    graph: source,
    seed: SEED,
    balances,
    network,
    traffic: { kind: 'random', payments, rate_per_s: 1, senders: { by: 'list', nodes: [sender] } },
    routers,
    measure: { possible: false, privacy: 0 },
  });

const otherRouter = (name: string): object =>
  name === 'searched' ? { kind: 'fulgurite', name, learned_search: false } : { kind: name };

/** The node with the third most channels: it can pay a lot, and is not the only neighbour of any node. */
export function senderOf(graph: ChannelGraph): string {
  const { nodeDegree, nodeCount } = graph;
  const nodes = Array.from({ length: nodeCount }, (_, node) => node);
  return graph.nodeId(nodes.sort((a, b) => nodeDegree[b]! - nodeDegree[a]!)[2]!);
}

async function ldkView(graph: ChannelGraph): Promise<LdkView> {
  const ldk = await openLdk();
  const logger = ldk.Logger.new_impl({ log: () => undefined });
  const network = ldk.NetworkGraph.constructor_new(ldk.Network.LDKNetwork_Bitcoin, logger);
  feedLdkGraph(ldk, network, graph);
  return { ldk, logger, network, graph };
}

function judgesOf(
  { balances, network }: LearningSetting,
  view: LdkView,
  router: KernelRouter,
  world: LabWorld,
): OddsJudge[] {
  const { offline = 0, unreported_fees: unreportedFees = 0 } = network as Partial<typeof FAILING>;
  return [
    learnedJudge(OURS),
    uncorrectedJudge('uncorrected', router),
    ...ldkJudges(view),
    ...lndJudges(world.channels),
    uniformJudge('uniform'),
    new TrueJudge('true model', world.graph, {
      balances,
      away: offline,
      unreportedFees,
      reserve: world.network.reserve,
    }),
  ];
}

function watched(
  router: KernelRouter,
  judges: readonly OddsJudge[],
  scores: Map<string, OddsScore>,
): JudgedRouter {
  for (const { name } of judges) scores.set(name, new OddsScore());
  return new JudgedRouter(router, judges, (chances, hasArrived) => {
    for (const [index, { name }] of judges.entries()) scores.get(name)!.add(chances[index]!, hasArrived);
  });
}

function lossRow(setting: string, scores: ReadonlyMap<string, OddsScore>): Record<string, string | number> {
  const losses = [...scores].map(([name, { logLoss }]) => [name, logLoss.toFixed(4)]);
  const { count, brier, tenths } = scores.get(OURS)!;
  const outside = tenths.filter(({ holds }) => !holds).length;
  return {
    setting,
    attempts: count,
    ...Object.fromEntries(losses),
    'our Brier': brier.toFixed(4),
    'tenths outside': outside,
  };
}

const outcomeRows = (setting: string, { summary }: Played): Record<string, string | number>[] =>
  summary.routers.map(({ router, success, feePpm, attempts }) => ({
    setting,
    router,
    'success %': (100 * success.mean).toFixed(1),
    attempts: attempts.mean.toFixed(2),
    'fee ppm': feePpm.mean.toFixed(1),
  }));
