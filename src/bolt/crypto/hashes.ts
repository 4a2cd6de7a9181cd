/**
 * Hashes and stream ciphers of the Lightning protocol, all from OpenSSL through `node:crypto`.
 *
 * Measured per call on a 2-core x86-64 machine, Node 20.20 (microseconds; noble = @noble/hashes 2.4):
 *
 *     bytes                               32     65    1332
 *     sha256, one-shot, as a string      0.3    0.3     0.9     <- used
 *     sha256, one-shot, as a Buffer      0.7    0.7     1.3
 *     sha256, noble                      0.8    1.2     6.6
 *     HMAC of two one-shots as strings   0.7    0.7     1.4     <- used
 *     HMAC, createHmac                   1.6    1.7     2.4
 *     HMAC, noble                        3.0    3.4     9.2
 *     ChaCha20, createCipheriv           1.6    1.7     2.6     <- used (noble ciphers 3.1 at 32, 7.8 at 1300)
 *
 * A JavaScript implementation is never faster.
 */

import { createCipheriv, createDecipheriv, createHmac, hash } from 'node:crypto';
import { concatBytes, xorInto } from '../bytes.ts';
import { WireError } from '../wire-error.ts';

/** Length of a SHA-256 hash in bytes. */
export const HASH_BYTES = 32;
const BLOCK_BYTES = 64;
const TAG_BYTES = 16;
const ZERO_IV = new Uint8Array(16);
const ZERO_NONCE = new Uint8Array(12);

/** SHA-256 of the concatenated parts. */
export function sha256(...parts: readonly Uint8Array[]): Uint8Array {
  return digestInto(new Uint8Array(HASH_BYTES), 0, wholeOf(parts));
}

/** Writes SHA-256 of the concatenated parts to the target, from `at` on. Returns the target. */
export function sha256Into(target: Uint8Array, at: number, ...parts: readonly Uint8Array[]): Uint8Array {
  return digestInto(target, at, wholeOf(parts));
}

function wholeOf(parts: readonly Uint8Array[]): Uint8Array {
  return parts.length === 1 ? (parts[0] as Uint8Array) : (joined(0, parts) ?? concatBytes(...parts));
}

/**
 * Writes the hash of the bytes to the target. The hash is requested as a string with one character per byte, because V8
 * keeps strings in its heap. A Buffer has separate memory, and allocating that takes longer than hashing.
 */
function digestInto(target: Uint8Array, at: number, bytes: Uint8Array): Uint8Array {
  const text = hash('sha256', bytes, 'binary');
  for (let i = 0; i < HASH_BYTES; i++) target[at + i] = text.charCodeAt(i);
  return target;
}

/** The buffer for joining parts. It is reused, because allocating memory takes longer than hashing. */
const together = new Uint8Array(4096);
/** Views of the start of `together`, by length. */
const beginnings: (Uint8Array | undefined)[] = [];

/**
 * A view of `together` with its first `from` bytes unchanged and the parts after them. It is valid until the next call.
 * `undefined` when the parts do not fit.
 */
function joined(from: number, parts: readonly Uint8Array[]): Uint8Array | undefined {
  let length = from;
  for (const part of parts) length += part.length;
  if (length > together.length) return undefined;
  let at = from;
  for (const part of parts) {
    together.set(part, at);
    at += part.length;
  }
  beginnings[length] ??= together.subarray(0, length);
  return beginnings[length];
}

/** SHA-256 of the SHA-256 of the concatenated parts. Signatures of gossip messages cover this hash (BOLT 7). */
export function doubleSha256(...parts: readonly Uint8Array[]): Uint8Array {
  return sha256(sha256(...parts));
}

const outer = new Uint8Array(BLOCK_BYTES + HASH_BYTES);

/** HMAC-SHA256 (RFC 2104) of the concatenated parts. */
export function hmacSha256(key: Uint8Array, ...parts: readonly Uint8Array[]): Uint8Array {
  const inner = key.length > BLOCK_BYTES ? undefined : joined(BLOCK_BYTES, parts);
  if (inner === undefined) {
    const mac = createHmac('sha256', key);
    for (const part of parts) mac.update(part);
    return plain(mac.digest());
  }
  for (let i = 0; i < BLOCK_BYTES; i++) {
    const byte = i < key.length ? (key[i] as number) : 0;
    inner[i] = byte ^ 0x36;
    outer[i] = byte ^ 0x5c;
  }
  digestInto(outer, BLOCK_BYTES, inner);
  return digestInto(new Uint8Array(HASH_BYTES), 0, outer);
}

/**
 * HMAC-SHA256 with this key, for messages of 32 bytes. The key is prepared once. Faster than `hmacSha256` for keys that
 * are used often.
 * @param key at most 64 bytes
 */
