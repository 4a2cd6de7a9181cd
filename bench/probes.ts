/**
 * What probes are worth: one sender, without probes, with random ones, with twice as many random ones, and with chosen
 * ones. Each is judged on the attempts of its own payments. Chosen probes are compared with twice as many random ones,
 * seed by seed. `BENCH_PAYMENTS` sets the number of payments per run (default 1,000), `BENCH_SEEDS` the number of seeds
 * (default 3), `BENCH_SEED` the first seed (default 1), `BENCH_NODES` the size of a synthetic network that replaces the
 * main network's graph, and `BENCH_ROUTERS` the routers, separated by commas (default all).
 */
import { generateSyntheticGraph } from '../src/gossip/synthetic.ts';
import { playScenario } from '../src/laboratory/simulate.ts';
import type { BenchContext } from './context.ts';
import { mainGraph } from './graphs.ts';
import { senderOf } from './learning.ts';
import { meanOf } from './measure.ts';
import { benchScenario } from './scenario.ts';

const PAYMENTS = Number(process.env.BENCH_PAYMENTS ?? 1_000);
const SEEDS = Number(process.env.BENCH_SEEDS ?? 3);
const FIRST_SEED = Number(process.env.BENCH_SEED ?? 1);
const CHOSEN = process.env.BENCH_ROUTERS?.split(',');
const NODES = process.env.BENCH_NODES === undefined ? undefined : Number(process.env.BENCH_NODES);
const BALANCES = [{ kind: 'uniform' }, { kind: 'bimodal', scale: 0.05 }, { kind: 'onesided', share: 0.5 }];
/** A router of the comparison. */
interface Probing {
  readonly kind: string;
  readonly name: string;
  readonly probes?: object;
}

const probing = (name: string, choice: string, count: number): Probing => ({
  kind: 'fulgurite',
  name,
  probes: { per_payment: count, choice },
});
const ALL_ROUTERS: readonly Probing[] = [
  { kind: 'fulgurite', name: 'none' },
  probing('random 1', 'random', 1),
  probing('random 2', 'random', 2),
  probing('chosen 1', 'informed', 1),
  probing('random 4', 'random', 4),
  probing('chosen 2', 'informed', 2),
];
const ROUTERS = ALL_ROUTERS.filter(({ name }) => CHOSEN === undefined || CHOSEN.includes(name));

/** Chosen probes, and the random ones that they should match. */
const COMPARED = [
  ['chosen 1', 'random 2'],
  ['chosen 2', 'random 4'],
] as const;

/** The figures of one router with one seed. */
interface Figures {
  readonly loss: number;
  readonly attempts: number;
  readonly success: number;
  readonly fee: number;
}

/** Runs the benchmark area `probes`. */
export async function probesBench({ quick, report }: BenchContext): Promise<void> {
  const payments = quick ? 100 : PAYMENTS;
  const { graph, source } =
    NODES === undefined
      ? mainGraph()
      : { graph: generateSyntheticGraph({ nodeCount: NODES }), source: `synthetic:${NODES}` };
  const of = { source, sender: senderOf(graph), payments };
  const rows: Record<string, string | number>[] = [];
  const pairs: Record<string, string | number>[] = [];
  for (const balances of BALANCES) {
    const name = Object.values(balances).join(' ');
    const figures = await playSeeds(balances, of);
    for (const [probes, ofSeeds] of figures) {
      const mean = (figure: keyof Figures): number => meanOf(ofSeeds.map((one) => one[figure]));
      rows.push({
        ...{ balances: name, probes },
        ...{ 'log loss': mean('loss').toFixed(4), 'success %': (100 * mean('success')).toFixed(2) },
        ...{ attempts: mean('attempts').toFixed(3), 'fee ppm': mean('fee').toFixed(1) },
      });
    }
    for (const [chosen, random] of COMPARED.filter((pair) => pair.every((name) => figures.has(name)))) {
      const losses = [chosen, random].map((router) => figures.get(router)!.map(({ loss }) => loss));
      const less = losses[0]!.map((loss, seed) => losses[1]![seed]! - loss);
      pairs.push({
        ...{ balances: name, chosen, 'compared with': random, 'log loss lower by': meanOf(less).toFixed(4) },
        'standard error': standardError(less).toFixed(4),
        'lower in seeds': less.filter((difference) => difference > 0).length,
      });
    }
    console.log(JSON.stringify(pairs.slice(-COMPARED.length)));
  }
  report.table('probes', `probes of one sender, ${payments} payments, mean of ${SEEDS} seeds`, rows);
  report.table('probes', `chosen probes against twice as many random ones, ${SEEDS} seeds`, pairs);
}

/** Plays all seeds. @returns the figures of each router, one for each seed */
async function playSeeds(
  balances: (typeof BALANCES)[number],
  { source, sender, payments }: { source: string; sender: string; payments: number },
): Promise<Map<string, Figures[]>> {
  const figures = new Map<string, Figures[]>();
  for (let seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
    const loaded = await benchScenario({
      ...{ seed, graph: source, balances, routers: ROUTERS, measure: { possible: false, privacy: 0 } },
      traffic: { kind: 'random', payments, rate_per_s: 1, senders: { by: 'list', nodes: [sender] } },
    });
    const { summary } = await playScenario(loaded, { workers: 1 });
    for (const { router, success, attempts, feePpm, ofAttempts } of summary.routers) {
      const one = {
        ...{ loss: ofAttempts.logLoss, attempts: attempts.mean, success: success.mean },
        fee: feePpm.mean,
      };
      figures.set(router, [...(figures.get(router) ?? []), one]);
      console.log(JSON.stringify({ balances, seed, router, ...one }));
    }
  }
  return figures;
}

function standardError(values: readonly number[]): number {
  const mean = meanOf(values);
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return Math.sqrt(squares / Math.max(1, values.length - 1) / values.length);
}
