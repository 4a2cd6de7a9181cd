/**
 * Onion messages (BOLT 4, "Onion Messages"): Sphinx without associated data, with every layer blinded.
 *
 *     onion_message = type 513 || path key (33) || u16 length || packet (1366 or 32834 bytes)
 *
 * A message always uses a blinded path: the recipient's path, extended by the sender up to its first node, or a path
 * that the sender makes to a node id. Messages that a receiver must ignore throw `WireError` here.
 */

import type { ShortChannelId } from '../../model/short-channel-id.ts';
import { ByteReader, ByteWriter, equalBytes } from '../bytes.ts';
import { anyBytes, readPoint } from '../coding.ts';
import { type Curve, curve as fastest } from '../crypto/curve.ts';
import { type DecodedTlv, type TlvRecord, type TlvValues, tlvCodec } from '../tlv.ts';
import { WireError } from '../wire-error.ts';
import {
  type BlindedHop,
  type BlindedPath,
  blindedPath,
  blindedSecretKey,
  blindingFactor,
  createUnblindedPath,
  nextPathKey,
  openRecipientData,
  pathSecret,
  type UnblindedHop,
} from './blinded-path.ts';
import { allowsNoFeatures, decodeEncryptedData, encodeEncryptedData } from './encrypted-data.ts';
import { createOnion, frameBytes, type OnionHop, PAYMENT_AREA_BYTES, peelOnion } from './sphinx.ts';

/** Type of `onion_message` (BOLT 4). */
export const ONION_MESSAGE_TYPE = 513;

/** The larger of the two sizes that the payloads area of a message may have. */
const LARGE_AREA_BYTES = 32768;
/** Maximum number of dummy hops addressed to ourselves that we follow. */
const MAX_SELF_HOPS = 10;

/** An onion message between two neighbours: the path key and the onion packet. */
export interface OnionMessage {
  readonly pathKey: Uint8Array;
  readonly packet: Uint8Array;
}

const codec = tlvCodec({
  replyPath: { type: 2n, ...blindedPath },
  encryptedRecipientData: { type: 4n, ...anyBytes },
  /** TLV streams of BOLT 12 messages, as received. */
  invoiceRequest: { type: 64n, ...anyBytes },
  invoice: { type: 66n, ...anyBytes },
  invoiceError: { type: 68n, ...anyBytes },
  staticInvoice: { type: 70n, ...anyBytes },
  /** Empty messages of bolts#1149; see async-payments.ts. */
  heldHtlcAvailable: { type: 72n, ...anyBytes },
  releaseHeldHtlc: { type: 74n, ...anyBytes },
});

type LayerFields = TlvValues<typeof codec.table>;

/** The contents of a message for its recipient. */
export interface MessageContent extends Omit<LayerFields, 'encryptedRecipientData'> {
  /** Records of other types. */
  unknownRecords?: readonly TlvRecord[];
}

/** A message that a node has peeled: to be forwarded, or addressed to the node itself. */
export type ReceivedMessage =
  | {
      readonly kind: 'forward';
      readonly nextNode: Uint8Array | ShortChannelId;
      readonly message: OnionMessage;
    }
  | {
      readonly kind: 'content';
      /** If the recipient made the path over which the message came: the secret that it put into the path. */
      readonly pathId: Uint8Array | undefined;
      readonly content: MessageContent;
    };

/** The bytes of the message, its type included. */
export function encodeOnionMessage({ pathKey, packet }: OnionMessage): Uint8Array {
  return new ByteWriter(2 + 33 + 2 + packet.length)
    .u16(ONION_MESSAGE_TYPE)
    .put(pathKey)
    .u16(packet.length)
    .put(packet)
    .finish();
}

/** Reads the message. @throws WireError */
export function decodeOnionMessage(bytes: Uint8Array): OnionMessage {
  const reader = new ByteReader(bytes);
  if (reader.u16() !== ONION_MESSAGE_TYPE) throw new WireError('invalid', 'not an onion_message');
  const pathKey = readPoint(reader);
  return { pathKey, packet: reader.take(reader.u16()) };
}

/** A path for a message: its first path key, and its hops. The blinded ids of hops that we add are not computed. */
export interface MessagePath {
  readonly firstPathKey: Uint8Array;
  readonly hops: readonly (BlindedHop | UnblindedHop)[];
}

/**
 * Makes a blinded path over `via` to a node whose real id is known.
 * @param sessionKey a fresh random secret key.
 */
export function pathToNode(
  via: readonly Uint8Array[],
  nodeId: Uint8Array,
  sessionKey: Uint8Array,
  curve: Curve = fastest,
): MessagePath {
  const route = [...via, nodeId];
  const nodes = route.map((id, i) => {
    const nextNodeId = route[i + 1];
    return { nodeId: id, data: encodeEncryptedData(nextNodeId === undefined ? {} : { nextNodeId }) };
  });
  return createUnblindedPath(nodes, sessionKey, curve);
}

/**
 * Extends the recipient's path by the nodes `via`, which lead to its introduction node.
 * @param introduction id of the path's first node, which the path may identify by a channel.
 * @param sessionKey a fresh random secret key.
 */
