import { schnorr } from '@noble/secp256k1';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromHex, toHex } from '../../../src/bolt/bytes.ts';
import { curve } from '../../../src/bolt/crypto/curve.ts';
import { sha256 } from '../../../src/bolt/crypto/hashes.ts';
import type { InvoiceFields, InvoiceRequestFields } from '../../../src/bolt/invoice/bolt12-fields.ts';
import {
  checkInvoice,
  checkInvoiceSignature,
  createInvoice,
  decodeInvoice,
  decodeInvoiceError,
  encodeInvoiceError,
  formatInvoice,
  invoiceExpiry,
  mirrorsRequest,
  parseInvoice,
  paymentPaths,
  usableFallbacks,
  withLength,
} from '../../../src/bolt/invoice/bolt12-invoice.ts';
import {
  checkInvoiceRequest,
  checkInvoiceRequestSignature,
  createInvoiceRequest,
  decodeInvoiceRequest,
  formatInvoiceRequest,
  parseInvoiceRequest,
} from '../../../src/bolt/invoice/bolt12-invoice-request.ts';
import {
  branchHash,
  bytesInRanges,
  invoiceRequestId,
  leafHash,
  merkleRoot,
  noncesBeside,
  offerId,
  rawRecords,
  signatureDigest,
  signStream,
  verifyStream,
} from '../../../src/bolt/invoice/bolt12-merkle.ts';
import { encodeOffer } from '../../../src/bolt/invoice/bolt12-offer.ts';
import { featuresOf } from '../../../src/bolt/peer/features.ts';
import { encodeTlvStream } from '../../../src/bolt/tlv.ts';
import { WireError } from '../../../src/bolt/wire-error.ts';
import { msat } from '../../../src/model/msat.ts';
import { vectors } from '../vectors.ts';

const alice = fromHex('41'.repeat(32));
const bob = fromHex('42'.repeat(32));
const aliceId = curve.publicKey(alice);
const bobId = curve.publicKey(bob);

describe('bolt12/signature-test.json', () => {
  const cases = vectors('bolt12-signatures');
  /** The TLV stream of a vector, joined from the records in its Merkle leaves. */
  const streamOf = (leaves: { record: string }[]) => fromHex(leaves.map(({ record }) => record).join(''));

  it('has the four cases that are tested', () => {
    expect(cases).toHaveLength(4);
  });

  it('any number of records has the root that the formula states', () => {
    for (let count = 1; count <= 20; count++) {
      const types = Array.from({ length: count }, (_, i) =>
        i < 12 ? BigInt(7 * i) : 2_000_000_000n + BigInt(i),
      );
      const stream = encodeTlvStream(
        types.map((type, i) => ({ type, value: new Uint8Array(5 * i).fill(i) })),
      );
      const records = rawRecords(stream);
      const nonceOf = noncesBeside(records[0]!);
      let level = records.map((record) => branchHash(leafHash(record), nonceOf(record.type)));
      while (level.length > 1) {
        level = level.flatMap((hash, i) => {
          if (i % 2 === 1) return [];
          return i + 1 < level.length ? [branchHash(hash, level[i + 1]!)] : [hash];
        });
      }
      expect(toHex(merkleRoot(stream))).toBe(toHex(level[0]!));
    }
  });

  it('bytes in ranges are those of the records, wherever the ranges are interrupted', () => {
    const stream = encodeTlvStream(
      [0n, 1n, 3n, 100n, 200n, 1_500_000_000n].map((type) => ({ type, value: Uint8Array.of(9) })),
    );
    const hexIn = (...ranges: [bigint, bigint][]) => toHex(bytesInRanges(stream, ranges));
    expect(hexIn([0n, 0n])).toBe('000109');
    expect(hexIn([1n, 100n])).toBe('010109030109640109');
    expect(hexIn([0n, 1n], [100n, 100n], [1_000_000_000n, 2_000_000_000n])).toBe(
      '000109010109640109fe59682f000109',
    );
    expect(hexIn([5n, 9n])).toBe('');
  });

  it.each(cases as { leaves: { record: string }[]; merkle: string }[])(
    'merkle root $merkle',
    ({ leaves, merkle }) => {
      expect(toHex(merkleRoot(streamOf(leaves)))).toBe(merkle);
    },
  );

  it('the invoice request has the stated digest and signature, and is created byte for byte', () => {
    const { bolt12, signature, merkle, digest } = cases[3];
    const request = parseInvoiceRequest(bolt12);
    expect(toHex(merkleRoot(request.bytes))).toBe(merkle);
    expect(toHex(signatureDigest('invoice_request', request.bytes))).toBe(digest);
    expect(toHex(request.fields.signature as Uint8Array)).toBe(signature);
    checkInvoiceRequest(request);
    checkInvoiceRequestSignature(request);
    const offer = encodeOffer({
      offerCurrency: 'USD',
      offerAmount: 100n,
      offerDescription: 'A Mathematical Treatise',
      offerIssuerId: aliceId,
    });
    const made = createInvoiceRequest(offer, { invreqMetadata: new Uint8Array(8) }, bob);
    expect(formatInvoiceRequest({ bytes: made })).toBe(bolt12);
  });
});

