/**
 * Bounds that no answer can beat and every complete solver must reach: linear programs over the directions,
 * solved by HiGHS, an independent solver.
 *
 * Model: y_d is the amount that crosses direction d over all parts, in thousandths of the requested amount.
 * Each node except the ends passes on what it receives, fees included: sum_in y = sum_out y * (1 + ppm/10^6).
 * The destination receives the amount. y_d <= known maximum of d, and <= htlc_maximum * maxparts. Base fees,
 * HTLC minimums, delays and the rounding of fees (below 1 msat per hop and part) are left out. So minima are
 * lower bounds, up to that rounding.
 *
 * The risk of a direction, -ln(1 - (y - m) / (M - m)), is convex. It is bounded from below by tangents: first
 * on a fixed grid, then for a few rounds at each solution found (Kelley's cutting planes).
 */
import highsModule from 'highs';
import type { RouteQuery } from '../../src/engine/question/route.ts';
import type { PlainDirection } from './direction.ts';
import type { Prices } from './exhaustive.ts';
import { usableDirections } from './exhaustive.ts';
import { partsAllowed } from './referee.ts';

// The types describe the CommonJS build (with a member `default`); the default of the ES module is the loader
// itself.
const loadHighs = highsModule as unknown as typeof highsModule.default;
const highs = await loadHighs();

const UNITS = 1000;
const CUTTING_ROUNDS = 6;
/** Points of the first grid of tangents, as the unused share of the uncertain range. */
const GRID_RESIDUALS = [1, 0.95, 0.9, 0.8, 0.65, 0.5, 0.35, 0.2, 0.1, 0.05, 0.02, 0.005, 0.001];
/** A margin on capacities for the rounding of amounts to whole msat on every path. */
const RELATIVE_MARGIN = 1e-6;

interface Term {
  readonly coefficient: number;
  readonly variable: string;
}

interface Row {
  readonly terms: readonly Term[];
  readonly relation: '>=' | '<=' | '=';
  readonly value: number;
}

interface Model {
  readonly sense: 'Minimize' | 'Maximize';
  readonly objective: readonly Term[];
  readonly rows: readonly Row[];
  readonly upper: ReadonlyMap<string, number>;
}

interface Solution {
  readonly value: number;
  readonly at: (variable: string) => number;
}

const formatTerms = (terms: readonly Term[]) =>
  terms
    .filter((term) => term.coefficient !== 0)
    .map((term) => `${term.coefficient < 0 ? '-' : '+'} ${Math.abs(term.coefficient)} ${term.variable}`)
    .join('\n ');

/** The optimum. `undefined` if the program is infeasible. @throws Error on any other outcome. */
function solve(model: Model): Solution | undefined {
  const rows = model.rows
    .filter((row) => row.terms.length > 0)
    .map((row, index) => ` r${index}: ${formatTerms(row.terms)} ${row.relation} ${row.value}`);
  const bounds = [...model.upper].map(([variable, most]) => ` 0 <= ${variable} <= ${most}`);
  const objective = formatTerms(model.objective) || '0 zero';
  const text = `${model.sense}\n obj: ${objective}\nSubject To\n${rows.join('\n')}\nBounds\n 0 <= zero <= 0\n${bounds.join('\n')}\nEnd\n`;
  const solution = highs.solve(text);
  if (solution.Status === 'Infeasible') return undefined;
  if (solution.Status !== 'Optimal') throw new Error(`HiGHS: ${solution.Status}\n${text}`);
  const columns = solution.Columns as Record<string, { Primal?: number }>;
  return { value: solution.ObjectiveValue, at: (variable) => columns[variable]?.Primal ?? 0 };
}

const flow = (index: number) => `y${index}`;
const risk = (index: number) => `t${index}`;

interface Flows {
  readonly directions: readonly PlainDirection[];
  readonly gain: readonly number[];
  readonly upper: Map<string, number>;
  readonly conservation: Row[];
  readonly intoDestination: readonly Term[];
  readonly fee: readonly Term[];
  readonly unitMsat: number;
}

interface FlowOptions {
  readonly fees: boolean;
  readonly marginMsat: number;
}

/**
 * Directions that some route can use: enabled, neither into the source nor out of the destination, max >=
 * min.
 */
