/**
 * Reads the rows of `ListChannels` as our own channels.
 *
 * Balances are those of our commitment, in whole sat, so HTLCs in flight are already subtracted, and the commitment's
 * fee too if we opened the channel. What can still be sent (LND's own rule for its links):
 *
 *     spendable = local balance − our reserve − buffer
 *     buffer    = ⌊2 · feerate · (weight + 2 · 172) / 1000⌋ − ⌊feerate · weight / 1000⌋   if we pay the fee, else 0
 *     spendable = 0   if the peer pays the fee and cannot pay for one more output
 *
 * The fee that LND reports is not the fee that LND subtracted: the reported fee contains outputs below the dust limit
 * and fractions of a satoshi. LND's own rule uses the weight of BOLT 3, which for anchor channels is 8 more than the
 * weight that LND reports. The buffer leaves room for two more HTLCs at twice the fee rate. The peer's limits on the
 * sum and the number of HTLCs may reduce `spendable` further. In LND, "local" constraints restrict what the local side
 * may offer.
 */

import { toHex } from '../../bolt/bytes.ts';
import { channelIdOf } from '../../bolt/peer/channel-id.ts';
import { MSAT_PER_SAT, type Msat, msat, ZERO_MSAT } from '../../model/msat.ts';
import { parseNodeId } from '../../model/node-id.ts';
import type { OwnChannel } from '../../model/own-channel.ts';
import type { PolicyTerms } from '../../model/policy.ts';
import { formatShortChannelId, type ShortChannelId } from '../../model/short-channel-id.ts';
import { policyRow } from '../channel-terms.ts';
import type { OwnChannelRecord } from '../port.ts';
import type { Channel, ChannelConstraints, PendingHtlc } from './answers.ts';

/** Weight of an HTLC's output in a commitment transaction (BOLT 3). */
const HTLC_WEIGHT = 172n;
/** Weight by which LND underreports a commitment transaction with anchors (1116 instead of the 1124 of BOLT 3). */
const UNREPORTED_WEIGHT = 8n;
/** `chan_status_flags` of a channel that is neither closing nor broken. */
const USUAL_STATUS = 'ChanStatusDefault';

/** The policies of a channel: ours for outgoing HTLCs, the peer's for incoming HTLCs. */
export interface ChannelPolicies {
  readonly localPolicy: PolicyTerms | undefined;
  readonly remotePolicy: PolicyTerms | undefined;
}

/** Finds the policies of a channel. */
export type PoliciesOf = (shortChannelId: ShortChannelId) => ChannelPolicies;

/** The channels of an answer. Channels of other assets, and rows without a peer, are left out. */
export function ownChannelsOf(rows: readonly Channel[], policiesOf: PoliciesOf): OwnChannel[] {
  return rows.filter(isBitcoin).flatMap((row) => ownChannelOf(row, policiesOf) ?? []);
}

/** The channels as `listpeerchannels` shows them. */
export function shownChannelsOf(rows: readonly Channel[], policiesOf: PoliciesOf): OwnChannelRecord[] {
  return rows.flatMap((row) => {
    const channel = ownChannelOf(row, policiesOf);
    return channel === undefined ? [] : [shown(row, channel)];
  });
}

/** Whether the channel's HTLCs are in bitcoin, not in another asset. */
const isBitcoin = ({ custom_channel_data: data }: Channel): boolean => data.length === 0;

function ownChannelOf(row: Channel, policiesOf: PoliciesOf): OwnChannel | undefined {
  const peerId = parseNodeId(row.remote_pubkey);
  if (peerId === undefined) return undefined;
  const shortChannelId = BigInt(row.chan_id) as ShortChannelId;
  const { localPolicy, remotePolicy } = policiesOf(shortChannelId);
  return {
    peerId,
    shortChannelId,
    capacityMsat: ofSat(row.capacity),
    spendableMsat: spendableMsat(row),
    receivableMsat: receivableMsat(row),
    theirMaxInFlightMsat: inFlightLimit(row.local_constraints),
    ourMaxInFlightMsat: inFlightLimit(row.remote_constraints),
    freeHtlcs: freeHtlcs(row),
    usable: row.active && isUsual(row) && isBitcoin(row),
    localPolicy: localPolicy && {
      ...localPolicy,
      // The peer accepts no smaller HTLC from us.
      htlcMinimumMsat: largest(localPolicy.htlcMinimumMsat, minimumOf(row.local_constraints)),
    },
    remotePolicy,
    openedByUs: row.initiator,
    feeratePerKw: Number(row.fee_per_kw),
  };
}

const isUsual = ({ chan_status_flags: flags }: Channel): boolean => flags === '' || flags === USUAL_STATUS;

/** The maximum amount of one more HTLC that we offer. */
export function spendableMsat(row: Channel): Msat {
  const { local_constraints: limits, remote_constraints: theirs } = row;
  if (limits === null || theirs === null) return ZERO_MSAT;
  if (freeHtlcs(row) === 0) return ZERO_MSAT;
  const feeRate = BigInt(row.fee_per_kw);
  const balance = BigInt(row.local_balance) - BigInt(limits.chan_reserve_sat);
  const theirRoom = BigInt(row.remote_balance) - BigInt(theirs.chan_reserve_sat);
  if (!row.initiator && theirRoom < (feeRate * HTLC_WEIGHT) / 1000n) return ZERO_MSAT;
  const byBalance = (balance - (row.initiator ? bufferSat(row) : 0n)) * MSAT_PER_SAT;
  const byInFlight = BigInt(limits.max_pending_amt_msat) - sumMsat(outgoing(row));
  const spendable = byBalance < byInFlight ? byBalance : byInFlight;
  return spendable < BigInt(limits.min_htlc_msat) || spendable <= 0n ? ZERO_MSAT : msat(spendable);
}

