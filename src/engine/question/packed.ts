/** Requests and answers in list form (as-list.ts), for sending. */
import { asList, fromList } from '../../model/as-list.ts';
import type { Msat } from '../../model/msat.ts';
import { NODE_ID_BYTES, type NodeId } from '../../model/node-id.ts';
import type { Direction, ShortChannelId } from '../../model/short-channel-id.ts';
import { QUESTION_MEMBERS, type Question } from './question.ts';
import type { Route, RouteAnswer, RouteHop, Unfinished } from './route.ts';
import type { LayerDelta, RouteRequest } from './route-request.ts';

/** A request as a list. */
export function packRequest({ task, deadline, graph, layers, query, own }: RouteRequest): unknown[] {
  const { from, to, chunks } = layers;
  return [task, deadline, graph, [from, to, ...chunks], asList(QUESTION_MEMBERS, query), own ?? null];
}

type PackedRequest = readonly [
  task: number,
  deadline: number,
  graph: number,
  layers: readonly [from: number, to: number, ...chunks: LayerDelta['chunks']],
  query: readonly unknown[],
  own: Uint8Array | null,
];

/**
 * The members of a question in a solver, which sets the odds. They are a member from the start, because V8 gives each
 * question its own hidden class if a member is added later, and then reading any member is slow.
 */
const RECEIVED_MEMBERS: readonly (keyof Question)[] = [...QUESTION_MEMBERS, 'odds'];

/** The request that `packRequest` packed. */
export function unpackRequest(list: readonly unknown[]): RouteRequest {
  const [task, deadline, graph, layers, members, own] = list as PackedRequest;
  const [from, to, ...chunks] = layers;
  const query = fromList<Question>(RECEIVED_MEMBERS, members);
  const request = { task, deadline, graph, layers: { from, to, chunks }, query };
  return own === null ? request : { ...request, own };
}

/** Hex digits of a node id. */
export const NODE_ID_DIGITS = 2 * NODE_ID_BYTES;

/** A hop without its nodes: channel, direction, amounts and delays. */
type PackedHop = readonly [
  shortChannelId: bigint,
  direction: number,
  amountInMsat: bigint,
  amountOutMsat: bigint,
  cltvIn: number,
  cltvOut: number,
];

/** A route. It has one node more than hops. The ids of its nodes are one text, which is decoded in one go. */
type PackedRoute = readonly [
  probabilityPpm: number,
  amountMsat: bigint,
  finalCltv: number,
  nodeIds: string,
  hops: readonly PackedHop[],
];

/** An answer as a list. */
export type PackedAnswer = readonly [
  probabilityPpm: number,
  unfinished: Unfinished | null,
  ...routes: readonly PackedRoute[],
];

/** Packs an answer. Each hop must start where the previous one ends, because each node is packed once. */
export function packAnswer({ probabilityPpm, unfinished, routes }: RouteAnswer): PackedAnswer {
  return [probabilityPpm, unfinished ?? null, ...routes.map(packRoute)];
}

function packRoute({ probabilityPpm, amountMsat, finalCltv, path }: Route): PackedRoute {
  let nodeIds: string = path[0]!.nodeIdIn;
  for (const { nodeIdOut } of path) nodeIds += nodeIdOut;
  return [probabilityPpm, amountMsat, finalCltv, nodeIds, path.map(packHop)];
}

const packHop = (hop: RouteHop): PackedHop => [
  hop.shortChannelIdDir.shortChannelId,
  hop.shortChannelIdDir.direction,
  hop.amountInMsat,
  hop.amountOutMsat,
  hop.cltvIn,
  hop.cltvOut,
];

/** The answer that `packAnswer` packed. */
export function unpackAnswer([probabilityPpm, unfinished, ...packed]: PackedAnswer): RouteAnswer {
  const routes = packed.map(unpackRoute);
  return unfinished === null ? { probabilityPpm, routes } : { probabilityPpm, routes, unfinished };
}

function unpackRoute([probabilityPpm, amountMsat, finalCltv, nodeIds, hops]: PackedRoute): Route {
  const nodeAt = (index: number) =>
    nodeIds.slice(NODE_ID_DIGITS * index, NODE_ID_DIGITS * (index + 1)) as NodeId;
  let nodeIdIn = nodeAt(0);
  const path = hops.map((hop, index): RouteHop => {
    const [shortChannelId, direction, amountInMsat, amountOutMsat, cltvIn, cltvOut] = hop;
    const from = nodeIdIn;
    nodeIdIn = nodeAt(index + 1);
    return {
      shortChannelIdDir: {
        shortChannelId: shortChannelId as ShortChannelId,
        direction: direction as Direction,
      },
      nodeIdIn: from,
      nodeIdOut: nodeIdIn,
      amountInMsat: amountInMsat as Msat,
      amountOutMsat: amountOutMsat as Msat,
      cltvIn,
      cltvOut,
    };
  });
  return { probabilityPpm, amountMsat: amountMsat as Msat, finalCltv, path };
}
