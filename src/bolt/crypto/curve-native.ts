/**
 * The curve on libsecp256k1 as a native addon (npm `secp256k1`, binaries inside the package). Only the addon is loaded,
 * never that package's JavaScript fallback. The addon works in worker threads, each of which has its own context.
 *
 * We call the addon without the package's own wrapper, which would check every argument again. We copy most arguments
 * to fixed memory: V8 keeps small arrays in its heap, but moves each to separate memory when native code requests its
 * address, so each fresh array in a call would cost an allocation and a garbage collection.
 */

import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import type { CurveEngine, RecoveryId } from './curve-engine.ts';

/** The part of the addon that we use. It writes results to its first argument, and returns 0 or an error number. */
interface Addon {
  contextRandomize(seed: Uint8Array): number;
  privateKeyTweakAdd(secretKey: Uint8Array, tweak: Uint8Array): number;
  privateKeyTweakMul(secretKey: Uint8Array, tweak: Uint8Array): number;
  publicKeyVerify(point: Uint8Array): number;
  publicKeyCreate(result: Uint8Array, secretKey: Uint8Array): number;
  /** Writes the point in the form that has the length of the result: 33 bytes compressed, or 65 bytes. */
  publicKeyConvert(result: Uint8Array, point: Uint8Array): number;
  publicKeyCombine(result: Uint8Array, points: readonly Uint8Array[]): number;
  publicKeyTweakAdd(result: Uint8Array, point: Uint8Array, tweak: Uint8Array): number;
  publicKeyTweakMul(result: Uint8Array, point: Uint8Array, tweak: Uint8Array): number;
  ecdsaSign(
    result: { signature: Uint8Array; recid: null },
    digest: Uint8Array,
    secretKey: Uint8Array,
  ): number;
  ecdsaVerify(signature: Uint8Array, digest: Uint8Array, point: Uint8Array): number;
  ecdsaRecover(result: Uint8Array, signature: Uint8Array, recoveryId: RecoveryId, digest: Uint8Array): number;
  ecdh(result: Uint8Array, point: Uint8Array, secretKey: Uint8Array): number;
}

/** Loads the engine. `undefined` if there is no binary for this platform. */
export function loadNative(): CurveEngine | undefined {
  try {
    const bindings = createRequire(import.meta.url).resolve('secp256k1/bindings.js');
    const { Secp256k1 } = createRequire(bindings)('node-gyp-build')(dirname(bindings));
    const addon: Addon = new Secp256k1();
    addon.contextRandomize(randomBytes(32));
    return nativeEngine(addon);
  } catch {
    return undefined;
  }
}

const POINT_BYTES = 33;
const WHOLE_POINT_BYTES = 65;
const SCALAR_BYTES = 32;
const SIGNATURE_BYTES = 64;
const DONE = 0;

function nativeEngine(addon: Addon): CurveEngine {
  // V8 moves an array out of its heap when its buffer is accessed. The arrays below are views of one buffer outside the
  // heap, so they are never moved.
  const memory = new ArrayBuffer(2 * POINT_BYTES + 2 * SCALAR_BYTES);
  const point = new Uint8Array(memory, 0, POINT_BYTES);
  const scalar = new Uint8Array(memory, POINT_BYTES, SCALAR_BYTES);
  const newPoint = new Uint8Array(memory, POINT_BYTES + SCALAR_BYTES, POINT_BYTES);
  const newScalar = new Uint8Array(memory, 2 * POINT_BYTES + SCALAR_BYTES, SCALAR_BYTES);
  const done = (error: number, result: Uint8Array): Uint8Array | undefined =>
    error === DONE ? result.slice() : undefined;
  const pointIs = (bytes: Uint8Array): Uint8Array => {
    point.set(bytes);
    return point;
  };
  const scalarIs = (bytes: Uint8Array): Uint8Array => {
    scalar.set(bytes);
    return scalar;
  };
  /** A copy that the addon can change in place. */
  const newScalarFrom = (bytes: Uint8Array): Uint8Array => {
    newScalar.set(bytes);
    return newScalar;
  };
  const wholePoint = wholePoints(addon, pointIs);
  return {
    name: 'native',
    isPoint: (of) => addon.publicKeyVerify(pointIs(of)) === DONE,
    publicKey: (secretKey) => done(addon.publicKeyCreate(newPoint, scalarIs(secretKey)), newPoint)!,
    pointMultiply(of, by) {
      const whole = wholePoint(of);
      return whole && done(addon.publicKeyTweakMul(newPoint, whole, scalarIs(by)), newPoint);
    },
    pointAdd: (a, b) => done(addon.publicKeyCombine(newPoint, [a, b]), newPoint),
    pointAddScalar: (to, by) => done(addon.publicKeyTweakAdd(newPoint, pointIs(to), scalarIs(by)), newPoint),
    secretKeyAdd: (to, by) => done(addon.privateKeyTweakAdd(newScalarFrom(to), scalarIs(by)), newScalar),
    secretKeyMultiply: (of, by) =>
      done(addon.privateKeyTweakMul(newScalarFrom(of), scalarIs(by)), newScalar)!,
    ecdh(of, secretKey) {
      const whole = wholePoint(of);
      return whole && done(addon.ecdh(newScalar, whole, scalarIs(secretKey)), newScalar);
    },
    ecdsaSign(digest, secretKey) {
      const signature = new Uint8Array(SIGNATURE_BYTES);
      addon.ecdsaSign({ signature, recid: null }, digest, secretKey);
      return signature;
    },
    ecdsaVerify: (signature, digest, of) => addon.ecdsaVerify(signature, digest, of) === DONE,
    ecdsaRecover: (signature, recoveryId, digest) =>
      done(addon.ecdsaRecover(newPoint, signature, recoveryId, digest), newPoint),
  };
}

/** Number of points that are kept with both coordinates. */
const KEPT_POINTS = 1024;

/**
 * Returns a function that gives a point with both coordinates, or `undefined` if the point is invalid. From the 33 bytes
 * of a compressed point, libsecp256k1 must compute a square root, which is a tenth of a multiplication. But ids of nodes
 * recur, and a node that forwards an onion multiplies each point of the onion twice. So the latest points are kept, each
 * in the place given by its last bytes.
 */
function wholePoints(
  addon: Addon,
  pointIs: (bytes: Uint8Array) => Uint8Array,
): (of: Uint8Array) => Uint8Array | undefined {
  const kept = new Uint8Array(KEPT_POINTS * POINT_BYTES);
  const memory = new ArrayBuffer(KEPT_POINTS * WHOLE_POINT_BYTES);
  const views: (Uint8Array | undefined)[] = Array.from({ length: KEPT_POINTS });
  const isAt = (start: number, of: Uint8Array): boolean => {
    for (let i = 0; i < POINT_BYTES; i++) if (kept[start + i] !== of[i]) return false;
    return true;
  };
  return (of) => {
    const place = ((of[POINT_BYTES - 2]! << 8) | of[POINT_BYTES - 1]!) % KEPT_POINTS;
    const start = place * POINT_BYTES;
    views[place] ??= new Uint8Array(memory, place * WHOLE_POINT_BYTES, WHOLE_POINT_BYTES);
    if (isAt(start, of)) return views[place];
    // Zero is not the first byte of any point, so the place counts as empty if the new point is invalid.
    kept[start] = 0;
    if (addon.publicKeyConvert(views[place], pointIs(of)) !== DONE) return undefined;
    kept.set(of, start);
    return views[place];
  };
}
