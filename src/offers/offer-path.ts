/**
 * Blinded paths in offers, which reveal only the node before the issuer.
 *
 * If an offer names no issuer, its invoices are signed with the key of the blinded id at the end of the path. This
 * secret key is derived from the issuer's own key and from the path key that reaches the issuer.
 */

import { curve } from '../bolt/crypto/curve.ts';
import { hmacSha256, sha256 } from '../bolt/crypto/hashes.ts';
import {
  type BlindedPath,
  blindedSecretKey,
  createBlindedPath,
  pathSecret,
} from '../bolt/onion/blinded-path.ts';
import { encodeEncryptedData } from '../bolt/onion/encrypted-data.ts';
import { type NodeId, nodeIdToBytes } from '../model/node-id.ts';

/** A secret that need not be stored, because it is derived from the node's key, a purpose and an id. */
export function secretFor(nodeSecretKey: Uint8Array, purpose: string, id: Uint8Array): Uint8Array {
  return hmacSha256(nodeSecretKey, new Uint8Array(Buffer.from(purpose, 'ascii')), id);
}

/** Creates a path. @param sessionKey random; must not be used for any other path */
export function offerPath(
  front: NodeId,
  issuer: NodeId,
  pathId: Uint8Array,
  sessionKey: Uint8Array,
): BlindedPath {
  const end = nodeIdToBytes(issuer);
  return createBlindedPath(
    [
      { nodeId: nodeIdToBytes(front), data: encodeEncryptedData({ nextNodeId: end }) },
      { nodeId: end, data: encodeEncryptedData({ pathId }) },
    ],
    sessionKey,
  );
}

/** The secret key of the blinded id at the end of a path that `offerPath` made. */
export function offerPathKey(front: NodeId, issuerSecretKey: Uint8Array, sessionKey: Uint8Array): Uint8Array {
  const secret = curve.ecdh(nodeIdToBytes(front), sessionKey);
  const next = curve.secretKeyMultiply(sessionKey, sha256(curve.publicKey(sessionKey), secret));
  return blindedSecretKey(issuerSecretKey, pathSecret(issuerSecretKey, curve.publicKey(next)));
}
