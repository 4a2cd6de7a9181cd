/** Keys derived from a shared secret (BOLT 4, "Key Generation"): HMAC-SHA256 keyed with the ASCII label. */

import { hmacSha256 } from '../crypto/hashes.ts';

const label = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'ascii'));

const LABELS = {
  /** Encrypts payloads. */
  rho: label('rho'),
  /** Authenticates an onion. */
  mu: label('mu'),
  /** Authenticates a failure. */
  um: label('um'),
  /** Fills the unused end of an onion. */
  pad: label('pad'),
  /** Obfuscates a failure. */
  ammag: label('ammag'),
  /** Obfuscates attribution data. */
  ammagext: label('ammagext'),
  /** Blinds a node id. */
  blinded_node_id: label('blinded_node_id'),
} as const;

/** The 32-byte key for one use, derived from the secret shared with a hop. */
export function onionKey(use: keyof typeof LABELS, secret: Uint8Array): Uint8Array {
  return hmacSha256(LABELS[use], secret);
}
