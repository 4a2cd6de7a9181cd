/**
 * Our own dying channels are not used: if a channel was spliced, the node already reports the new channel
 * instead of the old. Other nodes' dying channels are used until they are gone.
 *
 *     0 ==A,B== 1      2 --C-- 3        we are 0; the fundings of A and C are spent
 */
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openGraph } from '../../../src/cli/daemon/open-graph.ts';
import { GossipStoreLoader } from '../../../src/gossip/gossip-store-loader.ts';
import { ChannelGraph } from '../../../src/model/channel-graph.ts';
import { nodeIdFromBytes } from '../../../src/model/node-id.ts';
import { disableDying, type NodeLink } from '../../../src/network/cln/index.ts';
import * as store from '../../gossip/store-builder.ts';
import { temporaryDirectory } from '../../rpc/support.ts';

const directory = temporaryDirectory();
afterAll(() => directory.remove());

const [A, B, C] = [1n << 40n, 2n << 40n, 3n << 40n];
const ignore = (): void => undefined;
const LOG = { debug: ignore, info: ignore, unusual: ignore, broken: ignore };
const US = nodeIdFromBytes(store.IDS[0]!);
const both = (scid: bigint, timestamp = 1): Buffer[] =>
  ([0, 1] as const).map((direction) => store.update(scid, { direction, timestamp }));
const CHANNELS = [
  store.version(),
  store.uuid(1),
  ...[store.channel(A, 0, 1, 1000), store.channel(B, 0, 1, 1000), store.channel(C, 2, 3, 1000)],
  ...[A, B, C].flatMap((scid) => both(scid)),
];

/** Which directions of A, B and C are enabled. */
const enabled = (graph: ChannelGraph): boolean[][] =>
  [A, B, C].map((scid) =>
    [0, 1].map((direction) => graph.policy(graph.channelIndex(scid) * 2 + direction)!.enabled),
  );
const ALL = [true, true];
const NONE = [false, false];

test('a channel is dying if a record or the flag of its announcement says so', () => {
  const graph = new ChannelGraph(0, 0);
  const loader = new GossipStoreLoader(graph);
  const flagged = store.channel(A, 0, 1, 1000);
  flagged[0]! |= 0x08;
  const bytes = Buffer.concat([store.version(), flagged, store.channel(B, 0, 1, 1000), store.dying(B)]);
  expect(loader.apply(bytes, bytes.length)).toBe(bytes.length);
  expect([...graph.dyingChannels]).toEqual([A, B]);
  graph.removeChannel(graph.channelIndex(A));
  expect([...graph.dyingChannels]).toEqual([B]);
  const other = new ChannelGraph(0, 0);
  other.adopt(graph);
  expect([...other.dyingChannels]).toEqual([B]);
});

test('a graph without our node is unchanged', () => {
  const graph = new ChannelGraph(0, 0);
  const bytes = Buffer.concat([...CHANNELS, store.dying(A)]);
  new GossipStoreLoader(graph).apply(bytes, bytes.length);
  disableDying(graph, nodeIdFromBytes(store.IDS[9]!));
  expect(enabled(graph)).toEqual([ALL, ALL, ALL]);
});

test('the graph beside a node never enables our dying channels, even after later updates', async () => {
  const path = join(directory.path, 'gossip_store');
  writeFileSync(path, Buffer.concat([...CHANNELS, store.dying(A)]));
  const link = { facts: { directory: directory.path, nodeId: US } } as NodeLink;
  const source = await openGraph({ graph: 'node', seed: 1n, exactUnits: false }, { kind: 'cln', link }, LOG);
  try {
    const { graph } = source;
    expect(enabled(graph)).toEqual([NONE, ALL, ALL]);
    let onChange = (): void => undefined;
    source.follow(() => onChange());
    const changed = async (...records: Buffer[]): Promise<void> => {
      const told = new Promise<void>((resolve) => {
        onChange = resolve;
      });
      appendFileSync(path, Buffer.concat(records));
      await told;
    };
    await changed(...both(A, 2), store.dying(C));
    expect(enabled(graph)).toEqual([NONE, ALL, ALL]);
    await changed(store.dying(B));
    expect(enabled(graph)).toEqual([NONE, NONE, ALL]);
  } finally {
    await source.stop();
  }
});
