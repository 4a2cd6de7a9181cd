/**
 * The single parameters of a refused request whose change would have helped, found by repeating the request with
 * many values of each. This search shares nothing with the search for remedies except the query.
 */
import type { RouteQuery } from '../../src/engine/question/route.ts';
import { msat } from '../../src/model/msat.ts';

const ALL_PARTS = [5, 10, 30, 100];
const LONGEST = 2016;
const EVERY_FEE = 2n ** 60n;
const PARTS_OF_AMOUNT = [2n, 3n, 5n, 10n, 30n, 100n, 1_000n, 10_000n, 100_000n, 1_000_000n, 10_000_000n];
const SMALL_AMOUNTS = [1_000_000n, 100_000n, 10_000n, 1_000n, 1n];
const MULTIPLES = [2n, 4n, 10n, 100n, 1_000n];

/**
 * Names of the parameters whose change alone helps. A larger amount is tried only if no other
 * change helps.
 */
export function helpfulParameters(query: RouteQuery, isAnswered: (query: RouteQuery) => boolean): string[] {
  const isSingle = query.layers.includes('auto.no_mpp_support');
  const parts = isSingle ? [] : [query.maxparts + 1, ...ALL_PARTS].filter((most) => most > query.maxparts);
  const amounts = [...PARTS_OF_AMOUNT.map((by) => query.amountMsat / by), ...SMALL_AMOUNTS];
  const smaller = amounts.filter((amount) => amount > 0n && amount < query.amountMsat);
  const tried: [string, Partial<RouteQuery>[]][] = [
    ['maxfee_msat', [{ maxfeeMsat: msat(EVERY_FEE) }]],
    ['maxdelay', query.maxdelay < LONGEST ? [{ maxdelay: LONGEST }] : []],
    ['maxparts', parts.map((maxparts) => ({ maxparts }))],
    ['final_cltv', query.finalCltv > 0 ? [{ finalCltv: 0 }] : []],
    ['amount_msat', smaller.map((amount) => ({ amountMsat: msat(amount) }))],
  ];
  const helps = tried
    .filter(([, changes]) => changes.some((change) => isAnswered({ ...query, ...change })))
    .map(([name]) => name);
  if (helps.length > 0) return helps;
  const isTooSmall = MULTIPLES.some((by) =>
    isAnswered({ ...query, amountMsat: msat(query.amountMsat * by) }),
  );
  return isTooSmall ? ['amount_msat'] : [];
}
