/**
 * Compares routes on a running LND node: those of LND itself (`QueryRoutes` over gRPC) and those of our daemon beside it
 * (`getroutes` over its unix socket). Both get the same queries on the same graph, which is LND's own, in turns. Answers
 * have one part, because `QueryRoutes` never splits.
 *
 * The routes of both are scored by `askrene-score`: without knowledge of a channel, its liquidity is uniformly
 * distributed. Our search minimises fees and risk by these odds, and LND its own estimate of both, so compare fees and
 * odds together.
 *
 * The node is named by BENCH_LND (`HOST:PORT` of its gRPC interface), BENCH_LND_CERT and BENCH_LND_MACAROON (files). The
 * macaroon needs our permissions (`fulgurite lnd-macaroon`) and `uri:/lnrpc.Lightning/QueryRoutes`.
 */
import type { RouteQuery } from '../src/engine/question/route.ts';
import type { NodeId } from '../src/model/node-id.ts';
import { formatShortChannelIdDir, type ShortChannelId } from '../src/model/short-channel-id.ts';
import type { BenchContext } from './context.ts';
import { type BenchDaemon, getroutesRequest, requestText, startDaemonBesideNode } from './daemon.ts';
import { type LndHop, LndRouter } from './lnd-router.ts';
import { meanOf, quantile } from './measure.ts';
import { AMOUNTS_SAT, PAIR_CLASSES, type Pair, type PairClass, pairsOf, queryFor } from './pairs.ts';

/** Number of queries before those that are measured, until code is compiled. */
const WARM_UP = 100;
const MEASURED = 500;
const QUICK_MEASURED = 20;

/** An answered query: its fee, and the probability that its route can carry the amount. */
interface Answer {
  readonly feeMsat: number;
  readonly probability: number;
}

/** The answers of one program, by the number of the query. */
class Answers {
  readonly latenciesMs: number[] = [];
  readonly answered = new Map<number, Answer>();

  /** Fees and mean probability of these queries. */
  over(indexes: readonly number[]) {
    const answers = indexes.map((index) => this.answered.get(index)!);
    return {
      feeMsat: answers.reduce((sum, { feeMsat }) => sum + feeMsat, 0),
      probability: meanOf(answers.map(({ probability }) => probability)),
    };
  }
}

/** Runs the benchmark area `lnd-routes`. */
export async function lndRoutesBench({ quick, report }: BenchContext): Promise<void> {
  const { BENCH_LND: address, BENCH_LND_CERT: certPath, BENCH_LND_MACAROON: macaroonPath } = process.env;
  if (address === undefined || certPath === undefined || macaroonPath === undefined) {
    report.note('lnd-routes', 'skipped: BENCH_LND, BENCH_LND_CERT and BENCH_LND_MACAROON name no LND node');
    return;
  }
  const lnd = new LndRouter({ address, certPath, macaroonPath });
  try {
    const graph = await lnd.graph();
    const files = ['--lnd-cert', certPath, '--lnd-macaroon', macaroonPath];
    const daemon = await startDaemonBesideNode(['--network', 'lnd', '--lnd-rpc', address, ...files]);
    try {
      const rows = [];
      for (const pairClass of PAIR_CLASSES) {
        for (const amountSat of AMOUNTS_SAT) {
          const count = WARM_UP + (quick ? QUICK_MEASURED : MEASURED);
          const pairs = pairsOf(graph, pairClass, amountSat, count);
          rows.push(...(await compare(lnd, daemon, pairClass, amountSat, pairs)));
        }
      }
      const title = `routes of one part, in turns, beside LND ${await lnd.version()} with ${graph.channelCount} channels`;
      report.table('lnd-routes', title, rows);
    } finally {
      await daemon.stop();
    }
  } finally {
    lnd.close();
  }
}

