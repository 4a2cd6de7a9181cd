/** `getinfo`: tells who this node is and what it is connected to. */
import type { GraphCheck, NetworkKind, NodeBehind } from '../../network/port.ts';
import { field, optionalField } from '../../rpc/command.ts';
import { defineCommand } from '../context.ts';
import { addressEntry } from './peer-address.ts';

const UNCHECKED =
  'no chain source: channels are as peers tell them, their capacities are assumed, the height is not known; see ' +
  '--bitcoin-rpcurl and --esplora';

/** As Core Lightning's command, with two members of our own: `gossip_check` and its warning. */
export const getinfo = defineCommand({
  name: 'getinfo',
  summary: 'Show who this node is.',
  description:
    'Shows the identity, chain, version and features of this node. Also counts its peers and channels.',
  category: 'network',
  readOnly: true,
  params: {},
  result: {
    id: field('pubkey', 'Our node id.'),
    alias: field('string', 'Our alias.'),
    color: field('hex', 'Our colour: red, green, blue.'),
    num_peers: field('u32', 'Peers that are connected or have a channel with us.'),
    num_pending_channels: field('u32', 'Channels being opened.'),
    num_active_channels: field('u32', 'Channels that can carry payments.'),
    num_inactive_channels: field('u32', 'Channels waiting for their peer, or closing.'),
    address: field('array', 'Addresses we announce.'),
    binding: field('array', 'Addresses we listen on.'),
    version: field('string', 'Version of this software.'),
    blockheight: field('u32', 'Height of the chain as we know it. 0 while it is unknown.'),
    network: field('string', 'Name of the chain.'),
    network_kind: field(
      'string',
      'What stands behind this node: `simulated`, a network in a box, whose money is not real; `peer`, the real wire; ' +
        '`none`, nothing: routes and layers only; `cln` or `lnd`, a Core Lightning or LND node, whose money is real.',
    ),
    fees_collected_msat: field('msat', 'Fees earned by forwarding.'),
    'lightning-dir': field('string', 'The data directory.'),
    gossip_check: optionalField(
      'string',
      'Only on the real wire. The chain source that channels are checked with: `bitcoind`, `esplora` or `unchecked`.',
    ),
    warning_gossip_check: optionalField(
      'string',
      'Present without that check. Says how far channels and height can be trusted.',
    ),
    node_behind: optionalField(
      'object',
      'Beside a node of another kind: its kind, id and version, and whether our plugin runs in it. Its channels, its ' +
        'money and its id are the ones shown here.',
    ),
    warning_node_behind: optionalField('string', 'Why that node cannot pay at the moment.'),
    warning_doubt: optionalField(
      'string',
      'Why nothing new is paid: a failover of the shared database may have lost payments.',
    ),
    our_features: field('object', 'Feature bits that we set in init, node, channel and invoice, as hex.'),
  },
  async handler(_params, { identity, version, blockheight, chain, dataDirectory, networkPort, payments }) {
    const channels = networkPort.ownChannels().channels;
    return {
      id: identity.id,
      alias: identity.alias,
      color: identity.color,
      num_peers: networkPort.peers().length,
      num_pending_channels: 0,
      num_active_channels: channels.filter(({ usable }) => usable).length,
      num_inactive_channels: channels.filter(({ usable }) => !usable).length,
      address: [],
      binding: networkPort.bindings().map(addressEntry),
      version,
      blockheight,
      network: chain,
      network_kind: networkPort.kind,
      fees_collected_msat: 0,
      'lightning-dir': dataDirectory,
      ...gossipCheckOf(networkPort.graphCheck()),
      ...(await behindOf(networkPort.kind, networkPort.nodeBehind())),
      ...(payments.doubt && { warning_doubt: payments.doubt.message }),
      our_features: identity.features,
    };
  },
});

async function behindOf(kind: NetworkKind, behind: NodeBehind | undefined): Promise<Record<string, unknown>> {
  if (behind === undefined) return {};
  const { nodeId, version, problem } = behind;
  return {
    node_behind: { kind, id: nodeId, version, ...(await behind.details()) },
    ...(problem && { warning_node_behind: problem }),
  };
}

function gossipCheckOf(check: GraphCheck | undefined): Record<string, string> {
  if (check === undefined) return {};
  const { source, problem } = check;
  if (source === 'unchecked') return { gossip_check: source, warning_gossip_check: UNCHECKED };
  if (problem === undefined) return { gossip_check: source };
  const warning = `the chain cannot be asked, so new channels wait: ${problem}`;
  return { gossip_check: source, warning_gossip_check: warning };
}
