/** Random numbers from a seed, and random ends of queries on a graph. */
import type { ChannelGraph } from '../../src/model/channel-graph.ts';
import type { NodeId } from '../../src/model/node-id.ts';

/** Uniform numbers in [0, 1) from a seed (mulberry32). */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * Draws either any node or the end of any channel. Many nodes have no enabled channel, and few have hundreds.
 */
export function randomNode(graph: ChannelGraph, random: () => number): NodeId {
  if (random() < 0.2) return graph.nodeId(Math.floor(random() * graph.nodeCount));
  const ends = random() < 0.5 ? graph.node1 : graph.node2;
  return graph.nodeId(ends[Math.floor(random() * graph.channelCount)]!);
}
