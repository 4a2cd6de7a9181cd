/**
 * Reads the output of LND's `lncli describegraph`, or of its REST interface at `/v1/graph` (lnrpc `ChannelGraph`): JSON
 * with `edges`, one for each channel. Amounts and ids are decimal texts, since a JSON number may not represent them
 * exactly.
 *
 * Notes on fields: `channel_id` is the short channel id as one u64 (block · 2⁴⁰ + transaction · 2¹⁶ + output).
 * `capacity` is in sat, `min_htlc` in msat. `fee_rate_milli_msat` is in parts per million. A policy is null if none was
 * received: the direction is unknown, not disabled. `max_htlc_msat` 0 means the capacity. An LND that does not check
 * funding outputs (`routing.assumechanvalid`) writes capacity 0, and we assume the larger htlc_maximum of the two
 * directions instead.
 *
 * Channels whose id is an alias (block 16,000,000 or more) are private, and left out. Node announcements and inbound
 * fees are not read.
 */
import { ChannelGraph } from '../model/channel-graph.ts';
import { MSAT_PER_SAT, msat, U64_MAX } from '../model/msat.ts';
import { type NodeId, nodeIdToBytes, parseNodeId } from '../model/node-id.ts';
import type { WirePolicy } from '../model/policy.ts';
import { shortChannelIdParts } from '../model/short-channel-id.ts';
import { largestHtlcMaximum } from './assumed-capacity.ts';
import { graphFileError, readGraphFile } from './graph-file.ts';

/** The first block height used for aliases. */
const FIRST_ALIAS_BLOCK = 16_000_000;
const MAX_U16 = 0xffffn;
const MAX_U32 = 0xffff_ffffn;
const MAX_CAPACITY_SAT = U64_MAX / MSAT_PER_SAT;

/** A JSON object with unchecked fields. */
type Json = { readonly [field: string]: unknown; readonly edges?: unknown; readonly disabled?: unknown };

/** Reads a file. @throws FulguriteError `graphSource`, with the edge at fault, if it cannot be read or is malformed */
export function readDescribedGraph(path: string): ChannelGraph {
  return parseDescribedGraph(readGraphFile(path, 'described graph').toString('utf8'), path);
}

/** Like `readDescribedGraph`, but reads a text in memory. @param file name of this text in errors */
export function parseDescribedGraph(text: string, file = 'described graph'): ChannelGraph {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw graphFileError(file, `not JSON: ${(error as Error).message}`);
  }
  const edges = isObject(json) ? json.edges : undefined;
  if (!Array.isArray(edges)) throw graphFileError(file, 'not a described graph: it has no list "edges"');
  const graph = new ChannelGraph(Math.ceil(edges.length / 2), edges.length);
  for (const [index, edge] of edges.entries()) {
    try {
      addEdge(graph, edge);
    } catch (error) {
      throw graphFileError(file, `edges[${index}]: ${(error as Error).message}`);
    }
  }
  return graph;
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function addEdge(graph: ChannelGraph, edge: unknown): void {
  if (!isObject(edge)) throw new TypeError('not an object');
  const scid = unsigned(edge, 'channel_id', U64_MAX);
  if (shortChannelIdParts(scid).block >= FIRST_ALIAS_BLOCK) return;
  const policies = [policyOf(edge, 'node1_policy'), policyOf(edge, 'node2_policy')];
  const toldSat = unsigned(edge, 'capacity', MAX_CAPACITY_SAT);
  const capacityMsat = toldSat === 0n ? largestHtlcMaximum(policies) : toldSat * MSAT_PER_SAT;
  const [node1, node2] = [nodeOf(edge, 'node1_pub'), nodeOf(edge, 'node2_pub')];
  const channel = graph.addChannel(scid, intern(graph, node1), intern(graph, node2), capacityMsat);
  for (const direction of [0, 1] as const) {
    const policy = policies[direction];
    if (policy === undefined) continue;
    const htlcMaximumMsat = policy.htlcMaximumMsat === 0n ? msat(capacityMsat) : policy.htlcMaximumMsat;
    graph.setPolicy(channel, direction, { ...policy, htlcMaximumMsat });
  }
}

const intern = (graph: ChannelGraph, id: NodeId): number => graph.internNode(nodeIdToBytes(id));

function nodeOf(edge: Json, field: string): NodeId {
  const value = edge[field];
  const id = typeof value === 'string' ? parseNodeId(value) : undefined;
  if (id === undefined) throw new TypeError(`${field} is not a node id`);
  return id;
}

function policyOf(edge: Json, field: string): (WirePolicy & { readonly timestamp: number }) | undefined {
  const policy = edge[field];
  if (policy === null || policy === undefined) return undefined;
  if (!isObject(policy)) throw new TypeError(`${field} is not an object`);
  const disabled = policy.disabled ?? false;
  if (typeof disabled !== 'boolean') throw new TypeError(`${field}: disabled is neither true nor false`);
  const within = (name: string, most: bigint, absent?: bigint) =>
    unsigned(policy, name, most, absent, `${field}: `);
  return {
    enabled: !disabled,
    htlcMinimumMsat: msat(within('min_htlc', U64_MAX)),
    htlcMaximumMsat: msat(within('max_htlc_msat', U64_MAX, 0n)),
    feeBaseMsat: Number(within('fee_base_msat', MAX_U32)),
    feeProportionalMillionths: Number(within('fee_rate_milli_msat', MAX_U32)),
    cltvExpiryDelta: Number(within('time_lock_delta', MAX_U16)),
    timestamp: Number(within('last_update', MAX_U32, 0n)),
  };
}

/** Reads an integer from 0 to `most`: a decimal text or an exact number. @param absent default for a missing field */
function unsigned(from: Json, field: string, most: bigint, absent?: bigint, within = ''): bigint {
  const value = from[field];
  if (value === undefined && absent !== undefined) return absent;
  const isExact = typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
  const isText = typeof value === 'string' && /^\d{1,20}$/.test(value);
  const integer = isExact || isText ? BigInt(value) : undefined;
  if (integer === undefined || integer > most) {
    throw new RangeError(`${within}${field} is not an integer from 0 to ${most}`);
  }
  return integer;
}
