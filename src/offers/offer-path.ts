/**
 * Blinded paths in offers: a way to an issuer that shows only the node in front of it.
 *
 * When an offer names no issuer, its invoices are signed by the blinded id at the end of the path. The secret
 * key of that id follows from the issuer's own key and from the path key that reaches it.
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

/** A secret derived from the node's key and its purpose, so that it need not be stored. */
export function secretFor(nodeSecretKey: Uint8Array, purpose: string, id: Uint8Array): Uint8Array {
  return hmacSha256(nodeSecretKey, new Uint8Array(Buffer.from(purpose, 'ascii')), id);
}

/** Makes a path. @param sessionKey random; must not be used for another path. */
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
