/** One of our own channels, as reported by the attached network, with the facts that routing needs. */
import type { Msat } from './msat.ts';
import type { NodeId } from './node-id.ts';
import type { PolicyTerms } from './policy.ts';
import type { ShortChannelId } from './short-channel-id.ts';

/** The present state of one of our channels. */
export interface OwnChannel {
  /** Id of the node that has the channel. Absent if we have only one node. */
  readonly ownNodeId?: NodeId | undefined;
  readonly peerId: NodeId;
  /**
   * The real short channel id, or our local alias until there is a real one. A channel without either cannot be used in
   * routes.
   */
  readonly shortChannelId: ShortChannelId | undefined;
  /** The permanent id (hex), which survives a splice. Absent if the node does not report it. */
  readonly channelId?: string | undefined;
  readonly capacityMsat: Msat;
  /**
   * The maximum amounts of one more HTLC that we send or receive. Reserve, fees and HTLCs in flight are already
   * subtracted.
   */
  readonly spendableMsat: Msat;
  readonly receivableMsat: Msat;
  /**
   * Limits on the sum of HTLCs in flight: the peer's limit on HTLCs that we send, and our limit on HTLCs that the peer
   * sends.
   */
  readonly theirMaxInFlightMsat: Msat;
  readonly ourMaxInFlightMsat: Msat;
  /** The number of further HTLCs that the peer accepts from us. Absent if the node does not report it. */
  readonly freeHtlcs?: number | undefined;
  /** Whether the peer is connected and the channel is in normal operation. A splice in progress counts as normal. */
  readonly usable: boolean;
  /**
   * Our policy for outgoing payments, and the peer's policy for incoming ones, which is undefined until the peer sends
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
 * A settled payment that we forwarded: the channels over which it came in and went out, and the amounts. Their
 * difference is our fee.
 */
export interface SettledForward {
  readonly in: ShortChannelId;
  readonly out: ShortChannelId;
  readonly inMsat: Msat;
  readonly outMsat: Msat;
}

/**
 * A settled forward with its index among all forwards of the node, counted from 1, and the time when it settled, in
 * UNIX milliseconds.
 */
export interface ListedForward extends SettledForward {
  readonly index: number;
  readonly endedAtMs: number;
}
