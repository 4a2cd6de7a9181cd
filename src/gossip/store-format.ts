/**
 * The `gossip_store` file format (Core Lightning), versions 14 to 16. All integers are big-endian.
 *
 *     byte 0         version: three bits major (0), five bits minor
 *     then records   u16 flags | u16 body length | u32 crc | u32 timestamp | body (u16 message type, payload)
 *
 * crc is CRC-32C over the body, starting with the timestamp as the previous checksum. Messages 256, 257 and 258 are
 * from BOLT 7; the rest are specific to the store.
 */

/** The minor version that we write. */
export const MINOR_VERSION = 16;
/** First minor version in which a record is valid only if FLAG_COMPLETED is set. */
export const MINOR_VERSION_COMPLETED = 15;
/** Oldest supported version. Files of version 13 have other flags, and those before it also private channels. */
export const MINOR_VERSION_OLDEST = 14;

/** Length of a record's header, in bytes. */
export const HEADER_BYTES = 12;
/** Maximum size of a record, in bytes. The length of a body is stored as a u16. */
export const MAX_RECORD_BYTES = HEADER_BYTES + 0xffff;

/** Flag of a record that is no longer valid. */
export const FLAG_DELETED = 0x8000;

/**
 * Marks the channel_announcement of a channel whose funding is spent. It is set when STORE_CHANNEL_DYING is written.
 */
export const FLAG_DYING = 0x0800;

/** Flag of a record that was written completely. */
export const FLAG_COMPLETED = 0x2000;

/** Type of a record that holds a `channel_announcement` (BOLT 7). */
export const CHANNEL_ANNOUNCEMENT = 256;

/** Type of a record that holds a `node_announcement` (BOLT 7). */
export const NODE_ANNOUNCEMENT = 257;

/** Type of a record that holds a `channel_update` (BOLT 7). */
export const CHANNEL_UPDATE = 258;
/** Capacity of a channel: u64 satoshis. The record follows directly after the channel_announcement. */
export const STORE_CHANNEL_AMOUNT = 4101;
/** A channel was removed: u64 short channel id. */
export const STORE_DELETE_CHANNEL = 4103;
/** A new file replaced this one: u64 equivalent offset in the new file, its 32-byte uuid (since version 16). */
export const STORE_ENDED = 4105;
/**
 * A channel's funding is spent: u64 short channel id, u32 deadline (a block height). The channel is usable until
 * STORE_DELETE_CHANNEL.
 */
export const STORE_CHANNEL_DYING = 4106;
/** Identity of this generation of the file, 32 bytes. Always the first record since version 16. */
export const STORE_UUID = 4107;

/** Size of a file's identity, in bytes. Readers compare the identity to detect that a file was replaced. */
export const UUID_BYTES = 32;
/** Size of the body of STORE_CHANNEL_AMOUNT, in bytes. */
export const AMOUNT_BODY_BYTES = 10;
