import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  parseCompressedSnapshot,
  readCompressedSnapshot,
  type SnapshotOptions,
  snapshotToGraph,
} from '../../src/gossip/compressed-snapshot.ts';
import { GossipStoreLoader } from '../../src/gossip/gossip-store-loader.ts';
import { ChannelGraph } from '../../src/model/channel-graph.ts';
import { FulguriteError } from '../../src/model/errors.ts';
import { type NodeId, parseNodeId } from '../../src/model/node-id.ts';
import { shortChannelId } from '../../src/model/short-channel-id.ts';
import { describeNeeding } from '../needs.ts';
import { expandToGossipStore } from './snapshot-expansion.ts';
import { picture } from './store-builder.ts';

const FILE = fileURLToPath(
  new URL('../../../shared/data/snapshot/gossip-store-2026-02-03.compressed', import.meta.url),
);
const MAGIC = Buffer.from('GOSSMAP_COMPRESSv1\0', 'latin1');
/** The id of node 2134 of the snapshot, which Core Lightning's tests use. */
const MAPPED = parseNodeId('033845802d25b4e074ccfd7cd8b339a41dc75bf9978a034800444b51d42b07799a')!;

/** Three nodes, two channels: 0-1 of 1000 sat, both directions enabled; 0-2 of 70,000 sat, direction index 3 disabled. */
const TINY = [
  [2],
  [0, 0],
  [1, 2],
  [3, 4],
  [2, 0xfd, 1000 >> 8, 1000 & 255, 0xfe, 0, 1, 0x11, 0x70, 0, 1],
  [2, 0, 7, 0, 1, 0, 0],
  [3, 0, 1, 0xfd, 300 >> 8, 300 & 255, 0, 1, 2, 0],
  [2, 0, 9, 0, 1, 1, 0],
  [2, 0, 8, 0, 1, 1, 0],
  [2, 0, 40, 1, 1, 1, 0],
].flat();

const pack = (numbers: readonly number[]) =>
  gzipSync(Buffer.concat([MAGIC, Buffer.from(numbers)]), { level: 1 });

function sha256OfExpansion(options: SnapshotOptions): string {
  const hash = createHash('sha256');
  for (const block of expandToGossipStore(readCompressedSnapshot(FILE), options)) hash.update(block);
  return hash.digest('hex');
}

describeNeeding('snapshot', existsSync(FILE), 'the 2026-02-03 snapshot', () => {
  it.each([
    ['exact units', { exactUnits: true }, '88c0798b0471795fb5ca0bca092c4a41aec431e3bc854370272d4b280cc4852d'],
    [
      'exact units, node 2134 renamed',
      { exactUnits: true, nodeMap: new Map([[2134, MAPPED]]) },
      '1d50614a492d76b30b737eddb3c99e6b459ade735fad91572a3a1297e294ec0f',
    ],
    ['corrected units', {}, 'f80fa3e7619096e31ccce5d5ae4223c54cf8869d87d66abe2f118e403236a1ee'],
  ] as const)('expands to the published store: %s', (_, options, sum) => {
    expect(sha256OfExpansion(options)).toBe(sum);
  });

  it('has the published counts and channel 0', () => {
    const graph = snapshotToGraph(readCompressedSnapshot(FILE));
    expect([graph.nodeCount, graph.channelCount]).toEqual([17_324, 50_808]);
    expect([graph.nodeDegree[0], graph.nodeDegree[1], graph.nodeDegree[2134]]).toEqual([1989, 1771, 6]);
    const channel = graph.channelIndex(shortChannelId(0, 2134, 0));
    expect(channel).toBe(0);
    expect(graph.capacityMsat[0]).toBe(9_093_802_000n);
    // key(0) > key(2134), so the file's direction 1 is direction 0 of the channel.
    expect(graph.policy(0)).toMatchObject({
      enabled: true,
      htlcMinimumMsat: 0n,
      htlcMaximumMsat: 1_000_000n,
      feeBaseMsat: 1000,
      feeProportionalMillionths: 499,
      cltvExpiryDelta: 144,
    });
    expect(graph.policy(1)).toMatchObject({
      htlcMinimumMsat: 1n,
      htlcMaximumMsat: 4_092_210_000n,
      feeBaseMsat: 0,
      feeProportionalMillionths: 11_000,
      cltvExpiryDelta: 34,
    });
    let enabled = 0;
    for (let directionIndex = 0; directionIndex < graph.channelCount * 2; directionIndex++)
      if (graph.policy(directionIndex)!.enabled) enabled++;
    expect(enabled).toBe(65_810);
  });
});

