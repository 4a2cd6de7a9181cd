/**
 * The encrypted packet that returns a failure to the payer (BOLT 4, "Returning Errors").
 *
 *     packet = hmac(um) (32) || u16 length || failure || u16 pad length || pad      length + pad >= 256
 *
 * Every node on the way back, starting with the failing one, XORs the packet with its own stream. The payer undoes the
 * streams one by one until an hmac is valid: that node failed the HTLC. The payer always performs 27 rounds, so that
 * the time taken does not reveal how far the payment got.
 */

import { ByteReader, ByteWriter, concatBytes, equalBytes } from '../bytes.ts';
import { chacha20Xor, HASH_BYTES, hmacSha256 } from '../crypto/hashes.ts';
import { WireError } from '../wire-error.ts';
import { readAttribution } from './attribution.ts';
import { onionKey } from './onion-key.ts';
import { MAX_ONION_HOPS } from './sphinx.ts';

/** Total number of bytes of failure and padding. All nodes use the same number, so that the length reveals nothing. */
const CONTENT_BYTES = 256;
/** Maximum bytes of a packet that an `update_fail_htlc` can hold. */
const MAX_PACKET_BYTES = 65535;
/** Stands in for the missing secrets of a route with fewer than the maximum number of hops. */
const DUMMY_SECRET = new Uint8Array(HASH_BYTES).fill(7);

/** The contents of a returned packet. */
export interface ReturnedFailure {
  /** Index in the route of the node that failed the HTLC. `undefined` when no hmac is valid. */
  readonly hopIndex: number | undefined;
  /** The failure message. `undefined` when the packet cannot be decrypted or contains an impossible length. */
  readonly failure: Uint8Array | undefined;
  /** How long each node claims to have held the HTLC, in milliseconds, as far as the attribution data is valid. */
  readonly holdTimesMs: readonly number[];
  /**
   * For an unreadable packet with attribution data: index of the first node whose hmac is invalid. Either that node or
   * the previous node changed the packet.
   */
  readonly suspectIndex: number | undefined;
}

/** The packet before the failing node's own stream is applied. Attribution data covers these bytes. */
export function plainFailurePacket(
  sharedSecret: Uint8Array,
  failure: Uint8Array,
  contentBytes = CONTENT_BYTES,
): Uint8Array {
  const padding = Math.max(0, contentBytes - failure.length);
  const content = new ByteWriter(contentBytes + 4)
    .u16(failure.length)
    .put(failure)
    .u16(padding)
    .put(new Uint8Array(padding))
    .finish();
  return concatBytes(hmacSha256(onionKey('um', sharedSecret), content), content);
}

/** The packet returned by the failing node. */
export function createFailurePacket(sharedSecret: Uint8Array, failure: Uint8Array): Uint8Array {
  return wrapFailurePacket(sharedSecret, plainFailurePacket(sharedSecret, failure));
}

/** Applies a node's stream to the packet, as every node on the way back does. */
export function wrapFailurePacket(sharedSecret: Uint8Array, packet: Uint8Array): Uint8Array {
  return chacha20Xor(onionKey('ammag', sharedSecret), packet);
}

/**
 * Decrypts a returned packet.
 * @param sharedSecrets the secrets of the route's hops, in order, at most 27.
 * @throws WireError when the packet is longer than any message can carry.
 */
export function unwrapFailurePacket(
  sharedSecrets: readonly Uint8Array[],
  packet: Uint8Array,
  attribution?: Uint8Array,
): ReturnedFailure {
  if (packet.length > MAX_PACKET_BYTES) throw new WireError('tooLong', 'failure packet is too long');
  let hopIndex: number | undefined;
  let content: Uint8Array | undefined;
  let layer = packet;
  for (let round = 0; round < MAX_ONION_HOPS; round++) {
    const secret = sharedSecrets[round] ?? DUMMY_SECRET;
    layer = wrapFailurePacket(secret, layer);
    const hmac = hmacSha256(onionKey('um', secret), layer.subarray(HASH_BYTES));
    const fits = equalBytes(hmac, layer.subarray(0, HASH_BYTES));
    if (fits && round < sharedSecrets.length) {
      hopIndex = round;
      content = layer.subarray(HASH_BYTES);
    }
  }
  const reached = hopIndex === undefined ? sharedSecrets.length : hopIndex + 1;
  const attested = attribution && readAttribution(sharedSecrets, attribution, packet, reached);
  return {
    hopIndex,
    failure: content && failureIn(content),
    holdTimesMs: attested?.holdTimesMs ?? [],
    suspectIndex: hopIndex === undefined ? attested?.brokenIndex : undefined,
  };
}

/** The failure message in the content. `undefined` when its length is impossible. */
function failureIn(content: Uint8Array): Uint8Array | undefined {
  try {
    const reader = new ByteReader(content);
    return reader.take(reader.u16());
  } catch {
    return undefined;
  }
}