export function hmacOfHash(key: Uint8Array): (message: Uint8Array) => Uint8Array {
  const inner = new Uint8Array(BLOCK_BYTES + HASH_BYTES).fill(0x36, 0, BLOCK_BYTES);
  const outside = new Uint8Array(BLOCK_BYTES + HASH_BYTES).fill(0x5c, 0, BLOCK_BYTES);
  for (const pad of [inner, outside]) xorInto(pad, key);
  return (message) => {
    if (message.length !== HASH_BYTES) return hmacSha256(key, message);
    inner.set(message, BLOCK_BYTES);
    digestInto(outside, BLOCK_BYTES, inner);
    return digestInto(new Uint8Array(HASH_BYTES), 0, outside);
  };
}

/** HKDF-SHA256 (RFC 5869) with empty info. Returns 64 bytes as two keys, as in BOLT 8. */
export function hkdfTwoKeys(salt: Uint8Array, keyMaterial: Uint8Array): [Uint8Array, Uint8Array] {
  const secret = hmacSha256(salt, keyMaterial);
  const first = hmacSha256(secret, Uint8Array.of(1));
  return [first, hmacSha256(secret, first, Uint8Array.of(2))];
}

/**
 * SHA-256(tag) || SHA-256(tag), the first bytes that are hashed for this tag (BIP-340). Keep the result for tags that
 * are used often.
 */
export function tagPrefix(tag: Uint8Array): Uint8Array {
  const half = sha256(tag);
  return concatBytes(half, half);
}

/** SHA-256(SHA-256(tag) || SHA-256(tag) || message), the tagged hash of BIP-340. */
export function taggedHash(tag: Uint8Array, ...message: readonly Uint8Array[]): Uint8Array {
  return sha256(tagPrefix(tag), ...message);
}

/**
 * `length` bytes of the ChaCha20 key stream, with nonce and counter zero (BOLT 4, "Pseudo Random Byte
 * Stream").
 */
export function chacha20Stream(key: Uint8Array, length: number): Uint8Array {
  return chacha20Xor(key, length <= ZEROS.length ? ZEROS.subarray(0, length) : new Uint8Array(length));
}

/**
 * Zeros, which are never overwritten. Long enough for the payloads area of the larger onion (32,768 bytes) plus a frame
 * of 8,192 bytes.
 */
const ZEROS = new Uint8Array(40_960);

/** The bytes XORed with the stream of `chacha20Stream`, as a new array. */
export function chacha20Xor(key: Uint8Array, bytes: Uint8Array): Uint8Array {
  return chacha20(key)(bytes);
}

/**
 * Returns a function that XORs bytes with the stream of `chacha20Stream`. Each call continues where the previous call
 * ended.
 */
export function chacha20(key: Uint8Array): (bytes: Uint8Array) => Uint8Array {
  const cipher = createCipheriv('chacha20', key, ZERO_IV);
  return (bytes) => plain(cipher.update(bytes));
}

/** ChaCha20-Poly1305 (RFC 8439). Returns the ciphertext followed by its 16-byte tag. */
export function sealBox(
  key: Uint8Array,
  plaintext: Uint8Array,
  nonce: Uint8Array = ZERO_NONCE,
  associatedData?: Uint8Array,
): Uint8Array {
  const cipher = createCipheriv('chacha20-poly1305', key, nonce, { authTagLength: TAG_BYTES });
  if (associatedData !== undefined) cipher.setAAD(associatedData, { plaintextLength: plaintext.length });
  const body = cipher.update(plaintext);
  cipher.final();
  return concatBytes(body, cipher.getAuthTag());
}

/** Decrypts the result of `sealBox`. @throws WireError `decryption` when the tag does not match. */
export function openBox(
  key: Uint8Array,
  box: Uint8Array,
  nonce: Uint8Array = ZERO_NONCE,
  associatedData?: Uint8Array,
): Uint8Array {
  const length = box.length - TAG_BYTES;
  if (length < 0) throw new WireError('decryption', 'ciphertext is shorter than its tag');
  const decipher = createDecipheriv('chacha20-poly1305', key, nonce, { authTagLength: TAG_BYTES });
  if (associatedData !== undefined) decipher.setAAD(associatedData, { plaintextLength: length });
  decipher.setAuthTag(box.subarray(length));
  const plaintext = decipher.update(box.subarray(0, length));
  try {
    decipher.final();
  } catch {
    throw new WireError('decryption', 'the tag of the ciphertext is wrong');
  }
  return plain(plaintext);
}

/**
 * Converts a Buffer to a `Uint8Array` on the same memory. Callers expect `slice` to copy, and the `slice` of a Buffer
 * does not.
 */
function plain(buffer: Buffer): Uint8Array {
  return new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.length);
}
