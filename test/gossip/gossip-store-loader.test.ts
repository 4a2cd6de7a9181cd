import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeNodeAddresses } from '../../src/bolt/peer/node-address.ts';
import { GossipStoreLoader } from '../../src/gossip/gossip-store-loader.ts';
import { ChannelGraph } from '../../src/model/channel-graph.ts';
import { U64_MAX } from '../../src/model/msat.ts';
import { shortChannelId } from '../../src/model/short-channel-id.ts';
import * as store from './store-builder.ts';

const A = shortChannelId(100, 1, 0);
const B = shortChannelId(200, 2, 1);
const C = shortChannelId(300, 3, 2);

/** Offset of the capacity record, after the announcement of a channel without features. */
const CAPACITY_AT = 444;

function load(bytes: Uint8Array): GossipStoreLoader {
  const loader = new GossipStoreLoader(new ChannelGraph());
  loader.apply(bytes, bytes.length);
  return loader;
}

/**
 * The history of a network in thirteen records. Each entry is a unit, which readers apply as a whole.
 *
 *     node 0 --A-- 1 --B-- 2,  A later gone;  0 --C-- 2
 */
const UNITS: readonly Buffer[] = [
  store.version(),
  store.uuid(7),
  store.channel(A, 0, 1, 1000),
  store.channel(B, 1, 2, 2_000_000),
  store.update(A, { timestamp: 1_700_000_000, max: 990_000, base: 1, ppm: 100, delta: 34 }),
  store.record(store.updateBody(A, { base: 77 }), { flags: store.COMPLETED | store.DELETED }),
  store.update(A, { direction: 1, disabled: true, timestamp: 1_700_000_001 }),
  store.record(store.nodeBody(1, 5, 'alice', Buffer.from([1, 127, 0, 0, 1, 0x26, 7])), { timestamp: 5 }),
  store.record(Buffer.from([0x7f, 0xff, 1, 2, 3])),
  store.dying(A),
  store.update(B, { base: 2 ** 24, ppm: 2 ** 32 - 1, max: U64_MAX, min: 1 }),
  store.tombstone(A),
  store.channel(C, 0, 2, 5),
];
const WHOLE = Buffer.concat(UNITS);

/** The graph after each number of units. */
const PICTURES = UNITS.map((_, count) => store.picture(load(Buffer.concat(UNITS.slice(0, count + 1))).graph));

