/** `listfunds`: shows our funds in channels, and no others. */

import { channelIdOf } from '../../../bolt/peer/channel-id.ts';
import { formatShortChannelId } from '../../../model/short-channel-id.ts';
import { channelState } from '../../../network/channel-terms.ts';
import { field, withDefault } from '../../../rpc/command.ts';
import { bool } from '../../../rpc/param-types.ts';
import { defineCommand } from '../../context.ts';

/** Matches Core Lightning's command. The amounts are those at the time of the call, as the network reports them. */
export const listfunds = defineCommand({
  name: 'listfunds',
  summary: 'Show our funds.',
  description:
    'Shows only the money in channels. `outputs` is always empty: we have no on-chain wallet, and do not show that ' +
    'of an attached node. `our_amount_msat` is our balance of a channel, ' +
    'including the reserve and HTLCs in flight. `spendable_msat` of `listpeerchannels` shows how much of it ' +
    'can be sent. On a simulated network `funding_txid` is a hash derived from the short channel id.',
  category: 'payments',
  readOnly: true,
  params: {
    spent: withDefault(
      bool,
      false,
      'Accepted for compatibility with Core Lightning. Has no effect, because no outputs are shown.',
    ),
  },
  result: {
    outputs: field('array', 'Empty.'),
    channels: field(
      'array',
      'Objects with peer_id, connected, state, channel_id, short_channel_id?, our_amount_msat, amount_msat, ' +
        'funding_txid, funding_output.',
    ),
  },
  async handler(_params, { networkPort }) {
    const records = await networkPort.ownChannelRecords();
    const channels = records.map((channel) => ({
      peer_id: channel.peerId,
      connected: channel.usable,
      state: channelState(channel.phase),
      channel_id: channelIdOf(channel.fundingTxid, channel.fundingOutputIndex),
      short_channel_id:
        channel.shortChannelId === undefined ? undefined : formatShortChannelId(channel.shortChannelId),
      our_amount_msat: channel.toUsMsat,
      amount_msat: channel.capacityMsat,
      funding_txid: channel.fundingTxid,
      funding_output: channel.fundingOutputIndex,
    }));
    return { outputs: [], channels };
  },
});
