/** Ids that need no counter: 128 random bits, unique over all machines that ever share a store. */

const BYTES = 16;

/** @returns 32 hex digits. */
export function randomId(randomBytes: (length: number) => Uint8Array): string {
  return Buffer.from(randomBytes(BYTES)).toString('hex');
}
