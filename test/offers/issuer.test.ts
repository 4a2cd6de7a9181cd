/**
 * The issuer by itself: every reason to refuse a request, in the order in which they are looked for; what is in an
 * invoice; and which invoice a payer gets when it asks again.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { InvoiceRequestFields, OfferFields } from '../../src/bolt/bolt12-fields.ts';
import {
  checkInvoice,
  checkInvoiceSignature,
  decodeInvoice,
  decodeInvoiceError,
} from '../../src/bolt/bolt12-invoice.ts';
import { createInvoiceRequest } from '../../src/bolt/bolt12-invoice-request.ts';
import { offerId, signStream } from '../../src/bolt/bolt12-merkle.ts';
import { CHAIN_HASHES, decodeOffer, encodeOffer } from '../../src/bolt/bolt12-offer.ts';
import { curve } from '../../src/bolt/curve.ts';
import { decodeTlvStream, encodeTlvStream, type TlvRecord } from '../../src/bolt/tlv.ts';
import { msat } from '../../src/model/msat.ts';
import { Issuer, type IssuerOptions } from '../../src/offers/issuer.ts';
import { type IssuedOffer, OfferBook } from '../../src/offers/offer-book.ts';
import { pathToSelf } from '../../src/offers/payment-path.ts';

const SECRET = new Uint8Array(32).fill(5);
const NODE_ID = curve.publicKey(SECRET);
const PAYER = new Uint8Array(32).fill(6);
const PATH_ID = new Uint8Array(32).fill(7);
const NOW = 1_700_000_000n;
const DAY = 86_400n;

/** An issuer of one offer, and a payer who asks for it. */
class Shop {
  readonly book = new OfferBook();
  readonly issuer: Issuer;
  readonly offer: Uint8Array;
  nowSeconds = NOW;

  constructor(
    terms: OfferFields = {},
    issued: Partial<IssuedOffer> = {},
    options: Partial<IssuerOptions> = {},
  ) {
    const fields = { offerDescription: 'x', offerAmount: 1000n, offerIssuerId: NODE_ID, ...terms };
    const offer = decodeOffer(encodeOffer(fields));
    this.offer = offer.bytes;
    const standing = { label: undefined, singleUse: false, active: true, used: false, pathIds: [] };
    this.book.putOffer({ ...standing, offer, offerId: offerId(offer.bytes), ...issued });
    this.issuer = new Issuer({
      nodeSecretKey: SECRET,
      nodeId: NODE_ID,
      chainHash: CHAIN_HASHES.bitcoin,
      book: this.book,
      paymentPaths: ({ paymentHash }) => [pathToSelf(NODE_ID, SECRET, paymentHash)],
      convert: (currency, units) => (currency === 'USD' ? units * 10n : undefined),
      requiresPayment: false,
      ...options,
    });
  }

  request(own: InvoiceRequestFields = {}, change?: (records: TlvRecord[]) => TlvRecord[]): Uint8Array {
    const bytes = createInvoiceRequest(this.offer, { invreqMetadata: new Uint8Array(16), ...own }, PAYER);
    if (change === undefined) return bytes;
    const unsigned = change(decodeTlvStream(bytes).filter(({ type }) => type !== 240n));
    return signStream('invoice_request', encodeTlvStream(unsigned), PAYER);
  }

  answer(bytes: Uint8Array, pathId?: Uint8Array) {
    return this.issuer.answer({ bytes, pathId, nowSeconds: this.nowSeconds });
  }

  /** The fields of the invoice for a request that must be granted. */
  invoice(own?: InvoiceRequestFields, pathId?: Uint8Array) {
    const reply = this.answer(this.request(own), pathId);
    if (reply === undefined || 'invoiceError' in reply) throw new Error(textOf(reply));
    const invoice = decodeInvoice(reply.invoice);
    checkInvoice(invoice);
    checkInvoiceSignature(invoice, NODE_ID);
    return { ...invoice.fields, bytes: reply.invoice, label: reply.issued.label };
  }

  error(own?: InvoiceRequestFields): string {
    return textOf(this.answer(this.request(own)));
  }
}

type Reply = ReturnType<Issuer['answer']>;

