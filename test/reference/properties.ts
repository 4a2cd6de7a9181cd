/**
 * The requirements on every solver on any graph, as checks. A failed check throws an error with the relevant
 * figures.
 *
 * `obeysRules`     an answer passes the referee; a refusal is a typed error of the right kind, and true
 * `remedyHelps`    the remedy of a refusal works, and slightly less of it does not `isBestPath`     one part:
 * the cheapest of all simple paths by the solver's own objective, on the Pareto front `isGoodSplit`
 * several parts: the extra cost over the reference search, within a maximum `reachesBound`   if the linear
 * program omits nothing: the extra cost over the convex lower bound
 */
import { expect } from 'vitest';
import { MAX_DELAY_BLOCKS } from '../../src/engine/question/remedy-rules.ts';
import type { RouteAnswer, RouteQuery } from '../../src/engine/question/route.ts';
import { ERRORS, FulguriteError } from '../../src/model/errors.ts';
import { msat, U64_MAX } from '../../src/model/msat.ts';
import { type Instance, realized } from './arbitrary.ts';
import { bestSplit, objectiveMsat, type Priced, pricedAnswer, singleParts } from './exhaustive.ts';
import { nats } from './fraction.ts';
import {
  isCertainlyFeasible,
  maximumDeliverableMsat,
  minimumFeeMsat,
  minimumObjectiveMsat,
  roundingMsat,
} from './linear-bound.ts';
import { partsAllowed, referee, withAutomaticLayers } from './referee.ts';
import { remedied } from './remedied.ts';
import type { Solver } from './solver.ts';
import type { TinyGraph } from './tiny-graph.ts';

/**
 * Maximum loss of a single split against the reference, as a share of the objective. Most splits must be within
 * `USUAL_GAP`.
 */
export const WORST_GAP = 0.05;
export const USUAL_GAP = 0.01;
const SINGLE_PART_MSAT = 1_000_000n;
/** Differences of amounts below this (in msat) are insignificant. */
const SLACK_MSAT = 20;
/**
 * Above this risk (P below 1 in 3,000), prices mean little, and the step size of a search becomes noticeable.
 */
const WORST_RISK_NATS = 8;
/** Relative error of doubles compared with bigints. */
const EXACT_TOLERANCE = 1e-6;

const withoutLimits = (query: RouteQuery): RouteQuery => ({
  ...query,
  maxfeeMsat: msat(U64_MAX),
  maxdelay: 2 ** 31,
});

interface Solved {
  readonly graph: TinyGraph;
  readonly query: RouteQuery;
  readonly answer: RouteAnswer | FulguriteError;
}

function solved(solver: Solver, instance: Instance): Solved {
  const { graph, query } = realized(instance);
  return { graph, query, answer: solver.solve(graph, query) };
}

const lookupOf = ({ graph, query }: Solved) => withAutomaticLayers(graph.lookup, query);
const pricedOf = (result: Solved, answer: RouteAnswer) =>
  pricedAnswer(lookupOf(result), result.query, answer);

/** The price of the answer by the solver's own objective. Undefined if the solver refused. */
function ownPrice(solver: Solver, result: Solved): number | undefined {
  if (result.answer instanceof FulguriteError) return undefined;
  return objectiveMsat(pricedOf(result, result.answer), solver.prices(result.query.amountMsat));
}

const REFUSALS: readonly number[] = [
  ERRORS.routeNotFound.code,
  ERRORS.routeTooExpensive.code,
  ERRORS.sourceCapacity.code,
  ERRORS.destinationCapacity.code,
];

/** Sum of the maximums of the source's (or destination's) directions, including disabled ones. */
function endCapacity({ graph, query }: Solved, end: 'source' | 'destination'): bigint {
  return graph.directions
    .filter((direction) => direction[end] === query[end])
    .reduce((sum, direction) => sum + direction.maximumMsat, 0n);
}

/**
 * Maximum number of directions for which all simple paths are walked. On larger graphs only the linear
 * program checks refusals.
 */
const MAX_EXHAUSTED = 44;

const exhaustedSingles = (graph: TinyGraph, query: RouteQuery) =>
  graph.directions.length > MAX_EXHAUSTED ? [] : singleParts(graph.directions, query);

/**
 * Checks that a refusal is true: no route exists, or only beyond the limits, or an end lacks capacity. An
 * undecided search claims nothing; but a single path is always found, or known not to exist.
 */
