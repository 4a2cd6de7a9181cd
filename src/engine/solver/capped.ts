/** The kernel's limit on amounts. */
import { AMOUNT_CAP_MSAT } from '../../layers/bounds-fold.ts';

/** Amounts above the limit behave like the limit. */
export function capped(amount: bigint): bigint {
  if (amount > AMOUNT_CAP_MSAT) return AMOUNT_CAP_MSAT;
  return amount;
}
