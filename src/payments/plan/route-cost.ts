/**
 * Computes what routes cost: their fees, the price of their risk, and the maximum number of blocks for which they lock
 * money.
 */
import { type ObjectiveKnobs, pricesFor } from '../../engine/question/objective.ts';
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

/** Total fees plus the price of the risk (objective.ts) of routes that together deliver `amountMsat`, in msat. */
export function priceMsatOf(
  { routes, probabilityPpm }: { readonly routes: readonly Route[]; readonly probabilityPpm: number },
  amountMsat: Msat,
  knobs?: ObjectiveKnobs,
): number {
  const risk = -Math.log(Math.max(1, probabilityPpm) / 1e6);
  return Number(feeOf(routes)) + risk * pricesFor(amountMsat, knobs).riskPriceMsatPerNat;
}
