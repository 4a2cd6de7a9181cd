/** The total cost of routes: their fees, and the blocks for which the slowest of them locks money. */
import type { Route } from '../../engine/question/route.ts';
import { addMsat, type Msat, msat } from '../../model/msat.ts';
import { routeDelay } from '../payment.ts';

/** Fees of all routes, in msat: amount sent minus amount delivered. */
export function feeOf(routes: readonly Route[]): Msat {
  return routes.reduce(
    (sum, { path }) => addMsat(sum, msat(path[0]!.amountOutMsat - path.at(-1)!.amountOutMsat)),
    msat(0n),
  );
}

/** Maximum blocks for which any of the routes locks our money. */
export function delayOf(routes: readonly Route[]): number {
  return Math.max(...routes.map(({ path }) => routeDelay(path)));
}
