/**
 * The three messages that form the public graph (BOLT 7): `channel_announcement` (256), `node_announcement` (257),
 * `channel_update` (258). Bytes include the 2-byte type.
 *
 * A signature covers the double SHA-256 of everything after the signatures, including fields that a later version may
 * add. So verification uses the original bytes, and decoding keeps everything after the known fields as `extra`.
 * Decoding checks only the form. It does not check that keys are points (verification does that), or that the nodes are
 * in order.
 */

import { msat } from '../../model/msat.ts';
import type { WirePolicyTerms } from '../../model/policy.ts';
import type { Direction, ShortChannelId } from '../../model/short-channel-id.ts';
import { ByteWriter } from '../bytes.ts';
import { curve, POINT_BYTES, SIGNATURE_BYTES } from '../crypto/curve.ts';
import { doubleSha256, HASH_BYTES } from '../crypto/hashes.ts';
import { startReading } from './start-reading.ts';

/** Type of `channel_announcement` (BOLT 7). */
export const CHANNEL_ANNOUNCEMENT_TYPE = 256;

/** Type of `node_announcement` (BOLT 7). */
export const NODE_ANNOUNCEMENT_TYPE = 257;

/** Type of `channel_update` (BOLT 7). */
export const CHANNEL_UPDATE_TYPE = 258;

const TYPE_BYTES = 2;
const RGB_BYTES = 3;
const ALIAS_BYTES = 32;
const UNSIGNED = new Uint8Array(SIGNATURE_BYTES);
const NO_EXTRA = new Uint8Array(0);
/** Bit 0 of `message_flags`, which is always set. It means that `htlc_maximum_msat` is present. */
const MUST_BE_ONE = 1;
const DIRECTION_FLAG = 1;
const DISABLED_FLAG = 2;

/** A `channel_announcement`: the two nodes of a channel, with the four signatures that prove the channel (BOLT 7). */
export interface ChannelAnnouncement {
  readonly nodeSignature1: Uint8Array;
  readonly nodeSignature2: Uint8Array;
  readonly bitcoinSignature1: Uint8Array;
  readonly bitcoinSignature2: Uint8Array;
  readonly features: Uint8Array;
  readonly chainHash: Uint8Array;
  readonly shortChannelId: ShortChannelId;
  readonly nodeId1: Uint8Array;
  readonly nodeId2: Uint8Array;
  readonly bitcoinKey1: Uint8Array;
  readonly bitcoinKey2: Uint8Array;
  readonly extra: Uint8Array;
}

/** A `node_announcement`: what a node announces about itself (BOLT 7). */
export interface NodeAnnouncement {
  readonly signature: Uint8Array;
  readonly features: Uint8Array;
  /** Seconds since 1970. */
  readonly timestamp: number;
  readonly nodeId: Uint8Array;
  readonly rgbColor: Uint8Array;
  /** 32 bytes, UTF-8 padded with zeros. The content is not checked, so never show it unchanged. */
  readonly alias: Uint8Array;
  /** The original address descriptors, for `decodeNodeAddresses`. */
  readonly addresses: Uint8Array;
  readonly extra: Uint8Array;
}

/** A `channel_update`: the policy of one direction, in msat and blocks (BOLT 7). */
export interface ChannelUpdate extends WirePolicyTerms {
  readonly signature: Uint8Array;
  readonly chainHash: Uint8Array;
  readonly shortChannelId: ShortChannelId;
  /** Seconds since 1970. */
  readonly timestamp: number;
  readonly messageFlags: number;
  readonly channelFlags: number;
  readonly extra: Uint8Array;
}

/** The fields chosen by the maker of an update. */
export interface UpdateTerms
  extends Omit<ChannelUpdate, 'signature' | 'messageFlags' | 'channelFlags' | 'extra'> {
  readonly direction: Direction;
  readonly isDisabled: boolean;
}

/** The direction of an update. */
export function directionOf({ channelFlags }: ChannelUpdate): Direction {
  return (channelFlags & DIRECTION_FLAG) === 0 ? 0 : 1;
}

/** Whether an update disables its direction. */
export function isDisabled({ channelFlags }: ChannelUpdate): boolean {
  return (channelFlags & DISABLED_FLAG) !== 0;
}

