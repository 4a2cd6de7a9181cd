/**
 * A node of ours that falls silent with a part in flight, in virtual time: the node comes back after a day,
 * or never. Its part stays in flight and is paid at most once, and payments that need not wait for the node
 * are not delayed.
 */
import { expect, test } from 'vitest';
import { msat } from '../../src/model/msat.ts';
import type { Payment, PaymentRequest } from '../../src/payments/payment.ts';
import { keysendRequest, SimulatedNode } from './simulation/simulated-node.ts';
import { UnreliablePort } from './simulation/unreliable-port.ts';

const DAY_MS = 86_400_000;

interface World {
  readonly node: SimulatedNode;
  readonly ports: UnreliablePort[];
  /** Number of HTLCs that each node received. */
  readonly sent: number[];
}

function world(): World {
  const ports: UnreliablePort[] = [];
  const sent = [0, 0, 0];
  const node = new SimulatedNode({
    ...{ nodes: 100, ownNodes: 3 },
    simulation: { seed: 4, blockIntervalMs: 600_000 },
    wrap(below, at) {
      const port = new UnreliablePort(below, () => 0.99);
      port.onSend = () => void sent[at]!++;
      ports[at] = port;
      return port.port;
    },
  });
  return { node, ports, sent };
}

const request = ({ node }: World, from: number, more: Partial<PaymentRequest> = {}): PaymentRequest =>
  keysendRequest(node.destinations()[20 + from]!, {
    ...{ amountMsat: msat(5_000_000n), maxfeeMsat: msat(1_000_000n), ourNodes: [node.ownNodeIds[from]!] },
    ...more,
  });

/** Begins a payment over the second node, which falls silent as soon as it has the part. */
async function frozen(
  here: World,
): Promise<{ readonly isOver: () => boolean; readonly paid: Promise<Payment> }> {
  const { node, ports, sent } = here;
  let over = false;
  const paid = node.payments.pay(request(here, 1, { idempotencyKey: 'frozen', retryForS: 60 }));
  const note = (): void => {
    over = true;
  };
  paid.then(note, note);
  for (let passes = 0; sent[1] === 0; passes++) {
    if (passes > 10_000) throw new Error('no part leaves');
    await node.pass();
  }
  ports[1]!.stop();
  for (const own of node.nodes.list) node.nodes.set(own, {});
  return { isOver: () => over, paid };
}

async function passTime(node: SimulatedNode, ms: number): Promise<void> {
  const endMs = node.nowMs() + ms;
  for (let passes = 0; node.nowMs() < endMs; passes++) {
    if (passes > 1_000_000) throw new Error('time stands still');
    await node.pass();
  }
}

test('after a day, a node that comes back reports the outcome of its part', {
  timeout: 600_000,
}, async () => {
  const here = world();
  const { node, ports, sent } = here;
  const { isOver, paid } = await frozen(here);
  for (let n = 0; n < 5; n++) {
    const other = await node.pay(request(here, n % 2 === 0 ? 0 : 2));
    expect(other.status).toBe('complete');
    // This payment does not wait for the silent node: it takes only the time of its own HTLCs.
    expect(other.completedAtMs! - other.createdAtMs).toBeLessThanOrEqual(1_000 * other.attempts.length);
  }
  await passTime(node, DAY_MS);
  expect(isOver()).toBe(false);
  expect(sent[1]).toBe(1);
  ports[1]!.start();
  const payment = await node.until(paid);
  expect(payment.status).toBe('complete');
  expect(payment.attempts.map(({ status }) => status)).toEqual(['settled']);
  expect(sent[1]).toBe(1);
  expect(node.simulation.stats().repeatedPayments).toBe(0);
  await node.destroy();
});

test('the part of a node that never comes back stays in flight, across restarts, and is not sent again', {
  timeout: 600_000,
}, async () => {
  const here = world();
  const { node, ports, sent } = here;
  const { isOver } = await frozen(here);
  await passTime(node, 3 * DAY_MS);
  expect(isOver()).toBe(false);
  await node.crash();
  await node.open();
  ports[1]!.stop();
  for (const own of node.nodes.list) node.nodes.set(own, {});
  await passTime(node, 14 * DAY_MS);
  const [live] = [...node.payments.live()];
  expect(live?.status).toBe('pending');
  expect(live?.attempts.map(({ status }) => status)).toEqual(['sent']);
  expect(sent.reduce((sum, each) => sum + each, 0)).toBe(1);
  expect((await node.pay(request(here, 0))).status).toBe('complete');
  await node.destroy();
});