function checkRefusal(result: Solved, error: FulguriteError): void {
  const { graph, query } = result;
  if (error.code === ERRORS.undecided.code) {
    expect(exhaustedSingles(graph, query), 'a single path answers this').toEqual([]);
    return;
  }
  expect(REFUSALS).toContain(error.code);
  expect(exhaustedSingles(graph, query), 'a single path answers this').toEqual([]);
  expect(isCertainlyFeasible(graph.directions, query), 'the linear program answers this').toBe(false);
  const relaxed = withoutLimits(query);
  if (error.code === ERRORS.routeTooExpensive.code) {
    const most = maximumDeliverableMsat(graph.directions, relaxed, false);
    expect(most, 'too expensive, but no flow delivers this').toBeGreaterThan(
      Number(query.amountMsat) * (1 - 1e-6),
    );
  } else {
    expect(exhaustedSingles(graph, relaxed), 'not found, but only too expensive').toEqual([]);
  }
  if (error.code === ERRORS.sourceCapacity.code) {
    expect(endCapacity(result, 'source') < query.amountMsat).toBe(true);
  }
  if (error.code === ERRORS.destinationCapacity.code) {
    expect(endCapacity(result, 'destination') < query.amountMsat).toBe(true);
  }
}

/** Checks that an answer passes the referee, and that a refusal is of a known kind and true. */
export function obeysRules(solver: Solver, instance: Instance): void {
  const result = solved(solver, instance);
  if (result.answer instanceof FulguriteError) checkRefusal(result, result.answer);
  else expect(referee(lookupOf(result), result.query, result.answer)).toEqual([]);
}

/**
 * The query that a remedy for limits recommends, but with one block, part or msat less for each raised limit.
 */
function oneLess(query: RouteQuery, better: RouteQuery): RouteQuery {
  const isRaised = (key: 'maxfeeMsat' | 'maxdelay' | 'maxparts') => better[key] > query[key];
  return {
    ...better,
    maxfeeMsat: msat(better.maxfeeMsat - (isRaised('maxfeeMsat') ? 1n : 0n)),
    maxdelay: better.maxdelay - (isRaised('maxdelay') ? 1 : 0),
  };
}

/**
 * Checks that a request changed according to a refusal's remedy gets an answer by the rules, and that
 * slightly less of any change gets none (remedied.ts). With one part, no path works with one less of the
 * raised limits. A 206 with one part and without remedy means that every path takes longer than any request
 * may allow. Returns the names of the parameters.
 */
export function remedyHelps(solver: Solver, instance: Instance): string | undefined {
  const { graph, query, answer } = solved(solver, instance);
  if (!(answer instanceof FulguriteError)) return undefined;
  const change = remedied(query, answer);
  const isCap = answer.code === ERRORS.routeTooExpensive.code;
  if (change === undefined) {
    const boldest = { ...query, maxfeeMsat: msat(U64_MAX), maxdelay: MAX_DELAY_BLOCKS, finalCltv: 0 };
    if (isCap && partsAllowed(query) === 1) {
      expect(singleParts(graph.directions, boldest), 'too expensive, but no remedy').toEqual([]);
    }
    return undefined;
  }
  const text = JSON.stringify(answer.data, (_, value) => (typeof value === 'bigint' ? String(value) : value));
  const helped = solver.solve(graph, change.query);
  if (helped instanceof FulguriteError) throw new Error(`the remedy does not help: ${text}`);
  // Near the maximum of a channel, rounding may have kept parts over one path apart, so that there are more
  // parts than needed. And when fees are deducted from the amount, probabilities refer to the amount before
  // that (askrene's convention).
  const judged = withAutomaticLayers(graph.lookup, change.query);
  const isDeducted = query.layers.includes('auto.include_fees');
  const broken = referee(judged, change.query, helped).filter(
    (text) => !text.startsWith('duplicate') && !(isDeducted && text.includes('probability')),
  );
  expect(broken, text).toEqual([]);
  for (const [name, less] of change.less) {
    expect(solver.solve(graph, less), `less ${name} would do: ${text}`).toBeInstanceOf(FulguriteError);
  }
  if (!change.isMinimal) return change.kind;
  const less = oneLess(query, change.query);
  const isLess = less.maxfeeMsat < change.query.maxfeeMsat || less.maxdelay < change.query.maxdelay;
  if (partsAllowed(change.query) === 1 && isLess) {
    expect(singleParts(graph.directions, less), 'less than the remedy suffices').toEqual([]);
  }
  return change.kind;
}

const isPossible = (priced: Priced) => priced.probability.numerator > 0n;

