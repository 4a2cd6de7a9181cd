/**
 * What a payment would cost if its fee or delay limit allowed it. Error 206 tells that.
 *
 * The best route is the one that exceeds the limits least: the cheapest route within the delay limit. If
 * there is none, the quickest within the fee limit. If there is none either, the cheapest of all.
 *
 * A search without limits answers something else: the best mix of fee, risk and delay, which may cost many
 * times as much. So the search is asked again with the limits that the kernel proposes as its remedy. If that
 * does not help, it is asked again and again with a limit that comes closer each time.
 */
import type { Route, RouteQuery } from '../engine/route.ts';
import { msat } from '../model/msat.ts';
import { longestDelay } from './budget.ts';
import type { NoRoute, PlanQuery } from './planner.ts';
import { delayOf, feeOf } from './route-cost.ts';

/** A fee limit beyond every fee that exists, to see what the best route would cost. */
const NO_FEE_LIMIT = msat(2n ** 62n);
const NO_DELAY_LIMIT = 1_000_000;
/** Most searches for a closer limit. Each one halves the range in which the limit must lie. */
const MAX_SQUEEZES = 10;
/** A limit is close enough when the least one that would do is at most 1/100 below it. */
const CLOSE = 100n;

type Routes = readonly Route[];
/** Asks for routes. Undefined when there are none. */
type SearchRoutes = (query: RouteQuery) => Promise<Routes | undefined>;

/** The routes that exceed the limits of the query least. Undefined when there are none within any limits. */
export async function bestBeyond(
  query: RouteQuery,
  { data }: NoRoute,
  search: SearchRoutes,
): Promise<Routes | undefined> {
  return (await withRemedy(query, data.remedy, search)) ?? (await bySearching(query, search));
}

/**
 * The routes under the limits that the remedy proposes. Undefined when the remedy changes anything else, or
 * does not help.
 */
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

/**
 * The routes that come closest to a limit which is too tight. The search is repeated between that limit and
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

/** By how much routes exceed the limits, as text and as data. */
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

/** A ratio in per cent, with six digits after the point. */
function percent(part: bigint, whole: bigint): number {
  return Number((part * 100_000_000n) / whole) / 1e6;
}