const offer = encodeOffer({ offerDescription: 'tea', offerAmount: 1000n, offerIssuerId: aliceId }, [
  { type: 33n, value: fromHex('68656c6c6f') },
  { type: 1_000_000_033n, value: fromHex('00') },
]);
const requestFields: InvoiceRequestFields = {
  invreqMetadata: fromHex('07'.repeat(16)),
  invreqQuantity: 2n,
  invreqPayerNote: 'thanks',
  invreqBip353Name: { name: 'tea', domain: 'example.com' },
};
const request = createInvoiceRequest(offer, requestFields, bob);
const path = {
  firstNode: aliceId,
  firstPathKey: bobId,
  hops: [{ blindedNodeId: aliceId, encryptedRecipientData: new Uint8Array(50) }],
};
const otherPath = {
  ...path,
  hops: [...path.hops, { ...path.hops[0]!, blindedNodeId: curve.publicKey(new Uint8Array(32).fill(9)) }],
};
const payInfo = {
  feeBaseMsat: 1,
  feeProportionalMillionths: 2,
  cltvExpiryDelta: 18,
  htlcMinimumMsat: msat(0),
  htlcMaximumMsat: msat(10n ** 12n),
  features: new Uint8Array(0),
};
const invoiceFields: InvoiceFields = {
  invoicePaths: [path],
  invoiceBlindedPay: [payInfo],
  invoiceCreatedAt: 1_700_000_000n,
  invoicePaymentHash: sha256(Uint8Array.of(1)),
  invoiceAmountMsat: msat(2000),
  invoiceFeatures: featuresOf([17]),
  invoiceNodeId: aliceId,
};
const invoice = createInvoice(request, invoiceFields, alice);

describe('an invoice request', () => {
  it('mirrors the offer with its unknown fields, and is signed by the payer', () => {
    const read = decodeInvoiceRequest(request);
    expect(read.fields).toMatchObject({ ...requestFields, offerDescription: 'tea', invreqPayerId: bobId });
    expect(read.unknown.map(({ type }) => type)).toEqual([33n, 1_000_000_033n]);
    expect(toHex(offerId(request))).toBe(toHex(offerId(offer)));
    expect(toHex(offerId(offer))).toBe(toHex(sha256(offer)));
    expect(() => checkInvoiceRequest(read)).not.toThrow();
    expect(() => checkInvoiceRequestSignature(read)).not.toThrow();
    expect(formatInvoiceRequest(parseInvoiceRequest(formatInvoiceRequest(read)))).toBe(
      formatInvoiceRequest(read),
    );
    const signature = read.fields.signature as Uint8Array;
    const digest = signatureDigest('invoice_request', request);
    expect(schnorr.verify(signature, digest, bobId.subarray(1))).toBe(true);
  });

  it.each([
    ['Missing invreq_metadata', { invreqMetadata: undefined }],
    ['Unsupported invreq feature 4', { invreqFeatures: featuresOf([4]) }],
    ['invalid bip353 name fields', { invreqBip353Name: { name: 'a b', domain: 'x' } }],
    ['invalid bip353 name fields', { invreqBip353Name: { name: 'a', domain: '' } }],
    ['empty path in invreq_paths', { invreqPaths: [{ ...path, hops: [] }] }],
  ] as [string, InvoiceRequestFields][])('is refused: %s', (reason, change) => {
    const bad = createInvoiceRequest(offer, { ...requestFields, ...change }, bob);
    expect(() => checkInvoiceRequest(decodeInvoiceRequest(bad))).toThrow(reason);
  });

  it('is refused without payer, out of range, unsigned, or signed by a different key', () => {
    const stream = (types: bigint[]) =>
      encodeTlvStream(types.map((type) => ({ type, value: new Uint8Array(0) })));
    const check = (bytes: Uint8Array) => checkInvoiceRequest(decodeInvoiceRequest(bytes));
    expect(() => check(stream([0n]))).toThrow('Missing invreq_payer_id');
    expect(() => check(stream([0n, 161n]))).toThrow('Invalid high fields');
    expect(() => check(stream([0n, 3_000_000_001n]))).toThrow('Invalid high fields');
    expect(() => check(stream([0n, 241n]))).toThrow('Missing invreq_payer_id');
    expect(() => checkInvoiceRequestSignature(decodeInvoiceRequest(stream([0n])))).toThrow(
      'missing signature',
    );
    const forged = signStream('invoice_request', request, alice);
    expect(() => checkInvoiceRequestSignature(decodeInvoiceRequest(forged))).toThrow('bad signature');
    // This signature is valid, but for a different message.
    const other = signStream('invoice', request, bob);
    expect(() => checkInvoiceRequestSignature(decodeInvoiceRequest(other))).toThrow('bad signature');
  });
});

