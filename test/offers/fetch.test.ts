/** Fetches over a simulated network: each kind of offer and each kind of failure, in virtual time. */
import { describe, expect, test } from 'vitest';
import { msat } from '../../src/model/msat.ts';
import type { OfferKind } from '../../src/simulated-issuers/offers.ts';
import { OfferWorld } from './world.ts';

describe('every kind of offer yields an invoice', () => {
  const label = { recurrenceLabel: 'l', recurrenceCounter: 0 };
  test.each<[OfferKind, object, bigint]>([
    ['fixed', {}, 10_000n],
    ['anyAmount', { amountMsat: msat(77n) }, 77n],
    ['quantity', { quantity: 3n }, 15_000n],
    ['anyQuantity', { quantity: 1000n }, 100_000n],
    ['currency', {}, 2_500_000n],
    ['expiring', {}, 7000n],
    ['recurring', label, 1000n],
    ['recurringWithBase', { ...label, recurrenceStart: 70 }, 50_000n],
    ['recurringSeconds', label, 10n],
    ['blindedPaths', {}, 3000n],
    ['noIssuerId', {}, 4000n],
  ])('%s', async (kind, parameters, amount) => {
    const world = new OfferWorld();
    const { invoice } = await world.fetch(kind, parameters);
    expect(invoice.fields.invoiceAmountMsat).toBe(amount);
  });
});
