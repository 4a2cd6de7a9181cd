/**
 * The secrets that the maker of an onion or of a blinded path shares with the nodes on it (BOLT 4). With the session
 * key x_0:
 *
 *     E_i = x_i G                    the key that node i receives
 *     ss_i = ECDH(x_i, N_i)
 *     x_{i+1} = H(E_i || ss_i) x_i
 */

import type { Curve } from '../crypto/curve.ts';
import { sha256 } from '../crypto/hashes.ts';

/** The secrets shared with the nodes in order, E_0, and x of the last node. */
export interface SharedSecrets {
  readonly firstKey: Uint8Array;
  readonly secrets: readonly Uint8Array[];
  readonly lastSecretKey: Uint8Array;
}

/**
 * Derives the secrets shared with `count` nodes.
 * @param secretWith returns ss_i, given i and x_i
 */
export function deriveSharedSecrets(
  count: number,
  sessionKey: Uint8Array,
  secretWith: (index: number, ephemeralKey: Uint8Array) => Uint8Array,
  curve: Curve,
): SharedSecrets {
  const firstKey = curve.publicKey(sessionKey);
  const secrets: Uint8Array[] = [];
  let secretKey = sessionKey;
  let publicKey = firstKey;
  for (let i = 0; i < count; i++) {
    if (i > 0) {
      secretKey = curve.secretKeyMultiply(secretKey, sha256(publicKey, secrets[i - 1]!));
      // No further key is derived from the last one, so its point is not needed.
      if (i + 1 < count) publicKey = curve.publicKey(secretKey);
    }
    secrets.push(secretWith(i, secretKey));
  }
  return { firstKey, secrets, lastSecretKey: secretKey };
}
