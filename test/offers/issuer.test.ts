/**
 * The issuer by itself: every reason to refuse a request, in the order of the checks; the content of an
 * invoice; and the invoice for a repeated request.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { InvoiceRequestFields, OfferFields } from '../../src/bolt/invoice/bolt12-fields.ts';
import { CHAIN_HASHES } from '../../src/bolt/invoice/bolt12-offer.ts';
import { decodeTlvStream, encodeTlvStream, type TlvRecord } from '../../src/bolt/tlv.ts';
import { msat } from '../../src/model/msat.ts';
import type { IssuedOffer } from '../../src/offers/offer-book.ts';
import { pathToSelf } from './path-to-self.ts';
import { based, COUNTER, counter, NODE_ID, NOW, PATH_ID, recurring, SECRET, Shop, textOf } from './shop.ts';

describe('refused', () => {
  const without = (type: bigint) => (records: TlvRecord[]) => records.filter((one) => one.type !== type);
  const added = (type: bigint, value: Uint8Array) => (records: TlvRecord[]) =>
    [...records, { type, value }].sort((a, b) => (a.type < b.type ? -1 : 1));

  test.each<[string, (records: TlvRecord[]) => TlvRecord[]]>([
    ['no field: Invalid invreq', added(158n, new Uint8Array(1))],
    ['3000000001: Invalid high fields', added(3_000_000_001n, new Uint8Array(1))],
    ['88: Missing invreq_payer_id', without(88n)],
    ['0: Missing invreq_metadata', without(0n)],
    ['84: Unsupported invreq feature 24', added(84n, Uint8Array.of(1, 0, 0, 0))],
    ['91: invalid bip353 name fields', added(91n, Uint8Array.of(1, 0x20, 1, 0x61))],
    [
      `80: Wrong chain ${Buffer.from(CHAIN_HASHES.regtest).toString('hex')}`,
      added(80n, CHAIN_HASHES.regtest),
    ],
    ['no field: Not based on an offer', without(22n)],
    ['no field: Unknown offer', added(33n, new Uint8Array(1))],
  ])('%s', (text, change) => {
    const shop = new Shop();
    expect(textOf(shop.answer(shop.request({}, change)))).toBe(text);
  });

  test.each<[string, OfferFields, Partial<IssuedOffer>, InvoiceRequestFields]>([
    ['no field: Offer no longer available', {}, { active: false }, {}],
    ['14: Offer expired', { offerAbsoluteExpiry: NOW }, {}, {}],
    ['86: missing invreq_quantity', { offerQuantityMax: 5n }, {}, {}],
    ['86: quantity zero invalid', { offerQuantityMax: 5n }, {}, { invreqQuantity: 0n }],
    ['86: quantity 6 > 5', { offerQuantityMax: 5n }, {}, { invreqQuantity: 6n }],
    ['86: unexpected invreq_quantity', {}, {}, { invreqQuantity: 1n }],
    [`${COUNTER}: missing invreq_recurrence_counter`, recurring, {}, {}],
    [`${COUNTER}: unexpected invreq_recurrence_counter`, {}, {}, counter(0)],
    ['2000000093: unexpected invreq_recurrence_start', {}, {}, { invreqRecurrenceStart: 0 }],
    ['2000000094: unexpected invreq_recurrence_cancel', {}, {}, { invreqRecurrenceCancel: true }],
    ['2000000093: unexpected invreq_recurrence_start', recurring, {}, counter(0, 0)],
    ['2000000093: missing invreq_recurrence_start', based, {}, counter(0)],
    [
      '86: quantity 18446744073709551615 causes overflow',
      { offerQuantityMax: 0n },
      {},
      { invreqQuantity: 2n ** 64n - 1n },
    ],
    ['82: missing invreq_amount', { offerAmount: undefined }, {}, {}],
    ['82: amount zero invalid', { offerAmount: undefined }, {}, { invreqAmountMsat: msat(0n) }],
    ['82: Amount must be at least 1000msat', {}, {}, { invreqAmountMsat: msat(999n) }],
    ['82: Amount vastly exceeds 1000msat', {}, {}, { invreqAmountMsat: msat(5005n) }],
    ['no field: Internal error', { offerCurrency: 'EUR' }, {}, {}],
  ])('%s', (text, terms, issued, own) => {
    expect(new Shop(terms, issued).error(own)).toBe(text);
  });

  test('missing and foreign signatures', () => {
    const shop = new Shop();
    const records = decodeTlvStream(shop.request());
    const unsigned = encodeTlvStream(records.filter(({ type }) => type !== 240n));
    expect(textOf(shop.answer(unsigned))).toBe('240: missing signature');
    const other = encodeTlvStream(
      records.map((one) => (one.type === 240n ? { ...one, value: new Uint8Array(64).fill(1) } : one)),
    );
    expect(textOf(shop.answer(other))).toBe('240: bad signature');
  });

  test('requests over a path that is not the offer’s, silently', () => {
    const plain = new Shop();
    expect(textOf(plain.answer(plain.request(), PATH_ID))).toBe('silence');
    const { path } = pathToSelf(NODE_ID, SECRET, PATH_ID);
    const hidden = new Shop({ offerPaths: [path] }, { pathIds: [PATH_ID] });
    for (const pathId of [undefined, new Uint8Array(32), PATH_ID.subarray(1)]) {
      expect(textOf(hidden.answer(hidden.request(), pathId))).toBe('silence');
    }
    expect(textOf(hidden.answer(hidden.request(), PATH_ID))).toBe('an invoice');
    // A request for a different node's offer with paths gets no answer either.
    for (const pathId of [undefined, PATH_ID]) {
      expect(textOf(plain.answer(hidden.request(), pathId))).toBe('silence');
    }
  });

  test('requests while no node can pay us', () => {
    const shop = new Shop({}, {}, { receive: () => undefined });
    expect(shop.error()).toBe('no field: We cannot receive payments here');
    expect([...shop.book.invoices()]).toEqual([]);
  });
});

describe('an invoice', () => {
  test('may be for exactly the price, and for exactly the maximum quantity', () => {
    expect(new Shop().invoice({ invreqAmountMsat: msat(1000n) }).invoiceAmountMsat).toBe(1000n);
    const five = new Shop({ offerQuantityMax: 5n });
    expect(five.invoice({ invreqQuantity: 5n }).invoiceAmountMsat).toBe(5000n);
  });

  test('may be for a little more than five times the price', () => {
    const shop = new Shop();
    expect(shop.invoice({ invreqAmountMsat: msat(5004n) }).invoiceAmountMsat).toBe(5004n);
  });

  test('is for the price in a currency times the quantity, and valid for ten minutes', () => {
    const shop = new Shop({ offerCurrency: 'USD', offerAmount: 250n, offerQuantityMax: 0n });
    const invoice = shop.invoice({ invreqQuantity: 3n });
    expect([invoice.invoiceAmountMsat, invoice.invoiceRelativeExpiry]).toEqual([7500n, 600]);
  });

  test.each<[string, OfferFields, number | undefined]>([
    ['two hours', {}, undefined],
    ['until the offer expires', { offerAbsoluteExpiry: NOW + 100n }, 100],
    ['at most two hours', { offerAbsoluteExpiry: NOW + 100_000n }, undefined],
  ])('is valid for %s', (_what, terms, seconds) => {
    expect(new Shop(terms).invoice().invoiceRelativeExpiry).toBe(seconds);
  });

  test('names its signer and its time of creation, and allows payment in parts', () => {
    expect(new Shop().invoice()).toMatchObject({
      invoiceNodeId: NODE_ID,
      invoiceCreatedAt: NOW,
      invoiceFeatures: Uint8Array.of(2, 0, 0),
    });
  });
});

describe('a repeated request', () => {
  test('gets the same invoice while that is valid, and then a new one', () => {
    const shop = new Shop();
    const one = shop.invoice();
    shop.nowSeconds += 7200n;
    expect(shop.invoice().bytes).toEqual(one.bytes);
    shop.nowSeconds += 1n;
    expect(shop.invoice().invoicePaymentHash).not.toEqual(one.invoicePaymentHash);
    expect([...shop.book.invoices()]).toHaveLength(1);
  });

  test('gets a new invoice if its content differs', () => {
    const shop = new Shop();
    const one = shop.invoice({ invreqPayerNote: 'one' });
    const two = shop.invoice({ invreqPayerNote: 'two' });
    expect(two.invreqPayerNote).toBe('two');
    expect(two.invoicePaymentHash).not.toEqual(one.invoicePaymentHash);
  });

  test('gets no invoice after payment; a single-use offer is closed', () => {
    const shop = new Shop({}, { singleUse: true });
    shop.book.markPaid(shop.invoice().label);
    expect(shop.error()).toBe('no field: Offer no longer available');
    const many = new Shop();
    many.book.markPaid(many.invoice().label);
    expect(many.error()).toBe('no field: This invoice was already paid');
  });
});

describe('an arbitrary message', () => {
  const shops = [
    new Shop(),
    new Shop(based),
    new Shop({ ...recurring, offerRecurrenceCompulsory: { timeUnit: 2, period: 0xffff_ffff } }),
    new Shop({ offerCurrency: 'USD', offerQuantityMax: 0n, offerAmount: 2n ** 64n - 1n }),
  ];
  const types = fc.constantFrom(
    0n,
    10n,
    22n,
    80n,
    82n,
    84n,
    86n,
    88n,
    89n,
    91n,
    COUNTER,
    COUNTER + 1n,
    COUNTER + 2n,
  );
  const change = fc.record({ type: types, value: fc.uint8Array({ maxLength: 40 }) });

  test('is answered or ignored, and never causes an exception', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...shops),
        fc.uniqueArray(change, { selector: ({ type }) => type, maxLength: 5 }),
        fc.option(fc.uint8Array({ maxLength: 33 }), { nil: undefined }),
        fc.bigInt(0n, 2n ** 40n),
        (shop, changes, pathId, nowSeconds) => {
          const replaced = new Set(changes.map(({ type }) => type));
          const bytes = shop.request({}, (records) =>
            [...records.filter(({ type }) => !replaced.has(type)), ...changes].sort((a, b) =>
              a.type < b.type ? -1 : 1,
            ),
          );
          expect(textOf(shop.issuer.answer({ bytes, pathId, nowSeconds }))).toEqual(expect.any(String));
        },
      ),
      { numRuns: 500 },
    );
  });

  test('gets an error even if it is not a request', () => {
    const [shop] = shops as [Shop];
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(textOf(shop.answer(bytes))).toMatch(/^(no field|\d+): /);
      }),
    );
  });
});
