/**
 * Success at equal fees: one sender in the twelve settings of the area `learning`, with our router at several prices of
 * risk, ours with searches that assume uniform balances, and the model of LND's router. All make the same payments over
 * the same balances. Each of the other routers is compared with ours at the highest price of risk at which ours pays no
 * more in fees, over the payments that both complete. So neither has bought its success with fees.
 *
 * `BENCH_PAYMENTS` sets the number of payments per run (default 1,000), `BENCH_SEEDS` the number of seeds (default 3),
 * `BENCH_SEED` the first seed (default 1), `BENCH_NODES` the size of the synthetic network (default 2,000).
 */
import { generateSyntheticGraph } from '../src/gossip/synthetic.ts';
import { playScenario } from '../src/laboratory/simulate.ts';
import type { BenchContext } from './context.ts';
import { LEARNING_SETTINGS, type LearningSetting, senderOf } from './learning.ts';
import { meanOf } from './measure.ts';
import { benchScenario } from './scenario.ts';

const PAYMENTS = Number(process.env.BENCH_PAYMENTS ?? 1_000);
const SEEDS = Number(process.env.BENCH_SEEDS ?? 3);
const FIRST_SEED = Number(process.env.BENCH_SEED ?? 1);
const NODES = Number(process.env.BENCH_NODES ?? 2_000);
/** Our prices of risk in ppm of the amount per nat, including the default. */
const PRICES = [10, 50, 100, 200, 400, 1_000, 3_000, 10_000];
const OTHERS = ['searched', 'lnd'] as const;

const oursAt = (price: number): string => `ours ${price}`;
const ROUTERS = [
  ...PRICES.map((price) => ({
    kind: 'fulgurite',
    name: oursAt(price),
    objective: { risk_ppm_per_nat: price, risk_base_msat_per_nat: 2 * price },
  })),
  { kind: 'fulgurite', name: 'searched', learned_search: false },
  { kind: 'lnd', name: 'lnd' },
];

/** The difference between our router at one price and another router, with one seed: ours minus theirs. */
interface Pair {
  readonly success: number;
  /** Half the width of the difference's 95 % interval. */
  readonly half: number;
  readonly attempts: number;
  readonly feePpm: number;
}

/** Runs the benchmark area `equal-fees`. */
export async function equalFeesBench({ quick, report }: BenchContext): Promise<void> {
  const payments = quick ? 150 : PAYMENTS;
  const sender = senderOf(generateSyntheticGraph({ nodeCount: NODES }));
  const rows: Record<string, string | number>[] = [];
  for (const setting of LEARNING_SETTINGS) {
    const pairs = new Map<string, Pair[]>();
    for (let seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++)
      await play(setting, { payments, sender, seed }, pairs);
    for (const other of OTHERS)
      rows.push({ setting: setting.name, 'compared with': other, ...atEqualFees(other, pairs) });
    console.log(JSON.stringify(rows.slice(-OTHERS.length)));
  }
  report.table(
    'equal-fees',
    `success at equal fees, ${payments} payments, ${SEEDS} seeds, 95 % intervals`,
    rows,
  );
}

/** Adds the results of one seed for each price and each other router. */
async function play(
  { balances, network }: LearningSetting,
  { payments, sender, seed }: { payments: number; sender: string; seed: number },
  pairs: Map<string, Pair[]>,
): Promise<void> {
  const loaded = await benchScenario({
    ...{ graph: `synthetic:${NODES}`, seed, balances, network, routers: ROUTERS },
    traffic: { kind: 'random', payments, rate_per_s: 1, senders: { by: 'list', nodes: [sender] } },
    measure: { possible: false, privacy: 0 },
  });
  const { summary } = await playScenario(loaded, { workers: 1 });
  for (const { first, second, success, attempts, feePpm } of summary.pairs) {
    if (!first.startsWith('ours') || second.startsWith('ours')) continue;
    const key = `${first}, ${second}`;
    const half = (success.high - success.low) / 2;
    const pair = { success: -success.mean, half, attempts: -attempts.mean, feePpm: -feePpm.mean };
    pairs.set(key, [...(pairs.get(key) ?? []), pair]);
  }
}

/**
 * Our router at the highest price at which it pays no more than the other router, or at the lowest price if it always
 * pays more.
 */
function atEqualFees(
  other: string,
  pairs: ReadonlyMap<string, readonly Pair[]>,
): Record<string, string | number> {
  const of = (price: number): readonly Pair[] => pairs.get(`${oursAt(price)}, ${other}`)!;
  const feeAt = (price: number): number => meanOf(of(price).map(({ feePpm }) => feePpm));
  const price = PRICES.findLast((one) => feeAt(one) <= 0) ?? PRICES[0]!;
  const success = 100 * meanOf(of(price).map((pair) => pair.success));
  const half = (100 * Math.sqrt(of(price).reduce((sum, pair) => sum + pair.half ** 2, 0))) / SEEDS;
  return {
    'price of risk': price,
    'fee ppm more': feeAt(price).toFixed(1),
    'success points more': success.toFixed(2),
    ...{ from: (success - half).toFixed(2), to: (success + half).toFixed(2) },
    'attempts more': meanOf(of(price).map(({ attempts }) => attempts)).toFixed(3),
  };
}
