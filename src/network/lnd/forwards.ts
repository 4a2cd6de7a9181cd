/** What the node forwarded for others, from its `ForwardingHistory`, which lists only settled forwards. */

import { msat } from '../../model/msat.ts';
import type { ListedForward, SettledForward } from '../../model/own-channel.ts';
import type { ShortChannelId } from '../../model/short-channel-id.ts';
import type { LndLink } from './node-link.ts';

/** Rows per page. LND sends up to 50,000. */
const PAGE = 10_000;
const MAX_PAGES = 50;

interface ForwardingPage {
  readonly forwarding_events?: readonly {
    readonly chan_id_in: string;
    readonly chan_id_out: string;
    readonly amt_in_msat: string;
    readonly amt_out_msat: string;
    readonly timestamp_ns: string;
  }[];
  readonly last_offset_index?: number;
}

type ForwardingEvent = NonNullable<ForwardingPage['forwarding_events']>[number];

/** LND interprets a start time of 0 as one day ago. */
const FROM_THE_BEGINNING = 1;

/**
 * The forwards settled since `sinceS` (UNIX seconds).
 * @throws LndError; FulguriteError nodeAway; notSupported when the macaroon does not permit ForwardingHistory
 */
export async function lndForwards(link: LndLink, sinceS: number): Promise<SettledForward[]> {
  const found: SettledForward[] = [];
  for await (const [event] of events(link, sinceS, 0)) found.push(forwardOf(event));
  return found;
}

/**
 * Forwards from index `start` on, in order of settlement.
 * @param start index of the first forward, counted from 1
 * @throws as `lndForwards`
 */
export async function lndForwardList(link: LndLink, start: number, limit: number): Promise<ListedForward[]> {
  const found: ListedForward[] = [];
  if (limit === 0) return found;
  for await (const [event, index] of events(link, FROM_THE_BEGINNING, start - 1, limit)) {
    const endedAtMs = Number(BigInt(event.timestamp_ns) / 1_000_000n);
    found.push({ ...forwardOf(event), index, endedAtMs });
    if (found.length === limit) break;
  }
  return found;
}

const forwardOf = ({
  chan_id_in,
  chan_id_out,
  amt_in_msat,
  amt_out_msat,
}: ForwardingEvent): SettledForward => ({
  in: BigInt(chan_id_in) as ShortChannelId,
  out: BigInt(chan_id_out) as ShortChannelId,
  inMsat: msat(BigInt(amt_in_msat)),
  outMsat: msat(BigInt(amt_out_msat)),
});

/** Yields the events since `sinceS` after skipping `offset` events. Each comes with its index, counted from 1. */
async function* events(
  link: LndLink,
  sinceS: number,
  offset: number,
  limit = Number.POSITIVE_INFINITY,
): AsyncGenerator<readonly [ForwardingEvent, number], void> {
  const most = Math.min(PAGE, limit);
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const start_time = String(Math.floor(sinceS));
    const request = { start_time, index_offset: offset, num_max_events: most };
    const answer = await link.call<ForwardingPage>('ForwardingHistory', request);
    const { forwarding_events: page = [], last_offset_index: last = 0 } = answer;
    for (const [at, event] of page.entries()) yield [event, offset + at + 1];
    if (page.length < most) return;
    offset = last;
  }
}
