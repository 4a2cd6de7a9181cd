/**
 * The best answer of several parts on a small graph, as a mixed-integer program solved by HiGHS.
 *
 * Columns are the simple paths p within the delay limit. y_p is the amount that the path delivers over all
 * its parts, and z_p, an integer, is the number of parts. With factors of proportional fees, the amount that
 * crosses a hop is linear in both:
 *
 *   c_h = a_h · y_p + b_h · z_p,   c_(h−1) = c_h · (1 + ppm/10⁶) + base · z_p,   least · z_p ≤ c_h ≤ most · z_p
 *
 * The sums over paths stay below the known maximum of each direction, Σz ≤ maxparts, and the fees below the
 * limit. The risk −ln P of a direction is convex. It is bounded from below by tangents: on a grid, and at
 * each solution found (Kelley's cutting planes). So every program gives a lower bound, up to the rounding of
 * fees (less than 1 msat per hop and part) and the tolerances of the solver. Rounds end when the bound and
 * the true price of its solution meet.
 */
import highsModule from 'highs';
import type { RouteQuery } from '../../src/engine/question/route.ts';
import type { PlainDirection } from './direction.ts';
import { type Path, type Prices, simplePaths, usableDirections } from './exhaustive.ts';
import { partsAllowed } from './referee.ts';

// The types describe the CommonJS build (with a member `default`); the default of the ES module is the loader
// itself.
const loadHighs = highsModule as unknown as typeof highsModule.default;
const highs = await loadHighs();

/** Amounts are in thousandths of the requested amount. */
const UNITS = 1000;
const ROUNDS = 12;
/** The bound and the true price of a solution meet if they differ by at most this share. */
const MET = 1e-3;
/** Maximum number of paths in one program. Graphs with more are skipped. */
const MAX_PATHS = 150;
/** Points of the first grid of tangents, as the unused share of the uncertain range. */
const GRID_RESIDUALS = [1, 0.9, 0.75, 0.6, 0.45, 0.3, 0.2, 0.1, 0.05, 0.02, 0.005, 0.001];
/**
 * Share of a range below which no tangent is drawn: steeper rows would only reduce the solver's precision.
 */
const MIN_RESIDUAL = 1e-6;

/**
 * The amount that crosses one hop of a path: `perUnit` for each delivered unit, and `perPart` units for each
 * part.
 */
interface Crossing {
  readonly direction: PlainDirection;
  readonly perUnit: number;
  readonly perPart: number;
}

interface Column {
  readonly crossings: readonly Crossing[];
  /** Fees of the path in units: `feePerUnit` for each delivered unit, and `feePerPart` for each part. */
  readonly feePerUnit: number;
  readonly feePerPart: number;
}

type Terms = Map<string, number>;

interface Row {
  readonly terms: Terms;
  readonly relation: '>=' | '<=' | '=';
  readonly value: number;
}

/**
 * A lower bound of the objective, and the price of the best answer found during its computation. Both in
 * msat.
 */
export interface Optimum {
  readonly boundMsat: number;
  readonly bestMsat: number;
}

function columnOf(path: Path, unitMsat: number): Column {
  let perUnit = 1;
  let perPart = 0;
  const crossings: Crossing[] = [];
  for (const direction of path.toReversed()) {
    crossings.push({ direction, perUnit, perPart });
    const factor = 1 + Number(direction.feeProportionalMillionths) / 1e6;
    perUnit *= factor;
    perPart = perPart * factor + Number(direction.feeBaseMsat) / unitMsat;
  }
  return { crossings, feePerUnit: perUnit - 1, feePerPart: perPart };
}

const lineOf = (terms: Terms) =>
  [...terms]
    .filter(([, factor]) => factor !== 0)
    .map(([name, factor]) => `${factor < 0 ? '-' : '+'} ${Math.abs(factor)} ${name}`)
    .join('\n ');

class Program {
  readonly #query: RouteQuery;
  readonly #prices: Prices;
  readonly #unitMsat: number;
  readonly #columns: readonly Column[];
  readonly #directions: PlainDirection[];
  readonly #rows: Row[];

