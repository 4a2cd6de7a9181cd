/**
 * Feature bits (BOLT 9): a big-endian bit field, where bit 0 is the lowest bit of the last byte. An even bit requires a
 * feature, an odd bit offers it; 2n and 2n+1 are one feature. The table `FEATURE` has all names and numbers.
 */

/**
 * Every feature that this project sets, requires, names or accepts: its name in the table of BOLT 9, and its even bit.
 * Four are not (or no longer) in that table: `option_anchor_outputs` (older anchors, with HTLC transactions that pay a
 * fee), `option_want_peer_backup_storage` (Core Lightning's, before `option_provide_storage`), `keysend` (bLIP 3) and
 * `option_trampoline_routing` (proposed for BOLT 4).
 */
export const FEATURE = {
  option_data_loss_protect: 0,
  option_upfront_shutdown_script: 4,
  gossip_queries: 6,
  var_onion_optin: 8,
  gossip_queries_ex: 10,
  option_static_remotekey: 12,
  payment_secret: 14,
  basic_mpp: 16,
  option_support_large_channel: 18,
  option_anchor_outputs: 20,
  option_anchors: 22,
  option_route_blinding: 24,
  option_shutdown_anysegwit: 26,
  option_dual_fund: 28,
  option_quiesce: 34,
  option_attribution_data: 36,
  option_onion_messages: 38,
  option_want_peer_backup_storage: 40,
  option_provide_storage: 42,
  option_channel_type: 44,
  option_scid_alias: 46,
  option_payment_metadata: 48,
  option_zeroconf: 50,
  keysend: 54,
  option_trampoline_routing: 56,
  option_simple_close: 60,
  option_splice: 62,
} as const;

/** The name of a feature in the table. */
export type FeatureName = keyof typeof FEATURE;

const NAMES = new Map(Object.entries(FEATURE).map(([name, bit]) => [bit as number, name as FeatureName]));

/** The name of the feature with this even bit. `undefined` when the table does not have it. */
export const featureName = (evenBit: number): FeatureName | undefined => NAMES.get(evenBit);

/** The odd bit of a feature, which offers it without requiring it. */
export const optional = (evenBit: number): number => evenBit + 1;

/** Highest bit that `featuresOf` accepts. It limits the length of the field, and is far above all assigned bits. */
const MAX_BIT = 8 * 1024;

/** Whether exactly this bit is set in a big-endian bit field. */
export function hasFeatureBit(features: Uint8Array, bit: number): boolean {
  const byte = features[features.length - 1 - (bit >> 3)];
  return byte !== undefined && (byte & (1 << (bit & 7))) !== 0;
}

/** Whether the feature with this even bit is required or offered. */
export function hasFeature(features: Uint8Array, evenBit: number): boolean {
  return hasFeatureBit(features, evenBit) || hasFeatureBit(features, evenBit + 1);
}

/** All bits that are set, in increasing order. */
export function featureBits(features: Uint8Array): number[] {
  const bits: number[] = [];
  for (let bit = 0; bit < 8 * features.length; bit++) if (hasFeatureBit(features, bit)) bits.push(bit);
  return bits;
}

/** The first even bit that is set and not supported. `undefined` when there is none. */
export function unknownRequiredFeature(
  features: Uint8Array,
  supportedEvenBits: readonly number[],
): number | undefined {
  for (let bit = 0; bit < 8 * features.length; bit += 2) {
    if (hasFeatureBit(features, bit) && !supportedEvenBits.includes(bit)) return bit;
  }
  return undefined;
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
