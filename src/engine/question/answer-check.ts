/**
 * Recomputes an answer, in exact integers, if it is for a payment or comes from another machine. A solver there can
 * send anything, so nothing in its answer is trusted, neither amounts nor probabilities.
 *
 *   against the query     from the source to the destination, the whole amount, within the limits on fees, delay, parts
 *                         and hops; no node twice on a route
 *   against the network   every direction exists and is enabled under the query's layers, charges the fee (or more, if
 *                         fees are deducted from the amount) and delay of its policy, and accepts its amounts: HTLC
 *                         limits, known maximum, reservations, all routes together
 *
 * An answer that violates the query's terms can only be false. An answer that violates the network's terms may also be
 * outdated, because layers, reservations and policies change during a search. A check takes about 3 µs per hop and
 * layer.
 */

import { baseGraphOf } from '../../layers/base-graph.ts';
import { directionKey } from '../../layers/cell.ts';
import { type CellSource, type EffectiveDirection, effectiveDirection } from '../../layers/combine.ts';
import type { ChannelGraph } from '../../model/channel-graph.ts';
import { forwardingFeeMsat } from '../../model/policy.ts';
import { CERTAIN, timesDirection, toPpm } from './probability.ts';
import type { Question } from './question.ts';
import type { Route, RouteAnswer, RouteHop } from './route.ts';

/** What is wrong with an answer: the violated member or limit. */
export type AnswerFault =
  | 'noRoute'
  | 'partsLimit'
  | 'hopLimit'
  | 'feeLimit'
  | 'delayLimit'
  | 'amount'
  | 'source'
  | 'destination'
  | 'finalCltv'
  | 'negativeFee'
  | 'loop'
  | 'chain'
  | 'unknownChannel'
  | 'nodes'
  | 'disabled'
  | 'htlcMinimum'
  | 'htlcMaximum'
  | 'capacity'
  | 'fee'
  | 'delay';

/** The result of a check: the recomputed answer, or why the answer is false or possibly outdated. */
export type CheckedAnswer =
  | { readonly kind: 'good'; readonly answer: RouteAnswer }
  | { readonly kind: 'false'; readonly reason: AnswerFault }
  | { readonly kind: 'outdated'; readonly reason: AnswerFault };

class Broken extends Error {
  readonly reason: AnswerFault;
  readonly isFalse: boolean;

  constructor(reason: AnswerFault, isFalse: boolean) {
    super(reason);
    this.reason = reason;
    this.isFalse = isFalse;
  }
}

function mustHold(holds: boolean, reason: AnswerFault): void {
  if (!holds) throw new Broken(reason, true);
}

function mustHoldNow(holds: boolean, reason: AnswerFault): void {
  if (!holds) throw new Broken(reason, false);
}

/**
 * Checks an answer whose members have the right types (`readReply`).
 * @param network the current graph and layers. If undefined, only the query's own terms are checked
 */
export function checkAnswer(
  answer: RouteAnswer,
  query: Question,
  network?: { readonly graph: ChannelGraph; readonly book: CellSource },
): CheckedAnswer {
  try {
    checkTerms(answer, query);
    if (network === undefined) return { kind: 'good', answer };
    return { kind: 'good', answer: checkNetwork(answer, query, network.graph, network.book) };
  } catch (error) {
    if (!(error instanceof Broken)) throw error;
    return { kind: error.isFalse ? 'false' : 'outdated', reason: error.reason };
  }
}

function checkTerms({ routes }: RouteAnswer, query: Question): void {
  const { amountMsat, maxfeeMsat, maxparts } = query;
  mustHold(routes.length > 0, 'noRoute');
  mustHold(routes.length <= maxparts, 'partsLimit');
  let sentMsat = 0n;
  let deliveredMsat = 0n;
  let nominalMsat = 0n;
  for (const route of routes) {
    checkRoute(route, query);
    const firstMsat: bigint = route.path[0]!.amountInMsat;
    sentMsat += firstMsat;
    deliveredMsat += route.amountMsat;
    nominalMsat += query.includeFees ? firstMsat : route.amountMsat;
  }
  mustHold(nominalMsat === amountMsat, 'amount');
  const feeMsat = sentMsat - deliveredMsat;
  mustHold(feeMsat <= maxfeeMsat, 'feeLimit');
}

