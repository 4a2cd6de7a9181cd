/**
 * The speed of the laboratory: payments per second with the router `fulgurite`, on the main network's graph and on a
 * network of 1,000 channels, for growing numbers of payments. `BENCH_PAYMENTS` sets the largest number (default
 * 100,000).
 */
import { simulate } from '../src/laboratory/simulate.ts';
import type { BenchContext } from './context.ts';
import { mainGraph } from './graphs.ts';
import { benchScenario } from './scenario.ts';

const LARGEST = Number(process.env.BENCH_PAYMENTS ?? 100_000);
const WORKERS = [1, 2];
/** A synthetic network of some 1,000 channels. */
const SMALL = 'synthetic:340';

/** Runs the benchmark area `simulate`. */
export async function simulateBench({ quick, report }: BenchContext): Promise<void> {
  const most = quick ? 3_000 : LARGEST;
  const sizes = [0.1, 0.3, 1].map((share) => Math.round(share * most));
  const rows: Record<string, number | string>[] = [];
  for (const source of [mainGraph().source, SMALL]) {
    for (const payments of sizes) {
      for (const workers of payments === most ? WORKERS : [2])
        rows.push(await measured(source, payments, workers));
    }
  }
  report.table('simulate', 'payments with the router fulgurite, random traffic, 50,000 sat mean', rows);
}

async function measured(graph: string, payments: number, workers: number) {
  const loaded = await benchScenario({ graph, traffic: { kind: 'random', payments } });
  const before = process.cpuUsage();
  const startMs = performance.now();
  const { routers } = await simulate(loaded, { workers });
  const seconds = (performance.now() - startMs) / 1000;
  const { user, system } = process.cpuUsage(before);
  const [{ success, attempts }] = routers as [(typeof routers)[0]];
  return {
    channels: loaded.network.graph.channelCount,
    payments,
    workers,
    seconds: seconds.toFixed(1),
    'processor seconds': ((user + system) / 1e6).toFixed(1),
    'ms of processor each': ((user + system) / 1e3 / payments).toFixed(3),
    'rss MB': Math.round(process.memoryUsage.rss() / 1e6),
    'success %': (100 * success.mean).toFixed(2),
    attempts: attempts.mean.toFixed(2),
  };
}
