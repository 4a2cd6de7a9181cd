/**
 * Secrets of our own hops of the blinded paths that we made (BOLT 4, "Route Blinding"), by path key.
 *
 * When a message arrives over such a path, its path key is e_i G, and the secret is the hash of k_i e_i G. The maker of
 * the path knows e_i, and computed the secret as a multiple of G. Otherwise, the receiver would multiply the path key by
 * k_i, which takes twice as long.
 */

import { equalBytes, toHex } from '../bytes.ts';

/** Maximum number of secrets kept, enough for all fetches at once. The oldest is dropped first. */
const MAX_SECRETS = 1024;

interface OwnSecret {
  readonly secretKey: Uint8Array;
  readonly secret: Uint8Array;
}

/** Secrets of paths over which a message may still arrive. */
export class OwnPathSecrets {
  readonly #byPathKey = new Map<string, OwnSecret>();

  /** @param pathKey the path key that our node will receive @param secretKey our node's */
  keep(pathKey: Uint8Array, secretKey: Uint8Array, secret: Uint8Array): void {
    if (this.#byPathKey.size >= MAX_SECRETS) {
      const [oldest] = this.#byPathKey.keys();
      this.#byPathKey.delete(oldest!);
    }
    this.#byPathKey.set(toHex(pathKey), { secretKey, secret });
  }

  /** Returns and forgets the secret. `undefined` if it is not kept, or belongs to another node. */
  take(pathKey: Uint8Array, secretKey: Uint8Array): Uint8Array | undefined {
    if (this.#byPathKey.size === 0) return undefined;
    const text = toHex(pathKey);
    const kept = this.#byPathKey.get(text);
    if (kept === undefined || !equalBytes(kept.secretKey, secretKey)) return undefined;
    this.#byPathKey.delete(text);
    return kept.secret;
  }
}
