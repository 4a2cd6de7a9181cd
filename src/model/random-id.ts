/** Ids without a counter: 128 random bits. They are unique over all machines that may share a store. */

const BYTES = 16;

/** Draws an id. @returns 32 hex digits. */
export function randomId(randomBytes: (length: number) => Uint8Array): string {
  return Buffer.from(randomBytes(BYTES)).toString('hex');
}
