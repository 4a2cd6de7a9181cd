/**
 * Quotes on a simulated network: nearly all payments that can complete do so within their quote, and quotes
 * are close to the paid fees. The quoted limit is enforced. The hidden balances follow one of three models.
 *
 * `QUOTES` is the number of payments for each model (default 12), and `QUOTE_SEED` their seed.
 */
import { afterEach, expect, test } from 'vitest';
import { Draws } from '../../../src/model/draws.ts';
import { msat } from '../../../src/model/msat.ts';
import type { SimulationOptions } from '../../../src/network/simulated/options.ts';
import { OddsModel } from '../../../src/payments/learn/odds-model.ts';
import { type Payment, PaymentFailed } from '../../../src/payments/payment.ts';
import { xkeysendMaxfee } from '../../../src/payments/plan/limits.ts';
import { feeAtConfidence } from '../../../src/payments/quotes/quote-play.ts';
import { L3, lineNode } from '../line-graph.ts';
import { keysendRequest, SimulatedNode } from '../simulation/simulated-node.ts';

const QUOTES = Number(process.env.QUOTES ?? 12);
const SEED = Number(process.env.QUOTE_SEED ?? 11);
const CONFIDENCE = 0.99;

let node: SimulatedNode | undefined;
afterEach(async () => {
  await node?.destroy();
  node = undefined;
});

const MODELS: readonly (readonly [string, Partial<SimulationOptions>])[] = [
  ['even balances', {}],
  ['balances at one end', { balances: 'bimodal' }],
  ['balances at one end and absent nodes', { balances: 'bimodal', faults: { offlineNodes: 0.03 } }],
];

const sent = ({ attempts }: Payment): bigint =>
  attempts
    .filter(({ status }) => status === 'settled')
    .reduce((sum, { amountSentMsat }) => sum + amountSentMsat, 0n);

/** Number of payments on one network. After that our channels run dry, so a new network is used. */
const ON_ONE = 150;

interface Outcomes {
  readonly within: number;
  readonly beyond: number;
  readonly never: number;
  readonly refused: number;
  /** Ratios of quoted to paid: for amounts including fees, and for the fees alone. */
  readonly ratios: readonly (readonly [whole: number, fee: number])[];
}

async function quoteAndPay(
  simulation: Partial<SimulationOptions>,
  seed: number,
  count: number,
): Promise<Outcomes> {
  const draws = new Draws(seed);
  const payer: SimulatedNode = new SimulatedNode({
    nodes: 400,
    simulation: { ...simulation, seed },
    engine: { odds: new OddsModel(() => payer.nowMs() / 1000) },
  });
  node = payer;
  const destinations = payer.destinations();
  const counts = { within: 0, beyond: 0, never: 0, refused: 0 };
  const ratios: [number, number][] = [];
  for (let n = 0; n < count; n++) {
    const destination = destinations[Math.floor(draws.uniform(1, n) * destinations.length)]!;
    const amountMsat = msat(BigInt(Math.floor(10 ** (6 + 3.3 * draws.uniform(2, n)))));
    const maxfeeMsat = xkeysendMaxfee(amountMsat);
    const asked = keysendRequest(destination, {
      ...{ kind: 'xkeysend', amountMsat, maxfeeMsat, seed: BigInt(n + 1) },
    });
    const quote = await payer.until(payer.payments.quote(asked, CONFIDENCE)).catch((error: unknown) => {
      expect(error).toBeInstanceOf(PaymentFailed);
    });
    if (quote === undefined) {
      counts.refused++;
      continue;
    }
    expect(quote.maxfeeMsat).toBeLessThanOrEqual(maxfeeMsat);
    const paid = await payer.pay({ ...asked, maxfeeMsat: quote.maxfeeMsat });
    if (paid.status === 'complete') {
      const feeMsat = sent(paid) - amountMsat;
      expect(feeMsat).toBeLessThanOrEqual(quote.maxfeeMsat);
      counts.within++;
      const ofFees = Number(quote.maxfeeMsat) / Math.max(1, Number(feeMsat));
      ratios.push([Number(amountMsat + quote.maxfeeMsat) / Number(sent(paid)), ofFees]);
    } else if ((await payer.pay(asked)).status === 'complete') counts.beyond++;
    else counts.never++;
  }
  await payer.destroy();
  node = undefined;
  return { ...counts, ratios };
}

const middleOf = (list: readonly number[]): number =>
  [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)]!;

test.each(MODELS)(
  'payments complete within their quotes: %s',
  async (name, simulation) => {
    const all: Outcomes[] = [];
    for (let done = 0; done < QUOTES; done += ON_ONE) {
      all.push(await quoteAndPay(simulation, SEED + done, Math.min(ON_ONE, QUOTES - done)));
    }
    const sum = (of: 'within' | 'beyond' | 'never' | 'refused'): number =>
      all.reduce((total, one) => total + one[of], 0);
    const ratios = all.flatMap(({ ratios: some }) => some);
    const [whole, fees] = [0, 1].map((at) => middleOf(ratios.map((ratio) => ratio[at as 0 | 1])));
    const can = sum('within') + sum('beyond');
    if (process.env.QUOTES !== undefined) {
      const figures = {
        within: sum('within'),
        beyond: sum('beyond'),
        never: sum('never'),
        refused: sum('refused'),
      };
      process.stderr.write(`${name}: ${JSON.stringify({ ...figures, whole, fees })}\n`);
    }
    expect(can).toBeGreaterThan(QUOTES / 3);
    // One payment in a hundred may exceed its quote, plus a margin for chance.
    expect(sum('beyond')).toBeLessThanOrEqual(0.01 * can + 3 * Math.sqrt(0.01 * can));
    expect(whole).toBeLessThan(1.1);
  },
  Math.max(1_200_000, QUOTES * 4_000),
);

test('the limit at a confidence level is the fee that this share of payments does not exceed', () => {
  const fees = Array.from({ length: 100 }, (_, n) => BigInt(100 - n));
  expect(feeAtConfidence(fees, 0.99)).toBe(99n);
  expect(feeAtConfidence(fees, 1)).toBe(100n);
  expect(feeAtConfidence([5n], 0.5)).toBe(5n);
});

/*
 *     us ── L2 ── L3       L2 takes 1 msat + 10 ppm, that is 11 msat for 1,000 sat
 *
 * There is only this route, so each of the 300 draws either completes for 11 msat or not at all. With a limit of 11 msat,
 * exactly as many draws complete as with 5,000 msat. That is the share of 1 that the quote must cover.
 */
test('a limit under which exactly the wanted share completes is enough', async () => {
  const payer = lineNode();
  node = payer;
  const asked = keysendRequest(L3, {
    ...{ amountMsat: msat(1_000_000n), maxfeeMsat: msat(5_000n), useShadow: false },
  });
  const quote = await payer.until(payer.payments.quote(asked, 1));
  expect(quote).toMatchObject({ maxfeeMsat: 11n, feeMsat: 11n });
  expect(quote.probabilityPpm).toBeGreaterThan(0);
});
