import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Point } from '@noble/secp256k1';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatShortChannelId } from '../../src/model/short-channel-id.ts';
import { parseJson } from '../../src/rpc/json-token.ts';
import * as types from '../../src/rpc/param-types.ts';

/** The parsed value, or the reason for refusing it. */
function parsed(type: types.ParamType<unknown>, json: string): unknown {
  try {
    return type.parse(parseJson(json), undefined);
  } catch (error) {
    if (error instanceof types.BadToken) return error.reason;
    throw error;
  }
}

const U16 = 'should be an unsigned 16 bit integer';
const U32 = 'should be an unsigned 32 bit integer';
const U64 = 'should be an unsigned 64 bit integer';
const BOOL = "should be 'true' or 'false'";
const MSAT = 'should be a millisatoshi amount';
const SCID = 'should be a short_channel_id of form NxNxN';
const SCIDD = 'should be a short_channel_id_dir of form NxNxN/N';
const FLOAT = 'should be a non-negative floating-point number';
const HEX32 = 'should be a 32 byte hex value';
const BIAS = 'should be a number between -100 and 100';
const bias = types.integer(-100, 100, BIAS);
const days = types.integer(1, 365);
const way = types.oneOf(['in', 'out'], 'Expected either in or out values.');

const cases: readonly [string, types.ParamType<unknown>, string, unknown][] = [
  ['u16', types.u16, '65535', 65535],
  ['u16', types.u16, '"0"', 0],
  ['u16', types.u16, '"007"', 7],
  ['u16', types.u16, '65536', U16],
  ['u16', types.u16, '-1', U16],
  ['u16', types.u16, '1.0', U16],
  ['u16', types.u16, '1e3', U16],
  ['u16', types.u16, '"0x10"', U16],
  ['u16', types.u16, '" 1"', U16],
  ['u16', types.u16, '""', U16],
  ['u16', types.u16, 'true', U16],
  ['u16', types.u16, '[1]', U16],
  ['u32', types.u32, '4294967295', 4294967295],
  ['u32', types.u32, '4294967296', U32],
  ['u64', types.u64, '18446744073709551615', 2n ** 64n - 1n],
  ['u64', types.u64, '18446744073709551616', U64],
  ['u64', types.u64, `"${'9'.repeat(10_000)}"`, U64],
  ['custom number', types.unsignedInteger('u32', 'should be an integer', 9, 2), '1', 'should be an integer'],
  ['custom number', types.unsignedInteger('u32', 'should be an integer', 9, 2), '2', 2],
  ['integer', days, '365', 365],
  ['integer', days, '366', 'should be an integer from 1 to 365'],
  ['integer', days, '0', 'should be an integer from 1 to 365'],
  ['bias', bias, '-100', -100],
  ['bias', bias, '"100"', 100],
  ['bias', bias, '-0', 0],
  ['bias', bias, '101', BIAS],
  ['bias', bias, '5.0', BIAS],
  ['bias', bias, '"5 "', BIAS],
  ['bool', types.bool, 'true', true],
  ['bool', types.bool, 'false', false],
  ['bool', types.bool, '"true"', BOOL],
  ['bool', types.bool, '1', BOOL],
  ['string', types.string, '"a\\"\\u00e9"', 'a"é'],
  ['string', types.string, '5.00', '5.00'],
  ['string', types.string, 'true', 'true'],
  ['string', types.string, '{"a": 1}', '{"a": 1}'],
  ['label', types.stringOrNumber, '"a"', 'a'],
  ['label', types.stringOrNumber, '5', '5'],
  ['label', types.stringOrNumber, '[]', 'should be a string or number'],
  ['word', way, '"out"', 'out'],
  ['word', way, '"Out"', 'Expected either in or out values.'],
  ['msat', types.msat, '0', 0n],
  ['msat', types.msat, '18446744073709551615', 2n ** 64n - 1n],
  ['msat', types.msat, '18446744073709551616', MSAT],
  ['msat', types.msat, '"1000msat"', 1000n],
  ['msat', types.msat, '"12sat"', 12_000n],
  ['msat', types.msat, '"1.000sat"', 1000n],
  ['msat', types.msat, '"1.5sat"', MSAT],
  ['msat', types.msat, '"1btc"', 100_000_000_000n],
  ['msat', types.msat, '"0.00000000001btc"', 1n],
  ['msat', types.msat, '"0.000000000001btc"', MSAT],
  ['msat', types.msat, '"1msatfoo"', MSAT],
  ['msat', types.msat, '1000.0', MSAT],
  ['msat', types.msat, '1e3', MSAT],
  ['msat', types.msat, '-1', MSAT],
  ['msat', types.msat, '" 1"', MSAT],
  ['msat', types.msat, '"1 sat"', MSAT],
  ['msat', types.msat, '"1SAT"', MSAT],
  ['msat', types.msat, 'true', MSAT],
  ['msat', types.msat, '{}', MSAT],
  ['msat above zero', types.positiveMsat, '"0btc"', 'must be non-zero'],
  ['msat above zero', types.positiveMsat, '-1', MSAT],
  ['msat above zero', types.positiveMsat, '1', 1n],
  ['millionths', types.millionths, '0.5', 500_000n],
  ['millionths', types.millionths, '"5."', 5_000_000n],
  ['millionths', types.millionths, '".5"', 500_000n],
  ['millionths', types.millionths, '"1.23456789"', 1_234_567n],
  ['millionths', types.millionths, '"18446744073709.551615"', 2n ** 64n - 1n],
  ['millionths', types.millionths, '"18446744073709.551616"', FLOAT],
  ['millionths', types.millionths, '"."', FLOAT],
  ['millionths', types.millionths, '-1', FLOAT],
  ['millionths', types.millionths, '1e2', FLOAT],
  ['short_channel_id', types.shortChannelId, '"1x2x3"', (1n << 40n) | (2n << 16n) | 3n],
  ['short_channel_id', types.shortChannelId, '"16777215x16777215x65535"', 2n ** 64n - 1n],
  ['short_channel_id', types.shortChannelId, '"16777216x0x0"', SCID],
  ['short_channel_id', types.shortChannelId, '"1x1x1/0"', SCID],
  ['short_channel_id', types.shortChannelId, '1', SCID],
  ['short_channel_id_dir', types.shortChannelIdDir, '"0x0x1/1"', { shortChannelId: 1n, direction: 1 }],
  ['short_channel_id_dir', types.shortChannelIdDir, '"0x0x1/2"', SCIDD],
  ['short_channel_id_dir', types.shortChannelIdDir, '"0x0x1"', SCIDD],
  ['hash', types.hash, `"${'aB'.repeat(32)}"`, 'ab'.repeat(32)],
  ['hash', types.hash, `"${'ab'.repeat(31)}"`, HEX32],
  ['array', types.arrayOf(types.u16), '[1,"2"]', [1, 2]],
  ['array', types.arrayOf(types.u16), '[]', []],
  ['array', types.arrayOf(types.u16), '[1,null]', U16],
  ['array', types.arrayOf(types.u16), '"x"', 'should be an array'],
  ['array', types.arrayOf(types.arrayOf(types.u16)), '[[1],{}]', 'should be an array'],
];

