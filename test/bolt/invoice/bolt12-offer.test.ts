import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromHex, toHex } from '../../../src/bolt/bytes.ts';
import { curve } from '../../../src/bolt/crypto/curve.ts';
import type { OfferFields } from '../../../src/bolt/invoice/bolt12-fields.ts';
import {
  CHAIN_HASHES,
  checkOffer,
  decodeOffer,
  encodeOffer,
  expectedInvoiceNodeId,
  formatOffer,
  parseOffer,
} from '../../../src/bolt/invoice/bolt12-offer.ts';
import { decodeTlvStream, type TlvRecord } from '../../../src/bolt/tlv.ts';
import { WireError } from '../../../src/bolt/wire-error.ts';
import { vectors } from '../vectors.ts';

interface Vector {
  readonly valid: boolean;
  readonly bolt12: string;
  readonly fields?: { type: number; length: number; hex: string }[];
}

const check = (text: string) => checkOffer(parseOffer(text));

describe('bolt12/offers-test.json', () => {
  const cases: Vector[] = vectors('bolt12-offers');

  it.each(cases.filter(({ valid }) => valid))('valid: $bolt12', ({ bolt12, fields }) => {
    const offer = parseOffer(bolt12);
    checkOffer(offer);
    const records = decodeTlvStream(offer.bytes).map(({ type, value }) => ({
      type: Number(type),
      length: value.length,
      hex: toHex(value),
    }));
    expect(records).toEqual(fields);
    expect(toHex(encodeOffer(offer.fields, offer.unknown))).toBe(toHex(offer.bytes));
    expect(formatOffer(offer)).toBe(bolt12.toLowerCase());
  });

  it.each(cases.filter(({ valid }) => !valid))('invalid: $bolt12', ({ bolt12 }) => {
    expect(() => check(bolt12)).toThrow(WireError);
  });

  it('has cases of both kinds', () => {
    expect([cases.filter(({ valid }) => valid).length, cases.filter(({ valid }) => !valid).length]).toEqual([
      20, 33,
    ]);
  });
});

const nodeId = curve.publicKey(fromHex('41'.repeat(32)));
const good: OfferFields = { offerAmount: 1000n, offerDescription: 'tea', offerIssuerId: nodeId };
const monthly = { timeUnit: 2, period: 1 };

describe('the rules on offers', () => {
  const reason = (
    fields: OfferFields,
    unknown: TlvRecord[] = [],
    chain: Uint8Array = CHAIN_HASHES.bitcoin,
  ): string => {
    try {
      checkOffer(decodeOffer(encodeOffer(fields, unknown)), chain);
      return 'none';
    } catch (error) {
      expect(error).toBeInstanceOf(WireError);
      return (error as Error).message;
    }
  };
  const path = (hops: number) => ({
    firstNode: nodeId,
    firstPathKey: nodeId,
    hops: Array.from({ length: hops }, () => ({
      blindedNodeId: nodeId,
      encryptedRecipientData: new Uint8Array(3),
    })),
  });
  const issuerOnly = { offerIssuerId: nodeId };

  it.each([
    ['none', good],
    ['none', issuerOnly],
    ['none', { offerPaths: [path(1)] }],
    ['none', { ...good, offerChains: [CHAIN_HASHES.regtest, CHAIN_HASHES.bitcoin] }],
    ['wrong chain', { ...good, offerChains: [CHAIN_HASHES.regtest] }],
    ['wrong chain', { ...good, offerChains: [] }],
    ['unknown feature bit 2', { ...good, offerFeatures: fromHex('04') }],
    ['none', { ...good, offerFeatures: fromHex('08') }],
    ['Offer does not contain a description, but contains an amount', { ...issuerOnly, offerAmount: 1n }],
    ['none', { ...good, offerDescription: '' }],
    ['Offer contains a zero amount', { ...good, offerAmount: 0n }],
    [
      'Offer contains a currency with no amount',
      { ...issuerOnly, offerDescription: 'x', offerCurrency: 'USD' },
    ],
    ['Offer does not contain an issuer_id or paths', { offerDescription: 'x' }],
    ['Offer contains an empty offer_path', { ...good, offerPaths: [] }],
    ['Offer contains an empty offer_path', { ...good, offerPaths: [path(2), path(0)] }],
    ['none', { ...good, offerRecurrenceCompulsory: monthly, offerRecurrenceLimit: 3 }],
    [
      'Offer contains invalid recurrence time_unit 3',
      { ...good, offerRecurrenceOptional: { timeUnit: 3, period: 1 } },
    ],
    [
      'Offer contains recurrence period 0',
      { ...good, offerRecurrenceCompulsoryDraft: { timeUnit: 0, period: 0 } },
    ],
    [
      'Offer contains recurrence limit 0',
      { ...good, offerRecurrenceCompulsory: monthly, offerRecurrenceLimit: 0 },
    ],
    ['Offer contains recurrence fields but no recurrence', { ...good, offerRecurrenceLimit: 3 }],
    [
      'Offer contains recurrence fields but no recurrence',
      { ...good, offerRecurrencePaywindowDraft: { secondsBefore: 1, secondsAfter: 1 } },
    ],
  ] as [string, OfferFields][])('%s: %o', (expected, fields) => {
    expect(reason(fields)).toBe(expected);
  });

  it('refuse fields outside the ranges of offers', () => {
    const field = (type: bigint) => [{ type, value: Uint8Array.of(1) }];
    expect(reason(good, field(79n))).toBe('none');
    expect(reason(good, field(81n))).toBe('Offer 81 field outside offer range');
    expect(reason(good, field(1_999_999_999n))).toBe('none');
    expect(reason(good, field(2_000_000_001n))).toBe('Offer 2000000001 field outside offer range');
    expect(reason(good, field(80n))).toBe('invalid offer data');
  });

  it('refuse a different prefix, naming it', () => {
    const { bytes } = decodeOffer(encodeOffer(good));
    expect(() => parseOffer(formatOffer({ bytes }).replace('lno', 'lnr'))).toThrow('unexpected prefix lnr');
  });

  it('determine who must sign the invoice', () => {
    expect(toHex(expectedInvoiceNodeId(good, 0))).toBe(toHex(nodeId));
    expect(toHex(expectedInvoiceNodeId({ offerPaths: [path(2)] }, 0))).toBe(toHex(nodeId));
    expect(() => expectedInvoiceNodeId({ offerPaths: [path(2)] }, 1)).toThrow(WireError);
  });

  it('throw nothing but WireError on any bytes', () => {
    const bytes = encodeOffer({ ...good, offerPaths: [path(2)], offerRecurrenceOptional: monthly });
    const mutated = fc.tuple(fc.nat(bytes.length - 1), fc.nat(255)).map(([at, value]) => {
      const changed = new Uint8Array(bytes);
      changed[at] = value;
      return changed;
    });
    fc.assert(
      fc.property(fc.oneof(mutated, fc.uint8Array({ maxLength: 100 })), (candidate) => {
        try {
          const offer = decodeOffer(candidate);
          expect(toHex(encodeOffer(offer.fields, offer.unknown))).toBe(toHex(candidate));
          checkOffer(offer);
        } catch (error) {
          expect(error).toBeInstanceOf(WireError);
        }
      }),
      { numRuns: 2000 },
    );
  });
});
