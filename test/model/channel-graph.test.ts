import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type AnnouncedNode,
  ChannelGraph,
  type ChannelPolicy,
  POLICY_ENABLED,
  POLICY_KNOWN,
} from '../../src/model/channel-graph.ts';
import { msat, U64_MAX } from '../../src/model/msat.ts';
import { type NodeId, nodeIdToBytes, parseNodeId } from '../../src/model/node-id.ts';
import type { Direction } from '../../src/model/short-channel-id.ts';

/** Node ids in ascending order: id(0) < id(1) < … */
const id = (n: number): NodeId => parseNodeId(`02${n.toString(16).padStart(64, '0')}`)!;

const announcement = (timestamp: number): AnnouncedNode => ({
  timestamp,
  alias: new Uint8Array(32),
  color: new Uint8Array(3),
  features: new Uint8Array(0),
  addresses: new Uint8Array(0),
});

const POLICY: ChannelPolicy = {
  enabled: true,
  htlcMinimumMsat: msat(1n),
  htlcMaximumMsat: msat(U64_MAX),
  feeBaseMsat: 0xffff_ffff,
  feeProportionalMillionths: 0xffff_fffe,
  cltvExpiryDelta: 0xffff,
  timestamp: 0xffff_fffd,
  messageFlags: 1,
  channelFlags: 0,
};

/** The reference: the same graph, stored in plain maps of objects. */
interface Reference {
  readonly nodes: Map<NodeId, number>;
  readonly channels: Map<
    bigint,
    {
      readonly ends: readonly [NodeId, NodeId];
      readonly capacityMsat: bigint;
      readonly features: string;
      readonly policies: [ChannelPolicy | undefined, ChannelPolicy | undefined];
    }
  >;
  readonly announcements: Map<NodeId, AnnouncedNode>;
}

/** The content of a graph, in the form of the reference. */
function contents(graph: ChannelGraph): Reference {
  const nodes = new Map<NodeId, number>();
  for (let node = 0; node < graph.nodeCount; node++) {
    if (graph.nodeDegree[node]! > 0) nodes.set(graph.nodeId(node), graph.nodeDegree[node]!);
  }
  const channels: Reference['channels'] = new Map();
  for (let channel = 0; channel < graph.channelCount; channel++) {
    channels.set(graph.shortChannelIds[channel]!, {
      ends: [graph.nodeId(graph.node1[channel]!), graph.nodeId(graph.node2[channel]!)],
      capacityMsat: graph.capacityMsat[channel]!,
      features: Buffer.from(graph.channelFeatures.get(channel) ?? []).toString('hex'),
      policies: [graph.policy(channel * 2), graph.policy(channel * 2 + 1)],
    });
  }
  const announcements = new Map([...graph.announcements].map(([node, value]) => [graph.nodeId(node), value]));
  return { nodes, channels, announcements };
}

/** The channels of each node, found by walking all channels. */
function channelsByNode(reference: Reference): Map<NodeId, bigint[]> {
  const result = new Map<NodeId, bigint[]>();
  for (const [scid, { ends }] of reference.channels) {
    for (const end of ends) result.set(end, [...(result.get(end) ?? []), scid]);
  }
  return result;
}

const policyArbitrary = fc.record({
  enabled: fc.boolean(),
  htlcMinimumMsat: fc.bigInt(0n, U64_MAX).map(msat),
  htlcMaximumMsat: fc.bigInt(0n, U64_MAX).map(msat),
  feeBaseMsat: fc.nat(0xffff_ffff),
  feeProportionalMillionths: fc.nat(0xffff_ffff),
  cltvExpiryDelta: fc.nat(0xffff),
  timestamp: fc.nat(0xffff_ffff),
  messageFlags: fc.nat(255),
  channelFlags: fc.nat(255),
});

const operation = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      op: fc.constant('add' as const),
      scid: fc.bigInt(0n, 40n).map((n) => n * 0x1_0000_0000_0001n),
      a: fc.nat(12),
      b: fc.nat(12),
      capacityMsat: fc.bigInt(0n, U64_MAX),
      features: fc.uint8Array({ maxLength: 2 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      op: fc.constant('set' as const),
      pick: fc.nat(),
      direction: fc.constantFrom<Direction>(0, 1),
      policy: policyArbitrary,
    }),
  },
  { weight: 3, arbitrary: fc.record({ op: fc.constant('remove' as const), pick: fc.nat() }) },
  {
    weight: 1,
    arbitrary: fc.record({ op: fc.constant('announce' as const), pick: fc.nat(), at: fc.nat(9) }),
  },
);

