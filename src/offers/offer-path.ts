/**
 * Blinded paths in offers: the way to an issuer that shows only the node in front of it.
 *
 * An offer that names no issuer is signed for by the blinded id at the path's end; its secret key follows from
 * the issuer's own and the path key that reaches it.
 */
import { type BlindedPath, blindedSecretKey, createBlindedPath, pathSecret } from '../bolt/blinded-path.ts';
import { curve } from '../bolt/curve.ts';
import { encodeEncryptedData } from '../bolt/encrypted-data.ts';
import { hmacSha256, sha256 } from '../bolt/hashes.ts';

/** A secret that follows from the node's key and from what it is for, so that it need not be kept. */
export function secretFor(nodeSecretKey: Uint8Array, purpose: string, id: Uint8Array): Uint8Array {
  return hmacSha256(nodeSecretKey, new Uint8Array(Buffer.from(purpose, 'ascii')), id);
}

/** @param sessionKey random; must not be used for another path. */
export function offerPath(
  front: Uint8Array,
  issuer: Uint8Array,
  pathId: Uint8Array,
  sessionKey: Uint8Array,
): BlindedPath {
  return createBlindedPath(
    [
      { nodeId: front, data: encodeEncryptedData({ nextNodeId: issuer }) },
      { nodeId: issuer, data: encodeEncryptedData({ pathId }) },
    ],
    sessionKey,
  );
}

/** The secret key behind the blinded id at the end of a path made by `offerPath`. */
export function offerPathKey(
  front: Uint8Array,
  issuerSecretKey: Uint8Array,
  sessionKey: Uint8Array,
): Uint8Array {
  const secret = curve.ecdh(front, sessionKey);
  const next = curve.secretKeyMultiply(sessionKey, sha256(curve.publicKey(sessionKey), secret));
  return blindedSecretKey(issuerSecretKey, pathSecret(issuerSecretKey, curve.publicKey(next)));
}
