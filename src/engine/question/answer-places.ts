/** The directions and nodes in answers to route requests, and those named in failures. */
import type { Places } from '../../layers/layer-difference.ts';
import type { ChannelGraph } from '../../model/channel-graph.ts';
import type { NodeId } from '../../model/node-id.ts';
import { formatShortChannelIdDir, type ShortChannelIdDir } from '../../model/short-channel-id.ts';
import type { Binding } from './no-route.ts';
import type { RouteAnswer } from './route.ts';

/** The directions and nodes named in the reason of a failure. */
interface NamedPlaces {
  readonly directions: readonly ShortChannelIdDir[];
  readonly nodes: readonly NodeId[];
}

/** The directions and nodes that prevent a route, in reporting order. */
function placesNamed(binding: Binding): NamedPlaces {
  switch (binding.kind) {
    case 'endCapacity': {
      const { channels, shortage } = binding;
      const disabled = shortage.kind === 'disabled' ? shortage.disabled : [];
      const nodes = disabled.flatMap(({ fault }) => (fault.kind === 'nodeDisabled' ? [fault.node] : []));
      return { directions: [...channels, ...disabled.map(({ of }) => of)], nodes };
    }
    case 'direction': {
      const { of, fault, cut } = binding;
      return { directions: [of, ...cut], nodes: fault.kind === 'nodeDisabled' ? [fault.node] : [] };
    }
    case 'capacity':
      return { directions: binding.cut, nodes: [] };
    case 'deduction':
      return { directions: [binding.of], nodes: [] };
    default:
      return { directions: [], nodes: [] };
  }
}

/**
 * Collects every hop of the answers and, for queries without an answer, the directions and nodes named in the reasons.
 * For each direction, both ends of its channel are added if the graph has it. Answers come first, then reasons.
 */
export function placesMet(
  answers: readonly RouteAnswer[],
  reasons: readonly Binding[],
  graph: ChannelGraph,
): Places {
  const named = reasons.map(placesNamed);
  const hops = answers.flatMap(({ routes }) => routes.flatMap(({ path }) => path));
  const all = [
    ...hops.map(({ shortChannelIdDir }) => shortChannelIdDir),
    ...named.flatMap(({ directions }) => directions),
  ];
  const directions = new Map(all.map((each) => [formatShortChannelIdDir(each), each]));
  const nodes = new Set<string>([
    ...hops.flatMap(({ nodeIdIn, nodeIdOut }) => [nodeIdIn, nodeIdOut]),
    ...named.flatMap(({ nodes }) => nodes),
  ]);
  for (const { shortChannelId } of directions.values()) {
    const channel = graph.channelIndex(shortChannelId);
    if (channel >= 0) nodes.add(graph.nodeId(graph.node1[channel]!)).add(graph.nodeId(graph.node2[channel]!));
  }
  return { directions, nodes };
}