function checkRoute({ path, amountMsat, finalCltv }: Route, query: Question): void {
  const first = path[0];
  mustHold(first !== undefined && path.length <= query.maxhops, 'hopLimit');
  mustHold(first!.nodeIdIn === query.source, 'source');
  mustHold(path.at(-1)!.nodeIdOut === query.destination, 'destination');
  mustHold(path.at(-1)!.amountOutMsat === amountMsat && amountMsat > 0n, 'amount');
  mustHold(finalCltv === query.finalCltv && path.at(-1)!.cltvOut === finalCltv, 'finalCltv');
  mustHold(first!.cltvIn <= query.maxdelay, 'delayLimit');
  const nodes = new Set([first!.nodeIdIn]);
  for (const [index, hop] of path.entries()) {
    mustHold(hop.amountInMsat >= hop.amountOutMsat && hop.cltvIn >= hop.cltvOut, 'negativeFee');
    mustHold(!nodes.has(hop.nodeIdOut), 'loop');
    nodes.add(hop.nodeIdOut);
    const next = path[index + 1];
    if (next === undefined) continue;
    const isChained =
      hop.nodeIdOut === next.nodeIdIn &&
      hop.amountOutMsat === next.amountInMsat &&
      hop.cltvOut === next.cltvIn;
    mustHold(isChained, 'chain');
  }
}

/** The total amount that all routes send over one direction. */
interface Crossed {
  readonly direction: EffectiveDirection;
  amountMsat: bigint;
}

/** @returns the answer with probabilities recomputed from local knowledge */
function checkNetwork(
  answer: RouteAnswer,
  query: Question,
  graph: ChannelGraph,
  book: CellSource,
): RouteAnswer {
  const base = baseGraphOf(graph);
  const crossed = new Map<bigint, Crossed>();
  const routes: Route[] = [];
  for (const route of answer.routes) {
    let probability = CERTAIN;
    for (const hop of route.path) {
      const { shortChannelId, direction } = hop.shortChannelIdDir;
      const key = directionKey(shortChannelId, direction);
      let crossing = crossed.get(key);
      if (crossing === undefined) {
        const found = effectiveDirection(base, book, query.layerIds, query, hop.shortChannelIdDir);
        if (found === undefined) throw new Broken('unknownChannel', false);
        crossing = { direction: found, amountMsat: 0n };
        crossed.set(key, crossing);
      }
      checkHop(hop, crossing.direction, query.includeFees);
      crossing.amountMsat += hop.amountOutMsat;
      const { minMsat, maxMsat } = crossing.direction;
      probability = timesDirection(probability, hop.amountOutMsat, minMsat, maxMsat);
    }
    routes.push({ ...route, probabilityPpm: toPpm(probability) });
  }
  let overall = CERTAIN;
  for (const { direction, amountMsat } of crossed.values()) {
    mustHoldNow(amountMsat <= direction.maxMsat, 'capacity');
    overall = timesDirection(overall, amountMsat, direction.minMsat, direction.maxMsat);
  }
  return { ...answer, routes, probabilityPpm: toPpm(overall) };
}

function checkHop(hop: RouteHop, direction: EffectiveDirection, includeFees: boolean): void {
  const { nodeFrom, nodeTo, policy, enabled, maxMsat } = direction;
  const amountMsat: bigint = hop.amountOutMsat;
  mustHold(nodeFrom === hop.nodeIdIn && nodeTo === hop.nodeIdOut, 'nodes');
  mustHoldNow(enabled, 'disabled');
  mustHoldNow(amountMsat >= policy.htlcMinimumMsat, 'htlcMinimum');
  mustHoldNow(amountMsat <= policy.htlcMaximumMsat, 'htlcMaximum');
  mustHoldNow(amountMsat <= maxMsat, 'capacity');
  const feeMsat = hop.amountInMsat - amountMsat;
  const askedMsat = forwardingFeeMsat(policy, amountMsat);
  // If fees are deducted from the amount, rounding may make the fee larger than the policy's.
  mustHoldNow(includeFees ? feeMsat >= askedMsat : feeMsat === askedMsat, 'fee');
  mustHoldNow(hop.cltvIn - hop.cltvOut === policy.cltvExpiryDelta, 'delay');
}
