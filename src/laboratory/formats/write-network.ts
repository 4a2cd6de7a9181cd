/**
 * Writes a network for other programs: as the channel CSV that `channels-csv.ts` reads, or as GraphML for networkx and
 * similar programs. A GraphML edge is a channel direction with the id `scid/dir`. The graph is a directed multigraph,
 * so parallel channels are kept. Attribute names are those of `lntopo timemachine`, except for its misspelling of
 * `htlc_minimum_msat`. `capacity_msat` and `enabled` are added.
 */

import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import type { ChannelGraph, ChannelPolicy } from '../../model/channel-graph.ts';
import { formatShortChannelId } from '../../model/short-channel-id.ts';

const DIRECTION_COLUMNS = [
  'base_fee_msat',
  'fee_ppm',
  'cltv_delta',
  'htlc_min_msat',
  'htlc_max_msat',
  'enabled',
];

/** The attributes of GraphML edges, each with its type. */
const EDGE_KEYS = [
  ['scid', 'string'],
  ['source', 'string'],
  ['destination', 'string'],
  ['timestamp', 'int'],
  ['fee_base_msat', 'long'],
  ['fee_proportional_millionths', 'long'],
  ['htlc_minimum_msat', 'long'],
  ['htlc_maximum_msat', 'long'],
  ['cltv_expiry_delta', 'int'],
  ['capacity_msat', 'long'],
  ['enabled', 'boolean'],
] as const;

/** Writes GraphML if the name ends in `.graphml`, and CSV otherwise. @throws the error of the file system */
export async function writeNetwork(graph: ChannelGraph, path: string): Promise<void> {
  const file = createWriteStream(path);
  const done = finished(file);
  const lines = path.endsWith('.graphml') ? graphmlLines(graph) : csvLines(graph);
  for (const line of lines) if (!file.write(line)) await Promise.race([once(file, 'drain'), done]);
  file.end();
  await done;
}

function* csvLines(graph: ChannelGraph): Generator<string> {
  const columns = [0, 1].flatMap((direction) => DIRECTION_COLUMNS.map((column) => `${column}_${direction}`));
  yield `scid,node1,node2,capacity_msat,${columns.join(',')}\n`;
  for (let channel = 0; channel < graph.channelCount; channel++) {
    const ends = [graph.nodeId(graph.node1[channel]!), graph.nodeId(graph.node2[channel]!)];
    const terms = [0, 1].flatMap((direction) => policyCells(graph.policy(2 * channel + direction)));
    const scid = formatShortChannelId(graph.shortChannelIds[channel]!);
    yield `${[scid, ...ends, graph.capacityMsat[channel]!, ...terms].join(',')}\n`;
  }
}

function policyCells(policy: ChannelPolicy | undefined): (string | number | bigint)[] {
  if (policy === undefined) return DIRECTION_COLUMNS.map(() => '');
  const {
    feeBaseMsat,
    feeProportionalMillionths,
    cltvExpiryDelta,
    htlcMinimumMsat,
    htlcMaximumMsat,
    enabled,
  } = policy;
  return [
    feeBaseMsat,
    feeProportionalMillionths,
    cltvExpiryDelta,
    htlcMinimumMsat,
    htlcMaximumMsat,
    Number(enabled),
  ];
}

function* graphmlLines(graph: ChannelGraph): Generator<string> {
  yield '<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n';
  yield '<key id="alias" for="node" attr.name="alias" attr.type="string"/>\n';
  for (const [name, type] of EDGE_KEYS) {
    yield `<key id="${name}" for="edge" attr.name="${name}" attr.type="${type}"/>\n`;
  }
  yield '<graph edgedefault="directed" parse.edgeids="free">\n';
  for (let node = 0; node < graph.nodeCount; node++) {
    if (graph.nodeDegree[node] === 0) continue;
    const alias = aliasOf(graph.announcements.get(node)?.alias);
    const data = alias === '' ? '' : `<data key="alias">${xmlText(alias)}</data>`;
    yield `<node id="${graph.nodeId(node)}">${data}</node>\n`;
  }
  for (let direction = 0; direction < 2 * graph.channelCount; direction++) {
    const policy = graph.policy(direction);
    if (policy !== undefined) yield edgeLine(graph, direction, policy);
  }
  yield '</graph>\n</graphml>\n';
}

function edgeLine(graph: ChannelGraph, direction: number, policy: ChannelPolicy): string {
  const channel = direction >>> 1;
  const ends = [graph.nodeId(graph.node1[channel]!), graph.nodeId(graph.node2[channel]!)];
  const [source, destination] = (direction & 1) === 0 ? ends : ends.toReversed();
  const scid = `${formatShortChannelId(graph.shortChannelIds[channel]!)}/${direction & 1}`;
  const values: Readonly<Record<(typeof EDGE_KEYS)[number][0], unknown>> = {
    scid,
    source,
    destination,
    timestamp: policy.timestamp,
    fee_base_msat: policy.feeBaseMsat,
    fee_proportional_millionths: policy.feeProportionalMillionths,
    htlc_minimum_msat: policy.htlcMinimumMsat,
    htlc_maximum_msat: policy.htlcMaximumMsat,
    cltv_expiry_delta: policy.cltvExpiryDelta,
    capacity_msat: graph.capacityMsat[channel]!,
    enabled: policy.enabled,
  };
  const data = EDGE_KEYS.map(([name]) => `<data key="${name}">${values[name]}</data>`).join('');
  return `<edge id="${scid}" source="${source}" target="${destination}">${data}</edge>\n`;
}

/** Converts an announced alias to text, without its padding and control characters. */
function aliasOf(alias: Uint8Array | undefined): string {
  if (alias === undefined) return '';
  const text = Buffer.from(alias).toString('utf8').replaceAll('\0', '');
  // XML 1.0 allows almost no control characters.
  return [...text].filter((letter) => letter >= ' ' && letter !== '\uFFFE' && letter !== '\uFFFF').join('');
}

const xmlText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