/** Reads the message. @throws WireError */
export function decodeChannelAnnouncement(bytes: Uint8Array): ChannelAnnouncement {
  const reader = startReading(bytes, CHANNEL_ANNOUNCEMENT_TYPE);
  return {
    nodeSignature1: reader.take(SIGNATURE_BYTES),
    nodeSignature2: reader.take(SIGNATURE_BYTES),
    bitcoinSignature1: reader.take(SIGNATURE_BYTES),
    bitcoinSignature2: reader.take(SIGNATURE_BYTES),
    features: reader.take(reader.u16()),
    chainHash: reader.take(HASH_BYTES),
    shortChannelId: reader.u64() as ShortChannelId,
    nodeId1: reader.take(POINT_BYTES),
    nodeId2: reader.take(POINT_BYTES),
    bitcoinKey1: reader.take(POINT_BYTES),
    bitcoinKey2: reader.take(POINT_BYTES),
    extra: reader.rest(),
  };
}

/** The bytes of the message, its type included. Signatures are written as given. */
export function encodeChannelAnnouncement(message: ChannelAnnouncement): Uint8Array {
  return new ByteWriter(512)
    .u16(CHANNEL_ANNOUNCEMENT_TYPE)
    .put(message.nodeSignature1)
    .put(message.nodeSignature2)
    .put(message.bitcoinSignature1)
    .put(message.bitcoinSignature2)
    .u16(message.features.length)
    .put(message.features)
    .put(message.chainHash)
    .u64(message.shortChannelId)
    .put(message.nodeId1)
    .put(message.nodeId2)
    .put(message.bitcoinKey1)
    .put(message.bitcoinKey2)
    .put(message.extra)
    .finish();
}

/** Reads the message. @throws WireError */
export function decodeNodeAnnouncement(bytes: Uint8Array): NodeAnnouncement {
  const reader = startReading(bytes, NODE_ANNOUNCEMENT_TYPE);
  return {
    signature: reader.take(SIGNATURE_BYTES),
    features: reader.take(reader.u16()),
    timestamp: reader.u32(),
    nodeId: reader.take(POINT_BYTES),
    rgbColor: reader.take(RGB_BYTES),
    alias: reader.take(ALIAS_BYTES),
    addresses: reader.take(reader.u16()),
    extra: reader.rest(),
  };
}

/** The bytes of the message, its type included. The signature is written as given. */
export function encodeNodeAnnouncement(message: NodeAnnouncement): Uint8Array {
  return new ByteWriter(256)
    .u16(NODE_ANNOUNCEMENT_TYPE)
    .put(message.signature)
    .u16(message.features.length)
    .put(message.features)
    .u32(message.timestamp)
    .put(message.nodeId)
    .put(message.rgbColor)
    .put(message.alias)
    .u16(message.addresses.length)
    .put(message.addresses)
    .put(message.extra)
    .finish();
}

/** Reads the message. @throws WireError */
export function decodeChannelUpdate(bytes: Uint8Array): ChannelUpdate {
  const reader = startReading(bytes, CHANNEL_UPDATE_TYPE);
  return {
    signature: reader.take(SIGNATURE_BYTES),
    chainHash: reader.take(HASH_BYTES),
    shortChannelId: reader.u64() as ShortChannelId,
    timestamp: reader.u32(),
    messageFlags: reader.u8(),
    channelFlags: reader.u8(),
    cltvExpiryDelta: reader.u16(),
    htlcMinimumMsat: msat(reader.u64()),
    feeBaseMsat: reader.u32(),
    feeProportionalMillionths: reader.u32(),
    htlcMaximumMsat: msat(reader.u64()),
    extra: reader.rest(),
  };
}

/** The bytes of the message, its type included. The signature is written as given. */
export function encodeChannelUpdate(message: ChannelUpdate): Uint8Array {
  return new ByteWriter(160)
    .u16(CHANNEL_UPDATE_TYPE)
    .put(message.signature)
    .put(message.chainHash)
    .u64(message.shortChannelId)
    .u32(message.timestamp)
    .u8(message.messageFlags)
    .u8(message.channelFlags)
    .u16(message.cltvExpiryDelta)
    .u64(message.htlcMinimumMsat)
    .u32(message.feeBaseMsat)
    .u32(message.feeProportionalMillionths)
    .u64(message.htlcMaximumMsat)
    .put(message.extra)
    .finish();
}

/**
 * Reads the update inside a failure message. The update may lack its type in front, because old nodes omit it.
 * @returns `undefined` when there is no update, or when it cannot be read.
 */
