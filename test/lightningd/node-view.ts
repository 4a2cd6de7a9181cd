/**
 * Lightningd's answers about itself, its peers, its channels and the graph, from the state of the simulated network.
 */
import { toHex } from '../../src/bolt/bytes.ts';
import { U64_MAX } from '../../src/model/msat.ts';
import type { NodeId } from '../../src/model/node-id.ts';
import type { PolicyTerms } from '../../src/model/policy.ts';
import { formatShortChannelId } from '../../src/model/short-channel-id.ts';
import type { DescribedChannel } from '../../src/network/simulated/own/described-channel.ts';
import { isSince } from './release.ts';

/** Feature bits of other nodes, in hex. Bit 39 means that they accept onion messages (BOLT 9). */
export const FEATURES = '8000000888';

/** Members of `getinfo` that do not come from the simulated network. */
export interface NodeFacts {
  readonly id: NodeId;
  readonly version: string;
  readonly directory: string;
  readonly height: number;
  readonly warning: string | undefined;
  readonly chain: string;
  readonly features: Readonly<Record<string, string>>;
}

export function infoOf(facts: NodeFacts, channels: readonly DescribedChannel[]): object {
  const peers = new Set(channels.map(({ peerId }) => peerId));
  const active = channels.filter(({ phase }) => phase === 'normal').length;
  return {
    id: facts.id,
    alias: 'standin',
    color: '0a0b0c',
    num_peers: peers.size,
    num_pending_channels: 0,
    num_active_channels: active,
    num_inactive_channels: channels.length - active,
    address: [{ type: 'ipv4', address: '192.0.2.7', port: 9735 }],
    binding: [],
    version: facts.version,
    blockheight: facts.height,
    network: facts.chain,
    fees_collected_msat: 0,
    'lightning-dir': facts.directory,
    warning_lightningd_sync: facts.warning,
    our_features: facts.features,
  };
}

export function peersOf(channels: readonly DescribedChannel[], id: string | undefined): object {
  const ids = [...new Set(channels.map(({ peerId }) => peerId))].filter(
    (one) => id === undefined || one === id,
  );
  const peers = ids.map((peer) => {
    const own = channels.filter(({ peerId }) => peerId === peer);
    const connected = own.some(({ usable }) => usable);
    const netaddr = connected ? ['127.0.0.1:9735'] : undefined;
    return { id: peer, connected, num_channels: own.length, netaddr, features: FEATURES };
  });
  return { peers };
}

/** Rows of `listpeerchannels`. */
export function channelRows(
  ownId: NodeId,
  channels: readonly DescribedChannel[],
  normal = 'CHANNELD_NORMAL',
): object[] {
  return channels.map((channel) => ({
    peer_id: channel.peerId,
    peer_connected: channel.usable,
    reestablished: channel.usable,
    channel_id: channel.fundingTxid,
    short_channel_id: formatShortChannelId(channel.shortChannelId!),
    direction: ownId < channel.peerId ? 0 : 1,
    alias: {
      local: formatShortChannelId(channel.localAlias!),
      remote: formatShortChannelId(channel.remoteAlias!),
    },
    state: channel.phase === 'normal' ? normal : 'ONCHAIN',
    feerate: { perkw: channel.feeratePerKw, perkb: 4 * channel.feeratePerKw },
    owner: channel.usable ? 'channeld' : undefined,
    opener: channel.openedByUs ? 'local' : 'remote',
    funding_txid: channel.fundingTxid,
    funding_outnum: channel.fundingOutputIndex,
    private: false,
    to_us_msat: channel.toUsMsat,
    total_msat: channel.capacityMsat,
    spendable_msat: channel.spendableMsat,
    receivable_msat: channel.receivableMsat,
    their_max_htlc_value_in_flight_msat: U64_MAX,
    our_max_htlc_value_in_flight_msat: U64_MAX,
    our_reserve_msat: channel.ourReserveMsat,
    their_reserve_msat: channel.theirReserveMsat,
    max_accepted_htlcs: channel.maxAcceptedHtlcs,
    updates: { local: policyRow(channel.localPolicy), remote: policyRow(channel.remotePolicy) },
    state_changes: [],
    htlcs: channel.htlcs.map(({ direction, id, amountMsat, cltvExpiry, paymentHash }) => ({
      direction,
      id,
      amount_msat: amountMsat,
      expiry: cltvExpiry,
      payment_hash: toHex(paymentHash),
      state: 'SENT_ADD_ACK_REVOCATION',
    })),
  }));
}

function policyRow(policy: PolicyTerms | undefined): object | undefined {
  if (policy === undefined) return undefined;
  return {
    htlc_minimum_msat: policy.htlcMinimumMsat,
    htlc_maximum_msat: policy.htlcMaximumMsat,
    cltv_expiry_delta: policy.cltvExpiryDelta,
    fee_base_msat: policy.feeBaseMsat,
    fee_proportional_millionths: policy.feeProportionalMillionths,
  };
}

/** An HTLC as the node's database keeps it. */
interface StoredHtlc {
  readonly created_index: bigint;
  readonly updated_index: bigint | undefined;
  readonly short_channel_id: string;
  readonly id: number;
  readonly expiry: number;
  readonly amount_msat: bigint;
  readonly payment_hash: string;
  readonly isOver: boolean;
}

/** Rows of `listhtlcs`. In releases before v25.05 they have no index. */
export function htlcRows(htlcs: readonly StoredHtlc[], release: string): object[] {
  return htlcs.map(({ created_index, updated_index, isOver, ...htlc }) => ({
    ...(isSince(release, 'v25.05') && { created_index, updated_index }),
    short_channel_id: htlc.short_channel_id,
    id: htlc.id,
    expiry: htlc.expiry,
    direction: 'out',
    amount_msat: htlc.amount_msat,
    payment_hash: htlc.payment_hash,
    state: isOver ? 'RCVD_REMOVE_ACK_REVOCATION' : 'SENT_ADD_ACK_REVOCATION',
  }));
}

/** A direction of a public channel, as `listchannels` shows it. */
export interface PublicDirection {
  readonly source: NodeId;
  readonly destination: NodeId;
  readonly scid: string;
  readonly capacityMsat: bigint;
  readonly policy: PolicyTerms;
}

/** Rows of `listchannels`. */
export function graphRows(directions: readonly PublicDirection[]): object[] {
  return directions.map(({ source, destination, scid, capacityMsat, policy }) => ({
    source,
    destination,
    short_channel_id: scid,
    direction: source < destination ? 0 : 1,
    public: true,
    amount_msat: capacityMsat,
    message_flags: 1,
    channel_flags: source < destination ? 0 : 1,
    active: true,
    last_update: 1_770_000_000,
    base_fee_millisatoshi: policy.feeBaseMsat,
    fee_per_millionth: policy.feeProportionalMillionths,
    delay: policy.cltvExpiryDelta,
    htlc_minimum_msat: policy.htlcMinimumMsat,
    htlc_maximum_msat: policy.htlcMaximumMsat,
    features: '',
  }));
}
