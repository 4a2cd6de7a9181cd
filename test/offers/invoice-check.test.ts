/**
 * The check of a fetched invoice by itself: invoices that must pass although they look odd, and faults that
 * no issuer of the simulated network can commit.
 */
import { describe, expect, test } from 'vitest';
import { curve } from '../../src/bolt/crypto/curve.ts';
import type {
  InvoiceFields,
  InvoiceRequestFields,
  OfferFields,
} from '../../src/bolt/invoice/bolt12-fields.ts';
import { createInvoice } from '../../src/bolt/invoice/bolt12-invoice.ts';
import { createInvoiceRequest } from '../../src/bolt/invoice/bolt12-invoice-request.ts';
import { signStream } from '../../src/bolt/invoice/bolt12-merkle.ts';
import { decodeOffer, encodeOffer } from '../../src/bolt/invoice/bolt12-offer.ts';
import { decodeTlvStream, encodeTlvStream } from '../../src/bolt/tlv.ts';
import { inWords } from '../../src/commands/in-words.ts';
import { FulguriteError } from '../../src/model/errors.ts';
import { msat } from '../../src/model/msat.ts';
import { readFetchedInvoice } from '../../src/offers/invoice-check.ts';
import { pathToSelf } from './path-to-self.ts';

const SECRET = new Uint8Array(32).fill(5);
const NODE_ID = curve.publicKey(SECRET);
const HASH = new Uint8Array(32).fill(8);
const NOW = 1_700_000_000n;
const U64_MAX = 2n ** 64n - 1n;
/** An encoded point whose x is not below the prime of the field. */
const NOT_A_POINT = Uint8Array.from([2, ...new Uint8Array(32).fill(255)]);
const UNKNOWN_FEATURE = Uint8Array.of(1, 0, 0, 0);
const { path, payInfo } = pathToSelf(NODE_ID, SECRET, HASH);

interface Case {
  readonly offer?: OfferFields;
  readonly request?: InvoiceRequestFields;
  readonly invoice?: InvoiceFields;
  readonly seriesBasetime?: bigint;
  readonly change?: (invoice: Uint8Array) => Uint8Array;
}

/** The fault found in a valid invoice after the change of the case; `undefined` if there is none. */
function faultOf(one: Case): { field: string; reason: string } | undefined {
  const terms: OfferFields = { offerDescription: 'x', offerAmount: 1000n, offerIssuerId: NODE_ID };
  const offer = decodeOffer(encodeOffer({ ...terms, ...one.offer }));
  const asked = { invreqMetadata: new Uint8Array(16), ...one.request };
  const request = createInvoiceRequest(offer.bytes, asked, new Uint8Array(32).fill(6));
  const good: InvoiceFields = {
    invoicePaths: [path],
    invoiceBlindedPay: [payInfo],
    invoiceCreatedAt: NOW,
    invoicePaymentHash: HASH,
    invoiceAmountMsat: msat(1000n),
    invoiceNodeId: NODE_ID,
  };
  const bytes = createInvoice(request, { ...good, ...one.invoice }, SECRET);
  try {
    readFetchedInvoice(one.change?.(bytes) ?? bytes, {
      request,
      offer: offer.fields,
      invoiceNodeId: NODE_ID,
      nowSeconds: NOW,
      seriesBasetime: one.seriesBasetime,
    });
    return undefined;
  } catch (error) {
    const told = inWords(error);
    if (!(told instanceof FulguriteError)) throw told;
    return told.data as { field: string; reason: string };
  }
}

/** A single path with these limits, in msat. */
const limits = (least: bigint, most: bigint): InvoiceFields => ({
  invoiceBlindedPay: [{ ...payInfo, htlcMinimumMsat: msat(least), htlcMaximumMsat: msat(most) }],
});
const inParts: InvoiceFields = { invoiceFeatures: Uint8Array.of(1, 0, 0) };
/**
 * Each hop takes 1 + 12 + 32 bytes, the first hop 35 more, and the last hop 11 more. So 27 hops take 1261 of
 * 1300 bytes, and 28 would take 1306.
 */
const hopsOf = (count: number, bytes: number) =>
  Array.from({ length: count }, () => ({
    blindedNodeId: NODE_ID,
    encryptedRecipientData: new Uint8Array(bytes),
  }));

const monthly: OfferFields = { offerRecurrenceCompulsory: { timeUnit: 2, period: 1 } };

