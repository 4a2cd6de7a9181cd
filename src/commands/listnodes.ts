/** `listnodes`: the nodes of the graph and what they announced about themselves. */
import type { ChannelGraph, NodeAnnouncement } from '../model/channel-graph.ts';
import { parseNodeAddresses } from '../model/node-address.ts';
import { field, optional } from '../rpc/command.ts';
import { JsonList } from '../rpc/json-write.ts';
import { nodeId } from '../rpc/param-types.ts';
import { defineCommand } from './context.ts';

export const listnodes = defineCommand({
  name: 'listnodes',
  summary: 'Show the nodes of the channel graph, or one of them.',
  description:
    'Every node that has a public channel. Alias, color, features and addresses are there once the node has ' +
    'announced them; they are claims of that node. An unknown id gives an empty list.',
  category: 'network',
  params: { id: optional(nodeId, 'The node to show.') },
  result: {
    nodes: field('array', 'Objects of nodeid and, where announced, alias, last_timestamp, color, features.'),
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

/** Node indexes never change, so the graph may grow while the list is written. */
function* allNodes(graph: ChannelGraph): Generator<object, void> {
  for (let node = 0; node < graph.nodeCount; node++) {
    if (isListed(graph, node)) yield nodeEntry(graph, node);
  }
}

function nodeEntry(graph: ChannelGraph, node: number): object {
  const announcement = graph.announcements.get(node);
  return { nodeid: graph.nodeId(node), ...(announcement && announced(announcement)) };
}

function announced({ alias, timestamp, color, features, addresses }: NodeAnnouncement): object {
  return {
    alias: text(alias),
    color: hex(color),
    last_timestamp: timestamp,
    features: hex(features),
    addresses: parseNodeAddresses(addresses),
  };
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
}

/** An alias is padded with zeros; what is no UTF-8 in it is shown as U+FFFD. */
function text(alias: Uint8Array): string {
  const end = alias.indexOf(0);
  return Buffer.from(end < 0 ? alias : alias.subarray(0, end)).toString('utf8');
}
