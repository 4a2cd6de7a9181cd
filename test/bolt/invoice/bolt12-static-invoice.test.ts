/**
 * Static invoices (bolts#1149) that LDK made and signed, and LDK's verdict on each after one change
 * (test/vectors/static-invoices.json).
 */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { fromHex, toHex } from '../../../src/bolt/bytes.ts';
import { signStream } from '../../../src/bolt/invoice/bolt12-merkle.ts';
import { parseOffer } from '../../../src/bolt/invoice/bolt12-offer.ts';
import {
  checkStaticInvoice,
  createStaticInvoice,
  decodeStaticInvoice,
  hasSameOffer,
  staticInvoiceBytes,
  staticInvoiceExpiry,
} from '../../../src/bolt/invoice/bolt12-static-invoice.ts';
import { encodeBolt12String } from '../../../src/bolt/invoice/bolt12-string.ts';
import { decodeTlvStream, encodeTlvStream } from '../../../src/bolt/tlv.ts';
import { WireError } from '../../../src/bolt/wire-error.ts';

interface Vector {
  readonly name: string;
  readonly offer: string;
  readonly static_invoice: string;
  readonly created_at: number;
  readonly relative_expiry: number;
  readonly signing_pubkey: string;
  readonly payment_paths: number;
  readonly message_paths: number;
  readonly signature: string;
}

interface Change {
  readonly without?: number;
  readonly type?: number;
  readonly value?: string;
  readonly offset?: number;
  readonly bit?: number;
  readonly ldk: string;
}

const vectors: { invoices: Vector[]; changes_of_priced: Change[] } = JSON.parse(
  readFileSync(new URL('../../vectors/static-invoices.json', import.meta.url), 'utf8'),
);
const priced = vectors.invoices.find(({ name }) => name === 'priced') as Vector;

test.each(vectors.invoices)('$name is read with the content that LDK reports', (vector) => {
  const invoice = decodeStaticInvoice(fromHex(vector.static_invoice));
  checkStaticInvoice(invoice);
  const { fields, bytes, unknown } = invoice;
  expect({
    created_at: Number(fields.invoiceCreatedAt),
    expires_at: Number(staticInvoiceExpiry(fields)),
    signing_pubkey: toHex(fields.invoiceNodeId!),
    payment_paths: fields.invoicePaths?.length,
    message_paths: fields.invoiceMessagePaths?.length,
    signature: toHex(fields.signature!),
    unknown,
  }).toEqual({
    created_at: vector.created_at,
    expires_at: vector.created_at + vector.relative_expiry,
    signing_pubkey: vector.signing_pubkey,
    payment_paths: vector.payment_paths,
    message_paths: vector.message_paths,
    signature: vector.signature,
    unknown: [],
  });
  expect(hasSameOffer(bytes, parseOffer(vector.offer).bytes)).toBe(true);
});

test('each change in the table gets the same verdict as from LDK', () => {
  for (const change of vectors.changes_of_priced) {
    const accepted = faultOf(changed(change)) === 'none';
    expect(accepted, JSON.stringify(change)).toBe(change.ldk === 'ok');
  }
});

/**
 * For each kind of semantic error that LDK reports: a change that causes it, and the type of the field that our
 * error names.
 */
test.each([
  ['without 16', { without: 16 }, 16n],
  ['without 160', { without: 160 }, 160n],
  ['without 162', { without: 162 }, 162n],
  ['without 164', { without: 164 }, 164n],
  ['without 176', { without: 176 }, 176n],
  ['without 236', { without: 236 }, 236n],
  ['without 240', { without: 240 }, 240n],
  ['a payment hash', { type: 168, value: '07'.repeat(32) }, 168n],
  ['an amount', { type: 170, value: '61a8' }, 170n],
  ['two chains', { type: 2, value: '06'.repeat(64) }, 2n],
  ['a field of a request', { type: 89, value: '6869' }, 89n],
  ['a required feature', { type: 174, value: '40' }, 174n],
  ['another signature', { type: 240, value: '11'.repeat(64) }, 240n],
] as const)('%s is refused, and the field is named', (_name, change, tlvType) => {
  expect(faultOf(changed({ ldk: '', ...change }))).toBe(tlvType);
});

test('the signature of an ordinary invoice is not one of a static invoice', () => {
  const key = new Uint8Array(32).fill(3);
  const { fields } = decodeStaticInvoice(fromHex(priced.static_invoice));
  const { offerIssuerId: _, ...withoutIssuer } = fields;
  const made = createStaticInvoice(new Uint8Array(0), withoutIssuer, key);
  expect(faultOf(made)).toBe(176n);
  expect(faultOf(signStream('invoice', fromHex(priced.static_invoice), key))).toBe(240n);
});

test('a static invoice is recognised as hex and as lni1, and nothing else is taken for one', () => {
  const bytes = fromHex(priced.static_invoice);
  expect(staticInvoiceBytes(priced.static_invoice.toUpperCase())).toEqual(bytes);
  expect(staticInvoiceBytes(encodeBolt12String('lni', bytes))).toEqual(bytes);
  for (const text of [
    priced.offer,
    encodeBolt12String('lnr', bytes),
    priced.static_invoice.slice(2),
    'ab',
    '',
  ])
    expect(staticInvoiceBytes(text), text).toBeUndefined();
});

/** The invoice "priced" after one change. Its signature is unchanged. */
function changed({ without, type, value = '', offset = 0, bit = 0 }: Change): Uint8Array {
  const bytes = fromHex(priced.static_invoice);
  const records = decodeTlvStream(bytes);
  if (without !== undefined) return encodeTlvStream(records.filter((one) => one.type !== BigInt(without)));
  if (type === undefined) return bytes.with(offset, bytes[offset]! ^ (1 << bit));
  const others = records.filter((one) => one.type !== BigInt(type));
  const all = [...others, { type: BigInt(type), value: fromHex(value) }];
  return encodeTlvStream(all.sort((a, b) => (a.type < b.type ? -1 : 1)));
}

/** The type of the faulty field, if the error names one. */
function faultOf(bytes: Uint8Array): bigint | 'none' | undefined {
  try {
    checkStaticInvoice(decodeStaticInvoice(bytes));
    return 'none';
  } catch (error) {
    if (error instanceof WireError) return error.tlvType;
    throw error;
  }
}
