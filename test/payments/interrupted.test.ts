/**
 * A payment that was in progress when the process ended. After a restart the same HTLC under the same id
 * brings its attempts to their outcome, and no other HTLC is made. Virtual time, on this line:
 *
 *     we ── L1 ── L2 ── L3            L2 has 500,000 sat towards L3
 */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { failureInWords } from '../../src/commands/payments/failure-words.ts';
import { msatFromSat } from '../../src/model/msat.ts';
import type { Payment } from '../../src/payments/payment.ts';
import { collected } from '../collected.ts';
import { L3, lineNode } from './line-graph.ts';
import { keysendRequest, type SimulatedNode, turn } from './simulation/simulated-node.ts';

let node: SimulatedNode;
beforeEach(() => {
  node = lineNode();
});
afterEach(() => node.destroy());

/**
 * Begins a payment and ends the process as soon as its attempt is on disk. With `leaves`, the network already
 * has it by then.
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
  while (!isSent) await turn();
  await turn();
  await node.crash();
}

async function afterRestart(): Promise<Payment> {
  await node.open();
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
  'a payment whose HTLC fails makes no other attempt, and says why (HTLC had left: %s)',
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
