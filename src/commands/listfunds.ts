/** `listfunds`: what we own, all of it in channels. */
import { formatShortChannelId } from '../model/short-channel-id.ts';
import { field, withDefault } from '../rpc/command.ts';
import { bool } from '../rpc/param-types.ts';
import { defineCommand } from './context.ts';
import { channelState } from './listpeerchannels.ts';

export const listfunds = defineCommand({
  name: 'listfunds',
  summary: 'Show our funds.',
  description:
    'There is no wallet here, so `outputs` is empty; `channels` shows what we could send over each channel, its ' +
    'reserve and what is in flight taken off.',
  category: 'payments',
  params: { spent: withDefault(bool, false, 'Whether spent outputs are shown, of which there are none.') },
  result: {
    outputs: field('array', 'Empty.'),
    channels: field(
      'array',
      'Objects of peer_id, connected, state, short_channel_id, our_amount_msat, amount_msat.',
    ),
  },
  handler(_params, { networkPort }) {
    const channels = networkPort.ownChannels().map((channel) => ({
      peer_id: channel.peerId,
      connected: channel.usable,
      state: channelState(channel),
      short_channel_id:
        channel.shortChannelId === undefined ? undefined : formatShortChannelId(channel.shortChannelId),
      our_amount_msat: channel.spendableMsat,
      amount_msat: channel.capacityMsat,
    }));
    return { outputs: [], channels };
  },
});
