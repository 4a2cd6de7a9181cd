import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromHex, toHex } from '../../src/bolt/bytes.ts';
import {
  featureBits,
  featuresOf,
  hasFeature,
  hasFeatureBit,
  unknownRequiredFeature,
} from '../../src/bolt/features.ts';

describe('feature bits', () => {
  it('are those of a big-endian field', () => {
    // 1, 9, 13, 15, 17, 25, 39, 45
    expect(featureBits(fromHex('20800202a202'))).toEqual([1, 9, 13, 15, 17, 25, 39, 45]);
    expect(toHex(featuresOf([45, 1, 39, 9, 25, 13, 17, 15]))).toBe('20800202a202');
    expect(toHex(featuresOf([]))).toBe('');
  });

  it('come in pairs', () => {
    const features = featuresOf([39]);
    expect([hasFeatureBit(features, 38), hasFeature(features, 38), hasFeature(features, 36)]).toEqual([
      false,
      true,
      false,
    ]);
    expect(hasFeatureBit(features, 1000)).toBe(false);
  });

  it('that are even and unknown are found', () => {
    expect(unknownRequiredFeature(featuresOf([1, 16, 200]), [16])).toBe(200);
    expect(unknownRequiredFeature(featuresOf([1, 16, 201]), [16])).toBeUndefined();
  });

  it('return what was set', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(300)), (bits) => {
        expect(featureBits(featuresOf(bits))).toEqual([...bits].sort((a, b) => a - b));
      }),
    );
    expect(() => featuresOf([-1])).toThrow(RangeError);
    expect(() => featuresOf([10 ** 9])).toThrow(RangeError);
  });
});
