/**
 * Every decoder of this folder against bytes that somebody else chose: random ones, and valid ones with bytes
 * changed, cut out, doubled or joined. Nothing but `WireError` may come out, and whatever is accepted must be
 * written back byte for byte where the format has one form only.
 *
 * FUZZ_SECONDS=300 runs each decoder for five minutes instead of a fixed number of cases.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readAttribution } from '../../src/bolt/attribution.ts';
import { readBigSize, writeBigSize } from '../../src/bolt/bigsize.ts';
import { blindedPaths, createBlindedPath } from '../../src/bolt/blinded-path.ts';
import { invoiceErrorCodec } from '../../src/bolt/bolt12-fields.ts';
import {
  checkInvoice,
  checkInvoiceSignature,
  createInvoice,
  decodeInvoice,
} from '../../src/bolt/bolt12-invoice.ts';
import {
  checkInvoiceRequest,
  checkInvoiceRequestSignature,
  createInvoiceRequest,
  decodeInvoiceRequest,
} from '../../src/bolt/bolt12-invoice-request.ts';
import {
  checkOffer,
  decodeOffer,
  encodeOffer,
  formatOffer,
  parseOffer,
} from '../../src/bolt/bolt12-offer.ts';
import { ByteReader, ByteWriter, fromHex, toHex } from '../../src/bolt/bytes.ts';
import { curve } from '../../src/bolt/curve.ts';
import { decodeEncryptedData, encodeEncryptedData } from '../../src/bolt/encrypted-data.ts';
import { decodeFailure, encodeFailure } from '../../src/bolt/failure.ts';
import { createFailurePacket, unwrapFailurePacket } from '../../src/bolt/failure-packet.ts';
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
} from '../../src/bolt/gossip-messages.ts';
import { sha256 } from '../../src/bolt/hashes.ts';
import { decodeAddresses, encodeAddresses } from '../../src/bolt/node-address.ts';
import {
  createOnionMessage,
  decodeOnionMessage,
  encodeOnionMessage,
  pathToNode,
  receiveOnionMessage,
} from '../../src/bolt/onion-message.ts';
import { checkPayload, decodePayload, encodePayload } from '../../src/bolt/payload.ts';
import { createOnion, peelOnion } from '../../src/bolt/sphinx.ts';
import { decodeTlvStream, encodeTlvStream } from '../../src/bolt/tlv.ts';
import { WireError } from '../../src/bolt/wire-error.ts';
import { msat } from '../../src/model/msat.ts';
import { shortChannelId } from '../../src/model/short-channel-id.ts';

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
const invoice = createInvoice(
  request,
  {
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
    invoiceAmountMsat: msat(5),
    invoicePaymentHash: key,
    invoiceFallbacks: [{ version: 0, address: key }],
    invoiceNodeId: id,
  },
  key,
);
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
const addresses = encodeAddresses([
  { type: 'ipv4', host: '127.0.0.1', port: 1 },
  { type: 'dns', host: 'example.com', port: 2 },
]);
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

/** Name, valid bytes, and what is done with any bytes; bytes that come back must be those given. */
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
  ['failure', failure, (bytes) => void decodeFailure(bytes)],
  ['embedded update', update, (bytes) => void embeddedChannelUpdate(bytes)],
  ['failure packet', createFailurePacket(key, failure), (bytes) => void unwrapFailurePacket([key], bytes)],
  ['attribution', new Uint8Array(920), (bytes) => void readAttribution([key, key], bytes, update)],
  ['channel_update', update, (bytes) => encodeChannelUpdate(decodeChannelUpdate(bytes))],
  ['node_announcement', node, (bytes) => encodeNodeAnnouncement(decodeNodeAnnouncement(bytes))],
  ['channel_announcement', announcement, (bytes) => void decodeChannelAnnouncement(bytes)],
  ['addresses', addresses, (bytes) => void decodeAddresses(bytes)],
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
  ['invoice error', fromHex('010156050178'), (bytes) => void invoiceErrorCodec.decode(bytes)],
];

const splice = (bytes: Uint8Array, at: number, cut: number, put: Uint8Array): Uint8Array => {
  const from = at % (bytes.length + 1);
  return new Uint8Array([...bytes.subarray(0, from), ...put, ...bytes.subarray(from + cut)]);
};

/** Valid bytes after one to four changes, or any bytes. */
function hostile(valid: Uint8Array): fc.Arbitrary<Uint8Array> {
  const edit = fc.tuple(
    fc.nat(),
    fc.oneof({ weight: 5, arbitrary: fc.constant(1) }, fc.nat(40)),
    fc.oneof(
      { weight: 5, arbitrary: fc.uint8Array({ minLength: 1, maxLength: 1 }) },
      fc.uint8Array({ maxLength: 20 }),
      fc.constantFrom(
        valid.subarray(0, 40),
        fromHex('ffffffffffffffffff'),
        fromHex('fd00fc'),
        new Uint8Array(33),
      ),
    ),
  );
  const edited = fc.array(edit, { minLength: 1, maxLength: 4 }).map((edits) => {
    let bytes = valid;
    for (const [at, cut, put] of edits) bytes = splice(bytes, at, cut, put);
    return bytes;
  });
  return fc.oneof({ weight: 4, arbitrary: edited }, fc.uint8Array({ maxLength: 200 }));
}

const seconds = Number(process.env.FUZZ_SECONDS ?? 0);
const effort: fc.Parameters<[Uint8Array]> =
  seconds > 0
    ? { numRuns: Number.MAX_SAFE_INTEGER, interruptAfterTimeLimit: seconds * 1000 }
    : { numRuns: 300 };

describe('hostile bytes', () => {
  it.each(DECODERS)('%s', { timeout: (seconds + 60) * 1000 }, (_, valid, decode) => {
    decode(valid);
    fc.assert(
      fc.property(hostile(valid), (bytes) => {
        try {
          const written = decode(bytes);
          if (written instanceof Uint8Array) expect(toHex(written)).toBe(toHex(bytes));
        } catch (error) {
          if (!(error instanceof WireError)) throw error;
        }
      }),
      effort,
    );
  });
});
