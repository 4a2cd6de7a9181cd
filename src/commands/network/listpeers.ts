/** `listpeers`: shows the peers that we are, or want to be, connected to. */
import { field, optional } from '../../rpc/command.ts';
import { nodeId, string } from '../../rpc/param-types.ts';
import { defineCommand } from '../context.ts';

/** Matches Core Lightning's command, without channels, which `listpeerchannels` shows. */
export const listpeers = defineCommand({
  name: 'listpeers',
  summary: 'Show the peers, or one of them.',
  description:
    'Shows every peer that is connected, that we have a channel with, or that we try to reach. `netaddr` is the ' +
    "peer's end of the connection. On a simulated network it is derived from the node id, in the IPv6 " +
    'documentation range, where nothing listens.',
  category: 'network',
  readOnly: true,
  params: {
    id: optional(nodeId, 'The peer to show.'),
    level: optional(string, 'Accepted for compatibility and ignored. There is no log per peer.'),
  },
  result: {
    peers: field(
      'array',
      'Objects with id, connected, num_channels. While connected, also netaddr and features.',
    ),
  },
  handler({ id }, { networkPort }) {
    const channels = networkPort.ownChannels().channels;
    const peers = networkPort.peers().filter((peer) => id === undefined || peer.nodeId === id);
    return {
      peers: peers.map(({ nodeId: peerId, connected, features, address }) => ({
        id: peerId,
        connected,
        num_channels: channels.filter((channel) => channel.peerId === peerId).length,
        ...(connected && {
          netaddr: address === undefined ? [] : [address],
          features: Buffer.from(features).toString('hex'),
        }),
      })),
    };
  },
});
