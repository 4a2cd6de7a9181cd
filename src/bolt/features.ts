/**
 * Feature bits (BOLT 9): a big-endian bit field; bit 0 is the lowest of the last byte. An even bit demands, an
 * odd bit offers; 2n and 2n+1 are one feature.
 */

/** The largest bit that may be set when a field is built: a bound on its length, far above what exists. */
const MAX_BIT = 8 * 1024;

export function hasFeatureBit(features: Uint8Array, bit: number): boolean {
  const byte = features[features.length - 1 - (bit >> 3)];
  return byte !== undefined && (byte & (1 << (bit & 7))) !== 0;
}

/** Whether the feature whose even bit is given is demanded or offered. */
export function hasFeature(features: Uint8Array, evenBit: number): boolean {
  return hasFeatureBit(features, evenBit) || hasFeatureBit(features, evenBit + 1);
}

/** All bits that are set, increasing. */
export function featureBits(features: Uint8Array): number[] {
  const bits: number[] = [];
  for (let bit = 0; bit < 8 * features.length; bit++) if (hasFeatureBit(features, bit)) bits.push(bit);
  return bits;
}

/** The first even bit that is set and not among those supported; `undefined` when there is none. */
export function unknownRequiredFeature(
  features: Uint8Array,
  supportedEvenBits: readonly number[],
): number | undefined {
  return featureBits(features).find((bit) => bit % 2 === 0 && !supportedEvenBits.includes(bit));
}

/** The shortest field with these bits set. @throws RangeError when a bit is out of range. */
export function featuresOf(bits: readonly number[]): Uint8Array {
  if (bits.some((bit) => !Number.isInteger(bit) || bit < 0 || bit > MAX_BIT))
    throw new RangeError('not a feature bit');
  const length = bits.length === 0 ? 0 : (Math.max(...bits) >> 3) + 1;
  const features = new Uint8Array(length);
  for (const bit of bits) {
    const at = length - 1 - (bit >> 3);
    features[at] = (features[at] as number) | (1 << (bit & 7));
  }
  return features;
}