export function pathThrough(
  via: readonly Uint8Array[],
  introduction: Uint8Array,
  path: BlindedPath,
  sessionKey: Uint8Array,
  curve: Curve = fastest,
): MessagePath {
  if (via.length === 0) return path;
  const nodes = via.map((nodeId, i) => {
    const nextNodeId = via[i + 1];
    if (nextNodeId !== undefined) return { nodeId, data: encodeEncryptedData({ nextNodeId }) };
    const join = { nextNodeId: introduction, nextPathKeyOverride: path.firstPathKey };
    return { nodeId, data: encodeEncryptedData(join) };
  });
  const { firstPathKey, hops } = createUnblindedPath(nodes, sessionKey, curve);
  return { firstPathKey, hops: [...hops, ...path.hops] };
}

/**
 * Makes the message for the first node of the path.
 * @param sessionKey a fresh random secret key, different from the path's.
 * @throws WireError `tooLong` when the content does not fit 32768 bytes.
 */
export function createOnionMessage(
  path: MessagePath,
  content: MessageContent,
  sessionKey: Uint8Array,
  curve: Curve = fastest,
): OnionMessage {
  const hops: OnionHop[] = path.hops.map((hop, i) => {
    const isFinal = i === path.hops.length - 1;
    const { unknownRecords, ...fields } = isFinal ? content : {};
    const { encryptedRecipientData } = hop;
    const payload = codec.encode({ encryptedRecipientData, ...fields }, unknownRecords);
    return 'secret' in hop
      ? { nodeId: hop.nodeId, factor: blindingFactor(hop.secret), payload }
      : { nodeId: hop.blindedNodeId, payload };
  });
  let used = 0;
  for (const { payload } of hops) used += frameBytes(payload.length);
  const areaBytes = used <= PAYMENT_AREA_BYTES ? PAYMENT_AREA_BYTES : LARGE_AREA_BYTES;
  return { pathKey: path.firstPathKey, packet: createOnion(hops, { sessionKey, areaBytes, curve }).packet };
}

/**
 * Peels the layer for us, and the following layers as long as they are for us too.
 * @throws WireError for everything that a node must ignore.
 */
export function receiveOnionMessage(
  message: OnionMessage,
  secretKey: Uint8Array,
  ownNodeId: Uint8Array,
  curve: Curve = fastest,
): ReceivedMessage {
  let current = message;
  for (let hop = 0; hop <= MAX_SELF_HOPS; hop++) {
    const received = peelMessage(current, secretKey, curve);
    if (received.kind === 'content') return received;
    if (typeof received.nextNode === 'bigint' || !equalBytes(received.nextNode, ownNodeId)) return received;
    current = received.message;
  }
  throw new WireError('tooLong', `more than ${MAX_SELF_HOPS} hops to ourselves`);
}

function peelMessage(
  { pathKey, packet }: OnionMessage,
  secretKey: Uint8Array,
  curve: Curve,
): ReceivedMessage {
  const secret = pathSecret(secretKey, pathKey, curve);
  const { payload, next } = peelOnion(packet, blindedSecretKey(secretKey, secret, curve), undefined, curve);
  const layer = codec.decode(payload);
  const encrypted = layer.values.encryptedRecipientData;
  const data = encrypted === undefined ? {} : decodeEncryptedData(openRecipientData(secret, encrypted));
  if (!allowsNoFeatures(data))
    throw new WireError('fields', 'the message requires features that we do not support');
  if (next === undefined) return { kind: 'content', pathId: data.pathId, content: contentOf(layer) };
  requireForwarding(layer);
  const nextNode = data.nextNodeId ?? data.shortChannelId;
  if (nextNode === undefined) throw new WireError('fields', 'the next node is missing');
  if (data.pathId !== undefined)
    throw new WireError('fields', 'only the recipient may have a path_id', { tlvType: 6n });
  const override = data.nextPathKeyOverride ?? nextPathKey(pathKey, secret, curve);
  return { kind: 'forward', nextNode, message: { pathKey: override, packet: next } };
}

function contentOf({ values, unknown }: DecodedTlv<typeof codec.table>): MessageContent {
  const { encryptedRecipientData: _, ...content } = values;
  const { replyPath, ...payloads } = content;
  if (replyPath?.hops.length === 0)
    throw new WireError('fields', 'the reply path has no hops', { tlvType: 2n });
  if (Object.values(payloads).filter((one) => one !== undefined).length > 1)
    throw new WireError('fields', 'the message has more than one payload');
  return unknown.length === 0 ? content : { ...content, unknownRecords: unknown };
}

/** Checks that a forwarding node's layer contains only its encrypted data. @throws WireError when it contains more. */
function requireForwarding({ values, unknown }: DecodedTlv<typeof codec.table>): void {
  if (Object.keys(values).some((name) => name !== 'encryptedRecipientData') || unknown.length > 0) {
    throw new WireError('fields', 'the layer of a forwarding node contains fields for the recipient');
  }
}
