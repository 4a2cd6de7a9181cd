/**
 * Payments of static invoices, which wait until their recipient comes online, in virtual time. The
 * recipient's path is real; the test decides whether the recipient is online.
 *
 *     us ── L2 ── L3 ── L4
 */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { toHex } from '../../src/bolt/bytes.ts';
import { sha256 } from '../../src/bolt/crypto/hashes.ts';
import { failureInWords } from '../../src/commands/payments/failure-words.ts';
import { snapshotNodePrivateKey } from '../../src/gossip/node-keys.ts';
import { deferred } from '../../src/model/deferred.ts';
import type { OutgoingHtlc } from '../../src/network/port.ts';
import type { Payment, PaymentRequest } from '../../src/payments/payment.ts';
import { hopsThatFit } from '../../src/payments/plan/recipient.ts';
import { collected } from '../collected.ts';
import { until } from '../until.ts';
import { blindedRequest } from './blinded-invoice.ts';
import { L4, lineNode } from './line-graph.ts';
import { type SimulatedNode, turn } from './simulation/simulated-node.ts';

const INVOICE_REQUEST = new Uint8Array(300).fill(7);

interface Asked {
  readonly timeoutMs: number;
  readonly release: () => void;
  /** The payments that were on disk when the release was requested. */
  readonly stored: Promise<Payment[]>;
  isEnded: boolean;
}

let node: SimulatedNode;
let asked: Asked[];
let sent: OutgoingHtlc[];
let isReached = true;
beforeEach(() => {
  asked = [];
  isReached = true;
  node = lineNode({
    engine: {
      requestRelease: (_invoice, timeoutMs) => {
        const { promise, resolve } = deferred();
        const stored = collected(node.payments.journal.payments());
        const one: Asked = { timeoutMs, release: resolve, stored, isEnded: false };
        asked.push(one);
        return {
          released: promise,
          isAsked: () => isReached,
          end: () => {
            one.isEnded = true;
          },
        };
      },
    },
  });
  watch();
});
afterEach(() => node.destroy());

/** Records every HTLC of the running process. */
function watch(): void {
  sent = [];
  const { port } = node;
  const send = port.send.bind(port);
  port.send = (htlc) => {
    sent.push(htlc);
    return send(htlc);
  };
}

/** @param number determines the preimage */
function heldRequest(number: number, more: Partial<PaymentRequest> = {}): PaymentRequest {
  const { height, nowMs } = node.simulation;
  const request = blindedRequest({
    ...{ graph: node.graph, recipient: L4, secretKey: snapshotNodePrivateKey(node.graph.nodeIndex(L4)) },
    ...{ amountMsat: 1_000_000n, height, nowMs, number, plans: [{ hops: 1, dummies: 0 }] },
  });
  const preimage = new Uint8Array(32).fill(number);
  const held = { preimage, invoiceRequest: INVOICE_REQUEST };
  return { ...request, ...more, invoice: { ...request.invoice!, paymentHash: sha256(preimage), held } };
}

async function untilAsked(count = 1): Promise<void> {
  await until(() => asked.length >= count);
  await turn();
}

test('a held payment sends nothing before its release, and is on disk with its preimage before it requests the release', async () => {
  const paid = node.payments.pay(heldRequest(1));
  await untilAsked();
  const [stored] = await asked[0]!.stored;
  expect([stored!.status, stored!.attempts, stored!.preimage?.[0]]).toEqual(['pending', [], 1]);
  expect(asked[0]!.timeoutMs).toBe(60_000);
  for (let turns = 0; turns < 50; turns++) await turn();
  expect(sent).toEqual([]);
  asked[0]!.release();
  asked[0]!.release();
  const payment = await node.until(paid);
  // The simulated recipient does not know static invoices, so every attempt fails there. All attempts have
  // the same hash and content.
  expect(sent.length).toBe(payment.attempts.length);
  expect(sent.length).toBeGreaterThan(0);
  for (const { paymentHash, finalPayload, invoice, preimage } of sent) {
    expect(paymentHash).toEqual(sha256(preimage!));
    expect(invoice).toBeUndefined();
    expect(finalPayload).toEqual({
      totalAmountMsat: 1_000_000n,
      keysendPreimage: new Uint8Array(32).fill(1),
      customRecords: [{ type: 77_777n, value: INVOICE_REQUEST }],
    });
  }
  expect(asked).toMatchObject([{ isEnded: true }]);
  expect(node.timersSet).toBe(0);
});

