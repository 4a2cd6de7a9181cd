/**
 * Every decoder of this folder against hostile bytes (hostile.ts). A decoder may throw nothing but `WireError`. If a
 * format has only one encoding, an accepted value must be written back byte for byte. For encrypted formats, the
 * plaintext is changed as well, because a packet with a wrong checksum is refused before its content is decoded.
 */

import { describe, expect, it } from 'vitest';
import { readBigSize, writeBigSize } from '../../src/bolt/bigsize.ts';
import { ByteReader, ByteWriter, concatBytes, fromHex, toHex } from '../../src/bolt/bytes.ts';
import { curve } from '../../src/bolt/crypto/curve.ts';
import { chacha20Xor, hmacSha256, sealBox, sha256 } from '../../src/bolt/crypto/hashes.ts';
import { invoiceErrorCodec } from '../../src/bolt/invoice/bolt12-fields.ts';
import {
  checkInvoice,
  checkInvoiceSignature,
  createInvoice,
  decodeInvoice,
} from '../../src/bolt/invoice/bolt12-invoice.ts';
import {
  checkInvoiceRequest,
  checkInvoiceRequestSignature,
  createInvoiceRequest,
  decodeInvoiceRequest,
} from '../../src/bolt/invoice/bolt12-invoice-request.ts';
import {
  checkOffer,
  decodeOffer,
  encodeOffer,
  formatOffer,
  parseOffer,
} from '../../src/bolt/invoice/bolt12-offer.ts';
import {
  checkStaticInvoice,
  createStaticInvoice,
  decodeStaticInvoice,
} from '../../src/bolt/invoice/bolt12-static-invoice.ts';
import { decodeBolt12String, encodeBolt12String } from '../../src/bolt/invoice/bolt12-string.ts';
import { attribute, readAttribution } from '../../src/bolt/onion/attribution.ts';
import {
  blindedPaths,
  blindedSecretKey,
  createBlindedPath,
  pathSecret,
} from '../../src/bolt/onion/blinded-path.ts';
import { decodeEncryptedData, encodeEncryptedData } from '../../src/bolt/onion/encrypted-data.ts';
import { decodeFailure, encodeFailure } from '../../src/bolt/onion/failure.ts';
import {
  createFailurePacket,
  plainFailurePacket,
  unwrapFailurePacket,
  wrapFailurePacket,
} from '../../src/bolt/onion/failure-packet.ts';
import { onionKey } from '../../src/bolt/onion/onion-key.ts';
import {
  createOnionMessage,
  decodeOnionMessage,
  encodeOnionMessage,
  type OnionMessage,
  pathToNode,
  receiveOnionMessage,
} from '../../src/bolt/onion/onion-message.ts';
import { checkPayload, decodePayload, encodePayload } from '../../src/bolt/onion/payload.ts';
import { createOnion, peelOnion } from '../../src/bolt/onion/sphinx.ts';
import { featureBits, unknownRequiredFeature } from '../../src/bolt/peer/features.ts';
import {
  createChannelAnnouncement,
  createChannelUpdate,
  createNodeAnnouncement,
  decodeChannelAnnouncement,
  decodeChannelUpdate,
  decodeNodeAnnouncement,
  embeddedChannelUpdate,
  encodeChannelUpdate,
  encodeNodeAnnouncement,
} from '../../src/bolt/peer/gossip-messages.ts';
import { decodeNodeAddresses } from '../../src/bolt/peer/node-address.ts';
import { decodeTlvStream, encodeTlvStream } from '../../src/bolt/tlv.ts';
import { msat } from '../../src/model/msat.ts';
import { shortChannelId } from '../../src/model/short-channel-id.ts';
import { expectOnlyWireErrors, FUZZ_TIMEOUT_MS } from './hostile.ts';

