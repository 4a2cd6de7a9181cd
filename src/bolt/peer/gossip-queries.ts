/**
 * Queries of the public graph (BOLT 7, "Query Messages"): `query_short_channel_ids` (261) and the message that ends its
 * answer (262), `query_channel_range` (263) and its reply (264), and `gossip_timestamp_filter` (265).
 *
 * Lists of short channel ids are uncompressed (encoding 0), as all nodes must send them today. The zlib encoding is no
 * longer in the specification and is refused here. TLVs after the fields (query flags, checksums) are ignored, because
 * we need none of them.
 */

import type { ShortChannelId } from '../../model/short-channel-id.ts';
import { ByteReader, ByteWriter } from '../bytes.ts';
import { HASH_BYTES } from '../crypto/hashes.ts';
import { WireError } from '../wire-error.ts';
import { startReading } from './start-reading.ts';

/** Type of `query_short_channel_ids` (BOLT 7). */
export const QUERY_SHORT_CHANNEL_IDS_TYPE = 261;

/** Type of `reply_short_channel_ids_end` (BOLT 7). */
export const REPLY_SHORT_CHANNEL_IDS_END_TYPE = 262;

/** Type of `query_channel_range` (BOLT 7). */
export const QUERY_CHANNEL_RANGE_TYPE = 263;

/** Type of `reply_channel_range` (BOLT 7). */
export const REPLY_CHANNEL_RANGE_TYPE = 264;

/** Type of `gossip_timestamp_filter` (BOLT 7). */
export const GOSSIP_TIMESTAMP_FILTER_TYPE = 265;

/**
 * Maximum number of ids per message. The 65535 bytes of a message, minus the preceding fields, have room for a few
 * more.
 */
export const MAX_IDS_PER_QUERY = 8000;

const UNCOMPRESSED = 0;
const ID_BYTES = 8;

/** A `query_short_channel_ids`: requests all messages about these channels. */
export interface ChannelIdsQuery {
  readonly chainHash: Uint8Array;
  readonly shortChannelIds: readonly ShortChannelId[];
}

/** A `reply_short_channel_ids_end`: ends the answer to a query. */
export interface ChannelIdsEnd {
  readonly chainHash: Uint8Array;
  readonly fullInformation: boolean;
}

/** A range of blocks in which channels were opened: `blockCount` blocks from `firstBlock` on. */
export interface ChannelRange {
  readonly chainHash: Uint8Array;
  readonly firstBlock: number;
  readonly blockCount: number;
}

/** A `reply_channel_range`: the channels of a range of blocks, as far as the peer knows them. */
export interface ChannelRangeReply extends ChannelRange {
  readonly syncComplete: boolean;
  readonly shortChannelIds: readonly ShortChannelId[];
}

/** A `gossip_timestamp_filter`: requests gossip with timestamps in this range. */
export interface TimestampFilter {
  readonly chainHash: Uint8Array;
  /** Seconds since 1970. */
  readonly firstTimestamp: number;
  readonly timestampRange: number;
}

/** Writes the query. @throws WireError `tooLong` when the ids do not fit a message. */
export function encodeChannelIdsQuery({ chainHash, shortChannelIds }: ChannelIdsQuery): Uint8Array {
  const writer = new ByteWriter(64 + ID_BYTES * shortChannelIds.length);
  writer.u16(QUERY_SHORT_CHANNEL_IDS_TYPE).put(chainHash);
  return putIds(writer, shortChannelIds).finish();
}

/** Reads the query. @throws WireError */
export function decodeChannelIdsQuery(bytes: Uint8Array): ChannelIdsQuery {
  const reader = startReading(bytes, QUERY_SHORT_CHANNEL_IDS_TYPE);
  return { chainHash: reader.take(HASH_BYTES), shortChannelIds: readIds(reader) };
}

/** The bytes of a `reply_short_channel_ids_end`, its type included. */
export function encodeChannelIdsEnd({ chainHash, fullInformation }: ChannelIdsEnd): Uint8Array {
  return new ByteWriter()
    .u16(REPLY_SHORT_CHANNEL_IDS_END_TYPE)
    .put(chainHash)
    .u8(fullInformation ? 1 : 0)
    .finish();
}

