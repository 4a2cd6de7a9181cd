/** Random changes to a graph, as in gossip, and the content of a graph independent of its indexes. */
import type { ChannelGraph } from '../../src/model/channel-graph.ts';
import type { Direction } from '../../src/model/short-channel-id.ts';

/** Random integers in [0, `n`) (mulberry32). */
export function randomFrom(seed: number): (n: number) => number {
  let state = seed >>> 0;
  return (n) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * n);
  };
}

/**
 * Announces, updates or closes a channel, or announces it again with a different capacity. @param step
 * increases with each call, and serves as the time
 */
export function changeAtRandom(graph: ChannelGraph, random: (n: number) => number, step: number): void {
  const channel = random(graph.channelCount);
  switch (random(8)) {
    case 0: {
      const fresh = Uint8Array.of(2, ...new Array(28).fill(7), 1, step >> 16, (step >> 8) & 255, step & 255);
      const ends = [graph.internNode(fresh), random(graph.nodeCount - 1)];
      const [low, high] = graph.nodeId(ends[0]!) < graph.nodeId(ends[1]!) ? ends : ends.toReversed();
      if (low === high) return;
      const features = step % 2 === 0 ? undefined : Uint8Array.of(step & 255);
      const added = graph.addChannel(
        (BigInt(900_000 + step) << 40n) | 1n,
        low!,
        high!,
        BigInt(step + 1) * 1_000n,
        features,
      );
      update(graph, added, random, step);
      return;
    }
    case 1:
      graph.removeChannel(channel);
      return;
    case 2: {
      const scid = graph.shortChannelIds[channel]!;
      const [node1, node2] = [graph.node1[channel]!, graph.node2[channel]!];
      graph.removeChannel(channel);
      graph.addChannel(scid, node1, node2, BigInt(step) * 7_000n);
      return;
    }
    case 3:
      graph.setDying(channel);
      return;
    case 4: {
      const word = Uint8Array.of(step & 255, step >> 8);
      const said = {
        timestamp: 2_000_000_000 + step,
        alias: word,
        color: word,
        features: word,
        addresses: word,
      };
      graph.setAnnouncement(graph.node1[channel]!, said);
      return;
    }
    default:
      update(graph, channel, random, step);
  }
}

function update(graph: ChannelGraph, channel: number, random: (n: number) => number, step: number): void {
  graph.setPolicy(
    channel,
    random(2) as Direction,
    {
      enabled: random(4) > 0,
      htlcMinimumMsat: BigInt(random(1000)),
      htlcMaximumMsat: 2n ** 63n + BigInt(random(1000)),
      feeBaseMsat: random(5000),
      feeProportionalMillionths: random(5000),
      cltvExpiryDelta: random(144),
      timestamp: 2_000_000_000 + step,
    } as never,
  );
}

/** The whole content of the graph, sorted, by ids instead of indexes. */
export function contentsOf(graph: ChannelGraph): string {
  const nodeOf = (node: number): string => graph.nodeId(node);
  const channels = Array.from({ length: graph.channelCount }, (_, channel) => ({
    scid: graph.shortChannelIds[channel]!,
    ends: [nodeOf(graph.node1[channel]!), nodeOf(graph.node2[channel]!)],
    capacityMsat: graph.capacityMsat[channel]!,
    policies: [graph.policy(2 * channel), graph.policy(2 * channel + 1)],
    features: graph.channelFeatures.get(channel),
    isDying: graph.dyingChannels.has(graph.shortChannelIds[channel]! as never),
  }));
  const said = [...graph.announcements]
    .filter(([node]) => graph.nodeDegree[node]! > 0)
    .map(([node, { timestamp, alias, color, features, addresses }]) => ({
      node: nodeOf(node),
      ...{ timestamp, alias, color, features, addresses },
    }));
  const lines = [...channels, ...said].map((one) => JSON.stringify(one, exactly));
  return lines.sort().join('\n');
}

const exactly = (_name: string, value: unknown): unknown => {
  if (typeof value === 'bigint') return `${value}`;
  return value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value;
};
