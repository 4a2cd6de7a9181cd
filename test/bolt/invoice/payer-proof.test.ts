/**
 * Payer proofs: the fields that a proof shows suffice to verify it without the hidden fields. The Merkle tree and
 * the signatures are those of BOLT 12, and are tested with its vectors in bolt12-invoice.test.ts. Proofs made by
 * Core Lightning are verified. Other proofs are created here, changed in every way, and verified.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toHex } from '../../../src/bolt/bytes.ts';
import { curve } from '../../../src/bolt/crypto/curve.ts';
import { sha256 } from '../../../src/bolt/crypto/hashes.ts';
import { createInvoice } from '../../../src/bolt/invoice/bolt12-invoice.ts';
import { createInvoiceRequest } from '../../../src/bolt/invoice/bolt12-invoice-request.ts';
import { encodeOffer } from '../../../src/bolt/invoice/bolt12-offer.ts';
import { decodeBolt12String, encodeBolt12String } from '../../../src/bolt/invoice/bolt12-string.ts';
import { checkPayerProof, createPayerProof } from '../../../src/bolt/invoice/payer-proof.ts';
import { decodeTlvStream, encodeTlvStream, type TlvRecord } from '../../../src/bolt/tlv.ts';
import { WireError } from '../../../src/bolt/wire-error.ts';
import { msat } from '../../../src/model/msat.ts';
import { vectors } from '../vectors.ts';

interface Vector {
  readonly proof: string;
  readonly note: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly hidden: 'invreqPayerNote' | 'invoiceAmountMsat';
}

const NODE = new Uint8Array(32).fill(5);
const PAYER = new Uint8Array(32).fill(6);
const PREIMAGE = new Uint8Array(32).fill(7);

function invoice(more: object = {}): Uint8Array {
  const offer = encodeOffer({
    ...{ offerDescription: 'tea', offerAmount: 1000n, offerIssuerId: curve.publicKey(NODE) },
    ...more,
  });
  const request = createInvoiceRequest(offer, { invreqMetadata: new Uint8Array(16).fill(1) }, PAYER);
  return createInvoice(
    request,
    {
      invoiceCreatedAt: 1_700_000_000n,
      invoicePaymentHash: sha256(PREIMAGE),
      invoiceAmountMsat: msat(1000),
      invoiceNodeId: curve.publicKey(NODE),
    },
    NODE,
  );
}

const recordsOf = (proof: string): TlvRecord[] => decodeTlvStream(decodeBolt12String(proof).data);
const textOf = (records: readonly TlvRecord[]): string => encodeBolt12String('lnp', encodeTlvStream(records));

test('a proof shows the purchase, the issuer and the payer, and hides the rest', () => {
  const proof = createPayerProof(invoice({ offerIssuer: 'a secret shop' }), PREIMAGE, PAYER, {
    note: 'for the audit',
  }).text;
  const { fields, preimage, note } = checkPayerProof(proof);
  expect(fields).toMatchObject({
    offerDescription: 'tea',
    invoiceAmountMsat: 1000n,
    invoiceCreatedAt: 1_700_000_000n,
  });
  expect(fields.offerIssuer).toBeUndefined();
  expect(fields.invreqMetadata).toBeUndefined();
  expect(toHex(preimage)).toBe(toHex(PREIMAGE));
  expect(note).toBe('for the audit');
  expect(toHex(fields.invreqPayerId!)).toBe(toHex(curve.publicKey(PAYER)));
});

test('it shows the requested records and no others, but never the payer’s metadata', () => {
  const paid = invoice({ offerIssuer: 'a secret shop' });
  const { text, shown } = createPayerProof(paid, PREIMAGE, PAYER, { include: [0n, 18n, 99n] });
  const { fields } = checkPayerProof(text);
  // Field 18 is the issuer. 88, 168 and 176 are always shown, and the invoice has no features (174). 240 is
  // the signature.
  expect(shown).toEqual([18n, 88n, 168n, 176n, 240n]);
  expect(fields).toMatchObject({ offerIssuer: 'a secret shop' });
  expect([fields.offerDescription, fields.invoiceAmountMsat, fields.invreqMetadata]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  expect(
    checkPayerProof(createPayerProof(paid, PREIMAGE, PAYER, { include: [] }).text).fields.offerIssuer,
  ).toBe(undefined);
});

test('it is valid for any number of records in the invoice', () => {
  const more = fc.record(
    {
      offerMetadata: fc.uint8Array({ minLength: 1, maxLength: 8 }),
      offerIssuer: fc.string({ maxLength: 8 }).filter((text) => !text.includes('\0')),
      offerAbsoluteExpiry: fc.bigInt(1n, 10n ** 12n),
      offerQuantityMax: fc.bigInt(0n, 10n),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(more, (fields) => {
      expect(checkPayerProof(createPayerProof(invoice(fields), PREIMAGE, PAYER).text).note).toBeUndefined();
    }),
    { numRuns: 60 },
  );
});

test('Core Lightning’s proofs are valid, and become invalid when any bit changes', () => {
  for (const { proof, note, fields, hidden } of vectors('payer-proofs') as Vector[]) {
    const checked = checkPayerProof(proof);
    expect(checked).toMatchObject({ note, fields });
    expect(checked.fields[hidden]).toBeUndefined();
    expect(toHex(checked.preimage)).toBe('ed6ee2db5ef281440b6d5e905e11125a4be92bd18fbb7ff4680b2fea20d335ad');
    const { data } = decodeBolt12String(proof);
    for (let at = 0; at < data.length; at += 7) {
      const other = data.slice();
      other[at]! ^= 1 << (at % 8);
      expect(() => checkPayerProof(encodeBolt12String('lnp', other)), `byte ${at}`).toThrow(WireError);
    }
  }
});

test('no part of a proof can be changed, left out, or taken from elsewhere', () => {
  const proof = createPayerProof(invoice(), PREIMAGE, PAYER, { note: 'note' }).text;
  const records = recordsOf(proof);
  for (const [at, { type, value }] of records.entries()) {
    expect(() => checkPayerProof(textOf(records.toSpliced(at, 1))), `without ${type}`).toThrow(WireError);
    for (const place of new Set([0, value.length >> 1, value.length - 1])) {
      const other = value.slice();
      other[place]! ^= 1;
      const text = textOf(records.with(at, { type, value: other }));
      expect(() => checkPayerProof(text), `byte ${place} of ${type}`).toThrow(WireError);
    }
  }
  const others = recordsOf(
    createPayerProof(invoice({ offerDescription: 'coffee' }), PREIMAGE, PAYER, { note: 'note' }).text,
  );
  expect(() =>
    checkPayerProof(textOf(records.map((one, i) => (one.type === 10n ? others[i]! : one)))),
  ).toThrow(WireError);
});

test('it is created from a paid invoice, with only the payer’s key', () => {
  expect(() => createPayerProof(invoice(), new Uint8Array(32), PAYER)).toThrow('preimage');
  const unsigned = encodeTlvStream(decodeTlvStream(invoice()).filter(({ type }) => type !== 240n));
  expect(() => createPayerProof(unsigned, PREIMAGE, PAYER)).toThrow('signature');
  const stolen = createPayerProof(invoice(), PREIMAGE, NODE).text;
  expect(() => checkPayerProof(stolen)).toThrow('Invalid proof_signature');
  expect(() => checkPayerProof('lni1qqqq')).toThrow('unexpected prefix lni');
});
