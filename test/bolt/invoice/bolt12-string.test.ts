import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toHex } from '../../../src/bolt/bytes.ts';
import { parseOffer } from '../../../src/bolt/invoice/bolt12-offer.ts';
import { decodeBolt12String, encodeBolt12String } from '../../../src/bolt/invoice/bolt12-string.ts';
import { WireError } from '../../../src/bolt/wire-error.ts';
import { vectors } from '../vectors.ts';

describe('bolt12/format-string-test.json', () => {
  const cases = vectors('bolt12-strings');

  it.each(cases as { valid: boolean; string: string }[])('case %#: $valid', ({ valid, string }) => {
    if (valid) expect(parseOffer(string).fields.offerDescription).toBe('An example description');
    else expect(() => parseOffer(string)).toThrow(WireError);
  });
});

describe('BOLT 12 strings', () => {
  it('return the bytes that were written, in upper or lower case and split anywhere', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 60 }),
        fc.nat(),
        fc.constantFrom('', ' ', '\n', '\r\n\t '),
        (data, at, space) => {
          const text = encodeBolt12String('lni', data);
          const cut = 1 + (at % (text.length - 1));
          const broken = `${text.slice(0, cut)}+${space}${text.slice(cut)}`;
          for (const form of [text, text.toUpperCase(), broken]) {
            expect(decodeBolt12String(form)).toEqual({ prefix: 'lni', data: new Uint8Array(data) });
          }
        },
      ),
    );
  });

  it('encode five bits per character, like a bit-by-bit reference', () => {
    const digits = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
    for (let length = 0; length <= 16; length++) {
      const data = Uint8Array.from({ length }, (_, i) => (i * 89 + 171) & 0xff);
      const bits = [...data].map((byte) => byte.toString(2).padStart(8, '0')).join('');
      const expected = bits.replace(/.{1,5}/g, (group) => digits[Number.parseInt(group.padEnd(5, '0'), 2)]!);
      expect(encodeBolt12String('lni', data)).toBe(`lni1${expected}`);
    }
  });

  it.each([
    ['', 'invalid bech32 string'],
    ['1', 'invalid bech32 string'],
    ['lno', 'invalid bech32 string'],
    ['lno 1qq', 'invalid bech32 string'],
    ['lno1qb', 'invalid bech32 string'],
    ['lno1qQ', 'invalid bech32 string'],
    ['l2o1qq', 'invalid bech32 string'],
    ['lno1q', 'invalid bech32 string'],
    ['lno1qqqqqqq+', 'unfinished string'],
    ['lno1qq ++qq', 'unfinished string'],
    ['lno1\u001b[31m', 'invalid bech32 string'],
  ])('%j is refused: %s', (text, reason) => {
    expect(() => decodeBolt12String(text)).toThrow(reason);
  });

  it('refuse nonzero padding bits', () => {
    expect(toHex(decodeBolt12String('lno1qq').data)).toBe('00');
    expect(() => decodeBolt12String('lno1qp')).toThrow('invalid bech32 string');
  });

  it('have a maximum length, and throw nothing but WireError', () => {
    expect(() => decodeBolt12String(`lno1${'q'.repeat(300_000)}`)).toThrow(WireError);
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.string().map((tail) => `lno1${tail}`),
        ),
        (text) => {
          try {
            decodeBolt12String(text);
          } catch (error) {
            expect(error).toBeInstanceOf(WireError);
          }
        },
      ),
    );
  });
});
