/** A payment of others that our node forwarded and that was settled. */
import type { Msat } from './msat.ts';
import type { ShortChannelId } from './short-channel-id.ts';

/** By which of our channels it came and left. The difference of both amounts is our fee. */
export interface Forward {
  readonly in: ShortChannelId;
  readonly out: ShortChannelId;
  readonly inMsat: Msat;
  readonly outMsat: Msat;
}