describe('parameter types', () => {
  it.each(cases)('%s of %#', (_name, type, json, expected) => {
    expect(parsed(type, json)).toEqual(expected);
  });

  it('accept points of the curve as node ids, in lower or upper case', () => {
    const id = '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798';
    expect(parsed(types.nodeId, `"${id.toUpperCase()}"`)).toBe(id);
    expect(parsed(types.nodeId, `"${id}00"`)).toBe('should be a node id');
    expect(parsed(types.nodeId, '5')).toBe('should be a node id');
    expect(parsed(types.pubkey, '"x"')).toBe('should be a compressed pubkey');
  });

  it('remember verdicts on node ids correctly', () => {
    const x = fc
      .uint8Array({ minLength: 32, maxLength: 32 })
      .map((bytes) => Buffer.from(bytes).toString('hex'));
    fc.assert(
      fc.property(x, fc.constantFrom('02', '03', '04'), (digits, prefix) => {
        let onCurve = prefix !== '04';
        try {
          Point.fromHex(`02${digits}`);
        } catch {
          onCurve = false;
        }
        for (let again = 0; again < 2; again++) {
          const verdict = parsed(types.nodeId, `"${prefix}${digits}"`);
          expect(verdict).toBe(onCurve ? prefix + digits : 'should be a node id');
        }
      }),
    );
  });

  it('give a value or a reason for any JSON', () => {
    const all = [...new Set(cases.map(([, type]) => type)), types.nodeId, types.pubkey];
    fc.assert(
      fc.property(fc.json(), (json) => {
        for (const type of all) parsed(type, json);
      }),
      { numRuns: 500 },
    );
  });

  it('read what we write', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), (value) => {
        expect(parsed(types.u64, `${value}`)).toBe(value);
        expect(parsed(types.msat, `"${value}msat"`)).toBe(value);
        expect(parsed(types.shortChannelId, `"${formatShortChannelId(value)}"`)).toBe(value);
      }),
    );
  });
});

describe('node ids', () => {
  it('keep no other part of their request in memory', () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const usedBytes = () => {
      collect();
      return process.memoryUsage().heapUsed;
    };
    const requestBytes = 100_000;
    const ids = Array.from({ length: 100 }, (_, n) => Point.BASE.multiply(BigInt(n + 1000)).toHex(true));
    const before = usedBytes();
    const kept = ids.map((id) => {
      const request = parseJson(`{"id":"${id}","text":"${id[10]!.repeat(requestBytes)}"}`);
      return types.nodeId.parse(request.membersByName().get('id')!, undefined);
    });
    expect(usedBytes() - before).toBeLessThan((ids.length * requestBytes) / 10);
    expect(kept).toEqual(ids);
  });
});
