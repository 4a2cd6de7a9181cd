/**
 * The units of all times in a payment: `retry_for` in seconds, pauses in milliseconds, the age of lessons in
 * seconds, expiries in blocks. Time is virtual, so an hour passes at once.
 */
import { afterEach, describe, expect, test, vi } from 'vitest';
import { failureInWords } from '../../src/commands/payments/failure-words.ts';
import { msatFromSat } from '../../src/model/msat.ts';
import type { OutgoingHtlc } from '../../src/network/port.ts';
import { SHARED_LAYER } from '../../src/payments/learn/learning.ts';
import type { PaymentKind } from '../../src/payments/payment.ts';
import { L2, L3, lineNode } from './line-graph.ts';
import { keysendRequest, type SimulatedNode } from './simulation/simulated-node.ts';

let node: SimulatedNode;
afterEach(() => node.destroy());

const toL3 = (more: object = {}) => keysendRequest(L3, { useShadow: false, ...more });
const advanceTo = (atMs: number): Promise<void> =>
  node.until(new Promise((resolve) => void node.after(atMs - node.nowMs(), resolve)));

/**
 * L3 is 60 blocks ahead of us. Until we have seen those blocks too, it refuses our HTLCs because they expire
 * too early.
 */
describe('retry_for counts seconds', () => {
  const start = (): void => {
    node = lineNode();
    node.simulation.setHeightOffset(L3, 60);
  };

  test.each<[PaymentKind, number]>([
    ['keysend', 1],
    ['keysend', 60],
    ['keysend', 3_600],
    ['xkeysend', 60],
  ])('for %s: the last attempt and the end come %i s after the request', async (kind, retryForS) => {
    start();
    const { status, createdAtMs, completedAtMs, attempts } = await node.pay(toL3({ kind, retryForS }));
    expect([status, attempts.length]).toEqual(['failed', 1]);
    const tookMs = completedAtMs! - createdAtMs;
    expect(tookMs).toBeGreaterThanOrEqual(retryForS * 1_000);
    // The round trip of the attempt takes some more time.
    expect(tookMs).toBeLessThan((retryForS + 1) * 1_000);
  });

  test('and 0 means one attempt without a pause', async () => {
    start();
    const { createdAtMs, completedAtMs, attempts } = await node.pay(toL3({ retryForS: 0 }));
    expect(attempts).toHaveLength(1);
    expect(completedAtMs! - createdAtMs).toBeLessThan(1_000);
  });

  test.each([
    [58_500, 'complete', 2],
    [60_500, 'failed', 1],
  ])('if blocks arrive after %i of 60,000 ms: %s', async (afterMs, status, attempts) => {
    start();
    node.after(afterMs, () => {
      node.simulation.setHeightOffset(L3, 0);
      node.simulation.setHeight(1_060);
    });
    const payment = await node.pay(toL3({ retryForS: 60 }));
    expect([payment.status, payment.attempts.length]).toEqual([status, attempts]);
    if (attempts === 1) {
      expect(failureInWords(payment)).toMatchObject({
        message: expect.stringContaining('the recipient is at block height 1060, but we are at 1000'),
        data: { recipient_height: 1_060, own_height: 1_000 },
      });
      return;
    }
    const waitedMs = payment.attempts[1]!.createdAtMs - payment.createdAtMs - afterMs;
    expect(waitedMs).toBeGreaterThanOrEqual(0);
    expect(waitedMs).toBeLessThanOrEqual(1_000);
  });

  test('while waiting for a block, which does not poll, and ends with a block or with retry_for', async () => {
    start();
    const after = vi.spyOn(node, 'after');
    const { createdAtMs, completedAtMs } = await node.pay(toL3({ retryForS: 5 }));
    expect(after.mock.calls).toHaveLength(1);
    expect(completedAtMs! - createdAtMs).toBe(5_000);
  });
});

test('a silent network is queried again after 1 s, 2 s, 4 s … and finally every minute', async () => {
  node = lineNode();
  const { port } = node;
  const asked: number[] = [];
  const [send, outcomes] = [port.send.bind(port), port.outcomes.bind(port)];
  port.send = () => Promise.reject(new Error('no answer'));
  port.outcomes = (keys) => {
    asked.push(node.nowMs());
    if (asked.length < 10) return Promise.reject(new Error('no answer'));
    port.send = send;
    return outcomes(keys);
  };
  const { status, attempts, createdAtMs, completedAtMs } = await node.pay(toL3({ retryForS: 60 }));
  const pauses = asked.slice(1).map((atMs, index) => atMs - asked[index]!);
  expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60].map((seconds) => seconds * 1_000));
  // A payment that may be in flight is not abandoned at the end of `retry_for`. The same attempt is sent
  // again and settles.
  expect([status, attempts.length]).toEqual(['complete', 1]);
  expect(completedAtMs! - createdAtMs).toBeGreaterThanOrEqual(243_000);
});

test('lessons are forgotten after an hour, checked once per minute', async () => {
  node = lineNode();
  const records = () => node.book.layer(SHARED_LAYER)!.records.length;
  // 600,000 sat exceed the balance of L2 towards L3.
  await node.pay(toL3({ amountMsat: msatFromSat(600_000), maxfeeMsat: msatFromSat(10_000) }));
  const [record] = node.book.layer(SHARED_LAYER)!.records;
  expect([records(), record!.timestamp]).toEqual([1, Math.floor(node.nowMs() / 1_000)]);
  // Payments to a direct peer yield no lessons.
  const recordsAfter = async (seconds: number): Promise<number> => {
    await advanceTo((record!.timestamp + seconds) * 1_000);
    await node.pay(keysendRequest(L2));
    return records();
  };
  expect(await recordsAfter(3_600)).toBe(1);
  expect(await recordsAfter(3_659)).toBe(1);
  expect(await recordsAfter(3_661)).toBe(0);
});

test('expiries count blocks: the height, plus one block that may be found meanwhile, plus the delay', async () => {
  node = lineNode();
  const { port } = node;
  const sent: OutgoingHtlc[] = [];
  const send = port.send.bind(port);
  port.send = (htlc) => {
    sent.push(htlc);
    return send(htlc);
  };
  await node.pay(toL3());
  node.simulation.setHeight(1_007);
  await node.pay(toL3());
  await node.pay(keysendRequest(L2));
  // 42 blocks for the recipient, 6 for L2.
  expect(sent.map(({ path }) => path[0]!.cltvExpiry)).toEqual([
    1_000 + 1 + 48,
    1_007 + 1 + 48,
    1_007 + 1 + 42,
  ]);
});

test('maxdelay counts blocks, including the recipient’s 42', async () => {
  node = lineNode();
  expect((await node.pay(toL3({ maxdelay: 48 }))).status).toBe('complete');
  expect(failureInWords(await node.pay(toL3({ maxdelay: 47 })))).toMatchObject({
    error: 'routeTooExpensive',
    data: { delay: 48, maxdelay: 47 },
  });
});
