/**
 * Answers a route query with a kernel: sets prices, searches, and writes the answer out hop by hop.
 *
 * It runs next to the kernel, in a worker. Amounts are recomputed here from the policies, independently of the kernel's
 * arithmetic. If the sums of fees disagree, or an amount violates a limit of its direction, the query fails instead of
 * returning a wrong route. (If fees are deducted from the amount, only limits are checked.)
 */
import type { Msat } from '../../model/msat.ts';
import { forwardingFeeMsat } from '../../model/policy.ts';
import type { RouteEnd, RouteOutcome } from '../question/no-route.ts';
import { CERTAIN, timesDirection, toPpm } from '../question/probability.ts';
import type { Question } from '../question/question.ts';
import type { Route, RouteAnswer, RouteHop } from '../question/route.ts';
import { amountsLeft, ask, type Ends, type Reply } from './ask.ts';
import { diagnose } from './diagnosis.ts';
import { explainFailure } from './explain.ts';
import type { Kernel } from './kernel.ts';
import { RequestEffort } from './request-effort.ts';
import type { EffectiveArc, KernelPart } from './solution.ts';

/**
 * Widths of noise to try when full noise finds no answer but the plain search does. A randomised search must not fail
 * where the plain one succeeds.
 */
const NARROWER = [0.5, 0.25, 0.1];

/** Answers the query on the kernel's current graph. A refusal includes its reason and, if requested, a remedy. */
export function solveRoute(kernel: Kernel, query: Question): RouteOutcome {
  return kernel.reading(() => {
    const effort = new RequestEffort(kernel);
    const { ends, reply, unknown } = searched(kernel, query, effort);
    if (unknown !== undefined) return unknownNode(query, unknown);
    if (reply.status === 'ok') return { answer: answerOf(kernel, query, reply) };
    const diagnosis = diagnose(kernel, query, ends, reply, effort);
    return { noRoute: explainFailure(kernel, query, diagnosis, ends) };
  });
}

/**
 * Like `solveRoute`, for callers that need no reason. `undefined` when there is no answer. Finding the reason takes
 * much longer than most searches.
 */
export function findRoute(kernel: Kernel, query: Question): RouteAnswer | undefined {
  return kernel.reading(() => {
    const { reply, unknown } = searched(kernel, query, new RequestEffort(kernel));
    return unknown === undefined && reply.status === 'ok' ? answerOf(kernel, query, reply) : undefined;
  });
}

/** The result of a search, or which end of the query has no channel. */
type Searched =
  | { readonly ends: Ends; readonly reply: Reply; readonly unknown?: undefined }
  | { readonly ends?: undefined; readonly reply?: undefined; readonly unknown: RouteEnd };

function searched(kernel: Kernel, query: Question, effort: RequestEffort): Searched {
  kernel.applyStack(query.layerIds);
  kernel.setOdds(query.odds);
  const source = kernel.nodeIndex(query.source);
  if (source === undefined) return { unknown: 'source' };
  const destination = kernel.nodeIndex(query.destination);
  if (destination === undefined) return { unknown: 'destination' };
  const ends = { source, destination };
  return { ends, reply: search(kernel, query, ends, effort) };
}

function answerOf(kernel: Kernel, query: Question, reply: Reply): RouteAnswer {
  const answer = spellOut(kernel, query, reply.parts);
  if (!query.includeFees) requireFee(answer, reply.takes.feeMsat);
  if (reply.unfinished === undefined || query.randomize !== undefined) return answer;
  return { ...answer, unfinished: reply.unfinished };
}

/** The outcome for a node without a channel under the layers of the query (askrene's rule). */
const unknownNode = (query: Question, end: RouteEnd): RouteOutcome => ({
  noRoute: { binding: { kind: 'unknownNode', end, node: query[end] } },
});

/**
 * Searches with noise, if the query requests it. If the search with noise finds nothing, the plain search runs with the
 * whole effort. If the plain search finds an answer, less noise is tried, and the plain answer is the fallback. So
 * noise never makes a query fail.
 */
function search(kernel: Kernel, query: Question, ends: Ends, effort: RequestEffort): Reply {
  const { randomize } = query;
  const plainly = (): Reply => {
    effort.beginSearch();
    return ask(kernel, query, ends);
  };
  if (randomize === undefined) return plainly();
  const noisy = (width: number): Reply => {
    const noiseSeed = BigInt.asUintN(64, randomize.seed);
    return ask(kernel, query, ends, 'best', { noiseSeed, noiseSpread: (randomize.spreadPpm / 1e6) * width });
  };
  effort.beginNoise();
  const first = noisy(1);
  if (first.status === 'ok' || first.status === 'cancelled') return first;
  const plain = plainly();
  if (plain.status !== 'ok') return plain;
  effort.beginNoise();
  for (const width of NARROWER) {
    const reply = noisy(width);
    if (reply.status === 'ok') return reply;
  }
  return plain;
}

