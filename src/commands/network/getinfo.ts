/** `getinfo`: shows this node's identity and connections. */
import type { GraphCheck, NetworkKind, NodeBehind } from '../../network/port.ts';
import { field, optionalField } from '../../rpc/command.ts';
import { defineCommand } from '../context.ts';
import { addressEntry } from './peer-address.ts';

const UNCHECKED =
  'no chain source: channels are unverified, their capacities are assumed and the block height is unknown; ' +
  'see --bitcoin-rpcurl and --esplora';

/** Matches Core Lightning's command, and adds members about this service and the attached nodes. */
export const getinfo = defineCommand({
  name: 'getinfo',
  summary: 'Show information about this node.',
  description:
    'Shows the identity, chain, version and features of this node, and the number of its peers and channels.',
  category: 'network',
  readOnly: true,
  params: {},
  result: {
    id: field('pubkey', 'Our node id.'),
    alias: field('string', 'Our alias.'),
    color: field('hex', 'Our colour: red, green and blue, as six hex digits.'),
    num_peers: field('u32', 'Number of peers that `listpeers` shows.'),
    num_pending_channels: field(
      'u32',
      'Always 0: channels that are being opened are not counted separately.',
    ),
    num_active_channels: field('u32', 'Channels that can carry payments.'),
    num_inactive_channels: field('u32', 'All other channels, such as those whose peer is disconnected.'),
    address: field('array', 'Addresses that the attached node announces. Empty without such a node.'),
    binding: field('array', 'Addresses we listen on.'),
    version: field('string', 'Version of this software.'),
    blockheight: field('u32', 'Current block height. 0 while unknown.'),
    network: field('string', 'Name of the chain.'),
    network_kind: field(
      'string',
      'The network that this node uses: `simulated`, a simulated network without real money; `peer`, ' +
        'connections to real peers; `none`, routes and layers only; `cln` or `lnd`, an attached Core ' +
        'Lightning or LND node with real money; `several`, several such nodes.',
    ),
    fees_collected_msat: optionalField(
      'msat',
      'Fees earned by forwarding. Absent with several nodes, and if the attached node does not report them.',
    ),
    'lightning-dir': field('string', 'The data directory.'),
    gossip_check: optionalField(
      'string',
      'Only with `--network peer`. The chain source that verifies channels, `bitcoind` or `esplora`; `unchecked` if ' +
        'there is none.',
    ),
    warning_gossip_check: optionalField(
      'string',
      'Present if channels are unchecked, or the chain source is unavailable. Says what follows from that.',
    ),
    node_behind: optionalField(
      'object',
      'The attached node, or the first of several: kind (`cln`, `lnd` or `several`), id, version; of a Core Lightning node ' +
        'plugin (whether our plugin runs in it) and other_daemons? (the ids of other Fulgurite data directories that pay ' +
        'with the node and do not share our payments); of an LND node synced_to_graph. The id in this result is that of ' +
        'this node; the channels are those of all attached nodes.',
    ),
    warning_node_behind: optionalField('string', 'Why the attached node cannot pay at the moment.'),
    our_nodes: optionalField(
      'array',
      'Names of our nodes, if there are several (see `listournodes`). `id` is then the id of the first one.',
    ),
    purse_id: optionalField(
      'pubkey',
      'The `source` for route queries over all our nodes, together with the layer `auto.purse`.',
    ),
    warning_doubt: optionalField(
      'string',
      'Why new payments are refused: a failover of the shared database may have lost payments.',
    ),
    our_features: field('object', 'Feature bits that we set in init, node, channel and invoice, in hex.'),
  },
  async handler(_params, { identity, version, blockheight, chain, dataDirectory, networkPort, payments }) {
    const channels = networkPort.ownChannels().channels;
    const behind = networkPort.nodeBehind();
    return {
      id: identity.id,
      alias: identity.alias,
      color: identity.color,
      num_peers: networkPort.peers().length,
      num_pending_channels: 0,
      num_active_channels: channels.filter(({ usable }) => usable).length,
      num_inactive_channels: channels.filter(({ usable }) => !usable).length,
      address: (behind?.addresses ?? []).map(addressEntry),
      binding: networkPort.bindings().map(addressEntry),
      version,
      blockheight,
      network: chain,
      network_kind: networkPort.kind,
      fees_collected_msat: behind === undefined ? 0n : await behind.feesCollected?.(),
      'lightning-dir': dataDirectory,
      ...gossipCheckOf(networkPort.graphCheck()),
      ...(await behindOf(networkPort.kind, behind)),
      ...(payments.purse && {
        our_nodes: payments.purse.nodes.list.map(({ name }) => name),
        purse_id: payments.purse.id,
      }),
      ...(payments.doubt && { warning_doubt: payments.doubt.message }),
      our_features: identity.features,
    };
  },
});

async function behindOf(kind: NetworkKind, behind: NodeBehind | undefined) {
  const node = behind && { kind, id: behind.nodeId, version: behind.version, ...(await behind.details()) };
  return { node_behind: node, warning_node_behind: behind?.problem };
}

const gossipCheckOf = (check: GraphCheck | undefined) => ({
  gossip_check: check?.source,
  warning_gossip_check: check && gossipWarning(check),
});

function gossipWarning({ source, problem }: GraphCheck): string | undefined {
  if (source === 'unchecked') return UNCHECKED;
  return problem && `the chain source is unavailable, so new channels cannot be verified: ${problem}`;
}
