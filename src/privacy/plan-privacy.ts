/**
 * How well the routes of a plan hide sender and recipient from a single forwarding node. Each forwarding node can infer
 * a set of possible recipients and a set of possible senders. The node before the recipient infers the smallest set of
 * recipients, because each of its candidates is also a candidate for all earlier nodes. The first forwarding node
 * infers the smallest set of senders.
 */
import type { ChannelGraph } from '../model/channel-graph.ts';
import type { ShortChannelId } from '../model/short-channel-id.ts';
import { passableOf } from './passable.ts';
import { possibleRecipients } from './possible-recipients.ts';
import { possibleSenders } from './possible-senders.ts';
import { sightingAt } from './sighting.ts';

/**
 * Numbers of blocks that payments commonly leave to the recipient: 18 (default of BOLT 11, and of Core Lightning), 22
 * (xkeysend of Core Lightning, and keysend of its earlier releases), 24 and 42 (LDK), 30 (Eclair), 40 and 80 (LND).
 */
export const COMMON_FINAL_BLOCKS: readonly number[] = [18, 22, 24, 30, 40, 42, 80];

/** One hop of a plan. `blocks` is the number of blocks that remain until expiry when the HTLC crosses the hop. */
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
 * @param hops all hops of the route, in order
 * @param finalBlocks the recipient's final blocks, which the observer considers in addition to the common ones
 * @returns undefined if no node forwards
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
    // A node behind an unannounced channel rarely forwards, so the observer takes it for the end of the route. It is
    // then the only candidate.
    recipients: isPublic(last)
      ? possibleRecipients(passable, sightingAt(route, last), finals).nodes.length
      : 1,
    senders: isPublic(1) ? possibleSenders(passable, sightingAt(route, 1)).length : 1,
  };
}