describe('GossipStoreLoader', () => {
  // Core Lightning writes the height at which it forgets the channel: 72 blocks after the funding was spent.
  it.each([
    [800_000, 799_928],
    [73, 1],
    [72, undefined],
    [0, undefined],
  ])('a channel that dies at height %i was spent at height %s', (deadline, spent) => {
    const { graph } = load(Buffer.concat([...UNITS.slice(0, 4), store.dying(A, deadline)]));
    expect([graph.dyingChannels.has(A), graph.spentHeight(A)]).toEqual([true, spent]);
  });

  it('applies the whole file', () => {
    const loader = load(WHOLE);
    expect(loader.problem).toBeUndefined();
    expect(loader.offset).toBe(WHOLE.length);
    expect(loader.uuid).toBe('07'.repeat(32));
    expect(loader.ignored).toEqual({
      deleted: 1,
      unknownType: 1,
      unknownChannel: 0,
      unknownNode: 0,
      knownChannel: 0,
    });
    const { graph } = loader;
    expect([graph.channelIndex(A), graph.channelCount]).toEqual([-1, 2]);
    const b = graph.channelIndex(B);
    expect(graph.capacityMsat[b]).toBe(2_000_000_000n);
    expect(graph.policy(b * 2)).toEqual({
      enabled: true,
      htlcMinimumMsat: 1n,
      htlcMaximumMsat: U64_MAX,
      feeBaseMsat: 2 ** 24,
      feeProportionalMillionths: 2 ** 32 - 1,
      cltvExpiryDelta: 6,
      timestamp: 0,
      messageFlags: 1,
      channelFlags: 0,
    });
    expect(graph.policy(b * 2 + 1)).toBeUndefined();
    const announcement = graph.announcements.get(graph.nodeIndexOfBytes(store.IDS[1]!))!;
    expect(Buffer.from(announcement.alias.subarray(0, 6)).toString()).toBe('alice\0');
    expect(announcement).toMatchObject({ timestamp: 5, color: Uint8Array.of(1, 2, 3) });
    expect(announcement.features).toEqual(Uint8Array.of(0x80, 0x01));
    expect(decodeNodeAddresses(announcement.addresses)).toEqual([
      { type: 'ipv4', address: '127.0.0.1', port: 9735 },
    ]);
  });

  it('cut anywhere: the graph of the complete units, no problem, and the rest completes it', () => {
    let [count, boundary] = [0, 0];
    for (let length = 0; length <= WHOLE.length; length++) {
      while (count < UNITS.length && boundary + UNITS[count]!.length <= length) {
        boundary += UNITS[count++]!.length;
      }
      const loader = load(WHOLE.subarray(0, length));
      expect(loader.problem).toBeUndefined();
      expect(loader.offset).toBe(boundary);
      expect(store.picture(loader.graph)).toEqual(PICTURES[count - 1] ?? []);
      loader.apply(WHOLE.subarray(boundary), WHOLE.length - boundary);
      expect(store.picture(loader.graph)).toEqual(PICTURES.at(-1));
    }
  });

  it('growing in pieces of any size gives the same graph', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 700 }), { maxLength: 40 }), (pieces) => {
        const loader = load(Buffer.alloc(0));
        let end = 0;
        for (const piece of [...pieces, WHOLE.length]) {
          end = Math.min(WHOLE.length, end + piece);
          loader.apply(WHOLE.subarray(loader.offset, end), end - loader.offset);
        }
        expect(loader.offset).toBe(WHOLE.length);
        expect(store.picture(loader.graph)).toEqual(PICTURES.at(-1));
      }),
    );
  });

  it('a bit flipped in any record: an error there, or a wait, and the graph up to that record', () => {
    const bytes = Buffer.from(WHOLE);
    let start = UNITS[0]!.length;
    for (const [index, unit] of UNITS.entries()) {
      if (index === 0) continue;
      const isChannel = unit.readUInt16BE(12) === 256;
      for (let at = start + 2; at < start + unit.length; at++) {
        bytes[at]! ^= 1 << (at % 8);
        const loader = load(bytes);
        bytes[at]! ^= 1 << (at % 8);
        // Readers do not look at the content of deleted records, and no checksum covers the flags.
        if (index === 5 && at >= start + 4) continue;
        const inHeader = at - start - (isChannel && at - start >= CAPACITY_AT ? CAPACITY_AT : 0);
        if (inHeader < 2) continue;
        expect(store.picture(loader.graph), `byte ${at}`).toEqual(PICTURES[index - 1]);
        if (loader.problem !== undefined) expect(loader.problem.offset).toBeGreaterThanOrEqual(start);
        // With a greater length the record may reach beyond the end, so that it is an incomplete tail.
        if (inHeader >= 4) expect(loader.problem, `byte ${at}`).toBeDefined();
      }
      start += unit.length;
    }
  });

  it('any bytes, even with correct checksums, are survived', () => {
    const type = fc.constantFrom(256, 257, 258, 4101, 4103, 4105, 4106, 4107);
    const body = fc.tuple(type, fc.uint8Array({ maxLength: 460 }));
    fc.assert(
      fc.property(fc.array(body, { maxLength: 6 }), fc.uint8Array({ maxLength: 40 }), (bodies, tail) => {
        const records = bodies.map(([kind, rest]) =>
          store.record(Buffer.concat([Buffer.from([kind >> 8, kind & 255]), rest])),
        );
        const loader = load(Buffer.concat([store.version(), ...records, tail]));
        expect(loader.offset).toBeGreaterThan(0);
        store.picture(loader.graph);
      }),
      { numRuns: 2000 },
    );
  });

  it.each([
    [14, 0, true],
    [15, 0, false],
    [16, 0, false],
    [15, store.COMPLETED, true],
    [17, store.COMPLETED, true],
  ])('version %i, flags %i: a complete record counts: %s', (minor, flags, counts) => {
    const parts = [store.announcementBody(A, 0, 1), store.amountBody(1)];
    const records = parts.map((part) => store.record(part, { flags }));
    expect(load(Buffer.concat([store.version(minor), ...records])).graph.channelCount).toBe(counts ? 1 : 0);
  });

  it('waits for a capacity that is written but not completed', () => {
    const amount = store.record(store.amountBody(9), { flags: 0 });
    const start = Buffer.concat([store.version(), store.record(store.announcementBody(A, 0, 1))]);
    const loader = load(Buffer.concat([start, amount]));
    expect([loader.offset, loader.graph.channelCount, loader.problem]).toEqual([1, 0, undefined]);
  });

  it('keeps no reference to the given bytes', () => {
    const features = Buffer.from([0x80, 0x02]);
    const bytes = Buffer.concat([
      store.version(),
      store.channel(A, 0, 1, 1, features),
      store.record(store.nodeBody(1, 9, 'bob')),
    ]);
    const { graph } = load(bytes);
    const before = store.picture(graph);
    bytes.fill(0);
    expect(store.picture(graph)).toEqual(before);
    expect(graph.channelFeatures.get(0)).toEqual(new Uint8Array(features));
  });

  it('uses the capacity as maximum if an update has none', () => {
    const update = store.record(store.updateBody(A, { messageFlags: 0 }));
    const { graph } = load(Buffer.concat([store.version(), store.channel(A, 0, 1, 123), update]));
    expect(graph.policy(0)!.htlcMaximumMsat).toBe(123_000n);
  });

  it('ignores and counts stale messages', () => {
    const loader = load(
      Buffer.concat([
        store.version(),
        store.channel(A, 0, 1, 1),
        store.channel(A, 2, 3, 2),
        store.update(B),
        store.tombstone(B),
        store.record(store.nodeBody(2, 1)),
        store.record(store.amountBody(5)),
      ]),
    );
    expect(loader.problem).toBeUndefined();
    expect(loader.ignored).toMatchObject({ knownChannel: 1, unknownChannel: 2, unknownNode: 1 });
    expect(store.picture(loader.graph)).toEqual(
      store.picture(load(Buffer.concat([store.version(), store.channel(A, 0, 1, 1)])).graph),
    );
  });

  it('forgets an announcement with the last channel of its node', () => {
    const { graph } = load(
      Buffer.concat([
        store.version(),
        store.channel(A, 0, 1, 1),
        store.record(store.nodeBody(1, 9)),
        store.tombstone(A),
        store.channel(B, 1, 2, 1),
      ]),
    );
    expect(graph.announcements.size).toBe(0);
  });

  it('stops permanently at the closing record', () => {
    const loader = load(Buffer.concat([store.version(), store.ended(47, 3), store.channel(A, 0, 1, 1)]));
    expect(loader.ended).toEqual({ equivalentOffset: 47, uuid: '03'.repeat(32) });
    expect(loader.graph.channelCount).toBe(0);
  });

  it.each([
    [
      'another version',
      Buffer.from([0x0d]),
      0,
      'not a gossip_store, or one of an unsupported version (0.13)',
    ],
    [
      'another major version',
      Buffer.from([0x30]),
      0,
      'not a gossip_store, or one of an unsupported version (1.16)',
    ],
    [
      'an empty record',
      Buffer.concat([store.version(), store.record(Buffer.alloc(1))]),
      1,
      'a record of 1 bytes is too short',
    ],
    [
      'a wrong sum',
      Buffer.concat([store.version(), store.record(store.amountBody(1), { crc: 0x1234 })]),
      1,
      'checksum 1234 does not match the record',
    ],
    [
      'no capacity',
      Buffer.concat([store.version(), store.record(store.announcementBody(A, 0, 1)), store.update(A)]),
      443 + 2,
      'no capacity record after a channel_announcement',
    ],
    [
      'too great a capacity',
      Buffer.concat([
        store.version(),
        store.record(store.announcementBody(A, 0, 1)),
        store.record(store.amountBody(U64_MAX)),
      ]),
      443 + 2,
      'a capacity of 18446744073709551615 sat is too large',
    ],
    [
      'ends out of order',
      Buffer.concat([store.version(), store.channel(A, 1, 0, 1)]),
      1,
      'not in ascending order',
    ],
    [
      'a short update',
      Buffer.concat([store.version(), store.record(store.updateBody(A).subarray(0, 137))]),
      1,
      'malformed channel_update',
    ],
    [
      'a short node_announcement',
      Buffer.concat([store.version(), store.record(store.nodeBody(0, 1).subarray(0, -1))]),
      1,
      'malformed node_announcement',
    ],
  ])('names offset and cause of %s', (_, bytes, offset, cause) => {
    const loader = load(bytes);
    expect(loader.problem).toMatchObject({ offset, cause: expect.stringContaining(cause) });
    expect(loader.offset).toBeLessThanOrEqual(offset);
  });

  it('continues once the corruption is repaired', () => {
    const bytes = Buffer.from(WHOLE);
    const at = UNITS[0]!.length + UNITS[1]!.length + 4;
    bytes[at]! ^= 1;
    const loader = load(bytes);
    expect(loader.problem?.offset).toBe(at - 4);
    loader.apply(WHOLE.subarray(loader.offset), WHOLE.length - loader.offset);
    expect(loader.problem).toBeUndefined();
    expect(store.picture(loader.graph)).toEqual(PICTURES.at(-1));
  });
});
