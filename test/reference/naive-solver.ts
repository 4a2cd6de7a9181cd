/**
 * A solver too simple to be wrong. It repeatedly takes the cheapest simple path with remaining room, and
 * fills it as far as possible. It shows that the referee and the references work, without the kernel. It is
 * not a measure of quality.
 */

import type { Route, RouteAnswer, RouteQuery } from '../../src/engine/question/route.ts';
import { FulguriteError } from '../../src/model/errors.ts';
import { msat } from '../../src/model/msat.ts';
import type { NodeId } from '../../src/model/node-id.ts';
import { parseShortChannelIdDir } from '../../src/model/short-channel-id.ts';
import type { PlainDirection } from './direction.ts';
import { amountInMsat } from './direction.ts';
import type { Part, Path } from './exhaustive.ts';
import { price, simplePaths, singleParts, usableDirections } from './exhaustive.ts';
import { floorPpm, ONE, passProbability, times } from './fraction.ts';
import { amountsBackward, partsAllowed } from './referee.ts';
import type { Solver } from './solver.ts';

/** The route of one part, with all its members computed. */
export function routeOf(query: RouteQuery, part: Part): Route {
  const amounts = amountsBackward(part.deliveredMsat, part.path);
  let cltv = query.finalCltv + part.path.reduce((sum, direction) => sum + direction.cltvExpiryDelta, 0);
  let probability = ONE;
  const path = part.path.map((direction, index) => {
    const { amountIn, amountOut } = amounts[index]!;
    probability = times(probability, passProbability(direction, amountOut));
    const cltvIn = cltv;
    cltv -= direction.cltvExpiryDelta;
    return {
      shortChannelIdDir: parseShortChannelIdDir(direction.name)!,
      nodeIdIn: direction.source as NodeId,
      nodeIdOut: direction.destination as NodeId,
      amountInMsat: msat(amountIn),
      amountOutMsat: msat(amountOut),
      cltvIn,
      cltvOut: cltv,
    };
  });
  return {
    probabilityPpm: floorPpm(probability),
    amountMsat: msat(part.deliveredMsat),
    finalCltv: query.finalCltv,
    path,
  };
}

/** The answer made of these parts. @throws Error if they violate a rule of the query. */
export function answerOf(query: RouteQuery, parts: readonly Part[]): RouteAnswer {
  const priced = price(query, parts);
  if (priced === undefined) throw new Error('these parts are not an answer');
  return { probabilityPpm: floorPpm(priced.probability), routes: parts.map((part) => routeOf(query, part)) };
}

/**
 * The maximum that the path can still deliver, by bisection. This is exact, since the amounts at all hops
 * grow with the delivered amount.
 */
function headroom(path: Path, used: ReadonlyMap<PlainDirection, bigint>, most: bigint): bigint {
  const fits = (delivered: bigint) =>
    amountsBackward(delivered, path).every(({ amountOut }, index) => {
      const direction = path[index]!;
      const left = direction.maximumMsat - (used.get(direction) ?? 0n);
      return amountOut <= left && amountOut <= direction.htlcMaximumMsat;
    });
  let [low, high] = [0n, most];
  while (low < high) {
    const middle = (low + high + 1n) / 2n;
    if (fits(middle)) low = middle;
    else high = middle - 1n;
  }
  return low;
}

const pathFee = (path: Path, delivered: bigint) =>
  path.reduceRight((amount, direction) => amountInMsat(direction, amount), delivered) - delivered;

function severalParts(directions: readonly PlainDirection[], query: RouteQuery): Part[] | undefined {
  const usable = usableDirections(directions, query);
  const paths = simplePaths(usable, query.source, query.destination);
  paths.sort((a, b) => Number(pathFee(a, query.amountMsat) - pathFee(b, query.amountMsat)));
  const used = new Map<PlainDirection, bigint>();
  const parts: Part[] = [];
  let left: bigint = query.amountMsat;
  for (const path of paths) {
    const deliveredMsat = headroom(path, used, left);
    if (deliveredMsat === 0n) continue;
    const alone = price({ ...query, amountMsat: msat(deliveredMsat) }, [{ path, deliveredMsat }]);
    if (alone === undefined) continue;
    parts.push({ path, deliveredMsat });
    amountsBackward(deliveredMsat, path).forEach(({ amountOut }, index) => {
      used.set(path[index]!, (used.get(path[index]!) ?? 0n) + amountOut);
    });
    left -= deliveredMsat;
    if (left === 0n) break;
  }
  return left === 0n && parts.length <= partsAllowed(query) ? parts : undefined;
}

/** The cheapest single part if there is one, otherwise as few cheap paths as needed. */
export const naiveSolver: Solver = {
  name: 'naive',
  solve(graph, query) {
    const singles = singleParts(graph.directions, query);
    singles.sort((a, b) => Number(a.feeMsat - b.feeMsat));
    const parts = singles[0]?.parts ?? severalParts(graph.directions, query);
    if (parts === undefined || price(query, parts) === undefined) {
      return new FulguriteError('routeNotFound', 'no set of paths found');
    }
    return answerOf(query, parts);
  },
  prices: () => ({ riskPriceMsatPerNat: 0, delayRate: 0, partPriceMsat: 0 }),
};
