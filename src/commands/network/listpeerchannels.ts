/** `listpeerchannels`: shows our own channels and their current liquidity. */

import { channelIdOf } from '../../bolt/peer/channel-id.ts';
import { field, optional } from '../../rpc/command.ts';
import { hash, nodeId, shortChannelId } from '../../rpc/param-types.ts';
import { defineCommand } from '../context.ts';

/** Matches Core Lightning's command. Members that do not apply to our network are absent. */
export const listpeerchannels = defineCommand({
  name: 'listpeerchannels',
  summary: 'Show our own channels.',
  description:
    'Shows each channel with its peer, the policies of both sides, its history and the HTLCs in flight. ' +
    '`spendable_msat` and `receivable_msat` are the maximum amounts of one more HTLC. A simulated network has no ' +
    'transactions. There, `funding_txid` and `scratch_txid` are hashes derived from the short channel id, ' +
    'and `channel_id` follows from them (BOLT 2). `close_to` is an unspendable script. Fees and dust limits ' +
    'do not apply. `alias` is the short channel id itself.',
  category: 'network',
  readOnly: true,
  params: {
    id: optional(nodeId, 'Only channels with this peer.'),
    short_channel_id: optional(shortChannelId, 'Only this channel.'),
    channel_id: optional(hash, 'Only the channel with this id.'),
  },
  result: {
    channels: field(
      'array',
      'Objects with peer_id, peer_connected, reestablished, channel_type, updates (local, remote), ' +
        'last_stable_connection?, features, state, scratch_txid, last_tx_fee_msat, lost_state, feerate, owner?, ' +
        'short_channel_id?, direction, channel_id, funding_txid, funding_outnum, close_to, private, opener, ' +
        'closer?, alias, funding, to_us_msat, min_to_us_msat, max_to_us_msat, total_msat, fee_base_msat, ' +
        'fee_proportional_millionths, dust_limit_msat, their_max_htlc_value_in_flight_msat, ' +
        'our_max_htlc_value_in_flight_msat, their_reserve_msat, our_reserve_msat, spendable_msat, receivable_msat, ' +
        'minimum_htlc_in_msat, minimum_htlc_out_msat, maximum_htlc_out_msat, their_to_self_delay, our_to_self_delay, ' +
        'max_accepted_htlcs, state_changes, status, in_payments_offered, in_offered_msat, in_payments_fulfilled, ' +
        'in_fulfilled_msat, out_payments_offered, out_offered_msat, out_payments_fulfilled, out_fulfilled_msat, htlcs.',
    ),
  },
  async handler({ id, short_channel_id, channel_id }, { networkPort }) {
    const records = await networkPort.ownChannelRecords();
    const channels = records
      .filter((channel) => id === undefined || channel.peerId === id)
      .filter((channel) => short_channel_id === undefined || channel.shortChannelId === short_channel_id)
      .filter(
        ({ fundingTxid, fundingOutputIndex }) =>
          channel_id === undefined || channelIdOf(fundingTxid, fundingOutputIndex) === channel_id,
      )
      .map(({ asShown }) => asShown);
    return { channels };
  },
});
