/**
 * Messages that control a connection (BOLT 1): `init` (16), `error` (17), `ping` (18), `pong` (19), `warning` (1).
 * Bytes include the 2-byte type. A peer's text may contain anything and must never reach a terminal unchanged.
 */

import { ByteReader, ByteWriter } from '../bytes.ts';
import { anyBytes } from '../coding.ts';
import { HASH_BYTES } from '../crypto/hashes.ts';
import { tlvCodec } from '../tlv.ts';
import { WireError } from '../wire-error.ts';
import { startReading } from './start-reading.ts';

/** Type of `warning` (BOLT 1). */
export const WARNING_TYPE = 1;

/** Type of `init` (BOLT 1). */
export const INIT_TYPE = 16;

/** Type of `error` (BOLT 1). */
export const ERROR_TYPE = 17;

/** Type of `ping` (BOLT 1). */
export const PING_TYPE = 18;

/** Type of `pong` (BOLT 1). */
export const PONG_TYPE = 19;

const CHANNEL_ID_BYTES = 32;
/** A ping that requests at least this many bytes expects no answer. */
const NO_PONG = 65532;

/** An `init`: a peer's features and chains (BOLT 1). */
export interface Init {
  /** The two bit fields of the message, combined with OR as BOLT 1 requires. */
  readonly features: Uint8Array;
  /** Genesis hashes of the peer's chains. Undefined if the peer accepts any chain. */
  readonly networks: readonly Uint8Array[] | undefined;
  /** The original address descriptor under which the peer sees us (BOLT 7). */
  readonly remoteAddress: Uint8Array | undefined;
}

/** A `ping`: the requested number of pong bytes, and the number of ignored bytes in the ping (BOLT 1). */
export interface Ping {
  readonly pongBytes: number;
  readonly ignoredBytes: number;
}

/** An `error` or a `warning` (BOLT 1). */
export interface Complaint {
  readonly isError: boolean;
  /** All zero when the complaint is about the whole connection. */
  readonly channelId: Uint8Array;
  readonly data: Uint8Array;
}

const networks = {
  encode: (hashes: readonly Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(hashes)),
  decode(bytes: Uint8Array): readonly Uint8Array[] {
    if (bytes.length % HASH_BYTES !== 0)
      throw new WireError('invalid', 'the length of the chain hashes is not a multiple of 32');
    const count = bytes.length / HASH_BYTES;
    return Array.from({ length: count }, (_, i) => bytes.subarray(i * HASH_BYTES, (i + 1) * HASH_BYTES));
  },
};

const initFields = tlvCodec({
  networks: { type: 1n, ...networks },
  remoteAddress: { type: 3n, ...anyBytes },
});

/** The type of a message. @throws WireError when the message is too short to have one. */
export function messageType(message: Uint8Array): number {
  return new ByteReader(message).u16();
}

/**
 * Encodes `init`. All features go into the second field, because only software that does not know the second field
 * needs the first field.
 */
export function encodeInit({ features, networks: chains, remoteAddress }: Init): Uint8Array {
  return new ByteWriter(128)
    .u16(INIT_TYPE)
    .u16(0)
    .u16(features.length)
    .put(features)
    .put(
      initFields.encode({
        ...(chains !== undefined && { networks: chains }),
        ...(remoteAddress !== undefined && { remoteAddress }),
      }),
    )
    .finish();
}

/** Reads `init`. @throws WireError */
export function decodeInit(bytes: Uint8Array): Init {
  const reader = startReading(bytes, INIT_TYPE);
  const features = joined(reader.take(reader.u16()), reader.take(reader.u16()));
  const { values } = initFields.decode(reader.rest());
  return { features, networks: values.networks, remoteAddress: values.remoteAddress };
}

/** The bytes of a `ping`, its type included. */
export function encodePing({ pongBytes, ignoredBytes }: Ping): Uint8Array {
  return new ByteWriter()
    .u16(PING_TYPE)
    .u16(pongBytes)
    .u16(ignoredBytes)
    .put(new Uint8Array(ignoredBytes))
    .finish();
}

/** Reads a `ping`. @throws WireError */
export function decodePing(bytes: Uint8Array): Ping {
  const reader = startReading(bytes, PING_TYPE);
  const pongBytes = reader.u16();
  const ignoredBytes = reader.u16();
  reader.take(ignoredBytes);
  return { pongBytes, ignoredBytes };
}

/** The answer to a ping. `undefined` when the ping expects none. */
export function pongFor({ pongBytes }: Ping): Uint8Array | undefined {
  if (pongBytes >= NO_PONG) return undefined;
  return new ByteWriter().u16(PONG_TYPE).u16(pongBytes).put(new Uint8Array(pongBytes)).finish();
}

/** The number of bytes in a pong. @throws WireError */
export function decodePong(bytes: Uint8Array): number {
  const reader = startReading(bytes, PONG_TYPE);
  const length = reader.u16();
  reader.take(length);
  return length;
}

/** The bytes of an `error` or a `warning`, its type included. */
export function encodeComplaint({ isError, channelId, data }: Complaint): Uint8Array {
  return new ByteWriter()
    .u16(isError ? ERROR_TYPE : WARNING_TYPE)
    .put(channelId)
    .u16(data.length)
    .put(data)
    .finish();
}

/** A warning about the whole connection, in ASCII. */
export function encodeWarning(text: string): Uint8Array {
  const data = new Uint8Array(Buffer.from(text, 'latin1'));
  return encodeComplaint({ isError: false, channelId: new Uint8Array(CHANNEL_ID_BYTES), data });
}

/** Reads a `warning` or an `error`. @throws WireError */
export function decodeComplaint(bytes: Uint8Array): Complaint {
  const isError = messageType(bytes) === ERROR_TYPE;
  const reader = startReading(bytes, isError ? ERROR_TYPE : WARNING_TYPE);
  const channelId = reader.take(CHANNEL_ID_BYTES);
  return { isError, channelId, data: reader.take(reader.u16()) };
}

/** Bitwise OR of two big-endian bit fields. */
function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  const [long, short] = a.length >= b.length ? [a, b] : [b, a];
  const bits = long.slice();
  const shift = long.length - short.length;
  short.forEach((byte, i) => {
    bits[shift + i] = (bits[shift + i] as number) | byte;
  });
  return bits;
}
