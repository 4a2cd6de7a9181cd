import { verify } from '@noble/secp256k1';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromHex, toHex } from '../../../src/bolt/bytes.ts';
import { curve } from '../../../src/bolt/crypto/curve.ts';
import { doubleSha256, sha256 } from '../../../src/bolt/crypto/hashes.ts';
import {
  createChannelAnnouncement,
  createChannelUpdate,
  createNodeAnnouncement,
  decodeChannelAnnouncement,
  decodeChannelUpdate,
  decodeNodeAnnouncement,
  directionOf,
  embeddedChannelUpdate,
  encodeChannelAnnouncement,
  encodeChannelUpdate,
  encodeNodeAnnouncement,
  isDisabled,
  type UpdateTerms,
  verifyChannelAnnouncement,
  verifyChannelUpdate,
  verifyNodeAnnouncement,
} from '../../../src/bolt/peer/gossip-messages.ts';
import { decodeNodeAddresses } from '../../../src/bolt/peer/node-address.ts';
import { WireError } from '../../../src/bolt/wire-error.ts';
import { msat } from '../../../src/model/msat.ts';
import { shortChannelId } from '../../../src/model/short-channel-id.ts';

const keys = Array.from({ length: 4 }, (_, i) => sha256(Uint8Array.of(i))) as [
  Uint8Array,
  Uint8Array,
  Uint8Array,
  Uint8Array,
];
const points = keys.map((key) => curve.publicKey(key)) as typeof keys;
const chainHash = fromHex('06226e46111a0b59caaf126043eb5bbf28c34f3a5e332a1fc7b2b73cf188910f');
const scid = shortChannelId(103, 1, 0);

const terms: UpdateTerms = {
  chainHash,
  shortChannelId: scid,
  timestamp: 1_700_000_000,
  direction: 1,
  isDisabled: true,
  cltvExpiryDelta: 40,
  htlcMinimumMsat: msat(1),
  feeBaseMsat: 1000,
  feeProportionalMillionths: 10,
  htlcMaximumMsat: msat(990_000_000),
};
const update = createChannelUpdate(terms, keys[0]);
const announcement = createChannelAnnouncement(
  {
    features: new Uint8Array(0),
    chainHash,
    shortChannelId: scid,
    nodeId1: points[0],
    nodeId2: points[1],
    bitcoinKey1: points[2],
    bitcoinKey2: points[3],
  },
  { node1: keys[0], node2: keys[1], bitcoin1: keys[2], bitcoin2: keys[3] },
);
/** One address of each type (BOLT 7, address descriptors). */
const DESCRIPTORS = fromHex(
  '01cb0071072607 0220010db80000000000000000000000012608 0400443214c74254b635cf84653a56d7c675be77df00443214c74254b635cf84653a56d72607 05106e6f64652e6578616d706c652e636f6d0001'.replaceAll(
    ' ',
    '',
  ),
);
const nodeAnnouncement = createNodeAnnouncement(
  {
    features: fromHex('8a'),
    timestamp: 7,
    nodeId: points[0],
    rgbColor: fromHex('010203'),
    alias: new Uint8Array(32).fill(65),
    addresses: DESCRIPTORS,
  },
  keys[0],
);