/** One hop of a part: the amount that crosses it, and the terms of the direction. */
interface Crossing {
  readonly arc: EffectiveArc;
  readonly hop: RouteHop;
}

function spellOut(kernel: Kernel, query: Question, parts: readonly KernelPart[]): RouteAnswer {
  const arcs = new Map<number, EffectiveArc>();
  const arcOf = (arc: number): EffectiveArc => {
    const known = arcs.get(arc) ?? kernel.arc(arc);
    arcs.set(arc, known);
    return known;
  };
  const crossed = new Map<EffectiveArc, bigint>();
  const isAlone = parts.length === 1;
  const routes = parts.map((part) => {
    const crossings = walkBack(kernel, query, part, arcOf);
    let probability = CERTAIN;
    for (const { arc, hop } of crossings) {
      if (!isAlone) crossed.set(arc, (crossed.get(arc) ?? 0n) + hop.amountOutMsat);
      probability = timesDirection(probability, hop.amountOutMsat, arc.minMsat, arc.maxMsat);
    }
    const path = query.includeFees
      ? payFeesFromAmount(kernel, part, crossings)
      : crossings.map(({ hop }) => hop);
    return routeOf(query, path, toPpm(probability));
  });
  if (isAlone) return { probabilityPpm: routes[0]!.probabilityPpm, routes };
  let overall = CERTAIN;
  for (const [arc, amount] of crossed) overall = timesDirection(overall, amount, arc.minMsat, arc.maxMsat);
  return { probabilityPpm: toPpm(overall), routes };
}

/** @throws Error when the fees computed here differ from the kernel's. */
function requireFee({ routes }: RouteAnswer, countedMsat: bigint): void {
  const feeMsat = routes.reduce((sum, { path, amountMsat }) => sum + path[0]!.amountInMsat - amountMsat, 0n);
  if (feeMsat !== countedMsat)
    throw new Error(`the fees are ${feeMsat} msat, but the kernel counted ${countedMsat} msat`);
}

const routeOf = (query: Question, path: readonly RouteHop[], probabilityPpm: number): Route => ({
  probabilityPpm,
  amountMsat: path.at(-1)!.amountOutMsat,
  finalCltv: query.finalCltv,
  path,
});

/** Computes amounts and delays backwards from the destination (BOLT 7, askrene's conventions). */
function walkBack(
  kernel: Kernel,
  query: Question,
  part: KernelPart,
  arcOf: (arc: number) => EffectiveArc,
): Crossing[] {
  const crossings: Crossing[] = [];
  let amountOutMsat = part.amountMsat;
  let cltvOut = query.finalCltv;
  let next: Crossing | undefined;
  for (let i = part.arcs.length - 1; i >= 0; i--) {
    const arc = arcOf(part.arcs[i]!);
    const fee = forwardingFeeMsat(arc, amountOutMsat);
    if (
      amountOutMsat < arc.htlcMinimumMsat ||
      amountOutMsat > arc.htlcMaximumMsat ||
      amountOutMsat > arc.maxMsat
    ) {
      throw new Error(
        `the kernel sent ${amountOutMsat} msat, which violates a limit of ${arc.shortChannelId}`,
      );
    }
    if (next !== undefined && next.arc.tail !== arc.head)
      throw new Error(`the kernel's route is interrupted after ${arc.shortChannelId}`);
    const hop: RouteHop = {
      shortChannelIdDir: { shortChannelId: arc.shortChannelId, direction: arc.direction },
      nodeIdIn: kernel.nodeId(arc.tail),
      nodeIdOut: next?.hop.nodeIdIn ?? kernel.nodeId(arc.head),
      amountInMsat: (amountOutMsat + fee) as Msat,
      amountOutMsat: amountOutMsat as Msat,
      cltvIn: cltvOut + arc.cltvExpiryDelta,
      cltvOut,
    };
    next = { arc, hop };
    crossings.push(next);
    amountOutMsat = hop.amountInMsat;
    cltvOut = hop.cltvIn;
  }
  return crossings.reverse();
}

/** With `auto.include_fees`: the part's nominal amount enters the route, and fees are deducted on the way. */
function payFeesFromAmount(kernel: Kernel, part: KernelPart, crossings: readonly Crossing[]): RouteHop[] {
  const left = amountsLeft(kernel, part);
  return crossings.map(({ hop }, index) => ({
    ...hop,
    amountInMsat: (left[index - 1] ?? part.amountMsat) as Msat,
    amountOutMsat: left[index]! as Msat,
  }));
}