test('a held payment fails at its deadline with a specific error and frees its key, and a late release has no effect', async () => {
  const keyed = { idempotencyKey: 'mine', retryForS: 30 };
  const payment = await node.pay(heldRequest(1, keyed));
  expect([payment.status, payment.attempts]).toEqual(['failed', []]);
  expect(failureInWords(payment)).toMatchObject({
    error: 'recipientOffline',
    message: expect.stringMatching(
      /did not come online and release the payment within 30 seconds.*Nothing was paid$/,
    ),
  });
  asked[0]!.release();
  for (let turns = 0; turns < 20; turns++) await turn();
  const again = node.payments.pay(heldRequest(2, keyed));
  await untilAsked(2);
  expect(sent).toEqual([]);
  asked[1]!.release();
  expect((await node.until(again)).id).not.toBe(payment.id);
  const hashes = new Set(sent.map(({ paymentHash }) => toHex(paymentHash)));
  expect(hashes).toEqual(new Set([toHex(sha256(new Uint8Array(32).fill(2)))]));
});

test('a held payment reports that the server of the recipient was never reached', async () => {
  isReached = false;
  const payment = await node.pay(heldRequest(1, { retryForS: 5 }));
  expect(failureInWords(payment)).toMatchObject({
    error: 'recipientOffline',
    message: expect.stringMatching(/^No message reached the recipient's server within 5 seconds/),
    data: { asked: false },
  });
});

test('a held payment has failed after a restart: nothing was sent or will be, and its key is free', async () => {
  node.payments.pay(heldRequest(1, { idempotencyKey: 'mine' })).catch(() => undefined);
  await untilAsked();
  await node.crash();
  const before = asked[0]!;
  await node.open();
  watch();
  before.release();
  while ([...node.payments.live()].length > 0) await node.pass();
  const [payment] = await collected(node.payments.journal.payments());
  expect([payment!.status, payment!.attempts]).toEqual(['failed', []]);
  expect(failureInWords(payment!)?.message).toMatch(/service was stopped during this payment/);
  expect([sent, asked.length]).toEqual([[], 1]);
  void node.payments.pay(heldRequest(2, { idempotencyKey: 'mine' })).catch(() => undefined);
  await untilAsked(2);
});

test('a held payment ends when the service closes, and the caller gets that reason', async () => {
  const paid = node.payments.pay(heldRequest(1));
  const refused = expect(paid).rejects.toMatchObject({ name: 'shuttingDown' });
  await untilAsked();
  await node.payments.close();
  await refused;
  for (let turns = 0; turns < 20; turns++) await turn();
  expect(asked[0]!.isEnded).toBe(true);
  expect(sent).toEqual([]);
});

test('each of fifty held payments is sent only after its own release', async () => {
  const paid = Array.from({ length: 50 }, (_, n) => node.payments.pay(heldRequest(n + 1, { retryForS: 60 })));
  await untilAsked(50);
  for (const at of [3, 20, 49]) asked[at]!.release();
  const payments = await node.until(Promise.all(paid));
  const hashes = new Set(sent.map(({ paymentHash }) => Buffer.from(paymentHash).toString('hex')));
  expect(hashes.size).toBe(3);
  expect(payments.filter(({ attempts }) => attempts.length > 0)).toHaveLength(3);
});

test('a held payment has room for fewer hops in its onion, and is refused if its request leaves none', () => {
  const request = heldRequest(1);
  const held = request.invoice!.held!;
  const withRequestOf = (bytes: number): PaymentRequest => ({
    ...request,
    invoice: { ...request.invoice!, held: { ...held, invoiceRequest: new Uint8Array(bytes) } },
  });
  const { held: _, ...plain } = request.invoice!;
  expect(hopsThatFit(request, false)).toBeLessThan(hopsThatFit({ ...request, invoice: plain }, false));
  expect(() => hopsThatFit(withRequestOf(1_200), false)).toThrow('payloadTooLarge');
});
