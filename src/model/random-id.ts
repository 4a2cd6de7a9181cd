/** Random ids of 128 bits, which are unique among all machines that share a store. */

const BYTES = 16;

/** Draws an id. @returns 32 hex digits. */
export function randomId(randomBytes: (length: number) => Uint8Array): string {
  return Buffer.from(randomBytes(BYTES)).toString('hex');
}
