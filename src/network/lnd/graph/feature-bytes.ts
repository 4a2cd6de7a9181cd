/** Feature bits as LND lists them: an object whose keys are the numbers of the bits. */

/** Bits from this number on are ignored. BOLT 9 assigns no bits beyond a few hundred. */
const MAX_BIT = 16_384;

/** The bits in wire format: most significant byte first. */
export function featureBytes(features: Readonly<Record<string, unknown>>): Uint8Array {
  return bytesOfBits(Object.keys(features).map(Number));
}

/** Like `featureBytes`, but for a list of bit numbers. Invalid numbers are left out. */
export function bytesOfBits(numbers: readonly number[]): Uint8Array {
  const bits = numbers.filter((bit) => Number.isInteger(bit) && bit >= 0 && bit < MAX_BIT);
  if (bits.length === 0) return new Uint8Array(0);
  const bytes = new Uint8Array((Math.max(...bits) >> 3) + 1);
  for (const bit of bits) bytes[bytes.length - 1 - (bit >> 3)]! |= 1 << (bit & 7);
  return bytes;
}
