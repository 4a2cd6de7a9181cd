import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromHex, toHex } from '../../../src/bolt/bytes.ts';
import {
  FEATURE,
  type FeatureName,
  featureBits,
  featureName,
  featuresOf,
  hasFeature,
  hasFeatureBit,
  unknownRequiredFeature,
} from '../../../src/bolt/peer/features.ts';

/**
 * Rows of the table in BOLT 9, "Assigned Feature Flags" (even bit and name), and of bLIP 3, as published.
 */
const PUBLISHED: readonly (readonly [number, FeatureName])[] = [
  [0, 'option_data_loss_protect'],
  [4, 'option_upfront_shutdown_script'],
  [6, 'gossip_queries'],
  [8, 'var_onion_optin'],
  [10, 'gossip_queries_ex'],
  [12, 'option_static_remotekey'],
  [14, 'payment_secret'],
  [16, 'basic_mpp'],
  [18, 'option_support_large_channel'],
  [22, 'option_anchors'],
  [24, 'option_route_blinding'],
  [26, 'option_shutdown_anysegwit'],
  [28, 'option_dual_fund'],
  [34, 'option_quiesce'],
  [36, 'option_attribution_data'],
  [38, 'option_onion_messages'],
  [42, 'option_provide_storage'],
  [44, 'option_channel_type'],
  [46, 'option_scid_alias'],
  [48, 'option_payment_metadata'],
  [50, 'option_zeroconf'],
  [60, 'option_simple_close'],
  [62, 'option_splice'],
  [54, 'keysend'],
];

describe('feature bits', () => {
  it.each(PUBLISHED)('%i is %s', (bit, name) => {
    expect([FEATURE[name], featureName(bit)]).toEqual([bit, name]);
  });

  it('are even in the table, and each appears only once', () => {
    const bits: readonly number[] = Object.values(FEATURE);
    expect(bits.filter((bit) => bit % 2 !== 0)).toEqual([]);
    expect(new Set(bits).size).toBe(bits.length);
    expect(featureName(2)).toBeUndefined();
  });

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