describeNeeding('snapshot', existsSync(FILE), 'the 2026-02-03 snapshot through a gossip_store', () => {
  it('is the same graph', () => {
    const snapshot = readCompressedSnapshot(FILE);
    const loader = new GossipStoreLoader(new ChannelGraph());
    let rest = new Uint8Array(0);
    for (const block of expandToGossipStore(snapshot)) {
      const bytes = Buffer.concat([rest, block]);
      rest = bytes.subarray(loader.apply(bytes, bytes.length));
    }
    expect([loader.problem, loader.offset, rest.length]).toEqual([undefined, 38_918_975, 0]);
    expect(picture(loader.graph)).toEqual(picture(snapshotToGraph(snapshot)));
  });
});

describe('a compressed snapshot', () => {
  it('reads a tiny file, units corrected or exact', () => {
    const snapshot = parseCompressedSnapshot(pack(TINY));
    // key(0) > key(1) and key(0) > key(2): file direction 1 is channel direction 0 in both channels.
    const maxima = (options: SnapshotOptions) => {
      const graph = snapshotToGraph(snapshot, options);
      return [0, 1, 2, 3].map((directionIndex) => graph.policy(directionIndex)!.htlcMaximumMsat);
    };
    expect(maxima({})).toEqual([990_000n, 1_000_000n, 70_000_000n, 300n]);
    expect(maxima({ exactUnits: true })).toEqual([990n, 1000n, 70_000n, 300n]);
    const graph = snapshotToGraph(snapshot);
    expect([0, 1].map((c) => graph.shortChannelIds[c])).toEqual([1n << 16n, (1n << 40n) | (2n << 16n) | 1n]);
    expect([0, 1, 2, 3].map((directionIndex) => graph.policy(directionIndex)!.enabled)).toEqual([
      true,
      true,
      false,
      true,
    ]);
    expect(graph.policy(1)).toMatchObject({ htlcMinimumMsat: 0n, feeBaseMsat: 0, cltvExpiryDelta: 40 });
    expect(graph.policy(0)).toMatchObject({
      htlcMinimumMsat: 7n,
      feeBaseMsat: 9,
      feeProportionalMillionths: 8,
    });
  });

  it('gives mapped nodes their ids', () => {
    const graph = snapshotToGraph(parseCompressedSnapshot(pack(TINY)), { nodeMap: new Map([[1, MAPPED]]) });
    expect(graph.nodeId(1)).toBe(MAPPED);
  });

  it('refuses two nodes with the same id', () => {
    const first = snapshotToGraph(parseCompressedSnapshot(pack(TINY))).nodeId(0);
    const nodeMap = new Map<number, NodeId>([[1, first]]);
    expect(() => snapshotToGraph(parseCompressedSnapshot(pack(TINY)), { nodeMap })).toThrow(
      'snapshot: node 1 has the same id as another node',
    );
  });

  it.each([
    ['no gzip', Buffer.from('hello'), /not a gzip stream/],
    ['other content', gzipSync(Buffer.from('hello')), /the magic is missing/],
    ['nothing after the magic', pack([]), /cut short in channel count at offset 19/],
    ['a count beyond the size', pack([0xfe, 0xff, 0xff, 0xff, 0xff]), /channel count 4294967295 exceeds 0/],
    ['bytes left over', pack([...TINY, 0]), /1 bytes left over/],
    ['a node joined with itself', pack(TINY.with(3, 0)), /channel 0 connects node 0 to itself/],
    ['a node index beyond the ends', pack(TINY.with(3, 4)), /node index 4 is not below 4/],
    ['a direction disabled twice', pack(TINY.toSpliced(5, 1, 3, 3)), /disabled direction 3 appears twice/],
    ['a direction beyond the channels', pack(TINY.with(5, 9)), /disabled direction 9 exceeds 4/],
    ['a longer form than needed', pack(TINY.with(9, 0).with(10, 5)), /capacity is not the shortest bigsize/],
  ])('refuses %s', (_, bytes, message) => {
    expect(() => parseCompressedSnapshot(bytes)).toThrow(FulguriteError);
    expect(() => parseCompressedSnapshot(bytes)).toThrow(message);
  });

  it('is refused if cut short anywhere, with the offset', () => {
    for (let length = 0; length < TINY.length; length++) {
      expect(() => parseCompressedSnapshot(pack(TINY.slice(0, length)))).toThrow(/at offset \d+/);
    }
  });

  it('any other bytes yield a graph or a typed error', () => {
    fc.assert(
      fc.property(
        fc.nat(TINY.length - 1),
        fc.nat(255),
        fc.nat(TINY.length - 1),
        fc.nat(255),
        (i, a, j, b) => {
          try {
            snapshotToGraph(parseCompressedSnapshot(pack(TINY.with(i, a).with(j, b))));
          } catch (error) {
            expect(error).toBeInstanceOf(FulguriteError);
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});
