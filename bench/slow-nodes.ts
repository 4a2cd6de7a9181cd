/**
 * What the price of a second is worth: one sender pays over a network in which a tenth of the nodes take twenty times
 * as long as the others. The same payments are made at several prices of a second. No recipient is slow or a neighbour
 * of the sender, and all have at least three large channels with nodes that are not slow: otherwise no route could
 * avoid slow nodes, or no other node would be needed.
 *
 * Times are learned from round trips alone, and again from the hold times that a share of the nodes report.
 *
 * `BENCH_PAYMENTS` sets the number of payments per run (default 3,000, of which the first quarter only teaches),
 * `BENCH_SEEDS` the number of seeds (default 3), `BENCH_SEED` the first seed (default 1), `BENCH_NODES` the size of the
 * synthetic network (default 2,000). `BENCH_RISKS`, `BENCH_SECONDS` and `BENCH_REPORTING` set the prices of risk, the
 * prices of a second, and the shares of nodes that report, separated by commas. Figures are relative to no price of a
 * second at the default price of risk.
 */
import { generateSyntheticGraph } from '../src/gossip/synthetic.ts';
import { PURPOSE } from '../src/laboratory/purposes.ts';
import { playScenario } from '../src/laboratory/simulate.ts';
import type { ChannelGraph } from '../src/model/channel-graph.ts';
import { Draws } from '../src/model/draws.ts';
import type { BenchContext } from './context.ts';
import { meanOf } from './measure.ts';
import { benchScenario } from './scenario.ts';

const PAYMENTS = Number(process.env.BENCH_PAYMENTS ?? 3_000);
const SEEDS = Number(process.env.BENCH_SEEDS ?? 3);
const FIRST_SEED = Number(process.env.BENCH_SEED ?? 1);
const NODES = Number(process.env.BENCH_NODES ?? 2_000);
const RECIPIENTS = 200;
/** Minimum number of channels of a recipient with nodes that are not slow, and their minimum capacity. */
const WAYS = 3;
const LARGE_MSAT = 1_000_000_000n;
const SLOW = 0.1;
const SLOW_FACTOR = 20;
const MEAN_US = 150_000;
/** Prices of a second in nats; the daemon's is 0.1. Each is combined with each price of risk, in ppm per nat. */
const SECONDS = numbers(process.env.BENCH_SECONDS) ?? [0.1, 0.2, 0.5];
const RISKS = numbers(process.env.BENCH_RISKS) ?? [1_000, 500, 250, 125];
/** Shares of nodes that report hold times. 0: only round trips are known. */
const REPORTING = numbers(process.env.BENCH_REPORTING) ?? [0, 0.5, 1];

const ROUTERS = [
  routerAt(0, 1_000),
  ...RISKS.flatMap((risk) => SECONDS.map((second) => routerAt(second, risk))),
];

function routerAt(second: number, risk: number): object {
  return {
    kind: 'fulgurite',
    name: `${second} nats per second, ${risk} ppm per nat`,
    nats_per_second: second,
    objective: { risk_ppm_per_nat: risk, risk_base_msat_per_nat: 2 * risk },
  };
}

/** The numbers of a list that is separated by commas. */
function numbers(list: string | undefined): number[] | undefined {
  return list?.split(',').map(Number);
}

/** The figures of one router with one seed. */
interface Figures {
  readonly success: number;
  readonly feePpm: number;
  readonly p50: number;
  readonly p95: number;
}

/** Runs the benchmark area `slow-nodes`. */
export async function slowNodesBench({ quick, report }: BenchContext): Promise<void> {
  const payments = quick ? 200 : PAYMENTS;
  const figures = new Map<string, Figures[]>();
  for (const reporting of REPORTING) {
    for (let seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++)
      await play({ seed, payments, reporting }, figures);
  }
  const first = [...figures.values()][0]!;
  const rows = [...figures].map(([router, ofSeeds]) => {
    const mean = (figure: keyof Figures): number => meanOf(ofSeeds.map((one) => one[figure]));
    const relative = (figure: keyof Figures): string =>
      meanOf(ofSeeds.map((one, at) => one[figure] / first[at]![figure])).toFixed(2);
    return {
      ...{ router, 'success %': (100 * mean('success')).toFixed(2), 'fee ppm': mean('feePpm').toFixed(0) },
      ...{ 'p50 s': mean('p50').toFixed(2), 'p95 s': mean('p95').toFixed(2) },
      ...{ 'fee, relative': relative('feePpm'), 'p95, relative': relative('p95') },
    };
  });
  report.table('slow-nodes', `time to settle among slow nodes, ${payments} payments, ${SEEDS} seeds`, rows);
}

async function play(
  { seed, payments, reporting }: Readonly<Record<'seed' | 'payments' | 'reporting', number>>,
  figures: Map<string, Figures[]>,
): Promise<void> {
  const graph = generateSyntheticGraph({ nodeCount: NODES, seed });
  const { sender, recipients } = endsOf(graph, seed);
  const loaded = await benchScenario({
    ...{ graph: `synthetic:${NODES}`, seed, routers: ROUTERS },
    network: {
      latency: { kind: 'lognormal', mean_us: MEAN_US, slow: SLOW, slow_factor: SLOW_FACTOR, reporting },
    },
    traffic: {
      ...{ kind: 'random', payments, rate_per_s: 1, amount: { kind: 'lognormal', mean_msat: 20_000_000 } },
      senders: { by: 'list', nodes: [sender] },
      receivers: { by: 'list', nodes: recipients },
    },
    measure: { possible: false, privacy: 0, warm_up_us: 250_000 * payments },
  });
  const { summary } = await playScenario(loaded, { workers: 1 });
  for (const { router, success, feePpm, settleUs } of summary.routers) {
    const one = {
      ...{ success: success.mean, feePpm: feePpm.mean },
      ...{ p50: settleUs.p50 / 1e6, p95: settleUs.p95 / 1e6 },
    };
    const row = `${100 * reporting} % report, ${router}`;
    figures.set(row, [...(figures.get(row) ?? []), one]);
    console.log(JSON.stringify({ seed, reporting, router, ...one }));
  }
}

/**
 * The sender, which has the most channels of all but two nodes, and the recipients. Each recipient has at least three
 * large channels with nodes other than slow ones, so that routes can avoid these.
 */
function endsOf(graph: ChannelGraph, seed: number): { sender: string; recipients: string[] } {
  const draws = new Draws(seed);
  const isSlow = (node: number): boolean => draws.happens(SLOW, PURPOSE.slowNode, node);
  const fast = Array.from({ length: graph.nodeCount }, (_, node) => node).filter((node) => !isSlow(node));
  const sender = [...fast].sort((a, b) => graph.nodeDegree[b]! - graph.nodeDegree[a]!)[2]!;
  const near = new Set([sender]);
  for (const channel of graph.channelsOf(sender)) {
    near.add(graph.node1[channel]!);
    near.add(graph.node2[channel]!);
  }
  const waysTo = (node: number): number =>
    [...graph.channelsOf(node)].filter(
      (channel) =>
        graph.capacityMsat[channel]! >= LARGE_MSAT &&
        !isSlow(graph.node1[channel]!) &&
        !isSlow(graph.node2[channel]!),
    ).length;
  const away = fast.filter((node) => !near.has(node) && waysTo(node) >= WAYS);
  const step = Math.max(1, Math.floor(away.length / RECIPIENTS));
  const recipients = away.filter((_, at) => at % step === 0).slice(0, RECIPIENTS);
  return { sender: graph.nodeId(sender), recipients: recipients.map((node) => graph.nodeId(node)) };
}
