/** Payments while the disk is full: no HTLC leaves, and afterwards nothing was paid twice or lost. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { failureInWords } from '../../src/commands/payments/failure-words.ts';
import { msatFromSat } from '../../src/model/msat.ts';
import type { Payment, PaymentRequest } from '../../src/payments/payment.ts';
import { collected } from '../collected.ts';
import { until } from '../until.ts';
import { L3, lineNode } from './line-graph.ts';
import { keysendRequest, type SimulatedNode, turn } from './simulation/simulated-node.ts';

let node: SimulatedNode;
let sent: number;

beforeEach(async () => {
  node = lineNode();
  await node.store.payments.durable();
  sent = 0;
  const send = node.port.send.bind(node.port);
  node.port.send = (htlc) => {
    sent++;
    return send(htlc);
  };
});
afterEach(async () => {
  vi.restoreAllMocks();
  await node.destroy();
});

/** Makes every transaction fail with SQLITE_FULL at its beginning. */
function fillDisk(): void {
  const full = Object.assign(new Error('database or disk is full'), { errcode: 13 });
  vi.spyOn(node.store.database, 'transaction').mockImplementation(() => {
    throw full;
  });
}

/** Waits some turns. Time need not pass, since no HTLC leaves while the disk is full. */
async function turnsUntil(promise: Promise<Payment>): Promise<Payment> {
  let settled = false;
  void promise.finally(() => {
    settled = true;
  });
  for (let turns = 0; !settled && turns < 10_000; turns++) await turn();
  return promise;
}

const stored = () => collected(node.payments.journal.payments());

test.each(['keysend', 'xkeysend'] as const)(
  'a repeated key of %s makes one payment with one answer, even before the first payment is on disk',
  async (kind) => {
    const request = keysendRequest(L3, { kind, idempotencyKey: 'rent' });
    fillDisk();
    const first = await turnsUntil(node.payments.pay(request));
    expect({ ...first, failure: failureInWords(first) }).toMatchObject({
      status: 'failed',
      failure: { error: 'storeFailed' },
    });
    const second = await turnsUntil(node.payments.pay(request));
    expect(second).toBe(first);
    vi.restoreAllMocks();
    // The disk has room again, so all waiting writes succeed.
    expect((await node.pay(keysendRequest(L3, { idempotencyKey: 'other' }))).status).toBe('complete');
    expect(
      (await stored()).map(({ request: { idempotencyKey }, status }) => [idempotencyKey, status]),
    ).toEqual([
      ['rent', 'failed'],
      ['other', 'complete'],
    ]);
    // No HTLC left for the first payment, so its key may be used again.
    expect(failureInWords(first)).toMatchObject({ data: { retry: true } });
    const again = await node.pay(request);
    expect(again.status).toBe('complete');
    expect(again.id).not.toBe(first.id);
    expect(await node.pay(request)).toMatchObject({ id: again.id, status: 'complete' });
    expect([(await stored()).length, sent]).toEqual([3, 2]);
  },
);

test('a payment that settles while the disk is full is listed as complete, and its key still gives its outcome', async () => {
  const request = keysendRequest(L3, { idempotencyKey: 'rent' });
  const paid = node.payments.pay(request);
  await until(() => sent > 0);
  fillDisk();
  while (!node.simulation.isIdle) {
    node.simulation.step();
    await turn();
  }
  const first = await turnsUntil(paid);
  expect(first.status).toBe('complete');
  await node.payments.journal.written();
  expect((await stored()).map(({ status }) => status)).toEqual(['complete']);
  const attempts = await collected(node.payments.journal.attempts({ by: 'created' }));
  expect(attempts.map(({ attempt }) => attempt.status)).toEqual(['settled']);
  expect(await turnsUntil(node.payments.pay(request))).toBe(first);
  vi.restoreAllMocks();
  node.store.committer.flush();
  expect(await stored()).toMatchObject([
    { id: first.id, status: 'complete', attempts: [{ status: 'settled' }] },
  ]);
  expect(await node.pay(request)).toMatchObject({ id: first.id, status: 'complete' });
  expect(sent).toBe(1);
});

/** Starts a payment whose only attempt fails while the disk is full, so that only its start is on disk. */
async function failingPayment(more: Partial<PaymentRequest>): Promise<{ isAnswered: boolean }> {
  // L2 has only 590,000 sat towards L3.
  const paid = node.payments.pay(keysendRequest(L3, { amountMsat: msatFromSat(700_000), ...more }));
  const answer = { isAnswered: false };
  paid.then(
    ({ status }) => {
      expect(status).toBe('failed');
      answer.isAnswered = true;
    },
    () => undefined,
  );
  await until(() => sent > 0);
  fillDisk();
  while (!node.simulation.isIdle) {
    node.simulation.step();
    await turn();
  }
  for (let turns = 0; turns < 1000; turns++) await turn();
  return answer;
}

test('a failure is reported only once it is on disk, if a restart would continue the payment', async () => {
  const answer = await failingPayment({ idempotencyKey: 'rent' });
  expect(answer.isAnswered).toBe(false);
  vi.restoreAllMocks();
  for (let passes = 0; !answer.isAnswered && passes < 1000; passes++) await node.pass();
  expect(answer.isAnswered).toBe(true);
  expect(await stored()).toMatchObject([{ status: 'failed' }]);
});

test('a failure is reported at once if a restart would not continue the payment', async () => {
  expect(await failingPayment({})).toEqual({ isAnswered: true });
});

test('an attempt that the database refuses never leaves, and other payments continue', async () => {
  const other = node.payments.pay(keysendRequest(L3, { idempotencyKey: 'other' }));
  // The row of a different payment, inserted without the engine's knowledge, with the key that our payment is
  // about to use.
  const row = {
    sql: `INSERT INTO payment (id, payment_hash, preimage, group_id, total_msat, request,
    idempotency_key, status, created_at) VALUES (999, x'00', x'00', 0, 0, x'00', '"rent"', 'failed', 0)`,
    parameters: [],
  };
  const rent = node.payments.pay(keysendRequest(L3, { idempotencyKey: 'rent' }));
  node.store.committer.write(row);
  const outcomes = await node.until(Promise.all([other, rent]));
  expect(outcomes.map(({ status }) => status)).toEqual(['complete', 'failed']);
  expect(failureInWords(outcomes[1]!)).toMatchObject({
    error: 'storeFailed',
    message: expect.stringContaining('UNIQUE'),
  });
  expect(sent).toBe(1);
});
