/**
 * The public limits of every direction as numbers, for attacks that read each of them many times. Amounts above 2^53
 * msat (90,000 bitcoin) lose their last digits. No limit of a real channel is that large.
 */
import { type ChannelGraph, POLICY_ENABLED, POLICY_KNOWN } from '../model/channel-graph.ts';

/**
 * The columns of a graph, by direction index. `mostMsat` is -1 for a direction that is disabled or has no known policy.
 */
export class PassableGraph {
  readonly graph: ChannelGraph;
  readonly leastMsat: Float64Array;
  readonly mostMsat: Float64Array;

  constructor(graph: ChannelGraph) {
    const directions = 2 * graph.channelCount;
    this.graph = graph;
    this.leastMsat = new Float64Array(directions);
    this.mostMsat = new Float64Array(directions).fill(-1);
    for (let direction = 0; direction < directions; direction++) {
      if (graph.policyFlags[direction] !== (POLICY_KNOWN | POLICY_ENABLED)) continue;
      const capacityMsat = Number(graph.capacityMsat[direction >>> 1]!);
      this.leastMsat[direction] = Number(graph.htlcMinimumMsat[direction]!);
      this.mostMsat[direction] = Math.min(capacityMsat, Number(graph.htlcMaximumMsat[direction]!));
    }
  }

  /** Whether some amount from `leastMsat` to `mostMsat` may cross the direction. */
  passes(direction: number, leastMsat: number, mostMsat: number): boolean {
    return this.mostMsat[direction]! >= leastMsat && this.leastMsat[direction]! <= mostMsat;
  }

  /** The start node of a direction. */
  tail(direction: number): number {
    const { node1, node2 } = this.graph;
    return (direction & 1) === 0 ? node1[direction >>> 1]! : node2[direction >>> 1]!;
  }

  /** The end node of a direction. */
  head(direction: number): number {
    return this.tail(direction ^ 1);
  }

  /** The direction of a channel that leaves `node`, one of the channel's two nodes. */
  leaving(channel: number, node: number): number {
    return 2 * channel + (this.graph.node1[channel] === node ? 0 : 1);
  }
}

const known = new WeakMap<ChannelGraph, { readonly version: number; readonly passable: PassableGraph }>();

/** The columns of the graph's current version. They are built once per version. */
export function passableOf(graph: ChannelGraph): PassableGraph {
  const kept = known.get(graph);
  if (kept !== undefined && kept.version === graph.version) return kept.passable;
  const passable = new PassableGraph(graph);
  known.set(graph, { version: graph.version, passable });
  return passable;
}
