/**
 * Runes: their bytes, authentication codes, and narrowing. The vectors come from the reference library; see
 * vectors.ts.
 */
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseRestrictions, restrictionText } from '../../src/runes/restriction.ts';
import {
  decodeRune,
  encodeRune,
  isDerived,
  issueRune,
  narrowRune,
  runeName,
  testedRestrictions,
} from '../../src/runes/rune.ts';
import { restriction, restrictions } from './arbitrary.ts';
import { SECRET, VECTORS } from './vectors.ts';

const vector = (name: string) => VECTORS.find((one) => one.name === name)!;

describe('the vectors of the reference library', () => {
  it.each(VECTORS)('$name: $text', ({ text, rune }) => {
    const parsed = parseRestrictions(text)!;
    expect(encodeRune(issueRune(SECRET, parsed))).toBe(rune);
    const decoded = decodeRune(rune)!;
    expect(decoded.restrictions).toEqual(parsed);
    expect(isDerived(SECRET, decoded)).toBe(true);
    expect(encodeRune(decoded)).toBe(rune);
    // The padding of base64 may be omitted.
    expect(decodeRune(rune.replace(/=+$/, ''))).toEqual(decoded);
  });

  it('are seventeen in number', () => {
    expect(VECTORS).toHaveLength(17);
  });

  it.each([
    ['1', '1n'],
    ['14', '14n'],
  ])('number %s narrows into %s without the secret', (from, to) => {
    const plain = decodeRune(vector(from).rune)!;
    const narrowed = decodeRune(vector(to).rune)!;
    const added = narrowed.restrictions.slice(plain.restrictions.length);
    expect(encodeRune(added.reduce(narrowRune, plain))).toBe(vector(to).rune);
  });
});

/** The formula at the top of src/runes/rune.ts, with Node's own SHA-256 and all bytes in memory. */
function authcodeByFormula(secret: Uint8Array, texts: readonly string[]): Buffer {
  let message = Buffer.from(secret);
  for (const text of texts) {
    const pad = Buffer.alloc(64 * Math.ceil((message.length + 9) / 64) - message.length);
    pad[0] = 0x80;
    pad.writeBigUInt64BE(BigInt(message.length * 8), pad.length - 8);
    message = Buffer.concat([message, pad, Buffer.from(text)]);
  }
  return createHash('sha256').update(message).digest();
}

describe('any restrictions', () => {
  it('survive encoding and decoding, and have the authcode of the formula', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 16, maxLength: 55 }), restrictions, (secret, given) => {
        const rune = issueRune(secret, given);
        expect(decodeRune(encodeRune(rune))).toEqual({
          authcode: new Uint8Array(rune.authcode),
          restrictions: given,
        });
        expect(Buffer.from(rune.authcode)).toEqual(authcodeByFormula(secret, given.map(restrictionText)));
      }),
    );
  });

  it('verify if and only if they were added to a rune of the secret, in this order', () => {
    fc.assert(
      fc.property(restrictions, restrictions, restriction, (first, more, other) => {
        const secret = SECRET;
        const narrowed = more.reduce(narrowRune, issueRune(secret, first));
        expect(isDerived(secret, narrowed)).toBe(true);
        expect(new Uint8Array(narrowed.authcode)).toEqual(
          new Uint8Array(issueRune(secret, [...first, ...more]).authcode),
        );
        const all = narrowed.restrictions;
        const changed = [
          all.slice(0, -1),
          [...all, other],
          [...all].reverse(),
          all.map((one, index) => (index === 0 ? [...one, ...other] : one)),
        ];
        for (const restrictionsOfOther of changed) {
          const isSame = JSON.stringify(restrictionsOfOther) === JSON.stringify(all);
          const forged = { authcode: narrowed.authcode, restrictions: restrictionsOfOther };
          expect(isDerived(secret, forged)).toBe(isSame);
        }
        expect(
          isDerived(
            secret.map((byte) => byte ^ 1),
            narrowed,
          ),
        ).toBe(false);
      }),
    );
  });

  it('of 0 to 200 bytes give the same rune with and without the secret, for any padding', () => {
    const named = issueRune(SECRET, parseRestrictions('=7')!);
    for (let length = 0; length <= 200; length++) {
      const [added] = parseRestrictions(`n=${'x'.repeat(length)}`)!;
      const once = narrowRune(named, added!);
      expect(isDerived(SECRET, once), `${length} bytes`).toBe(true);
      expect(isDerived(SECRET, narrowRune(once, added!)), `${length} bytes twice`).toBe(true);
    }
  });
});

describe('a text that is not a rune', () => {
  const codeOf = (text: string): string =>
    Buffer.concat([Buffer.alloc(32, 7), Buffer.from(text)]).toString('base64url');

  it.each([
    ['', 'nothing'],
    ['AAAA', 'fewer than 32 bytes'],
    [`${codeOf('')}!`, 'a letter outside the alphabet'],
    [codeOf('').replaceAll('B', '+'), 'the other base64 alphabet'],
    [`${codeOf('a=1')}===`, 'too much padding'],
    [Buffer.concat([Buffer.alloc(32), Buffer.from([0xff, 0xfe])]).toString('base64url'), 'no UTF-8'],
    [codeOf('a=\0'), 'a zero byte'],
    [codeOf('method'), 'no condition'],
    [codeOf('method=1&'), 'nothing after &'],
    [codeOf('method=1|'), 'nothing after |'],
    [codeOf('method=1\\'), 'an empty escape'],
    [codeOf('a=1&=2'), 'a rune name that is not first'],
    [codeOf('=2|a=1'), 'a rune name with an alternative'],
    [codeOf('^2'), 'a rune name with another condition'],
    ...[...'"\'()*+-.:;?[]`,@%'].map((symbol) => [codeOf(`a${symbol}1`), `the condition ${symbol}`]),
  ])('%s is refused: %s', (text) => {
    expect(decodeRune(text as string)).toBeUndefined();
  });

  it('never causes an exception, and never passes', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.base64String(), fc.string({ unit: 'binary' })), (text) => {
        const rune = decodeRune(text);
        if (rune !== undefined) expect(isDerived(SECRET, rune)).toBe(false);
      }),
    );
  });

  it('results from changing one letter of a valid rune', () => {
    const { rune } = vector('1');
    const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const bare = rune.replace(/=+$/, '');
    for (let at = 0; at < bare.length; at++) {
      for (const letter of [
        letters[(letters.indexOf(bare[at]!) + 1) % 64]!,
        letters[letters.indexOf(bare[at]!) ^ 32]!,
      ]) {
        const forged = decodeRune(bare.slice(0, at) + letter + bare.slice(at + 1));
        expect(forged !== undefined && isDerived(SECRET, forged)).toBe(false);
      }
    }
  });
});

describe('the name of a rune', () => {
  it.each([
    ['=0', { uniqueId: '0', version: undefined }],
    ['=2-1', { uniqueId: '2', version: '1' }],
    ['=a-b-c&x=1', { uniqueId: 'a', version: 'b-c' }],
    ['method=x', undefined],
    ['', undefined],
  ])('of %j', (text, name) => {
    const rune = issueRune(SECRET, parseRestrictions(text)!);
    expect(runeName(rune)).toEqual(name);
    expect(testedRestrictions(rune)).toHaveLength(rune.restrictions.length - (name === undefined ? 0 : 1));
  });
});
