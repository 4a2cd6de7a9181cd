/** The directions and nodes that answers of route requests use, and those that failures name. */
import type { Places } from '../layers/layer-difference.ts';
import type { ChannelGraph } from '../model/channel-graph.ts';
import { formatShortChannelIdDir, type ShortChannelIdDir } from '../model/short-channel-id.ts';
import type { RouteAnswer } from './route.ts';

/**
 * Collects every hop of the answers and whatever is named besides. For each direction, both ends of its
 * channel are added if the graph has it. Answers come first, then what is named.
 */
export function placesMet(
  answers: readonly RouteAnswer[],
  named: { readonly directions: readonly ShortChannelIdDir[]; readonly nodes: readonly string[] },
  graph: ChannelGraph,
): Places {
  const hops = answers.flatMap(({ routes }) => routes.flatMap(({ path }) => path));
  const all = [...hops.map(({ shortChannelIdDir }) => shortChannelIdDir), ...named.directions];
  const directions = new Map(all.map((each) => [formatShortChannelIdDir(each), each]));
  const nodes = new Set<string>([
    ...hops.flatMap(({ nodeIdIn, nodeIdOut }) => [nodeIdIn, nodeIdOut]),
    ...named.nodes,
  ]);
  for (const { shortChannelId } of directions.values()) {
    const channel = graph.channelIndex(shortChannelId);
    if (channel >= 0) nodes.add(graph.nodeId(graph.node1[channel]!)).add(graph.nodeId(graph.node2[channel]!));
  }
  return { directions, nodes };
}
