import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromHex, toHex } from '../../../src/bolt/bytes.ts';
import { curve } from '../../../src/bolt/crypto/curve.ts';
import {
  checkPayload,
  decodePayload,
  encodePayload,
  type HopPayload,
  KEYSEND_PREIMAGE_TYPE,
  MAX_FORWARD_FRAME_BYTES,
  payloadSize,
} from '../../../src/bolt/onion/payload.ts';
import { frameBytes } from '../../../src/bolt/onion/sphinx.ts';
import { WireError } from '../../../src/bolt/wire-error.ts';
import { msat } from '../../../src/model/msat.ts';
import { shortChannelId } from '../../../src/model/short-channel-id.ts';
import { vectors } from '../vectors.ts';

const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 });
const amount = fc.bigInt(0n, 2n ** 64n - 1n).map(msat);
const aPoint = curve.publicKey(fromHex('07'.repeat(32)));
const customRecords = fc
  .uniqueArray(
    fc.record({
      type: fc.bigInt(32768n, 2n ** 60n).map((half) => 2n * half + 1n),
      value: fc.uint8Array({ maxLength: 300 }),
    }),
    { selector: ({ type }) => type, minLength: 1, maxLength: 4 },
  )
  .map((records) => records.sort((a, b) => (a.type < b.type ? -1 : 1)));

const anyPayload = fc.record(
  {
    amtToForwardMsat: amount,
    outgoingCltvValue: fc.nat(0xffffffff),
    shortChannelId: fc.nat(0xffff).map((output) => shortChannelId(800_000, 7, output)),
    paymentData: fc.record({ paymentSecret: bytes32, totalMsat: amount }),
    encryptedRecipientData: fc.uint8Array({ maxLength: 300 }),
    currentPathKey: fc.constant(aPoint),
    paymentMetadata: fc.uint8Array({ maxLength: 300 }),
    totalAmountMsat: amount,
    keysendPreimage: bytes32,
    customRecords,
  },
  { requiredKeys: [] },
) as fc.Arbitrary<HopPayload>;

const plain = { amtToForwardMsat: msat(1000), outgoingCltvValue: 800_100 };

describe('payloads', () => {
  it('return what was written, and take exactly the computed size', () => {
    fc.assert(
      fc.property(anyPayload, (payload) => {
        const bytes = encodePayload(payload);
        expect(decodePayload(bytes)).toEqual(payload);
        expect(payloadSize(payload)).toBe(frameBytes(bytes.length));
      }),
    );
  });

  it('of a keysend are written in order of type', () => {
    const payload: HopPayload = {
      ...plain,
      keysendPreimage: fromHex('ab'.repeat(32)),
      customRecords: [
        { type: 70_001n, value: fromHex('0102') },
        { type: 5482373485n, value: fromHex('03') },
      ],
    };
    // 2: 1000 | 4: 800100 | 70001: 0102 | 5482373484: preimage | 5482373485: 03
    const hex = `020203e804030c3564fe00011171020102ff0000000146c6616c20${'ab'.repeat(32)}ff0000000146c6616d0103`;
    expect(toHex(encodePayload(payload))).toBe(hex);
    expect(KEYSEND_PREIMAGE_TYPE).toBe(0x146c6616cn);
  });

  it('of a forwarding hop never exceed the stated bound', () => {
    // 1 + (1+1+8) + (1+1+4) + (1+1+8) + 32
    expect(MAX_FORWARD_FRAME_BYTES).toBe(59);
  });

  it('refuse unknown even types unless the node knows them, and report which', () => {
    const bytes = encodePayload({ ...plain, customRecords: [{ type: 70_000n, value: new Uint8Array(1) }] });
    expect(() => decodePayload(bytes)).toThrow(
      expect.objectContaining({ reason: 'unknownEven', tlvType: 70_000n, offset: 9 }),
    );
    expect(decodePayload(bytes, (type) => type === 70_000n).customRecords).toHaveLength(1);
  });

  it('throw nothing but WireError when they are malformed', () => {
    const mutated = fc.tuple(anyPayload, fc.nat(), fc.nat(255)).map(([payload, at, value]) => {
      const bytes = encodePayload(payload);
      bytes[at % Math.max(1, bytes.length)] = value;
      return bytes;
    });
    fc.assert(
      fc.property(fc.oneof(mutated, fc.uint8Array({ maxLength: 200 })), (bytes) => {
        try {
          const payload = decodePayload(bytes);
          expect(toHex(encodePayload(payload))).toBe(toHex(bytes));
        } catch (error) {
          expect(error).toBeInstanceOf(WireError);
        }
      }),
      { numRuns: 2000 },
    );
  });
});

