/**
 * Reads a network from the result of Core Lightning's `listchannels`, as written by `lightning-cli listchannels >
 * FILE`: an element for each direction. Amounts are whole msat, or, in older versions, texts such as `1000msat`. A
 * direction that is not active is disabled. If the list has only one direction of a channel, only that direction can be
 * used.
 */
import { ChannelGraph } from '../../model/channel-graph.ts';
import { msat } from '../../model/msat.ts';
import { type NodeId, nodeIdToBytes, parseNodeId } from '../../model/node-id.ts';
import { type Direction, parseShortChannelId } from '../../model/short-channel-id.ts';
import { Field, type FieldMap } from '../scenario/fields.ts';
import { parseLocated } from '../scenario/located.ts';
import { readText } from './csv-rows.ts';
import { type NetworkInput, suspectUnits } from './network-input.ts';

const MAX_AMOUNT_MSAT = 2n ** 62n;
const MAX_U32 = 0xffff_ffff;
const MAX_U16 = 0xffff;

/** @throws FulguriteError `scenario`, with the line */
export function readListchannels(file: string): NetworkInput {
  const parsed = parseLocated(readText(file), file);
  const rows = new Field(parsed, parsed.root, '').map().required('channels').list();
  const graph = new ChannelGraph(rows.length, rows.length);
  for (const row of rows) addDirection(graph, row.map());
  return { graph, aliases: new Map(), warnings: suspectUnits(graph, file) };
}

function addDirection(graph: ChannelGraph, row: FieldMap): void {
  const field = row.required('short_channel_id');
  const scid = parseShortChannelId(field.text()) ?? field.refuse('a short channel id BxTxO');
  const ends = [nodeOf(row.required('source')), nodeOf(row.required('destination'))] as const;
  const [source, target] = ends;
  if (source === target) row.required('destination').refuse('a node other than source');
  const direction: Direction = source < target ? 0 : 1;
  const stated = row.optional('direction');
  if (stated !== undefined && stated.integer(0, 1) !== direction)
    stated.refuse(`${direction}, since 0 leaves the lexicographically smaller node id`);
  const channel = channelOf(graph, scid, ends, row);
  if (graph.policy(2 * channel + direction) !== undefined) field.refuse('each direction once');
  const capacityMsat = graph.capacityMsat[channel]!;
  graph.setPolicy(channel, direction, {
    enabled: row.get('active', (each) => each.flag(), true),
    htlcMinimumMsat: msat(row.get('htlc_minimum_msat', amountOf, 0n)),
    htlcMaximumMsat: msat(row.get('htlc_maximum_msat', amountOf, capacityMsat)),
    feeBaseMsat: row.required('base_fee_millisatoshi').integer(0, MAX_U32),
    feeProportionalMillionths: row.required('fee_per_millionth').integer(0, MAX_U32),
    cltvExpiryDelta: row.required('delay').integer(0, MAX_U16, 'blocks'),
  });
}

/** The index of a row's channel. A new channel is added to the graph. */
function channelOf(
  graph: ChannelGraph,
  scid: bigint,
  ends: readonly [NodeId, NodeId],
  row: FieldMap,
): number {
  const field = row.required('amount_msat');
  const capacityMsat = amountOf(field);
  if (capacityMsat === 0n) field.refuse('a capacity above 0');
  const [node1, node2] = ends.toSorted().map((id) => graph.internNode(nodeIdToBytes(id))) as [number, number];
  const known = graph.channelIndex(scid);
  if (known < 0) return graph.addChannel(scid, node1, node2, capacityMsat);
  const other = graph.capacityMsat[known]!;
  if (other !== capacityMsat) field.refuse(`the capacity of the other direction, ${other}`);
  if (graph.node1[known] !== node1 || graph.node2[known] !== node2)
    row.required('source').refuse('the two nodes of the other direction');
  return known;
}

const nodeOf = (field: Field): NodeId =>
  parseNodeId(field.text()) ?? field.refuse('a node id of 66 hex digits');

/** Reads an amount: a whole number of msat, or a text such as `1000msat`. */
function amountOf(field: Field): bigint {
  const expected = `an amount in msat from 0 to ${MAX_AMOUNT_MSAT}`;
  if (!field.isText) return field.bigint(0n, MAX_AMOUNT_MSAT, 'an amount in msat');
  const digits = /^(\d{1,19})msat$/.exec(field.text())?.[1];
  const amount = digits === undefined ? undefined : BigInt(digits);
  return amount !== undefined && amount <= MAX_AMOUNT_MSAT ? amount : field.refuse(expected);
}
