/**
 * Simulated trials of two variants: how often equal variants are wrongly distinguished, and how often a
 * variant that is worse by two percentage points is detected within 3,000 payments. `TRIALS` sets the number
 * of trials (default 60; the documents state 1,000).
 */
import { describe, expect, test } from 'vitest';
import { draws } from '../../../src/payments/plan/shadow.ts';
import {
  type Arm,
  SequentialTest,
  TRIAL_PAYMENTS,
  type TrialVerdict,
} from '../../../src/payments/trials/sequential-test.ts';

const TRIALS = Number(process.env.TRIALS ?? 60);

/** A small random generator (mulberry32), since hash-based draws are slow for a million payments. */
function generator(seed: number): () => number {
  let state = Math.floor(draws(BigInt(seed))() * 2 ** 32);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

interface Tally {
  readonly verdicts: Record<TrialVerdict, number>;
  readonly payments: number;
}

/**
 * Runs many trials of variants with these success probabilities.
 * @param doubtful share of payments to recipients that are known not to answer: 19 of 20 such payments fail
 */
function tally(usual: number, trial: number, seed: number, doubtful = 0): Tally {
  const verdicts: Record<TrialVerdict, number> = { open: 0, worse: 0, better: 0, alike: 0 };
  const draw = generator(seed);
  let payments = 0;
  for (let count = 0; count < TRIALS; count++) {
    const sequential = new SequentialTest();
    while (sequential.verdict === 'open') {
      const arm: Arm = draw() < 0.5 ? 'usual' : 'trial';
      const isDoubtful = doubtful > 0 && draw() < doubtful;
      const success = isDoubtful ? 0.05 : arm === 'usual' ? usual : trial;
      sequential.observe(arm, draw() < success, isDoubtful);
      payments++;
    }
    verdicts[sequential.verdict]++;
  }
  if (process.env.TRIALS !== undefined)
    process.stdout.write(`${usual} ${trial} ${doubtful} ${JSON.stringify(verdicts)} ${payments / TRIALS}\n`);
  return { verdicts, payments: payments / TRIALS };
}

/** Three standard deviations of this share of the trials. */
const margin = (share: number): number => 3 * Math.sqrt((share * (1 - share)) / TRIALS);

describe('a sequential test', () => {
  test.each([0.5, 0.8, 0.9, 0.95, 0.98, 0.995])(
    'distinguishes equal variants in at most one of twenty trials: %f',
    (rate) => {
      const { worse, better } = tally(rate, rate, Math.round(rate * 1000)).verdicts;
      expect((worse + better) / TRIALS).toBeLessThanOrEqual(0.05 + margin(0.05));
    },
  );

  test.each([
    [0.995, 0.975, 0.95],
    [0.98, 0.96, 0.8],
    [0.97, 0.95, 0.75],
    [0.95, 0.93, 0.6],
  ])('finds a variant that is worse by two percentage points: %f against %f', (usual, trial, least) => {
    const { verdicts, payments } = tally(usual, trial, 7);
    expect(verdicts.worse / TRIALS).toBeGreaterThan(least - margin(least));
    expect(verdicts.better / TRIALS).toBeLessThan(0.01);
    expect(payments).toBeLessThan(TRIAL_PAYMENTS);
  });

  // With these shares, 97 % of all payments succeed with the usual settings, and 95 % with those on trial.
  test.each([
    [0.02, 0.989, 0.9685, 0.9],
    [0.03, 0.9984, 0.9778, 0.97],
  ])(
    'is not disturbed by recipients that are known not to answer: a share of %f',
    (share, usual, trial, least) => {
      expect(tally(usual, trial, 7, share).verdicts.worse / TRIALS).toBeGreaterThan(least - margin(least));
      const { worse, better } = tally(usual, usual, 7, share).verdicts;
      expect((worse + better) / TRIALS).toBeLessThanOrEqual(0.05 + margin(0.05));
    },
  );

  test('is close to the statistic of two proportions', () => {
    // By hand: 40 of 1,500 failed against 80; p = 0.04; d = 0.0267; z = 0.0267 / (0.19596 · √(2 / 1500)) = 3.727.
    const sequential = new SequentialTest();
    expect(sequential.statistic).toBe(0);
    for (let count = 0; count < 1500; count++) {
      sequential.observe('usual', count % 75 > 1);
      sequential.observe('trial', count % 75 > 3);
      if (sequential.verdict !== 'open') break;
    }
    expect(sequential.verdict).toBe('worse');
    const { usual, trial } = sequential.counts;
    const payments = usual.payments + trial.payments;
    const p = 1 - (usual.complete + trial.complete) / payments;
    const d = usual.complete / usual.payments - trial.complete / trial.payments;
    const z = d / Math.sqrt(p * (1 - p) * (1 / usual.payments + 1 / trial.payments));
    expect(sequential.statistic / Math.sqrt(payments / TRIAL_PAYMENTS) / z).toBeCloseTo(1, 1);
  });

  test('does not mistake a bad hour for a difference', () => {
    const draw = generator(5);
    let told = 0;
    for (let count = 0; count < TRIALS; count++) {
      const sequential = new SequentialTest();
      for (let n = 0; sequential.verdict === 'open'; n++)
        sequential.observe(draw() < 0.5 ? 'usual' : 'trial', draw() < (n % 1000 < 200 ? 0.3 : 0.99));
      if (sequential.verdict !== 'alike') told++;
    }
    expect(told / TRIALS).toBeLessThanOrEqual(0.05 + margin(0.05));
  });

  test('stops counting once it has a verdict, and keeps the verdict', () => {
    const sequential = new SequentialTest();
    for (let count = 0; count < 2000; count++) {
      sequential.observe('usual', true);
      sequential.observe('trial', count % 4 > 0);
    }
    expect(sequential.verdict).toBe('worse');
    const { usual, trial } = sequential.counts;
    expect(usual.payments + trial.payments).toBeLessThan(1000);
  });
});
