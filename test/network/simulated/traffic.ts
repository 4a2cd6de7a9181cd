/**
 * Random traffic over a simulated network. Routes are found breadth first on the graph, amounts are drawn over six
 * orders of magnitude, and nothing is learned. The purpose is to provoke failures.
 */
import { type ChannelGraph, POLICY_ENABLED } from '../../../src/model/channel-graph.ts';
import type { ShortChannelId } from '../../../src/model/short-channel-id.ts';
import type { InProcessPort } from '../../../src/network/simulated/index.ts';
import { type BuiltAttempt, buildAttempt, type RouteHop } from './payer.ts';

const FINAL_DELTA = 42;

/** For each node, the direction that leads towards the destination in the fewest hops, or -1 if none does. */
function slotsTowards(graph: ChannelGraph, destination: number, random: () => number): Int32Array {
  const next = new Int32Array(graph.nodeCount).fill(-1);
  const queue = [destination];
  const seen = new Set(queue);
  for (let node = queue.shift(); node !== undefined; node = queue.shift()) {
    const channels = [...graph.channelsOf(node)].sort(() => random() - 0.5);
    for (const channel of channels) {
      const [from, directionIndex] =
        graph.node1[channel] === node
          ? [graph.node2[channel]!, 2 * channel + 1]
          : [graph.node1[channel]!, 2 * channel];
      if (seen.has(from) || (graph.policyFlags[directionIndex]! & POLICY_ENABLED) === 0) continue;
      seen.add(from);
      next[from] = directionIndex;
      queue.push(from);
    }
  }
  return next;
}

/** A keysend to a random node over a route that the graph allows. `undefined` if there is none. */
export function randomAttempt(
  graph: ChannelGraph,
  port: InProcessPort,
  attemptId: string,
  random: () => number,
): BuiltAttempt | undefined {
  const destination = Math.floor(random() * graph.nodeCount);
  const next = slotsTowards(graph, destination, random);
  const own = port.ownChannels().channels;
  const first = own[Math.floor(random() * own.length)]!;
  const directionIndexes: number[] = [];
  let node = graph.nodeIndex(first.peerId);
  while (node !== destination && next[node] !== -1 && directionIndexes.length < 18) {
    const directionIndex = next[node]!;
    directionIndexes.push(directionIndex);
    node = (directionIndex & 1) === 0 ? graph.node2[directionIndex >> 1]! : graph.node1[directionIndex >> 1]!;
  }
  if (node !== destination) return undefined;
  let amountMsat = BigInt(Math.floor(10 ** (3 + 6 * random())));
  let cltvExpiry = port.blockHeight() + FINAL_DELTA;
  const route: RouteHop[] = [];
  for (const directionIndex of directionIndexes.reverse()) {
    const target =
      (directionIndex & 1) === 0 ? graph.node2[directionIndex >> 1]! : graph.node1[directionIndex >> 1]!;
    const shortChannelId = graph.shortChannelIds[directionIndex >> 1]! as ShortChannelId;
    route.unshift({ nodeId: graph.nodeId(target), shortChannelId, amountMsat, cltvExpiry });
    amountMsat +=
      BigInt(graph.feeBaseMsat[directionIndex]!) +
      (amountMsat * BigInt(graph.feeProportionalMillionths[directionIndex]!)) / 1_000_000n;
    cltvExpiry += graph.cltvExpiryDelta[directionIndex]!;
  }
  route.unshift({
    nodeId: first.peerId,
    shortChannelId: first.shortChannelId as ShortChannelId,
    amountMsat,
    cltvExpiry,
  });
  return buildAttempt(attemptId, route);
}
