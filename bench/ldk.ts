/**
 * LDK's router (npm `lightningdevkit`, WASM) on a graph of ours, for comparison.
 *
 * The graph goes in as unsigned gossip of BOLT 7: announcements and updates. A lookup of ours confirms the
 * outputs of the announcements, so that capacities are known. Scorer and parameters are LDK's defaults.
 * Nothing is known of any balance on either side.
 */
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type * as Ldk from 'lightningdevkit';
import type { RouteQuery } from '../src/engine/route.ts';
import { type ChannelGraph, POLICY_ENABLED } from '../src/model/channel-graph.ts';
import { NODE_ID_BYTES, type NodeId, nodeIdToBytes } from '../src/model/node-id.ts';
import type { Direction } from '../src/model/short-channel-id.ts';
import type { Part } from './figures.ts';

type Bindings = typeof Ldk;

const DISABLED = 2;
/** Message flag of an update that contains an htlc_maximum_msat. */
const HAS_MAXIMUM = 1;
const NO_EXCESS_DATA = new Uint8Array();
/** Funding keys. Any two points serve, as long as they differ. */
const FUNDING_KEYS = [
  Buffer.from('0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798', 'hex'),
  Buffer.from('02c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5', 'hex'),
] as const;

/** LDK's router on one graph. */
export interface LdkRouter {
  /** A route, or LDK's reason for having none. */
  find(query: RouteQuery): LdkAnswer;
}

/** LDK's answer, in our terms. */
export type LdkAnswer = { readonly parts: readonly Part[] } | { readonly refusal: string };

/**
 * Loads a router. Feeding a graph to LDK's bindings takes a good ten seconds. Reading a graph that LDK itself wrote
 * takes half a second. So the fed graph is kept in a file of the directory, named after its content.
 * @throws when the package is not installed, or refuses a channel.
 */
export async function loadLdkRouter(graph: ChannelGraph, cacheDirectory: string): Promise<LdkRouter> {
  const ldk = await initialised();
  const logger = ldk.Logger.new_impl({ log: () => undefined });
  const network = networkOf(ldk, logger, graph, cacheDirectory);
  const scorer = ldk.ProbabilisticScorer.constructor_new(
    ldk.ProbabilisticScoringDecayParameters.constructor_default(),
    network,
    logger,
  );
  const scoreParameters = ldk.ProbabilisticScoringFeeParameters.constructor_default();
  return {
    find(query) {
      const result = ldk.UtilMethods.constructor_find_route(
        nodeIdToBytes(query.source),
        routeParameters(ldk, query),
        network,
        null,
        logger,
        scorer.as_ScoreLookUp(),
        scoreParameters,
        randomBytes(32),
      );
      if (result instanceof ldk.Result_RouteLightningErrorZ_OK) {
        return { parts: result.res.get_paths().map((path) => partOf(graph, query.source, path)) };
      }
      return { refusal: (result as Ldk.Result_RouteLightningErrorZ_Err).err.get_err() };
    },
  };
}

/** The bindings with their WASM. The line that they print on standard output is suppressed. */
async function initialised(): Promise<Bindings> {
  const ldk = await import('lightningdevkit');
  const log = console.log;
  console.log = () => undefined;
  try {
    const wasm = new URL('liblightningjs.wasm', import.meta.resolve('lightningdevkit'));
    await ldk.initializeWasmFromBinary(readFileSync(wasm));
  } finally {
    console.log = log;
  }
  return ldk;
}

function networkOf(
  ldk: Bindings,
  logger: Ldk.Logger,
  graph: ChannelGraph,
  cacheDirectory: string,
): Ldk.NetworkGraph {
  const file = cacheFile(graph, cacheDirectory);
  if (existsSync(file)) {
    const read = ldk.NetworkGraph.constructor_read(readFileSync(file), logger);
    if (read instanceof ldk.Result_NetworkGraphDecodeErrorZ_OK) return read.res;
  }
  const network = ldk.NetworkGraph.constructor_new(ldk.Network.LDKNetwork_Bitcoin, logger);
  feed(ldk, network, graph);
  writeFileSync(file, network.write());
  return network;
}

const cacheFile = (graph: ChannelGraph, directory: string): string =>
  join(directory, `ldk-${contentHash(graph)}.bin`);

/** Whether the graph is in the directory already. Then `loadLdkRouter` takes only a second. */
export function isLdkFed(graph: ChannelGraph, cacheDirectory: string): boolean {
  return existsSync(cacheFile(graph, cacheDirectory));
}

/** Hash of everything that is fed. */
function contentHash(graph: ChannelGraph): string {
  const hash = createHash('sha256');
  const { channelCount, nodeCount } = graph;
  hash.update(graph.nodeIds.subarray(0, nodeCount * NODE_ID_BYTES));
  for (const column of [graph.shortChannelIds, graph.capacityMsat, graph.node1, graph.node2]) {
    hash.update(column.subarray(0, channelCount));
  }
  const policies = [graph.policyFlags, graph.htlcMinimumMsat, graph.htlcMaximumMsat, graph.cltvExpiryDelta];
  for (const column of [...policies, graph.feeBaseMsat, graph.feeProportionalMillionths]) {
    hash.update(column.subarray(0, channelCount * 2));
  }
  return hash.digest('hex').slice(0, 16);
}

