/**
 * `changes` as a pure function. Invoices repeat the offer's texts, so the differing texts here are made up.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { InvoiceFields, OfferFields } from '../../src/bolt/invoice/bolt12-fields.ts';
import { msat } from '../../src/model/msat.ts';
import { type Changes, changesOf } from '../../src/offers/changes.ts';

describe('texts', () => {
  test.each<[string | undefined, string | undefined, Changes]>([
    ['tea', 'tea', {}],
    ['tea', 'tea, with milk', { descriptionAppended: ', with milk' }],
    ['tea', 'coffee', { description: 'coffee' }],
    ['tea', 'te', { description: 'te' }],
    ['tea', undefined, { description: '' }],
    [undefined, 'tea', { description: 'tea' }],
    [undefined, undefined, {}],
  ])('description %j, invoiced %j', (offered, invoiced, changes) => {
    expect(changesOf({ offerDescription: offered }, { offerDescription: invoiced })).toEqual(changes);
  });

  test.each<[string | undefined, string | undefined, Changes]>([
    ['us', 'us', {}],
    ['us', undefined, { vendorRemoved: 'us' }],
    ['us', 'them', { vendor: 'them' }],
    ['us', 'us too', { vendor: 'us too' }],
    [undefined, 'us', { vendor: 'us' }],
  ])('vendor %j, invoiced %j', (offered, invoiced, changes) => {
    expect(changesOf({ offerIssuer: offered }, { offerIssuer: invoiced })).toEqual(changes);
  });
});

describe('amount', () => {
  const amounts = fc.bigInt(1n, 2n ** 40n);

  test('is reported unless it equals the offer’s amount times the quantity, with the price in bitcoin', () => {
    const cases = fc.record({
      price: fc.option(amounts, { nil: undefined }),
      quantity: fc.option(fc.bigInt(1n, 1000n), { nil: undefined }),
      isCurrency: fc.boolean(),
      invoiced: fc.option(amounts, { nil: undefined }),
    });
    fc.assert(
      fc.property(cases, ({ price, quantity, isCurrency, invoiced }) => {
        const total = (price ?? 0n) * (quantity ?? 1n);
        const amountMsat = msat(invoiced ?? total);
        const offer: OfferFields = { offerAmount: price, ...(isCurrency && { offerCurrency: 'USD' }) };
        const invoice: InvoiceFields = { invoiceAmountMsat: amountMsat, invreqQuantity: quantity };
        const isAsOffered = price !== undefined && !isCurrency && amountMsat === total;
        expect(changesOf(offer, invoice)).toEqual(isAsOffered ? {} : { amountMsat });
      }),
    );
  });
});
