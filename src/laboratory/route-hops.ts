/** Converts paths of a simulation to the hops that lessons and learning use (src/engine/question/route.ts). */
import type { RouteHop } from '../engine/question/route.ts';
import type { ChannelGraph } from '../model/channel-graph.ts';
import { msat } from '../model/msat.ts';
import type { NodeId } from '../model/node-id.ts';
import type { Direction, ShortChannelId } from '../model/short-channel-id.ts';
import type { PlannedRoute } from './routers/router.ts';

/** Node ids by index. Each id is created only once, because a run requests the same ids millions of times. */
export class NodeIds {
  readonly #graph: ChannelGraph;
  readonly #ids: (NodeId | undefined)[] = [];

  constructor(graph: ChannelGraph) {
    this.#graph = graph;
  }

  of(node: number): NodeId {
    this.#ids[node] ??= this.#graph.nodeId(node);
    return this.#ids[node];
  }
}

/** The hops of a route. Delays are in blocks above the height at planning, as in the result of `getroutes`. */
export function hopsOf(graph: ChannelGraph, ids: NodeIds, route: PlannedRoute): RouteHop[] {
  const { directions, amountsMsat, expiries } = route;
  return directions.map((direction, hop): RouteHop => {
    const channel = direction >>> 1;
    const [node1, node2] = [ids.of(graph.node1[channel]!), ids.of(graph.node2[channel]!)];
    const isForth = (direction & 1) === 0;
    return {
      shortChannelIdDir: {
        shortChannelId: graph.shortChannelIds[channel]! as ShortChannelId,
        direction: (direction & 1) as Direction,
      },
      nodeIdIn: isForth ? node1 : node2,
      nodeIdOut: isForth ? node2 : node1,
      amountInMsat: msat(amountsMsat[hop - 1] ?? amountsMsat[0]!),
      amountOutMsat: msat(amountsMsat[hop]!),
      cltvIn: expiries[hop - 1] ?? expiries[0]!,
      cltvOut: expiries[hop]!,
    };
  });
}
