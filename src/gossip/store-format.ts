/**
 * The `gossip_store` file format (Core Lightning), versions 14 to 16. All integers big-endian.
 *
 *     byte 0         version: three bits major (0), five bits minor
 *     then records   u16 flags | u16 body length | u32 crc | u32 timestamp | body (u16 message type, payload)
 *
 * crc is CRC-32C over the body, continued from the timestamp as if that were the checksum so far.
 * Messages 256, 257 and 258 are those of BOLT 7; the rest are the store's own.
 */

/** The minor version that we write. */
export const MINOR_VERSION = 16;
/** From here on a record counts only once FLAG_COMPLETED is set. */
export const MINOR_VERSION_COMPLETED = 15;
/** Older files hold private channels and records that we do not read. */
export const MINOR_VERSION_OLDEST = 14;

/** Length of a record's header. */
export const HEADER_BYTES = 12;
/** Body length is a u16. */
export const MAX_RECORD_BYTES = HEADER_BYTES + 0xffff;

/** Set in a record that no longer counts. */
export const FLAG_DELETED = 0x8000;

/** Set in a record that was written completely. */
export const FLAG_COMPLETED = 0x2000;

/** Type of a record that holds a `channel_announcement` (BOLT 7). */
export const CHANNEL_ANNOUNCEMENT = 256;

/** Type of a record that holds a `node_announcement` (BOLT 7). */
export const NODE_ANNOUNCEMENT = 257;

/** Type of a record that holds a `channel_update` (BOLT 7). */
export const CHANNEL_UPDATE = 258;
/** u64 satoshis; right after its channel_announcement. */
export const STORE_CHANNEL_AMOUNT = 4101;
/** u64 short channel id: the channel is gone. */
export const STORE_DELETE_CHANNEL = 4103;
/** u64 equivalent offset, 32 bytes uuid (since 16): a new file took this one's place. */
export const STORE_ENDED = 4105;
/** u64 short channel id, u32 height: funding spent; still usable until the tombstone comes. */
export const STORE_CHANNEL_DYING = 4106;
/** 32 bytes: identity of this generation of the file; record 0 since 16. */
export const STORE_UUID = 4107;

/** Length of the identity of a file, by which a reader notices that the file was replaced. */
export const UUID_BYTES = 32;
/** Body of STORE_CHANNEL_AMOUNT. */
export const AMOUNT_BODY_BYTES = 10;
