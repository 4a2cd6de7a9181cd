/**
 * Finds the amount to quote if the caller gives a total including fees: the largest amount found for which the rest of
 * the total covers the binding fee limit.
 *
 *     amount + limit(amount) ≤ total, nearly equal
 *
 * Small changes of the amount change the limit very little. So the next amount to try is `total − limit(amount)`, and
 * two or three quotes usually suffice. If an amount has no route, or the next amount is outside the range of possible
 * amounts, the middle of the range is tried.
 */

/** An amount and its quote. */
export interface QuotedAmount<Q> {
  readonly amountMsat: bigint;
  readonly quote: Q;
}

/** A total to quote. */
export interface QuotedTotal<Q> {
  readonly totalMsat: bigint;
  /** The first amount to try. */
  readonly firstMsat: bigint;
  /** Quotes an amount. Returns undefined if there is no route for it. */
  readonly quoteAt: (amountMsat: bigint) => Promise<Q | undefined>;
}

const MAX_QUOTES = 6;
/** An amount is close enough if at most the total divided by this number, plus 1 msat, is left over. */
const NEAR_PARTS = 100_000n;

/** @returns the largest amount found that fits; undefined if none does */
export async function quoteOfTotal<Q extends { readonly maxfeeMsat: bigint }>({
  totalMsat,
  firstMsat,
  quoteAt,
}: QuotedTotal<Q>): Promise<QuotedAmount<Q> | undefined> {
  let found: QuotedAmount<Q> | undefined;
  /** Only amounts above `low` and below `high` remain to be tried. */
  let [low, high] = [0n, totalMsat + 1n];
  let next = firstMsat;
  for (let quotes = 0; quotes < MAX_QUOTES && low < next && next < high; quotes++) {
    const quote = await quoteAt(next);
    const restMsat = quote && totalMsat - next - quote.maxfeeMsat;
    if (quote !== undefined && restMsat! >= 0n) {
      found = { amountMsat: next, quote };
      low = next;
      if (restMsat! <= totalMsat / NEAR_PARTS + 1n) break;
    } else high = next;
    const wanted = quote === undefined ? low : totalMsat - quote.maxfeeMsat;
    next = low < wanted && wanted < high ? wanted : (low + high) / 2n;
  }
  return found;
}
