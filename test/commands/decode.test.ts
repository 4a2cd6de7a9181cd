/**
 * `decode` of arbitrary texts, which anyone may send: it must decode them or refuse them with a parameter
 * error.
 */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fromHex, toHex } from '../../src/bolt/bytes.ts';
import { curve } from '../../src/bolt/crypto/curve.ts';
import type { TaggedField } from '../../src/bolt/invoice/bolt11-fields.ts';
import { signBolt11 } from '../../src/bolt/invoice/bolt11-invoice.ts';
import { wordsOf } from '../../src/bolt/invoice/bolt11-words.ts';
import {
  type InvoiceFields,
  type InvoiceRequestFields,
  invoiceRequestCodec,
} from '../../src/bolt/invoice/bolt12-fields.ts';
import { createInvoice, decodeInvoice, formatInvoice } from '../../src/bolt/invoice/bolt12-invoice.ts';
import { formatInvoiceRequest } from '../../src/bolt/invoice/bolt12-invoice-request.ts';
import { signStream } from '../../src/bolt/invoice/bolt12-merkle.ts';
import { decodeBolt12String, encodeBolt12String } from '../../src/bolt/invoice/bolt12-string.ts';
import { featuresOf } from '../../src/bolt/peer/features.ts';
import { msat } from '../../src/model/msat.ts';
import { VECTORS as RUNES } from '../runes/vectors.ts';
import { OfferNode } from './offers/offer-node.ts';

const node = new OfferNode();
beforeAll(() => node.start());
afterAll(() => node.destroy());

/** The examples of the specification of BOLT 11. */
const vectors = JSON.parse(readFileSync(new URL('../vectors/bolt11.json', import.meta.url), 'utf8')) as {
  readonly valid: readonly { readonly name: string; readonly invoice: string }[];
};
const example = (name: RegExp): string => {
  const found = vectors.valid.find((one) => name.test(one.name));
  if (found === undefined) throw new Error(`no example ${name}`);
  return found.invoice;
};
const DONATION = example(/^a donation/);
const KEY = new Uint8Array(32).fill(3);

test('the payee of a BOLT 11 invoice is the signer', async () => {
  expect(await node.result('decode', { string: `LIGHTNING:${DONATION.toUpperCase()}` })).toMatchObject({
    type: 'bolt11 invoice',
    currency: 'bc',
    created_at: 1_496_314_658,
    payee: '03e7156ae33b0a208d0744199163177e909e80176e55d97a2f221ede0f934dd9ad',
    payment_hash: '0001020304050607080900010203040506070809000102030405060708090102',
    payment_secret: '11'.repeat(32),
    description: 'Please consider supporting this project',
    min_final_cltv_expiry: 18,
    valid: true,
  });
});

test('a rune is shown with its authcode and restrictions, whoever made it', async () => {
  const { name: _, ...vector } = RUNES.find(({ name }) => name === '2')!;
  expect(await node.result('decode', [vector.rune])).toEqual({
    type: 'rune',
    unique_id: '2',
    string: `${toHex(Buffer.from(vector.rune, 'base64url').subarray(0, 32))}:${vector.text}`,
    restrictions: [
      {
        alternatives: ['method^list', 'method^get', 'method=summary'],
        summary: 'method starts with list OR method starts with get OR method equal to summary',
      },
      { alternatives: ['method/listdatastore'], summary: 'method unequal to listdatastore' },
    ],
    valid: true,
  });
});

test('decodepay shows the same without type, and compares a description with its hash', async () => {
  const bolt11 = example(/route hint of two channels$/);
  const { type, valid, ...members } = await node.result('decode', [bolt11]);
  expect([type, valid]).toEqual(['bolt11 invoice', true]);
  // The description that the BOLT 11 examples use.
  const description =
    'One piece of chocolate cake, one icecream cone, one pickle, one slice of swiss cheese, one slice of salami, ' +
    'one lollypop, one piece of cherry pie, one sausage, one cupcake, and one slice of watermelon';
  expect(await node.result('decodepay', [bolt11])).toEqual(members);
  expect(await node.result('decodepay', { bolt11, description })).toEqual(members);
  expect((await node.call('decodepay', { bolt11, description: `${description}.` })).error).toMatchObject({
    code: -32602,
    message: 'Invalid bolt11: h: does not match description',
  });
  expect((await node.call('decodepay', ['lnbc1'])).error).toMatchObject({
    code: -32602,
    message: expect.stringMatching(/^Invalid bolt11: ./),
  });
});

