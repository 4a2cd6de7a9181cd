/**
 * What probes are worth: one sender, without probes, with random ones, with twice as many random ones, and with chosen
 * ones. Each is judged on the attempts of its own payments. `BENCH_PAYMENTS` sets the payments of each run (default
 * 1,000), `BENCH_SEEDS` the number of seeds (default 3).
 */
import { playScenario } from '../src/laboratory/simulate.ts';
import type { BenchContext } from './context.ts';
import { mainGraph } from './graphs.ts';
import { senderOf } from './learning.ts';
import { benchScenario } from './scenario.ts';

const PAYMENTS = Number(process.env.BENCH_PAYMENTS ?? 1_000);
const SEEDS = Number(process.env.BENCH_SEEDS ?? 3);
const BALANCES = [{ kind: 'uniform' }, { kind: 'bimodal', scale: 0.05 }, { kind: 'onesided', share: 0.5 }];
const probing = (name: string, choice: string, count: number): object => ({
  kind: 'fulgurite',
  name,
  probes: { per_payment: count, choice },
});
const ROUTERS = [
  { kind: 'fulgurite', name: 'none' },
  probing('random 1', 'random', 1),
  probing('random 2', 'random', 2),
  probing('chosen 1', 'informed', 1),
  probing('random 4', 'random', 4),
  probing('chosen 2', 'informed', 2),
];

/** Area `probes`. */
export async function probesBench({ quick, report }: BenchContext): Promise<void> {
  const payments = quick ? 100 : PAYMENTS;
  const { graph, source } = mainGraph();
  const senders = { by: 'list', nodes: [senderOf(graph)] };
  const rows: Record<string, string | number>[] = [];
  for (const balances of BALANCES) {
    const sums = new Map<string, { loss: number; attempts: number; success: number; fee: number }>();
    for (let seed = 1; seed <= SEEDS; seed++) {
      const loaded = await benchScenario({
        ...{ seed, graph: source, balances, routers: ROUTERS, measure: { possible: false } },
        traffic: { kind: 'random', payments, rate_per_s: 1, senders },
      });
      const { summary } = await playScenario(loaded, { workers: 1 });
      for (const { router, success, attempts, feePpm, ofAttempts } of summary.routers) {
        const sum = sums.get(router) ?? { loss: 0, attempts: 0, success: 0, fee: 0 };
        sum.loss += ofAttempts.logLoss / SEEDS;
        sum.attempts += attempts.mean / SEEDS;
        sum.success += success.mean / SEEDS;
        sum.fee += feePpm.mean / SEEDS;
        sums.set(router, sum);
      }
    }
    for (const [probes, { loss, attempts, success, fee }] of sums) {
      rows.push({
        ...{ balances: Object.values(balances).join(' '), probes },
        ...{ 'log loss': loss.toFixed(4), 'success %': (100 * success).toFixed(2) },
        ...{ attempts: attempts.toFixed(3), 'fee ppm': fee.toFixed(1) },
      });
    }
  }
  report.table('probes', `probes of one sender, ${payments} payments, mean of ${SEEDS} seeds`, rows);
}
