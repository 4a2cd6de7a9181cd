/**
 * What a simulated network knows about one of our channels. The channel's row in `listpeerchannels` is made from this
 * (channel-row.ts).
 */
import type { Msat } from '../../../model/msat.ts';
import type { ShortChannelId } from '../../../model/short-channel-id.ts';
import type { ChannelPhase, OwnChannelRecord } from '../../port.ts';

/** A change of the phase of one of our channels, as `listpeerchannels` shows it. */
export interface ChannelPhaseChange {
  /** UNIX milliseconds. */
  readonly atMs: number;
  readonly from: ChannelPhase;
  readonly to: ChannelPhase;
  readonly cause: 'user' | 'local' | 'remote' | 'protocol' | 'onchain';
  /** One sentence that describes the change. */
  readonly message: string;
}

/**
 * Number and sum of the HTLCs offered in one direction of a channel, and of the settled HTLCs among them, over the
 * channel's whole life.
 */
export interface HtlcTotals {
  readonly offeredCount: number;
  readonly offeredMsat: Msat;
  readonly fulfilledCount: number;
  readonly fulfilledMsat: Msat;
}

/** An unfinished HTLC on one of our channels. */
export interface OwnHtlc {
  readonly direction: 'in' | 'out';
  /** Number of the HTLC within its channel and direction, counted from 0 (BOLT 2, `id` of `update_add_htlc`). */
  readonly id: number;
  readonly amountMsat: Msat;
  /** Absolute block height. */
  readonly cltvExpiry: number;
  readonly paymentHash: Uint8Array;
}

/** One of our channels, without its row. */
export interface DescribedChannel extends Omit<OwnChannelRecord, 'asShown'> {
  /** Changes of the channel's phase, oldest first. */
  readonly phaseChanges: readonly ChannelPhaseChange[];
  readonly closedBy: 'local' | 'remote' | undefined;
  /** The component that holds the connection to the peer. Undefined without a connection. */
  readonly owner: string | undefined;
  /**
   * When the current connection to the peer had been open for a minute, in UNIX milliseconds. Undefined before that,
   * and without a connection.
   */
  readonly lastStableConnectionMs: number | undefined;
  /** Id and fee of the commitment transaction that we would publish now. */
  readonly commitmentTxid: string;
  readonly commitmentFeeMsat: Msat;
  /** Even feature bits of the channel's type (BOLT 2, `channel_type`), in increasing order. */
  readonly channelType: readonly number[];
  /** The funds that each side paid in, and the amount that the opener then gave to the other side. */
  readonly localFundsMsat: Msat;
  readonly remoteFundsMsat: Msat;
  readonly pushedMsat: Msat;
  /** The minimum and maximum of our balance so far. */
  readonly minToUsMsat: Msat;
  readonly maxToUsMsat: Msat;
  readonly dustLimitMsat: Msat;
  /** Each side's reserve, and the number of blocks for which its own balance stays locked after a unilateral close. */
  readonly ourReserveMsat: Msat;
  readonly theirReserveMsat: Msat;
  readonly ourToSelfDelay: number;
  readonly theirToSelfDelay: number;
  readonly maxAcceptedHtlcs: number;
  /** The script that receives our balance in a mutual close. */
  readonly shutdownScript: Uint8Array;
  /** The alias under which each end accepts HTLCs for this channel, besides its short channel id. */
  readonly localAlias: ShortChannelId | undefined;
  readonly remoteAlias: ShortChannelId | undefined;
  readonly incoming: HtlcTotals;
  readonly outgoing: HtlcTotals;
  readonly htlcs: readonly OwnHtlc[];
}
