/**
 * Payments while the peer of our only channel is away, in virtual time. The network is a test double with these channels:
 *
 *     we ──5,000,000 sat── L2 ──1,000,000 sat── L3
 */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FAILURES } from '../../../src/bolt/onion/failure.ts';
import type { HtlcOutcome } from '../../../src/network/port.ts';
import type { Payment, PaymentRequest } from '../../../src/payments/payment.ts';
import { RETURN_MS } from '../../../src/payments/send/channel-return.ts';
import { L3, lineNode } from '../line-graph.ts';
import { keysendRequest, type SimulatedNode } from '../simulation/simulated-node.ts';
import { PayingDouble } from './paying-double.ts';

const PREIMAGE = new Uint8Array(32).fill(7);

/** A network whose first peer may be away. */
class FlakyPeer extends PayingDouble {
  /** Refuses HTLCs, while the channel is still reported as usable. */
  refuses = false;
  sent = 0;

  protected override outcomeOf(): HtlcOutcome {
    this.sent++;
    const { code } = FAILURES.temporary_channel_failure;
    return this.refuses
      ? { status: 'refused', failureCode: code, reason: 'not ready', cause: 'peerAway' }
      : { status: 'settled', preimage: PREIMAGE };
  }

  setUsable(usable: boolean): void {
    this.setChannels(this.ownChannels().channels.map((channel) => ({ ...channel, usable })));
  }
}

let network: FlakyPeer;
let node: SimulatedNode;
beforeEach(() => {
  network = new FlakyPeer();
  node = lineNode({ engine: { network } });
  network.setChannels(node.simulation.ownChannels().channels);
});
afterEach(() => node.destroy());

const pay = (more: Partial<PaymentRequest> = {}): Promise<Payment> =>
  node.until(node.payments.pay(keysendRequest(L3, { useShadow: false, retryForS: 60, ...more })));

test('a payment without a usable channel waits until one is back', async () => {
  network.setUsable(false);
  const beganMs = node.nowMs();
  node.after(5_000, () => network.setUsable(true));
  expect(await pay()).toMatchObject({ status: 'complete', attempts: [{ status: 'settled' }] });
  expect(node.nowMs() - beganMs).toBeLessThan(6_000);
});

test('a refusal because of an absent peer is not a lesson about the balance', async () => {
  network.refuses = true;
  node.after(5_000, () => {
    network.refuses = false;
  });
  const payment = await pay();
  expect(payment.status).toBe('complete');
  expect(payment.attempts.length).toBeGreaterThan(1);
  const learned = payment.attempts.flatMap((attempt) => attempt.learned ?? []);
  expect(learned).not.toContainEqual(expect.objectContaining({ kind: 'refused' }));
  // The pauses between attempts double, so only a few attempts are made in vain.
  expect(network.sent).toBeLessThan(8);
});

test('a payment waits at most half a minute after the loss', async () => {
  network.setUsable(false);
  const beganMs = node.nowMs();
  expect(await pay()).toMatchObject({ status: 'failed', failure: { obstacle: 'noRoute' }, attempts: [] });
  expect(node.nowMs() - beganMs).toBe(RETURN_MS);
  // By now, the loss is no longer recent.
  expect(await pay()).toMatchObject({ status: 'failed', failure: { obstacle: 'noRoute' } });
  expect(node.nowMs() - beganMs).toBe(RETURN_MS);
});

test.each([0, 3])('a payment with retry_for %i does not wait longer', async (retryForS) => {
  network.setUsable(false);
  const beganMs = node.nowMs();
  expect(await pay({ retryForS })).toMatchObject({ status: 'failed', failure: { obstacle: 'noRoute' } });
  expect(node.nowMs() - beganMs).toBe(1_000 * retryForS);
});

test('a payment fails after few attempts if the channel refuses for longer', async () => {
  network.refuses = true;
  const payment = await pay();
  expect(payment.status).toBe('failed');
  expect(payment.attempts.at(-1)).toMatchObject({ failure: { notSent: { cause: 'peerAway' } } });
  expect(network.sent).toBeLessThan(10);
});
