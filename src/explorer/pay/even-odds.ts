/** The largest amount with odds of at least one half, found by requesting routes for smaller amounts. */
import { EVEN_PPM } from './odds-warning.ts';

/** Maximum number of requests. Even from 21 million bitcoin down to 1 sat, the search needs fewer. */
const MAX_QUESTIONS = 16;
/**
 * The search ends when its bounds differ by at most this percentage, because the odds themselves are not more exact.
 */
const CLOSE_PERCENT = 2n;
const SAT = 1000n;

/**
 * Searches below an amount whose odds are less than one half.
 * @param ask returns the odds of an amount in parts per million; undefined if there is no route
 * @returns the amount in msat: a whole number of sat, usually with two significant digits. Undefined if no amount with
 *   even odds was found
 */
export async function largestEvenAmount(
  amountMsat: bigint,
  ask: (msat: bigint) => Promise<number | undefined>,
): Promise<bigint | undefined> {
  const isEven = async (msat: bigint): Promise<boolean> => ((await ask(msat)) ?? 0) >= EVEN_PPM;
  let good: bigint | undefined;
  // The search uses whole sat, which users prefer. The midpoint is geometric, so that the order of magnitude is found
  // first.
  let low = 0n;
  let high = amountMsat / SAT;
  for (
    let asked = 0;
    asked < MAX_QUESTIONS && (high - low) * 100n > high * CLOSE_PERCENT && high - low > 1n;
    asked++
  ) {
    const middle = rounded(geometric(low, high));
    const probe = middle > low && middle < high ? middle : low + (high - low) / 2n;
    if (await isEven(probe * SAT)) {
      good = probe;
      low = probe;
    } else high = probe;
  }
  return good === undefined ? undefined : good * SAT;
}

const geometric = (low: bigint, high: bigint): bigint =>
  BigInt(Math.round(Math.sqrt(Number(low === 0n ? 1n : low) * Number(high))));

/** The number rounded down to two significant digits. */
function rounded(value: bigint): bigint {
  const zeros = 10n ** BigInt(Math.max(0, String(value).length - 2));
  return (value / zeros) * zeros;
}