describe('the rules on fields', () => {
  const encryptedRecipientData = new Uint8Array(20);
  const currentPathKey = aPoint;
  const scid = shortChannelId(1, 2, 3);
  const blindedFinal = { ...plain, totalAmountMsat: msat(1000), encryptedRecipientData };
  const forward = { isFinal: false, hasPathKey: false };
  const final = { isFinal: true, hasPathKey: false };
  const blindedForward = { isFinal: false, hasPathKey: true };
  const blindedLast = { isFinal: true, hasPathKey: true };

  it.each([
    ['a forwarding hop', { ...plain, shortChannelId: scid }, forward],
    ['a final hop', plain, final],
    ['a final hop with custom records', { ...plain, customRecords: [] }, final],
    ['an introduction node', { encryptedRecipientData, currentPathKey }, forward],
    ['a blinded hop', { encryptedRecipientData }, blindedForward],
    ['a blinded final hop', blindedFinal, blindedLast],
    ['an introduction node that is final', { ...blindedFinal, currentPathKey }, final],
  ])('accept %s', (_, payload, position) => {
    expect(() => checkPayload(payload, position)).not.toThrow();
  });

  it.each([
    ['no amount', { outgoingCltvValue: 1, shortChannelId: scid }, forward, 2n],
    ['no expiry', { amtToForwardMsat: msat(1) }, final, 4n],
    ['no channel to forward to', plain, forward, 6n],
    ['a path key without encrypted data', { ...plain, currentPathKey }, final, 12n],
    ['no encrypted data inside a blinded path', plain, blindedLast, 10n],
    ['no path key at the introduction', { encryptedRecipientData }, forward, 12n],
    ['two path keys', { encryptedRecipientData, currentPathKey }, blindedForward, 12n],
    ['an amount for a blinded hop', { encryptedRecipientData, ...plain }, blindedForward, 2n],
    ['a channel for a blinded final hop', { ...blindedFinal, shortChannelId: scid }, blindedLast, 6n],
    ['no total for a blinded final hop', { ...plain, encryptedRecipientData }, blindedLast, 18n],
    [
      'a custom record in a blinded path',
      { ...blindedFinal, customRecords: [{ type: 65537n, value: new Uint8Array(0) }] },
      blindedLast,
      65537n,
    ],
  ])('refuse %s', (_, payload, position, tlvType) => {
    expect(() => checkPayload(payload, position)).toThrow(
      expect.objectContaining({ reason: 'fields', tlvType }),
    );
  });
});

describe('bolt04/blinded-payment-onion-test.json', () => {
  const { generate } = vectors('bolt04-blinded-payment');

  it('payloads decode to the stated fields and encode back', () => {
    for (const hop of generate.full_route.hops) {
      const bytes = fromHex(hop.payload).subarray(1);
      const payload = decodePayload(bytes);
      expect(toHex(encodePayload(payload))).toBe(toHex(bytes));
      expect(Number(payload.amtToForwardMsat ?? 0)).toBe(hop.tlvs.amt_to_forward ?? 0);
      expect(payload.outgoingCltvValue).toBe(hop.tlvs.outgoing_cltv_value);
      expect(Number(payload.totalAmountMsat ?? 0)).toBe(hop.tlvs.total_amount_msat ?? 0);
      expect(payload.currentPathKey && toHex(payload.currentPathKey)).toBe(hop.tlvs.current_path_key);
    }
  });
});
