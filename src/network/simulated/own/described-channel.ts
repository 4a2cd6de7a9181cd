/** What a simulated network knows of one of our channels. Its row in listings is made from it (channel-row.ts). */
import type { Msat } from '../../../model/msat.ts';
import type { ShortChannelId } from '../../../model/short-channel-id.ts';
import type { ChannelPhase, OwnChannelRecord } from '../../port.ts';

/** One change in the life of a channel of ours, for listings. */
export interface ChannelPhaseChange {
  /** UNIX milliseconds. */
  readonly atMs: number;
  readonly from: ChannelPhase;
  readonly to: ChannelPhase;
  readonly cause: 'user' | 'local' | 'remote' | 'protocol' | 'onchain';
  /** One sentence for people. */
  readonly message: string;
}

/** How many HTLCs one direction of a channel was offered and settled over its whole life, and their sums. */
export interface HtlcTotals {
  readonly offeredCount: number;
  readonly offeredMsat: Msat;
  readonly fulfilledCount: number;
  readonly fulfilledMsat: Msat;
}

/** An HTLC on one of our channels that is not over yet. */
export interface OwnHtlc {
  readonly direction: 'in' | 'out';
  /** Counts the HTLCs of its channel and direction, from 0 (BOLT 2, `id` of `update_add_htlc`). */
  readonly id: number;
  readonly amountMsat: Msat;
  /** Absolute block height. */
  readonly cltvExpiry: number;
  readonly paymentHash: Uint8Array;
}

/** One of our channels, without its row. */
export interface DescribedChannel extends Omit<OwnChannelRecord, 'asShown'> {
  /** The oldest first. */
  readonly phaseChanges: readonly ChannelPhaseChange[];
  readonly closedBy: 'local' | 'remote' | undefined;
  /** The part of the node that holds the connection to the peer. Undefined while there is no connection. */
  readonly owner: string | undefined;
  /** When the connection had last stood for a minute, UNIX milliseconds. Undefined if it never has. */
  readonly lastStableConnectionMs: number | undefined;
  /** Id of the commitment transaction that we would publish now, and its fee. */
  readonly commitmentTxid: string;
  readonly commitmentFeeMsat: Msat;
  /** Even feature bits of the channel's type (BOLT 2, `channel_type`), in increasing order. */
  readonly channelType: readonly number[];
  /** What each side paid in, and what the opener then gave to the other side. */
  readonly localFundsMsat: Msat;
  readonly remoteFundsMsat: Msat;
  readonly pushedMsat: Msat;
  /** The least and the most that our side ever was. */
  readonly minToUsMsat: Msat;
  readonly maxToUsMsat: Msat;
  readonly dustLimitMsat: Msat;
  /** What each side must keep, and the blocks for which it waits for its own money after closing alone. */
  readonly ourReserveMsat: Msat;
  readonly theirReserveMsat: Msat;
  readonly ourToSelfDelay: number;
  readonly theirToSelfDelay: number;
  readonly maxAcceptedHtlcs: number;
  /** The script that receives our side when the channel is closed in agreement. */
  readonly shutdownScript: Uint8Array;
  /** The alias under which each end takes HTLCs for this channel, beside its short channel id. */
  readonly localAlias: ShortChannelId | undefined;
  readonly remoteAlias: ShortChannelId | undefined;
  readonly incoming: HtlcTotals;
  readonly outgoing: HtlcTotals;
  readonly htlcs: readonly OwnHtlc[];
}