type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never;

/** Applies one operation to both graphs. Invalid operations are skipped on both. */
function apply(graph: ChannelGraph, reference: Reference, step: Operation): void {
  if (step.op === 'add') {
    if (step.a === step.b || reference.channels.has(step.scid)) return;
    const ends: [NodeId, NodeId] = [id(Math.min(step.a, step.b)), id(Math.max(step.a, step.b))];
    const [node1, node2] = ends.map((end) => graph.internNode(nodeIdToBytes(end))) as [number, number];
    graph.addChannel(step.scid, node1, node2, step.capacityMsat, step.features);
    reference.channels.set(step.scid, {
      ends,
      capacityMsat: step.capacityMsat,
      features: Buffer.from(step.features).toString('hex'),
      policies: [undefined, undefined],
    });
    for (const end of ends) reference.nodes.set(end, (reference.nodes.get(end) ?? 0) + 1);
    return;
  }
  const scids = [...reference.channels.keys()];
  if (scids.length === 0) return;
  const scid = scids[step.pick % scids.length]!;
  const index = graph.channelIndex(scid);
  const channel = reference.channels.get(scid)!;
  if (step.op === 'set') {
    graph.setPolicy(index, step.direction, step.policy);
    channel.policies[step.direction] = step.policy;
  } else if (step.op === 'announce') {
    graph.setAnnouncement(graph.nodeIndex(channel.ends[0]), announcement(step.at));
    reference.announcements.set(channel.ends[0], announcement(step.at));
  } else {
    graph.removeChannel(index);
    reference.channels.delete(scid);
    for (const end of channel.ends) {
      const degree = reference.nodes.get(end)! - 1;
      if (degree > 0) reference.nodes.set(end, degree);
      else reference.nodes.delete(end);
      if (degree === 0) reference.announcements.delete(end);
    }
  }
}

