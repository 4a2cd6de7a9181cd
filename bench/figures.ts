/**
 * The value of an answer, whatever its source: its fee, and the probability that all its parts arrive.
 *
 * One formula applies to all. A channel of capacity c passes x with probability 1 − x / c, because its balance is
 * unknown. x is the sum over the parts that cross the channel in that direction. The probability P of the answer is the
 * product over the directions that it uses. It is given as −ln P in nats, because those can be added up.
 */
import type { RouteAnswer } from '../src/engine/question/route.ts';
import type { ChannelGraph } from '../src/model/channel-graph.ts';
import type { Direction } from '../src/model/short-channel-id.ts';

/** One part: what it delivers, what leaves the source, and what crosses each channel direction. */
export interface Part {
  readonly deliveredMsat: bigint;
  readonly sentMsat: bigint;
  readonly crossings: readonly Crossing[];
}

/** One direction of a channel, and the amount that crosses it. */
export interface Crossing {
  readonly shortChannelId: bigint;
  readonly direction: Direction;
  readonly amountMsat: bigint;
}

/** Fee and risk of an answer. */
export interface Figures {
  readonly feeMsat: number;
  readonly feePpm: number;
  /** −ln P. Infinite when the answer cannot succeed. */
  readonly riskNats: number;
  readonly parts: number;
}

/** The figures of the parts of an answer. */
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

/** The figures, or undefined for an answer that cannot succeed. */
export function possible(figures: Figures): Figures | undefined {
  return figures.riskNats < Number.POSITIVE_INFINITY ? figures : undefined;
}

/**
 * The parts of an answer. The amount sent is read from the first hop, so this works with and without
 * `auto.sourcefree`.
 */
export function partsOf(answer: RouteAnswer): Part[] {
  return answer.routes.map((route) => ({
    deliveredMsat: route.amountMsat,
    sentMsat: route.path[0]!.amountInMsat,
    crossings: route.path.map((hop) => ({ ...hop.shortChannelIdDir, amountMsat: hop.amountOutMsat })),
  }));
}
