/** One of our own channels, as whatever network stands behind us reports it and as routing needs it. */
import type { Msat } from './msat.ts';
import type { NodeId } from './node-id.ts';
import type { PolicyTerms } from './policy.ts';
import type { ShortChannelId } from './short-channel-id.ts';

/** One of our channels, as of now. */
export interface OwnChannel {
  readonly peerId: NodeId;
  /** The real id or, before there is one, our local alias; a channel without either cannot be routed over. */
  readonly shortChannelId: ShortChannelId | undefined;
  readonly capacityMsat: Msat;
  /** What we could send, or receive, in one more HTLC: reserve, fees and HTLCs in flight taken off. */
  readonly spendableMsat: Msat;
  readonly receivableMsat: Msat;
  /** Limits on the sum of HTLCs in flight: the peer's on ours, ours on the peer's. */
  readonly theirMaxInFlightMsat: Msat;
  readonly ourMaxInFlightMsat: Msat;
  /** Peer connected and the channel in normal operation (a splice under way counts). */
  readonly usable: boolean;
  /** Our policy for what leaves us, and the policy of the peer for what comes to us, once the peer told it. */
  readonly localPolicy: PolicyTerms | undefined;
  readonly remotePolicy: PolicyTerms | undefined;
  /** The opener pays the commitment transaction's fee, at this rate in sat per 1000 weight. */
  readonly openedByUs: boolean;
  readonly feeratePerKw: number;
}
