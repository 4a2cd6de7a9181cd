/**
 * A payment with an unknown outcome is never reported as failed: while its HTLC is in flight, when the
 * service stops, and when a defect ends its run.
 *
 *     us ── L2 ── L3 ── L4        time is stopped, so HTLCs stay in flight
 */
import { afterEach, expect, test, vi } from 'vitest';
import { ERRORS } from '../../../src/model/errors.ts';
import { msat } from '../../../src/model/msat.ts';
import type { PlannedMove } from '../../../src/payments/plan/rebalance.ts';
import { LivePayment } from '../../../src/payments/send/live-payment.ts';
import { carryOut } from '../../../src/payments/send/rebalance-run.ts';
import { L3, L4 } from '../../payments/line-graph.ts';
import { nodePerTest } from '../payment-fixture.ts';
import type { PaymentNode } from '../payment-node.ts';

let node: PaymentNode;
nodePerTest((started) => {
  node = started;
});
afterEach(() => vi.restoreAllMocks());

const PATIENCE = { timeout: 60_000, interval: 5 };
const keysend = { destination: L3, amount_msat: 1000, dev_use_shadow: false };
const invoice = async (): Promise<string> =>
  (await node.result('simulatedinvoice', { id: L4, amount_msat: 1000 })).bolt11;

/** Begins a payment on a new connection, and waits until its attempt is in the journal. */
async function begin(method: string, params: object): Promise<{ readonly answer: Promise<Answer> }> {
  node.isHeld = true;
  const client = node.client();
  const asked = client.ask(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
  const isSent = (): boolean => [...node.node.payments.live()].some(({ attempts }) => attempts.length > 0);
  await expect.poll(isSent, PATIENCE).toBe(true);
  const answer = asked.then((text) => {
    client.close();
    return JSON.parse(text!) as Answer;
  });
  return { answer };
}

interface Answer {
  readonly result?: { readonly status?: string };
  readonly error?: { readonly code: number; readonly data: object };
}

test('a payment in flight is pending in every list and both books', async () => {
  const { answer } = await begin('keysend', { ...keysend, idempotency_key: 'k' });
  const [{ payment_hash }] = (await node.result('listsendpays')).payments;
  const states = async (): Promise<string[]> => [
    (await node.result('listpays')).pays[0].status,
    (await node.result('listsendpays')).payments[0].status,
    (await node.result('paystatus')).pay[0].status,
    (await node.result('getpayment', { payment_hash })).payments[0].status,
    (await node.result('listpayments')).payments[0].status,
  ];
  expect(await states()).toEqual(Array(5).fill('pending'));
  const ledger = await node.result('ledger');
  expect([ledger.paid_msat, ledger.in_flight_msat]).toEqual([0, 1001]);
  const books = await node.result('reconcile', { csv: 'key,amount_msat\nk,1000\n' });
  expect(books).toMatchObject({ failed: { count: 0 }, pending: { count: 1 }, unexplained_msat: 0 });
  expect(books.open).toMatchObject([{ payment_hash }]);
  expect(books.differences).toMatchObject([{ kind: 'still_pending' }]);
  expect((await node.error('waitsendpay', { payment_hash, timeout: 0 })).code).toBe(ERRORS.waitTimedOut.code);
  node.isHeld = false;
  expect((await answer).result?.status).toBe('complete');
  expect(await states()).toEqual(Array(5).fill('complete'));
});

test.each([
  ['keysend', async () => keysend],
  ['xkeysend', async () => keysend],
  ['xpay', async () => ({ invstring: await invoice() })],
  ['pay', async () => ({ bolt11: await invoice() })],
])('when the service stops, %s reports that the outcome is not known yet', async (method, params) => {
  const { answer } = await begin(method, { ...(await params()), idempotency_key: 'mine' });
  const [{ paymentHash } = { paymentHash: new Uint8Array(0) }] = [...node.node.payments.live()];
  await node.node.payments.close();
  const payment_hash = Buffer.from(paymentHash).toString('hex');
  expect((await answer).error).toMatchObject({
    code: ERRORS.shuttingDown.code,
    data: { status: 'pending', payment_hash, idempotency_key: 'mine' },
  });
  // Payments that never started have a separate error.
  const later = await node.error('keysend', keysend);
  expect([later.code, later.data?.status]).toEqual([ERRORS.shuttingDown.code, undefined]);
});

test('when a defect ends the run of a payment, its outcome is not known', async () => {
  const { run } = LivePayment.prototype;
  vi.spyOn(LivePayment.prototype, 'run').mockImplementation(async function (this: LivePayment) {
    void run.call(this);
    await vi.waitFor(() => expect(this.payment.attempts).toHaveLength(1), PATIENCE);
    throw new Error('a defect');
  });
  node.isHeld = true;
  const { code, data } = await node.error('keysend', keysend);
  expect([code, data.status]).toEqual([ERRORS.internal.code, 'pending']);
});

test('a rebalancing part with unknown outcome is not retried', async () => {
  const move = { out: 1n, in: 2n, amountMsat: msat(8000n), feeMsat: msat(1n) } as unknown as PlannedMove;
  const limits = { maxfeeMsat: msat(100n), maxfeePpm: 10_000, mostMsat: undefined, leastMsat: msat(1000n) };
  const moved = async (isOpen: boolean): Promise<bigint[]> => {
    const sent: bigint[] = [];
    await carryOut([move], limits, async ({ amountMsat }) => {
      sent.push(amountMsat);
      return { amountMsat: 0n, feeMsat: 0n, isOpen };
    });
    return sent;
  };
  expect(await moved(false)).toEqual([8000n, 4000n, 2000n, 1000n]);
  expect(await moved(true)).toEqual([8000n]);
});
