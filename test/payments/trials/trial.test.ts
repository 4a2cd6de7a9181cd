/**
 * A trial of settings with live payments: half of them search with different prices, until a statistical test
 * decides.
 */
import { afterEach, expect, test } from 'vitest';
import { DEFAULT_OBJECTIVE } from '../../../src/engine/question/objective.ts';
import { type KnownHop, OddsModel } from '../../../src/payments/learn/odds-model.ts';
import type { Payment } from '../../../src/payments/payment.ts';
import { SequentialTest } from '../../../src/payments/trials/sequential-test.ts';
import { Trial } from '../../../src/payments/trials/trial.ts';
import { keysendRequest, SimulatedNode } from '../simulation/simulated-node.ts';

let node: SimulatedNode | undefined;
afterEach(() => {
  node?.destroy();
  node = undefined;
});

const KNOBS = { ...DEFAULT_OBJECTIVE, riskPpmPerNat: 0, riskBaseMsatPerNat: 0 };

/** A finished payment. */
const ended = (digit: number, status: 'complete' | 'failed', obstacle?: string): Payment =>
  ({
    id: digit.toString(16),
    status,
    request: { kind: 'xpay' },
    failure: obstacle && { obstacle },
  }) as unknown as Payment;

test('half of the payments search with the settings on trial, and each payment counts for the settings that it used', async () => {
  const trial = new Trial(KNOBS);
  const asked: unknown[] = [];
  node = new SimulatedNode({ engine: { trial } });
  const getroutes = node.routes.getroutes.bind(node.routes);
  node.routes.getroutes = (query, options = {}) => {
    asked.push(options.knobs);
    return getroutes(query, options);
  };
  const arms = { usual: 0, trial: 0 };
  for (const destination of node.destinations().slice(20, 40)) {
    asked.length = 0;
    const payment = await node.pay(keysendRequest(destination));
    const arm = trial.armOf(payment);
    if (payment.status === 'complete' || payment.failure !== undefined) arms[arm]++;
    expect(asked.length).toBeGreaterThan(0);
    for (const knobs of asked) expect(knobs).toEqual(arm === 'trial' ? KNOBS : undefined);
  }
  const { usual, trial: other } = trial.test.counts;
  expect(usual.payments + other.payments).toBeLessThanOrEqual(arms.usual + arms.trial);
  expect(usual.payments).toBeGreaterThan(0);
  expect(other.payments).toBeGreaterThan(0);
});

test('worse settings are stopped, and inconclusive payments are not counted', () => {
  const verdicts: string[] = [];
  const trial = new Trial(KNOBS, ({ test: { verdict } }) => verdicts.push(verdict));
  trial.ended(ended(0, 'failed', 'recipientRefused'));
  trial.ended(ended(1, 'failed', 'interrupted'));
  trial.ended({ ...ended(1, 'failed', 'noRoute'), request: { kind: 'probe' } } as Payment);
  expect(trial.test.counts.usual.payments + trial.test.counts.trial.payments).toBe(0);
  expect(trial.knobsOf({ id: 'a1' })).toEqual(KNOBS);
  for (let count = 0; count < 1500; count++) {
    trial.ended(ended(0, 'complete'));
    trial.ended(ended(1, count % 10 === 0 ? 'failed' : 'complete', count % 10 === 0 ? 'noRoute' : undefined));
  }
  expect(verdicts).toEqual(['worse']);
  expect(trial.knobsOf({ id: 'a1' })).toBeUndefined();
});

test('better settings are adopted', () => {
  const trial = new Trial(KNOBS);
  for (let count = 0; count < 1500; count++) {
    trial.ended(ended(0, count % 10 === 0 ? 'failed' : 'complete', count % 10 === 0 ? 'noRoute' : undefined));
    trial.ended(ended(1, 'complete'));
  }
  expect(trial.test.verdict).toBe('better');
  expect(trial.knobsOf({ id: 'a0' })).toEqual(KNOBS);
});

test('payments to recipients that probably do not answer are compared with each other', async () => {
  const odds = new OddsModel(() => 0);
  const trial = new Trial(KNOBS);
  node = new SimulatedNode({ engine: { trial, odds } });
  const destination = node.destinations()[20]!;
  const to: KnownHop = {
    ...{ to: destination, isOwn: false, least: 1, most: 1, amount: 0.1, ofClass: 1, ageS: 0 },
  };
  for (let count = 0; count < 20; count++) odds.observe([to], { kind: 'failed', index: 0, blames: 'hop' });
  const began: number[] = [];
  const note = trial.began.bind(trial);
  trial.began = (payment, awayChance) => {
    began.push(awayChance);
    note(payment, awayChance);
  };
  await node.pay(keysendRequest(destination)).catch(() => undefined);
  expect(began[0]).toBeGreaterThan(0.5);

  // The trial tells its test which payments those are.
  const [told, direct] = [new Trial(KNOBS), new SequentialTest()];
  for (let count = 0; count < 100; count++) {
    const payment = ended(count % 2, 'failed', 'noRoute');
    told.began(payment, count % 3 === 0 ? 0.9 : 0.1);
    told.ended(payment);
    direct.observe(told.armOf(payment), false, count % 3 === 0);
  }
  expect(told.test.statistic).toBe(direct.statistic);
});