function usefulDirections(directions: readonly PlainDirection[], query: RouteQuery): PlainDirection[] {
  return usableDirections(directions, query).filter(
    (direction) =>
      direction.destination !== query.source &&
      direction.source !== query.destination &&
      direction.htlcMaximumMsat >= direction.htlcMinimumMsat,
  );
}

function flows(all: readonly PlainDirection[], query: RouteQuery, options: FlowOptions): Flows {
  const directions = usefulDirections(all, query);
  const unitMsat = Number(query.amountMsat) / UNITS;
  const gain = directions.map((direction) =>
    options.fees ? 1 + Number(direction.feeProportionalMillionths) / 1e6 : 1,
  );
  const upper = new Map(
    directions.map((direction, index) => {
      const byParts = Number(direction.htlcMaximumMsat) * partsAllowed(query);
      const most = Math.min(Number(direction.maximumMsat), byParts) - options.marginMsat;
      return [
        flow(index),
        Math.max(0, (most * (options.marginMsat > 0 ? 1 - RELATIVE_MARGIN : 1)) / unitMsat),
      ];
    }),
  );
  const nodes = new Set(directions.flatMap((direction) => [direction.source, direction.destination]));
  nodes.delete(query.source);
  nodes.delete(query.destination);
  const conservation = [...nodes].map((node): Row => {
    const terms = directions.flatMap((direction, index): Term[] => {
      if (direction.destination === node) return [{ coefficient: 1, variable: flow(index) }];
      if (direction.source === node) return [{ coefficient: -gain[index]!, variable: flow(index) }];
      return [];
    });
    return { terms, relation: '=', value: 0 };
  });
  const intoDestination = directions.flatMap((direction, index): Term[] =>
    direction.destination === query.destination ? [{ coefficient: 1, variable: flow(index) }] : [],
  );
  const fee = directions.map((_, index) => ({ coefficient: gain[index]! - 1, variable: flow(index) }));
  return { directions, gain, upper, conservation, intoDestination, fee, unitMsat };
}

const delivers = (f: Flows): Row => ({ terms: f.intoDestination, relation: '=', value: UNITS });

/**
 * Whether some direction leaves the source and some direction reaches the destination. Without both, there is
 * nothing to solve.
 */
const isConnected = (f: Flows, query: RouteQuery) =>
  f.intoDestination.length > 0 && f.directions.some((direction) => direction.source === query.source);

/** The maximum that can arrive, in msat, with or without fees. HTLC minimums and base fees are ignored. */
export function maximumDeliverableMsat(
  directions: readonly PlainDirection[],
  query: RouteQuery,
  countFees: boolean,
): number {
  const f = flows(directions, query, { fees: countFees, marginMsat: 0 });
  if (!isConnected(f, query)) return 0;
  const solution = solve({
    sense: 'Maximize',
    objective: f.intoDestination,
    rows: f.conservation,
    upper: f.upper,
  });
  return (solution?.value ?? 0) * f.unitMsat;
}

/** The minimum total of proportional fees, in msat. `undefined` if the amount cannot arrive at all. */
export function minimumFeeMsat(
  directions: readonly PlainDirection[],
  query: RouteQuery,
  marginMsat = 0,
): number | undefined {
  const f = flows(directions, query, { fees: true, marginMsat });
  if (!isConnected(f, query)) return undefined;
  const solution = solve({
    sense: 'Minimize',
    objective: f.fee,
    rows: [...f.conservation, delivers(f)],
    upper: f.upper,
  });
  return solution === undefined ? undefined : Math.max(0, solution.value * f.unitMsat);
}

/** The maximum that an answer can gain by rounding: below 1 msat per hop and part. */
export function roundingMsat(directions: readonly PlainDirection[], query: RouteQuery): number {
  const nodes = new Set(directions.flatMap((direction) => [direction.source, direction.destination]));
  return nodes.size * Math.min(partsAllowed(query), directions.length * 4);
}

/**
 * Whether an answer certainly exists. True only if the linear program omits nothing: no base fees, no HTLC
 * minimums, delays that cannot bind, and enough parts for a split. Then its flow, divided into paths, is an
 * answer.
 */
