/**
 * LDK's router (npm `lightningdevkit`, WASM) on a graph of ours, for comparison.
 *
 * The graph goes in as unsigned gossip of BOLT 7: announcements and updates. A lookup of ours confirms the outputs of
 * the announcements, so that capacities are known. Scorer and parameters are LDK's defaults. Neither router knows any
 * balances.
 */
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type * as Ldk from 'lightningdevkit';
import type { RouteQuery } from '../src/engine/question/route.ts';
import { feedLdkGraph, type LdkBindings, openLdk } from '../src/laboratory/routers/ldk-graph.ts';
import type { ChannelGraph } from '../src/model/channel-graph.ts';
import { NODE_ID_BYTES, type NodeId, nodeIdToBytes } from '../src/model/node-id.ts';
import type { Direction } from '../src/model/short-channel-id.ts';
import type { Part } from './figures.ts';

/** LDK's router on one graph. */
export interface LdkRouter {
  /** A route, or LDK's reason for having none. */
  find(query: RouteQuery): LdkAnswer;
}

/** LDK's answer, in our terms. */
export type LdkAnswer = { readonly parts: readonly Part[] } | { readonly refusal: string };

/**
 * Loads a router. Feeding a graph to LDK's bindings takes more than ten seconds. Reading a graph that LDK itself wrote
 * takes half a second. So the graph is kept in a file of the directory, whose name is a hash of its contents.
 * @throws when the package is not installed, or refuses a channel.
 */
export async function loadLdkRouter(graph: ChannelGraph, cacheDirectory: string): Promise<LdkRouter> {
  const ldk = await openLdk();
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

function networkOf(
  ldk: LdkBindings,
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
  feedLdkGraph(ldk, network, graph);
  writeFileSync(file, network.write());
  return network;
}

const cacheFile = (graph: ChannelGraph, directory: string): string =>
  join(directory, `ldk-${contentHash(graph)}.bin`);

/** Whether the directory already contains the graph, so that `loadLdkRouter` takes only a second. */
export function isLdkFed(graph: ChannelGraph, cacheDirectory: string): boolean {
  return existsSync(cacheFile(graph, cacheDirectory));
}

/** Hash of everything that LDK reads. */
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

/** The limits of a query, in the form of a keysend, so that LDK may use several parts. */
function routeParameters(ldk: LdkBindings, query: RouteQuery): Ldk.RouteParameters {
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