test('a BOLT 11 invoice shows its addresses, its route hints and the unknown fields', async () => {
  expect(await node.result('decode', [example(/route hint of two channels$/)])).toMatchObject({
    amount_msat: 2_000_000_000,
    description_hash: '3925b6f67e2c340036ed12093dd44e0368df1b6ea26c53dbe4811f58fd5db8c1',
    fallbacks: [
      {
        type: 'P2PKH',
        addr: '1RustyRX2oai4EYYDpQGWvEL62BBGqN9T',
        hex: '76a91404b61f7dc1ea0dc99424464cc4064dc564d91e8988ac',
      },
    ],
    routes: [
      [
        {
          pubkey: '029e03a901b85534ff1e92c43c74431f7ce72046060fcf7a95c37e148f78c77255',
          short_channel_id: '66051x263430x1800',
          fee_base_msat: 1,
          fee_proportional_millionths: 20,
          cltv_expiry_delta: 3,
        },
        {
          pubkey: '039e03a901b85534ff1e92c43c74431f7ce72046060fcf7a95c37e148f78c77255',
          short_channel_id: '197637x395016x2314',
          fee_base_msat: 2,
          fee_proportional_millionths: 30,
          cltv_expiry_delta: 4,
        },
      ],
    ],
  });
  const { extra } = await node.result('decode', [example(/to be ignored$/)]);
  expect(extra).toHaveLength(10);
  expect(extra).toEqual(expect.arrayContaining([{ tag: '2', data: 'qqq' }]));
});

/** A BOLT 11 invoice signed by us, with these fields. */
function invoice11(fields: readonly TaggedField[]): string {
  return signBolt11('lnbcrt', 1_496_314_658, fields, KEY);
}

test('an invoice that names the id of a different node is a forgery', async () => {
  const hash = wordsOf(new Uint8Array(32).fill(7));
  const fields = [
    { tag: 'p', words: hash },
    { tag: 's', words: hash },
    { tag: 'd', words: wordsOf(Uint8Array.of(65)) },
  ];
  const named = (nodeId: Uint8Array): string => invoice11([...fields, { tag: 'n', words: wordsOf(nodeId) }]);
  const signer = curve.publicKey(KEY);
  expect(await node.result('decode', [named(signer)])).toMatchObject({ payee: toHex(signer), valid: true });
  const { error } = await node.call('decode', [named(curve.publicKey(new Uint8Array(32).fill(4)))]);
  expect(error).toMatchObject({ code: -32602, data: { reason: 'invalid signature' } });
  expect(error?.message).toMatch(/^string: invalid signature: invalid token/);
  const withoutSecret = await node.call('decode', [invoice11(fields.filter(({ tag }) => tag !== 's'))]);
  expect(withoutSecret.error?.message).toMatch(/Missing required payment secret/);
});

test('a text that does not look like an invoice is unparsable', async () => {
  for (const text of ['lnbc1', 'lnxy1qqqqqqqq', 'lnbc1z1z', `${DONATION} `, 'lightning:']) {
    const { error } = await node.call('decode', [text]);
    expect(error?.message, text).toMatch(/^string: (Unparsable|Bad bech32) string: invalid token/);
  }
});

/** An invoice request in text form, signed by the payer if the request names one. */
function request12(fields: InvoiceRequestFields, isSigned = true): string {
  const bytes = invoiceRequestCodec.encode(fields);
  return formatInvoiceRequest({ bytes: isSigned ? signStream('invoice_request', bytes, KEY) : bytes });
}