async function compare(
  lnd: LndRouter,
  daemon: BenchDaemon,
  pairClass: PairClass,
  amountSat: number,
  pairs: readonly Pair[],
) {
  const [ours, theirs] = [new Answers(), new Answers()];
  for (const [index, pair] of pairs.entries()) {
    const query = queryFor(pair, amountSat, 1);
    const turns = [
      () => askDaemon(daemon, query, index, ours),
      () => askLnd(lnd, daemon, query, index, theirs),
    ];
    for (const turn of index % 2 === 0 ? turns : turns.reverse()) await turn();
    if (index === WARM_UP - 1) {
      for (const { latenciesMs, answered } of [ours, theirs]) {
        latenciesMs.length = 0;
        answered.clear();
      }
    }
  }
  const both = [...ours.answered.keys()].filter((index) => theirs.answered.has(index));
  const dominated = (by: Answers, of: Answers): number =>
    both.filter((index) => {
      const [one, other] = [by.answered.get(index)!, of.answered.get(index)!];
      return one.feeMsat < other.feeMsat && one.probability > other.probability;
    }).length;
  return [
    { by: 'Fulgurite', answers: ours, others: theirs },
    { by: 'LND', answers: theirs, others: ours },
  ].map(({ by, answers, others }) => {
    const { feeMsat, probability } = answers.over(both);
    return {
      ...{ pairs: pairClass, sat: amountSat, by },
      answered: `${answers.answered.size}/${answers.latenciesMs.length}`,
      'p50 ms': quantile(answers.latenciesMs, 0.5).toFixed(2),
      'p95 ms': quantile(answers.latenciesMs, 0.95).toFixed(1),
      'p99 ms': quantile(answers.latenciesMs, 0.99).toFixed(1),
      'both answer: mean fee sat': (feeMsat / 1000 / both.length).toFixed(3),
      'mean probability %': (100 * probability).toFixed(1),
      'better in both': dominated(answers, others),
    };
  });
}

async function askDaemon(
  daemon: BenchDaemon,
  query: RouteQuery,
  index: number,
  { latenciesMs, answered }: Answers,
): Promise<void> {
  const started = performance.now();
  const text = await daemon.client.call(getroutesRequest(query));
  latenciesMs.push(performance.now() - started);
  const { result } = JSON.parse(text) as {
    result?: { routes: { path: { amount_in_msat: number; short_channel_id_dir: string }[] }[] };
  };
  if (result === undefined) return;
  const { path } = result.routes[0]!;
  answered.set(
    index,
    await scored(
      daemon,
      path.map(({ short_channel_id_dir }) => short_channel_id_dir),
      query,
    ),
  );
}

async function askLnd(
  lnd: LndRouter,
  daemon: BenchDaemon,
  query: RouteQuery,
  index: number,
  { latenciesMs, answered }: Answers,
): Promise<void> {
  const started = performance.now();
  const hops = await lnd.route(query);
  latenciesMs.push(performance.now() - started);
  if (hops !== undefined) answered.set(index, await scored(daemon, directionsOf(query.source, hops), query));
}

/** The route's hops as `short_channel_id_dir`: direction 0 leaves the lexicographically smaller node id (BOLT 7). */
function directionsOf(source: NodeId, hops: readonly LndHop[]): string[] {
  let from: string = source;
  return hops.map(({ chan_id, pub_key }) => {
    const direction = from < pub_key ? 0 : 1;
    from = pub_key;
    return formatShortChannelIdDir({ shortChannelId: BigInt(chan_id) as ShortChannelId, direction });
  });
}

async function scored(daemon: BenchDaemon, path: readonly string[], query: RouteQuery): Promise<Answer> {
  const { amountMsat, layers, finalCltv } = query;
  const text = await daemon.client.call(
    requestText(
      'askrene-score',
      `{"path":${JSON.stringify(path)},"amount_msat":${amountMsat},` +
        `"layers":${JSON.stringify(layers)},"final_cltv":${finalCltv}}`,
    ),
  );
  const { result } = JSON.parse(text) as { result?: { fee_msat: number; probability_ppm: number } };
  if (result === undefined) throw new Error(`askrene-score refused a route: ${text}`);
  return { feeMsat: Number(result.fee_msat), probability: result.probability_ppm / 1e6 };
}
