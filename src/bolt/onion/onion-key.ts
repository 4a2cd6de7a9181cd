/** Keys derived from a shared secret (BOLT 4, "Key Generation"): HMAC-SHA256 keyed with the ASCII label. */

import { hmacOfHash } from '../crypto/hashes.ts';

const labelled = (text: string) => hmacOfHash(new Uint8Array(Buffer.from(text, 'ascii')));

const KEYS = {
  /** Encrypts payloads. */
  rho: labelled('rho'),
  /** Authenticates an onion. */
  mu: labelled('mu'),
  /** Authenticates a failure. */
  um: labelled('um'),
  /** Fills the unused end of an onion. */
  pad: labelled('pad'),
  /** Obfuscates a failure. */
  ammag: labelled('ammag'),
  /** Obfuscates attribution data. */
  ammagext: labelled('ammagext'),
  /** Blinds a node id. */
  blinded_node_id: labelled('blinded_node_id'),
} as const;

/** The 32-byte key for one use, derived from the secret shared with a hop. */
export function onionKey(use: keyof typeof KEYS, secret: Uint8Array): Uint8Array {
  return KEYS[use](secret);
}
