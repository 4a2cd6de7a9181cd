import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { concatBytes, fromHex, toHex } from '../../../src/bolt/bytes.ts';
import {
  decodeFailure,
  encodeFailure,
  FAILURES,
  type FailureFields,
  type FailureName,
  type FieldsOf,
  failureName,
  isBadOnion,
  isNodeFailure,
  isPermanent,
  isUpdate,
} from '../../../src/bolt/onion/failure.ts';
import { WireError } from '../../../src/bolt/wire-error.ts';
import { msat } from '../../../src/model/msat.ts';

const hash = fromHex('5a'.repeat(32));
const update = fromHex('0102ffff');
const H = '5a'.repeat(32);
const all: Required<FailureFields> = {
  sha256OfOnion: hash,
  htlcMsat: msat(100),
  cltvExpiry: 800_000,
  height: 800_001,
  disabledFlags: 2,
  channelUpdate: update,
  tlvType: 5482373484n,
  offset: 12,
};

/** Each failure code followed by its fields in wire order (BOLT 4, "Failure Messages"). */
const WIRE: Readonly<Record<FailureName, string>> = {
  temporary_node_failure: '2002',
  permanent_node_failure: '6002',
  required_node_feature_missing: '6003',
  invalid_onion_version: `c004${H}`,
  invalid_onion_hmac: `c005${H}`,
  invalid_onion_key: `c006${H}`,
  temporary_channel_failure: '1007' + '00040102ffff',
  permanent_channel_failure: '4008',
  required_channel_feature_missing: '4009',
  unknown_next_peer: '400a',
  amount_below_minimum: '100b' + '0000000000000064' + '00040102ffff',
  fee_insufficient: '100c' + '0000000000000064' + '00040102ffff',
  incorrect_cltv_expiry: '100d' + '000c3500' + '00040102ffff',
  expiry_too_soon: '100e' + '00040102ffff',
  incorrect_or_unknown_payment_details: '400f' + '0000000000000064' + '000c3501',
  final_incorrect_cltv_expiry: '0012' + '000c3500',
  final_incorrect_htlc_amount: '0013' + '0000000000000064',
  channel_disabled: '1014' + '0002' + '00040102ffff',
  expiry_too_far: '0015',
  invalid_onion_payload: '4016' + 'ff0000000146c6616c' + '000c',
  mpp_timeout: '0017',
  invalid_onion_blinding: `c018${H}`,
};

const names = Object.keys(FAILURES) as FailureName[];

function fieldsFor(name: FailureName): FailureFields {
  return Object.fromEntries(FAILURES[name].fields.map((field) => [field, all[field]]));
}

describe('failure messages', () => {
  it.each(names)('%s is written as BOLT 4 says and read back', (name) => {
    const bytes = encodeFailure(name, fieldsFor(name) as FieldsOf<typeof name>);
    expect(toHex(bytes)).toBe(WIRE[name]);
    expect(decodeFailure(bytes)).toEqual({
      code: FAILURES[name].code,
      name,
      fields: fieldsFor(name),
      isComplete: true,
      tlvs: [],
    });
  });

  it.each(names)('%s keeps its complete fields when it is cut', (name) => {
    const bytes = fromHex(WIRE[name]);
    for (let length = 2; length < bytes.length; length++) {
      expect(decodeFailure(bytes.subarray(0, length))).toMatchObject({ name, isComplete: false });
    }
    expect(() => decodeFailure(bytes.subarray(0, 1))).toThrow(WireError);
  });

  it('have an empty channel_update if the node sends none', () => {
    const bytes = encodeFailure('fee_insufficient', { htlcMsat: msat(7) });
    expect(toHex(bytes)).toBe('100c' + '0000000000000007' + '0000');
    expect(decodeFailure(bytes).fields).toEqual({ htlcMsat: 7n, channelUpdate: new Uint8Array(0) });
  });

  it('carry a TLV stream, and ignore bytes that are not a TLV stream', () => {
    const tlvs = [{ type: 34001n, value: Uint8Array.of(1, 2) }];
    const bytes = encodeFailure('unknown_next_peer', {}, tlvs);
    expect(decodeFailure(bytes).tlvs).toEqual(tlvs);
    expect(decodeFailure(concatBytes(bytes, Uint8Array.of(0)))).toMatchObject({ isComplete: true, tlvs: [] });
  });

  it('of unknown codes keep the meaning of their flags', () => {
    expect(decodeFailure(fromHex('70ff01'))).toMatchObject({ code: 0x70ff, name: undefined });
    expect(failureName(0x70ff)).toBeUndefined();
    const flags = (code: number) => [
      isBadOnion(code),
      isPermanent(code),
      isNodeFailure(code),
      isUpdate(code),
    ];
    expect(flags(0x70ff)).toEqual([false, true, true, true]);
    expect(flags(0xc005)).toEqual([true, true, false, false]);
    expect(flags(0x0017)).toEqual([false, false, false, false]);
  });

  it('refuse to be written without their fields', () => {
    expect(() => encodeFailure('fee_insufficient', {} as FieldsOf<'fee_insufficient'>)).toThrow(WireError);
    expect(() => encodeFailure('invalid_onion_hmac', { sha256OfOnion: new Uint8Array(3) })).toThrow(
      WireError,
    );
  });

  it('throw nothing but WireError on any bytes', () => {
    const mutated = fc.tuple(fc.constantFrom(...names), fc.nat(), fc.nat(255)).map(([name, at, value]) => {
      const bytes = fromHex(WIRE[name]);
      bytes[at % bytes.length] = value;
      return bytes;
    });
    fc.assert(
      fc.property(fc.oneof(mutated, fc.uint8Array({ maxLength: 80 })), (bytes) => {
        try {
          decodeFailure(bytes);
        } catch (error) {
          expect(error).toBeInstanceOf(WireError);
        }
      }),
      { numRuns: 2000 },
    );
  });
});
