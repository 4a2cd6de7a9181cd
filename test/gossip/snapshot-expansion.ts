/**
 * Converts a compressed snapshot to the bytes of a `gossip_store` (version 16), with the same records as Core
 * Lightning's own tool. First comes a uuid of zeros. Then each channel has its announcement, capacity and two updates.
 * Timestamps, signatures and chain hashes are zero, and both bitcoin keys are those of the first end.
 *
 * The output is produced in blocks of about a megabyte, so it need not fit in memory.
 */

import {
  type CompressedSnapshot,
  htlcMaximumMsat,
  isFlipped,
  type SnapshotOptions,
  snapshotIds,
  snapshotShortChannelId,
  templateValue,
} from '../../src/gossip/compressed-snapshot.ts';
import { crc32c } from '../../src/gossip/crc32c.ts';
import {
  AMOUNT_BODY_BYTES,
  CHANNEL_ANNOUNCEMENT,
  CHANNEL_UPDATE,
  FLAG_COMPLETED,
  HEADER_BYTES,
  MINOR_VERSION,
  STORE_CHANNEL_AMOUNT,
  STORE_UUID,
  UUID_BYTES,
} from '../../src/gossip/store-format.ts';
import { NODE_ID_BYTES } from '../../src/model/node-id.ts';

const ANNOUNCEMENT_BYTES = 432;
const UPDATE_BYTES = 138;
const CHANNEL_BYTES = 4 * HEADER_BYTES + ANNOUNCEMENT_BYTES + AMOUNT_BODY_BYTES + 2 * UPDATE_BYTES;
const CHANNELS_PER_BLOCK = 1400;

/** Offsets within the body of a channel_announcement without features (BOLT 7). */
const ANNOUNCEMENT = { scid: 292, nodeId1: 300, nodeId2: 333, bitcoinKey1: 366, bitcoinKey2: 399 };
/** Offsets within the body of a channel_update (BOLT 7). */
const UPDATE = { scid: 98, messageFlags: 110, channelFlags: 111, delta: 112, minimum: 114 };
const UPDATE_FEES = { base: 122, proportional: 126, maximum: 130 };

/** The bytes of the store, block by block. */
export function* expandToGossipStore(
  snapshot: CompressedSnapshot,
  options: SnapshotOptions = {},
): Generator<Uint8Array> {
  const head = new Uint8Array(1 + HEADER_BYTES + 2 + UUID_BYTES);
  head[0] = MINOR_VERSION;
  const headView = new DataView(head.buffer);
  headView.setUint16(1 + HEADER_BYTES, STORE_UUID);
  writeHeader(head, headView, 1, 2 + UUID_BYTES);
  yield head;

  const ids = snapshotIds(snapshot, options.nodeMap);
  for (let first = 0; first < snapshot.channelCount; first += CHANNELS_PER_BLOCK) {
    const last = Math.min(first + CHANNELS_PER_BLOCK, snapshot.channelCount);
    const block = new Uint8Array((last - first) * CHANNEL_BYTES);
    const view = new DataView(block.buffer);
    for (let channel = first; channel < last; channel++) {
      const at = (channel - first) * CHANNEL_BYTES;
      writeChannel(block, view, at, snapshot, channel, ids, options.exactUnits ?? false);
    }
    yield block;
  }
}

/** Writes the header of the record at `at`, whose body is already written. */
function writeHeader(bytes: Uint8Array, view: DataView, at: number, bodyLength: number): number {
  const body = at + HEADER_BYTES;
  view.setUint16(at, FLAG_COMPLETED);
  view.setUint16(at + 2, bodyLength);
  view.setUint32(at + 4, crc32c(0, bytes, body, body + bodyLength, view));
  return body + bodyLength;
}

function writeChannel(
  block: Uint8Array,
  view: DataView,
  start: number,
  snapshot: CompressedSnapshot,
  channel: number,
  ids: Uint8Array,
  exactUnits: boolean,
): void {
  const [first, second] = [snapshot.firstEnd[channel]!, snapshot.secondEnd[channel]!];
  const flip = isFlipped(ids, first, second) ? 1 : 0;
  const scid = snapshotShortChannelId(snapshot, channel);
  const id = (node: number) => ids.subarray(node * NODE_ID_BYTES, (node + 1) * NODE_ID_BYTES);

  let body = start + HEADER_BYTES;
  view.setUint16(body, CHANNEL_ANNOUNCEMENT);
  view.setBigUint64(body + ANNOUNCEMENT.scid, scid);
  block.set(id(flip ? second : first), body + ANNOUNCEMENT.nodeId1);
  block.set(id(flip ? first : second), body + ANNOUNCEMENT.nodeId2);
  block.set(id(first), body + ANNOUNCEMENT.bitcoinKey1);
  block.set(id(first), body + ANNOUNCEMENT.bitcoinKey2);
  let end = writeHeader(block, view, start, ANNOUNCEMENT_BYTES);

  body = end + HEADER_BYTES;
  view.setUint16(body, STORE_CHANNEL_AMOUNT);
  view.setBigUint64(body + 2, templateValue(snapshot.capacitySat, channel));
  end = writeHeader(block, view, end, AMOUNT_BODY_BYTES);

  for (let fileDirection = 0; fileDirection < 2; fileDirection++) {
    const directionIndex = channel * 2 + fileDirection;
    writeUpdate(view, end + HEADER_BYTES, snapshot, directionIndex, scid, fileDirection ^ flip, exactUnits);
    end = writeHeader(block, view, end, UPDATE_BYTES);
  }
}

function writeUpdate(
  view: DataView,
  body: number,
  snapshot: CompressedSnapshot,
  directionIndex: number,
  scid: bigint,
  direction: number,
  exactUnits: boolean,
): void {
  view.setUint16(body, CHANNEL_UPDATE);
  view.setBigUint64(body + UPDATE.scid, scid);
  view.setUint8(body + UPDATE.messageFlags, 1);
  view.setUint8(body + UPDATE.channelFlags, direction | (snapshot.disabled[directionIndex]! << 1));
  view.setUint16(body + UPDATE.delta, templateValue(snapshot.cltvExpiryDelta, directionIndex));
  view.setBigUint64(body + UPDATE.minimum, templateValue(snapshot.htlcMinimumMsat, directionIndex));
  view.setUint32(body + UPDATE_FEES.base, templateValue(snapshot.feeBaseMsat, directionIndex));
  view.setUint32(
    body + UPDATE_FEES.proportional,
    templateValue(snapshot.feeProportionalMillionths, directionIndex),
  );
  view.setBigUint64(body + UPDATE_FEES.maximum, htlcMaximumMsat(snapshot, directionIndex, exactUnits));
}
