/** Our channels as rows of `listpeerchannels`, in Core Lightning's format. */
import { toHex } from '../../../bolt/bytes.ts';
import { channelIdOf } from '../../../bolt/peer/channel-id.ts';
import { featureName } from '../../../bolt/peer/features.ts';
import type { NodeId } from '../../../model/node-id.ts';
import { formatShortChannelId, type ShortChannelId } from '../../../model/short-channel-id.ts';
import { channelState, policyRow } from '../../channel-terms.ts';
import type { ChannelPhase, OwnChannelRecord } from '../../port.ts';
import type { ChannelPhaseChange, DescribedChannel, HtlcTotals, OwnHtlc } from './described-channel.ts';

const STATUS: Readonly<Record<ChannelPhase, string>> = {
  opening: 'Waiting for the funding transaction to lock in.',
  normal: 'Channel ready for use.',
  onchain: 'All outputs resolved.',
};

/**
 * Core Lightning's names, by direction, for the state of an HTLC that both sides have committed and that is not
 * finished.
 */
const HTLC_STATES = { out: 'SENT_ADD_ACK_REVOCATION', in: 'RCVD_ADD_ACK_REVOCATION' } as const;

const scidText = (scid: ShortChannelId | undefined): string | undefined =>
  scid === undefined ? undefined : formatShortChannelId(scid);

/** A channel with its row. */
export type ShownChannel = DescribedChannel & OwnChannelRecord;

/** The channel with its row. @param ourId our node that has the channel, unless the channel contains `ownNodeId` */
export const shownChannel = (ourId: NodeId, channel: DescribedChannel): ShownChannel => ({
  ...channel,
  asShown: rowOf(channel.ownNodeId ?? ourId, channel),
});

function rowOf(ourId: NodeId, channel: DescribedChannel): OwnChannelRecord['asShown'] {
  return {
    ...connectionJson(channel),
    state: channelState(channel.phase),
    scratch_txid: channel.commitmentTxid,
    last_tx_fee_msat: channel.commitmentFeeMsat,
    lost_state: false,
    feerate: { perkw: channel.feeratePerKw, perkb: channel.feeratePerKw * 4 },
    owner: channel.owner,
    short_channel_id: scidText(channel.shortChannelId),
    direction: ourId < channel.peerId ? 0 : 1,
    ...fundingJson(channel),
    ...balanceJson(channel),
    ...limitsJson(channel),
    state_changes: channel.phaseChanges.map(phaseChangeJson),
    status: [`${channelState(channel.phase)}:${STATUS[channel.phase]}`],
    ...totalsJson('in', channel.incoming),
    ...totalsJson('out', channel.outgoing),
    htlcs: channel.htlcs.map(htlcJson),
  };
}

function connectionJson(channel: DescribedChannel): object {
  const { lastStableConnectionMs: stableMs, channelType, localPolicy, remotePolicy } = channel;
  return {
    peer_id: channel.peerId,
    peer_connected: channel.usable,
    reestablished: channel.usable,
    channel_type: {
      bits: channelType,
      names: channelType.map((bit) => `${featureName(bit)?.replace('option_', '')}/even`),
    },
    updates: { local: policyRow(localPolicy), remote: policyRow(remotePolicy) },
    last_stable_connection: stableMs === undefined ? undefined : Math.floor(stableMs / 1000),
    features: channelType.map((bit) => featureName(bit)),
  };
}

function fundingJson(channel: DescribedChannel): object {
  return {
    channel_id: channelIdOf(channel.fundingTxid, channel.fundingOutputIndex),
    funding_txid: channel.fundingTxid,
    funding_outnum: channel.fundingOutputIndex,
    close_to: toHex(channel.shutdownScript),
    private: true,
    opener: channel.openedByUs ? 'local' : 'remote',
    closer: channel.closedBy,
    alias: { local: scidText(channel.localAlias), remote: scidText(channel.remoteAlias) },
    funding: {
      local_funds_msat: channel.localFundsMsat,
      remote_funds_msat: channel.remoteFundsMsat,
      pushed_msat: channel.pushedMsat,
      withheld: false,
    },
  };
}

function balanceJson(channel: DescribedChannel): object {
  return {
    to_us_msat: channel.toUsMsat,
    min_to_us_msat: channel.minToUsMsat,
    max_to_us_msat: channel.maxToUsMsat,
    total_msat: channel.capacityMsat,
    spendable_msat: channel.spendableMsat,
    receivable_msat: channel.receivableMsat,
  };
}

function limitsJson(channel: DescribedChannel): object {
  const { localPolicy, remotePolicy } = channel;
  return {
    fee_base_msat: localPolicy?.feeBaseMsat,
    fee_proportional_millionths: localPolicy?.feeProportionalMillionths,
    dust_limit_msat: channel.dustLimitMsat,
    their_max_htlc_value_in_flight_msat: channel.theirMaxInFlightMsat,
    our_max_htlc_value_in_flight_msat: channel.ourMaxInFlightMsat,
    their_reserve_msat: channel.theirReserveMsat,
    our_reserve_msat: channel.ourReserveMsat,
    minimum_htlc_in_msat: remotePolicy?.htlcMinimumMsat,
    minimum_htlc_out_msat: localPolicy?.htlcMinimumMsat,
    maximum_htlc_out_msat: localPolicy?.htlcMaximumMsat,
    their_to_self_delay: channel.theirToSelfDelay,
    our_to_self_delay: channel.ourToSelfDelay,
    max_accepted_htlcs: channel.maxAcceptedHtlcs,
  };
}

function phaseChangeJson({ atMs, from, to, cause, message }: ChannelPhaseChange): object {
  return {
    timestamp: new Date(atMs).toISOString(),
    old_state: channelState(from),
    new_state: channelState(to),
    cause,
    message,
  };
}

function totalsJson(way: 'in' | 'out', totals: HtlcTotals): object {
  return {
    [`${way}_payments_offered`]: totals.offeredCount,
    [`${way}_offered_msat`]: totals.offeredMsat,
    [`${way}_payments_fulfilled`]: totals.fulfilledCount,
    [`${way}_fulfilled_msat`]: totals.fulfilledMsat,
  };
}

function htlcJson({ direction, id, amountMsat, cltvExpiry, paymentHash }: OwnHtlc): object {
  return {
    direction,
    id,
    amount_msat: amountMsat,
    expiry: cltvExpiry,
    payment_hash: toHex(paymentHash),
    state: HTLC_STATES[direction],
  };
}
