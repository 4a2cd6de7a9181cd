/** What routes cost: the fee they take together, and the blocks for which the slowest of them locks money. */
import type { Route } from '../engine/route.ts';
import { addMsat, type Msat, msat } from '../model/msat.ts';
import { routeDelay } from './payment.ts';

/** What leaves us beyond what arrives. */
export function feeOf(routes: readonly Route[]): Msat {
  return routes.reduce(
    (sum, { path }) => addMsat(sum, msat(path[0]!.amountOutMsat - path.at(-1)!.amountOutMsat)),
    msat(0n),
  );
}

/** Blocks that our money is locked for at most. */
export function delayOf(routes: readonly Route[]): number {
  return Math.max(...routes.map(({ path }) => routeDelay(path)));
}
