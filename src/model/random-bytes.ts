/**
 * Cryptographically secure random bytes. Keys and ids need 16 or 32 bytes at a time, and each call of the system's
 * generator takes some microseconds. So one call fills a pool. Used bytes are wiped from the pool.
 */
import { randomFillSync } from 'node:crypto';

const POOL_BYTES = 4096;
const pool = new Uint8Array(POOL_BYTES);
let given = POOL_BYTES;

/**
 * Draws bytes.
 * @param length at most 4096
 * @throws RangeError for a larger length
 */
export function randomBytes(length: number): Uint8Array {
  if (length > POOL_BYTES) throw new RangeError(`${length} random bytes requested at once`);
  if (given + length > POOL_BYTES) {
    randomFillSync(pool);
    given = 0;
  }
  const bytes = pool.slice(given, given + length);
  pool.fill(0, given, given + length);
  given += length;
  return bytes;
}
