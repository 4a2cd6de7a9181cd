/**
 * What a payment would cost that its fee or delay limit does not allow: error 206 tells it.
 *
 * The best route is the one that exceeds as little as possible: the cheapest within the delay limit; where there is
 * none, the quickest within the fee limit; where there is none either, the cheapest of all. A search without a
 * limit answers something else, the best mix of fee, risk and delay, which may cost many times as much. So the
 * search is asked again with the limits that the kernel names as its remedy, or else with ever closer ones.
 */
import type { Route, RouteQuery } from '../engine/route.ts';
import { msat } from '../model/msat.ts';
import { longestDelay } from './budget.ts';
import type { NoRoute, PlanQuery } from './planner.ts';
import { delayOf, feeOf } from './route-cost.ts';

/** Beyond any fee and delay that exists: to see what the best route would cost. */
const NO_FEE_LIMIT = msat(2n ** 62n);
const NO_DELAY_LIMIT = 1_000_000;
/** Searches for a closer limit: each halves what is unknown of it. */
const MAX_SQUEEZES = 10;
/** A limit is close enough when the least that would do is within this part of it: 1/100. */
const CLOSE = 100n;

type Routes = readonly Route[];
/** Routes for the query; undefined where there are none. */
type SearchRoutes = (query: RouteQuery) => Promise<Routes | undefined>;

/** The routes that exceed the query's limits by least; undefined where none exist within any limits. */
export async function bestBeyond(
  query: RouteQuery,
  { data }: NoRoute,
  search: SearchRoutes,
): Promise<Routes | undefined> {
  return (await withRemedy(query, data.remedy, search)) ?? (await bySearching(query, search));
}

/** As limits, where the remedy is one of limits alone and helps. */
async function withRemedy(
  query: RouteQuery,
  remedy: unknown,
  search: SearchRoutes,
): Promise<Routes | undefined> {
  const { maxfee_msat, maxdelay, ...others } = (remedy ?? {}) as { maxfee_msat?: bigint; maxdelay?: number };
  if (Object.keys(others).length > 0 || (maxfee_msat === undefined && maxdelay === undefined))
    return undefined;
  return search({
    ...query,
    ...(maxfee_msat !== undefined && { maxfeeMsat: msat(maxfee_msat) }),
    ...(maxdelay !== undefined && { maxdelay }),
  });
}

async function bySearching(query: RouteQuery, search: SearchRoutes): Promise<Routes | undefined> {
  const within = async (limits: Partial<RouteQuery>): Promise<Routes | undefined> =>
    search({ ...query, ...limits });
  const atAnyFee = await within({ maxfeeMsat: NO_FEE_LIMIT });
  if (atAnyFee !== undefined) {
    return squeezed(atAnyFee, query.maxfeeMsat, feeOf, (limit) => within({ maxfeeMsat: msat(limit) }));
  }
  const atAnyDelay = await within({ maxdelay: NO_DELAY_LIMIT });
  if (atAnyDelay !== undefined) {
    const delay = (routes: Routes): bigint => BigInt(delayOf(routes));
    return squeezed(atAnyDelay, BigInt(query.maxdelay), delay, (limit) =>
      within({ maxdelay: Number(limit) }),
    );
  }
  const atAny = await within({ maxfeeMsat: NO_FEE_LIMIT, maxdelay: NO_DELAY_LIMIT });
  if (atAny === undefined) return undefined;
  const cheaper = (limit: bigint) => within({ maxfeeMsat: msat(limit), maxdelay: NO_DELAY_LIMIT });
  return squeezed(atAny, query.maxfeeMsat, feeOf, cheaper);
}

/** Routes as close to a limit that is too tight as searches within it get. */
async function squeezed(
  routes: Routes,
  tooTight: bigint,
  costOf: (routes: Routes) => bigint,
  within: (limit: bigint) => Promise<Routes | undefined>,
): Promise<Routes> {
  let best = routes;
  let failing = tooTight;
  for (let step = 0; step < MAX_SQUEEZES; step++) {
    const cost = costOf(best);
    if (cost - failing <= 1n || (cost - failing) * CLOSE <= cost) break;
    const middle = (failing + cost) / 2n;
    const found = await within(middle);
    if (found === undefined) failing = middle;
    else best = found;
  }
  return best;
}

/** What routes beyond the limits exceed, in words and as data. */
export function excessOf(
  noRoute: NoRoute,
  query: PlanQuery,
  routes: Routes,
): Pick<NoRoute, 'message' | 'data'> {
  const { request, maxfeeMsat } = query;
  const fee = feeOf(routes);
  const delay = delayOf(routes);
  const maxdelay = longestDelay(request.maxdelay);
  const excesses = [
    ...(fee > maxfeeMsat ? [`Fee exceeds our fee budget: ${fee}msat > ${maxfeeMsat}msat`] : []),
    ...(delay > maxdelay ? [`CLTV delay exceeds our CLTV budget: ${delay} > ${maxdelay}`] : []),
  ];
  return {
    message: excesses.join('; ') || noRoute.message,
    data: {
      fee,
      feepercent: percent(fee, request.amountMsat),
      delay,
      amount_msat: request.amountMsat,
      maxfee_msat: maxfeeMsat,
      maxdelay: request.maxdelay,
      ...noRoute.data,
    },
  };
}

/** To six digits after the point. */
function percent(part: bigint, whole: bigint): number {
  return Number((part * 100_000_000n) / whole) / 1e6;
}