describe('accepted', () => {
  test.each<[string, Case]>([
    ['as it should be', {}],
    ['made a little in the future', { invoice: { invoiceCreatedAt: NOW + 30n } }],
    ['at its last second', { invoice: { invoiceCreatedAt: NOW - 7200n } }],
    ['that never expires', { invoice: { invoiceCreatedAt: U64_MAX, invoiceRelativeExpiry: 0xffff_ffff } }],
    ['that may be paid in parts', { invoice: { invoiceFeatures: Uint8Array.of(1, 0, 0) } }],
    [
      'with a usable path among others',
      {
        invoice: {
          invoicePaths: [path, path],
          invoiceBlindedPay: [{ ...payInfo, features: UNKNOWN_FEATURE }, payInfo],
        },
      },
    ],
    ['for an offer whose price has 64 bits', { offer: { offerAmount: U64_MAX } }],
    ['for another amount where none was requested', { invoice: { invoiceAmountMsat: msat(1n) } }],
    [
      'for the rest of a proportional period',
      {
        offer: { ...monthly, offerRecurrenceBase: { isProportional: true, basetime: NOW } },
        request: {
          invreqAmountMsat: msat(1000n),
          invreqRecurrenceCounter: 1,
          invreqRecurrenceStart: 0,
        },
        invoice: { invoiceAmountMsat: msat(400n), invoiceRecurrenceBasetime: NOW },
      },
    ],
    [
      'with fallback addresses of an unknown version',
      { invoice: { invoiceFallbacks: [{ version: 200, address: new Uint8Array(1) }] } },
    ],
    ['over a path that takes exactly its amount', { invoice: limits(1000n, 1000n) }],
    ['over a path that takes it in two parts', { invoice: { ...limits(1n, 500n), ...inParts } }],
    ['over a path that takes a hundred parts', { invoice: { ...limits(10n, 10n), ...inParts } }],
    [
      'over the longest delay that nodes accept',
      { invoice: { invoiceBlindedPay: [{ ...payInfo, cltvExpiryDelta: 2016 }] } },
    ],
    [
      'over the maximum number of hops in an onion',
      { invoice: { invoicePaths: [{ ...path, hops: hopsOf(27, 10) }] } },
    ],
    ['with an unknown odd field of its own', { change: (bytes) => resigned(bytes, 4_000_000_001n) }],
  ])('an invoice %s', (_what, one) => {
    expect(faultOf(one)).toBeUndefined();
  });
});

