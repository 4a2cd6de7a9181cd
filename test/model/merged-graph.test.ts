/**
 * Several graphs merged into one: the channels of all of them, with the newest policy of each direction and the
 * newest announcement of each node.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { snapshotNodeIds } from '../../src/gossip/node-keys.ts';
import { ChannelGraph } from '../../src/model/channel-graph.ts';
import { mergedGraph } from '../../src/model/graph/merged-graph.ts';
import { msat } from '../../src/model/msat.ts';

const NODES = 6;
const IDS = snapshotNodeIds(NODES);
const idOf = (node: number): Uint8Array => IDS.subarray(33 * node, 33 * (node + 1));

interface Said {
  readonly scid: number;
  readonly direction: 0 | 1;
  readonly timestamp: number;
  readonly fee: number;
}

/** A graph with these policies. The id of a channel determines its ends, as on the chain. */
function graphOf(said: readonly Said[]): ChannelGraph {
  const graph = new ChannelGraph();
  for (const { scid, direction, timestamp, fee } of said) {
    let channel = graph.channelIndex(BigInt(scid));
    if (channel < 0) {
      const ends = [scid % NODES, (scid + 1 + (scid % (NODES - 1))) % NODES];
      const [node1, node2] = ends.sort((a, b) => Buffer.compare(idOf(a), idOf(b)));
      channel = graph.addChannel(
        BigInt(scid),
        graph.internNode(idOf(node1!)),
        graph.internNode(idOf(node2!)),
        1000n,
      );
    }
    const known = graph.policy(2 * channel + direction);
    if (known !== undefined && known.timestamp >= timestamp) continue;
    graph.setPolicy(channel, direction, {
      ...{ enabled: fee % 2 === 0, htlcMinimumMsat: msat(0), htlcMaximumMsat: msat(1000), timestamp },
      ...{ feeBaseMsat: fee, feeProportionalMillionths: 1, cltvExpiryDelta: 40 },
    });
  }
  return graph;
}

const said = fc.array(
  fc.record({
    scid: fc.integer({ min: 1, max: 8 }),
    direction: fc.constantFrom(0 as const, 1 as const),
    timestamp: fc.integer({ min: 1, max: 1_000_000 }),
    fee: fc.nat(1000),
  }),
  { maxLength: 20 },
);

test('equals the graph that has received everything', () => {
  fc.assert(
    fc.property(fc.array(said, { minLength: 1, maxLength: 4 }), (all) => {
      // With equal timestamps, either policy may win.
      const times = all.flat().map(({ timestamp }) => timestamp);
      fc.pre(new Set(times).size === times.length);
      const merged = mergedGraph(all.map(graphOf));
      const whole = graphOf(all.flat());
      expect(merged.channelCount).toBe(whole.channelCount);
      for (let channel = 0; channel < whole.channelCount; channel++) {
        const at = merged.channelIndex(whole.shortChannelIds[channel]!);
        expect(merged.nodeId(merged.node1[at]!)).toBe(whole.nodeId(whole.node1[channel]!));
        expect(merged.nodeId(merged.node2[at]!)).toBe(whole.nodeId(whole.node2[channel]!));
        for (const direction of [0, 1]) {
          expect(merged.policy(2 * at + direction)).toEqual(whole.policy(2 * channel + direction));
        }
      }
    }),
  );
});

test('includes announcements and dying channels', () => {
  const [a, b] = [
    graphOf([{ scid: 1, direction: 0, timestamp: 1, fee: 0 }]),
    graphOf([{ scid: 2, direction: 1, timestamp: 1, fee: 0 }]),
  ];
  const says = (alias: number, timestamp: number) => ({
    ...{ timestamp, alias: Uint8Array.of(alias), color: new Uint8Array(3), features: new Uint8Array(0) },
    addresses: new Uint8Array(0),
  });
  const id = a.nodeId(0);
  a.setAnnouncement(0, says(1, 5));
  const same = b.internNode(Buffer.from(id, 'hex'));
  b.setAnnouncement(same, says(2, 6));
  b.setDying(0);
  const merged = mergedGraph([a, b]);
  expect(merged.announcements.get(merged.nodeIndex(id))?.alias).toEqual(Uint8Array.of(2));
  expect([...merged.dyingChannels]).toEqual([2n]);
});