/** `field: text` of an error. */
function textOf(reply: Reply): string {
  if (reply === undefined) return 'silence';
  if ('invoice' in reply) return 'an invoice';
  const { erroneousField, error } = decodeInvoiceError(reply.invoiceError);
  return `${erroneousField ?? 'no field'}: ${error}`;
}

const recurring: OfferFields = { offerRecurrenceCompulsory: { timeUnit: 1, period: 1 } };
const based: OfferFields = { ...recurring, offerRecurrenceBase: { isProportional: false, basetime: NOW } };
const counter = (invreqRecurrenceCounter: number, invreqRecurrenceStart?: number): InvoiceRequestFields => ({
  invreqRecurrenceCounter,
  invreqRecurrenceStart,
});
const COUNTER = 2_000_000_092n;

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
    ['82: Amount must be at least 1000msat', {}, {}, { invreqAmountMsat: msat(999n) }],
    ['82: Amount vastly exceeds 1000msat', {}, {}, { invreqAmountMsat: msat(5005n) }],
    ['no field: Internal error', { offerCurrency: 'EUR' }, {}, {}],
  ])('%s', (text, terms, issued, own) => {
    expect(new Shop(terms, issued).error(own)).toBe(text);
  });

  test('signatures that are missing or of somebody else', () => {
    const shop = new Shop();
    const records = decodeTlvStream(shop.request());
    const unsigned = encodeTlvStream(records.filter(({ type }) => type !== 240n));
    expect(textOf(shop.answer(unsigned))).toBe('240: missing signature');
    const other = encodeTlvStream(
      records.map((one) => (one.type === 240n ? { ...one, value: new Uint8Array(64).fill(1) } : one)),
    );
    expect(textOf(shop.answer(other))).toBe('240: bad signature');
  });

  test('the way it came: in silence, as if nobody were there', () => {
    const plain = new Shop();
    expect(textOf(plain.answer(plain.request(), PATH_ID))).toBe('silence');
    const { path } = pathToSelf(NODE_ID, SECRET, PATH_ID);
    const hidden = new Shop({ offerPaths: [path] }, { pathIds: [PATH_ID] });
    for (const pathId of [undefined, new Uint8Array(32), PATH_ID.subarray(1)]) {
      expect(textOf(hidden.answer(hidden.request(), pathId))).toBe('silence');
    }
    expect(textOf(hidden.answer(hidden.request(), PATH_ID))).toBe('an invoice');
    // Of an offer of others with paths nothing is said either.
    for (const pathId of [undefined, PATH_ID]) {
      expect(textOf(plain.answer(hidden.request(), pathId))).toBe('silence');
    }
  });

  test('where nobody can pay us', () => {
    const shop = new Shop({}, {}, { paymentPaths: () => [] });
    expect(shop.error()).toBe('no field: We cannot receive payments here');
    expect([...shop.book.invoices()]).toEqual([]);
  });
});

describe('an invoice', () => {
  test('is for five times the price at most, and a bit', () => {
    const shop = new Shop();
    expect(shop.invoice({ invreqAmountMsat: msat(5004n) }).invoiceAmountMsat).toBe(5004n);
  });

  test('is for the price in a currency times the quantity, and good for ten minutes', () => {
    const shop = new Shop({ offerCurrency: 'USD', offerAmount: 250n, offerQuantityMax: 0n });
    const invoice = shop.invoice({ invreqQuantity: 3n });
    expect([invoice.invoiceAmountMsat, invoice.invoiceRelativeExpiry]).toEqual([7500n, 600]);
  });

  test.each<[string, OfferFields, number | undefined]>([
    ['two hours', {}, undefined],
    ['until the offer expires', { offerAbsoluteExpiry: NOW + 100n }, 100],
    ['two hours at most', { offerAbsoluteExpiry: NOW + 100_000n }, undefined],
  ])('is good for %s', (_what, terms, seconds) => {
    expect(new Shop(terms).invoice().invoiceRelativeExpiry).toBe(seconds);
  });

  test('says who signs it, when it was made, and that it may be paid in parts', () => {
    expect(new Shop().invoice()).toMatchObject({
      invoiceNodeId: NODE_ID,
      invoiceCreatedAt: NOW,
      invoiceFeatures: Uint8Array.of(2, 0, 0),
    });
  });
});