describe('refused', () => {
  const counter = (invreqRecurrenceCounter: number): InvoiceRequestFields => ({ invreqRecurrenceCounter });

  test.each<[string, Case, string, string]>([
    [
      'a price beyond 64 bits',
      { offer: { offerAmount: U64_MAX, offerQuantityMax: 0n }, request: { invreqQuantity: 2n } },
      'quantity overflow',
      'offer amount times quantity exceeds 64 bits',
    ],
    ...[999n, 1001n].map((amount): [string, Case, string, string] => [
      `${amount} msat instead of what was requested`,
      {
        request: { invreqAmountMsat: msat(1000n) },
        invoice: { invoiceAmountMsat: msat(amount) },
      },
      'invoice_amount',
      `${amount} msat instead of the 1000 requested`,
    ]),
    [
      'a basetime that differs from the series’',
      {
        offer: monthly,
        request: counter(3),
        invoice: { invoiceRecurrenceBasetime: NOW },
        seriesBasetime: NOW - 1n,
      },
      'invoice_recurrence_basetime',
      `${NOW} instead of ${NOW - 1n}`,
    ],
    [
      'a next period beyond the calendar',
      {
        offer: monthly,
        request: counter(0),
        invoice: { invoiceCreatedAt: 2n ** 62n, invoiceRecurrenceBasetime: 2n ** 62n },
      },
      'invoice_recurrence_basetime',
      'a period lies beyond the calendar',
    ],
    [
      'another chain',
      {
        request: { invreqChain: new Uint8Array(32).fill(1) },
        change: (bytes) => {
          const at = Buffer.from(bytes).indexOf(Buffer.alloc(32, 1));
          return bytes.map((byte, i) => (i === at ? 2 : byte));
        },
      },
      'invoice_request match',
      'the invoice answers a different request of the same payer: use a different payer_metadata, or repeat the request unchanged',
    ],
    [
      'an unknown even field',
      { change: (bytes) => resigned(bytes, 4_000_000_000n) },
      'invoice',
      expect.any(String),
    ],
    [
      'a path whose end is not a point',
      { change: (bytes) => resigned(replaced(bytes, path.hops[0]!.blindedNodeId, NOT_A_POINT)) },
      'invoice',
      'type 160: not a point on the curve',
    ],
    [
      'a path that takes nothing',
      { invoice: limits(0n, 0n) },
      'invoice_blindedpay',
      'htlc_maximum_msat is 0',
    ],
    [
      'a path with its limits swapped',
      { invoice: limits(20n, 10n) },
      'invoice_blindedpay',
      'htlc_minimum_msat 20 is above htlc_maximum_msat 10',
    ],
    [
      'a path that takes larger parts only',
      { invoice: limits(1001n, 2000n) },
      'invoice_blindedpay',
      'htlc_minimum_msat 1001 is above the amount',
    ],
    [
      'a path that takes smaller parts only, where one part is allowed',
      { invoice: limits(0n, 999n) },
      'invoice_blindedpay',
      'no path can carry 1000 msat in one part: the largest carries 999',
    ],
    [
      'parts that never add up to the amount',
      // Two parts do not reach the amount, and three exceed the limit: 2 x 490 < 1000 < 3 x 340.
      { invoice: { ...limits(340n, 490n), ...inParts } },
      'invoice_blindedpay',
      'no parts between 340 and 490 msat add up to 1000 msat',
    ],
    [
      'more parts than any payer sends',
      { invoice: { ...limits(0n, 9n), ...inParts } },
      'invoice_blindedpay',
      '1000 msat in parts of 9 would take more than 100 parts',
    ],
    [
      'a path that locks money for too long',
      { invoice: { invoiceBlindedPay: [{ ...payInfo, cltvExpiryDelta: 2017 }] } },
      'invoice_blindedpay',
      'cltv_expiry_delta 2017 is above 2016 blocks',
    ],
    [
      'a fee beyond all bitcoin',
      {
        offer: { offerAmount: 10n ** 15n },
        invoice: {
          invoiceAmountMsat: msat(10n ** 15n),
          invoiceBlindedPay: [{ ...payInfo, feeProportionalMillionths: 4_000_000_000 }],
        },
      },
      'invoice_blindedpay',
      'a fee of 4000000000000000000 msat exceeds the total supply of bitcoin',
    ],
    [
      'a path that does not fit into an onion',
      { invoice: { invoicePaths: [{ ...path, hops: hopsOf(28, 10) }] } },
      'invoice_blindedpay',
      '28 hops do not fit in an onion',
    ],
    [
      'several paths, none of which takes the amount',
      {
        invoice: {
          invoicePaths: [path, path],
          invoiceBlindedPay: [
            { ...payInfo, htlcMaximumMsat: msat(999n) },
            { ...payInfo, cltvExpiryDelta: 65_535 },
          ],
        },
      },
      'invoice_blindedpay',
      'no path can carry 1000 msat in one part: the largest carries 999',
    ],
  ])('%s', (_what, one, field, reason) => {
    expect(faultOf(one)).toMatchObject({ field, reason });
  });

  test('an invoice in which any single byte is changed', () => {
    let length = 0;
    const measure = (bytes: Uint8Array) => {
      length = bytes.length;
      return bytes;
    };
    expect(faultOf({ change: measure })).toBeUndefined();
    for (let at = 0; at < length; at++) {
      const change = (bytes: Uint8Array) => bytes.map((byte, i) => (i === at ? byte ^ 1 : byte));
      expect(faultOf({ change }), `byte ${at}`).toBeDefined();
    }
  });
});

/** Adds one more field, if any, and signs again. */
function resigned(bytes: Uint8Array, ...types: readonly bigint[]): Uint8Array {
  const records = decodeTlvStream(bytes).filter((record) => record.type !== 240n);
  const added = types.map((type) => ({ type, value: Uint8Array.of(1) }));
  return signStream('invoice', encodeTlvStream([...records, ...added]), SECRET);
}

/** The bytes with the first occurrence of a part replaced. */
function replaced(bytes: Uint8Array, part: Uint8Array, by: Uint8Array): Uint8Array {
  const result = Uint8Array.from(bytes);
  result.set(by, Buffer.from(bytes).indexOf(part));
  return result;
}
