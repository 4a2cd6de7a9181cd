/**
 * The curve on `@noble/secp256k1`: audited, plain JavaScript. It is the reference: the other engines must return the
 * same results.
 */

import {
  etc,
  getPublicKey,
  getSharedSecret,
  hashes,
  Point,
  recoverPublicKey,
  sign,
  utils,
  verify,
} from '@noble/secp256k1';
import { toHex } from '../bytes.ts';
import type { CurveEngine } from './curve-engine.ts';
import { hmacSha256, sha256 } from './hashes.ts';

hashes.sha256 = (message) => new Uint8Array(sha256(message));
hashes.hmacSha256 = (key, message) => new Uint8Array(hmacSha256(key, message));

const ORDER = Point.CURVE().n;
const COMPACT = { prehash: false, lowS: true } as const;

/** The engine over `@noble/secp256k1`. */
export const nobleEngine: CurveEngine = {
  name: 'noble',
  isPoint: (point) => utils.isValidPublicKey(point, true),
  publicKey: (secretKey) => getPublicKey(secretKey, true),
  pointMultiply: (point, scalar) => attempt(() => Point.fromBytes(point).multiply(toScalar(scalar))),
  pointAdd: (a, b) => attempt(() => Point.fromBytes(a).add(Point.fromBytes(b))),
  pointAddScalar: (point, scalar) =>
    attempt(() => Point.fromBytes(point).add(Point.BASE.multiply(toScalar(scalar), false))),
  secretKeyAdd(secretKey, scalar) {
    const sum = (toScalar(secretKey) + toScalar(scalar)) % ORDER;
    return sum === 0n ? undefined : etc.numberToBytesBE(sum);
  },
  secretKeyMultiply: (secretKey, scalar) =>
    etc.numberToBytesBE((toScalar(secretKey) * toScalar(scalar)) % ORDER),
  ecdh(point, secretKey) {
    if (!utils.isValidPublicKey(point, true)) return undefined;
    return sha256(getSharedSecret(secretKey, point, true));
  },
  ecdsaSign: (digest, secretKey) => sign(digest, secretKey, COMPACT),
  ecdsaVerify: (signature, digest, point) => verify(signature, digest, point, COMPACT),
  ecdsaRecover: (signature, recoveryId, digest) =>
    attempt(() =>
      Point.fromBytes(recoverPublicKey(Uint8Array.of(recoveryId, ...signature), digest, { prehash: false })),
    ),
};

function toScalar(bytes: Uint8Array): bigint {
  return BigInt(`0x${toHex(bytes)}`);
}

/** Returns `undefined` where noble throws: for invalid points, and when infinity would be encoded. */
function attempt(compute: () => Point): Uint8Array | undefined {
  try {
    return compute().toBytes(true);
  } catch {
    return undefined;
  }
}
