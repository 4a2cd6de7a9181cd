/**
 * A trial of settings with live payments: half of them search with different prices, until a statistical test
 * decides.
 */
import { afterEach, expect, test } from 'vitest';
import { DEFAULT_OBJECTIVE } from '../../../src/engine/question/objective.ts';
import type { Payment } from '../../../src/payments/payment.ts';
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

test('half of the payments search with the settings on trial, and each counts for the settings that it used', async () => {
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
