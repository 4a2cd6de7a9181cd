/**
 * Verifies signatures of gossip (BOLT 7), many messages at once, in a separate thread. A batch is packed into one
 * buffer, so that sending it to the thread costs one copy:
 *
 *     per message   u16 length || message || u8 1 and the signer's node id (33), for an update; else u8 0
 *
 * The answer has one byte per message: 1 if all its signatures are valid.
 */

import { ByteReader, ByteWriter } from '../../bolt/bytes.ts';
import { POINT_BYTES } from '../../bolt/crypto/curve.ts';
import {
  CHANNEL_ANNOUNCEMENT_TYPE,
  NODE_ANNOUNCEMENT_TYPE,
  verifyChannelAnnouncement,
  verifyChannelUpdate,
  verifyNodeAnnouncement,
} from '../../bolt/peer/gossip-messages.ts';
import { messageType } from '../../bolt/peer/peer-messages.ts';
import { WireError } from '../../bolt/wire-error.ts';

/** A gossip message whose signatures must be verified. */
export interface SignedGossip {
  readonly bytes: Uint8Array;
  /** The required signer of an update: the source node of that direction of the channel. */
  readonly signer: Uint8Array | undefined;
}

/** Packs a batch of messages into one buffer for the verifying thread. */
export function packGossip(batch: readonly SignedGossip[]): Uint8Array {
  const writer = new ByteWriter(512 * batch.length);
  for (const { bytes, signer } of batch) {
    writer
      .u16(bytes.length)
      .put(bytes)
      .u8(signer === undefined ? 0 : 1);
    if (signer !== undefined) writer.put(signer);
  }
  return writer.finish();
}

/** Verifies a packed batch, in the worker thread. @throws WireError when the buffer was not made by `packGossip`. */
export function checkPackedGossip(packed: Uint8Array): Uint8Array {
  const reader = new ByteReader(packed);
  const verdicts: number[] = [];
  while (reader.remaining > 0) {
    const bytes = reader.take(reader.u16());
    const signer = reader.u8() === 1 ? reader.take(POINT_BYTES) : undefined;
    verdicts.push(isGenuine(bytes, signer) ? 1 : 0);
  }
  return Uint8Array.from(verdicts);
}

function isGenuine(bytes: Uint8Array, signer: Uint8Array | undefined): boolean {
  try {
    if (signer !== undefined) return verifyChannelUpdate(bytes, signer);
    const type = messageType(bytes);
    if (type === CHANNEL_ANNOUNCEMENT_TYPE) return verifyChannelAnnouncement(bytes);
    return type === NODE_ANNOUNCEMENT_TYPE && verifyNodeAnnouncement(bytes);
  } catch (error) {
    if (error instanceof WireError) return false;
    throw error;
  }
}