describe('ChannelGraph', () => {
  it('agrees with plain maps under random additions, policies and removals', () => {
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 150 }), (steps) => {
        const graph = new ChannelGraph(0, 0);
        const reference: Reference = { nodes: new Map(), channels: new Map(), announcements: new Map() };
        for (const step of steps) apply(graph, reference, step);
        expect(contents(graph)).toEqual(reference);
        const byNode = channelsByNode(reference);
        for (let node = 0; node < graph.nodeCount; node++) {
          const listed = [...graph.channelsOf(node)].map((channel) => graph.shortChannelIds[channel]!);
          expect(listed.sort()).toEqual((byNode.get(graph.nodeId(node)) ?? []).sort());
        }
        for (let n = 0n; n <= 40n; n++) {
          const scid = n * 0x1_0000_0000_0001n;
          expect(graph.channelIndex(scid) === -1).toBe(!reference.channels.has(scid));
        }
      }),
      { numRuns: 300 },
    );
  });

  it('keeps extreme values exactly', () => {
    const graph = new ChannelGraph();
    const [a, b] = [graph.internNode(nodeIdToBytes(id(1))), graph.internNode(nodeIdToBytes(id(2)))];
    const channel = graph.addChannel(U64_MAX, a, b, U64_MAX);
    graph.setPolicy(channel, 1, POLICY);
    expect(graph.policy(1)).toEqual(POLICY);
    expect(graph.policy(0)).toBeUndefined();
    expect(graph.policyFlags[1]).toBe(POLICY_KNOWN | POLICY_ENABLED);
    expect(graph.channelIndex(U64_MAX)).toBe(channel);
    expect(graph.channelIndex(U64_MAX + 1n + U64_MAX)).toBe(-1);
  });

  it('derives flags that a policy leaves out', () => {
    const graph = new ChannelGraph();
    const [a, b] = [graph.internNode(nodeIdToBytes(id(1))), graph.internNode(nodeIdToBytes(id(2)))];
    const channel = graph.addChannel(1n, a, b, 0n);
    const { timestamp: _, messageFlags: __, channelFlags: ___, ...bare } = POLICY;
    graph.setPolicy(channel, 1, { ...bare, enabled: false });
    expect(graph.policy(1)).toEqual({
      ...POLICY,
      enabled: false,
      timestamp: 0,
      messageFlags: 1,
      channelFlags: 3,
    });
  });

  it('counts versions, and versions of the topology separately', () => {
    const graph = new ChannelGraph();
    const [a, b] = [graph.internNode(nodeIdToBytes(id(1))), graph.internNode(nodeIdToBytes(id(2)))];
    expect([graph.topologyVersion, graph.version]).toEqual([0, 0]);
    const channel = graph.addChannel(1n, a, b, 0n);
    expect([graph.topologyVersion, graph.version]).toEqual([1, 1]);
    graph.setPolicy(channel, 0, POLICY);
    graph.setAnnouncement(a, announcement(1));
    expect([graph.topologyVersion, graph.version]).toEqual([1, 3]);
    graph.removeChannel(channel);
    expect([graph.topologyVersion, graph.version]).toEqual([2, 4]);
  });

  it('adopts a different graph, with greater versions', () => {
    const [graph, other, same] = [new ChannelGraph(), new ChannelGraph(), new ChannelGraph()];
    for (const target of [graph, other, same]) {
      for (let n = 0; n < (target === graph ? 4 : 3); n++) target.internNode(nodeIdToBytes(id(n)));
      target.addChannel(target === graph ? 1n : 2n, 0, target === graph ? 3 : 1, 5n, Uint8Array.of(1));
    }
    expect([...graph.channelsOf(3)]).toEqual([0]);
    const [version, topologyVersion] = [graph.version, graph.topologyVersion];
    graph.adopt(other);
    expect(contents(graph)).toEqual(contents(same));
    expect([graph.channelIndex(1n), graph.channelIndex(2n), graph.nodeIndex(id(3))]).toEqual([-1, 0, -1]);
    expect([...graph.channelsOf(1)]).toEqual([0]);
    expect(graph.version).toBeGreaterThan(version);
    expect(graph.topologyVersion).toBeGreaterThan(topologyVersion);
  });

  it('refuses invalid changes, and stays unchanged', () => {
    const graph = new ChannelGraph();
    const [a, b] = [graph.internNode(nodeIdToBytes(id(1))), graph.internNode(nodeIdToBytes(id(2)))];
    graph.addChannel(7n, a, b, 1000n);
    const before = contents(graph);
    const refused = [
      () => graph.addChannel(7n, a, b, 1000n),
      () => graph.addChannel(8n, b, a, 1000n),
      () => graph.addChannel(8n, a, a, 1000n),
      () => graph.addChannel(8n, a, 2, 1000n),
      () => graph.addChannel(-1n, a, b, 1000n),
      () => graph.addChannel(U64_MAX + 1n, a, b, 1000n),
      () => graph.addChannel(8n, a, b, U64_MAX + 1n),
      () => graph.removeChannel(1),
      () => graph.setPolicy(1, 0, POLICY),
      () => graph.setAnnouncement(2, announcement(1)),
      () => graph.internNode(new Uint8Array(32)),
      () => graph.nodeId(2),
    ];
    for (const attempt of refused) expect(attempt).toThrow(RangeError);
    expect(contents(graph)).toEqual(before);
    expect(graph.version).toBe(1);
  });

  it('finds 30,000 nodes and channels again after growing', () => {
    const graph = new ChannelGraph(0, 0);
    const N = 30_000;
    for (let n = 0; n < N; n++) graph.internNode(nodeIdToBytes(id(n)));
    for (let n = 1; n < N; n++) graph.addChannel(BigInt(n) << 20n, n - 1, n, BigInt(n));
    const nodes = Array.from({ length: N }, (_, n) => graph.nodeIndex(id(n)));
    expect(nodes).toEqual(nodes.map((_, n) => n));
    const channels = Array.from({ length: N - 1 }, (_, n) => graph.channelIndex(BigInt(n + 1) << 20n));
    expect(channels).toEqual(channels.map((_, n) => n));
    expect(graph.nodeIndex(id(N))).toBe(-1);
    expect(graph.channelIndex(1n)).toBe(-1);
  });
});
