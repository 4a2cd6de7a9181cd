import { hkdf } from '@noble/hashes/hkdf.js';
import { hmac } from '@noble/hashes/hmac.js';
import { sha256 as nobleSha256 } from '@noble/hashes/sha2.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { concatBytes, fromHex, toHex } from '../../../src/bolt/bytes.ts';
import {
  chacha20Stream,
  hkdfTwoKeys,
  hmacOfHash,
  hmacSha256,
  openBox,
  sealBox,
  sha256,
  sha256Into,
  taggedHash,
} from '../../../src/bolt/crypto/hashes.ts';
import { WireError } from '../../../src/bolt/wire-error.ts';

describe('hashes', () => {
  it('sha256 and HMAC equal an independent implementation at every length', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 80 }),
        fc.array(fc.uint8Array({ maxLength: 3000 }), { minLength: 1, maxLength: 3 }),
        (key, parts) => {
          const message = concatBytes(...parts);
          expect(toHex(sha256(...parts))).toBe(toHex(nobleSha256(message)));
          expect(toHex(hmacSha256(key, ...parts))).toBe(toHex(hmac(nobleSha256, key, message)));
        },
      ),
    );
  });

  it('HMAC accepts keys and messages beyond one block and beyond its buffer', () => {
    for (const [key, message] of [
      [63, 10],
      [64, 10],
      [65, 10],
      [200, 10],
      [32, 4031],
      [32, 4032],
      [32, 4033],
      [32, 40_000],
    ] as const) {
      const [keyBytes, messageBytes] = [new Uint8Array(key).fill(3), new Uint8Array(message).fill(4)];
      expect(toHex(hmacSha256(keyBytes, messageBytes))).toBe(
        toHex(hmac(nobleSha256, keyBytes, messageBytes)),
      );
    }
  });

  it('HMAC with a prepared key equals HMAC, for messages of any length and one after the other', () => {
    for (const length of [0, 3, 63, 64]) {
      const key = new Uint8Array(length).fill(7);
      const prepared = hmacOfHash(key);
      for (const message of [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2), new Uint8Array(5)]) {
        expect(toHex(prepared(message))).toBe(toHex(hmac(nobleSha256, key, message)));
      }
    }
  });

  it('a hash written into an array changes only its own bytes', () => {
    const target = new Uint8Array(40).fill(9);
    const expected = [9, 9, 9, ...nobleSha256(Uint8Array.of(1, 2, 3)), 9, 9, 9, 9, 9];
    expect([...sha256Into(target, 3, Uint8Array.of(1), Uint8Array.of(2, 3))]).toEqual(expected);
  });

  it('HKDF is that of RFC 5869', () => {
    const [salt, ikm] = [fromHex('01'.repeat(32)), fromHex('02'.repeat(32))];
    const expected = hkdf(nobleSha256, ikm, salt, new Uint8Array(0), 64);
    expect(toHex(concatBytes(...hkdfTwoKeys(salt, ikm)))).toBe(toHex(expected));
  });

  it('a tagged hash is that of BIP-340', () => {
    const tag = nobleSha256(Buffer.from('LnLeaf'));
    const expected = nobleSha256(concatBytes(tag, tag, Uint8Array.of(1, 2)));
    expect(toHex(taggedHash(Buffer.from('LnLeaf'), Uint8Array.of(1), Uint8Array.of(2)))).toBe(
      toHex(expected),
    );
  });

  it('the ChaCha20 stream starts as RFC 8439, A.1, test vector 1', () => {
    expect(toHex(chacha20Stream(new Uint8Array(32), 16))).toBe('76b8e0ada0f13d90405d6ae55386bd28');
  });

  it('ChaCha20-Poly1305 is that of RFC 8439, section 2.8.2', () => {
    const key = fromHex('808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f');
    const nonce = fromHex('070000004041424344454647');
    const aad = fromHex('50515253c0c1c2c3c4c5c6c7');
    const text = Buffer.from(
      "Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen would be it.",
    );
    const box = sealBox(key, text, nonce, aad);
    expect(toHex(box.subarray(text.length))).toBe('1ae10b594f09e26a7e902ecbd0600691');
    expect(toHex(box.subarray(0, 8))).toBe('d31a8d34648e60db');
    expect(toHex(openBox(key, box, nonce, aad))).toBe(toHex(text));
  });

  it('opens nothing that was changed, cut or sealed with a different key', () => {
    const key = sha256(Uint8Array.of(1));
    const box = sealBox(key, Uint8Array.of(1, 2, 3));
    fc.assert(
      fc.property(fc.nat(box.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const changed = new Uint8Array(box);
        changed[at] = (changed[at] as number) ^ change;
        expect(() => openBox(key, changed)).toThrow(WireError);
      }),
    );
    expect(() => openBox(key, box.subarray(1))).toThrow(WireError);
    expect(() => openBox(key, box.subarray(0, 15))).toThrow(WireError);
    expect(() => openBox(sha256(Uint8Array.of(2)), box)).toThrow(WireError);
    expect(toHex(openBox(key, sealBox(key, new Uint8Array(0))))).toBe('');
  });
});