const METADATA = new Uint8Array(16);
const PAYER = curve.publicKey(KEY);
const EMPTY_PATH = { firstNode: PAYER, firstPathKey: PAYER, hops: [] };
const WHOLE = { invreqMetadata: METADATA, invreqPayerId: PAYER, offerDescription: 'refund' };
const unsigned: InvoiceRequestFields = {
  ...WHOLE,
  signature: new Uint8Array(64),
};

test.each<[warning: string, text: string, request: string]>([
  ['warning_missing_invreq_payer_id', 'invreq_payer_id required', request12({ invreqMetadata: METADATA })],
  ['warning_missing_invreq_metadata', 'invreq_metadata required', request12({ invreqPayerId: PAYER })],
  [
    'warning_missing_offer_description',
    'description is required if offer_amount is set (for the user to know what it was they paid for)',
    request12({ ...WHOLE, offerDescription: undefined, offerAmount: 5n }),
  ],
  [
    'warning_empty_blinded_path',
    'blinded path 0 has 0 hops',
    request12({ ...WHOLE, offerPaths: [EMPTY_PATH] }),
  ],
  [
    'warning_invreq_bip_353_name_name_invalid',
    'bip353 name field contains invalid characters',
    request12({ ...WHOLE, invreqBip353Name: { name: 'a b', domain: 'c.d' } }),
  ],
  [
    'warning_invreq_bip_353_name_domain_invalid',
    'bip353 domain field contains invalid characters',
    request12({ ...WHOLE, invreqBip353Name: { name: 'a', domain: 'c/d' } }),
  ],
  [
    'warning_invreq_recurrence_cancel_without_counter',
    'invreq_recurrence_cancel is invalid without invreq_recurrence_counter',
    request12({ ...WHOLE, invreqRecurrenceCancel: true }),
  ],
  [
    'warning_invreq_recurrence_cancel_with_zero_counter',
    'invreq_recurrence_cancel is invalid with invreq_recurrence_counter zero',
    request12({ ...WHOLE, invreqRecurrenceCancel: true, invreqRecurrenceCounter: 0 }),
  ],
  ['warning_missing_invoice_request_signature', 'Missing signature', request12(WHOLE, false)],
  ['warning_invalid_invoice_request_signature', 'Bad signature', request12(unsigned, false)],
])('an invoice request with %s', async (warning, text, request) => {
  const result = await node.result('decode', [request]);
  expect(result).toMatchObject({ [warning]: text, valid: false });
  const others = Object.keys(result).filter((name) => name.startsWith('warning_') && name !== warning);
  expect(others).toEqual([]);
});

test('a complete invoice request has no warning', async () => {
  const result = await node.result('decode', [request12(WHOLE)]);
  expect(result.valid).toBe(true);
  expect(Object.keys(result).filter((name) => name.startsWith('warning_'))).toEqual([]);
});

test.each<[reason: string, request: string]>([
  ['unknown feature bit 22', request12({ ...WHOLE, invreqFeatures: featuresOf([22]) })],
  ['type 10: the text contains a zero byte', request12({ ...WHOLE, offerDescription: 'a\0b' })],
  ['Invoice request contains an empty invreq_path', request12({ ...WHOLE, invreqPaths: [EMPTY_PATH] })],
  [
    'Invoice request 161 field outside invoice request range',
    formatInvoiceRequest({
      bytes: invoiceRequestCodec.encode(WHOLE, [{ type: 161n, value: Uint8Array.of(1) }]),
    }),
  ],
  [
    'Invoice request 3000000001 field outside invoice request range',
    formatInvoiceRequest({
      bytes: invoiceRequestCodec.encode(WHOLE, [{ type: 3_000_000_001n, value: Uint8Array.of(1) }]),
    }),
  ],
])('refuses: %s', async (reason, request) => {
  const { error } = await node.call('decode', [request]);
  expect(error).toMatchObject({ code: -32602, data: { reason } });
});

