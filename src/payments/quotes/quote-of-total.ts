/**
 * The amount to quote when a total is given, fees included: the largest one found whose binding fee limit fits the
 * rest.
 *
 *     amount + limit(amount) ≤ total, nearly equal
 *
 * The limit hardly depends on small changes of the amount. So `total − limit(amount)` is the next amount to try, and
 * two or three quotes usually suffice. If that is outside the range of possible amounts, their middle is tried.
 */

/** An amount and its quote. */
export interface QuotedAmount<Q> {
  readonly amountMsat: bigint;
  readonly quote: Q;
}

/** A total to quote. */
export interface QuotedTotal<Q> {
  readonly totalMsat: bigint;
  /** The first amount to try. No larger one is tried before it. */
  readonly firstMsat: bigint;
  /** Quotes an amount. Undefined when it has no route. */
  readonly quoteAt: (amountMsat: bigint) => Promise<Q | undefined>;
}

/** Maximum number of quotes. */
const MAX_QUOTES = 6;
/** An amount is close enough when at most this share of the total, plus one msat, is left over. */
const NEAR_PARTS = 100_000n;

/** @returns the largest fitting amount found. Undefined when there is none. */
export async function quoteOfTotal<Q extends { readonly maxfeeMsat: bigint }>({
  totalMsat,
  firstMsat,
  quoteAt,
}: QuotedTotal<Q>): Promise<QuotedAmount<Q> | undefined> {
  let found: QuotedAmount<Q> | undefined;
  /** Amounts above `low` and below `high` are still possible. */
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
