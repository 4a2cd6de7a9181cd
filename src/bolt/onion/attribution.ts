/**
 * Attribution data (BOLT 4, "Returning Errors", `option_attribution_data`). It shows the payer how long each node held
 * an HTLC, and which pair of nodes tampered with the failure.
 *
 *     data = 20 hold times (u32, in units of 100 ms) || 210 hmacs, each truncated to 4 bytes
 *
 * A node does not know how far it is from the end, so it writes one hmac for every distance y = 19..0. Let hmac(x, y)
 * be the hmac of the node x steps further down the route, at distance y. The order on the wire is
 *
 *     (0,19) (0,18) ... (0,0)   (1,18) ... (1,0)   ...   (19,0)
 *
 * hmac(0, y) covers the message, the first y+1 hold times, and (1,y-1) (2,y-2) ... (y,0). On the way back, every node
 * shifts the data by one node, drops the hmacs that would need a 21st hop, and XORs its stream over the data.
 */

import { concatBytes, equalBytes } from '../bytes.ts';
import { chacha20Xor, hmacSha256 } from '../crypto/hashes.ts';
import { WireError } from '../wire-error.ts';
import { onionKey } from './onion-key.ts';

const MAX_HOPS = 20;
const TIME_BYTES = 4;
const TIMES_BYTES = MAX_HOPS * TIME_BYTES;
const HMAC_BYTES = 4;
const MS_PER_UNIT = 100;
const MAX_UNITS = 0xffff_ffff;

/** Length of attribution data in bytes: 20 hold times and 210 hmacs. */
export const ATTRIBUTION_BYTES = TIMES_BYTES + ((MAX_HOPS * (MAX_HOPS + 1)) / 2) * HMAC_BYTES;

/** For a success, the hmacs cover no message. */
const NO_MESSAGE = new Uint8Array(0);

/** The hold times in attribution data, and the first node whose part of the data is invalid. */
export interface ReadAttribution {
  /** The hold time reported by each node, from the first node up to the first invalid hmac. */
  readonly holdTimesMs: readonly number[];
  /** Index of the first node whose hmac is invalid. `undefined` when all are valid. */
  readonly brokenIndex: number | undefined;
}

/**
 * The data that a node sends upstream.
 * @param message the failure packet before this node's own stream is applied; absent for a success.
 * @param downstream the data received from the next node; absent at the recipient or failing node, or when the next
 *   node sent none.
 * @throws WireError when `downstream` has the wrong length.
 */
export function attribute(
  sharedSecret: Uint8Array,
  holdTimeMs: number,
  message: Uint8Array = NO_MESSAGE,
  downstream?: Uint8Array,
): Uint8Array {
  const data = downstream === undefined ? new Uint8Array(ATTRIBUTION_BYTES) : shiftedDown(downstream);
  const units = Math.min(MAX_UNITS, Math.max(0, Math.round(holdTimeMs / MS_PER_UNIT)));
  new DataView(data.buffer).setUint32(0, units);
  const key = onionKey('um', sharedSecret);
  for (let distance = 0; distance < MAX_HOPS; distance++) {
    data.set(attestation(key, data, message, distance), hmacAt(0, distance));
  }
  return chacha20Xor(onionKey('ammagext', sharedSecret), data);
}

/**
 * Checks the returned data. Data of a wrong length is invalid from the first node on.
 * @param sharedSecrets the secrets of the whole route, in order.
 * @param packet the failure packet as returned; absent for a success.
 * @param reached number of nodes that the HTLC reached: all nodes, or the nodes up to the failing one.
 */
export function readAttribution(
  sharedSecrets: readonly Uint8Array[],
  data: Uint8Array,
  packet: Uint8Array = NO_MESSAGE,
  reached: number = sharedSecrets.length,
): ReadAttribution {
  const holdTimesMs: number[] = [];
  if (data.length !== ATTRIBUTION_BYTES) return { holdTimesMs, brokenIndex: 0 };
  let layer = data;
  let message = packet;
  for (let i = 0; i < reached; i++) {
    const secret = sharedSecrets[i] as Uint8Array;
    const distance = sharedSecrets.length - 1 - i;
    layer = chacha20Xor(onionKey('ammagext', secret), layer);
    if (message.length > 0) message = chacha20Xor(onionKey('ammag', secret), message);
    if (distance >= MAX_HOPS || !isAttested(secret, layer, message, distance)) {
      return { holdTimesMs, brokenIndex: i };
    }
    const units = new DataView(layer.buffer, layer.byteOffset).getUint32(0);
    holdTimesMs.push(units * MS_PER_UNIT);
    layer = shiftedUp(layer);
  }
  return { holdTimesMs, brokenIndex: undefined };
}

function isAttested(secret: Uint8Array, data: Uint8Array, message: Uint8Array, distance: number): boolean {
  const at = hmacAt(0, distance);
  return equalBytes(
    attestation(onionKey('um', secret), data, message, distance),
    data.subarray(at, at + HMAC_BYTES),
  );
}

/** Computes hmac(0, distance) from the message and the current contents of the data. */
function attestation(key: Uint8Array, data: Uint8Array, message: Uint8Array, distance: number): Uint8Array {
  const covered = [message, data.subarray(0, (distance + 1) * TIME_BYTES)];
  for (let node = 1; node <= distance; node++) {
    const at = hmacAt(node, distance - node);
    covered.push(data.subarray(at, at + HMAC_BYTES));
  }
  return hmacSha256(key, concatBytes(...covered)).subarray(0, HMAC_BYTES);
}

/** Byte offset of hmac(node, distance). The nodes before it have 20, 19, ... hmacs. */
function hmacAt(node: number, distance: number): number {
  const before = node * MAX_HOPS - (node * (node - 1)) / 2;
  return TIMES_BYTES + (before + (MAX_HOPS - 1 - node) - distance) * HMAC_BYTES;
}

/**
 * Makes room for one more node at the front: hmac(x, y) becomes hmac(x+1, y), and each node's hmac with the largest
 * distance is dropped.
 */
function shiftedDown(data: Uint8Array): Uint8Array {
  if (data.length !== ATTRIBUTION_BYTES) {
    throw new WireError(
      'invalid',
      `attribution data has ${data.length} bytes instead of ${ATTRIBUTION_BYTES}`,
    );
  }
  const shifted = new Uint8Array(ATTRIBUTION_BYTES);
  shifted.set(data.subarray(0, TIMES_BYTES - TIME_BYTES), TIME_BYTES);
  for (let node = 1; node < MAX_HOPS; node++) {
    const count = MAX_HOPS - node;
    const from = hmacAt(node - 1, count - 1);
    shifted.set(data.subarray(from, from + count * HMAC_BYTES), hmacAt(node, count - 1));
  }
  return shifted;
}

/** Reverses `shiftedDown`, giving the data that the next node sent. The dropped hmacs are missing, but not needed. */
function shiftedUp(data: Uint8Array): Uint8Array {
  const shifted = new Uint8Array(ATTRIBUTION_BYTES);
  shifted.set(data.subarray(TIME_BYTES, TIMES_BYTES));
  for (let node = 1; node < MAX_HOPS; node++) {
    const count = MAX_HOPS - node;
    const from = hmacAt(node, count - 1);
    shifted.set(data.subarray(from, from + count * HMAC_BYTES), hmacAt(node - 1, count - 1));
  }
  return shifted;
}
