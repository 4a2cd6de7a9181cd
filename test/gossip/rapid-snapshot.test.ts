/** Snapshots of rapid gossip sync: the examples of the format's own tests, and invalid snapshots. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { fromHex } from '../../src/bolt/bytes.ts';
import { parseRapidSnapshot } from '../../src/gossip/rapid-snapshot.ts';
import type { ChannelGraph } from '../../src/model/channel-graph.ts';
import { shortChannelId } from '../../src/model/short-channel-id.ts';
import { rapidSnapshot, type WrittenSnapshot } from './rapid-snapshot-builder.ts';

const VECTORS: Readonly<Record<string, string>> = JSON.parse(
  readFileSync(new URL('../vectors/rapid-gossip-sync.json', import.meta.url), 'utf8'),
);
const vector = (name: string) => fromHex(VECTORS[name]!);

/** The direction's policy without the fields that a snapshot lacks. */
function policyOf(graph: ChannelGraph, directionIndex: number) {
  const policy = graph.policy(directionIndex);
  if (policy === undefined) return undefined;
  const {
    enabled,
    cltvExpiryDelta,
    htlcMinimumMsat,
    feeBaseMsat,
    feeProportionalMillionths,
    htlcMaximumMsat,
  } = policy;
  return [enabled, cltvExpiryDelta, htlcMinimumMsat, feeBaseMsat, feeProportionalMillionths, htlcMaximumMsat];
}

describe('the published examples', () => {
  it('of version 1 are read: default fields, and explicit ones', () => {
    const graph = parseRapidSnapshot(vector('version1'));
    expect([graph.nodeCount, graph.channelCount]).toEqual([4, 2]);
    // The ids are those that the format's own tests check.
    const ids = Array.from({ length: 4 }, (_, node) => graph.nodeId(node));
    expect(ids).toEqual([
      '021607cfce19a4c5e7e6e738663dfafbbbac262e4ff76c2c9b30dbeefc35c00643',
      '02247d9db0dfafea745ef8c9e161eb322f73ac3f8858d8730b6fd97254747ce76b',
      '029e01f279986acc83ba235d46d80aede0b7595f410353b93a8ab540bb677f4432',
      '02c913118a8895b9e29c89af6e20ed00d95a1f64e4952edbafa84d048f26804c61',
    ]);
    expect([...graph.shortChannelIds.subarray(0, 2)]).toEqual([619737530008010752n, 783241506229452801n]);
    // Read by hand from the bytes: the defaults are 40 blocks, 1000 msat, 1000 msat + 1 ppm, 495,000,000
    // msat. The first channel has four explicit fields for direction 0, and three for direction 1.
    expect([0, 1, 2, 3].map((directionIndex) => policyOf(graph, directionIndex))).toEqual([
      [true, 40, 1n, 100, 736, 978_679_000n],
      [true, 40, 1000n, 1, 125, 978_679_000n],
      [true, 40, 1000n, 1000, 1, 495_000_000n],
      [true, 40, 1000n, 1000, 1, 495_000_000n],
    ]);
    expect([...graph.capacityMsat.subarray(0, 2)]).toEqual([978_679_000n, 495_000_000n]);
  });

  it('of version 2 are read, skipping the nodes’ own data', () => {
    const graph = parseRapidSnapshot(vector('version2'));
    expect([graph.nodeId(0), graph.nodeId(1)]).toEqual([
      '024d4b6cd1361032ca9bd2aeb9d900aa4d45d9ead80ac9423374c451a7254d0766',
      '031b84c5567b126440995d3ed5aaba0565d71e1834604819ff9c17f5e9d5dd078f',
    ]);
    expect([0, 1].map((directionIndex) => policyOf(graph, directionIndex))).toEqual([
      [true, 0, 0n, 6, 0, 0n],
      [true, 0, 0n, 6, 0, 0n],
    ]);
    expect(parseRapidSnapshot(vector('withoutChannels')).channelCount).toBe(0);
  });

  it('with data of later versions are read, of which the first is the funding', () => {
    const graph = parseRapidSnapshot(vector('additionalData'));
    expect([graph.channelCount, graph.capacityMsat[0]]).toEqual([1, 42_000n]);
    expect(policyOf(graph, 0)).toEqual([true, 0, 0n, 6, 0, 0n]);
  });

  it.each([
    ['clipped', /2 bytes expected, 1 left at offset 278/],
    ['incremental', /changes to an earlier snapshot.*timestamp 0/],
    ['unknownVersion', /version 3 of rapid gossip sync is unknown/],
  ])('are refused: %s', (name, cause) => {
    expect(() => parseRapidSnapshot(vector(name), 'x.lngossip')).toThrow(
      expect.objectContaining({ name: 'graphSource', message: expect.stringMatching(cause) }),
    );
  });
});

