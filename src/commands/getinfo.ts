/** `getinfo`: who this node is and what it is connected to. */
import { field } from '../rpc/command.ts';
import { defineCommand } from './context.ts';
import { addressEntry } from './peer-address.ts';

export const getinfo = defineCommand({
  name: 'getinfo',
  summary: 'Show who this node is.',
  description: 'Identity, chain, version and features of this node, and how many peers and channels it has.',
  category: 'network',
  params: {},
  result: {
    id: field('pubkey', 'Our node id.'),
    alias: field('string', 'The name we call ourselves.'),
    color: field('hex', 'Our colour: red, green, blue.'),
    num_peers: field('u32', 'Peers connected or with a channel.'),
    num_pending_channels: field('u32', 'Channels being opened.'),
    num_active_channels: field('u32', 'Channels that can carry payments.'),
    num_inactive_channels: field('u32', 'Channels waiting for their peer, or closing.'),
    address: field('array', 'Addresses we announce.'),
    binding: field('array', 'Addresses we listen on.'),
    version: field('string', 'Version of this software.'),
    blockheight: field('u32', 'Height of the chain as we know it.'),
    network: field('string', 'Name of the chain.'),
    fees_collected_msat: field('msat', 'Fees earned by forwarding.'),
    'lightning-dir': field('string', 'The data directory.'),
    our_features: field('object', 'Feature bits we set in init, node, channel and invoice, as hex.'),
  },
  handler(_params, { identity, version, blockheight, network, dataDirectory, networkPort }) {
    const channels = networkPort.ownChannels();
    return {
      id: identity.id,
      alias: identity.alias,
      color: identity.color,
      num_peers: networkPort.peers().length,
      num_pending_channels: 0,
      num_active_channels: channels.filter(({ usable }) => usable).length,
      num_inactive_channels: channels.filter(({ usable }) => !usable).length,
      address: [],
      binding: (networkPort.bindings?.() ?? []).map(addressEntry),
      version,
      blockheight,
      network,
      fees_collected_msat: 0,
      'lightning-dir': dataDirectory,
      our_features: identity.features,
    };
  },
});
