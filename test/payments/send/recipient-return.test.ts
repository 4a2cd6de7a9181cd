/**
 * Payments while the only channel to the recipient is disabled in gossip, in virtual time:
 *
 *     we ──5,000,000 sat── L2 ──1,000,000 sat── L3 ──1,000,000 sat── L4
 */
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Payment, PaymentRequest } from '../../../src/payments/payment.ts';
import { RETURN_MS } from '../../../src/payments/send/channel-return.ts';
import { RECENTLY_S } from '../../../src/payments/send/recipient-return.ts';
import { L3, L3_L4, L4, leaving, lineNode, TERMS } from '../line-graph.ts';
import { keysendRequest, type SimulatedNode } from '../simulation/simulated-node.ts';

let node: SimulatedNode;
beforeEach(() => {
  node = lineNode();
});
afterEach(() => node.destroy());

/** Applies an update of L3 for its channel to L4 that is `agoS` seconds old. */
function update(enabled: boolean, agoS: number): void {
  const channel = node.graph.channelIndex(L3_L4);
  const { direction } = leaving(L3, L4, L3_L4);
  const timestamp = Math.floor(node.nowMs() / 1000) - agoS;
  node.graph.setPolicy(channel, direction, { ...TERMS, enabled, timestamp } as never);
  node.republish();
}

/** The outcome of a payment to L4, and the milliseconds that it took. */
async function paid(more: Partial<PaymentRequest> = {}): Promise<[Payment, number]> {
  const beganMs = node.nowMs();
  const payment = await node.pay(keysendRequest(L4, { useShadow: false, retryForS: 60, ...more }));
  return [payment, node.nowMs() - beganMs];
}

test('a payment waits for a channel that was disabled recently, and uses it once it is enabled', async () => {
  update(false, RECENTLY_S - 1);
  node.after(5_000, () => update(true, 0));
  const [payment, tookMs] = await paid();
  expect(payment).toMatchObject({ status: 'complete', attempts: [{ status: 'settled' }] });
  expect(tookMs).toBeLessThan(10_000);
});

test('a payment waits at most half a minute', async () => {
  update(false, 0);
  const [payment, tookMs] = await paid();
  expect(payment).toMatchObject({ status: 'failed', failure: { obstacle: 'noRoute' }, attempts: [] });
  expect(tookMs).toBe(RETURN_MS);
});

test.each([0, 3])('a payment with retry_for %i does not wait longer', async (retryForS) => {
  update(false, 0);
  const [payment, tookMs] = await paid({ retryForS });
  expect([payment.status, tookMs]).toEqual(['failed', 1_000 * retryForS]);
});

test('a payment does not wait for a channel that was disabled long ago', async () => {
  update(false, RECENTLY_S);
  const [payment, tookMs] = await paid();
  expect([payment.status, tookMs]).toEqual(['failed', 0]);
});
