/** What the node forwarded for others, by its `ForwardingHistory`. Only what was settled is listed there. */

import { msat } from '../../model/msat.ts';
import type { SettledForward } from '../../model/own-channel.ts';
import type { ShortChannelId } from '../../model/short-channel-id.ts';
import type { LndLink } from './node-link.ts';

/** Rows of one page. LND sends up to 50,000. */
const PAGE = 10_000;
const MAX_PAGES = 50;

interface ForwardingPage {
  readonly forwarding_events?: readonly {
    readonly chan_id_in: string;
    readonly chan_id_out: string;
    readonly amt_in_msat: string;
    readonly amt_out_msat: string;
  }[];
  readonly last_offset_index?: number;
}

/**
 * Forwards since this time, UNIX seconds.
 * @throws FulguriteError nodeAway; notSupported when the macaroon does not permit ForwardingHistory
 */
export async function lndForwards(link: LndLink, sinceS: number): Promise<SettledForward[]> {
  const found: SettledForward[] = [];
  for (let pages = 0, offset = 0; pages < MAX_PAGES; pages++) {
    const request = {
      start_time: String(Math.floor(sinceS)),
      index_offset: offset,
      num_max_events: PAGE,
    };
    const { forwarding_events: events = [], last_offset_index: last = 0 } = await link.call<ForwardingPage>(
      'ForwardingHistory',
      request,
    );
    for (const { chan_id_in, chan_id_out, amt_in_msat, amt_out_msat } of events) {
      found.push({
        in: BigInt(chan_id_in) as ShortChannelId,
        out: BigInt(chan_id_out) as ShortChannelId,
        inMsat: msat(BigInt(amt_in_msat)),
        outMsat: msat(BigInt(amt_out_msat)),
      });
    }
    if (events.length < PAGE) break;
    offset = last;
  }
  return found;
}
