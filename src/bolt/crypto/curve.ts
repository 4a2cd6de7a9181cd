/**
 * The curve secp256k1: one interface with several engines behind it.
 *
 *     engine  what it is                                    point x scalar    needs
 *     native  libsecp256k1, npm `secp256k1`                 ~30,000/s         a prebuilt binary for the platform
 *     wasm    libsecp256k1, npm `tiny-secp256k1`             ~6,500/s         nothing
 *     noble   `@noble/secp256k1`, the reference                ~450/s         nothing
 *
 * (Measured on a 2-core x86-64 machine, Node 20.20.) `curve` uses the first engine that loads. Points are compressed
 * (33 bytes). Scalars and secret keys are 32 bytes big-endian. ECDSA signatures are 64 bytes compact with low s, and
 * deterministic (RFC 6979), so every engine returns the same bytes. Arguments are checked here, once, so that every
 * engine fails in the same way.
 *
 * Constant time: `native` for everything that takes a secret key; `wasm` for signing and public keys, but not for
 * `ecdh` and `secretKeyMultiply`; `noble` makes only a best effort.
 */

import { fromHex, toHex } from '../bytes.ts';
import { WireError } from '../wire-error.ts';
import type { CurveEngine, RecoveryId } from './curve-engine.ts';
import { loadNative } from './curve-native.ts';
import { nobleEngine } from './curve-noble.ts';
import { loadWasm } from './curve-wasm.ts';
import { sha256 } from './hashes.ts';

/** Length of a compressed point in bytes. */
export const POINT_BYTES = 33;

/** Length of a scalar or secret key in bytes. */
export const SCALAR_BYTES = 32;

/** Length of a compact signature in bytes. */
export const SIGNATURE_BYTES = 64;

/** The reasons for refusing an operation on the curve. */
export type CurveErrorReason =
  /** An argument has the wrong length. */
  | 'length'
  /** A secret key or multiplier is zero or not below the group order, or an addend is not below the group order. */
  | 'scalar'
  /** Bytes are not a compressed point of the curve. */
  | 'point'
  /** The result is the point at infinity, or the secret key zero. */
  | 'infinity';

/**
 * Thrown when the input of a curve operation is invalid, or the operation has no result. It is a `WireError`, because
 * the points come from the wire.
 */
export class CurveError extends WireError {
  readonly curveReason: CurveErrorReason;

  constructor(curveReason: CurveErrorReason) {
    super('invalid', MESSAGES[curveReason]);
    this.curveReason = curveReason;
  }
}

const MESSAGES: Readonly<Record<CurveErrorReason, string>> = {
  length: 'wrong length of a key, scalar, digest or signature',
  scalar: 'scalar out of range',
  point: 'not a point on the curve',
  infinity: 'the result is the point at infinity',
};

const ORDER = fromHex('fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141');

/** The operations of the curve, on one engine. No method throws anything but `CurveError`. */
export class Curve {
  readonly name: CurveEngine['name'];
  private readonly engine: CurveEngine;

  constructor(engine: CurveEngine) {
    this.name = engine.name;
    this.engine = engine;
  }

  /** Whether the bytes are a secret key. A secret key has 32 bytes, is not zero, and is below the group order. */
  isSecretKey(bytes: Uint8Array): boolean {
    return bytes.length === SCALAR_BYTES && isNonZero(bytes) && isBelowOrder(bytes);
  }

  /** Whether the bytes are a compressed point of the curve. */
  isPoint(bytes: Uint8Array): boolean {
    return bytes.length === POINT_BYTES && (bytes[0] === 2 || bytes[0] === 3) && this.engine.isPoint(bytes);
  }

  /** secretKey x G. */
  publicKey(secretKey: Uint8Array): Uint8Array {
    this.requireNonZero(secretKey);
    return this.engine.publicKey(secretKey);
  }

  pointMultiply(point: Uint8Array, scalar: Uint8Array): Uint8Array {
    this.requirePointForm(point);
    this.requireNonZero(scalar);
    return this.engine.pointMultiply(point, scalar) ?? this.fail(point);
  }

  pointAdd(a: Uint8Array, b: Uint8Array): Uint8Array {
    this.requirePointForm(a);
    this.requirePointForm(b);
    return this.engine.pointAdd(a, b) ?? this.fail(a, b);
  }

  /** point + scalar x G. The scalar may be zero. */
  pointAddScalar(point: Uint8Array, scalar: Uint8Array): Uint8Array {
    this.requirePointForm(point);
    requireScalar(scalar);
    return this.engine.pointAddScalar(point, scalar) ?? this.fail(point);
  }

  /** (secretKey + scalar) mod n. The scalar may be zero. */
  secretKeyAdd(secretKey: Uint8Array, scalar: Uint8Array): Uint8Array {
    this.requireNonZero(secretKey);
    requireScalar(scalar);
    return this.engine.secretKeyAdd(secretKey, scalar) ?? this.fail();
  }

  /** (secretKey x scalar) mod n. */
  secretKeyMultiply(secretKey: Uint8Array, scalar: Uint8Array): Uint8Array {
    this.requireNonZero(secretKey);
    this.requireNonZero(scalar);
    return this.engine.secretKeyMultiply(secretKey, scalar);
  }

