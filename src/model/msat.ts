/**
 * Amounts in millisatoshi.
 *
 * An `Msat` is a non-negative `bigint` that fits 64 bits. `msat` and `addMsat` check this, so an overflow or a negative
 * amount causes an error where it arises.
 *
 * Text forms (Core Lightning's parameter type "msat"):
 *   `N`, `Nmsat` (millisatoshi), `Nsat`, `N.DDDsat` (exactly three decimals), `Nbtc`, `N.D{1,11}btc`.
 */

declare const unit: unique symbol;

/** A non-negative amount in millisatoshi, at most 2^64 - 1. */
export type Msat = bigint & { readonly [unit]: 'msat' };

/** The largest unsigned 64-bit integer, 2^64 - 1. */
export const U64_MAX = 0xffff_ffff_ffff_ffffn;

/** Millisatoshi in one satoshi. */
export const MSAT_PER_SAT = 1000n;
const MSAT_PER_BTC = 100_000_000_000n;

/** Converts a number to an amount. @throws RangeError when it is negative or needs more than 64 bits. */
export function msat(value: bigint | number): Msat {
  const amount = BigInt(value);
  if (amount < 0n || amount > U64_MAX) throw new RangeError(`not an amount in msat: ${amount}`);
  return amount as Msat;
}

/** Converts whole satoshis to an amount. @throws RangeError as `msat` */
export function msatFromSat(sat: bigint | number): Msat {
  return msat(BigInt(sat) * MSAT_PER_SAT);
}

/** The sum of two amounts. @throws RangeError when the sum needs more than 64 bits. */
export function addMsat(a: Msat, b: Msat): Msat {
  return msat(a + b);
}

/** The amount zero. */
export const ZERO_MSAT = msat(0n);

const FORMAT = /^(\d+)(?:(msat)?|(?:\.(\d{3}))?(sat)|(?:\.(\d{1,11}))?(btc))$/;

/** The amount in a text. `undefined` if the text has none of the accepted forms, or the amount overflows. */
export function parseMsat(text: string): Msat | undefined {
  const match = text.length <= 64 ? FORMAT.exec(text) : null;
  if (match === null) return undefined;
  const whole = BigInt(match[1] as string);
  let amount: bigint;
  if (match[4] === 'sat') amount = whole * MSAT_PER_SAT + BigInt(match[3] ?? 0);
  else if (match[6] === 'btc') amount = whole * MSAT_PER_BTC + BigInt((match[5] ?? '').padEnd(11, '0'));
  else amount = whole;
  return amount <= U64_MAX ? (amount as Msat) : undefined;
}
