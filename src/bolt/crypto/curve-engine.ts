/** The interface of the engines of `Curve` (curve.ts): native libsecp256k1, its WebAssembly build, and noble. */

/**
 * Which of the four points matching an ECDSA signature is the signer's. Bit 0 is the parity of R's y. Bit 1 means that
 * R's x is r plus the group order.
 */
export type RecoveryId = 0 | 1 | 2 | 3;

/**
 * The operations of an engine. Argument lengths and scalar ranges have already been checked. `undefined` means that a
 * point is invalid, that the result is infinity or the secret key zero, or that no key matches a signature.
 */
export interface CurveEngine {
  readonly name: 'native' | 'wasm' | 'noble';
  isPoint(point: Uint8Array): boolean;
  publicKey(secretKey: Uint8Array): Uint8Array;
  pointMultiply(point: Uint8Array, scalar: Uint8Array): Uint8Array | undefined;
  pointAdd(a: Uint8Array, b: Uint8Array): Uint8Array | undefined;
  /** point + scalar x G. The scalar may be zero. */
  pointAddScalar(point: Uint8Array, scalar: Uint8Array): Uint8Array | undefined;
  secretKeyAdd(secretKey: Uint8Array, scalar: Uint8Array): Uint8Array | undefined;
  secretKeyMultiply(secretKey: Uint8Array, scalar: Uint8Array): Uint8Array;
  ecdh(point: Uint8Array, secretKey: Uint8Array): Uint8Array | undefined;
  ecdsaSign(digest: Uint8Array, secretKey: Uint8Array): Uint8Array;
  ecdsaVerify(signature: Uint8Array, digest: Uint8Array, point: Uint8Array): boolean;
  /** The signer's point. s may be above half the group order. */
  ecdsaRecover(signature: Uint8Array, recoveryId: RecoveryId, digest: Uint8Array): Uint8Array | undefined;
}