/** The number of further HTLCs that the peer accepts. */
function freeHtlcs(row: Channel): number {
  return Math.max(0, (row.local_constraints?.max_accepted_htlcs ?? 0) - outgoing(row).length);
}

const outgoing = ({ pending_htlcs }: Channel): readonly PendingHtlc[] =>
  pending_htlcs.filter(({ incoming }) => !incoming);

function bufferSat({ fee_per_kw, commit_weight }: Channel): bigint {
  const [rate, weight] = [BigInt(fee_per_kw), BigInt(commit_weight) + UNREPORTED_WEIGHT];
  return (2n * rate * (weight + 2n * HTLC_WEIGHT)) / 1000n - (rate * weight) / 1000n;
}

function receivableMsat(row: Channel): Msat {
  const reserveSat = BigInt(row.remote_constraints?.chan_reserve_sat ?? 0);
  const left = (BigInt(row.remote_balance) - reserveSat) * MSAT_PER_SAT;
  return left > 0n ? msat(left) : ZERO_MSAT;
}

const sumMsat = (htlcs: readonly PendingHtlc[]): bigint =>
  htlcs.reduce((sum, { amount }) => sum + BigInt(amount) * MSAT_PER_SAT, 0n);

const ofSat = (text: string): Msat => msat(BigInt(text) * MSAT_PER_SAT);
const minimumOf = (limits: ChannelConstraints | null): Msat => msat(BigInt(limits?.min_htlc_msat ?? 0));
const inFlightLimit = (limits: ChannelConstraints | null): Msat =>
  msat(BigInt(limits?.max_pending_amt_msat ?? 0));
const largest = (a: Msat, b: Msat): Msat => (a > b ? a : b);

// ---------------------------------------------------------------- listings

/** A row with the members of Core Lightning's `listpeerchannels`, as far as LND reports them. */
function shown(row: Channel, channel: OwnChannel): OwnChannelRecord {
  const [fundingTxid = '', output = '0'] = row.channel_point.split(':');
  const fundingOutputIndex = Number(output);
  const state = isUsual(row) ? 'CHANNELD_NORMAL' : 'CHANNELD_SHUTTING_DOWN';
  const toUsMsat = msat(BigInt(row.local_balance) * MSAT_PER_SAT + sumMsat(outgoing(row)));
  const { localPolicy, remotePolicy, shortChannelId } = channel;
  return {
    ...channel,
    phase: 'normal',
    fundingTxid,
    fundingOutputIndex,
    toUsMsat,
    asShown: {
      peer_id: channel.peerId,
      peer_connected: row.active,
      state,
      feerate: { perkw: channel.feeratePerKw, perkb: channel.feeratePerKw * 4 },
      ...(shortChannelId !== undefined && { short_channel_id: formatShortChannelId(shortChannelId) }),
      channel_id: channelIdOf(fundingTxid, fundingOutputIndex),
      funding_txid: fundingTxid,
      funding_outnum: fundingOutputIndex,
      private: row.private,
      opener: row.initiator ? 'local' : 'remote',
      alias: aliasesOf(row),
      updates: { local: policyRow(localPolicy), remote: policyRow(remotePolicy) },
      last_tx_fee_msat: ofSat(row.commit_fee),
      to_us_msat: toUsMsat,
      total_msat: channel.capacityMsat,
      spendable_msat: channel.spendableMsat,
      receivable_msat: channel.receivableMsat,
      fee_base_msat: localPolicy?.feeBaseMsat,
      fee_proportional_millionths: localPolicy?.feeProportionalMillionths,
      dust_limit_msat: ofSat(row.local_constraints?.dust_limit_sat ?? '0'),
      their_max_htlc_value_in_flight_msat: channel.theirMaxInFlightMsat,
      our_max_htlc_value_in_flight_msat: channel.ourMaxInFlightMsat,
      our_reserve_msat: ofSat(row.local_constraints?.chan_reserve_sat ?? '0'),
      their_reserve_msat: ofSat(row.remote_constraints?.chan_reserve_sat ?? '0'),
      our_to_self_delay: row.local_constraints?.csv_delay,
      their_to_self_delay: row.remote_constraints?.csv_delay,
      max_accepted_htlcs: row.remote_constraints?.max_accepted_htlcs,
      status: [
        isBitcoin(row) ? `${state}:${row.chan_status_flags}` : 'An asset channel: not used for payments.',
      ],
      htlcs: row.pending_htlcs.map(htlcJson),
    },
  };
}

function aliasesOf(row: Channel): object {
  const [local] = row.alias_scids;
  const text = (scid: string | undefined): string | undefined =>
    scid === undefined || scid === '0' ? undefined : formatShortChannelId(BigInt(scid) as ShortChannelId);
  return { local: text(local), remote: text(row.peer_scid_alias) };
}

const htlcJson = (htlc: PendingHtlc): object => ({
  direction: htlc.incoming ? 'in' : 'out',
  id: Number(htlc.htlc_index),
  amount_msat: ofSat(htlc.amount),
  expiry: htlc.expiration_height,
  payment_hash: toHex(htlc.hash_lock),
  state: htlc.incoming ? 'RCVD_ADD_ACK_REVOCATION' : 'SENT_ADD_ACK_REVOCATION',
});
