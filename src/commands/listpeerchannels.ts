/** `listpeerchannels`: our own channels and what they can carry now. */
import { formatShortChannelId } from '../model/short-channel-id.ts';
import type { OwnChannel, OwnPolicy } from '../network/port.ts';
import { field, optional } from '../rpc/command.ts';
import { nodeId, shortChannelId, string } from '../rpc/param-types.ts';
import { defineCommand } from './context.ts';

export const listpeerchannels = defineCommand({
  name: 'listpeerchannels',
  summary: 'Show our own channels.',
  description:
    'Each with its peer, both sides’ terms, and what could be sent and received over it in one more HTLC.',
  category: 'network',
  params: {
    id: optional(nodeId, 'Only channels with this peer.'),
    short_channel_id: optional(shortChannelId, 'Only this channel.'),
    channel_id: optional(string, 'Only the channel of this id; the network behind us knows none.'),
  },
  result: {
    channels: field(
      'array',
      'Objects of peer_id, peer_connected, state, short_channel_id, direction, updates (local, remote), opener, ' +
        'feerate, total_msat, spendable_msat, receivable_msat and limits in flight.',
    ),
  },
  handler({ id, short_channel_id, channel_id }, { identity, networkPort }) {
    if (channel_id !== undefined) return { channels: [] };
    const channels = networkPort
      .ownChannels()
      .filter((channel) => id === undefined || channel.peerId === id)
      .filter((channel) => short_channel_id === undefined || channel.shortChannelId === short_channel_id);
    return { channels: channels.map((channel) => channelJson(identity.id, channel)) };
  },
});

/** The state that a channel which can be used, or cannot just now, is in. */
export function channelState({ shortChannelId: scid }: OwnChannel): string {
  return scid === undefined ? 'CHANNELD_AWAITING_LOCKIN' : 'CHANNELD_NORMAL';
}

function channelJson(ourId: string, channel: OwnChannel): object {
  const { localPolicy, remotePolicy, feeratePerKw } = channel;
  return {
    peer_id: channel.peerId,
    peer_connected: channel.usable,
    reestablished: channel.usable,
    updates: { local: policyJson(localPolicy), remote: policyJson(remotePolicy) },
    state: channelState(channel),
    feerate: { perkw: feeratePerKw, perkb: feeratePerKw * 4 },
    short_channel_id:
      channel.shortChannelId === undefined ? undefined : formatShortChannelId(channel.shortChannelId),
    direction: ourId < channel.peerId ? 0 : 1,
    private: true,
    opener: channel.openedByUs ? 'local' : 'remote',
    total_msat: channel.capacityMsat,
    fee_base_msat: localPolicy?.feeBaseMsat,
    fee_proportional_millionths: localPolicy?.feeProportionalMillionths,
    their_max_htlc_value_in_flight_msat: channel.theirMaxInFlightMsat,
    our_max_htlc_value_in_flight_msat: channel.ourMaxInFlightMsat,
    spendable_msat: channel.spendableMsat,
    receivable_msat: channel.receivableMsat,
    minimum_htlc_in_msat: remotePolicy?.htlcMinimumMsat,
    minimum_htlc_out_msat: localPolicy?.htlcMinimumMsat,
    maximum_htlc_out_msat: localPolicy?.htlcMaximumMsat,
  };
}

function policyJson(policy: OwnPolicy | undefined): object | undefined {
  return (
    policy && {
      htlc_minimum_msat: policy.htlcMinimumMsat,
      htlc_maximum_msat: policy.htlcMaximumMsat,
      cltv_expiry_delta: policy.cltvExpiryDelta,
      fee_base_msat: policy.feeBaseMsat,
      fee_proportional_millionths: policy.feeProportionalMillionths,
    }
  );
}