describe('asked again', () => {
  test('for the same, a payer gets the same invoice while it is good, and then another', () => {
    const shop = new Shop();
    const one = shop.invoice();
    shop.nowSeconds += 7200n;
    expect(shop.invoice().bytes).toEqual(one.bytes);
    shop.nowSeconds += 1n;
    expect(shop.invoice().invoicePaymentHash).not.toEqual(one.invoicePaymentHash);
    expect([...shop.book.invoices()]).toHaveLength(1);
  });

  test('for something else, it gets another invoice', () => {
    const shop = new Shop();
    const one = shop.invoice({ invreqPayerNote: 'one' });
    const two = shop.invoice({ invreqPayerNote: 'two' });
    expect(two.invreqPayerNote).toBe('two');
    expect(two.invoicePaymentHash).not.toEqual(one.invoicePaymentHash);
  });

  test('after it was paid, it gets none; a single use closes the offer', () => {
    const shop = new Shop({}, { singleUse: true });
    shop.book.markPaid(shop.invoice().label);
    expect(shop.error()).toBe('no field: Offer no longer available');
    const many = new Shop();
    many.book.markPaid(many.invoice().label);
    expect(many.error()).toBe('no field: This was paid already');
  });
});

describe('recurrence', () => {
  test('without a base starts when the first invoice is made', () => {
    const shop = new Shop(recurring);
    expect(shop.invoice(counter(0)).invoiceRecurrenceBasetime).toBe(NOW);
    shop.nowSeconds += 10n;
    expect(shop.invoice(counter(1)).invoiceRecurrenceBasetime).toBe(NOW);
    expect(shop.error(counter(3))).toBe(`${COUNTER}: No previous invoice #2`);
  });

  test('has windows: from the start of the period before to the end of its own', () => {
    const shop = new Shop(recurring);
    shop.invoice(counter(0));
    shop.invoice(counter(1));
    shop.nowSeconds = NOW + DAY - 1n;
    expect(shop.error(counter(2))).toBe(`${COUNTER}: period_index 2 too early (start ${NOW + DAY})`);
    shop.nowSeconds = NOW + DAY;
    // Good until its window closes: two days from the start of period 1.
    expect(shop.invoice(counter(2)).invoiceRelativeExpiry).toBe(Number(2n * DAY - 1n));
    shop.nowSeconds = NOW + 2n * DAY;
    expect(shop.error(counter(1))).toBe(`${COUNTER}: period_index 1 too late (ended ${NOW + 2n * DAY - 1n})`);
  });

  test('has windows around the start where the offer says so; the first stays open for a minute', () => {
    const shop = new Shop({ ...recurring, offerRecurrencePaywindow: { secondsBefore: 10, secondsAfter: 0 } });
    expect(shop.invoice(counter(0)).invoiceRelativeExpiry).toBe(60);
    const early = { secondsBefore: 600, secondsAfter: 0 };
    const hasty = new Shop({ ...recurring, offerRecurrencePaywindow: early });
    expect(hasty.invoice(counter(0)).invoiceRelativeExpiry).toBe(60);
    shop.nowSeconds = NOW + DAY - 11n;
    expect(shop.error(counter(1))).toBe(`${COUNTER}: period_index 1 too early (start ${NOW + DAY - 10n})`);
    shop.nowSeconds = NOW + DAY;
    expect(shop.invoice(counter(1)).invoiceRelativeExpiry).toBe(1);
  });

  test('ends with the limit, counted from the start', () => {
    const shop = new Shop({ ...based, offerRecurrenceLimit: 2 });
    shop.nowSeconds = NOW + DAY;
    expect(shop.invoice(counter(0, 2)).invoiceRecurrenceBasetime).toBe(NOW);
    expect(shop.error(counter(1, 2))).toBe(`${COUNTER}: period_index 3 too great`);
  });

  test('costs what is left of the period where it is proportional', () => {
    const shop = new Shop({ ...based, offerRecurrenceBase: { isProportional: true, basetime: NOW } });
    expect(shop.invoice(counter(0, 0)).invoiceAmountMsat).toBe(1000n);
    shop.nowSeconds = NOW + DAY / 4n;
    expect(shop.invoice({ ...counter(0, 0), invreqPayerNote: 'later' }).invoiceAmountMsat).toBe(750n);
    shop.nowSeconds = NOW + DAY - 1n;
    expect(shop.invoice({ ...counter(0, 0), invreqPayerNote: 'last' }).invoiceAmountMsat).toBe(1n);
  });

  test('needs the period before to be paid, where the issuer is asked to', () => {
    const shop = new Shop(recurring, {}, { requiresPayment: true });
    const { label } = shop.invoice(counter(0));
    expect(shop.error(counter(1))).toBe(`${COUNTER}: Previous invoice #0 status "unpaid"`);
    shop.book.markPaid(label);
    expect(shop.invoice(counter(1)).invoiceRecurrenceBasetime).toBe(NOW);
  });

  test('that is optional may be paid once by who does not know it', () => {
    const shop = new Shop({ offerRecurrenceOptional: { timeUnit: 1, period: 1 } });
    expect(shop.invoice().invoiceRecurrenceBasetime).toBeUndefined();
  });

  test('goes on after the offer has expired', () => {
    const shop = new Shop({ ...recurring, offerAbsoluteExpiry: NOW + 5n });
    shop.invoice(counter(0));
    shop.nowSeconds = NOW + 5n;
    expect(shop.error(counter(0))).toBe('14: Offer expired');
    expect(shop.invoice(counter(1)).invoiceAmountMsat).toBe(1000n);
  });

  test('is answered in the numbers of the proposal where the offer uses them', () => {
    const shop = new Shop({ offerRecurrenceCompulsoryDraft: { timeUnit: 1, period: 1 } });
    const invoice = shop.invoice({ invreqRecurrenceCounterDraft: 0 });
    expect(invoice.invoiceRecurrenceBasetimeDraft).toBe(NOW);
    expect(invoice.invoiceRecurrenceBasetime).toBeUndefined();
    expect(shop.error({ invreqRecurrenceCounterDraft: 2 })).toBe('92: No previous invoice #1');
  });
});

