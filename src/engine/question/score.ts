/**
 * Scores a given route: its cost, its probability, and what is known about each hop, under layers, without a search.
 * Every number is what a search under the same layers would compute, by the rules of combine.ts, so the score of an
 * answer matches the answer.
 *
 * Amounts and delays are computed backwards from the destination, as in solve-route.ts. A hop that cannot carry its
 * amount has faults, and probability 0.
 */
import { baseGraphOf } from '../../layers/base-graph.ts';
import { type CellSource, type EffectiveDirection, effectiveDirection } from '../../layers/combine.ts';
import type { ChannelGraph } from '../../model/channel-graph.ts';
import type { Msat } from '../../model/msat.ts';
import { forwardingFeeMsat } from '../../model/policy.ts';
import type { ShortChannelIdDir } from '../../model/short-channel-id.ts';
import { CERTAIN, timesDirection, toPpm } from './probability.ts';
import type { RouteHop } from './route.ts';

/** The route to score, and its conditions. */
export interface ScoreQuery {
  /** From the source to the destination. Not empty. */
  readonly path: readonly ShortChannelIdDir[];
  /** Amount that arrives. */
  readonly amountMsat: Msat;
  readonly finalCltv: number;
  /** Ids of layers in order, as returned by `resolveLayers`. */
  readonly layerIds: readonly number[];
}

/** Why a hop cannot carry its amount. */
export type HopFault =
  /** The direction's policy is disabled or missing, or a layer disables one of its nodes. */
  | 'disabled'
  | 'belowMinimum'
  | 'aboveMaximum'
  /** The amount exceeds the direction's known maximum, from which reservations are subtracted. */
  | 'tooLittleLiquidity';

/** One hop, and what a search knows about it. */
export interface ScoredHop {
  readonly hop: RouteHop;
  readonly direction: EffectiveDirection;
  /** Probability that the hop carries the amount; 0 if the hop has a fault. */
  readonly probabilityPpm: number;
  readonly faults: readonly HopFault[];
}

/** The score of a route. */
export interface RouteScore {
  /** Probability that all hops carry their amounts. 0 if one has a fault. */
  readonly probabilityPpm: number;
  readonly amountMsat: Msat;
  readonly feeMsat: bigint;
  /** Maximum number of blocks for which funds are locked, including the recipient's. */
  readonly delay: number;
  readonly hops: readonly ScoredHop[];
  /** Index of the first hop that returns to a node. Undefined when there is none. */
  readonly loopAt: number | undefined;
}

/** The path cannot be scored: a channel is unknown, or does not start where the previous one ends. */
export class NoPath extends Error {
  readonly problem: 'unknownChannel' | 'disconnected';
  /** Index of the hop. */
  readonly at: number;

  constructor(problem: NoPath['problem'], at: number) {
    super(`hop ${at}: ${problem}`);
    this.problem = problem;
    this.at = at;
  }
}

/** Scores a route. @throws NoPath */
export function scoreRoute(graph: ChannelGraph, book: CellSource, query: ScoreQuery): RouteScore {
  const directions = directionsOf(graph, book, query);
  const hops: ScoredHop[] = [];
  /** Amounts over each direction. A direction that the route uses twice must carry the sum. */
  const crossed = new Map<EffectiveDirection, bigint>();
  let amountOutMsat: bigint = query.amountMsat;
  let cltvOut = query.finalCltv;
  for (let at = directions.length - 1; at >= 0; at--) {
    const direction = directions[at]!;
    const amountInMsat = amountOutMsat + forwardingFeeMsat(direction.policy, amountOutMsat);
    const cltvIn = cltvOut + direction.policy.cltvExpiryDelta;
    const hop: RouteHop = {
      shortChannelIdDir: query.path[at]!,
      nodeIdIn: direction.nodeFrom,
      nodeIdOut: direction.nodeTo,
      amountInMsat: amountInMsat as Msat,
      amountOutMsat: amountOutMsat as Msat,
      cltvIn,
      cltvOut,
    };
    crossed.set(direction, (crossed.get(direction) ?? 0n) + amountOutMsat);
    hops.unshift(scored(hop, direction));
    amountOutMsat = amountInMsat;
    cltvOut = cltvIn;
  }
  let probability = hops.some(({ faults }) => faults.length > 0) ? 0n : CERTAIN;
  for (const [{ minMsat, maxMsat }, amountMsat] of crossed) {
    probability = timesDirection(probability, amountMsat, minMsat, maxMsat);
  }
  return {
    probabilityPpm: toPpm(probability),
    amountMsat: query.amountMsat,
    feeMsat: amountOutMsat - query.amountMsat,
    delay: cltvOut,
    hops,
    loopAt: loopIn(directions),
  };
}

/** @throws NoPath */
function directionsOf(
  graph: ChannelGraph,
  book: CellSource,
  { path, layerIds }: ScoreQuery,
): EffectiveDirection[] {
  const base = baseGraphOf(graph);
  // The ends of a channel do not depend on the ends of the request.
  const endsOf = (at: number) => {
    const noEnds = { source: graph.nodeId(0), destination: graph.nodeId(0) };
    const found = effectiveDirection(base, book, layerIds, noEnds, path[at]!);
    if (found === undefined) throw new NoPath('unknownChannel', at);
    return found;
  };
  const query = { source: endsOf(0).nodeFrom, destination: endsOf(path.length - 1).nodeTo };
  const known = new Map<string, EffectiveDirection>();
  let before: EffectiveDirection | undefined;
  return path.map((of, at) => {
    endsOf(at);
    const key = `${of.shortChannelId}/${of.direction}`;
    const direction = known.get(key) ?? effectiveDirection(base, book, layerIds, query, of)!;
    known.set(key, direction);
    if (before !== undefined && before.nodeTo !== direction.nodeFrom) throw new NoPath('disconnected', at);
    before = direction;
    return direction;
  });
}

function scored(hop: RouteHop, direction: EffectiveDirection): ScoredHop {
  const { enabled, policy, minMsat, maxMsat } = direction;
  const { amountOutMsat } = hop;
  const faults: HopFault[] = [];
  if (!enabled) faults.push('disabled');
  if (amountOutMsat < policy.htlcMinimumMsat) faults.push('belowMinimum');
  if (amountOutMsat > policy.htlcMaximumMsat) faults.push('aboveMaximum');
  if (amountOutMsat > maxMsat) faults.push('tooLittleLiquidity');
  const probability = faults.length > 0 ? 0n : timesDirection(CERTAIN, amountOutMsat, minMsat, maxMsat);
  return { hop, direction, probabilityPpm: toPpm(probability), faults };
}

function loopIn(directions: readonly EffectiveDirection[]): number | undefined {
  const seen = new Set([directions[0]!.nodeFrom]);
  for (const [at, { nodeTo }] of directions.entries()) {
    if (seen.has(nodeTo)) return at;
    seen.add(nodeTo);
  }
  return undefined;
}
