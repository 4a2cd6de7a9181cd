import { schnorr } from '@noble/secp256k1';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { concatBytes, fromHex, toHex } from '../../../src/bolt/bytes.ts';
import { availableCurves, CurveError, nobleCurve } from '../../../src/bolt/crypto/curve.ts';
import { taggedHash } from '../../../src/bolt/crypto/hashes.ts';
import { schnorrSign, schnorrVerify, xOnly } from '../../../src/bolt/crypto/schnorr.ts';

const N = BigInt('0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141');
const scalar = (value: bigint): Uint8Array => fromHex(value.toString(16).padStart(64, '0'));
const curves = availableCurves().map((on) => [on.name, on] as const);

/** BIP-340, test-vectors.csv, rows 0 to 2: secret key, public key, aux, message, signature. */
const SIGNED = [
  [
    '0000000000000000000000000000000000000000000000000000000000000003',
    'f9308a019258c31049344f85f89d5229b531c845836f99b08601f113bce036f9',
    '0000000000000000000000000000000000000000000000000000000000000000',
    '0000000000000000000000000000000000000000000000000000000000000000',
    'e907831f80848d1069a5371b402410364bdf1c5f8307b0084c55f1ce2dca821525f66a4a85ea8b71e482a74f382d2ce5ebeee8fdb2172f477df4900d310536c0',
  ],
  [
    'b7e151628aed2a6abf7158809cf4f3c762e7160f38b4da56a784d9045190cfef',
    'dff1d77f2a671c5f36183726db2341be58feae1da2deced843240f7b502ba659',
    '0000000000000000000000000000000000000000000000000000000000000001',
    '243f6a8885a308d313198a2e03707344a4093822299f31d0082efa98ec4e6c89',
    '6896bd60eeae296db48a229ff71dfe071bde413e6d43f917dc8dcf8c78de33418906d11ac976abccb20b091292bff4ea897efcb639ea871cfa95f6de339e4b0a',
  ],
  [
    'c90fdaa22168c234c4c6628b80dc1cd129024e088a67cc74020bbea63b14e5c9',
    'dd308afec5777e13121fa72b9cc1b7cc0139715309b086c960e18fd969774eb8',
    'c87aa53824b4d7ae2eb035a2b5bbbccc080e76cdc6d1692c4b0b62d798e6d906',
    '7e2d58d8b3bcdf1abadec7829054f90dda9805aab56c77333024b9d0a508b75c',
    '5831aaeed7b44bb74e5eab94ba9d4294c49bcf2a60728d8b4c200f50dd313c1bab745879a5ad954a72c45a91c3a51d3c7adea98d82f8481e0e1e03674a6f3fb7',
  ],
] as const;

describe.each(curves)('Schnorr signatures (BIP-340) on %s', (_, on) => {
  it.each(SIGNED)(
    'signs and verifies the published vector of key %s',
    (key, point, aux, message, signature) => {
      expect(toHex(schnorrSign(fromHex(message), fromHex(key), fromHex(aux), on))).toBe(signature);
      expect(schnorrVerify(fromHex(signature), fromHex(message), fromHex(point), on)).toBe(true);
    },
  );

  it('equals the reference on random keys, messages of any length and aux', () => {
    const key = fc.bigInt(1n, N - 1n).map(scalar);
    const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 });
    const message = fc.uint8Array({ maxLength: 100 });
    fc.assert(
      fc.property(key, bytes32, message, (secretKey, aux, text) => {
        const signature = schnorrSign(text, secretKey, aux, on);
        expect(toHex(signature)).toBe(toHex(schnorr.sign(text, secretKey, aux)));
        expect(schnorrVerify(signature, text, xOnly(on.publicKey(secretKey)), on)).toBe(true);
      }),
      { numRuns: 15 },
    );
  });

  it('refuses every changed byte as the reference does', () => {
    const [key, point, aux, message] = SIGNED[1].map((text) => fromHex(text)) as Uint8Array[];
    const signature = schnorrSign(message as Uint8Array, key as Uint8Array, aux, on);
    for (let i = 0; i < 64; i += 3) {
      const changed = new Uint8Array(signature);
      changed[i] = (changed[i] as number) ^ 1;
      expect(schnorrVerify(changed, message as Uint8Array, point as Uint8Array, on)).toBe(false);
    }
  });

  it('refuses a nonce point with an odd y', () => {
    const [message, key] = [new Uint8Array(32), scalar(3n)];
    const x = xOnly(on.publicKey(key));
    const forged = (nonce: bigint) => {
      const r = on.publicKey(scalar(nonce));
      const challenge = taggedHash(Buffer.from('BIP0340/challenge'), xOnly(r), x, message);
      const s = on.secretKeyAdd(scalar(nonce), on.secretKeyMultiply(key, challenge));
      return { odd: r[0] === 3, signature: concatBytes(xOnly(r), s) };
    };
    // The point 3 G has an even y, so the secret key is used unchanged. Some nonce points of these signatures have
    // an odd y, and others an even one.
    expect(on.publicKey(key)[0]).toBe(2);
    const all = [1n, 2n, 3n, 4n, 5n, 6n, 7n, 8n].map(forged);
    expect(new Set(all.map(({ odd }) => odd)).size).toBe(2);
    for (const { odd, signature } of all) expect(schnorrVerify(signature, message, x, on)).toBe(!odd);
  });

  it('refuses numbers out of range, invalid points, wrong lengths and infinity', () => {
    const message = new Uint8Array(32);
    const x = xOnly(nobleCurve.publicKey(scalar(3n)));
    const signature = schnorrSign(message, scalar(3n), undefined, on);
    const r = signature.subarray(0, 32);
    expect(schnorrVerify(concatBytes(r, scalar(N)), message, x, on)).toBe(false);
    expect(schnorrVerify(concatBytes(scalar(2n ** 256n - 1n), signature.subarray(32)), message, x, on)).toBe(
      false,
    );
    expect(schnorrVerify(signature, message, scalar(5n), on)).toBe(false);
    expect(schnorrVerify(signature, message, scalar(2n ** 256n - 1n), on)).toBe(false);
    expect(schnorrVerify(signature.subarray(1), message, x, on)).toBe(false);
    expect(schnorrVerify(signature, message, x.subarray(1), on)).toBe(false);
    expect(schnorrVerify(signature, message, x, on)).toBe(true);
    expect(() => schnorrSign(message, scalar(0n), undefined, on)).toThrow(CurveError);
    expect(() => schnorrSign(message, scalar(N), undefined, on)).toThrow(CurveError);
  });
});