describe('channel_update', () => {
  it('has the layout of BOLT 7', () => {
    expect(toHex(update.subarray(66))).toBe(
      toHex(chainHash) +
        '0000670000010000' + // 103x1x0
        '6553f100' + // timestamp
        '01' + // must_be_one
        '03' + // direction 1, disabled
        '0028' + // 40 blocks
        '0000000000000001' +
        '000003e8' + // 1000 msat
        '0000000a' + // 10 ppm
        '000000003b023380', // 990,000,000 msat
    );
    expect(update).toHaveLength(138);
    expect(toHex(update.subarray(0, 2))).toBe('0102');
  });

  it('returns what was written, the direction, and whether the direction is disabled', () => {
    const decoded = decodeChannelUpdate(update);
    expect(toHex(encodeChannelUpdate(decoded))).toBe(toHex(update));
    expect([directionOf(decoded), isDisabled(decoded)]).toEqual([1, true]);
    const { direction: _, isDisabled: __, ...fields } = terms;
    expect(decoded).toMatchObject(fields);
  });

  it('is signed over the double SHA-256 of all bytes after the signature, including unknown fields', () => {
    const digest = doubleSha256(update.subarray(66));
    expect(verify(update.subarray(2, 66), digest, points[0], { prehash: false })).toBe(true);
    expect(verifyChannelUpdate(update, points[0])).toBe(true);
    expect(verifyChannelUpdate(update, points[1])).toBe(false);
    const longer = new Uint8Array([...update, 1, 2, 3]);
    expect(decodeChannelUpdate(longer).extra).toEqual(Uint8Array.of(1, 2, 3));
    expect(verifyChannelUpdate(longer, points[0])).toBe(false);
    expect(toHex(encodeChannelUpdate(decodeChannelUpdate(longer)))).toBe(toHex(longer));
  });

  it('is found in a failure, with and without its message type', () => {
    expect(embeddedChannelUpdate(update)?.shortChannelId).toBe(scid);
    expect(embeddedChannelUpdate(update.subarray(2))?.feeBaseMsat).toBe(1000);
    expect(embeddedChannelUpdate(new Uint8Array(0))).toBeUndefined();
    expect(embeddedChannelUpdate(update.subarray(0, 100))).toBeUndefined();
  });
});

describe('channel_announcement', () => {
  it('returns what was written and is signed four times', () => {
    expect(toHex(encodeChannelAnnouncement(decodeChannelAnnouncement(announcement)))).toBe(
      toHex(announcement),
    );
    expect(verifyChannelAnnouncement(announcement)).toBe(true);
    for (const at of [10, 70, 140, 200, 300, announcement.length - 1]) {
      const changed = new Uint8Array(announcement);
      changed[at] = (changed[at] as number) ^ 1;
      expect(verifyChannelAnnouncement(changed)).toBe(false);
    }
  });
});

describe('node_announcement', () => {
  it('returns what was written and is signed by the node', () => {
    expect(toHex(encodeNodeAnnouncement(decodeNodeAnnouncement(nodeAnnouncement)))).toBe(
      toHex(nodeAnnouncement),
    );
    expect(verifyNodeAnnouncement(nodeAnnouncement)).toBe(true);
    const changed = new Uint8Array(nodeAnnouncement);
    changed[120] = (changed[120] as number) ^ 1;
    expect(verifyNodeAnnouncement(changed)).toBe(false);
  });

  it('names addresses of every type', () => {
    expect(decodeNodeAddresses(decodeNodeAnnouncement(nodeAnnouncement).addresses)).toEqual([
      { type: 'ipv4', address: '203.0.113.7', port: 9735 },
      { type: 'ipv6', address: '2001:db8::1', port: 9736 },
      {
        type: 'torv3',
        address: `${'abcdefghijklmnopqrstuvwxyz234567'.repeat(2).slice(0, 56)}.onion`,
        port: 9735,
      },
      { type: 'dns', address: 'node.example.com', port: 1 },
    ]);
  });
});

describe('gossip decoders', () => {
  it('throw nothing but WireError on any bytes', () => {
    const decoders = [
      decodeChannelAnnouncement,
      decodeChannelUpdate,
      decodeNodeAnnouncement,
      decodeNodeAddresses,
      verifyChannelAnnouncement,
      verifyNodeAnnouncement,
      (bytes: Uint8Array) => verifyChannelUpdate(bytes, points[0]),
    ];
    const whole = fc.constantFrom(update, announcement, nodeAnnouncement, DESCRIPTORS);
    const mutated = fc.tuple(whole, fc.nat(), fc.nat(255), fc.nat()).map(([bytes, at, value, cut]) => {
      const changed = new Uint8Array(bytes);
      changed[at % bytes.length] = value;
      return changed.subarray(0, bytes.length - (cut % 3 === 0 ? cut % bytes.length : 0));
    });
    fc.assert(
      fc.property(fc.oneof(mutated, fc.uint8Array({ maxLength: 500 })), (bytes) => {
        for (const decode of decoders) {
          try {
            decode(bytes);
          } catch (error) {
            expect(error).toBeInstanceOf(WireError);
          }
        }
      }),
      { numRuns: 1000 },
    );
  });
});
