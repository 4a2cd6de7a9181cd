/** What is counted when an attempt ends. */
import { expect, test } from 'vitest';
import type { NodeEvent } from '../../src/events/index.ts';
import { NodeMetrics } from '../../src/metrics/index.ts';
import { readScrape } from './exposition.ts';

const settled = (kind: string, probabilityPpm: number) =>
  ({
    ...{ type: 'attempt', status: 'settled', payment: { kind }, path: [], failure: undefined },
    ...{ amountMsat: 1000n, amountSentMsat: 1001n, probabilityPpm },
  }) as unknown as NodeEvent;

test('a route given by the caller delivers, but says nothing about predictions', () => {
  const metrics = new NodeMetrics({ methods: [], transports: ['socket'] });
  metrics.note(settled('xpay', 900_000));
  metrics.note(settled('sendpay', 0));
  const { samples } = readScrape(metrics.families.map((family) => family.render()).join(''));
  const total = (wanted: string): number =>
    samples.filter(({ name }) => name === `fulgurite_${wanted}`).reduce((sum, { value }) => sum + value, 0);
  expect(total('payment_amount_msat_total')).toBe(2000);
  expect(total('payment_fee_msat_total')).toBe(2);
  expect(total('attempt_predicted_probability_count')).toBe(1);
  expect(total('attempt_predicted_probability_sum')).toBe(0.9);
});