export function isCertainlyFeasible(directions: readonly PlainDirection[], query: RouteQuery): boolean {
  const useful = usefulDirections(directions, query);
  if (useful.some((direction) => direction.feeBaseMsat > 0n || direction.htlcMinimumMsat > 1n)) return false;
  const delay = useful.reduce((sum, direction) => sum + direction.cltvExpiryDelta, 0);
  if (query.finalCltv + delay > query.maxdelay) return false;
  const usable = useful.filter((direction) => direction.htlcMaximumMsat > 0n);
  const smallest = Math.min(...usable.map((direction) => Number(direction.htlcMaximumMsat)));
  const sends = Number(query.amountMsat + query.maxfeeMsat);
  if (usable.length + Math.ceil((2 * sends) / smallest) > partsAllowed(query)) return false;
  const margin = roundingMsat(directions, query);
  const fee = minimumFeeMsat(directions, query, margin);
  return fee !== undefined && fee + margin + fee * RELATIVE_MARGIN <= Number(query.maxfeeMsat);
}

/** Tangent of -ln(1 - u) at u = 1 - residual, u = (y * unit - m) / (M - m), as a row on t and y. */
function tangent(f: Flows, index: number, residual: number): Row {
  const { minimumMsat, maximumMsat } = f.directions[index]!;
  const low = Number(minimumMsat) / f.unitMsat;
  const span = Number(maximumMsat - minimumMsat) / f.unitMsat;
  const slope = 1 / residual / span;
  const atPoint = -Math.log(residual);
  const point = low + (1 - residual) * span;
  return {
    terms: [
      { coefficient: 1, variable: risk(index) },
      { coefficient: -slope, variable: flow(index) },
    ],
    relation: '>=',
    value: atPoint - slope * point,
  };
}

const isUncertain = (direction: PlainDirection) => direction.maximumMsat > direction.minimumMsat;

function firstGrid(f: Flows): Row[] {
  return f.directions.flatMap((direction, index) =>
    isUncertain(direction) ? GRID_RESIDUALS.map((residual) => tangent(f, index, residual)) : [],
  );
}

function tangentsAt(f: Flows, solution: Solution): Row[] {
  return f.directions.flatMap((direction, index) => {
    if (!isUncertain(direction)) return [];
    const span = Number(direction.maximumMsat - direction.minimumMsat);
    const crossing = solution.at(flow(index)) * f.unitMsat - Number(direction.minimumMsat);
    const residual = 1 - crossing / span;
    const worthwhile = residual > 1e-6 && residual < 1;
    return worthwhile && -Math.log(residual) > solution.at(risk(index)) + 1e-7
      ? [tangent(f, index, residual)]
      : [];
  });
}

/**
 * Lower bound in msat of the objective (see exhaustive.ts) over all answers within the fee limit. `undefined`
 * if there are none. Base fees and rounding are omitted: see `roundingMsat`.
 */
export function minimumObjectiveMsat(
  directions: readonly PlainDirection[],
  query: RouteQuery,
  prices: Prices,
): number | undefined {
  const f = flows(directions, query, { fees: true, marginMsat: 0 });
  if (!isConnected(f, query)) return undefined;
  const scale = 1000 / Number(query.amountMsat);
  const objective = f.directions.flatMap((direction, index): Term[] => {
    const delay = prices.delayRate * direction.cltvExpiryDelta;
    const own = (f.gain[index]! - 1 + delay) * f.unitMsat;
    return [
      { coefficient: own * scale, variable: flow(index) },
      { coefficient: prices.riskPriceMsatPerNat * scale, variable: risk(index) },
    ];
  });
  const cap: Row = {
    terms: f.fee.filter((term) => term.coefficient > 0),
    relation: '<=',
    value: (Number(query.maxfeeMsat) + roundingMsat(directions, query)) / f.unitMsat,
  };
  const upper = new Map(f.upper);
  f.directions.forEach((_, index) => {
    upper.set(risk(index), 1e6);
  });
  const rows = [...f.conservation, delivers(f), cap, ...firstGrid(f)];
  let value: number | undefined;
  for (let round = 0; round < CUTTING_ROUNDS; round++) {
    const solution = solve({ sense: 'Minimize', objective, rows, upper });
    if (solution === undefined) return undefined;
    value = solution.value / scale;
    const cuts = tangentsAt(f, solution);
    if (cuts.length === 0) break;
    rows.push(...cuts);
  }
  return value;
}