const [A, B, C] = [1, 2, 3].map((last) => Uint8Array.from([2, ...new Array(31).fill(7), last]));
const SMALL: WrittenSnapshot = {
  version: 1,
  timestamp: 1_700_000_000,
  nodes: [A!, B!, C!],
  channels: [
    { scid: shortChannelId(700_000, 1, 0), ends: [0, 1] },
    { scid: shortChannelId(700_001, 2, 1), ends: [1, 2] },
  ],
  updates: [{ scid: shortChannelId(700_000, 1, 0), direction: 1, disabled: true, ppm: 7 }],
  usual: { delta: 80, minimum: 1n, base: 1000, ppm: 1, maximum: 5_000_000n },
};

describe('a snapshot', () => {
  it('leaves directions without an update unknown, and uses the first of two updates', () => {
    const [update] = SMALL.updates;
    const graph = parseRapidSnapshot(rapidSnapshot({ ...SMALL, updates: [update!, { ...update!, ppm: 8 }] }));
    expect([0, 1, 2, 3].map((directionIndex) => policyOf(graph, directionIndex))).toEqual([
      undefined,
      [false, 80, 1n, 1000, 7, 5_000_000n],
      undefined,
      undefined,
    ]);
    expect(graph.capacityMsat[1]).toBe(0n);
  });

  it('has no policy that allows more than the channel’s capacity', () => {
    const [update] = SMALL.updates;
    const allOfIt = 21_000_000n * 100_000_000n * 1000n;
    const graphWith = (maximum: bigint) =>
      parseRapidSnapshot(rapidSnapshot({ ...SMALL, updates: [{ ...update!, maximum }] }));
    expect(policyOf(graphWith(allOfIt), 1)).toBeDefined();
    expect(policyOf(graphWith(allOfIt + 1n), 1)).toBeUndefined();
  });

  it.each<[string, Uint8Array, RegExp]>([
    ['an unknown chain', changed(4, 0xff), /unknown chain/],
    ['more nodes than bytes', changed(40, 0xff), /4278190083 nodes announced, \d+ bytes left/],
    ['no node', changed(44, 5), /not a node id/],
    ['an end that is not there', ends(0, 9), /a channel end is not a node of the snapshot/],
    ['a channel to itself', ends(1, 1), /ends are not in ascending order/],
    ['ends in the wrong order', ends(1, 0), /ends are not in ascending order/],
  ])('is refused with %s', (_, bytes, cause) => {
    expect(() => parseRapidSnapshot(bytes)).toThrow(
      expect.objectContaining({ name: 'graphSource', message: expect.stringMatching(cause) }),
    );
  });

  it('is refused if cut off at any point', () => {
    const whole = rapidSnapshot(SMALL);
    for (let length = 0; length < whole.length; length++) {
      expect(() => parseRapidSnapshot(whole.subarray(0, length)), `${length} bytes`).toThrow(
        expect.objectContaining({ name: 'graphSource' }),
      );
    }
  });
});

function changed(at: number, byte: number): Uint8Array {
  const bytes = rapidSnapshot(SMALL);
  bytes[at] = byte;
  return bytes;
}

function ends(first: number, second: number): Uint8Array {
  return rapidSnapshot({ ...SMALL, channels: [{ scid: 1n, ends: [first, second] }] });
}
