/**
 * What an answer is worth, whoever gave it: its fee, and the probability that all its parts arrive.
 *
 * One formula for all: a channel of capacity c passes x with probability 1 − x / c (nothing is known of its
 * balance), x being the sum over the parts that cross it in that direction; the answer's probability is the
 * product over the directions it uses. Given as −ln P in nats, which adds up.
 */
import type { RouteAnswer } from '../src/engine/route.ts';
import type { ChannelGraph } from '../src/model/channel-graph.ts';
import type { Direction } from '../src/model/short-channel-id.ts';

/** One part: what it delivers, what leaves the source, and what crosses each channel direction. */
export interface Part {
  readonly deliveredMsat: bigint;
  readonly sentMsat: bigint;
  readonly crossings: readonly Crossing[];
}

export interface Crossing {
  readonly shortChannelId: bigint;
  readonly direction: Direction;
  readonly amountMsat: bigint;
}

export interface Figures {
  readonly feeMsat: number;
  readonly feePpm: number;
  /** −ln P; infinite when the answer cannot succeed. */
  readonly riskNats: number;
  readonly parts: number;
}

export function figuresOf(graph: ChannelGraph, parts: readonly Part[]): Figures {
  const crossed = new Map<bigint, { channel: number; amountMsat: bigint }>();
  let delivered = 0n;
  let sent = 0n;
  for (const part of parts) {
    delivered += part.deliveredMsat;
    sent += part.sentMsat;
    for (const { shortChannelId, direction, amountMsat } of part.crossings) {
      const key = shortChannelId * 2n + BigInt(direction);
      const before = crossed.get(key);
      const channel = before?.channel ?? graph.channelIndex(shortChannelId);
      crossed.set(key, { channel, amountMsat: (before?.amountMsat ?? 0n) + amountMsat });
    }
  }
  let riskNats = 0;
  for (const { channel, amountMsat } of crossed.values()) {
    const capacity = graph.capacityMsat[channel]!;
    riskNats -= amountMsat < capacity ? Math.log1p(-Number(amountMsat) / Number(capacity)) : -Infinity;
  }
  const feeMsat = Number(sent - delivered);
  return { feeMsat, feePpm: (feeMsat * 1e6) / Number(delivered), riskNats, parts: parts.length };
}

/** An answer that cannot succeed is none. */
export function possible(figures: Figures): Figures | undefined {
  return figures.riskNats < Number.POSITIVE_INFINITY ? figures : undefined;
}

/** The parts of an answer to a query under `auto.sourcefree` or not: the first hop says what is sent. */
export function partsOf(answer: RouteAnswer): Part[] {
  return answer.routes.map((route) => ({
    deliveredMsat: route.amountMsat,
    sentMsat: route.path[0]!.amountInMsat,
    crossings: route.path.map((hop) => ({ ...hop.shortChannelIdDir, amountMsat: hop.amountOutMsat })),
  }));
}
