/**
 * Keys of `map<uint64, …>` as decoded by protobufjs: eight characters, each one byte of the number, least significant
 * first. protobufjs does so even where it decodes other 64-bit numbers as text.
 */

const KEY_BYTES = 8;

/** The entries of a decoded `map<uint64, …>`, with the keys as numbers. */
export function entriesByNumber<V>(map: Readonly<Record<string, V>>): [bigint, V][] {
  return Object.entries(map).map(([key, value]) => [numberOf(key), value]);
}

function numberOf(key: string): bigint {
  if (key.length !== KEY_BYTES) return BigInt(key);
  return Buffer.from(key, 'latin1').readBigUInt64LE();
}
