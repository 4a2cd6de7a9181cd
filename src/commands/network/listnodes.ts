/** `listnodes`: shows the nodes of the graph and their announcements. */

import { decodeNodeAddresses } from '../../bolt/peer/node-address.ts';
import type { AnnouncedNode, ChannelGraph } from '../../model/channel-graph.ts';
import { NODE_ID_BYTES } from '../../model/node-id.ts';
import { field, optional } from '../../rpc/command.ts';
import { JsonList } from '../../rpc/json-write.ts';
import { nodeId } from '../../rpc/param-types.ts';
import { defineCommand } from '../context.ts';

/** Matches Core Lightning's command, for the nodes of the public graph. */
export const listnodes = defineCommand({
  name: 'listnodes',
  summary: 'Show the nodes of the channel graph, or one of them.',
  description:
    'Shows every node that has a public channel. Alias, color, features and addresses are present if the ' +
    'node announced them; they are unverified claims of that node. An unknown id gives an empty list.',
  category: 'network',
  readOnly: true,
  params: { id: optional(nodeId, 'The node to show.') },
  result: {
    nodes: field(
      'array',
      'Objects with nodeid and, if announced, alias, color, last_timestamp, features, addresses.',
    ),
  },
  handler({ id }, { graph }) {
    if (id === undefined) return { nodes: new JsonList(allNodes(graph)) };
    const node = graph.nodeIndex(id);
    return { nodes: isListed(graph, node) ? [nodeEntry(graph, node)] : [] };
  },
});

function isListed(graph: ChannelGraph, node: number): boolean {
  return node >= 0 && graph.nodeDegree[node]! > 0;
}

/**
 * Lists the nodes that exist when the list begins. The graph may change while the list is written; it may even be
 * replaced, so that nodes get new indexes. So each node is looked up by its id. The array of ids need not be copied,
 * because ids are only appended to it.
 */
function* allNodes(graph: ChannelGraph) {
  const { nodeIds, nodeCount } = graph;
  for (let offset = 0; offset < nodeCount * NODE_ID_BYTES; offset += NODE_ID_BYTES) {
    const node = graph.nodeIndexOfBytes(nodeIds, offset);
    if (isListed(graph, node)) yield nodeEntry(graph, node);
  }
}

function nodeEntry(graph: ChannelGraph, node: number) {
  const announcement = graph.announcements.get(node);
  return { nodeid: graph.nodeId(node), ...(announcement && announced(announcement)) };
}

function announced({ alias, timestamp, color, features, addresses }: AnnouncedNode) {
  return {
    alias: text(alias),
    color: hex(color),
    last_timestamp: timestamp,
    features: hex(features),
    addresses: decodeNodeAddresses(addresses),
  };
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
}

/** An alias as text, without its padding of zeros. Bytes that are not UTF-8 are shown as U+FFFD. */
function text(alias: Uint8Array): string {
  const end = alias.indexOf(0);
  return Buffer.from(end < 0 ? alias : alias.subarray(0, end)).toString('utf8');
}
