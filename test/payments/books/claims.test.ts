/** What a payment holds so that nothing is paid twice: its idempotency key and its invoice, and until when. */
import { expect, test } from 'vitest';
import { IdempotencyKeys, isKeyFree } from '../../../src/payments/books/idempotency-keys.ts';
import { InvoiceGuard, InvoiceTaken } from '../../../src/payments/books/invoice-guard.ts';
import type { EarlierPayments, Journal } from '../../../src/payments/books/journal.ts';
import { PaymentClaims } from '../../../src/payments/books/payment-claims.ts';
import type { Payment } from '../../../src/payments/payment.ts';
import type { LivePayment } from '../../../src/payments/send/live-payment.ts';

const HASH = new Uint8Array(32);
const liveOf = (status: Payment['status'] = 'pending', request: object = {}): LivePayment =>
  ({ payment: { status, paymentHash: HASH, attempts: [], request } }) as unknown as LivePayment;

test.each([
  ['complete', [], undefined, false],
  ['failed', ['refused'], 'storeFailed', true],
  ['failed', ['refused', 'refused'], 'storeFailed', true],
  // One of the attempts may have left.
  ['failed', ['refused', 'byNode'], 'storeFailed', false],
  ['failed', ['refused'], 'routeNotFound', false],
  ['failed', [], 'held', true],
  ['failed', ['byNode'], 'held', false],
])(
  'the key of a payment that is %s, with attempts %j, for reason %s: free %s',
  (status, attempts, why, isFree) => {
    const payment = {
      status,
      failure: { noPlan: { kind: 'refused', error: why } },
      attempts: attempts.map((kind) => ({ status: 'failed', failure: { notSent: { kind } } })),
      request: { invoice: why === 'held' ? { held: {} } : undefined },
    };
    expect(isKeyFree(payment as unknown as Payment)).toBe(isFree);
  },
);

test('a key is free again if its payment could not begin, and is released only by its own payment', async () => {
  const keys = new IdempotencyKeys(async () => undefined);
  const failing = keys.claim('k', () => {
    throw new Error('no');
  });
  await expect(failing).rejects.toThrow('no');
  expect(keys.holderOf('k')).toBeUndefined();
  const [live, other] = [liveOf(), liveOf()];
  await keys.claim('k', () => live);
  keys.release('k', other);
  expect(keys.holderOf('k')).toBeDefined();
  keys.release('k', live);
  expect(keys.holderOf('k')).toBeUndefined();
});

test('what a payment holds is released once its row is in the store', async () => {
  const waiting: (() => void)[] = [];
  const journal = {
    paymentOfKey: async () => undefined,
    spentKey: async () => undefined,
    whenWritten: (callback: () => void) => waiting.push(callback),
  } as unknown as Journal;
  const claims = new PaymentClaims(journal);
  const live = liveOf('complete', { idempotencyKey: 'k' });
  await claims.claimKey('k', () => live);
  claims.ended(live);
  expect(claims.holderOf('k')).toBeDefined();
  for (const callback of waiting) callback();
  expect(claims.holderOf('k')).toBeUndefined();
});

test('a payment for the same invoice numbers its parts after all earlier ones, unless one of these stands', async () => {
  const begun: number[] = [];
  const begin = (firstPartId: number): LivePayment => {
    begun.push(firstPartId);
    return liveOf();
  };
  const guardAfter = (earlier: EarlierPayments) => new InvoiceGuard('invoice', async () => earlier);
  await guardAfter({ standing: undefined, lastPartId: 4 }).begin(HASH, begin);
  const { payment: standing } = liveOf();
  const second = guardAfter({ standing, lastPartId: 4 }).begin(HASH, begin);
  await expect(second).rejects.toThrow(InvoiceTaken);
  expect(begun).toEqual([5]);
});