/** Checks, with one part, that no simple path within the limits is cheaper by the solver's objective. */
export function isBestPath(solver: Solver, instance: Instance): void {
  const result = solved(solver, { ...instance, maxparts: 1 });
  const { graph, query } = result;
  const all = singleParts(graph.directions, query);
  const ours = ownPrice(solver, result);
  expect(ours !== undefined, 'answers if and only if a path exists').toBe(all.length > 0);
  if (ours === undefined || !all.some(isPossible)) return;
  const least = Math.min(...all.map((priced) => objectiveMsat(priced, solver.prices(query.amountMsat))));
  expect(ours).toBeLessThanOrEqual(least * (1 + EXACT_TOLERANCE) + 1);
}

/** The extra cost of `ours` over `least`, as a share of `least`. At most `WORST_GAP`. */
function gap(ours: number, least: number): number {
  expect(ours, 'much costlier than necessary').toBeLessThanOrEqual(least * (1 + WORST_GAP) + SLACK_MSAT);
  return Math.max(0, ours - least - SLACK_MSAT) / Math.max(least, SLACK_MSAT);
}

/**
 * With several parts: how much more the answer costs than that of the reference search, as a share of the
 * reference's cost. The reference search uses one HTLC per path, or several if it finds no answer with one. Infinite
 * if only the reference search finds an answer. Undefined if there is nothing to compare.
 *
 * Base fees and HTLC limits make this a hard combinatorial problem, so callers limit how often the gap is large, and
 * not how large it is.
 */
export function isGoodSplit(solver: Solver, instance: Instance): number | undefined {
  const result = solved(solver, instance);
  const prices = solver.prices(result.query.amountMsat);
  const { graph, query } = result;
  // Amounts this small are worth only one part. Splitting them gains only from rounding.
  if (query.amountMsat <= SINGLE_PART_MSAT) return undefined;
  const ours = ownPrice(solver, result);
  const apart = bestSplit(graph.directions, query, prices, 1);
  const best = apart ?? bestSplit(graph.directions, query, prices);
  if (best === undefined) return undefined;
  if (ours === undefined) {
    expect(result.answer, 'the reference search answers this').toMatchObject({ code: ERRORS.undecided.code });
    return Number.POSITIVE_INFINITY;
  }
  if (nats(best.probability) > WORST_RISK_NATS) return undefined;
  const least = objectiveMsat(best, prices);
  return Math.max(0, ours - least - SLACK_MSAT) / Math.max(least, SLACK_MSAT);
}

/** Whether an answer can reach the bound: there are no base fees and no HTLC limits, and enough parts and blocks. */
function isSmooth({ graph, query }: Solved): boolean {
  const delay = graph.directions.reduce((sum, direction) => sum + direction.cltvExpiryDelta, 0);
  const limited = graph.directions.some(
    (direction) =>
      direction.feeBaseMsat > 0n ||
      direction.htlcMinimumMsat > 0n ||
      direction.htlcMaximumMsat < direction.maximumMsat,
  );
  return !limited && partsAllowed(query) >= 100 && query.finalCltv + delay <= query.maxdelay;
}

/**
 * Compares with HiGHS. The solver may refuse only amounts that no flow within the fee limit delivers. If base fees,
 * HTLC limits and the fee limit do not matter, an answer must come close to the convex bound. Returns the extra cost
 * of the answer as a share of the bound. Undefined if the bound does not apply.
 */
export function reachesBound(solver: Solver, instance: Instance): number | undefined {
  const result = solved(solver, instance);
  const { graph, query } = result;
  const ours = ownPrice(solver, result);
  if (ours === undefined) {
    expect(isCertainlyFeasible(graph.directions, query), 'the linear program answers this').toBe(false);
    return undefined;
  }
  const priced = pricedOf(result, result.answer as RouteAnswer);
  const amount = Number(query.amountMsat);
  const rounding = roundingMsat(graph.directions, query);
  const leastFee = minimumFeeMsat(graph.directions, query);
  expect(leastFee, 'an answer that no flow allows').toBeDefined();
  expect(leastFee!).toBeLessThanOrEqual(Number(priced.feeMsat) + rounding + amount * EXACT_TOLERANCE);
  const prices = solver.prices(query.amountMsat);
  const bound = minimumObjectiveMsat(graph.directions, query, prices);
  if (bound === undefined || bound > WORST_RISK_NATS * prices.riskPriceMsatPerNat) return undefined;
  if (query.maxfeeMsat < query.amountMsat || !isSmooth(result)) return undefined;
  return gap(ours - rounding, bound);
}
