/**
 * Encodings of single values: how the bytes of a field are written and read (BOLT 1, "Fundamental Types"). Decoders
 * accept exactly one form of each value, and throw `WireError` for any other.
 */

import type { Msat } from '../model/msat.ts';
import type { ShortChannelId } from '../model/short-channel-id.ts';
import { ByteReader, ByteWriter, utf8Text } from './bytes.ts';
import { curve, POINT_BYTES } from './crypto/curve.ts';
import { WireError } from './wire-error.ts';

/** Writes and reads the bytes of one kind of value. */
export interface ValueCoding<V> {
  encode(value: V): Uint8Array;
  /** @throws WireError */
  decode(bytes: Uint8Array): V;
}

/**
 * Encodes an integer big-endian without leading zero bytes (BOLT 1 `tu64`). Zero takes no bytes.
 * @throws WireError when the integer needs more than `most` bytes.
 */
export function encodeTruncated(value: bigint | number, most: number): Uint8Array {
  const length = truncatedLength(value);
  if (value < 0 || length > most) throw new WireError('invalid', `${value} does not fit ${most} bytes`);
  const bytes = new Uint8Array(length);
  let left = BigInt(value);
  for (let i = length - 1; i >= 0; i--, left >>= 8n) bytes[i] = Number(left & 0xffn);
  return bytes;
}

/**
 * Decodes an integer without leading zero bytes. @throws WireError when there are more than `most` bytes, or when the
 * first byte is zero.
 */
export function decodeTruncated(bytes: Uint8Array, most: number): bigint {
  if (bytes.length > most) throw new WireError('tooLong', `at most ${most} bytes expected`);
  if (bytes[0] === 0) throw new WireError('notMinimal', 'truncated integer starts with zero');
  let value = 0n;
  for (const byte of bytes) value = (value << 8n) | BigInt(byte);
  return value;
}

/** The encoded length of a truncated integer, in bytes. */
export function truncatedLength(value: bigint | number): number {
  let length = 0;
  for (let bound = 1n; bound <= value; bound <<= 8n) length++;
  return length;
}

/** An unsigned 64-bit integer without leading zero bytes (BOLT 1). */
export const tu64: ValueCoding<bigint> = {
  encode: (value) => encodeTruncated(value, 8),
  decode: (bytes) => decodeTruncated(bytes, 8),
};

/** An unsigned 32-bit integer without leading zero bytes (BOLT 1). */
export const tu32: ValueCoding<number> = {
  encode: (value) => encodeTruncated(value, 4),
  decode: (bytes) => Number(decodeTruncated(bytes, 4)),
};

/** An amount in msat as `tu64`. */
export const tu64Msat = tu64 as ValueCoding<Msat>;

/** Any bytes. */
export const anyBytes: ValueCoding<Uint8Array> = { encode: (value) => value, decode: (bytes) => bytes };

/** Exactly `length` bytes. */
export function fixedBytes(length: number): ValueCoding<Uint8Array> {
  const checked = (bytes: Uint8Array): Uint8Array => {
    if (bytes.length !== length)
      throw new WireError('invalid', `${length} bytes expected, not ${bytes.length}`);
    return bytes;
  };
  return { encode: checked, decode: checked };
}

/**
 * Text. Decoding refuses a zero byte, because it ends a string in C programs, which would then show a different text.
 */
export const utf8: ValueCoding<string> = {
  encode: (value) => new Uint8Array(Buffer.from(value, 'utf8')),
  decode(bytes) {
    if (bytes.includes(0)) throw new WireError('invalid', 'the text contains a zero byte');
    return utf8Text(bytes);
  },
};

/** No value: only the field's presence matters. */
export const flag: ValueCoding<true> = {
  encode: () => new Uint8Array(0),
  decode(bytes) {
    if (bytes.length !== 0) throw new WireError('trailing', 'the field must be empty');
    return true;
  },
};

/** A value of several fields, written and read in sequence. Reading must consume the whole value. */
export function fieldsOf<V>(
  write: (writer: ByteWriter, value: V) => void,
  read: (reader: ByteReader) => V,
): ValueCoding<V> {
  return {
    encode(value) {
      const writer = new ByteWriter();
      write(writer, value);
      return writer.finish();
    },
    decode(bytes) {
      const reader = new ByteReader(bytes);
      const value = read(reader);
      reader.end();
      return value;
    },
  };
}

/** An unsigned 64-bit integer in exactly eight bytes, big-endian. */
export const u64: ValueCoding<bigint> = fieldsOf(
  (writer, value) => void writer.u64(value),
  (reader) => reader.u64(),
);

/** An unsigned 16-bit integer in exactly two bytes, big-endian. */
export const u16: ValueCoding<number> = fieldsOf(
  (writer, value) => void writer.u16(value),
  (reader) => reader.u16(),
);

/** The 64 bits of a short channel id (BOLT 7). */
export const shortChannelId = u64 as ValueCoding<ShortChannelId>;

/** A compressed point of the curve. Encoding and decoding check that the bytes are a valid point. */
export const point: ValueCoding<Uint8Array> = fieldsOf(
  (writer, value) => void writer.put(requireRecurring(value)),
  readRecurringPoint,
);

/**
 * Reads a point that is likely to recur in other messages, such as a node id.
 * @throws WireError when the next 33 bytes are not a valid point.
 */
export function readRecurringPoint(reader: ByteReader): Uint8Array {
  return requireRecurring(reader.take(POINT_BYTES));
}

/**
 * Valid points that were read or written before, each in the place given by its last bytes. Finding a point here takes
 * a fiftieth of the time of checking it.
 */
const KNOWN_POINTS = 1024;
const known = new Uint8Array(KNOWN_POINTS * POINT_BYTES);

function requireRecurring(bytes: Uint8Array): Uint8Array {
  const place = (((bytes[POINT_BYTES - 2]! << 8) | bytes[POINT_BYTES - 1]!) % KNOWN_POINTS) * POINT_BYTES;
  if (bytes.length === POINT_BYTES && bytes[0] !== 0 && isAt(place, bytes)) return bytes;
  known.set(requirePoint(bytes), place);
  return bytes;
}

function isAt(place: number, bytes: Uint8Array): boolean {
  for (let i = 0; i < POINT_BYTES; i++) if (known[place + i] !== bytes[i]) return false;
  return true;
}

/** Reads a point. @throws WireError when the next 33 bytes are not a valid point. */
export function readPoint(reader: ByteReader): Uint8Array {
  return requirePoint(reader.take(POINT_BYTES));
}

function requirePoint(bytes: Uint8Array): Uint8Array {
  if (!curve.isPoint(bytes)) throw new WireError('invalid', 'not a point on the curve');
  return bytes;
}