/** A complete invoice, signed. */
function invoice12(fields: InvoiceFields): string {
  const path = {
    ...EMPTY_PATH,
    hops: [{ blindedNodeId: PAYER, encryptedRecipientData: new Uint8Array(1) }],
  };
  const payInfo = {
    ...{ feeBaseMsat: 0, feeProportionalMillionths: 0, cltvExpiryDelta: 0 },
    ...{ htlcMinimumMsat: msat(0n), htlcMaximumMsat: msat(10_000n), features: new Uint8Array(0) },
  };
  const own = {
    invoicePaths: [path],
    invoiceBlindedPay: [payInfo],
    invoiceCreatedAt: 1n,
    invoicePaymentHash: new Uint8Array(32),
    invoiceAmountMsat: msat(5n),
    invoiceNodeId: PAYER,
  };
  return formatInvoice({
    bytes: createInvoice(invoiceRequestCodec.encode(WHOLE), { ...own, ...fields }, KEY),
  });
}

test('an invoice’s fallback addresses are shown, or the reason to ignore them', async () => {
  const bytes = (length: number) => new Uint8Array(length).fill(7);
  // BIP-173, "Examples".
  const program = '751e76e8199196d454941c45d1b3a323f1433bd6';
  const invoiceFallbacks = [
    { version: 0, address: fromHex(program) },
    { version: 0, address: bytes(21) },
    { version: 1, address: bytes(41) },
    { version: 17, address: bytes(20) },
  ];
  const result = await node.result('decode', [invoice12({ invoiceFallbacks })]);
  const hex = (length: number) => '07'.repeat(length);
  expect(result).toMatchObject({ type: 'bolt12 invoice', valid: true });
  expect(result.invoice_fallbacks).toEqual([
    { version: 0, hex: program, address: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4' },
    {
      version: 0,
      hex: hex(21),
      warning_invalid_invoice_fallbacks_address: 'invalid fallback address for this version',
    },
    {
      version: 1,
      hex: hex(41),
      warning_invalid_invoice_fallbacks_address: 'invoice fallback address bad length',
    },
    {
      version: 17,
      hex: hex(20),
      warning_invalid_invoice_fallbacks_version: 'invoice fallback version > 16',
    },
  ]);
});

test('an invoice of a recurring offer shows the start of its period', async () => {
  const recurring = { offerRecurrenceOptional: { timeUnit: 1, period: 7 } };
  const request = invoiceRequestCodec.encode({ ...WHOLE, ...recurring });
  const whole = decodeInvoice(decodeBolt12String(invoice12({})).data).fields;
  const { invreqMetadata, invreqPayerId, offerDescription, ...own } = whole;
  const result = await node.result('decode', [formatInvoice({ bytes: createInvoice(request, own, KEY) })]);
  expect(result).toMatchObject({
    warning_missing_invoice_recurrence_basetime:
      'recurring invoices without a recurrence_basetime are invalid',
    valid: false,
  });
});

test('any text', async () => {
  const prefix = fc.constantFrom('lno', 'lnr', 'lni');
  const texts = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.tuple(prefix, fc.uint8Array()).map(([hrp, bytes]) => encodeBolt12String(hrp as 'lno', bytes)),
    fc
      .tuple(fc.nat(DONATION.length - 1), fc.string({ minLength: 1, maxLength: 2 }))
      .map(([at, other]) => DONATION.slice(0, at) + other + DONATION.slice(at + 1)),
  );
  await fc.assert(
    fc.asyncProperty(texts, async (string) => {
      const { result, error } = await node.call('decode', { string });
      expect(result !== undefined || error?.code === -32602).toBe(true);
    }),
    { numRuns: 300 },
  );
});

test('a text that is longer than any offer or invoice is refused with the maximum length', async () => {
  for (const string of [`lno1${'q'.repeat(131_069)}`, `lightning:lnbc1${'q'.repeat(131_068)}`]) {
    expect(await node.error('decode', { string })).toBe(
      '-32602 string: should have at most 131072 characters: invalid token (see logs for details)',
    );
  }
});
