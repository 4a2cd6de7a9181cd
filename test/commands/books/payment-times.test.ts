/** Times of payments as clients see them, each in its own unit. The engine uses milliseconds. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { NodeContext } from '../../../src/commands/context.ts';
import { attemptData } from '../../../src/commands/payments/books/attempt-json.ts';
import {
  payJson,
  payStatusJson,
  preciseTime,
  sendpayJson,
  wholeSeconds,
} from '../../../src/commands/payments/books/payment-json.ts';
import { waitsendpay } from '../../../src/commands/payments/waitsendpay.ts';
import { msat } from '../../../src/model/msat.ts';
import type { Attempt, Payment } from '../../../src/payments/payment.ts';
import { L3 } from '../../payments/line-graph.ts';
import { keysendRequest } from '../../payments/simulation/simulated-node.ts';

/** 2026-02-03T04:05:06.789Z. */
const BEGUN_MS = 1_770_091_506_789;

const attempt: Attempt = {
  id: 'a1',
  createdIndex: 1,
  partId: 0,
  path: [],
  amountMsat: msat(1_000),
  amountSentMsat: msat(1_001),
  probabilityPpm: 1,
  height: 1,
  partOfSeveral: false,
  sessionKey: new Uint8Array(32),
  createdAtMs: BEGUN_MS,
  status: 'settled',
  completedAtMs: BEGUN_MS + 2_500,
  updatedIndex: 1,
  failure: undefined,
  learned: [],
};
const payment: Payment = {
  id: 'p1',
  createdIndex: 1,
  request: keysendRequest(L3),
  paymentHash: new Uint8Array(32),
  preimage: new Uint8Array(32),
  groupId: 0n,
  paymentSecret: undefined,
  totalMsat: msat(1_000),
  createdAtMs: BEGUN_MS,
  attempts: [attempt],
  status: 'complete',
  completedAtMs: BEGUN_MS + 2_500,
  failure: undefined,
};

test('keysend: seconds with nine decimals', () => {
  expect(preciseTime(BEGUN_MS).text).toBe('1770091506.789000000');
  expect(preciseTime(1_770_091_506_007.9).text).toBe('1770091506.007000000');
});

test('lists: whole seconds, rounded down', () => {
  expect([wholeSeconds(1_999), wholeSeconds(2_000)]).toEqual([1, 2]);
  const times = { created_at: 1_770_091_506, completed_at: 1_770_091_509 };
  expect(sendpayJson(payment, attempt)).toMatchObject(times);
  expect(payJson(payment)).toMatchObject(times);
});

test('errors: seconds with a fraction', () => {
  expect(attemptData(attempt)).toMatchObject({
    created_at: 1_770_091_506.789,
    completed_at: 1_770_091_509.289,
  });
});

test('paystatus: ISO 8601, and the age in seconds', () => {
  expect(payStatusJson(payment, BEGUN_MS + 90_500)).toMatchObject({
    attempts: [
      { start_time: '2026-02-03T04:05:06.789Z', end_time: '2026-02-03T04:05:09.289Z', age_in_seconds: 90 },
    ],
  });
});

describe('waitsendpay: the timeout counts seconds', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  /** An attempt whose HTLC stays in flight: no outcome ever comes. */
  const silent = {
    payments: {
      journal: { written: () => Promise.resolve() },
      live: () => [{ ...payment, status: 'pending', attempts: [{ ...attempt, status: 'sent' }] }],
      nextChange: () => new Promise(() => undefined),
    },
  } as unknown as NodeContext;

  const FORTNIGHT_S = 14 * 24 * 3_600;

  test.each([
    [1, 1],
    [60, 60],
    // A wait can last at most as long as an HTLC can be locked.
    [undefined, FORTNIGHT_S],
    [2 ** 32 - 1, FORTNIGHT_S],
  ])('of %s s: %i s', async (timeout, seconds) => {
    let error: unknown;
    const params = { payment_hash: '00'.repeat(32), timeout, partid: 0n, groupid: undefined };
    const waiting = Promise.resolve(waitsendpay.handler(params, silent, undefined as never)).catch(
      (reason) => {
        error = reason;
      },
    );
    await vi.advanceTimersByTimeAsync(seconds * 1_000 - 1);
    expect(error).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    await waiting;
    expect(error).toMatchObject({ code: 200, message: 'Timed out while waiting' });
  });
});