function feed(ldk: Bindings, network: Ldk.NetworkGraph, graph: ChannelGraph): void {
  const chainHash = network.get_chain_hash();
  const script = fundingScript();
  const lookup = ldk.Option_UtxoLookupZ.constructor_some(
    ldk.UtxoLookup.new_impl({
      get_utxo(_chain, shortChannelId) {
        const capacitySat = graph.capacityMsat[graph.channelIndex(shortChannelId)]! / 1000n;
        const output = ldk.TxOut.constructor_new(capacitySat, script);
        return ldk.UtxoResult.constructor_sync(ldk.Result_TxOutUtxoLookupErrorZ.constructor_ok(output));
      },
    }),
  );
  const timestamp = Math.floor(Date.now() / 1000) - 3600;
  for (let channel = 0; channel < graph.channelCount; channel++) {
    const announced = ldk.UnsignedChannelAnnouncement.constructor_read(
      announcementBytes(graph, channel, chainHash),
    );
    if (!(announced instanceof ldk.Result_UnsignedChannelAnnouncementDecodeErrorZ_OK)) {
      throw new Error(`LDK cannot read the announcement of channel ${channel}`);
    }
    const added = network.update_channel_from_unsigned_announcement(announced.res, lookup);
    if (!added.is_ok()) throw new Error(`LDK refuses channel ${channel}: ${reasonOf(added)}`);
    for (const direction of [0, 1] as const) {
      const update = updateOf(ldk, graph, channel, direction, chainHash, timestamp);
      const updated = network.update_channel_unsigned(update);
      if (!updated.is_ok())
        throw new Error(`LDK refuses an update of channel ${channel}: ${reasonOf(updated)}`);
    }
  }
}

const reasonOf = (result: Ldk.Result_NoneLightningErrorZ): string =>
  (result as Ldk.Result_NoneLightningErrorZ_Err).err.get_err();

/** P2WSH of a 2-of-2 over the funding keys in order (BOLT 3, "Funding Transaction Output"). */
function fundingScript(): Uint8Array {
  const [first, second] = FUNDING_KEYS;
  const script = Buffer.concat([
    Buffer.from([0x52, 33]),
    first,
    Buffer.from([33]),
    second,
    Buffer.from([0x52, 0xae]),
  ]);
  return Buffer.concat([Buffer.from([0, 32]), createHash('sha256').update(script).digest()]);
}

/** The unsigned part of channel_announcement (BOLT 7), without features. */
function announcementBytes(graph: ChannelGraph, channel: number, chainHash: Uint8Array): Uint8Array {
  const scid = Buffer.alloc(8);
  scid.writeBigUInt64BE(graph.shortChannelIds[channel]!);
  const id = (node: number) => graph.nodeIds.subarray(node * NODE_ID_BYTES, (node + 1) * NODE_ID_BYTES);
  return Buffer.concat([
    Buffer.alloc(2),
    chainHash,
    scid,
    id(graph.node1[channel]!),
    id(graph.node2[channel]!),
    ...FUNDING_KEYS,
  ]);
}

function updateOf(
  ldk: Bindings,
  graph: ChannelGraph,
  channel: number,
  direction: Direction,
  chainHash: Uint8Array,
  timestamp: number,
): Ldk.UnsignedChannelUpdate {
  const directionIndex = channel * 2 + direction;
  const isEnabled = (graph.policyFlags[directionIndex]! & POLICY_ENABLED) !== 0;
  return ldk.UnsignedChannelUpdate.constructor_new(
    chainHash,
    graph.shortChannelIds[channel]!,
    timestamp,
    HAS_MAXIMUM,
    direction | (isEnabled ? 0 : DISABLED),
    graph.cltvExpiryDelta[directionIndex]!,
    graph.htlcMinimumMsat[directionIndex]!,
    graph.htlcMaximumMsat[directionIndex]!,
    graph.feeBaseMsat[directionIndex]!,
    graph.feeProportionalMillionths[directionIndex]!,
    NO_EXCESS_DATA,
  );
}

/** The limits of a query, as a keysend. That tells LDK that a node takes several parts. */
function routeParameters(ldk: Bindings, query: RouteQuery): Ldk.RouteParameters {
  const payment = ldk.PaymentParameters.constructor_for_keysend(
    nodeIdToBytes(query.destination),
    query.finalCltv,
    query.maxparts > 1,
  );
  payment.set_max_path_count(query.maxparts);
  payment.set_max_total_cltv_expiry_delta(query.maxdelay);
  const maxfee = ldk.Option_u64Z.constructor_some(query.maxfeeMsat);
  return ldk.RouteParameters.constructor_new(payment, query.amountMsat, maxfee);
}

/**
 * LDK's path in our form. A hop of LDK names the node that it reaches and the amount that this node keeps (for the
 * last node: receives). So the amount that crosses a hop is the sum from that hop to the end. Nothing is kept before
 * the first hop.
 */
function partOf(graph: ChannelGraph, source: NodeId, path: Ldk.Path): Part {
  const hops = path.get_hops();
  const crossings = [];
  let amountMsat = 0n;
  for (let index = hops.length - 1; index >= 0; index--) {
    amountMsat += hops[index]!.get_fee_msat();
    const shortChannelId = hops[index]!.get_short_channel_id();
    const from = index === 0 ? nodeIdToBytes(source) : hops[index - 1]!.get_pubkey();
    const isFirst = graph.node1[graph.channelIndex(shortChannelId)] === graph.nodeIndexOfBytes(from);
    crossings.push({ shortChannelId, direction: (isFirst ? 0 : 1) as Direction, amountMsat });
  }
  return { deliveredMsat: hops.at(-1)!.get_fee_msat(), sentMsat: amountMsat, crossings };
}
