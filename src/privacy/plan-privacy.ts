/**
 * How well the routes of a plan hide who pays whom from one forwarding node. Each such node explains what it sees by a
 * set of possible recipients and one of possible senders. The node before the recipient has the smallest set of
 * recipients, since what explains its sighting also explains those before it. The first forwarding node has the
 * smallest set of senders.
 */
import type { ChannelGraph } from '../model/channel-graph.ts';
import type { ShortChannelId } from '../model/short-channel-id.ts';
import { passableOf } from './passable.ts';
import { possibleRecipients } from './possible-recipients.ts';
import { possibleSenders } from './possible-senders.ts';
import { sightingAt } from './sighting.ts';

/**
 * Blocks that recipients commonly ask for at the end: 18 (default of BOLT 11, and Core Lightning), 22 (keysend of Core
 * Lightning), 24 and 42 (LDK), 30 (Eclair), 40 and 80 (LND).
 */
export const COMMON_FINAL_BLOCKS: readonly number[] = [18, 22, 24, 30, 40, 42, 80];

/** One hop of a plan. Blocks are those left when the HTLC crosses it. */
export interface PlannedHop {
  readonly shortChannelId: ShortChannelId;
  readonly direction: 0 | 1;
  readonly amountMsat: bigint;
  readonly blocks: number;
}

/** Sizes of the smallest sets that a forwarding node can infer. */
export interface RoutePrivacy {
  readonly recipients: number;
  readonly senders: number;
}

/**
 * @param hops from the sender's channel to the recipient's
 * @param finalBlocks what the recipient asks for, an observer's guess beside the common ones
 * @returns undefined where no node forwards
 */
export function routePrivacy(
  graph: ChannelGraph,
  hops: readonly PlannedHop[],
  finalBlocks: number,
): RoutePrivacy | undefined {
  if (hops.length < 2) return undefined;
  const passable = passableOf(graph);
  const directions = hops.map(({ shortChannelId, direction }) => {
    const channel = graph.channelIndex(shortChannelId);
    return channel < 0 ? -1 : 2 * channel + direction;
  });
  const route = {
    directions,
    amountsMsat: hops.map(({ amountMsat }) => amountMsat),
    expiries: hops.map(({ blocks }) => blocks),
  };
  const isPublic = (index: number): boolean => directions[index - 1]! >= 0 && directions[index]! >= 0;
  const last = hops.length - 1;
  const finals = [...COMMON_FINAL_BLOCKS, finalBlocks];
  return {
    // A node behind an unannounced channel rarely forwards, so it is the only candidate.
    recipients: isPublic(last)
      ? possibleRecipients(passable, sightingAt(route, last), finals).nodes.length
      : 1,
    senders: isPublic(1) ? possibleSenders(passable, sightingAt(route, 1)).length : 1,
  };
}