  /** SHA-256 of the compressed point secretKey x point: the shared secret of BOLT 4 and BOLT 8. */
  ecdh(point: Uint8Array, secretKey: Uint8Array): Uint8Array {
    this.requirePointForm(point);
    this.requireNonZero(secretKey);
    return this.engine.ecdh(point, secretKey) ?? this.fail(point);
  }

  /** Signs a 32-byte digest. @returns the compact signature of 64 bytes, with low s and a nonce by RFC 6979 */
  ecdsaSign(digest: Uint8Array, secretKey: Uint8Array): Uint8Array {
    requireLength(digest, SCALAR_BYTES);
    this.requireNonZero(secretKey);
    // RFC 6979 derives the nonce from the digest mod n. Not every engine reduces it, so it is reduced here.
    return this.engine.ecdsaSign(scalarFromHash(digest), secretKey);
  }

  /** Whether the signature is valid. Also false for a high s, and for invalid points. */
  ecdsaVerify(signature: Uint8Array, digest: Uint8Array, point: Uint8Array): boolean {
    requireLength(signature, SIGNATURE_BYTES);
    requireLength(digest, SCALAR_BYTES);
    const [r, s] = [signature.subarray(0, SCALAR_BYTES), signature.subarray(SCALAR_BYTES)];
    if (!this.isSecretKey(r) || !this.isSecretKey(s) || !this.isPoint(point)) return false;
    return this.engine.ecdsaVerify(signature, digest, point);
  }

  /**
   * The point of the signer. `undefined` if no key matches the signature. s may be high or low; with the same recovery
   * id, the two forms have different signers.
   */
  ecdsaRecover(signature: Uint8Array, recoveryId: RecoveryId, digest: Uint8Array): Uint8Array | undefined {
    requireLength(signature, SIGNATURE_BYTES);
    requireLength(digest, SCALAR_BYTES);
    const [r, s] = [signature.subarray(0, SCALAR_BYTES), signature.subarray(SCALAR_BYTES)];
    if (!this.isSecretKey(r) || !this.isSecretKey(s)) return undefined;
    return this.engine.ecdsaRecover(signature, recoveryId, digest);
  }

  private requireNonZero(scalar: Uint8Array): void {
    requireScalar(scalar);
    if (!isNonZero(scalar)) throw new CurveError('scalar');
  }

  private requirePointForm(point: Uint8Array): void {
    requireLength(point, POINT_BYTES);
    if (point[0] !== 2 && point[0] !== 3) throw new CurveError('point');
  }

  private fail(...points: readonly Uint8Array[]): never {
    throw new CurveError(points.every((point) => this.engine.isPoint(point)) ? 'infinity' : 'point');
  }
}

/** Reduces a hash mod n to a scalar. Only about one in 2^128 hashes is not already below the group order n. */
export function scalarFromHash(hash: Uint8Array): Uint8Array {
  if (isBelowOrder(hash)) return hash;
  const value = BigInt(`0x${toHex(hash)}`) % BigInt(`0x${toHex(ORDER)}`);
  return fromHex(value.toString(16).padStart(2 * SCALAR_BYTES, '0'));
}

function requireLength(bytes: Uint8Array, length: number): void {
  if (bytes.length !== length) throw new CurveError('length');
}

function requireScalar(scalar: Uint8Array): void {
  requireLength(scalar, SCALAR_BYTES);
  if (!isBelowOrder(scalar)) throw new CurveError('scalar');
}

function isNonZero(bytes: Uint8Array): boolean {
  let bits = 0;
  for (const byte of bytes) bits |= byte;
  return bits !== 0;
}

/**
 * Whether the bytes are below the group order, that is, whether subtracting the order from them borrows. Examines every
 * byte, so that the time does not depend on a secret.
 */
function isBelowOrder(bytes: Uint8Array): boolean {
  let borrow = 0;
  for (let i = SCALAR_BYTES - 1; i >= 0; i--) {
    borrow = (((bytes[i] as number) - (ORDER[i] as number) - borrow) >> 31) & 1;
  }
  return borrow === 1;
}

/** The curve on the reference engine, which always loads. */
export const nobleCurve = new Curve(nobleEngine);

const native = loadNative();

const fastestEngine = native ?? loadWasm() ?? nobleEngine;

/** The curve for general use, on the fastest engine that loads. */
export const curve = new Curve(fastestEngine);

/**
 * The same curve for keys that need not be kept secret, such as those of simulated nodes. It is not constant-time, so
 * `ecdh` takes only half the time on the native engine. Never use it with keys that must stay secret.
 */
export const publicKeysCurve = new Curve({
  ...fastestEngine,
  ecdh(point, key) {
    const product = fastestEngine.pointMultiply(point, key);
    return product && sha256(product);
  },
});

/** One curve for each engine that loads on this machine, fastest first. */
export function availableCurves(): Curve[] {
  const engines = [native, loadWasm(), nobleEngine];
  return engines.filter((engine) => engine !== undefined).map((engine) => new Curve(engine));
}
