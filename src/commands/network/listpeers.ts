/** `listpeers`: nodes that we are connected to, or want to be. */
import { field, optional } from '../../rpc/command.ts';
import { nodeId, string } from '../../rpc/param-types.ts';
import { defineCommand } from '../context.ts';

export const listpeers = defineCommand({
  name: 'listpeers',
  summary: 'Show the peers, or one of them.',
  description:
    'Every peer that is connected, that we have a channel with, or that we try to reach. `netaddr` is the ' +
    "peer's end of the connection; on a simulated network an address of IPv6's documentation range, made from the " +
    'node id, at which there is nobody.',
  category: 'network',
  readOnly: true,
  params: {
    id: optional(nodeId, 'The peer to show.'),
    level: optional(string, 'Accepted for clients that send it; the log is not kept per peer.'),
  },
  result: {
    peers: field(
      'array',
      'Objects of id, connected, num_channels and, while connected, netaddr and features.',
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
