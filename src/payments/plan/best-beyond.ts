/**
 * What a payment would cost if its fee and delay limits permitted the best route. Error 206 contains this figure.
 *
 * The best route is the one that exceeds the limits least: the cheapest route within the delay limit. If no route keeps
 * the delay limit, it is the quickest route within the fee limit. If no route keeps either limit, it is the cheapest of
 * all.
 *
 * A search without limits would find something else: the best mix of fee, risk and delay, which may cost many times as
 * much. So the search is repeated with the limits that the kernel suggests as a remedy. If that does not help, the
 * limit is found by bisection.
 */
import type { Remedy } from '../../engine/question/no-route.ts';
import { NO_DELAY_LIMIT, NO_FEE_LIMIT, type Route, type RouteQuery } from '../../engine/question/route.ts';
import { msat } from '../../model/msat.ts';
import { delayOf, feeOf } from './route-cost.ts';

/** Maximum number of searches for a closer limit. Each one halves the range in which the limit must lie. */
const MAX_SQUEEZES = 10;
/** The search stops once the smallest sufficient limit is known to be at most 1/100 below the one found. */
const CLOSE = 100n;

type Routes = readonly Route[];
/** Searches for routes. Returns undefined if there are none. */
type SearchRoutes = (query: RouteQuery) => Promise<Routes | undefined>;

/** The routes that exceed the limits of the query least. Undefined if there are no routes even without limits. */
export async function bestBeyond(
  query: RouteQuery,
  remedy: Remedy | undefined,
  search: SearchRoutes,
): Promise<Routes | undefined> {
  return (await withRemedy(query, remedy, search)) ?? (await bySearching(query, search));
}

/** The routes within the remedy's limits. Undefined if the remedy changes anything else, or does not help. */
async function withRemedy(
  query: RouteQuery,
  remedy: Remedy = {},
  search: SearchRoutes,
): Promise<Routes | undefined> {
  const { maxfeeMsat, maxdelay, minimal: _, ...others } = remedy;
  if (Object.keys(others).length > 0 || (maxfeeMsat === undefined && maxdelay === undefined))
    return undefined;
  return search({
    ...query,
    ...(maxfeeMsat !== undefined && { maxfeeMsat }),
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

/**
 * The routes that exceed a limit the least. Bisects the range between this limit, which no route keeps, and the cost of
 * the best routes found so far.
 */
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
