/**
 * The curve on libsecp256k1 compiled to WebAssembly (npm `tiny-secp256k1`). It needs no native binary, so it runs on
 * any platform.
 */

import { createRequire } from 'node:module';
import type { CurveEngine } from './curve-engine.ts';
import { nobleEngine } from './curve-noble.ts';
import { sha256 } from './hashes.ts';

type Module = typeof import('tiny-secp256k1');

/** Loads the engine. `undefined` if the package is not installed. */
export function loadWasm(): CurveEngine | undefined {
  try {
    return wasmEngine(createRequire(import.meta.url)('tiny-secp256k1') as Module);
  } catch {
    return undefined;
  }
}

function wasmEngine(wasm: Module): CurveEngine {
  return {
    name: 'wasm',
    isPoint: (point) => wasm.isPointCompressed(point),
    publicKey: (secretKey) => wasm.pointFromScalar(secretKey, true) as Uint8Array,
    pointMultiply: (point, scalar) => attempt(() => wasm.pointMultiply(point, scalar, true)),
    pointAdd: (a, b) => attempt(() => wasm.pointAdd(a, b, true)),
    pointAddScalar: (point, scalar) => attempt(() => wasm.pointAddScalar(point, scalar, true)),
    secretKeyAdd: (secretKey, scalar) => attempt(() => wasm.privateAdd(secretKey, scalar)),
    // The module cannot multiply scalars.
    secretKeyMultiply: nobleEngine.secretKeyMultiply,
    ecdh(point, secretKey) {
      const product = attempt(() => wasm.pointMultiply(point, secretKey, true));
      return product && sha256(product);
    },
    ecdsaSign: (digest, secretKey) => wasm.sign(digest, secretKey),
    ecdsaVerify: (signature, digest, point) => wasm.verify(digest, point, signature, true),
    // If R's x is r plus the order, the module looks for r on the curve, and so refuses valid signatures.
    ecdsaRecover: (signature, recoveryId, digest) =>
      recoveryId >= 2
        ? nobleEngine.ecdsaRecover(signature, recoveryId, digest)
        : attempt(() => wasm.recover(digest, signature, recoveryId, true)),
  };
}

/** Returns `undefined` if the module throws (for an invalid point), or returns null (for infinity). */
function attempt(compute: () => Uint8Array | null): Uint8Array | undefined {
  try {
    return compute() ?? undefined;
  } catch {
    return undefined;
  }
}
