/** `listchannels`: shows the public channels, one entry for each direction that has announced its policy. */

import type { ChannelGraph } from '../../model/channel-graph.ts';
import { FulguriteError } from '../../model/errors.ts';
import type { NodeId } from '../../model/node-id.ts';
import { type Direction, formatShortChannelId } from '../../model/short-channel-id.ts';
import { field, optional } from '../../rpc/command.ts';
import { JsonList } from '../../rpc/json-write.ts';
import { nodeId, shortChannelId } from '../../rpc/param-types.ts';
import { defineCommand } from '../context.ts';

/** Matches Core Lightning's command. The list is encoded while it is sent; a slow client delays only itself. */
export const listchannels = defineCommand({
  name: 'listchannels',
  summary: 'Show all channels of the graph, one channel, or the directions from or to a node.',
  description:
    'Shows one entry per direction, with the policy that its source announced last. Takes at most one ' +
    'parameter. An unknown id gives an empty list. The full list of the public network is about 45 MB; it ' +
    'is streamed as fast as the client reads it.',
  category: 'network',
  readOnly: true,
  params: {
    short_channel_id: optional(shortChannelId, 'Only this channel, both directions.'),
    source: optional(nodeId, 'Only directions that leave this node.'),
    destination: optional(nodeId, 'Only directions that end at this node.'),
  },
  result: {
    channels: field(
      'array',
      'Objects with source, destination, short_channel_id, direction, public, amount_msat, message_flags, ' +
        'channel_flags, active, last_update, base_fee_millisatoshi, fee_per_millionth, delay, ' +
        'htlc_minimum_msat, htlc_maximum_msat, features.',
    ),
  },
  handler({ short_channel_id, source, destination }, { graph }) {
    const given = [short_channel_id, source, destination].filter((value) => value !== undefined);
    if (given.length > 1) {
      const message = 'Can only specify one of `short_channel_id`, `source` or `destination`';
      throw new FulguriteError('invalidParams', message, { reason: message });
    }
    const end = source ?? destination;
    if (end !== undefined) {
      const wanted = (entry: DirectionEntry) =>
        (source === undefined ? entry.destination : entry.source) === end;
      return { channels: new JsonList(entries(graph, channelIdsOf(graph, end), wanted)) };
    }
    const ids = short_channel_id === undefined ? allChannelIds(graph) : [short_channel_id];
    return { channels: new JsonList(entries(graph, ids, () => true)) };
  },
});

type DirectionEntry = NonNullable<ReturnType<typeof directionEntry>>;

function channelIdsOf(graph: ChannelGraph, id: NodeId): bigint[] {
  const node = graph.nodeIndex(id);
  if (node < 0) return [];
  return Array.from(graph.channelsOf(node), (channel) => graph.shortChannelIds[channel]!);
}

const copies = new WeakMap<ChannelGraph, { topologyVersion: number; ids: BigUint64Array }>();

/**
 * Copies the ids of all channels. The graph may change while the list is written; channels may then get new indexes but
 * keep their ids. Lists of the same topology share the copy, because a client may request many lists without reading
 * them.
 */
function allChannelIds(graph: ChannelGraph): BigUint64Array {
  const { topologyVersion, shortChannelIds, channelCount } = graph;
  const known = copies.get(graph);
  if (known?.topologyVersion === topologyVersion) return known.ids;
  const ids = shortChannelIds.slice(0, channelCount);
  copies.set(graph, { topologyVersion, ids });
  return ids;
}

function* entries(graph: ChannelGraph, ids: Iterable<bigint>, wanted: (entry: DirectionEntry) => boolean) {
  for (const id of ids) {
    for (const direction of [0, 1] as const) {
      // The graph, and with it the channel's index, may have changed since the last yield.
      const channel = graph.channelIndex(id);
      if (channel < 0) break;
      const entry = directionEntry(graph, channel, direction);
      if (entry !== undefined && wanted(entry)) yield entry;
    }
  }
}

/** A direction as the list shows it. Undefined if it has no policy. */
function directionEntry(graph: ChannelGraph, channel: number, direction: Direction) {
  const policy = graph.policy(channel * 2 + direction);
  if (policy === undefined) return undefined;
  const [node1, node2] = [graph.nodeId(graph.node1[channel]!), graph.nodeId(graph.node2[channel]!)];
  const features = graph.channelFeatures.get(channel);
  return {
    source: direction === 0 ? node1 : node2,
    destination: direction === 0 ? node2 : node1,
    short_channel_id: formatShortChannelId(graph.shortChannelIds[channel]!),
    direction,
    public: true,
    amount_msat: graph.capacityMsat[channel]!,
    message_flags: policy.messageFlags,
    channel_flags: policy.channelFlags,
    active: policy.enabled,
    last_update: policy.timestamp,
    base_fee_millisatoshi: policy.feeBaseMsat,
    fee_per_millionth: policy.feeProportionalMillionths,
    delay: policy.cltvExpiryDelta,
    htlc_minimum_msat: policy.htlcMinimumMsat,
    htlc_maximum_msat: policy.htlcMaximumMsat,
    features: features === undefined ? '' : Buffer.from(features).toString('hex'),
  };
}
