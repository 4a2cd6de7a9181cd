/**
 * Many payments on many networks (simulation.ts): 100 on each of 20. `SIM_PAYMENTS` sets a larger number: a
 * million payments take about an hour and a half. `SIM_SEED` repeats one seed, and every failure shows its
 * seed. Every kind of fault must have occurred, or the test has shown nothing.
 *
 * Each of the 20 networks draws its own faults, balances and recipients. So a defect that shows in one
 * network in 7 is found with a probability of 1 - (6/7)^20 = 95 %. A defect that shows in one payment in 660
 * is found with a probability of 1 - (659/660)^2000 = 95 %.
 */
import { describe, expect, test } from 'vitest';
import { binomialRange } from '../../statistics.ts';
import { simulate } from './simulation.ts';

const PER_SEED = 100;
const payments = Number(process.env.SIM_PAYMENTS ?? 2_000);
const only = process.env.SIM_SEED;
const seeds =
  only === undefined
    ? Array.from({ length: Math.ceil(payments / PER_SEED) }, (_, index) => index + 1)
    : [Number(only)];

/**
 * The maximum share of failures among the payments that a payer who knows every balance could have made when
 * they began. Faults explain it. One search in 100 dies, and a payment needs one or two: 2 in 100. One node
 * in 200 never answers, and a path has three or four: 2 in 100. In half of the networks, one node in 40 is
 * offline at first and about as many at any later time; the recipient and the node before it cannot be
 * replaced: 5 in 100. The remaining failures occur because other payments hold the money.
 */
const UNLUCKY = 0.1;

/**
 * Outcomes of which each must end at least one attempt: the network is full, expensive, gone, slow or behind, runs
 * out of time, garbles failures, or does not accept keysends.
 */
const ENDINGS = [
  'settled',
  'temporary_channel_failure',
  'fee_insufficient',
  'unknown_next_peer',
  'mpp_timeout',
  'unreadable',
  'permanent_channel_failure',
  'incorrect_or_unknown_payment_details',
  'invalid_onion_payload',
];

describe('payments over a network with faults, and a process that crashes', () => {
  test(`${seeds.length * PER_SEED} payments violate no rule`, { timeout: 24 * 3600 * 1000 }, async () => {
    let [payable, missed] = [0, 0];
    let forgotten = 0;
    const endings = new Set<string>();
    for (const seed of seeds) {
      const run = await simulate(seed, PER_SEED);
      if (process.env.SIM_VERBOSE) process.stderr.write(`${JSON.stringify(run)}\n`);
      expect(run.violations, `SIM_SEED=${seed}`).toEqual([]);
      payable += run.payable;
      missed += run.missed;
      forgotten += run.forgotten;
      for (const ending of Object.keys(run.endings)) endings.add(ending);
    }
    if (only !== undefined) return;
    expect(missed, `of ${payable}`).toBeLessThanOrEqual(binomialRange(payable, UNLUCKY).most);
    expect(payable).toBeGreaterThan(0);
    expect(forgotten).toBeGreaterThan(0);
    expect([...endings]).toEqual(expect.arrayContaining(ENDINGS));
  });

  test('the same seed gives the same history', async () => {
    const first = await simulate(4711, 60);
    expect(await simulate(4711, 60)).toEqual(first);
    expect((await simulate(4712, 60)).digest).not.toBe(first.digest);
  });
});
