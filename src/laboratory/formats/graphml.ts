/**
 * Reads a network from GraphML, as written by `--write-network` or networkx. An edge is a channel direction. Attributes
 * are found by the names that the file's `key` elements define:
 *
 *     scid (BxTxO/D), fee_base_msat, fee_proportional_millionths, htlc_minimum_msat, htlc_maximum_msat,
 *     cltv_expiry_delta, capacity_msat, enabled (optional)
 *
 * The spelling `htlc_minimim_msat`, which `lntopo` uses, is accepted too. All elements except `key`, `edge` and the
 * `data` of edges are ignored.
 */
import { ChannelGraph } from '../../model/channel-graph.ts';
import { msat } from '../../model/msat.ts';
import { type NodeId, nodeIdToBytes, parseNodeId } from '../../model/node-id.ts';
import { type Direction, parseShortChannelIdDir } from '../../model/short-channel-id.ts';
import { scenarioError } from '../scenario/scenario-error.ts';
import { readText } from './csv-rows.ts';
import { type NetworkInput, suspectUnits } from './network-input.ts';

const MAX_AMOUNT_MSAT = 2n ** 62n;
const MAX_U32 = 2n ** 32n - 1n;
const MAX_U16 = 2n ** 16n - 1n;

/** A tag with its attributes, a comment or declaration, or text between tags. */
const TAGS = /<(\/?)([\w:.-]+)((?:\s+[\w:.-]+\s*=\s*(?:"[^"]*"|'[^']*'))*)\s*(\/?)>|<[?!][^>]*>|([^<]+)/g;
const ATTRIBUTES = /([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };
const plainText = (text: string): string =>
  text.replace(/&(lt|gt|amp|quot|apos);/g, (_, name: string) => ENTITIES[name]!);

/** An edge: its position in the file, its two nodes, and its values by name. */
interface GraphmlEdge {
  readonly offset: number;
  readonly source: string;
  readonly target: string;
  readonly values: Map<string, string>;
}

/** @throws FulguriteError `scenario`, with the line */
export function readGraphml(file: string): NetworkInput {
  const text = readText(file);
  const graph = new ChannelGraph();
  const aliases = new Map<string, number>();
  for (const edge of edgesOf(text, file)) addDirection(graph, edge, new EdgeReader(file, text, edge));
  return { graph, aliases, warnings: suspectUnits(graph, file) };
}

function* edgesOf(text: string, file: string): Generator<GraphmlEdge> {
  const names = new Map<string, string>();
  let edge: GraphmlEdge | undefined;
  let key: string | undefined;
  let end = 0;
  let isWhole = false;
  for (const match of text.matchAll(TAGS)) {
    if (match.index !== end) break;
    end = match.index + match[0].length;
    const [, slash, tag, attributes, selfClosing, content] = match;
    if (content !== undefined) {
      if (edge !== undefined && key !== undefined) edge.values.set(names.get(key) ?? key, plainText(content));
      continue;
    }
    if (tag === undefined) continue;
    const isEnd = slash === '/' || selfClosing === '/';
    const of = slash === '/' ? new Map<string, string>() : attributesOf(attributes ?? '');
    if (tag === 'graphml' && slash === '/') isWhole = true;
    if (tag === 'key') names.set(of.get('id') ?? '', of.get('attr.name') ?? '');
    if (tag === 'data') key = isEnd ? undefined : of.get('key');
    if (tag === 'edge' && slash !== '/') {
      edge = {
        offset: match.index,
        source: of.get('source') ?? '',
        target: of.get('target') ?? '',
        values: new Map(),
      };
    }
    if (tag !== 'edge' || !isEnd) continue;
    if (edge !== undefined) yield edge;
    edge = undefined;
  }
  if (isWhole && end === text.length) return;
  const found = text.slice(end, end + 20) || 'the end of the file';
  throw scenarioError({ file, line: lineOf(text, end), field: '', expected: 'XML up to </graphml>', found });
}

const attributesOf = (text: string): Map<string, string> =>
  new Map(
    [...text.matchAll(ATTRIBUTES)].map(([, name, double, single]) => [
      name!,
      plainText(double ?? single ?? ''),
    ]),
  );

const lineOf = (text: string, offset: number): number => text.slice(0, offset).split('\n').length;

/** Reads the values of an edge. Errors contain the line. */
class EdgeReader {
  readonly #file: string;
  readonly #text: string;
  readonly #edge: GraphmlEdge;

  constructor(file: string, text: string, edge: GraphmlEdge) {
    this.#file = file;
    this.#text = text;
    this.#edge = edge;
  }

  refuse(field: string, expected: string, found: string): never {
    const line = lineOf(this.#text, this.#edge.offset);
    throw scenarioError({ file: this.#file, line, field, expected, found });
  }

  value(name: string): string {
    return this.#edge.values.get(name) ?? '';
  }

  bigint(name: string, least: bigint, most: bigint): bigint {
    const found = this.value(name);
    const value = /^\d{1,20}$/.test(found) ? BigInt(found) : -1n;
    return value >= least && value <= most
      ? value
      : this.refuse(name, `a whole number from ${least} to ${most}`, found);
  }

  node(field: string, text: string): NodeId {
    return parseNodeId(text) ?? this.refuse(field, 'a node id of 66 hex digits', text);
  }
}

function addDirection(graph: ChannelGraph, edge: GraphmlEdge, read: EdgeReader): void {
  const name = read.value('scid');
  const scid = parseShortChannelIdDir(name) ?? read.refuse('scid', 'a direction BxTxO/D', name);
  const [source, target] = [read.node('source', edge.source), read.node('target', edge.target)];
  if (source === target) read.refuse('target', 'a node other than source', target);
  if (source < target !== (scid.direction === 0))
    read.refuse('scid', 'direction 0 from the lexicographically smaller node id', name);
  const capacityMsat = read.bigint('capacity_msat', 1n, MAX_AMOUNT_MSAT);
  const channel = channelOf(graph, scid.shortChannelId, [source, target], capacityMsat, read);
  if (graph.policy(2 * channel + scid.direction) !== undefined)
    read.refuse('scid', 'each direction once', `${name} again`);
  const minimum = read.value('htlc_minimum_msat') === '' ? 'htlc_minimim_msat' : 'htlc_minimum_msat';
  graph.setPolicy(channel, scid.direction as Direction, {
    enabled: !/^(false|0)$/i.test(read.value('enabled')),
    htlcMinimumMsat: msat(read.bigint(minimum, 0n, MAX_AMOUNT_MSAT)),
    htlcMaximumMsat: msat(read.bigint('htlc_maximum_msat', 0n, MAX_AMOUNT_MSAT)),
    feeBaseMsat: Number(read.bigint('fee_base_msat', 0n, MAX_U32)),
    feeProportionalMillionths: Number(read.bigint('fee_proportional_millionths', 0n, MAX_U32)),
    cltvExpiryDelta: Number(read.bigint('cltv_expiry_delta', 0n, MAX_U16)),
  });
}

/** The index of a direction's channel. A new channel is added to the graph. */
function channelOf(
  graph: ChannelGraph,
  scid: bigint,
  nodes: readonly NodeId[],
  capacityMsat: bigint,
  read: EdgeReader,
): number {
  const [node1, node2] = nodes.toSorted().map((id) => graph.internNode(nodeIdToBytes(id))) as [
    number,
    number,
  ];
  const known = graph.channelIndex(scid);
  if (known < 0) return graph.addChannel(scid, node1, node2, capacityMsat);
  if (graph.capacityMsat[known] !== capacityMsat)
    read.refuse(
      'capacity_msat',
      `the capacity of the other direction, ${graph.capacityMsat[known]}`,
      `${capacityMsat}`,
    );
  if (graph.node1[known] !== node1 || graph.node2[known] !== node2)
    read.refuse('source', 'the two nodes of the other direction', nodes.join(' and '));
  return known;
}