const key = sha256(Uint8Array.of(1));
const id = curve.publicKey(key);
const chainHash = new Uint8Array(32);
const path = createBlindedPath([{ nodeId: id, data: encodeEncryptedData({ pathId: key }) }], sha256(key));
const offer = encodeOffer({
  offerAmount: 5n,
  offerDescription: 'tea',
  offerIssuerId: id,
  offerPaths: [path],
  offerRecurrenceOptional: { timeUnit: 2, period: 1 },
  offerRecurrencePaywindow: { secondsBefore: 1, secondsAfter: 2 },
});
const request = createInvoiceRequest(
  offer,
  { invreqMetadata: key, invreqBip353Name: { name: 'a', domain: 'b' } },
  key,
);
const ways = {
  invoicePaths: [path],
  invoiceBlindedPay: [
    {
      feeBaseMsat: 1,
      feeProportionalMillionths: 1,
      cltvExpiryDelta: 1,
      htlcMinimumMsat: msat(1),
      htlcMaximumMsat: msat(2),
      features: new Uint8Array(1),
    },
  ],
  invoiceCreatedAt: 1n,
  invoiceFallbacks: [{ version: 0, address: key }],
  invoiceNodeId: id,
};
const invoice = createInvoice(request, { ...ways, invoiceAmountMsat: msat(5), invoicePaymentHash: key }, key);
const staticInvoice = createStaticInvoice(offer, { ...ways, invoiceMessagePaths: [path] }, key);
const update = createChannelUpdate(
  {
    chainHash,
    shortChannelId: shortChannelId(1, 2, 3),
    timestamp: 1,
    direction: 0,
    isDisabled: false,
    cltvExpiryDelta: 1,
    htlcMinimumMsat: msat(1),
    feeBaseMsat: 1,
    feeProportionalMillionths: 1,
    htlcMaximumMsat: msat(2),
  },
  key,
);
/** 127.0.0.1:1 and example.com:2 (BOLT 7, address descriptors). */
const addresses = new Uint8Array(Buffer.from('017f0000010001050b6578616d706c652e636f6d0002', 'hex'));
const node = createNodeAnnouncement(
  { features: key, timestamp: 1, nodeId: id, rgbColor: new Uint8Array(3), alias: key, addresses },
  key,
);
const announcement = createChannelAnnouncement(
  {
    features: new Uint8Array(2),
    chainHash,
    shortChannelId: shortChannelId(1, 2, 3),
    nodeId1: id,
    nodeId2: id,
    bitcoinKey1: id,
    bitcoinKey2: id,
  },
  { node1: key, node2: key, bitcoin1: key, bitcoin2: key },
);
const payload = encodePayload({
  amtToForwardMsat: msat(5),
  outgoingCltvValue: 7,
  paymentData: { paymentSecret: key, totalMsat: msat(9) },
  paymentMetadata: key,
  customRecords: [{ type: 65537n, value: key }],
});
const data = encodeEncryptedData({
  nextNodeId: id,
  paymentRelay: { cltvExpiryDelta: 1, feeProportionalMillionths: 2, feeBaseMsat: 3 },
  paymentConstraints: { maxCltvExpiry: 4, htlcMinimumMsat: msat(5) },
});
const message = createOnionMessage(pathToNode([], id, key), { replyPath: path }, sha256(key));
const onion = createOnion([{ nodeId: id, payload }], { sessionKey: key, areaBytes: 300 }).packet;
const failure = encodeFailure('fee_insufficient', { htlcMsat: msat(1), channelUpdate: update });

/** Start of an onion's payload area: after the version and the key. The HMAC follows the area. */
const AREA_AT = 34;
const HMAC_BYTES = 32;
const onionSecret = curve.ecdh(onion.subarray(1, AREA_AT), key);

/** The decrypted area of `onion`. */
function onionArea(packet: Uint8Array): Uint8Array {
  return chacha20Xor(onionKey('rho', onionSecret), packet.slice(AREA_AT, -HMAC_BYTES));
}

/** An onion with any payload area and a valid HMAC. */
function onionAround(clear: Uint8Array): Uint8Array {
  const area = chacha20Xor(onionKey('rho', onionSecret), clear);
  return concatBytes(onion.subarray(0, AREA_AT), area, hmacSha256(onionKey('mu', onionSecret), area));
}

const messageSecret = pathSecret(key, path.firstPathKey);
const about = (type: bigint, value: Uint8Array) => ({ type, value });
/** A record with the encrypted data of the path's creator for our node. */
const messageData = (bytes: Uint8Array) => about(4n, sealBox(onionKey('rho', messageSecret), bytes));

/** An onion message to us with any payload. If `next` is given, we are to forward the message to that node. */
function messageAround(payload: Uint8Array, next?: Uint8Array): OnionMessage {
  const nodeId = curve.publicKey(blindedSecretKey(key, messageSecret));
  const hops = [
    { nodeId, payload },
    ...(next === undefined ? [] : [{ nodeId: next, payload: new Uint8Array(2) }]),
  ];
  const { packet } = createOnion(hops, { sessionKey: sha256(key), areaBytes: 32768 });
  return { pathKey: path.firstPathKey, packet };
}

const ascii = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'latin1'));

/**
 * Name, valid bytes, and the function under test. If the function returns bytes, they must equal its input.
 */
