/**
 * The reference for a handful of units: every way to send the amount in up to `maxparts` parts over simple paths within
 * the limits on hops and delay. For units of 1 msat it is exact, also where HTLC limits, rounding and several limits
 * together decide.
 */
import type { RouteQuery } from '../../src/engine/question/route.ts';
import type { PlainDirection } from './direction.ts';
import { simplePaths, usableDirections } from './exhaustive.ts';

/** The amounts of one part: what crosses each direction, and its fees. */
interface SmallPart {
  /** The amounts that cross the directions of the path, in msat, each with the number of its direction. */
  readonly crossing: readonly (readonly [number, number])[];
  readonly feeMsat: number;
  /** The fees without rounding. */
  readonly exactFeeMsat: number;
}

/** The least fees of all ways to send the amount; infinite if there is none. */
export interface LeastFees {
  readonly feeMsat: number;
  /** The least sum of fees that are not rounded down. */
  readonly exactFeeMsat: number;
}

const NONE: LeastFees = { feeMsat: Number.POSITIVE_INFINITY, exactFeeMsat: Number.POSITIVE_INFINITY };

/** The part that delivers `amount` over the path. Undefined if a direction cannot carry it. */
function partOf(
  path: readonly number[],
  rows: readonly PlainDirection[],
  amount: number,
): SmallPart | undefined {
  const crossing: [number, number][] = [];
  let reach = amount;
  let exactFeeMsat = 0;
  for (const place of path.toReversed()) {
    const row = rows[place]!;
    if (reach < row.htlcMinimumMsat || reach > row.htlcMaximumMsat || reach > row.maximumMsat)
      return undefined;
    crossing.push([place, reach]);
    const fee = Number(row.feeBaseMsat) + (reach * Number(row.feeProportionalMillionths)) / 1e6;
    exactFeeMsat += fee;
    reach += Math.floor(fee);
  }
  return { crossing, feeMsat: reach - amount, exactFeeMsat };
}

/**
 * Tries every split of the amount into multiples of `unit` msat. The amount must be such a multiple itself. Only for
 * few units: the work grows with the number of units to the power of `maxparts`.
 */
export function everySplit(
  directions: readonly PlainDirection[],
  query: RouteQuery,
  maxhops: number,
  unit: number,
): LeastFees {
  const rows = usableDirections(directions, query);
  const units = Number(query.amountMsat) / unit;
  const blocks = query.maxdelay - query.finalCltv;
  const parts = simplePaths(rows, query.source, query.destination)
    .filter((path) => path.length <= maxhops)
    .filter((path) => path.reduce((sum, { cltvExpiryDelta }) => sum + cltvExpiryDelta, 0) <= blocks)
    .map((path) => path.map((row) => rows.indexOf(row)))
    .map((path) => Array.from({ length: units + 1 }, (_, sent) => partOf(path, rows, sent * unit)));
  const room = rows.map(({ maximumMsat }) => Number(maximumMsat));
  let [feeMsat, exactFeeMsat] = [NONE.feeMsat, NONE.exactFeeMsat];
  const place = (
    from: number,
    most: number,
    left: number,
    count: number,
    fee: number,
    exact: number,
  ): void => {
    if (left === 0) {
      feeMsat = Math.min(feeMsat, fee);
      exactFeeMsat = Math.min(exactFeeMsat, exact);
      return;
    }
    if (count === 0 || (fee >= feeMsat && exact >= exactFeeMsat)) return;
    for (let path = from; path < parts.length; path++) {
      const largest = path === from ? Math.min(most, left) : left;
      // Parts over one path are tried in descending order.
      for (let sent = largest; sent > 0; sent--) {
        const part = parts[path]![sent];
        if (part === undefined || part.crossing.some(([row, msat]) => room[row]! < msat)) continue;
        for (const [row, msat] of part.crossing) room[row]! -= msat;
        place(path, sent, left - sent, count - 1, fee + part.feeMsat, exact + part.exactFeeMsat);
        for (const [row, msat] of part.crossing) room[row]! += msat;
      }
    }
  };
  place(0, units, units, query.maxparts, 0, 0);
  return { feeMsat, exactFeeMsat };
}
