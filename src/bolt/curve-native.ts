/**
 * The curve on libsecp256k1 as a native addon (npm `secp256k1`, binaries inside the package). Only the addon
 * is loaded, never that package's JavaScript fallback. Works in worker threads: one context each.
 */

import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import type { CurveEngine, RecoveryId } from './curve-engine.ts';

/** The part of the package's API that we use. An operation without a result throws. */
interface Addon {
  contextRandomize(seed: Uint8Array): void;
  privateKeyTweakAdd(secretKey: Uint8Array, tweak: Uint8Array): Uint8Array;
  privateKeyTweakMul(secretKey: Uint8Array, tweak: Uint8Array): Uint8Array;
  publicKeyVerify(point: Uint8Array): boolean;
  publicKeyCreate(secretKey: Uint8Array): Uint8Array;
  publicKeyCombine(points: readonly Uint8Array[]): Uint8Array;
  publicKeyTweakAdd(point: Uint8Array, tweak: Uint8Array): Uint8Array;
  publicKeyTweakMul(point: Uint8Array, tweak: Uint8Array): Uint8Array;
  ecdsaSign(digest: Uint8Array, secretKey: Uint8Array): { signature: Uint8Array };
  ecdsaVerify(signature: Uint8Array, digest: Uint8Array, point: Uint8Array): boolean;
  ecdsaRecover(signature: Uint8Array, recoveryId: RecoveryId, digest: Uint8Array): Uint8Array;
  ecdh(point: Uint8Array, secretKey: Uint8Array): Uint8Array;
}

/** The engine. `undefined` where there is no binary for this platform. */
export function loadNative(): CurveEngine | undefined {
  try {
    const addon: Addon = createRequire(import.meta.url)('secp256k1/bindings.js');
    addon.contextRandomize(randomBytes(32));
    return nativeEngine(addon);
  } catch {
    return undefined;
  }
}

function nativeEngine(addon: Addon): CurveEngine {
  return {
    name: 'native',
    isPoint: (point) => addon.publicKeyVerify(point),
    publicKey: (secretKey) => addon.publicKeyCreate(secretKey),
    pointMultiply: (point, scalar) => attempt(() => addon.publicKeyTweakMul(point, scalar)),
    pointAdd: (a, b) => attempt(() => addon.publicKeyCombine([a, b])),
    pointAddScalar: (point, scalar) => attempt(() => addon.publicKeyTweakAdd(point, scalar)),
    // The addon changes the key in place, so it gets a copy.
    secretKeyAdd: (secretKey, scalar) =>
      attempt(() => addon.privateKeyTweakAdd(new Uint8Array(secretKey), scalar)),
    secretKeyMultiply: (secretKey, scalar) => addon.privateKeyTweakMul(new Uint8Array(secretKey), scalar),
    ecdh: (point, secretKey) => attempt(() => addon.ecdh(point, secretKey)),
    ecdsaSign: (digest, secretKey) => addon.ecdsaSign(digest, secretKey).signature,
    ecdsaVerify: (signature, digest, point) => addon.ecdsaVerify(signature, digest, point),
    ecdsaRecover: (signature, recoveryId, digest) =>
      attempt(() => addon.ecdsaRecover(signature, recoveryId, digest)),
  };
}

function attempt(compute: () => Uint8Array): Uint8Array | undefined {
  try {
    return compute();
  } catch {
    return undefined;
  }
}
