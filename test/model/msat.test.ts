import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addMsat, msat, parseMsat, U64_MAX } from '../../src/model/msat.ts';

describe('msat', () => {
  it.each([
    ['0', 0n],
    ['1000', 1000n],
    ['1000msat', 1000n],
    ['3sat', 3000n],
    ['1.234sat', 1234n],
    ['1btc', 100_000_000_000n],
    ['0.1btc', 10_000_000_000n],
    ['0.00000000001btc', 1n],
    ['18446744073709551615', U64_MAX],
  ])('reads %s', (text, amount) => expect(parseMsat(text)).toBe(amount));

  it.each([
    '',
    '-1',
    '+1',
    ' 1',
    '1 ',
    '1e3',
    '1.0',
    '1.5sat',
    '1.0000sat',
    '1.btc',
    '1.000000000000btc',
    '1msatoshi',
    '1satfoo',
    '1BTC',
    '0x10',
    '18446744073709551616',
    '1.5msat',
    '.5btc',
  ])('refuses %j', (text) => expect(parseMsat(text)).toBeUndefined());

  it('checks every sum', () => {
    fc.assert(
      fc.property(fc.bigInt(0n, U64_MAX), fc.bigInt(0n, U64_MAX), (a, b) => {
        if (a + b > U64_MAX) expect(() => addMsat(msat(a), msat(b))).toThrow(RangeError);
        else expect(addMsat(msat(a), msat(b))).toBe(a + b);
      }),
    );
  });
});