describe('whatever arrives', () => {
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

  test('is answered or ignored, never thrown at the network', () => {
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

  test('even if it is no request', () => {
    const [shop] = shops as [Shop];
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(textOf(shop.answer(bytes))).toMatch(/^(no field|\d+): /);
      }),
    );
  });
});

describe('a cancellation', () => {
  const cancel = (index: number): InvoiceRequestFields => ({
    ...counter(index),
    invreqRecurrenceCancel: true,
  });

  test('is not answered, and no invoice is made for the period nor after it', () => {
    const shop = new Shop({ ...recurring, offerAmount: undefined, offerQuantityMax: 0n });
    const asked = { invreqAmountMsat: msat(5n), invreqQuantity: 1n };
    shop.invoice({ ...asked, ...counter(0) });
    shop.invoice({ ...asked, ...counter(1) });
    // It needs neither amount nor quantity.
    expect(shop.error(cancel(1))).toBe('silence');
    expect(shop.error(cancel(1))).toBe('silence');
    expect([...shop.book.invoices()].map(({ label }) => label.at(-1))).toEqual(['0']);
    expect(shop.error({ ...asked, ...counter(1) })).toBe(`${COUNTER}: invoice cancelled`);
    shop.nowSeconds += DAY;
    expect(shop.error({ ...asked, ...counter(2) })).toBe(`${COUNTER}: No previous invoice #1`);
  });

  test('may come before the window opens; of what never began it is refused', () => {
    const shop = new Shop(recurring);
    expect(shop.error(cancel(0))).toBe(`${COUNTER}: No previous invoice #-1`);
    expect(shop.error(cancel(1))).toBe(`${COUNTER}: No previous invoice #0`);
    shop.invoice(counter(0));
    shop.invoice(counter(1));
    expect(shop.error(cancel(2))).toBe('silence');
  });

  test('of a period that was paid is refused', () => {
    const shop = new Shop(recurring);
    shop.invoice(counter(0));
    const { label } = shop.invoice(counter(1));
    shop.book.markPaid(label);
    expect(shop.error(cancel(1))).toBe(`${COUNTER}: This period cannot be cancelled`);
  });

  test('in the numbers of the proposal', () => {
    const shop = new Shop({ offerRecurrenceCompulsoryDraft: { timeUnit: 1, period: 1 } });
    shop.invoice({ invreqRecurrenceCounterDraft: 0 });
    const cancelled = { invreqRecurrenceCounterDraft: 1, invreqRecurrenceCancelDraft: true } as const;
    expect(shop.error(cancelled)).toBe('silence');
  });
});