  constructor(query: RouteQuery, prices: Prices, paths: readonly Path[]) {
    this.#query = query;
    this.#prices = prices;
    this.#unitMsat = Number(query.amountMsat) / UNITS;
    this.#columns = paths.map((path) => columnOf(path, this.#unitMsat));
    this.#directions = [...new Set(paths.flat())];
    this.#rows = [...this.#flowRows(), ...this.#columns.flatMap((_, p) => this.#limitRows(p))];
    this.#directions.forEach((direction, d) => {
      if (direction.maximumMsat > direction.minimumMsat)
        this.#rows.push(...GRID_RESIDUALS.map((residual) => this.#tangent(d, residual)));
    });
  }

  /** Undefined if no answer exists. */
  optimum(): Optimum | undefined {
    let bestMsat = Number.POSITIVE_INFINITY;
    let boundMsat = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const solution = this.#solve();
      if (solution === undefined) return undefined;
      boundMsat = Math.max(boundMsat, solution.value);
      bestMsat = Math.min(bestMsat, this.#priceOf(solution.at));
      if (bestMsat - boundMsat <= MET * bestMsat) break;
      const cuts = this.#cutsAt(solution.at);
      if (cuts.length === 0) break;
      this.#rows.push(...cuts);
    }
    return { boundMsat, bestMsat };
  }

  /**
   * The rows for the whole answer: the amount arrives in at most the allowed number of parts, within the fee limit
   * and the maximums of the directions.
   */
  #flowRows(): Row[] {
    const all = this.#columns.map((_, p) => p);
    const delivered = new Map(all.map((p) => [`y${p}`, 1]));
    const parts = new Map(all.map((p) => [`z${p}`, 1]));
    const fees: Terms = new Map();
    for (const p of all) {
      fees.set(`y${p}`, this.#columns[p]!.feePerUnit);
      fees.set(`z${p}`, this.#columns[p]!.feePerPart);
    }
    const loads = this.#directions.map((direction, d): Row => {
      const terms = this.#loadTerms(direction);
      terms.set(`x${d}`, -1);
      return { terms, relation: '=', value: 0 };
    });
    return [
      { terms: delivered, relation: '=', value: UNITS },
      { terms: parts, relation: '<=', value: partsAllowed(this.#query) },
      // Fees are rounded down. So a fee within the limit may exceed the limit before rounding.
      {
        terms: fees,
        relation: '<=',
        value: (Number(this.#query.maxfeeMsat) + this.#roundingMsat()) / this.#unitMsat,
      },
      ...loads,
    ];
  }

  #roundingMsat(): number {
    return Math.max(...this.#columns.map(({ crossings }) => crossings.length)) * 4;
  }

  #loadTerms(direction: PlainDirection): Terms {
    const terms: Terms = new Map();
    this.#columns.forEach(({ crossings }, p) => {
      const crossing = crossings.find((each) => each.direction === direction);
      if (crossing === undefined) return;
      terms.set(`y${p}`, crossing.perUnit);
      if (crossing.perPart > 0) terms.set(`z${p}`, crossing.perPart);
    });
    return terms;
  }

  /**
   * The rows for one path: each part respects the HTLC limits of its hops, and nothing is delivered without a part.
   */
  #limitRows(p: number): Row[] {
    const rows: Row[] = [
      {
        terms: new Map([
          [`y${p}`, 1],
          [`z${p}`, -UNITS],
        ]),
        relation: '<=',
        value: 0,
      },
    ];
    for (const { direction, perUnit, perPart } of this.#columns[p]!.crossings) {
      const least = Number(direction.htlcMinimumMsat) / this.#unitMsat;
      const most = Number(direction.htlcMaximumMsat) / this.#unitMsat;
      const limited = (limit: number): Terms =>
        new Map([
          [`y${p}`, perUnit],
          [`z${p}`, perPart - limit],
        ]);
      if (least > 0) rows.push({ terms: limited(least), relation: '>=', value: 0 });
      if (direction.htlcMaximumMsat < direction.maximumMsat)
        rows.push({ terms: limited(most), relation: '<=', value: 0 });
    }
    return rows;
  }

  /** Tangent of −ln(1 − u) at u = 1 − residual, u = (x · unit − m) / (M − m), as a row on the risk r and the load x. */
  #tangent(d: number, residual: number): Row {
    const { minimumMsat, maximumMsat } = this.#directions[d]!;
    const span = Number(maximumMsat - minimumMsat) / this.#unitMsat;
    const slope = 1 / residual / span;
    const point = Number(minimumMsat) / this.#unitMsat + (1 - residual) * span;
    const terms = new Map([
      [`r${d}`, 1],
      [`x${d}`, -slope],
    ]);
    return { terms, relation: '>=', value: -Math.log(residual) - slope * point };
  }

  #residual(d: number, at: (name: string) => number): number {
    const { minimumMsat, maximumMsat } = this.#directions[d]!;
    const above = at(`x${d}`) * this.#unitMsat - Number(minimumMsat);
    return 1 - Math.max(0, above) / Number(maximumMsat - minimumMsat);
  }

  #cutsAt(at: (name: string) => number): Row[] {
    return this.#directions.flatMap((direction, d) => {
      if (direction.maximumMsat <= direction.minimumMsat) return [];
      const residual = Math.max(this.#residual(d, at), MIN_RESIDUAL);
      return residual < 1 && -Math.log(residual) > at(`r${d}`) + 1e-6 ? [this.#tangent(d, residual)] : [];
    });
  }

  /**
   * Factors of the amounts and part counts in the objective, in msat: fees, delays and prices of parts, but not
   * risk.
   */
  #costs(): Terms {
    const { delayRate, partPriceMsat } = this.#prices;
    const costs: Terms = new Map();
    this.#columns.forEach(({ crossings, feePerUnit, feePerPart }, p) => {
      const locked = (key: 'perUnit' | 'perPart') =>
        crossings.reduce((sum, each) => sum + each[key] * each.direction.cltvExpiryDelta * delayRate, 0);
      costs.set(`y${p}`, (feePerUnit + locked('perUnit')) * this.#unitMsat);
      costs.set(`z${p}`, (feePerPart + locked('perPart')) * this.#unitMsat + partPriceMsat);
    });
    return costs;
  }

  #priceOf(at: (name: string) => number): number {
    const { riskPriceMsatPerNat, partPriceMsat } = this.#prices;
    const flat = [...this.#costs()].reduce((sum, [name, cost]) => sum + cost * at(name), 0);
    const risk = this.#directions.reduce((sum, direction, d) => {
      if (direction.maximumMsat <= direction.minimumMsat) return sum;
      return sum - Math.log(Math.max(this.#residual(d, at), 0));
    }, 0);
    return flat - partPriceMsat + riskPriceMsatPerNat * risk;
  }

  #solve(): { value: number; at: (name: string) => number } | undefined {
    const { riskPriceMsatPerNat, partPriceMsat } = this.#prices;
    const scale = 1000 / Number(this.#query.amountMsat);
    const objective: Terms = new Map([...this.#costs()].map(([name, cost]) => [name, cost * scale]));
    this.#directions.forEach((_, d) => void objective.set(`r${d}`, riskPriceMsatPerNat * scale));
    const rows = this.#rows.map(
      ({ terms, relation, value }, n) => ` c${n}: ${lineOf(terms)} ${relation} ${value}`,
    );
    const bounds = this.#directions.flatMap((direction, d) => [
      ` 0 <= x${d} <= ${Number(direction.maximumMsat) / this.#unitMsat}`,
      ` 0 <= r${d} <= 100`,
    ]);
    const parts = this.#columns.map((_, p) => `z${p}`);
    const counts = parts.map((name) => ` 0 <= ${name} <= ${partsAllowed(this.#query)}`);
    const text = `Minimize\n obj: ${lineOf(objective)}\nSubject To\n${rows.join('\n')}\nBounds\n${[...bounds, ...counts].join('\n')}\nGeneral\n ${parts.join(' ')}\nEnd\n`;
    const solution = highs.solve(text, { mip_rel_gap: 1e-4, time_limit: 20 });
    if (solution.Status === 'Infeasible') return undefined;
    if (solution.Status !== 'Optimal') throw new Error(`HiGHS: ${solution.Status}\n${text}`);
    const columns = solution.Columns as Record<string, { Primal?: number }>;
    return {
      value: (solution.ObjectiveValue * (1 - 1e-4)) / scale - partPriceMsat,
      at: (name) => columns[name]?.Primal ?? 0,
    };
  }
}

/**
 * The minimum price of an answer. Undefined if there is none, or if the graph has too many paths for a
 * program.
 */
export function optimumMsat(
  directions: readonly PlainDirection[],
  query: RouteQuery,
  prices: Prices,
): Optimum | undefined {
  const usable = usableDirections(directions, query);
  const paths = simplePaths(usable, query.source, query.destination).filter(
    (path) =>
      query.finalCltv + path.reduce((sum, { cltvExpiryDelta }) => sum + cltvExpiryDelta, 0) <=
        query.maxdelay &&
      path.every(
        ({ htlcMinimumMsat, htlcMaximumMsat }) => htlcMaximumMsat > 0n && htlcMinimumMsat <= htlcMaximumMsat,
      ),
  );
  if (paths.length === 0 || paths.length > MAX_PATHS) return undefined;
  return new Program(query, prices, paths).optimum();
}
