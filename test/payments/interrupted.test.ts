/**
 * A payment that was in progress when the process ended. After a restart, its attempts reach their outcomes
 * with the same HTLCs under the same ids. Only a payment with an idempotency key makes further attempts.
 * Virtual time, on this line:
 *
 *     we ── L1 ── L2 ── L3            L2 has 500,000 sat towards L3
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { failureInWords } from '../../src/commands/payments/failure-words.ts';
import { msatFromSat } from '../../src/model/msat.ts';
import type { Attempt, Payment, PaymentRequest } from '../../src/payments/payment.ts';
import { collected } from '../collected.ts';
import { until } from '../until.ts';
import { fanNode, R, setTowardsR } from './fan-graph.ts';
import { L3, lineNode } from './line-graph.ts';
import { keysendRequest, type SimulatedNode, turn } from './simulation/simulated-node.ts';

let node: SimulatedNode;
beforeEach(() => {
  node = lineNode();
});
afterEach(() => node.destroy());

/**
 * Begins a payment, and ends the process as soon as its attempt is on disk. With `leaves`, the process ends
 * only once the network also has the attempt.
 */
async function killedWhilePaying(amountSat: number, leaves: boolean): Promise<void> {
  const { port } = node;
  const send = port.send.bind(port);
  let isSent = false;
  port.send = (htlc) => {
    isSent = true;
    return leaves ? send(htlc) : new Promise(() => undefined);
  };
  const amountMsat = msatFromSat(amountSat);
  node.payments
    .pay(keysendRequest(L3, { amountMsat, maxfeeMsat: msatFromSat(10_000), useShadow: false }))
    .catch(() => undefined);
  await until(() => isSent);
  await turn();
  await node.crash();
}

async function afterRestart(): Promise<Payment> {
  await node.open();
  return atRest();
}

async function atRest(): Promise<Payment> {
  while ([...node.payments.live()].length > 0) await node.pass();
  await node.store.payments.durable();
  const [payment] = await collected(node.payments.journal.payments());
  return payment!;
}

test('a payment whose HTLC was in flight settles, and is paid once', async () => {
  await killedWhilePaying(1_000, true);
  const payment = await afterRestart();
  expect([payment.status, payment.attempts.length]).toEqual(['complete', 1]);
  expect(node.simulation.stats().repeatedPayments).toBe(0);
});

test('a payment whose HTLC had not left sends the same attempt after the restart, and settles', async () => {
  await killedWhilePaying(1_000, false);
  expect(node.simulation.stats().pendingAttempts).toBe(0);
  const payment = await afterRestart();
  expect([payment.status, payment.attempts.map(({ status }) => status)]).toEqual(['complete', ['settled']]);
  expect(node.simulation.stats().repeatedPayments).toBe(0);
});

test.each([true, false])(
  'a payment whose HTLC fails makes no further attempt, and reports the reason (HTLC had left: %s)',
  async (leaves) => {
    await killedWhilePaying(600_000, leaves);
    const payment = await afterRestart();
    expect([payment.status, payment.attempts.map(({ status }) => status)]).toEqual(['failed', ['failed']]);
    expect(failureInWords(payment)).toMatchObject({
      error: 'unspecified',
      message: 'The service was stopped during this payment and did not resume it',
    });
    expect([...node.book.reservations()]).toEqual([]);
  },
);

describe('a payment in parts', () => {
  const asked = keysendRequest(R, {
    ...{
      kind: 'xkeysend',
      amountMsat: msatFromSat(800_000),
      maxfeeMsat: msatFromSat(1_000),
      useShadow: false,
    },
    idempotencyKey: 'a key',
  });
  beforeEach(async () => {
    await node.destroy();
    node = fanNode();
  });

  /** Ends the process as soon as all parts have left. One of them fails later. @returns the number of parts */
  async function killedBetweenParts(request: PaymentRequest): Promise<number> {
    node.payments.pay(request).catch(() => undefined);
    const sent = (): readonly Attempt[] => [...node.payments.live()][0]?.attempts ?? [];
    await until(() => node.simulation.stats().pendingAttempts > 0);
    const { length } = sent();
    expect([length > 1, node.simulation.stats().pendingAttempts]).toEqual([true, length]);
    setTowardsR(node, sent()[0]!.path[0]!.nodeIdOut, 0n);
    await node.crash();
    return length;
  }

  test('with a key: the failed part is sent again over other peers, and the payment completes', async () => {
    const parts = await killedBetweenParts(asked);
    await node.open();
    const repeated = await node.pay(asked);
    const payment = await atRest();
    expect([repeated.id, payment.status]).toEqual([payment.id, 'complete']);
    const { attempts } = payment;
    const settled = attempts.filter(({ status }) => status === 'settled');
    expect(attempts.length - settled.length).toBeGreaterThan(0);
    expect(attempts.length).toBeGreaterThan(parts);
    expect(settled.reduce((sum, { amountMsat }) => sum + amountMsat, 0n)).toBe(asked.amountMsat);
    expect(attempts.map(({ partId }) => partId)).toEqual(attempts.map((_, at) => at + 1));
    expect(node.simulation.stats().repeatedPayments).toBe(0);
    expect([...node.book.reservations()]).toEqual([]);
    expect([...node.book.layers()].map(({ name }) => name)).toEqual(['xpay']);
  });

  test.each<[string, Partial<PaymentRequest>]>([
    ['without a key', { idempotencyKey: undefined }],
    ['with a layer that is gone', { layers: ['mine'] }],
    ['after its time', { retryForS: 1 }],
  ])('%s: no further attempt is made', async (_, more) => {
    node.book.createLayer('mine', false);
    const parts = await killedBetweenParts({ ...asked, ...more });
    if (more.retryForS !== undefined) node.simulation.advanceTo(node.nowMs() + 2_000);
    const payment = await afterRestart();
    expect([payment.status, payment.attempts.length]).toEqual(['failed', parts]);
    expect(payment.failure).toMatchObject({ obstacle: 'interrupted' });
  });
});
