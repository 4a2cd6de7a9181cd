/**
 * The front of a route request: answers that are more likely than every other answer that costs no more.
 *
 * Method: the constraint method of multi-objective optimisation (Haimes, Lasdon & Wismer 1971). One objective is
 * capped, and the other optimised. A search for the lowest fees finds the cheapest answer. A search that gives nearly
 * all weight to probability finds the most likely answer. Between the fees of these two, caps are set in equal ratios,
 * and the most likely answer under each cap is searched for. So points are also found where the front is not convex.
 * Dominated answers are left out. Every point is the answer of a real search under all limits of the request.
 *
 * The price of a part is multiplied like the price of risk, because it covers failures that capacities do not predict
 * (objective.ts).
 */
import type { RouteOptions } from '../host/engine-options.ts';
import { NoRouteError } from './no-route.ts';
import { DEFAULT_OBJECTIVE, type ObjectiveKnobs } from './objective.ts';
import type { RouteAnswer, RouteQuery } from './route.ts';

/** One answer of the front, and its fees. */
export interface FrontAnswer {
  readonly feeMsat: bigint;
  readonly answer: RouteAnswer;
}

/** A search, as the route engine makes it. */
export type FrontSearch = (query: RouteQuery, options: RouteOptions) => Promise<RouteAnswer>;

/** Maximum number of fee caps, from the lowest fee of the first answers up to their highest. */
const CAPS = 7;
/**
 * Factor of the prices of risk and of parts in searches for the most likely answer. The price of risk is then 1,000 %
 * of the amount per nat.
 */
const DEAR = 10_000;

const scaled = (factor: number): ObjectiveKnobs => ({
  riskPpmPerNat: DEFAULT_OBJECTIVE.riskPpmPerNat * factor,
  riskBaseMsatPerNat: DEFAULT_OBJECTIVE.riskBaseMsatPerNat * factor,
  delayBillionthsPerBlock: 0,
  partPpm: DEFAULT_OBJECTIVE.partPpm * factor,
  partBaseMsat: DEFAULT_OBJECTIVE.partBaseMsat * factor,
});
const CHEAPEST = scaled(0);
const LIKELIEST = scaled(DEAR);

/** The fees of an answer: the amounts that enter its first hops, minus the amounts that arrive. */
export function feeOf({ routes }: RouteAnswer): bigint {
  return routes.reduce((sum, { path, amountMsat }) => sum + path[0]!.amountInMsat - amountMsat, 0n);
}

/**
 * The front of a request, from the cheapest answer to the most likely one.
 * @param usual the answer of the request itself, which may be a point of the front
 * @throws whatever `search` throws, except NoRouteError of single points
 */
export async function routeFront(
  search: FrontSearch,
  query: RouteQuery,
  options: RouteOptions,
  usual: RouteAnswer,
): Promise<FrontAnswer[]> {
  const find = async (knobs: ObjectiveKnobs, maxfeeMsat: bigint): Promise<FrontAnswer[]> => {
    const capped = { ...query, maxfeeMsat: maxfeeMsat as RouteQuery['maxfeeMsat'] };
    try {
      const answer = await search(capped, { ...options, knobs, remedies: false });
      return [{ answer, feeMsat: feeOf(answer) }];
    } catch (error) {
      if (error instanceof NoRouteError) return [];
      throw error;
    }
  };
  const ends = (
    await Promise.all([find(CHEAPEST, query.maxfeeMsat), find(LIKELIEST, query.maxfeeMsat)])
  ).flat();
  const found = [{ answer: usual, feeMsat: feeOf(usual) }, ...ends];
  const fees = found.map(({ feeMsat }) => feeMsat);
  const [least, most] = [smallest(fees), greatest(fees)];
  const between = (await Promise.all(capsFrom(least, most).map((cap) => find(LIKELIEST, cap)))).flat();
  return undominated([...found, ...between]);
}

/**
 * The answer to return with a front: the usual answer, unless a point of the front costs no more and is at least as
 * likely. Then the most likely of these points is returned.
 */
export function bestBeside(front: readonly FrontAnswer[], usual: RouteAnswer): RouteAnswer {
  const feeMsat = feeOf(usual);
  const better = front.filter(
    (point) => point.feeMsat <= feeMsat && point.answer.probabilityPpm >= usual.probabilityPpm,
  );
  return better.at(-1)?.answer ?? usual;
}

const smallest = (values: readonly bigint[]): bigint => values.reduce((a, b) => (b < a ? b : a));
const greatest = (values: readonly bigint[]): bigint => values.reduce((a, b) => (b > a ? b : a));

/** Fee caps from `least` on, in equal ratios, all below `most`. */
function capsFrom(least: bigint, most: bigint): bigint[] {
  const ratio = Number(most + 1n) / Number(least + 1n);
  const caps = Array.from({ length: CAPS }, (_, step) => {
    const cap = BigInt(Math.floor(Number(least + 1n) * ratio ** (step / CAPS))) - 1n;
    return cap < least ? least : cap;
  });
  return [...new Set(caps)].filter((cap) => cap < most);
}

/** The points that no other point dominates, cheapest first. */
function undominated(points: readonly FrontAnswer[]): FrontAnswer[] {
  const sorted = [...points].sort((one, other) => {
    if (one.feeMsat !== other.feeMsat) return one.feeMsat < other.feeMsat ? -1 : 1;
    return other.answer.probabilityPpm - one.answer.probabilityPpm;
  });
  const front: FrontAnswer[] = [];
  for (const point of sorted) {
    const likeliest = front.at(-1)?.answer.probabilityPpm ?? -1;
    if (point.answer.probabilityPpm > likeliest) front.push(point);
  }
  return front;
}