describe('an invoice', () => {
  const read = decodeInvoice(invoice);

  it('mirrors the request without its signature, and is signed by its node', () => {
    expect(read.fields).toMatchObject({ ...requestFields, ...invoiceFields });
    expect(mirrorsRequest(invoice, request)).toBe(true);
    expect(toHex(invoiceRequestId(invoice))).toBe(toHex(invoiceRequestId(request)));
    expect(() => checkInvoice(read)).not.toThrow();
    expect(() => checkInvoiceSignature(read, aliceId)).not.toThrow();
    expect(() => checkInvoiceSignature(read, bobId)).toThrow('Invalid signature');
    expect(formatInvoice(parseInvoice(formatInvoice(read)))).toBe(formatInvoice(read));
    expect(invoiceExpiry(read.fields)).toBe(1_700_007_200n);
  });

  it('is refused if it contains one node’s offer and a different node’s signature', () => {
    const forged = decodeInvoice(createInvoice(request, { ...invoiceFields, invoiceNodeId: bobId }, bob));
    expect(read.fields.offerIssuerId).toEqual(aliceId);
    expect(() => checkInvoiceSignature(forged, bobId)).not.toThrow();
    expect(() => checkInvoice(forged)).toThrow('invoice_node_id is not the offer_issuer_id');
    // The invoice for an offer without an issuer id is signed by the blinded id of the path that was used.
    const anonymous = createInvoiceRequest(
      encodeOffer({ offerDescription: 'tea', offerPaths: [otherPath, path] }),
      requestFields,
      bob,
    );
    const answer = createInvoice(anonymous, { ...invoiceFields, invoiceNodeId: aliceId }, alice);
    expect(() => checkInvoice(decodeInvoice(answer))).not.toThrow();
    const stolen = createInvoice(anonymous, { ...invoiceFields, invoiceNodeId: bobId }, bob);
    expect(() => checkInvoiceSignature(decodeInvoice(stolen), bobId)).not.toThrow();
    expect(() => checkInvoice(decodeInvoice(stolen))).toThrow(
      'invoice_node_id is not the end of an offer path',
    );
  });

  it('does not match a request that differs in any byte', () => {
    const other = createInvoiceRequest(offer, { ...requestFields, invreqPayerNote: 'Thanks' }, bob);
    expect(mirrorsRequest(invoice, other)).toBe(false);
  });

  it.each([
    ['missing invoice_amount', { invoiceAmountMsat: undefined }],
    ['missing invoice_created_at', { invoiceCreatedAt: undefined }],
    ['missing invoice_payment_hash', { invoicePaymentHash: undefined }],
    ['missing invoice_node_id', { invoiceNodeId: undefined }],
    ['unsupported invoice feature 20', { invoiceFeatures: featuresOf([16, 20]) }],
    ['missing/empty invoice_paths', { invoicePaths: undefined }],
    ['missing/empty invoice_paths', { invoicePaths: [] }],
    ['zero num_hops in path 1/2', { invoicePaths: [path, { ...path, hops: [] }] }],
    ['expected 1 payinfo but found 0', { invoiceBlindedPay: undefined }],
    ['expected 1 payinfo but found 2', { invoiceBlindedPay: [payInfo, payInfo] }],
    [
      'every path requires unknown features',
      { invoiceBlindedPay: [{ ...payInfo, features: featuresOf([2]) }] },
    ],
  ] as [string, InvoiceFields][])('is refused: %s', (reason, change) => {
    const bad = createInvoice(request, { ...invoiceFields, ...change }, alice);
    expect(() => checkInvoice(decodeInvoice(bad))).toThrow(reason);
  });

  it('is refused unsigned, and after any change of a byte', () => {
    const unsigned = decodeInvoice(createInvoice(request, invoiceFields, alice));
    expect(() => checkInvoiceSignature({ ...unsigned, fields: {} }, aliceId)).toThrow('Missing signature');
    fc.assert(
      fc.property(fc.nat(invoice.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const changed = new Uint8Array(invoice);
        changed[at] = (changed[at] as number) ^ change;
        try {
          expect(verifyStream('invoice', changed, aliceId)).toBe(false);
        } catch (error) {
          expect(error).toBeInstanceOf(WireError);
        }
      }),
    );
  });

  it('offers only paths without unknown features, and only addresses that can be paid', () => {
    const two = { ...path, firstPathKey: aliceId };
    const paths = {
      invoicePaths: [path, two],
      invoiceBlindedPay: [{ ...payInfo, features: featuresOf([0]) }, payInfo],
    };
    expect(paymentPaths(paths)).toEqual([{ path: two, payInfo }]);
    const address = (version: number, length: number) => ({ version, address: new Uint8Array(length) });
    const all = [address(0, 20), address(17, 20), address(1, 1), address(16, 40), address(1, 41)];
    const invoiceFallbacks = decodeInvoice(
      createInvoice(request, { ...invoiceFields, invoiceFallbacks: all }, alice),
    ).fields.invoiceFallbacks;
    expect(usableFallbacks({ invoiceFallbacks })).toEqual([address(0, 20), address(16, 40)]);
  });
});