export function embeddedChannelUpdate(bytes: Uint8Array): ChannelUpdate | undefined {
  for (const message of [bytes, new ByteWriter().u16(CHANNEL_UPDATE_TYPE).put(bytes).finish()]) {
    try {
      return decodeChannelUpdate(message);
    } catch {
      // Not an update in this form. The second form has the type added in front.
    }
  }
  return undefined;
}

/** Makes and signs an update. Returns the bytes of the message. */
export function createChannelUpdate(terms: UpdateTerms, secretKey: Uint8Array): Uint8Array {
  const { direction, isDisabled: disabled, ...fields } = terms;
  const channelFlags = direction | (disabled ? DISABLED_FLAG : 0);
  const unsigned = {
    ...fields,
    signature: UNSIGNED,
    messageFlags: MUST_BE_ONE,
    channelFlags,
    extra: NO_EXTRA,
  };
  return signed(encodeChannelUpdate(unsigned), secretKey);
}

/** Makes and signs a node announcement. Returns the bytes of the message. */
export function createNodeAnnouncement(
  fields: Omit<NodeAnnouncement, 'signature' | 'extra'>,
  secretKey: Uint8Array,
): Uint8Array {
  return signed(encodeNodeAnnouncement({ ...fields, signature: UNSIGNED, extra: NO_EXTRA }), secretKey);
}

/**
 * Makes a channel announcement, signed with the keys of both nodes and both funding keys. Returns the bytes of the
 * message.
 */
export function createChannelAnnouncement(
  fields: Omit<
    ChannelAnnouncement,
    'nodeSignature1' | 'nodeSignature2' | 'bitcoinSignature1' | 'bitcoinSignature2' | 'extra'
  >,
  secretKeys: { node1: Uint8Array; node2: Uint8Array; bitcoin1: Uint8Array; bitcoin2: Uint8Array },
): Uint8Array {
  const bytes = encodeChannelAnnouncement({
    ...fields,
    nodeSignature1: UNSIGNED,
    nodeSignature2: UNSIGNED,
    bitcoinSignature1: UNSIGNED,
    bitcoinSignature2: UNSIGNED,
    extra: NO_EXTRA,
  });
  const digest = signedDigest(bytes, 4);
  [secretKeys.node1, secretKeys.node2, secretKeys.bitcoin1, secretKeys.bitcoin2].forEach((key, i) => {
    bytes.set(curve.ecdsaSign(digest, key), TYPE_BYTES + i * SIGNATURE_BYTES);
  });
  return bytes;
}

/**
 * Whether both nodes and both funding keys signed the announcement.
 * @throws WireError when the bytes are not an announcement.
 */
export function verifyChannelAnnouncement(bytes: Uint8Array): boolean {
  const message = decodeChannelAnnouncement(bytes);
  const digest = signedDigest(bytes, 4);
  return (
    curve.ecdsaVerify(message.nodeSignature1, digest, message.nodeId1) &&
    curve.ecdsaVerify(message.nodeSignature2, digest, message.nodeId2) &&
    curve.ecdsaVerify(message.bitcoinSignature1, digest, message.bitcoinKey1) &&
    curve.ecdsaVerify(message.bitcoinSignature2, digest, message.bitcoinKey2)
  );
}

/** Whether the node signed its announcement. @throws WireError when the bytes are not an announcement. */
export function verifyNodeAnnouncement(bytes: Uint8Array): boolean {
  const { signature, nodeId } = decodeNodeAnnouncement(bytes);
  return curve.ecdsaVerify(signature, signedDigest(bytes, 1), nodeId);
}

/**
 * Whether this node signed the update. The caller must pass the node that the channel's announcement contains for the
 * direction of the update.
 * @throws WireError when the bytes are not an update.
 */
export function verifyChannelUpdate(bytes: Uint8Array, nodeId: Uint8Array): boolean {
  const { signature } = decodeChannelUpdate(bytes);
  return curve.ecdsaVerify(signature, signedDigest(bytes, 1), nodeId);
}

function signed(bytes: Uint8Array, secretKey: Uint8Array): Uint8Array {
  bytes.set(curve.ecdsaSign(signedDigest(bytes, 1), secretKey), TYPE_BYTES);
  return bytes;
}

function signedDigest(bytes: Uint8Array, signatures: number): Uint8Array {
  return doubleSha256(bytes.subarray(TYPE_BYTES + signatures * SIGNATURE_BYTES));
}
