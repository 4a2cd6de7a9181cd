/**
 * Whether stated odds hold: one sender on the main network's graph, twelve settings (six models of balances, with
 * faithful and with failing nodes), for our router, one that states uniform odds, and LND's model. Each is judged on its own
 * attempts. `BENCH_PAYMENTS` sets the payments of each run (default 1,500), `BENCH_ROUTERS` the routers (`ldk` takes hours).
 */
import { playScenario } from '../src/laboratory/simulate.ts';
import type { ChannelGraph } from '../src/model/channel-graph.ts';
import type { BenchContext } from './context.ts';
import { mainGraph } from './graphs.ts';
import { benchScenario } from './scenario.ts';

const PAYMENTS = Number(process.env.BENCH_PAYMENTS ?? 1_500);
const ROUTERS = (process.env.BENCH_ROUTERS ?? 'fulgurite,cheapest,lnd').split(',');
const BALANCES = [
  { kind: 'uniform' },
  { kind: 'bimodal', scale: 0.01 },
  { kind: 'bimodal', scale: 0.05 },
  { kind: 'bimodal', scale: 0.2 },
  { kind: 'onesided', share: 0.5 },
  { kind: 'onesided', share: 0.9 },
];
const FAILING = { offline: 0.03, stuck: 0.005, unreported_fees: 0.03 };

/** Area `learning`. */
export async function learningBench({ quick, report }: BenchContext): Promise<void> {
  const { graph, source } = mainGraph();
  const senders = { by: 'list', nodes: [graph.nodeId(busiestNode(graph))] };
  const payments = quick ? 100 : PAYMENTS;
  const rows: Record<string, string | number>[] = [];
  for (const balances of BALANCES) {
    for (const network of [{}, FAILING]) {
      const loaded = await benchScenario({
        graph: source,
        balances,
        network,
        traffic: { kind: 'random', payments, rate_per_s: 1, senders },
        routers: ROUTERS,
        measure: { possible: false },
      });
      const { summary } = await playScenario(loaded, { workers: 1 });
      for (const { router, success, feePpm, attempts, ofAttempts } of summary.routers) {
        rows.push({
          balances: Object.values(balances).join(' '),
          nodes: network === FAILING ? 'failing' : 'faithful',
          router,
          'log loss': ofAttempts.logLoss.toFixed(4),
          Brier: ofAttempts.brier.toFixed(4),
          'success %': (100 * success.mean).toFixed(2),
          attempts: attempts.mean.toFixed(2),
          'fee ppm': feePpm.mean.toFixed(1),
        });
      }
    }
  }
  report.table('learning', `stated odds of one sender, ${payments} payments of 50,000 sat mean each`, rows);
}

/** The node with the third most channels: it can pay a lot, and is nobody's only neighbour. */
function busiestNode({ nodeDegree, nodeCount }: ChannelGraph): number {
  const nodes = Array.from({ length: nodeCount }, (_, node) => node);
  return nodes.sort((a, b) => nodeDegree[b]! - nodeDegree[a]!)[2]!;
}