describe('an invoice error', () => {
  it('returns what was written', () => {
    const fields = { erroneousField: 86n, suggestedValue: Uint8Array.of(5), error: 'quantity 9 > 5' };
    expect(decodeInvoiceError(encodeInvoiceError(fields))).toEqual(fields);
    expect(toHex(encodeInvoiceError(fields))).toBe(
      `0101560301${'05'}050e${toHex(Buffer.from(fields.error))}`,
    );
  });
});

describe('an invoice error with a length prefix', () => {
  it('is read as LDK sends it', () => {
    const sent = Buffer.from('0e050c4d697373696e675061746873', 'hex');
    expect(decodeInvoiceError(new Uint8Array(sent))).toEqual({ error: 'MissingPaths' });
  });

  it('and without are distinguished, for any content', () => {
    const text = fc.string({ maxLength: 300 });
    const bytes = fc.uint8Array({ maxLength: 300 });
    const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
    fc.assert(
      fc.property(maybe(fc.bigInt(0n, 2n ** 64n - 1n)), maybe(bytes), maybe(text), (field, value, error) => {
        const fields = { erroneousField: field, suggestedValue: value, error };
        const defined = Object.fromEntries(Object.entries(fields).filter(([, one]) => one !== undefined));
        const encoded = encodeInvoiceError(fields);
        expect(decodeInvoiceError(encoded)).toEqual(defined);
        expect(decodeInvoiceError(withLength(encoded))).toEqual(defined);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('requests, invoices and errors', () => {
  it('throw nothing but WireError on any bytes', () => {
    const whole = fc.constantFrom(request, invoice, encodeInvoiceError({ error: 'x' }));
    const mutated = fc.tuple(whole, fc.nat(), fc.nat(255)).map(([bytes, at, value]) => {
      const changed = new Uint8Array(bytes);
      changed[at % bytes.length] = value;
      return changed;
    });
    fc.assert(
      fc.property(fc.oneof(mutated, fc.uint8Array({ maxLength: 150 })), (bytes) => {
        for (const read of [
          () => checkInvoiceRequest(decodeInvoiceRequest(bytes)),
          () => checkInvoiceRequestSignature(decodeInvoiceRequest(bytes)),
          () => checkInvoice(decodeInvoice(bytes)),
          () => decodeInvoiceError(bytes),
          () => verifyStream('invoice', bytes, aliceId),
          () => offerId(bytes),
        ]) {
          try {
            read();
          } catch (error) {
            expect(error).toBeInstanceOf(WireError);
          }
        }
      }),
      { numRuns: 1000 },
    );
  });
});
