/** One of our own channels, as the network behind us reports it and as routing needs it. */
import type { Msat } from './msat.ts';
import type { NodeId } from './node-id.ts';
import type { PolicyTerms } from './policy.ts';
import type { ShortChannelId } from './short-channel-id.ts';

/** One of our channels, as it is now. */
export interface OwnChannel {
  /** The node of ours whose channel it is. Absent where we are one node. */
  readonly ownNodeId?: NodeId | undefined;
  readonly peerId: NodeId;
  /** The real id. Before there is one, our local alias. A channel without either cannot be used in routes. */
  readonly shortChannelId: ShortChannelId | undefined;
  /** The id that stays when a splice changes the short channel id (hex). Absent where the node does not report it. */
  readonly channelId?: string | undefined;
  readonly capacityMsat: Msat;
  /** What one more HTLC could send, or receive. Reserve, fees and HTLCs in flight are already subtracted. */
  readonly spendableMsat: Msat;
  readonly receivableMsat: Msat;
  /** Limits on the sum of HTLCs in flight: the peer's limit on ours, and our limit on the peer's. */
  readonly theirMaxInFlightMsat: Msat;
  readonly ourMaxInFlightMsat: Msat;
  /**
   * Whether the peer is connected and the channel in normal operation. A splice in progress counts as normal.
   */
  readonly usable: boolean;
  /**
   * Our policy for what leaves us, and the peer's policy for what comes to us. Undefined before the peer told
   * it.
   */
  readonly localPolicy: PolicyTerms | undefined;
  readonly remotePolicy: PolicyTerms | undefined;
  /**
   * Whether we opened the channel. The opener pays the fee of the commitment transaction, at this rate in sat
   * per 1000 weight.
   */
  readonly openedByUs: boolean;
  readonly feeratePerKw: number;
}

/**
 * A settled payment of others that we forwarded: by which of our channels it came and left. The difference of both
 * amounts is our fee.
 */
export interface SettledForward {
  readonly in: ShortChannelId;
  readonly out: ShortChannelId;
  readonly inMsat: Msat;
  readonly outMsat: Msat;
}

/** The same with its place among all forwards of the node, from 1, and when it was settled, UNIX milliseconds. */
export interface ListedForward extends SettledForward {
  readonly index: number;
  readonly endedAtMs: number;
}