/** Reads the message. @throws WireError */
export function decodeChannelIdsEnd(bytes: Uint8Array): ChannelIdsEnd {
  const reader = startReading(bytes, REPLY_SHORT_CHANNEL_IDS_END_TYPE);
  return { chainHash: reader.take(HASH_BYTES), fullInformation: reader.u8() !== 0 };
}

/** The bytes of a `query_channel_range`, its type included. */
export function encodeChannelRangeQuery({ chainHash, firstBlock, blockCount }: ChannelRange): Uint8Array {
  return new ByteWriter()
    .u16(QUERY_CHANNEL_RANGE_TYPE)
    .put(chainHash)
    .u32(firstBlock)
    .u32(blockCount)
    .finish();
}

/** Reads the query. @throws WireError */
export function decodeChannelRangeQuery(bytes: Uint8Array): ChannelRange {
  const reader = startReading(bytes, QUERY_CHANNEL_RANGE_TYPE);
  return { chainHash: reader.take(HASH_BYTES), firstBlock: reader.u32(), blockCount: reader.u32() };
}

/** Writes the reply. @throws WireError `tooLong` when the ids do not fit a message. */
export function encodeChannelRangeReply(reply: ChannelRangeReply): Uint8Array {
  const writer = new ByteWriter(64 + ID_BYTES * reply.shortChannelIds.length)
    .u16(REPLY_CHANNEL_RANGE_TYPE)
    .put(reply.chainHash)
    .u32(reply.firstBlock)
    .u32(reply.blockCount)
    .u8(reply.syncComplete ? 1 : 0);
  return putIds(writer, reply.shortChannelIds).finish();
}

/** Reads the reply. @throws WireError */
export function decodeChannelRangeReply(bytes: Uint8Array): ChannelRangeReply {
  const reader = startReading(bytes, REPLY_CHANNEL_RANGE_TYPE);
  return {
    chainHash: reader.take(HASH_BYTES),
    firstBlock: reader.u32(),
    blockCount: reader.u32(),
    syncComplete: reader.u8() !== 0,
    shortChannelIds: readIds(reader),
  };
}

/** The bytes of a `gossip_timestamp_filter`, its type included. */
export function encodeTimestampFilter(filter: TimestampFilter): Uint8Array {
  return new ByteWriter()
    .u16(GOSSIP_TIMESTAMP_FILTER_TYPE)
    .put(filter.chainHash)
    .u32(filter.firstTimestamp)
    .u32(filter.timestampRange)
    .finish();
}

/** Reads the filter. @throws WireError */
export function decodeTimestampFilter(bytes: Uint8Array): TimestampFilter {
  const reader = startReading(bytes, GOSSIP_TIMESTAMP_FILTER_TYPE);
  return { chainHash: reader.take(HASH_BYTES), firstTimestamp: reader.u32(), timestampRange: reader.u32() };
}

function putIds(writer: ByteWriter, ids: readonly ShortChannelId[]): ByteWriter {
  if (ids.length > MAX_IDS_PER_QUERY)
    throw new WireError('tooLong', `${ids.length} short channel ids are too many`);
  writer.u16(1 + ID_BYTES * ids.length).u8(UNCOMPRESSED);
  for (const id of ids) writer.u64(id);
  return writer;
}

function readIds(reader: ByteReader): ShortChannelId[] {
  const list = new ByteReader(reader.take(reader.u16()));
  if (list.remaining === 0) return [];
  const encoding = list.u8();
  if (encoding !== UNCOMPRESSED)
    throw new WireError('invalid', `encoding ${encoding} of short channel ids is not supported`);
  if (list.remaining % ID_BYTES !== 0)
    throw new WireError('trailing', 'the length of the short channel ids is not a multiple of 8');
  const ids: ShortChannelId[] = [];
  while (list.remaining > 0) ids.push(list.u64() as ShortChannelId);
  return ids;
}