const DECODERS: readonly [string, Uint8Array, (bytes: Uint8Array) => unknown][] = [
  [
    'bigsize',
    fromHex('fd0100'),
    (bytes) => {
      const reader = new ByteReader(bytes);
      const value = readBigSize(reader);
      return writeBigSize(new ByteWriter(), value).put(reader.rest()).finish();
    },
  ],
  ['TLV stream', payload, (bytes) => encodeTlvStream(decodeTlvStream(bytes))],
  [
    'payload',
    payload,
    (bytes) => {
      const fields = decodePayload(bytes);
      const written = encodePayload(fields);
      expect(toHex(written)).toBe(toHex(bytes));
      checkPayload(fields, { isFinal: true, hasPathKey: false });
    },
  ],
  ['onion', onion, (bytes) => void peelOnion(bytes, key)],
  ['frames inside an onion', onionArea(onion), (bytes) => void peelOnion(onionAround(bytes), key)],
  ['failure', failure, (bytes) => void decodeFailure(bytes)],
  ['embedded update', update, (bytes) => void embeddedChannelUpdate(bytes)],
  ['failure packet', createFailurePacket(key, failure), (bytes) => void unwrapFailurePacket([key], bytes)],
  [
    'content of a failure packet',
    plainFailurePacket(key, failure).subarray(32),
    (bytes) => {
      const plain = concatBytes(hmacSha256(onionKey('um', key), bytes), bytes);
      const { failure: inside } = unwrapFailurePacket([key], wrapFailurePacket(key, plain));
      if (inside !== undefined) decodeFailure(inside);
    },
  ],
  [
    'attribution',
    attribute(key, 300, plainFailurePacket(key, failure)),
    (bytes) => void readAttribution([key], bytes, createFailurePacket(key, failure)),
  ],
  ['channel_update', update, (bytes) => encodeChannelUpdate(decodeChannelUpdate(bytes))],
  ['node_announcement', node, (bytes) => encodeNodeAnnouncement(decodeNodeAnnouncement(bytes))],
  ['channel_announcement', announcement, (bytes) => void decodeChannelAnnouncement(bytes)],
  ['addresses', addresses, (bytes) => void decodeNodeAddresses(bytes)],
  [
    'blinded paths',
    blindedPaths.encode([path, path]),
    (bytes) => blindedPaths.encode(blindedPaths.decode(bytes)),
  ],
  ['encrypted data', data, (bytes) => encodeEncryptedData(decodeEncryptedData(bytes))],
  [
    'onion message',
    encodeOnionMessage(message),
    (bytes) => void receiveOnionMessage(decodeOnionMessage(bytes), key, id),
  ],
  [
    'what an onion message says',
    encodeTlvStream([
      { type: 2n, value: blindedPaths.encode([path]) },
      messageData(data),
      about(64n, request),
    ]),
    (bytes) => void receiveOnionMessage(messageAround(bytes), key, id),
  ],
  [
    'what a hop of an onion message is told',
    encodeEncryptedData({ nextNodeId: curve.publicKey(sha256(key)), nextPathKeyOverride: id }),
    (bytes) => {
      const payload = encodeTlvStream([messageData(bytes)]);
      receiveOnionMessage(messageAround(payload, curve.publicKey(sha256(key))), key, id);
    },
  ],
  [
    'offer',
    offer,
    (bytes) => {
      const decoded = decodeOffer(bytes);
      expect(toHex(encodeOffer(decoded.fields, decoded.unknown))).toBe(toHex(bytes));
      checkOffer(decoded);
      checkOffer(parseOffer(formatOffer(decoded)));
    },
  ],
  [
    'invoice request',
    request,
    (bytes) => {
      const decoded = decodeInvoiceRequest(bytes);
      checkInvoiceRequest(decoded);
      checkInvoiceRequestSignature(decoded);
    },
  ],
  [
    'invoice',
    invoice,
    (bytes) => {
      const decoded = decodeInvoice(bytes);
      checkInvoiceSignature(decoded, id);
      checkInvoice(decoded);
    },
  ],
  [
    'static invoice',
    staticInvoice,
    (bytes) => {
      const decoded = decodeStaticInvoice(bytes);
      checkStaticInvoice(decoded);
    },
  ],
  [
    'offer as text',
    ascii(formatOffer(decodeOffer(offer))),
    (bytes) => checkOffer(parseOffer(Buffer.from(bytes).toString('latin1'))),
  ],
  [
    'BOLT 12 text',
    ascii(encodeBolt12String('lni', invoice)),
    (bytes) => void decodeBolt12String(Buffer.from(bytes).toString('latin1')),
  ],
  ['features', fromHex('20800202a282'), (bytes) => void unknownRequiredFeature(bytes, featureBits(bytes))],
  ['invoice error', fromHex('010156050178'), (bytes) => void invoiceErrorCodec.decode(bytes)],
];

describe('hostile bytes', () => {
  it.each(DECODERS)('%s', { timeout: FUZZ_TIMEOUT_MS }, (name, valid, decode) => {
    expectOnlyWireErrors(name, valid, decode);
  });
});
